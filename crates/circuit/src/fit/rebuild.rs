//! Chains of one associative operator become the shallowest trees.

use crate::circuit::{Circuit, Wire};
use crate::function::Function;
use crate::target::Target;

/// The circuit after rebuilding: each chain of AND, OR or XOR whose inner values have one reader and are no outputs
/// becomes the tree that joins its two earliest leaves first. The number of gates stays.
///
/// Time is that of the target's operations as early as possible.
#[must_use]
pub fn rebuilt(circuit: &Circuit, target: &Target) -> Circuit {
    let inner = inner_gates(circuit);
    let mut made = Circuit::new(circuit.inputs);
    let mut times: Vec<u32> = Vec::new();
    let mut wires: Vec<Wire> = vec![Wire::Constant(false); circuit.gates.len()];
    for n in (0..circuit.gates.len()).filter(|&n| !inner[n]) {
        let gate = &circuit.gates[n];
        let latency = target.operation(gate.function).map_or(1, |o| o.latency);
        let moved = |w: Wire| if let Wire::Gate(m) = w { wires[m] } else { w };
        let mut leaves: Vec<Wire> = Vec::new();
        collect(circuit, n, &inner, &mut leaves);
        let mut leaves: Vec<Wire> = leaves.into_iter().map(moved).collect();
        if leaves.len() == gate.operands.len() {
            leaves = gate.operands.iter().map(|&w| moved(w)).collect();
            wires[n] = add(&mut made, &mut times, gate.function, &leaves, latency);
            continue;
        }
        while leaves.len() > 1 {
            // A stable sort, so that leaves of one time are joined in the order of the text.
            leaves.sort_by_key(|&w| time(w, &times));
            let pair: Vec<Wire> = leaves.drain(..2).collect();
            leaves.push(add(&mut made, &mut times, gate.function, &pair, latency));
        }
        wires[n] = leaves[0];
    }
    made.outputs = circuit.outputs.iter().map(|&w| if let Wire::Gate(m) = w { wires[m] } else { w }).collect();
    made
}

fn time(wire: Wire, times: &[u32]) -> u32 {
    if let Wire::Gate(n) = wire {
        times[n]
    } else {
        0
    }
}

fn add(made: &mut Circuit, times: &mut Vec<u32>, function: Function, operands: &[Wire], latency: u32) -> Wire {
    times.push(operands.iter().map(|&w| time(w, times)).max().unwrap_or(0) + latency);
    made.add(function, operands)
}

/// The gates that disappear in a chain: their only reader is a gate of the same associative operator.
fn inner_gates(circuit: &Circuit) -> Vec<bool> {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); circuit.gates.len()];
    for (n, gate) in circuit.gates.iter().enumerate() {
        for wire in &gate.operands {
            if let Wire::Gate(m) = wire {
                readers[*m].push(n);
            }
        }
    }
    let inner = |n: usize| {
        let function = circuit.gates[n].function;
        [Function::AND, Function::OR, Function::XOR].contains(&function)
            && readers[n].len() == 1
            && circuit.gates[readers[n][0]].function == function
            && !circuit.outputs.contains(&Wire::Gate(n))
    };
    (0..circuit.gates.len()).map(inner).collect()
}

fn collect(circuit: &Circuit, n: usize, inner: &[bool], leaves: &mut Vec<Wire>) {
    for &wire in &circuit.gates[n].operands {
        match wire {
            Wire::Gate(m) if inner[m] => collect(circuit, m, inner, leaves),
            other => leaves.push(other),
        }
    }
}
