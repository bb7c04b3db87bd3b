//! One step on a file of words.

use super::evaluate::{lane, shift_left, shift_right};
use super::{bytes, field, ones, rotate_left, sign_extend, Fault, Function, Memory, Operator};

/// An index into the file of words.
pub type Slot = u16;

/// One step; the first slot is the one written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Step {
    Number(Slot, u64),
    Move(Slot, Slot),
    Not(Slot, Slot),
    Add(Slot, Slot, Slot),
    Sub(Slot, Slot, Slot),
    Mul(Slot, Slot, Slot),
    And(Slot, Slot, Slot),
    Or(Slot, Slot, Slot),
    Xor(Slot, Slot, Slot),
    /// `x & ~y`
    AndNot(Slot, Slot, Slot),
    Shl(Slot, Slot, Slot),
    Shr(Slot, Slot, Slot),
    Eq(Slot, Slot, Slot),
    Ne(Slot, Slot, Slot),
    Lt(Slot, Slot, Slot),
    Le(Slot, Slot, Slot),
    /// `x + number`
    AddNumber(Slot, Slot, u64),
    /// `x & number`
    AndNumber(Slot, Slot, u64),
    /// `x << n`, n below 64
    ShlNumber(Slot, Slot, u8),
    /// `(x << n) + y`, n below 64
    ShlAdd(Slot, Slot, u8, Slot),
    /// `field(x, position, length)`, known position below 64 and mask
    FieldNumber(Slot, Slot, u8, u64),
    /// `rotl(x, n, 32)`, n below 32
    Rotate32(Slot, Slot, u8),
    Select(Slot, Slot, Slot, Slot),
    Field(Slot, Slot, Slot, Slot),
    Ones(Slot, Slot),
    SignExtend(Slot, Slot, Slot),
    RotateLeft(Slot, Slot, Slot, Slot),
    RotateRight(Slot, Slot, Slot, Slot),
    Lane(Slot, Slot, Slot),
    /// Four slots.
    Lanes(Slot, [Slot; 4]),
    Popcount(Slot, Slot),
    Bytes(Slot, Slot),
    /// Result, address, bytes.
    Load(Slot, Slot, u8),
    /// Address, value, bytes.
    Store(Slot, Slot, u8),
}

impl Step {
    /// Runs the step on a file of words; the simulators keep the steps of a whole text in one row.
    #[inline]
    pub(crate) fn run<M: Memory + ?Sized>(self, f: &mut [u64], memory: &mut M) -> Result<(), Fault> {
        let at = |slot: Slot| f[slot as usize];
        let (d, value) = match self {
            Step::Number(d, n) => (d, n),
            Step::Move(d, x) => (d, at(x)),
            Step::Not(d, x) => (d, !at(x)),
            Step::Add(d, x, y) => (d, at(x).wrapping_add(at(y))),
            Step::Sub(d, x, y) => (d, at(x).wrapping_sub(at(y))),
            Step::Mul(d, x, y) => (d, at(x).wrapping_mul(at(y))),
            Step::And(d, x, y) => (d, at(x) & at(y)),
            Step::Or(d, x, y) => (d, at(x) | at(y)),
            Step::Xor(d, x, y) => (d, at(x) ^ at(y)),
            Step::AndNot(d, x, y) => (d, at(x) & !at(y)),
            Step::Shl(d, x, y) => (d, shift_left(at(x), at(y))),
            Step::Shr(d, x, y) => (d, shift_right(at(x), at(y))),
            Step::Eq(d, x, y) => (d, u64::from(at(x) == at(y))),
            Step::Ne(d, x, y) => (d, u64::from(at(x) != at(y))),
            Step::Lt(d, x, y) => (d, u64::from(at(x) < at(y))),
            Step::Le(d, x, y) => (d, u64::from(at(x) <= at(y))),
            Step::AddNumber(d, x, n) => (d, at(x).wrapping_add(n)),
            Step::AndNumber(d, x, n) => (d, at(x) & n),
            Step::ShlNumber(d, x, n) => (d, at(x) << (n & 63)),
            Step::ShlAdd(d, x, n, y) => (d, (at(x) << (n & 63)).wrapping_add(at(y))),
            Step::FieldNumber(d, x, position, mask) => (d, at(x) >> (position & 63) & mask),
            Step::Rotate32(d, x, n) => (d, u64::from((at(x) as u32).rotate_left(u32::from(n)))),
            Step::Select(d, c, x, y) => (d, if at(c) != 0 { at(x) } else { at(y) }),
            Step::Field(d, x, position, length) => (d, field(at(x), at(position), at(length))),
            Step::Ones(d, x) => (d, ones(at(x))),
            Step::SignExtend(d, x, n) => (d, sign_extend(at(x), at(n))),
            Step::RotateLeft(d, x, n, w) => (d, rotate_left(at(x), at(n), at(w))),
            Step::RotateRight(d, x, n, w) => (d, super::call(Function::RotateRight, &[at(x), at(n), at(w)])),
            Step::Lane(d, x, i) => (d, lane(at(x), at(i))),
            Step::Lanes(d, x) => (d, (0..4).fold(0, |word, i| word | (at(x[i]) & 0xffff) << (16 * i))),
            Step::Popcount(d, x) => (d, u64::from(at(x).count_ones())),
            Step::Bytes(d, x) => (d, bytes(at(x))),
            Step::Load(d, address, size) => (d, memory.load(at(address), size)?),
            Step::Store(address, value, size) => return memory.store(at(address), size, at(value)),
        };
        f[d as usize] = value;
        Ok(())
    }
}

/// The step of an operator.
pub(super) fn generic(operator: Operator, d: Slot, x: Slot, y: Slot) -> Step {
    match operator {
        Operator::Add => Step::Add(d, x, y),
        Operator::Sub => Step::Sub(d, x, y),
        Operator::Mul => Step::Mul(d, x, y),
        Operator::And => Step::And(d, x, y),
        Operator::Or => Step::Or(d, x, y),
        Operator::Xor => Step::Xor(d, x, y),
        Operator::Shl => Step::Shl(d, x, y),
        Operator::Shr => Step::Shr(d, x, y),
        Operator::Eq => Step::Eq(d, x, y),
        Operator::Ne => Step::Ne(d, x, y),
        Operator::Lt => Step::Lt(d, x, y),
        Operator::Le => Step::Le(d, x, y),
    }
}

/// The step of a function.
pub(super) fn generic_call(function: Function, d: Slot, x: &[Slot]) -> Step {
    match function {
        Function::Load(bits) => Step::Load(d, x[0], bits / 8),
        Function::Field => Step::Field(d, x[0], x[1], x[2]),
        Function::Ones => Step::Ones(d, x[0]),
        Function::SignExtend => Step::SignExtend(d, x[0], x[1]),
        Function::RotateLeft => Step::RotateLeft(d, x[0], x[1], x[2]),
        Function::RotateRight => Step::RotateRight(d, x[0], x[1], x[2]),
        Function::Lane => Step::Lane(d, x[0], x[1]),
        Function::Lanes => Step::Lanes(d, [x[0], x[1], x[2], x[3]]),
        Function::Popcount => Step::Popcount(d, x[0]),
        Function::Bytes => Step::Bytes(d, x[0]),
    }
}

impl Step {
    /// The slot that it writes; `None` for a store.
    pub(super) fn target(&mut self) -> Option<&mut Slot> {
        match self {
            Step::Number(d, _)
            | Step::Move(d, _)
            | Step::Not(d, _)
            | Step::Ones(d, _)
            | Step::Popcount(d, _)
            | Step::Bytes(d, _)
            | Step::AddNumber(d, ..)
            | Step::AndNumber(d, ..)
            | Step::ShlNumber(d, ..)
            | Step::ShlAdd(d, ..)
            | Step::FieldNumber(d, ..)
            | Step::Rotate32(d, ..)
            | Step::Load(d, ..)
            | Step::Lanes(d, _) => Some(d),
            Step::Add(d, ..)
            | Step::Sub(d, ..)
            | Step::Mul(d, ..)
            | Step::And(d, ..)
            | Step::Or(d, ..)
            | Step::Xor(d, ..)
            | Step::AndNot(d, ..)
            | Step::Shl(d, ..)
            | Step::Shr(d, ..)
            | Step::Eq(d, ..)
            | Step::Ne(d, ..)
            | Step::Lt(d, ..)
            | Step::Le(d, ..)
            | Step::Select(d, ..)
            | Step::Field(d, ..)
            | Step::SignExtend(d, ..)
            | Step::RotateLeft(d, ..)
            | Step::RotateRight(d, ..)
            | Step::Lane(d, ..) => Some(d),
            Step::Store(..) => None,
        }
    }
}
