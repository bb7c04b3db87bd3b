//! Gates joined into gates of three operands.
//!
//! Each wire that is kept becomes one gate over at most three kept wires or inputs (a cut). Up to [`EXHAUSTIVE`] wires
//! that are no outputs, the smallest set of kept wires is found by trying all; beyond that, wires are given up one by
//! one as long as the rest can still be computed.

use std::collections::BTreeSet;

use crate::circuit::{Circuit, Wire};
use crate::function::Function;

const EXHAUSTIVE: usize = 14;
const OPERANDS: usize = 3;

/// The operands of a wire's gate, sorted.
type Cut = Vec<Wire>;

/// The circuit, whose gates have at most three operands, in as few gates of up to three operands as its own gates
/// can be joined into; the circuit itself where that saves none.
#[must_use]
pub fn fused(circuit: &Circuit) -> Circuit {
    let cuts = cuts(circuit);
    let kept = kept(circuit, &cuts);
    if kept.iter().filter(|&&k| k).count() >= circuit.gates.len() {
        return circuit.clone();
    }
    built(circuit, &cuts, &kept)
}

fn cuts(circuit: &Circuit) -> Vec<Vec<Cut>> {
    let mut all: Vec<Vec<Cut>> = Vec::new();
    for gate in &circuit.gates {
        let mut found: BTreeSet<Cut> = BTreeSet::from([Vec::new()]);
        for &operand in &gate.operands {
            let mut ways = vec![vec![operand]];
            if let Wire::Gate(n) = operand {
                ways.extend(all[n].iter().cloned());
            }
            let joined = found.iter().flat_map(|cut| ways.iter().map(move |way| union(cut, way)));
            found = joined.filter(|cut| cut.len() <= OPERANDS).collect();
        }
        let mut own: Vec<Cut> = found.into_iter().collect();
        own.sort_by_key(Vec::len);
        all.push(own);
    }
    all
}

fn union(a: &Cut, b: &Cut) -> Cut {
    a.iter().chain(b).copied().collect::<BTreeSet<Wire>>().into_iter().collect()
}

fn kept(circuit: &Circuit, cuts: &[Vec<Cut>]) -> Vec<bool> {
    let count = circuit.gates.len();
    let is_output = |n: usize| circuit.outputs.contains(&Wire::Gate(n));
    let free: Vec<usize> = (0..count).filter(|&n| !is_output(n)).collect();
    let computable = |kept: &[bool]| (0..count).all(|n| !kept[n] || cut_of(&cuts[n], kept).is_some());
    if free.len() <= EXHAUSTIVE {
        let choice = |bits: usize| {
            let mut kept: Vec<bool> = (0..count).map(is_output).collect();
            free.iter().enumerate().for_each(|(k, &n)| kept[n] |= bits >> k & 1 == 1);
            kept
        };
        let mut all: Vec<usize> = (0..1usize << free.len()).collect();
        all.sort_by_key(|bits| (bits.count_ones(), *bits));
        return all.into_iter().map(choice).find(|kept| computable(kept)).unwrap_or_else(|| vec![true; count]);
    }
    let mut kept = vec![true; count];
    for n in free {
        kept[n] = false;
        kept[n] = !computable(&kept);
    }
    kept
}

/// The first cut of kept wires only.
fn cut_of<'a>(cuts: &'a [Cut], kept: &[bool]) -> Option<&'a Cut> {
    cuts.iter().find(|cut| cut.iter().all(|wire| !matches!(wire, Wire::Gate(n) if !kept[*n])))
}

fn built(circuit: &Circuit, cuts: &[Vec<Cut>], kept: &[bool]) -> Circuit {
    let mut result = Circuit::new(circuit.inputs);
    let mut place = vec![Wire::Constant(false); circuit.gates.len()];
    for n in (0..circuit.gates.len()).filter(|&n| kept[n]) {
        let Some(cut) = cut_of(&cuts[n], kept) else { continue };
        let function = function_over(circuit, n, cut);
        let operands: Vec<Wire> =
            cut.iter().map(|&wire| if let Wire::Gate(m) = wire { place[m] } else { wire }).collect();
        place[n] = result.add(function, &operands);
    }
    let moved = |wire: &Wire| if let Wire::Gate(n) = *wire { place[n] } else { *wire };
    result.outputs = circuit.outputs.iter().map(moved).collect();
    super::simplify::simplified(&result)
}

/// What a gate computes of the wires of a cut.
fn function_over(circuit: &Circuit, gate: usize, cut: &Cut) -> Function {
    let table = (0..1usize << cut.len()).filter(|&index| value(circuit, Wire::Gate(gate), cut, index));
    Function::new(cut.len() as u8, table.fold(0, |table, index| table | 1 << index))
}

fn value(circuit: &Circuit, wire: Wire, cut: &Cut, index: usize) -> bool {
    if let Some(k) = cut.iter().position(|w| *w == wire) {
        return index >> k & 1 == 1;
    }
    let Wire::Gate(n) = wire else { return false };
    let gate = &circuit.gates[n];
    let operands = gate
        .operands
        .iter()
        .enumerate()
        .fold(0, |sum, (k, &operand)| sum | usize::from(value(circuit, operand, cut, index)) << k);
    gate.function.value(operands)
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_circuit;
    use super::super::{lower, Basis};
    use super::*;

    #[test]
    fn joined_gates_compute_the_same_and_are_never_more() {
        for seed in 1..80 {
            let circuit = lower(&random_circuit(seed, 3 + (seed % 5) as u8, 14, 2), &Basis::TWO_INPUT);
            let joined = fused(&circuit);
            assert_eq!(joined.sbox(), circuit.sbox(), "seed {seed}");
            assert!(joined.gates.len() <= circuit.gates.len() && joined.gates.iter().all(|g| g.function.arity <= 3));
        }
    }

    #[test]
    fn a_sum_of_four_needs_two_gates_of_three() {
        let mut circuit = Circuit::new(4);
        let a = circuit.add(Function::XOR, &[Wire::Input(0), Wire::Input(1)]);
        let b = circuit.add(Function::XOR, &[a, Wire::Input(2)]);
        let c = circuit.add(Function::XNOR, &[b, Wire::Input(3)]);
        circuit.outputs = vec![c];
        assert_eq!(fused(&circuit).gates.len(), 2);
    }
}
