//! The fewest sums of a matrix of up to eight columns over GF(2), proved by exhausting sets of sums.
//!
//! A program is the set of sums that it computes. A target that is the sum of two known wires is taken at once, which
//! costs nothing: it has to be computed anyway. Every other sum is a choice; of the sums at hand, the n-th is taken in a
//! branch that never takes one before it, so that no set comes twice.

use serde::Serialize;

use crate::linear::branches::{Branch, Branches};
use circuit::linear::matrix::Matrix;

/// Most columns: a sum is a byte.
pub const MOST_INPUTS: usize = 8;

/// What exhausting one number of sums gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExhaustionResult {
    /// The sums of a program, in order; `None`: there is no program of so many, unless the search was stopped.
    pub sums: Option<Vec<u128>>,
    /// Sets looked at.
    pub nodes: u64,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// Looks for a program of `count` sums or fewer, on so many threads; the result does not depend on them.
///
/// # Panics
/// If the matrix has more than [`MOST_INPUTS`] columns.
#[must_use]
pub fn of_count(
    matrix: &Matrix,
    count: usize,
    threads: usize,
    stopped: &(dyn Fn() -> bool + Sync),
) -> ExhaustionResult {
    assert!(matrix.inputs <= MOST_INPUTS, "a sum is a byte");
    let targets = matrix.targets();
    if targets.len() > count {
        return ExhaustionResult { sums: None, nodes: 0, is_stopped: false };
    }
    let mut start = State { seen: Set::of(&[0]), ..State::default() };
    targets.iter().for_each(|&t| start.open.insert(t as u8));
    for k in 0..matrix.inputs {
        start.seen.insert(1 << k);
        start = start.with(1 << k);
    }
    let found = Branches::run(threads, stopped, |branch| {
        let mut walk = Walk { branch, sums: Vec::new() };
        walk.go(start, count - targets.len(), 0).then(|| walk.sums.iter().map(|&s| u128::from(s)).collect())
    });
    ExhaustionResult { sums: found.result, nodes: found.nodes, is_stopped: found.is_stopped }
}

/// A set of bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Set([u64; 4]);

impl Set {
    fn of(values: &[u8]) -> Self {
        let mut set = Set::default();
        values.iter().for_each(|&v| set.insert(v));
        set
    }

    fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    fn remove(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] &= !(1 << (value & 63));
    }

    fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }

    fn combine(self, other: Set, f: impl Fn(u64, u64) -> u64) -> Set {
        Set([0, 1, 2, 3].map(|n| f(self.0[n], other.0[n])))
    }

    fn and(self, other: Set) -> Set {
        self.combine(other, |a, b| a & b)
    }

    fn or(self, other: Set) -> Set {
        self.combine(other, |a, b| a | b)
    }

    fn without(self, other: Set) -> Set {
        self.combine(other, |a, b| a & !b)
    }

    /// Takes the least member out.
    fn pop(&mut self) -> Option<u8> {
        let n = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[n].trailing_zeros() as u8;
        self.0[n] &= self.0[n] - 1;
        Some((n as u8) << 6 | bit)
    }

    /// The set of all members plus `value`.
    fn plus(self, value: u8) -> Set {
        const LOW: [u64; 6] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0f0f_0f0f_0f0f_0f0f,
            0x00ff_00ff_00ff_00ff,
            0x0000_ffff_0000_ffff,
            0x0000_0000_ffff_ffff,
        ];
        let mut moved = [0, 1, 2, 3].map(|n| self.0[n ^ usize::from(value >> 6)]);
        for (bit, low) in LOW.iter().enumerate().filter(|(bit, _)| value >> bit & 1 == 1) {
            moved = moved.map(|word| (word >> (1 << bit)) & low | (word & low) << (1 << bit));
        }
        Set(moved)
    }
}

#[derive(Clone, Copy, Default)]
struct State {
    known: Set,
    /// Zero, what is known, and every sum of two known wires.
    seen: Set,
    /// Sums that may still be taken.
    pending: Set,
    /// Targets that are not known.
    open: Set,
}

impl State {
    fn with(mut self, sum: u8) -> Self {
        let fresh = self.known.plus(sum).without(self.seen);
        self.known.insert(sum);
        self.pending.remove(sum);
        self.open.remove(sum);
        self.seen = self.seen.or(fresh);
        self.pending = self.pending.or(fresh);
        self
    }

    /// Sums of which one gives an open target at once.
    fn last(&self) -> Set {
        let (mut open, mut near) = (self.open, Set::default());
        while let Some(target) = open.pop() {
            near = near.or(self.known.plus(target));
        }
        near.and(self.pending)
    }
}

struct Walk<'a, 'b> {
    branch: &'a mut Branch<'b>,
    sums: Vec<u8>,
}

impl Walk<'_, '_> {
    fn go(&mut self, mut state: State, free: usize, depth: usize) -> bool {
        if !self.branch.enter(depth) {
            return false;
        }
        let before = self.sums.len();
        while let Some(target) = state.open.and(state.seen).pop() {
            self.sums.push(target);
            state = state.with(target);
        }
        if state.open.is_empty() {
            return true;
        }
        let mut rest = match free {
            0 => Set::default(),
            1 => state.last(),
            _ => state.pending,
        };
        while let Some(sum) = rest.pop() {
            state.pending.remove(sum);
            self.sums.push(sum);
            if self.go(state.with(sum), free - 1, depth + 1) {
                return true;
            }
            self.sums.pop();
        }
        self.sums.truncate(before);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::linear::exhaustive;
    use circuit::random::Random;

    /// E2's P-function, as its specification prints it.
    fn byte_sums() -> Matrix {
        let rows = ["234567", "134678", "124578", "123568", "12456", "12367", "23478", "13458"];
        let row = |r: &str| r.bytes().map(|b| 1u128 << (b - b'1')).sum();
        Matrix::new(8, rows.iter().map(|r| row(r)).collect()).expect("a matrix")
    }

    #[test]
    fn it_agrees_with_the_plain_search() {
        let mut random = Random::new(7);
        for _ in 0..40 {
            let rows = (0..3).map(|_| 1 + random.below(31) as u128).collect();
            let matrix = Matrix::new(5, rows).expect("a matrix");
            let fewest = exhaustive::shortest(&matrix, 8).expect("few sums suffice").len();
            for count in 0..=fewest {
                let found = of_count(&matrix, count, 2, &|| false);
                assert_eq!(found.sums.is_some(), count == fewest, "{matrix:?} with {count}");
            }
        }
    }

    #[test]
    fn thirteen_sums_are_too_few_for_e2() {
        for threads in [1, 2] {
            let found = of_count(&byte_sums(), 13, threads, &|| false);
            assert_eq!((found.sums, found.nodes), (None, 466_282));
        }
    }

    #[test]
    fn it_can_be_stopped() {
        assert!(of_count(&byte_sums(), 15, 2, &|| true).is_stopped);
    }
}
