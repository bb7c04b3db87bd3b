//! Registers by linear scan: a value takes the first free one, and gives it back with the last gate that reads it.

use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;

/// The registers of a machine.
pub struct Pool {
    /// The machine, for people.
    pub machine: &'static str,
    /// Where the inputs come.
    pub inputs: Vec<String>,
    /// All registers, the inputs' among them, in the order in which they are taken.
    pub registers: Vec<String>,
}

/// The register of every wire.
pub struct Allocation {
    /// Of the inputs.
    pub inputs: Vec<String>,
    gates: Vec<String>,
}

impl Allocation {
    /// The register of a wire; `None` for a constant.
    #[must_use]
    pub fn of(&self, wire: Wire) -> Option<&str> {
        match wire {
            Wire::Input(k) => Some(&self.inputs[k]),
            Wire::Gate(n) => Some(&self.gates[n]),
            Wire::Constant(_) => None,
        }
    }
}

/// Registers for gates in the order of their cycles.
///
/// A gate may write the register that a gate before it, or it itself, was the last to read: within a cycle reading
/// comes before writing.
///
/// # Errors
/// `C403` if there are too few.
pub fn allocated(circuit: &Circuit, cycles: &[Vec<usize>], pool: &Pool) -> Result<Allocation, Fault> {
    let order: Vec<usize> = cycles.iter().flatten().copied().collect();
    let last = |wire: Wire| order.iter().rposition(|&n| circuit.gates[n].operands.contains(&wire));
    let kept = |wire: Wire| circuit.outputs.contains(&wire);
    let inputs: Vec<String> = pool.inputs[..usize::from(circuit.inputs)].to_vec();
    let unread = |k: usize| last(Wire::Input(k)).is_none() && !kept(Wire::Input(k));
    let busy = |r: &String| inputs.iter().position(|i| i == r).is_some_and(|k| !unread(k));
    let mut free: Vec<bool> = pool.registers.iter().map(|r| !busy(r)).collect();
    let mut result = Allocation { inputs: inputs.clone(), gates: vec![String::new(); circuit.gates.len()] };
    for (place, &n) in order.iter().enumerate() {
        for &wire in &circuit.gates[n].operands {
            if last(wire) == Some(place) && !kept(wire) {
                let name = result.of(wire).unwrap_or_default();
                if let Some(r) = pool.registers.iter().position(|r| r == name) {
                    free[r] = true;
                }
            }
        }
        let Some(r) = free.iter().position(|&f| f) else {
            let (machine, count) = (pool.machine, pool.registers.len());
            return Err(Fault::new("C403", format!("the circuit needs more than the {count} registers of {machine}"))
                .note(format!("{} of {} operations have one", place, order.len()))
                .help("write it as C, or split the box's outputs over several circuits"));
        };
        free[r] = false;
        result.gates[n] = pool.registers[r].clone();
    }
    Ok(result)
}
