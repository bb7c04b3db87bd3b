//! Gates with constant, repeated or ineffective operands become smaller ones, copies become their operand.

use crate::circuit::{Circuit, Gate, Wire};
use crate::function::Function;

/// The circuit without constants, copies, double complements, equal gates and gates that nothing reads.
pub fn simplified(circuit: &Circuit) -> Circuit {
    let mut result = Circuit::new(circuit.inputs);
    let mut place: Vec<Wire> = Vec::with_capacity(circuit.gates.len());
    let moved = |wire: Wire, place: &[Wire]| if let Wire::Gate(n) = wire { place[n] } else { wire };
    for gate in &circuit.gates {
        let operands: Vec<Wire> = gate.operands.iter().map(|&w| moved(w, &place)).collect();
        place.push(added(&mut result, reduced(gate.function, operands)));
    }
    result.outputs = circuit.outputs.iter().map(|&w| moved(w, &place)).collect();
    result.pruned()
}

fn added(circuit: &mut Circuit, gate: Gate) -> Wire {
    match gate.function {
        Function { arity: 0, table } => return Wire::Constant(table & 1 == 1),
        Function { arity: 1, table: 0b10 } => return gate.operands[0],
        Function::NOT => {
            if let Wire::Gate(n) = gate.operands[0] {
                if circuit.gates[n].function == Function::NOT {
                    return circuit.gates[n].operands[0];
                }
            }
        }
        _ => {}
    }
    match circuit.gates.iter().position(|known| *known == gate) {
        Some(n) => Wire::Gate(n),
        None => circuit.add(gate.function, &gate.operands),
    }
}

/// The gate without the operands that do not count.
fn reduced(function: Function, operands: Vec<Wire>) -> Gate {
    let (mut function, mut operands) = (function, operands);
    loop {
        let constant = operands.iter().position(|w| matches!(w, Wire::Constant(_)));
        let repeated =
            (1..operands.len()).find_map(|n| Some((operands[..n].iter().position(|w| *w == operands[n])?, n)));
        let ineffective = (0..operands.len()).find(|&n| !function.depends_on(n));
        let gone = if let Some(n) = constant {
            let value = operands[n] == Wire::Constant(true);
            function = without(function, n, |_| value);
            n
        } else if let Some((first, n)) = repeated {
            function = without(function, n, |index| index >> first & 1 == 1);
            n
        } else if let Some(n) = ineffective {
            function = without(function, n, |_| false);
            n
        } else {
            return Gate { function, operands };
        };
        operands.remove(gone);
    }
}

/// The function with operand `n` replaced by a value that depends on the others.
fn without(function: Function, n: usize, value: impl Fn(usize) -> bool) -> Function {
    let low = (1usize << n) - 1;
    let table = (0..1usize << (function.arity - 1)).fold(0, |table, index| {
        let full = index & low | (index & !low) << 1;
        table | u16::from(function.value(full | usize::from(value(full)) << n)) << index
    });
    Function { arity: function.arity - 1, table }
}
