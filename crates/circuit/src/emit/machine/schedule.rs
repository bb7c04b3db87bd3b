//! Gates in cycles: every gate takes one cycle, and its result is there in the next one.

use std::collections::BTreeMap;

use crate::circuit::{Circuit, Wire};

/// States of one cycle up to which the shortest schedule is searched exactly.
const STATES: usize = 20_000;

/// Schedules of at most `width` gates a cycle, the shortest first; later ones keep fewer values alive.
#[must_use]
pub fn candidates(circuit: &Circuit, width: usize, registers: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all = vec![shortest(circuit, width)];
    for limit in [registers, registers.saturating_sub(2), registers.saturating_sub(4), registers / 2] {
        all.push(sparing(circuit, width, limit));
    }
    all
}

/// The shortest schedule: proved so if it was searched exactly or meets the bound, else by longest paths.
fn shortest(circuit: &Circuit, width: usize) -> Vec<Vec<usize>> {
    let reads = reads(circuit);
    let heights = heights(&reads);
    let by_path = listed(&reads, width, |n| (std::cmp::Reverse(heights[n]), n));
    let depth = heights.iter().max().map_or(0, |h| h + 1);
    let bound = depth.max(reads.len().div_ceil(width.max(1)));
    if by_path.len() <= bound || reads.len() > 32 {
        return by_path;
    }
    exact(&reads, &heights, width, by_path.len()).unwrap_or(by_path)
}

/// Gates that each gate reads.
fn reads(circuit: &Circuit) -> Vec<Vec<usize>> {
    let gate = |w: &Wire| if let Wire::Gate(n) = *w { Some(n) } else { None };
    circuit.gates.iter().map(|g| g.operands.iter().filter_map(gate).collect()).collect()
}

/// Gates on the longest path behind each gate.
fn heights(reads: &[Vec<usize>]) -> Vec<usize> {
    let mut heights = vec![0; reads.len()];
    for n in (0..reads.len()).rev() {
        for &m in &reads[n] {
            heights[m] = heights[m].max(heights[n] + 1);
        }
    }
    heights
}

fn listed<K: Ord>(reads: &[Vec<usize>], width: usize, priority: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut done = vec![false; reads.len()];
    let mut cycles = Vec::new();
    while done.iter().any(|d| !d) {
        let mut ready: Vec<usize> =
            (0..reads.len()).filter(|&n| !done[n] && reads[n].iter().all(|&m| done[m])).collect();
        ready.sort_by_key(|&n| priority(n));
        ready.truncate(width.max(1));
        ready.sort_unstable();
        ready.iter().for_each(|&n| done[n] = true);
        cycles.push(ready);
    }
    cycles
}

/// A schedule shorter than `known`, cycle by cycle over all sets of gates that can be done by then.
fn exact(reads: &[Vec<usize>], heights: &[usize], width: usize, known: usize) -> Option<Vec<Vec<usize>>> {
    let needs: Vec<u32> = reads.iter().map(|r| r.iter().fold(0, |set, &m| set | 1 << m)).collect();
    let all = if reads.len() == 32 { u32::MAX } else { (1 << reads.len()) - 1 };
    let mut levels: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::from([(0, 0)])];
    for cycle in 1..known {
        let left = known - 1 - cycle;
        let mut next: BTreeMap<u32, u32> = BTreeMap::new();
        for &done in levels[cycle - 1].keys() {
            let ready: Vec<usize> = (0..needs.len()).filter(|&n| done >> n & 1 == 0 && needs[n] & !done == 0).collect();
            for set in choices(&ready, width) {
                let now = done | set;
                // What is left must fit in the cycles that are left, its paths too.
                let late = (0..heights.len()).any(|n| now >> n & 1 == 0 && heights[n] >= left);
                if !late && (all & !now).count_ones() as usize <= left * width {
                    next.entry(now).or_insert(set);
                }
            }
            if next.len() > STATES {
                return None;
            }
        }
        if next.contains_key(&all) {
            levels.push(next);
            return Some(walked_back(&levels, all));
        }
        levels.push(next);
    }
    None
}

/// All sets of as many ready gates as a cycle takes: leaving out one that could be done never helps.
fn choices(ready: &[usize], width: usize) -> Vec<u32> {
    let size = width.min(ready.len());
    let mut sets = vec![(0u32, 0usize, 0usize)];
    let mut full = Vec::new();
    while let Some((set, from, count)) = sets.pop() {
        if count == size {
            full.push(set);
            continue;
        }
        for place in (from..ready.len()).filter(|place| ready.len() - place >= size - count) {
            sets.push((set | 1 << ready[place], place + 1, count + 1));
        }
    }
    full.sort_unstable();
    full
}

fn walked_back(levels: &[BTreeMap<u32, u32>], all: u32) -> Vec<Vec<usize>> {
    let mut cycles = Vec::new();
    let mut state = all;
    for level in levels.iter().skip(1).rev() {
        let Some(&set) = level.get(&state) else { continue };
        cycles.push((0..32).filter(|n| set >> n & 1 == 1).collect());
        state &= !set;
    }
    cycles.reverse();
    cycles
}

/// A schedule that prefers gates which end values, and begins none that would keep more than `limit` alive.
fn sparing(circuit: &Circuit, width: usize, limit: usize) -> Vec<Vec<usize>> {
    let reads = reads(circuit);
    let mut uses = super::order::uses(circuit);
    let mut alive = usize::from(circuit.inputs);
    let mut done = vec![false; reads.len()];
    let mut cycles = Vec::new();
    while done.iter().any(|d| !d) {
        let mut ready: Vec<usize> =
            (0..reads.len()).filter(|&n| !done[n] && reads[n].iter().all(|&m| done[m])).collect();
        let mut cycle: Vec<usize> = Vec::new();
        while cycle.len() < width && !ready.is_empty() {
            ready.sort_by_key(|&n| (std::cmp::Reverse(super::order::ended(circuit, n, &uses)), n));
            let n = ready[0];
            let ended = super::order::ended(circuit, n, &uses);
            if !cycle.is_empty() && alive + 1 - ended.min(alive) > limit {
                break;
            }
            ready.remove(0);
            super::order::read(circuit, n, &mut uses);
            alive = alive + 1 - ended.min(alive);
            cycle.push(n);
        }
        cycle.iter().for_each(|&n| done[n] = true);
        cycles.push(cycle);
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::super::super::lower::{lower, tests::random_circuit, Basis};
    use super::*;
    use crate::function::Function;

    fn check(circuit: &Circuit, cycles: &[Vec<usize>], width: usize) {
        let mut done = vec![false; circuit.gates.len()];
        for cycle in cycles {
            assert!(!cycle.is_empty() && cycle.len() <= width);
            for &n in cycle {
                assert!(reads(circuit)[n].iter().all(|&m| done[m]), "a gate before its operands");
            }
            cycle.iter().for_each(|&n| done[n] = true);
        }
        assert!(done.into_iter().all(|d| d));
    }

    #[test]
    fn schedules_keep_order_and_width() {
        for seed in 1..40 {
            let circuit = lower(&random_circuit(seed, 5, 14, 2), &Basis::AND_COMPLEMENT);
            for width in [1, 2, 6] {
                for cycles in candidates(&circuit, width, 8) {
                    check(&circuit, &cycles, width);
                }
            }
            assert_eq!(shortest(&circuit, 1).len(), circuit.gates.len());
        }
    }

    #[test]
    fn the_exact_search_finds_what_the_list_does_not() {
        // By longest paths the first two gates come first, and then the third stands alone.
        let mut circuit = Circuit::new(4);
        let [x, y, z, w] = [0, 1, 2, 3].map(Wire::Input);
        let a = circuit.add(Function::AND, &[x, y]);
        let c = circuit.add(Function::AND, &[z, w]);
        let b = circuit.add(Function::AND, &[y, z]);
        let d = circuit.add(Function::XOR, &[a, b]);
        let e = circuit.add(Function::XOR, &[b, c]);
        let f = circuit.add(Function::OR, &[b, c]);
        circuit.outputs = vec![d, e, f];
        let reads = reads(&circuit);
        let list = listed(&reads, 2, |n| (std::cmp::Reverse(heights(&reads)[n]), n));
        let best = shortest(&circuit, 2);
        check(&circuit, &best, 2);
        assert_eq!((list.len(), best.len()), (4, 3));
    }
}
