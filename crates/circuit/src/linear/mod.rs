//! Short straight-line programs of XORs for GF(2) matrices.
//!
//! Greedy runs ([`paar`], [`greedy`]) give starting points, a local search over sets of sums ([`walk`]) improves them,
//! with a bound on the depth of each output if asked. [`exhaustive`] settles tiny matrices, [`wide`] serves those of
//! hundreds of columns.

pub mod exhaustive;
pub mod greedy;
pub mod matrix;
pub mod paar;
pub mod program;
pub mod vectors;
pub mod walk;
pub mod wide;

pub use matrix::Matrix;
pub use program::XorProgram;

use crate::fault::Fault;
use crate::random::Random;
use greedy::Choice;
use walk::{Effort, Walk};

/// What to look for and how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// When each input is there; empty: all at 0.
    pub arrival: Vec<u32>,
    /// Latest level of each row; empty: no limit.
    pub limits: Vec<u32>,
    /// Starting points, each from a greedy run of its own.
    pub starts: u64,
    /// Steps of a walk without improvement after which it ends.
    pub patience: u64,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { arrival: Vec::new(), limits: Vec::new(), starts: 8, patience: 20_000, seed: 1 }
    }
}

/// The shortest program met for a matrix, the shallowest among equally short ones.
///
/// # Errors
/// `C113` for a limit that no program can keep: level `d` holds at most `2^(d - a)` inputs that arrive at level `a`.
pub fn minimize(matrix: &Matrix, options: &Options, stopped: &dyn Fn() -> bool) -> Result<XorProgram, Fault> {
    for (n, row) in matrix.rows.iter().enumerate() {
        let (least, limit) = (least_level(*row, &options.arrival), options.limits.get(n).copied());
        if limit.is_some_and(|limit| limit < least) {
            return Err(Fault::new("C113", format!("output {n} cannot be there at level {}", limit.unwrap_or(0)))
                .note(format!("a balanced tree of its inputs has level {least}")));
        }
    }
    let mut best: Option<(usize, u32, XorProgram)> = None;
    for start in 0..options.starts.max(1) {
        if best.is_some() && stopped() {
            break;
        }
        if let Some(program) = attempt(matrix, options, start, stopped) {
            let key = (program.steps.len(), program.depth(&options.arrival));
            if best.as_ref().map_or(true, |b| key < (b.0, b.1)) {
                best = Some((key.0, key.1, program));
            }
        }
    }
    best.map(|b| b.2).ok_or_else(|| Fault::new("C113", "no program keeps the limits"))
}

/// One greedy run and the walk from it; the same for the same matrix, options and number.
#[must_use]
pub fn attempt(matrix: &Matrix, options: &Options, start: u64, stopped: &dyn Fn() -> bool) -> Option<XorProgram> {
    let mut random = Random::new(options.seed.wrapping_mul(0x0100_0000_01b3).wrapping_add(start));
    let bounded = options.limits.iter().any(|&l| l < u32::from(u16::MAX));
    let sums = match start % 4 {
        _ if bounded || matrix.inputs > greedy::MOST_INPUTS => {
            paar::paar(matrix, &options.arrival, &options.limits, &mut random)
        }
        0 => greedy::greedy(matrix, Choice::Norm, &mut random),
        1 => greedy::greedy(matrix, Choice::Random, &mut random),
        2 => greedy::greedy(matrix, Choice::Loose, &mut random),
        _ => paar::paar(matrix, &options.arrival, &options.limits, &mut random),
    };
    let mut walk = Walk::new(matrix, &sums, &options.arrival, &options.limits);
    let effort = Effort { patience: options.patience, slack: usize::from(start % 2 == 1) };
    let sums = walk.run(effort, &mut random, stopped);
    XorProgram::of_sums(matrix, &sums, &options.arrival)
}

/// The level of a balanced tree of a row's inputs.
#[must_use]
pub fn least_level(row: u128, arrival: &[u32]) -> u32 {
    let mut levels: Vec<u32> =
        (0..128).filter(|k| row >> k & 1 == 1).map(|k| arrival.get(k).copied().unwrap_or(0)).collect();
    while levels.len() > 1 {
        levels.sort_unstable_by(|a, b| b.cmp(a));
        let (first, second) = (levels.pop(), levels.pop());
        levels.push(first.max(second).unwrap_or(0) + 1);
    }
    levels.first().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
