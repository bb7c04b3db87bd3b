//! Fewest lookups of three inputs that cover a circuit.
//!
//! A lookup computes a gate from at most three wires that cut it off from the inputs (a cut); the gates in between are
//! computed nowhere else. Every output, and every gate on a chosen cut, needs a lookup of its own.

use super::Metrics;
use crate::circuit::{Circuit, Wire};

/// Leaves of a lookup.
const LEAVES: usize = 3;
const MOST_STEPS: u64 = 2_000_000;

pub fn measure(circuit: &Circuit, metrics: &mut Metrics) {
    if circuit.gates.len() > 127 {
        metrics.remarks.push("ternary_count: the circuit is too large".to_owned());
        return;
    }
    let mut search = Search { cuts: cuts(circuit), best: circuit.gates.len() as u32, steps: 0 };
    let needed = circuit.outputs.iter().fold(0u128, |sum, w| sum | gate_bit(*w));
    // Gates of four inputs may have no cut; then there is no cover.
    if search.cuts.iter().any(Vec::is_empty) {
        metrics.remarks.push("ternary_count: a gate has more than three inputs".to_owned());
        return;
    }
    search.cover(needed, 0);
    metrics.count("ternary_count", search.best as usize);
    if search.steps >= MOST_STEPS {
        metrics.remarks.push("ternary_count: not proved to be the least for this circuit".to_owned());
    }
}

fn gate_bit(wire: Wire) -> u128 {
    if let Wire::Gate(n) = wire {
        1 << n
    } else {
        0
    }
}

/// All cuts of each gate, as sorted wires, none containing another.
fn cuts(circuit: &Circuit) -> Vec<Vec<u128>> {
    let mut all: Vec<Vec<Vec<Wire>>> = Vec::new();
    for gate in &circuit.gates {
        let mut merged: Vec<Vec<Wire>> = vec![Vec::new()];
        for &wire in &gate.operands {
            let choices: Vec<Vec<Wire>> = match wire {
                Wire::Gate(n) => all[n].iter().cloned().chain([vec![wire]]).collect(),
                Wire::Input(_) => vec![vec![wire]],
                Wire::Constant(_) => vec![Vec::new()],
            };
            merged = merged.iter().flat_map(|left| choices.iter().filter_map(|right| union(left, right))).collect();
        }
        all.push(minimal(merged));
    }
    all.into_iter()
        .map(|cuts| {
            let mut sets: Vec<u128> = cuts.iter().map(|cut| cut.iter().fold(0, |sum, w| sum | gate_bit(*w))).collect();
            sets.sort_unstable_by_key(|set| (set.count_ones(), *set));
            sets.dedup();
            let minimal: Vec<u128> =
                sets.iter().copied().filter(|set| !sets.iter().any(|s| s != set && s & !set == 0)).collect();
            minimal
        })
        .collect()
}

fn union(left: &[Wire], right: &[Wire]) -> Option<Vec<Wire>> {
    let mut all = [left, right].concat();
    all.sort_unstable();
    all.dedup();
    (all.len() <= LEAVES).then_some(all)
}

fn minimal(mut cuts: Vec<Vec<Wire>>) -> Vec<Vec<Wire>> {
    cuts.sort_unstable();
    cuts.dedup();
    let contains = |cut: &Vec<Wire>, other: &Vec<Wire>| other != cut && other.iter().all(|w| cut.contains(w));
    cuts.iter().filter(|cut| !cuts.iter().any(|other| contains(cut, other))).cloned().collect()
}

struct Search {
    /// For each gate the gates among the leaves of each cut.
    cuts: Vec<Vec<u128>>,
    best: u32,
    steps: u64,
}

impl Search {
    /// Chooses a cut for the last gate that needs one; `chosen` lookups are settled behind it.
    fn cover(&mut self, needed: u128, settled: u32) {
        self.steps += 1;
        if settled + needed.count_ones() >= self.best && needed != 0 || self.steps >= MOST_STEPS {
            return;
        }
        if needed == 0 {
            self.best = self.best.min(settled);
            return;
        }
        let last = 127 - needed.leading_zeros() as usize;
        let rest = needed & !(1 << last);
        let mut choices = self.cuts[last].clone();
        choices.sort_by_key(|cut| (cut & !rest).count_ones());
        for cut in choices {
            self.cover(rest | cut, settled + 1);
        }
    }
}
