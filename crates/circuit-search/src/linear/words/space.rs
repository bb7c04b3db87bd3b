//! What a machine offers: its operations, and all results of one operation.

use serde::{Deserialize, Serialize};

use super::word::{down, mask, rotate, up, xor, Field, Word};

/// One operation of a program; operands are numbers of values, first the inputs, then the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The sum of two values.
    Xor(usize, usize),
    /// The sum of a value and another, which is rotated by so many bytes to the more significant end.
    XorRotated(usize, usize, u8),
    /// A value rotated by bytes to the more significant end.
    Rotate(usize, u8),
    /// A value shifted by bytes to the more significant end.
    Up(usize, u8),
    /// A value shifted by bytes to the less significant end.
    Down(usize, u8),
    /// The bytes of a set.
    Mask(usize, u8),
    /// Every byte times x.
    Double(usize),
    /// Every byte by x.
    Halve(usize),
}

impl Step {
    /// The same with values numbered otherwise.
    #[must_use]
    pub fn renumbered(self, to: &[usize]) -> Self {
        match self {
            Step::Xor(a, b) => Step::Xor(to[a], to[b]),
            Step::XorRotated(a, b, k) => Step::XorRotated(to[a], to[b], k),
            Step::Rotate(a, k) => Step::Rotate(to[a], k),
            Step::Up(a, k) => Step::Up(to[a], k),
            Step::Down(a, k) => Step::Down(to[a], k),
            Step::Mask(a, m) => Step::Mask(to[a], m),
            Step::Double(a) => Step::Double(to[a]),
            Step::Halve(a) => Step::Halve(to[a]),
        }
    }
}

/// An operation of a machine, with one amount or set of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Operation {
    /// `xor`, `xor_rotated`, `rotate`, `up`, `down`, `mask`, `double` or `halve`.
    pub kind: String,
    /// Bytes, or the set of bytes that stay; 0 where there is none.
    #[serde(default)]
    pub amount: u8,
    /// Cycles to the result.
    pub latency: u32,
    /// Issue slots that it takes, from its cycle on.
    pub slots: u32,
    /// Its group of operations that are limited together; absent: unlimited.
    #[serde(default)]
    pub group: Option<usize>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Machine {
    /// Slots of a cycle.
    pub issue: u32,
    /// What it offers.
    pub operations: Vec<Operation>,
    /// For each group how many operations may start in a cycle.
    pub groups: Vec<u32>,
}

impl Machine {
    /// Whether nothing that it offers tells one byte of a word from another.
    #[must_use]
    pub fn is_alike_in_all_bytes(&self) -> bool {
        !self.operations.iter().any(|o| matches!(o.kind.as_str(), "up" | "down" | "mask"))
    }
}

/// All results of one operation on words of `L` bytes.
pub struct Space<'a, const L: usize> {
    pub machine: &'a Machine,
    field: Field,
}

/// A result, how it comes about, and the number of the machine's operation.
pub type Candidate<const L: usize> = (Word<L>, Step, usize);

impl<'a, const L: usize> Space<'a, L> {
    pub fn new(machine: &'a Machine, polynomial: u64) -> Self {
        Space { machine, field: Field(polynomial as u16) }
    }

    /// Every result that needs value `n`, of the values known up to it.
    pub fn results(&self, known: &[Word<L>], n: usize, mut give: impl FnMut(Candidate<L>)) {
        for (number, operation) in self.machine.operations.iter().enumerate() {
            let amount = operation.amount;
            let mut step = |step: Step| give((self.result(known, step), step, number));
            match operation.kind.as_str() {
                "xor" => (0..n).for_each(|m| step(Step::Xor(m, n))),
                "xor_rotated" => {
                    (0..=n).for_each(|m| step(Step::XorRotated(m, n, amount)));
                    (0..n).for_each(|m| step(Step::XorRotated(n, m, amount)));
                }
                "rotate" => step(Step::Rotate(n, amount)),
                "up" => step(Step::Up(n, amount)),
                "down" => step(Step::Down(n, amount)),
                "mask" => step(Step::Mask(n, amount)),
                "double" => step(Step::Double(n)),
                _ => step(Step::Halve(n)),
            }
        }
    }

    /// The result of a step.
    pub fn result(&self, known: &[Word<L>], step: Step) -> Word<L> {
        match step {
            Step::Xor(a, b) => xor(&known[a], &known[b]),
            Step::XorRotated(a, b, k) => xor(&known[a], &rotate(&known[b], usize::from(k))),
            Step::Rotate(a, k) => rotate(&known[a], usize::from(k)),
            Step::Up(a, k) => up(&known[a], usize::from(k)),
            Step::Down(a, k) => down(&known[a], usize::from(k)),
            Step::Mask(a, kept) => mask(&known[a], kept),
            Step::Double(a) => known[a].map(|lane| self.field.double(lane)),
            Step::Halve(a) => known[a].map(|lane| self.field.halve(lane)),
        }
    }
}
