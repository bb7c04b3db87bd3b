//! `widen-words`: words of widths that a processor has no operations for are kept in wider ones, their upper bits zero.
//!
//! A word has the bits that its old width says, in a byte or in a register, whichever is the first that holds it; arrays, tables,
//! parameters and results have elements of that width. What cannot leave bits above the old width stays one operation; what can is
//! done in a register and cut. Bytes have logic alone: their sums, shifts and comparisons are done in a register, too.
//!
//! Identities used, for words a and b of w bits in registers of W: a word is cut by `and` with 2^w - 1; sums, differences and products
//! modulo 2^W are those modulo 2^w when cut; `rotl(a, n)` is `a << n | a >> (w - n)`, cut; a concatenation is the sum of its parts, each
//! shifted to its place. Comparisons are bits of differences: a < b where bit W - 1 of
//! `(!a & b) | ((!a | b) & (a - b))` is set, a != b where that of `d | -d` is, with `d = a ^ b`; and a selection is `b ^ ((a ^ b) & -c)`.
//! A word in an address has its old width there: the verifier sees that the place lies within the array.
//!
//! Where words wider than a register were split, upper halves of whole products are made by products of halves.
//!
//! A program that has only bytes with logic, whole registers and concatenations of bytes to them stays as it is.

mod decisions;
mod operations;
mod whole_products;

use super::rewrite::rewrite;
use super::{inline_calls, lower_linear, Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Place, Program, Type, ValueId};
use crate::walk::for_each_op;

/// Width of the narrower words that stay.
const BYTE: u8 = 8;

/// See the module's text.
pub struct WidenWords;

/// What the words of a program become.
#[derive(Clone, Copy)]
struct Machine {
    /// Width of a register.
    width: u8,
}

impl Machine {
    /// Width of the word that holds one of a width.
    fn held(self, bits: u8) -> u8 {
        if bits <= BYTE {
            BYTE
        } else {
            self.width
        }
    }

    fn ty(self, ty: &Type) -> Type {
        match ty {
            Type::Word(bits) => Type::Word(self.held(*bits)),
            Type::Array(array) => {
                Type::Array(crate::ir::ArrayType { width: self.held(array.width), dims: array.dims.clone() })
            }
            Type::Index => Type::Index,
        }
    }
}

impl Pass for WidenWords {
    fn name(&self) -> &'static str {
        "widen-words"
    }

    fn description(&self) -> &'static str {
        "keep words of odd widths in bytes and registers, their upper bits zero"
    }

    fn options(&self) -> &'static [&'static str] {
        &["width"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let width = settings.number("width", 32)?;
        if !matches!(width, 16 | 32 | 64) {
            return Err(Diagnostic::new(
                "S051",
                format!("words are kept in registers of 16, 32 or 64 bits, not {width}"),
            ));
        }
        let machine = Machine { width: width as u8 };
        inline_calls::InlineCalls.run(program, settings)?;
        lower_linear::LowerLinear.run(program, settings)?;
        for function in &mut program.functions {
            whole_products::by_halves(function, machine);
        }
        for function in &program.functions {
            fits(program, function, machine)?;
        }
        for function in &mut program.functions {
            widened(function, machine);
        }
        for table in &mut program.tables {
            // One that is wider was split, and nothing reads it any more.
            table.width = table.width.max(machine.held(table.width));
        }
        Ok(())
    }
}

/// Checks that no word is wider than a register.
fn fits(program: &Program, function: &Function, machine: Machine) -> Result<(), Diagnostic> {
    let refused = |name: &str, bits: u8| {
        let message = format!("`{name}` has {bits} bits, a register {}", machine.width);
        Diagnostic::new("S052", message).help("`machine-words` before it splits wider words")
    };
    if let Some(ty) = function.results.iter().find(|ty| ty.width() > machine.width) {
        return Err(refused(&function.name, ty.width()));
    }
    let mut found = None;
    let mut look = |v: ValueId, places: &[Place]| {
        let data = &function.values[v.0 as usize];
        if data.ty.width() > machine.width && found.is_none() {
            found = Some(refused(&data.name, data.ty.width()).at(program, places));
        }
    };
    function.params.iter().for_each(|&param| look(param, &[]));
    for_each_op(&function.body, &mut |op| op.results.iter().for_each(|&result| look(result, &op.places)));
    found.map_or(Ok(()), Err)
}

fn widened(function: &mut Function, machine: Machine) {
    let mut widths: Vec<u8> = function.values.iter().map(|v| if let Type::Word(w) = v.ty { w } else { 0 }).collect();
    for value in &mut function.values {
        value.ty = machine.ty(&value.ty);
    }
    for ty in &mut function.results {
        *ty = machine.ty(ty);
    }
    rewrite(function, &mut |r, op| {
        let mut widening = operations::Widening { machine, widths: &mut widths, r };
        widening.operation(op);
    });
    super::dce::clean(function);
}
