//! What a program has to compute: words in a fixed order, up to rotation, or in any order of bytes.

use std::collections::HashSet;

use super::same::{order_of, Order};
use super::word::{rotate, Lane, Word};

/// What is asked for.
pub enum Goal<const L: usize> {
    /// These words.
    Exact(Vec<Word<L>>),
    /// Each of these words, rotated by any number of bytes.
    Rotated(Vec<Word<L>>),
    /// Words that hold the rows in any order, the inputs in any order.
    Free(FreeMatrix),
}

/// The matrix whose order is free.
pub struct FreeMatrix {
    pub rows: Vec<Lane>,
    pub columns: usize,
    /// Number of words of the result.
    pub words: usize,
    pub is_binary: bool,
    /// What rows have irrespective of the order of columns.
    signatures: HashSet<Lane>,
}

impl FreeMatrix {
    pub fn new(rows: Vec<Lane>, columns: usize, words: usize, is_binary: bool) -> Self {
        let signatures = rows.iter().map(|&r| signature(r, is_binary)).collect();
        FreeMatrix { rows, columns, words, is_binary, signatures }
    }
}

/// The number of terms, or the factors in order of size.
fn signature(row: Lane, is_binary: bool) -> Lane {
    if is_binary {
        return Lane::from(row.count_ones());
    }
    let mut factors = row.to_le_bytes();
    factors.sort_unstable();
    Lane::from_le_bytes(factors)
}

/// The result: for each word of it the value that it is, and the order if it was free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalMatch {
    pub outputs: Vec<usize>,
    pub order: Option<Order>,
}

impl<const L: usize> Goal<L> {
    /// Words of the result.
    pub fn words(&self) -> usize {
        match self {
            Goal::Exact(words) | Goal::Rotated(words) => words.len(),
            Goal::Free(free) => free.words,
        }
    }

    /// The words of the result that a value may be, as a set.
    pub fn served(&self, word: &Word<L>) -> u64 {
        let set = |fits: &dyn Fn(&Word<L>) -> bool, words: &[Word<L>]| {
            words.iter().enumerate().filter(|(_, w)| fits(w)).fold(0, |set, (n, _)| set | 1 << n)
        };
        match self {
            Goal::Exact(words) => set(&|w| w == word, words),
            Goal::Rotated(words) => set(&|w| (0..L).any(|k| rotate(w, k) == *word), words),
            Goal::Free(free) => {
                let fits = word.iter().all(|&l| l != 0 && free.signatures.contains(&signature(l, free.is_binary)));
                u64::from(fits) * ((1 << free.words) - 1)
            }
        }
    }

    /// Words of the result that values which serve these sets leave open, at least.
    pub fn open(&self, served: &[u64]) -> usize {
        match self {
            Goal::Free(free) => free.words.saturating_sub(served.iter().filter(|&&s| s != 0).count()),
            _ => self.words() - served.iter().fold(0, |all, s| all | s).count_ones() as usize,
        }
    }

    /// The result, if values hold it; `served` goes with `known`.
    pub fn reached(&self, known: &[Word<L>], served: &[u64]) -> Option<GoalMatch> {
        let fitting: Vec<usize> = (0..known.len()).filter(|&n| served[n] != 0).collect();
        let Goal::Free(free) = self else {
            let of = |class: usize| fitting.iter().copied().find(|&n| served[n] >> class & 1 == 1);
            let outputs: Option<Vec<usize>> = (0..self.words()).map(of).collect();
            return outputs.map(|outputs| GoalMatch { outputs, order: None });
        };
        subsets(&fitting, free.words).into_iter().find_map(|outputs| {
            let rows: Vec<Lane> = outputs.iter().flat_map(|&n| known[n]).collect();
            order_of(&rows, &free.rows, free.columns, free.is_binary)
                .map(|order| GoalMatch { outputs, order: Some(order) })
        })
    }
}

/// Every choice of so many, each in increasing order.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (n, &first) in of.iter().enumerate() {
        for mut rest in subsets(&of[n + 1..], size - 1) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}
