//! Circuits in the operations of a target.
//!
//! [`fitted`] writes every gate by operations that the target has (the gate's own operation, its operands in another
//! order, or the cheapest composition), then takes complements into the gates that read or make them. What a target
//! cannot compute at all is an error.

mod compose;
mod fold;
mod rebuild;
#[cfg(test)]
mod tests;

pub use compose::Composer;
pub use fold::folded;
pub use rebuild::rebuilt;

use std::collections::HashMap;

use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use crate::function::Function;
use crate::target::Target;

/// The circuit in the operations of a target, without gates that no output needs.
///
/// A complement is made once and shared; a complement that its readers can take in, or that can be taken in by the
/// gate that it complements, is no gate. Otherwise the gates and their order are kept.
///
/// # Errors
/// `C210` for a function that no composition of the target's operations computes.
pub fn fitted(circuit: &Circuit, target: &Target) -> Result<Circuit, Fault> {
    let lowered = lowered(&circuit.pruned(), target)?;
    Ok(folded(&lowered, target).pruned())
}

/// The circuit by operations that the target has.
fn lowered(circuit: &Circuit, target: &Target) -> Result<Circuit, Fault> {
    let mut composer = Composer::new(target);
    let mut made = Circuit::new(circuit.inputs);
    let mut complements: HashMap<Wire, Wire> = HashMap::new();
    let mut wires: Vec<Wire> = Vec::with_capacity(circuit.gates.len());
    let moved = |wire: Wire, wires: &[Wire]| match wire {
        Wire::Gate(n) => wires[n],
        other => other,
    };
    for gate in &circuit.gates {
        let operands: Vec<Wire> = gate.operands.iter().map(|&w| moved(w, &wires)).collect();
        let wire = composer.build(&mut made, gate.function, &operands, &mut complements)?;
        wires.push(wire);
    }
    made.outputs = circuit.outputs.iter().map(|&w| moved(w, &wires)).collect();
    Ok(made)
}

/// The function and operands in an order that the target has: the order given if it has that, else the cheapest.
#[must_use]
pub fn placed(target: &Target, function: Function, operands: &[Wire]) -> Option<(Function, Vec<Wire>)> {
    let mut best: Option<(f64, Function, Vec<Wire>)> = None;
    for order in orders(operands.len()) {
        let turned = function.reordered(&order);
        let Some(operation) = target.operation(turned) else { continue };
        if best.as_ref().map_or(true, |(size, ..)| operation.size < *size) {
            let mut places = operands.to_vec();
            order.iter().zip(operands).for_each(|(&place, &wire)| places[place] = wire);
            best = Some((operation.size, turned, places));
        }
    }
    best.map(|(_, function, operands)| (function, operands))
}

/// What a gate of this function costs; infinite if there is none.
pub(crate) fn size(target: &Target, function: Function) -> f64 {
    let sizes = orders(function.arity.into());
    sizes.iter().filter_map(|o| target.operation(function.reordered(o))).map(|o| o.size).fold(f64::INFINITY, f64::min)
}

/// All orders of up to four operands, the identity first.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..count).filter(|n| !order.contains(n)).map(|n| [order.clone(), vec![n]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}
