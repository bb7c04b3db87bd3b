//! Greedy by distance (Boyar and Peralta 2010), with cancellation, for up to 20 inputs.
//!
//! The distance of a target is the number of XORs that it alone still needs. It is exact: a table holds, for every sum
//! of inputs, the least number of known wires that add up to it. With one more wire `c` the number for `v` becomes the
//! smaller of the old one and one more than the old one for `v + c`, so a table is kept up to date in one pass.

use crate::linear::matrix::Matrix;
use crate::random::Random;

/// How a greedy run chooses among pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Least sum of distances, then largest Euclidean norm, then at random.
    Norm,
    /// Least sum of distances, then at random.
    Random,
    /// Any pair that brings some target nearer, the more the likelier (Tan and Peyrin 2020).
    Loose,
}

/// Most inputs for which the table is kept.
pub const MOST_INPUTS: usize = 20;

/// The sums that the greedy run adds, targets among them.
#[must_use]
pub fn greedy(matrix: &Matrix, choice: Choice, random: &mut Random) -> Vec<u128> {
    let mut run = Run::new(matrix);
    while run.open().next().is_some() {
        let sum = run.reached().unwrap_or_else(|| run.choose(choice, random));
        run.add(sum);
    }
    run.known.split_off(matrix.inputs)
}

struct Run {
    targets: Vec<u128>,
    known: Vec<u128>,
    /// Least number of known wires for each sum.
    terms: Vec<u8>,
}

impl Run {
    fn new(matrix: &Matrix) -> Self {
        let terms = (0..1usize << matrix.inputs).map(|v| v.count_ones() as u8).collect();
        Run { targets: matrix.targets(), known: (0..matrix.inputs).map(|k| 1 << k).collect(), terms }
    }

    fn terms(&self, sum: u128) -> u8 {
        self.terms[sum as usize]
    }

    fn open(&self) -> impl Iterator<Item = u128> + '_ {
        self.targets.iter().copied().filter(|&t| self.terms(t) > 1)
    }

    /// A target that is the sum of two known wires.
    fn reached(&self) -> Option<u128> {
        self.open().find(|&t| self.terms(t) == 2)
    }

    fn add(&mut self, sum: u128) {
        self.known.push(sum);
        let c = sum as usize;
        let low = 1usize << (usize::BITS - 1 - c.leading_zeros());
        // Pairs (v, v + c) are visited once each: v without the highest bit of c.
        for block in (0..self.terms.len()).step_by(2 * low) {
            for v in block..block + low {
                let (a, b) = (self.terms[v], self.terms[v ^ c]);
                self.terms[v] = a.min(b + 1);
                self.terms[v ^ c] = b.min(a + 1);
            }
        }
    }

    fn choose(&self, choice: Choice, random: &mut Random) -> u128 {
        let open: Vec<(u128, u8)> = self.open().map(|t| (t, self.terms(t))).collect();
        let mut best: Vec<u128> = Vec::new();
        let mut best_key = (u32::MAX, 0);
        for (i, &a) in self.known.iter().enumerate() {
            for &b in &self.known[i + 1..] {
                let sum = a ^ b;
                let (mut total, mut norm) = (0, 0);
                for &(target, terms) in &open {
                    let now = u32::from(terms.min(self.terms(target ^ sum) + 1)) - 1;
                    total += now;
                    norm += now * now;
                }
                let key = match choice {
                    Choice::Norm => (total, u32::MAX - norm),
                    Choice::Random => (total, 0),
                    Choice::Loose => (total + loosening(random), 0),
                };
                if key < best_key {
                    best_key = key;
                    best.clear();
                }
                if key == best_key {
                    best.push(sum);
                }
            }
        }
        random.pick(&best)
    }
}

/// 0 mostly, 1 now and then: lets a pair win that is not the nearest.
fn loosening(random: &mut Random) -> u32 {
    u32::from(random.below(4) == 0)
}
