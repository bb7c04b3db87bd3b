//! Amounts of shifts and rotations that are words.

use crate::ir::{Binary, Compare, Function, Op, OpKind, Operand, Shift, Type, ValueId};
use crate::passes::rewrite::{rewrite, Rewriter};

/// Bits in which an amount is reduced: enough for the sum of the bytes of 64 bits, each by less than 64.
const WORK: u8 = 32;

/// Writes rotations in words whose width is no power of two as two shifts by the amount modulo the width.
pub fn of_odd_rotations(function: &mut Function) {
    let odd = |op: &Op, ty: &Type| match (&op.kind, ty) {
        (OpKind::Shift(Shift::Rotl | Shift::Rotr, _, Operand::Value(_)), Type::Word(w)) => !w.is_power_of_two(),
        _ => false,
    };
    rewrite(function, &mut |r, op| match op.results.first().map(|&v| r.builder.ty(v).clone()) {
        Some(ty) if odd(&op, &ty) => rotated(r, &op),
        _ => r.keep(op),
    });
}

/// Cuts amounts to words of a width; where a bit above is set, a shift leaves nothing.
pub fn within_registers(function: &mut Function, machine: u8) {
    rewrite(function, &mut |r, op| {
        let OpKind::Shift(which, a, Operand::Value(amount)) = op.kind else { return r.keep(op) };
        let (Type::Word(width), Type::Word(bits)) = (r.builder.ty(op.results[0]).clone(), r.builder.ty(amount).clone())
        else {
            return r.keep(op);
        };
        if bits <= machine {
            return r.keep(op);
        }
        let low = r.word(machine, OpKind::Extract(Operand::Value(amount), 0));
        if matches!(which, Shift::Rotl | Shift::Rotr) {
            return r.keep(Op { kind: OpKind::Shift(which, a, low), ..op });
        }
        let high = r.word(bits - machine, OpKind::Extract(Operand::Value(amount), machine));
        let few = r.word(1, OpKind::Compare(Compare::Eq, high, Operand::Const(0)));
        let shifted = r.word(width, OpKind::Shift(which, a, low));
        r.keep(Op { kind: OpKind::Select(few, shifted, Operand::Const(0)), ..op });
    });
}

fn rotated(r: &mut Rewriter<'_>, op: &Op) {
    let OpKind::Shift(which, a, Operand::Value(amount)) = op.kind else { return };
    let Type::Word(width) = *r.builder.ty(op.results[0]) else { return };
    let amount = modulo(r, amount, width);
    let other = r.word(8, OpKind::Binary(Binary::Sub, Operand::Const(width.into()), amount));
    let (left, right) = if which == Shift::Rotl { (amount, other) } else { (other, amount) };
    let left = r.word(width, OpKind::Shift(Shift::Shl, a, left));
    let right = r.word(width, OpKind::Shift(Shift::Shr, a, right));
    r.keep(Op { kind: OpKind::Binary(Binary::Or, left, right), ..op.clone() });
}

/// A word of 8 bits that is another modulo a width.
///
/// Identity: the bytes b of a word x give x modulo w as the sum of b (256^k modulo w). What that sum exceeds w by goes in steps.
fn modulo(r: &mut Rewriter<'_>, amount: ValueId, width: u8) -> Operand {
    let Type::Word(bits) = *r.builder.ty(amount) else { return Operand::Const(0) };
    let mut most = if bits < 64 { (1u64 << bits) - 1 } else { u64::MAX };
    let mut x = Operand::Value(amount);
    if bits < WORK {
        x = r.word(WORK, OpKind::Zext(amount));
    }
    let mut size = bits.max(WORK);
    while most >= 1 << 16 {
        (x, most) = folded(r, x, most, size, width);
        size = WORK;
    }
    let mut step = u64::from(width) << (63 - most.leading_zeros());
    while step >= width.into() {
        if step <= most {
            let below = r.word(1, OpKind::Compare(Compare::Ltu, x, Operand::Const(step)));
            let less = r.word(WORK, OpKind::Binary(Binary::Sub, x, Operand::Const(step)));
            x = r.word(WORK, OpKind::Select(below, x, less));
            most = most.min(step.max(most - step + 1) - 1).max(u64::from(width) - 1);
        }
        step >>= 1;
    }
    r.word(8, OpKind::Extract(x, 0))
}

/// The sum of the bytes of a word, each times what its place is modulo the width, and the most that it can be.
fn folded(r: &mut Rewriter<'_>, x: Operand, most: u64, size: u8, width: u8) -> (Operand, u64) {
    let (mut sum, mut greatest, mut factor) = (Operand::Const(0), 0, 1);
    let bytes = (64 - most.leading_zeros()).div_ceil(8) as u8;
    for k in 0..bytes {
        let length = 8.min(size - 8 * k);
        let byte = r.op("", Type::Word(length), OpKind::Extract(x, 8 * k));
        let byte = r.word(WORK, OpKind::Zext(byte));
        let part = r.word(WORK, OpKind::Binary(Binary::Mul, byte, Operand::Const(factor)));
        sum = r.word(WORK, OpKind::Binary(Binary::Add, sum, part));
        greatest += 255 * factor;
        factor = factor * 256 % u64::from(width);
    }
    (sum, greatest)
}
