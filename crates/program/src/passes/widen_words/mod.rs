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
//!
//! With `width=bytes` a word of more than 8 bits has the next whole number of bytes, and an operation is done in its result's word; so
//! `split-words` finds whole bytes alone, but for fields that only addresses read. Words of 8 bits and fewer stay. A program without other words stays as it is.

mod decisions;
mod operations;
mod whole_bytes;
mod whole_products;

use super::rewrite::rewrite;
use super::{inline_calls, lower_linear, Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{ArrayType, Function, Place, Program, Type, ValueId};
use crate::walk::for_each_op;

/// Width of the narrower words that stay.
const BYTE: u8 = 8;

/// See the module's text.
pub struct WidenWords;

/// What the words of a program become.
#[derive(Clone, Copy)]
enum Machine {
    /// Bytes, and registers of a width.
    Register(u8),
    /// Words of whole bytes, and shorter ones than a byte.
    WholeBytes,
}

impl Machine {
    /// The machine that the option names.
    fn read(settings: &Settings<'_>) -> Result<Self, Diagnostic> {
        if settings.options.get("width").is_some_and(|width| width == "bytes") {
            return Ok(Machine::WholeBytes);
        }
        let width = settings.number("width", 32)?;
        if !matches!(width, 16 | 32 | 64) {
            let message = format!("words are kept in registers of 16, 32 or 64 bits, or in whole bytes, not {width}");
            return Err(Diagnostic::new("S051", message));
        }
        Ok(Machine::Register(width as u8))
    }

    /// Width of the word that holds one of a width.
    fn held(self, bits: u8) -> u8 {
        match self {
            Machine::Register(_) if bits <= BYTE => BYTE,
            Machine::Register(width) => width,
            Machine::WholeBytes if bits <= BYTE => bits,
            Machine::WholeBytes => bits.next_multiple_of(BYTE),
        }
    }

    fn ty(self, ty: &Type) -> Type {
        match ty {
            Type::Word(bits) => Type::Word(self.held(*bits)),
            Type::Array(array) => Type::Array(ArrayType { width: self.held(array.width), dims: array.dims.clone() }),
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
        let machine = Machine::read(settings)?;
        match machine {
            Machine::Register(width) => {
                inline_calls::InlineCalls.run(program, settings)?;
                lower_linear::LowerLinear.run(program, settings)?;
                for function in &mut program.functions {
                    whole_products::by_halves(function, width);
                }
                for function in &program.functions {
                    fits(program, function, width)?;
                }
            }
            Machine::WholeBytes => {
                if !whole_bytes::changes(program) {
                    return Ok(());
                }
                whole_bytes::prepare(program, settings)?;
            }
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
fn fits(program: &Program, function: &Function, width: u8) -> Result<(), Diagnostic> {
    let refused = |name: &str, bits: u8| {
        let message = format!("`{name}` has {bits} bits, a register {width}");
        Diagnostic::new("S052", message).help("`machine-words` before it splits wider words")
    };
    if let Some(ty) = function.results.iter().find(|ty| ty.width() > width) {
        return Err(refused(&function.name, ty.width()));
    }
    let mut found = None;
    let mut look = |v: ValueId, places: &[Place]| {
        let data = &function.values[v.0 as usize];
        if data.ty.width() > width && found.is_none() {
            found = Some(refused(&data.name, data.ty.width()).at(program, places));
        }
    };
    function.params.iter().for_each(|&param| look(param, &[]));
    for_each_op(&function.body, &mut |op| op.results.iter().for_each(|&result| look(result, &op.places)));
    found.map_or(Ok(()), Err)
}

fn widened(function: &mut Function, machine: Machine) {
    let mut widths: Vec<u8> = function.values.iter().map(|v| if let Type::Word(w) = v.ty { w } else { 0 }).collect();
    let stays = match machine {
        Machine::Register(_) => Vec::new(),
        Machine::WholeBytes => whole_bytes::in_addresses_alone(function),
    };
    for (number, value) in function.values.iter_mut().enumerate() {
        if !stays.get(number).is_some_and(|stays| *stays) {
            value.ty = machine.ty(&value.ty);
        }
    }
    for ty in &mut function.results {
        *ty = machine.ty(ty);
    }
    rewrite(function, &mut |r, op| {
        let widths = &mut widths;
        match machine {
            Machine::Register(width) => operations::Widening { width, widths, r }.operation(op),
            Machine::WholeBytes => whole_bytes::operation(widths, r, op),
        }
    });
    super::dce::clean(function);
}
