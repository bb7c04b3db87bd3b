//! Orders of bytes in which a matrix is alike in all bytes of a word.
//!
//! What a program of exclusive ors, rotations and doublings computes does not change if all operands are rotated by the same
//! number of bytes and the results back. So bytes can lie in words only along the cycles of an order of rows and columns
//! that leaves the matrix as it is, all cycles as long as a word. These orders are all found; there is no other.

use std::collections::BTreeSet;

use super::same::{for_each_order, Order};
use super::word::Lane;

/// What lies in the words, word after word, the least significant byte first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrangement {
    /// The column of the matrix that each input byte is.
    pub inputs: Vec<usize>,
    /// The row that each byte of the result is.
    pub outputs: Vec<usize>,
}

/// Most orders that are looked at.
const MOST_ORDERS: u64 = 1 << 20;

/// Every arrangement in words of `bytes` bytes: for each group of orders, the inputs rotated against each other in every way.
///
/// The second result says whether all orders were looked at: a matrix with much symmetry has too many.
#[must_use]
pub fn arrangements(rows: &[Lane], columns: usize, is_binary: bool, bytes: usize) -> (Vec<Arrangement>, bool) {
    let mut looked_at = 0;
    let mut seen: BTreeSet<Vec<Vec<usize>>> = BTreeSet::new();
    let mut found = Vec::new();
    for_each_order(rows, rows, columns, is_binary, &mut |order: &Order| {
        let cycles = [cycles(&order.columns), cycles(&order.rows)];
        let fits = cycles.iter().flatten().all(|cycle| cycle.len() == bytes);
        if fits && seen.insert(group(order, bytes)) {
            let [inputs, outputs] = cycles;
            found.extend(rotated(&inputs).into_iter().map(|inputs| Arrangement { inputs, outputs: outputs.concat() }));
        }
        looked_at += 1;
        looked_at == MOST_ORDERS
    });
    (found, looked_at < MOST_ORDERS)
}

fn cycles(order: &[usize]) -> Vec<Vec<usize>> {
    let mut is_known = vec![false; order.len()];
    let mut all = Vec::new();
    for start in 0..order.len() {
        let (mut cycle, mut at) = (Vec::new(), start);
        while !is_known[at] {
            is_known[at] = true;
            cycle.push(at);
            at = order[at];
        }
        if !cycle.is_empty() {
            all.push(cycle);
        }
    }
    all
}

/// The powers of an order, in order: orders of the same group give the same programs.
fn group(order: &Order, bytes: usize) -> Vec<Vec<usize>> {
    let step: Vec<usize> =
        order.columns.iter().copied().chain(order.rows.iter().map(|r| r + order.columns.len())).collect();
    let mut powers = vec![step.clone()];
    for n in 2..bytes {
        let next = powers[n - 2].iter().map(|&at| step[at]).collect();
        powers.push(next);
    }
    powers.sort();
    powers
}

/// The words after one another, all but the first rotated in every way.
fn rotated(words: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![words[0].clone()];
    for word in &words[1..] {
        let turned = |by: usize| word[by..].iter().chain(&word[..by]).copied();
        all =
            all.iter().flat_map(|o| (0..word.len()).map(|by| o.iter().copied().chain(turned(by)).collect())).collect();
    }
    all
}
