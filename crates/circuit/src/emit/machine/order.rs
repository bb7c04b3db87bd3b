//! An order of the gates that needs few registers, and few moves where an instruction replaces an operand.

use std::collections::BTreeMap;

use crate::circuit::{Circuit, Wire};

/// Gates up to which every order is considered.
const EXHAUSTIVE: usize = 24;
const STATES: usize = 60_000;

/// How often each wire is still read, inputs first, then gates; an output counts as one more reading.
#[must_use]
pub fn uses(circuit: &Circuit) -> Vec<usize> {
    let mut uses = vec![0; usize::from(circuit.inputs) + circuit.gates.len()];
    let read = circuit.gates.iter().flat_map(|g| &g.operands).chain(&circuit.outputs);
    read.filter_map(|w| place(circuit, *w)).for_each(|n| uses[n] += 1);
    uses
}

fn place(circuit: &Circuit, wire: Wire) -> Option<usize> {
    match wire {
        Wire::Input(k) => Some(k),
        Wire::Gate(n) => Some(usize::from(circuit.inputs) + n),
        Wire::Constant(_) => None,
    }
}

/// How many values end with a gate: nothing reads them afterwards.
#[must_use]
pub fn ended(circuit: &Circuit, gate: usize, uses: &[usize]) -> usize {
    circuit.gates[gate].operands.iter().filter_map(|w| place(circuit, *w)).filter(|&n| uses[n] == 1).count()
}

/// Counts a gate's readings.
pub fn read(circuit: &Circuit, gate: usize, uses: &mut [usize]) {
    circuit.gates[gate].operands.iter().filter_map(|w| place(circuit, *w)).for_each(|n| uses[n] -= 1);
}

/// The circuit with its gates in an order that needs the fewest moves within `registers`, if there is one; the order
/// as it is where that needs no more, and where the circuit is too large to try all.
#[must_use]
pub fn fewest_moves(circuit: &Circuit, registers: usize) -> Option<Circuit> {
    let given: Vec<usize> = (0..circuit.gates.len()).collect();
    let own = moves(circuit, &given, registers);
    if circuit.gates.len() > EXHAUSTIVE {
        let sparing = sparing(circuit);
        let best = [given, sparing].into_iter().filter_map(|o| Some((moves(circuit, &o, registers)?, o))).min();
        return best.map(|(_, order)| reordered(circuit, &order));
    }
    let best = searched(circuit, registers);
    match (own, best) {
        (Some(own), Some((least, order))) if least < own => Some(reordered(circuit, &order)),
        (Some(_), _) => Some(circuit.clone()),
        (None, Some((_, order))) => Some(reordered(circuit, &order)),
        (None, None) => None,
    }
}

/// Moves of an order, or nothing if it needs more registers.
fn moves(circuit: &Circuit, order: &[usize], registers: usize) -> Option<usize> {
    let mut uses = uses(circuit);
    let mut alive = usize::from(circuit.inputs);
    let mut moves = 0;
    for &n in order {
        let ended = ended(circuit, n, &uses);
        moves += usize::from(ended == 0);
        read(circuit, n, &mut uses);
        alive = alive + 1 - ended;
        if alive > registers {
            return None;
        }
    }
    Some(moves)
}

/// The order that always takes the gate which ends the most values.
fn sparing(circuit: &Circuit) -> Vec<usize> {
    let mut uses = uses(circuit);
    let mut done = vec![false; circuit.gates.len()];
    let mut order = Vec::new();
    while order.len() < done.len() {
        let is_done = |w: &Wire| !matches!(w, Wire::Gate(m) if !done[*m]);
        let ready = (0..done.len()).filter(|&n| !done[n] && circuit.gates[n].operands.iter().all(is_done));
        let Some(n) = ready.max_by_key(|&n| (ended(circuit, n, &uses), std::cmp::Reverse(n))) else { break };
        read(circuit, n, &mut uses);
        done[n] = true;
        order.push(n);
    }
    order
}

/// Over all sets of gates that can be done first: the fewest moves, and the gate that came last.
fn searched(circuit: &Circuit, registers: usize) -> Option<(usize, Vec<usize>)> {
    let count = circuit.gates.len();
    let mut levels: Vec<BTreeMap<u32, (usize, usize)>> = vec![BTreeMap::from([(0, (0, 0))])];
    for level in 0..count {
        let mut next: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (&done, &(moves, _)) in &levels[level] {
            let uses = uses_after(circuit, done);
            let alive = uses.iter().enumerate().filter(|(n, &u)| u > 0 && is_there(circuit, *n, done)).count();
            let is_done = |w: &Wire| !matches!(w, Wire::Gate(m) if done >> m & 1 == 0);
            for n in (0..count).filter(|&n| done >> n & 1 == 0 && circuit.gates[n].operands.iter().all(is_done)) {
                let ended = ended(circuit, n, &uses);
                if alive + 1 - ended <= registers {
                    let cost = (moves + usize::from(ended == 0), n);
                    let entry = next.entry(done | 1 << n).or_insert(cost);
                    *entry = cost.min(*entry);
                }
            }
        }
        if next.is_empty() || next.len() > STATES {
            return None;
        }
        levels.push(next);
    }
    let mut state = (1u64 << count).wrapping_sub(1) as u32;
    let total = levels[count].get(&state)?.0;
    let mut order = Vec::new();
    for level in levels.iter().skip(1).rev() {
        let (_, n) = level[&state];
        order.push(n);
        state &= !(1 << n);
    }
    order.reverse();
    Some((total, order))
}

fn uses_after(circuit: &Circuit, done: u32) -> Vec<usize> {
    let mut left = uses(circuit);
    (0..circuit.gates.len()).filter(|n| done >> n & 1 == 1).for_each(|n| read(circuit, n, &mut left));
    left
}

fn is_there(circuit: &Circuit, place: usize, done: u32) -> bool {
    let inputs = usize::from(circuit.inputs);
    place < inputs || done >> (place - inputs) & 1 == 1
}

/// The circuit with its gates in another order.
fn reordered(circuit: &Circuit, order: &[usize]) -> Circuit {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| place[from] = to);
    let moved = |w: &Wire| if let Wire::Gate(n) = *w { Wire::Gate(place[n]) } else { *w };
    let mut result = Circuit::new(circuit.inputs);
    for &n in order {
        let operands: Vec<Wire> = circuit.gates[n].operands.iter().map(moved).collect();
        result.add(circuit.gates[n].function, &operands);
    }
    result.outputs = circuit.outputs.iter().map(moved).collect();
    result
}
