//! What the gates have to compute, freed of what needs no search.

use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;
use circuit::sbox::SBox;
use circuit::table::Table;

/// Where an output comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Constant(bool),
    Input(usize),
    /// One of [`Goal::functions`].
    Function(usize),
}

/// The distinct functions that need gates, and how the outputs come from them.
///
/// In normal form every function is 0 at input 0, and an output is a function or its complement. That loses nothing
/// where a gate may compute every function of its operands: a complement goes into the gate or its readers. Only a
/// complemented input, and a function whose two polarities are both outputs, need a gate more: [`Goal::inverters`].
#[derive(Clone, Debug)]
pub struct Goal {
    /// Number of inputs of the box.
    pub inputs: u8,
    /// Whether the functions are in normal form.
    pub normal: bool,
    /// The functions, without repetition; none is constant or an input.
    pub functions: Vec<Table>,
    /// Gates beyond those of the functions: complements that cannot be absorbed.
    pub inverters: usize,
    outputs: Vec<(Source, bool)>,
}

impl Goal {
    /// The goal of a box; `normal` if the gates can compute every function of their operands.
    #[must_use]
    pub fn new(sbox: &SBox, normal: bool) -> Self {
        let mut goal = Goal { inputs: sbox.inputs, normal, functions: Vec::new(), inverters: 0, outputs: Vec::new() };
        for table in sbox.tables() {
            let complemented = normal && table.bit(0);
            let wanted = if complemented { table.complement() } else { table };
            let source = goal.source(wanted);
            goal.outputs.push((source, complemented));
        }
        goal.inverters = goal.count_inverters();
        goal
    }

    fn source(&mut self, table: Table) -> Source {
        let constant = (0..2).map(|b| b == 1).find(|&b| table == Table::constant(self.inputs, b));
        let input = (0..usize::from(self.inputs)).find(|&k| table == Table::input(self.inputs, k));
        match (constant, input) {
            (Some(value), _) => Source::Constant(value),
            (_, Some(k)) => Source::Input(k),
            _ => {
                let known = self.functions.iter().position(|f| *f == table);
                Source::Function(known.unwrap_or_else(|| {
                    self.functions.push(table);
                    self.functions.len() - 1
                }))
            }
        }
    }

    fn count_inverters(&self) -> usize {
        let both = |n| {
            let has = |polarity| self.outputs.contains(&(Source::Function(n), polarity));
            has(true) && has(false)
        };
        let functions = (0..self.functions.len()).filter(|&n| both(n)).count();
        let inputs =
            (0..usize::from(self.inputs)).filter(|&k| self.outputs.contains(&(Source::Input(k), true))).count();
        functions + inputs
    }

    /// Makes a circuit of the goal's functions into one of the box: `wires[n]` computes function `n`.
    ///
    /// Complements go into gates where they can.
    #[must_use]
    pub fn finish(&self, mut circuit: Circuit, wires: &[Wire]) -> Circuit {
        let polarities = |n: usize| {
            let has = |p| self.outputs.contains(&(Source::Function(n), p));
            (has(false), has(true))
        };
        for (n, wire) in wires.iter().enumerate() {
            if let (Wire::Gate(gate), (false, true)) = (*wire, polarities(n)) {
                complement_gate(&mut circuit, gate);
            }
        }
        let mut inverted: Vec<(Wire, Wire)> = Vec::new();
        for &(source, complemented) in &self.outputs {
            let (wire, absorbed) = match source {
                Source::Constant(value) => (Wire::Constant(value ^ complemented), true),
                Source::Input(k) => (Wire::Input(k), false),
                Source::Function(n) => (wires[n], polarities(n) == (false, true)),
            };
            let output = if !complemented || absorbed {
                wire
            } else if let Some((_, known)) = inverted.iter().find(|(of, _)| *of == wire) {
                *known
            } else {
                let fresh = circuit.add(Function::NOT, &[wire]);
                inverted.push((wire, fresh));
                fresh
            };
            circuit.outputs.push(output);
        }
        circuit
    }
}

/// Complements a gate and the operand of every gate that reads it.
fn complement_gate(circuit: &mut Circuit, gate: usize) {
    circuit.gates[gate].function = circuit.gates[gate].function.complement();
    for reader in &mut circuit.gates[gate + 1..] {
        for n in 0..reader.operands.len() {
            if reader.operands[n] == Wire::Gate(gate) {
                let Function { arity, table } = reader.function;
                let flipped = (0..1u16 << arity).filter(|i| table >> (i ^ 1 << n) & 1 == 1).fold(0, |t, i| t | 1 << i);
                reader.function = Function::new(arity, flipped);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_gate_is_left_out_and_put_back() {
        // y0 = x1, y1 = ~x0, y2 = 1, y3 = x0 & x1, y4 = ~(x0 & x1), y5 = ~(x0 ^ x1)
        let value = |v: u8| {
            let (a, b) = (v & 1, v >> 1 & 1);
            b | (a ^ 1) << 1 | 1 << 2 | (a & b) << 3 | ((a & b) ^ 1) << 4 | (a ^ b ^ 1) << 5
        };
        let sbox = SBox::new(6, (0..4).map(value).collect()).unwrap();
        let goal = Goal::new(&sbox, true);
        assert_eq!((goal.functions.len(), goal.inverters), (2, 2));
        let mut circuit = Circuit::new(2);
        let and = circuit.add(Function::AND, &[Wire::Input(0), Wire::Input(1)]);
        let xor = circuit.add(Function::new(2, 0b0100), &[and, Wire::Input(0)]);
        let xor = circuit.add(Function::XOR, &[xor, Wire::Input(1)]);
        let _ = xor;
        let mut plain = Circuit::new(2);
        let and = plain.add(Function::AND, &[Wire::Input(0), Wire::Input(1)]);
        let xor = plain.add(Function::XOR, &[Wire::Input(0), Wire::Input(1)]);
        let finished = goal.finish(plain, &[and, xor]);
        finished.check(&sbox).unwrap();
        assert_eq!(finished.gates.len(), 2 + goal.inverters);
    }
}
