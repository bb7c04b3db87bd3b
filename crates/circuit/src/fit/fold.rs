//! Complements become part of the gates around them, where the target has such gates and nothing grows.

use super::{placed, size};
use crate::circuit::{Circuit, Gate, Wire};
use crate::function::Function;
use crate::target::Target;

/// The circuit with as few complements as two rules leave, and no gate waiting for one that it could take in itself.
///
/// A complement goes if every gate that reads it can read what it complements instead; or if the gate that it
/// complements can give the complement, and all other readers of that gate can live with it. (With and-complement as
/// the only such gate this is the rule of Worley et al. (2000): a NOT that only ANDs read is part of them.)
#[must_use]
pub fn folded(circuit: &Circuit, target: &Target) -> Circuit {
    let mut circuit = circuit.clone();
    // Ends: each iteration removes a complement.
    loop {
        let complements: Vec<usize> =
            (0..circuit.gates.len()).filter(|&n| circuit.gates[n].function == Function::NOT).collect();
        let step = complements
            .iter()
            .find_map(|&n| into_readers(&circuit, n, target).or_else(|| into_source(&circuit, n, target)));
        match step {
            Some(smaller) => circuit = smaller,
            None => return past_complements(circuit, target),
        }
    }
}

/// The gate with an operand complemented wherever it is `old`, which becomes `new`.
fn reading_complement(gate: &Gate, old: Wire, new: Wire, target: &Target) -> Option<Gate> {
    let flips = gate.operands.iter().enumerate().filter(|(_, &w)| w == old).fold(0usize, |sum, (n, _)| sum | 1 << n);
    let table = (0..1usize << gate.function.arity)
        .filter(|index| gate.function.value(index ^ flips))
        .fold(0, |sum, index| sum | 1 << index);
    let operands: Vec<Wire> = gate.operands.iter().map(|&w| if w == old { new } else { w }).collect();
    let (function, operands) = placed(target, Function { arity: gate.function.arity, table }, &operands)?;
    Some(Gate { function, operands })
}

/// Where a complement stays, the gates that can take it in without growing read what it complements: one step less.
fn past_complements(mut circuit: Circuit, target: &Target) -> Circuit {
    for n in 0..circuit.gates.len() {
        for operand in circuit.gates[n].operands.clone() {
            let Wire::Gate(m) = operand else { continue };
            if circuit.gates[m].function != Function::NOT {
                continue;
            }
            let gate = &circuit.gates[n];
            let shorter = reading_complement(gate, operand, circuit.gates[m].operands[0], target);
            if let Some(shorter) = shorter.filter(|g| size(target, g.function) <= size(target, gate.function)) {
                circuit.gates[n] = shorter;
            }
        }
    }
    circuit
}

fn total(circuit: &Circuit, target: &Target) -> f64 {
    circuit.gates.iter().map(|g| size(target, g.function)).sum()
}

/// Takes a complement into all gates that read it.
fn into_readers(circuit: &Circuit, n: usize, target: &Target) -> Option<Circuit> {
    let (old, new) = (Wire::Gate(n), circuit.gates[n].operands[0]);
    if circuit.outputs.contains(&old) {
        return None;
    }
    let mut changed = circuit.clone();
    for gate in changed.gates.iter_mut().filter(|g| g.operands.contains(&old)) {
        *gate = reading_complement(gate, old, new, target)?;
    }
    let changed = changed.pruned();
    (total(&changed, target) < total(circuit, target)).then_some(changed)
}

/// Takes a complement into the gate that it complements.
fn into_source(circuit: &Circuit, n: usize, target: &Target) -> Option<Circuit> {
    let source = circuit.gates[n].operands[0];
    let Wire::Gate(g) = source else { return None };
    if circuit.outputs.contains(&source) {
        return None;
    }
    let mut changed = circuit.clone();
    let (function, operands) = placed(target, circuit.gates[g].function.complement(), &circuit.gates[g].operands)?;
    changed.gates[g] = Gate { function, operands };
    // Every complement of the gate is the gate now; every other reader reads the complement of what it read.
    let complements: Vec<Wire> = (0..circuit.gates.len())
        .filter(|&m| circuit.gates[m].function == Function::NOT && circuit.gates[m].operands[0] == source)
        .map(Wire::Gate)
        .collect();
    for gate in changed.gates.iter_mut().filter(|gate| gate.function != Function::NOT || gate.operands[0] != source) {
        if gate.operands.contains(&source) {
            *gate = reading_complement(gate, source, source, target)?;
        }
        gate.operands.iter_mut().filter(|w| complements.contains(w)).for_each(|w| *w = source);
    }
    changed.outputs.iter_mut().filter(|w| complements.contains(w)).for_each(|w| *w = source);
    let changed = changed.pruned();
    (total(&changed, target) < total(circuit, target)).then_some(changed)
}
