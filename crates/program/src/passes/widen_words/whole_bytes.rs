//! Words of whole bytes: an operation is done in the word that holds its result.

use super::operations::Widening;
use super::BYTE;
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Function, Op, OpKind, Operand, Program, Shift, Type, ValueId};
use crate::passes::machine_words::amounts::of_odd_rotations;
use crate::passes::rewrite::Rewriter;
use crate::passes::{lower_linear, Pass, Settings};
use crate::semantics::mask;
use crate::walk::{for_each_op, use_counts};

/// Whether a word is more than a byte, but no whole bytes.
fn is_odd(bits: u8) -> bool {
    bits > BYTE && bits % BYTE != 0
}

/// Whether the pass has something to do: a word, an array, a table or a rotation by a word, of a width with a remainder.
pub fn changes(program: &Program) -> bool {
    let mut found = program.tables.iter().any(|table| is_odd(table.width));
    for function in &program.functions {
        let stays = in_addresses_alone(function);
        let values = function.values.iter().zip(&stays).filter(|(_, &stays)| !stays).map(|(v, _)| &v.ty);
        found |= values.chain(&function.results).any(|ty| is_odd(ty.width()));
        for_each_op(&function.body, &mut |op| {
            let rotation = matches!(op.kind, OpKind::Shift(Shift::Rotl | Shift::Rotr, _, Operand::Value(_)));
            found |= rotation && !function.values[op.results[0].0 as usize].ty.width().is_power_of_two();
        });
    }
    found
}

/// Fields and concatenations that only addresses read, by the numbers of values: `split-words` leaves them as they are.
pub fn in_addresses_alone(function: &Function) -> Vec<bool> {
    let mut uses = use_counts(function);
    let mut made = vec![false; uses.len()];
    for_each_op(&function.body, &mut |op| {
        match &op.kind {
            OpKind::Extract(..) | OpKind::Concat(_) => made[op.results[0].0 as usize] = true,
            OpKind::Lookup(_, address) => read(std::slice::from_ref(address), &mut uses),
            OpKind::Load(_, addresses) | OpKind::Store(_, addresses, _) => read(addresses, &mut uses),
            _ => {}
        };
    });
    made.into_iter().zip(uses).map(|(made, uses)| made && uses == 0).collect()
}

fn read(addresses: &[Address], uses: &mut [u32]) {
    addresses.iter().flat_map(|address| &address.affine.terms).for_each(|(_, v)| uses[v.0 as usize] -= 1);
}

/// Writes out what has no meaning in a wider word: products of matrices in fields of odd degrees, rotations by words.
pub fn prepare(program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
    let mut products = false;
    for function in &mut program.functions {
        of_odd_rotations(function);
        for_each_op(&function.body, &mut |op| {
            products |=
                matches!(op.kind, OpKind::Linear(..)) && is_odd(function.values[op.results[0].0 as usize].ty.width());
        });
    }
    if products {
        lower_linear::LowerLinear.run(program, settings)?;
    }
    Ok(())
}

/// See the text of `widen-words`; `widths` are those that words had.
pub fn operation(widths: &mut Vec<u8>, r: &mut Rewriter<'_>, op: Op) {
    let Some(&result) = op.results.first() else { return r.keep(op) };
    let width = r.builder.ty(result).width();
    let mut widening = Widening { width, widths, r };
    match &op.kind {
        OpKind::Extract(a, position) => widening.bytes_of_field(&op, *a, *position),
        OpKind::Concat(parts) => widening.bytes_joined(&op, parts),
        OpKind::Compare(..) | OpKind::Select(..) => widening.r.keep(op),
        _ => widening.operation(op),
    }
}

impl Widening<'_, '_> {
    /// A field is its bytes, and zeros above them.
    fn bytes_of_field(&mut self, op: &Op, a: Operand, position: u8) {
        let bits = self.bits(op.results[0]);
        if !is_odd(bits) || self.width == bits {
            return self.r.keep(op.clone());
        }
        let kind = match a {
            Operand::Const(number) => OpKind::Const(number >> position & mask(bits)),
            Operand::Value(_) => {
                let pieces = self.pieces(a, position, bits);
                OpKind::Concat(self.filled(pieces, bits))
            }
        };
        self.r.keep(Op { kind, ..op.clone() });
    }

    /// Parts of odd widths go in as their bytes.
    fn bytes_joined(&mut self, op: &Op, parts: &[ValueId]) {
        let bits = self.bits(op.results[0]);
        let mut pieces = Vec::new();
        for &part in parts {
            let size = self.bits(part);
            if is_odd(size) {
                pieces.extend(self.pieces(Operand::Value(part), 0, size));
            } else {
                pieces.push(part);
            }
        }
        let kind = OpKind::Concat(self.filled(pieces, bits));
        self.r.keep(Op { kind, ..op.clone() });
    }

    /// Fields of a byte at most, the lowest first.
    fn pieces(&mut self, a: Operand, position: u8, bits: u8) -> Vec<ValueId> {
        let starts = (0..bits).step_by(BYTE.into());
        starts.map(|at| self.r.op("", Type::Word(BYTE.min(bits - at)), OpKind::Extract(a, position + at))).collect()
    }

    /// Parts of so many bits, with zeros up to whole bytes.
    fn filled(&mut self, mut parts: Vec<ValueId>, bits: u8) -> Vec<ValueId> {
        if self.width > bits {
            parts.push(self.r.op("", Type::Word(self.width - bits), OpKind::Const(0)));
        }
        parts
    }
}
