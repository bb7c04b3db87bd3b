//! Circuits by the operations that a program has: and, or, exclusive or, not.

use std::collections::HashMap;

use circuit::fit::Composer;
use circuit::{Circuit, Fault, Function, Target, Wire};

/// The operations of a program as a target.
const OPERATIONS: &str = r#"{"name": "program", "title": "operations of a program", "objective": [], "operations": [
    {"name": "and", "arity": 2, "table": 8}, {"name": "or", "arity": 2, "table": 14},
    {"name": "xor", "arity": 2, "table": 6}, {"name": "not", "arity": 1, "table": 1}]}"#;

/// The circuit by and, or, exclusive or and not, its gates in their order.
///
/// And-complement is a complement and an and of its own each time; a function of three operands (ternary logic, a
/// cell) becomes its cheapest composition, with no look at what the gates around it share.
///
/// # Errors
/// None that a circuit can cause; those of [`Composer::build`].
pub fn lowered(circuit: &Circuit) -> Result<Circuit, Fault> {
    let target = Target::from_json(OPERATIONS)?;
    let mut composer = Composer::new(&target);
    let mut made = Circuit::new(circuit.inputs);
    let mut complements = HashMap::new();
    let mut wires: Vec<Wire> = Vec::with_capacity(circuit.gates.len());
    for gate in &circuit.gates {
        let moved = |wire: &Wire| if let Wire::Gate(n) = *wire { wires[n] } else { *wire };
        let operands: Vec<Wire> = gate.operands.iter().map(moved).collect();
        let wire = match gate.function {
            Function::AND | Function::OR | Function::XOR | Function::NOT => made.add(gate.function, &operands),
            Function::ANDNOT => {
                let complement = made.add(Function::NOT, &operands[1..]);
                made.add(Function::AND, &[operands[0], complement])
            }
            other => composer.build(&mut made, other, &operands, &mut complements)?,
        };
        wires.push(wire);
    }
    made.outputs = circuit.outputs.iter().map(|w| if let Wire::Gate(n) = *w { wires[n] } else { *w }).collect();
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_of_any_function_become_operations_of_a_program() {
        let mut state = 3u32;
        let mut random = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % n
        };
        for round in 0..3 {
            let mut circuit = Circuit::new(4);
            for n in 0..30 {
                let arity = if round < 2 { 1 + random(3) } else { 4 };
                let function = Function::new(arity as u8, random(1 << 16) as u16);
                let wire = |k: usize| if k < 4 { Wire::Input(k) } else { Wire::Gate(k - 4) };
                let operands: Vec<Wire> = (0..arity).map(|_| wire(random(n + 4))).collect();
                circuit.add(function, &operands);
            }
            circuit.outputs = (26..30).map(Wire::Gate).collect();
            let made = lowered(&circuit).unwrap();
            assert_eq!(made.sbox(), circuit.sbox());
            let known = [Function::AND, Function::OR, Function::XOR, Function::NOT];
            assert!(made.gates.iter().all(|g| known.contains(&g.function)));
        }
    }
}
