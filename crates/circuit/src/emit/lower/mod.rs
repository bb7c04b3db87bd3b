//! Lowering: every gate becomes one or more gates of the functions that a language can write.

mod decompose;
mod fuse;
mod polarity;
mod simplify;

pub use decompose::{chain, Step};
pub use fuse::fused;

use crate::circuit::{Circuit, Wire};
use crate::function::Function;

/// The functions that a language can write as one gate. Operands may change places.
#[derive(Clone, Copy, Debug)]
pub struct Basis {
    /// Functions of one and two operands. It holds NOT, and AND, OR, XOR at least.
    pub functions: &'static [Function],
    /// The most operands of a gate of any function; 2 if there are no such gates.
    pub any_up_to: u8,
}

impl Basis {
    /// NOT, AND, OR, XOR: a two-operand machine, a program.
    pub const PLAIN: Basis =
        Basis { functions: &[Function::NOT, Function::AND, Function::OR, Function::XOR], any_up_to: 1 };
    /// The same and AND with a complemented operand: PA-RISC, IA-64, vector instructions.
    pub const AND_COMPLEMENT: Basis = Basis {
        functions: &[Function::NOT, Function::AND, Function::OR, Function::XOR, Function::ANDNOT],
        any_up_to: 1,
    };
    /// Every function of two operands.
    pub const TWO_INPUT: Basis = Basis { functions: &[], any_up_to: 2 };
    /// Every function of up to three operands: ternary logic.
    pub const TERNARY: Basis = Basis { functions: &[], any_up_to: 3 };
    /// Every function of up to four operands.
    pub const ANY: Basis = Basis { functions: &[], any_up_to: 4 };

    /// Whether it has the function, operands in some order.
    #[must_use]
    pub fn has(&self, function: Function) -> bool {
        let swapped = || function.arity == 2 && self.functions.contains(&function.reordered(&[1, 0]));
        function.arity <= self.any_up_to && self.any_up_to > 1 || self.functions.contains(&function) || swapped()
    }
}

/// The circuit in functions of the basis, without constants, copies and gates that nothing reads.
///
/// A circuit that has only functions of the basis stays as it is.
#[must_use]
pub fn lower(circuit: &Circuit, basis: &Basis) -> Circuit {
    let simple = simplify::simplified(circuit);
    if simple.gates.iter().all(|gate| basis.has(gate.function)) {
        return simple;
    }
    let small = split(&simple, basis);
    if small.gates.iter().all(|gate| basis.has(gate.function)) {
        return small;
    }
    polarity::placed(&small, basis)
}

/// Gates of more operands than the basis knows become gates of two.
fn split(circuit: &Circuit, basis: &Basis) -> Circuit {
    let mut result = Circuit::new(circuit.inputs);
    let mut place: Vec<Wire> = Vec::with_capacity(circuit.gates.len());
    let moved = |wire: Wire, place: &[Wire]| if let Wire::Gate(n) = wire { place[n] } else { wire };
    for gate in &circuit.gates {
        let mut wires: Vec<Wire> = gate.operands.iter().map(|&w| moved(w, &place)).collect();
        if gate.function.arity <= basis.any_up_to.max(2) {
            place.push(result.add(gate.function, &wires));
            continue;
        }
        for step in chain(gate.function) {
            let wire = result.add(step.function, &[wires[step.operands[0]], wires[step.operands[1]]]);
            wires.push(wire);
        }
        place.push(wires[wires.len() - 1]);
    }
    result.outputs = circuit.outputs.iter().map(|&w| moved(w, &place)).collect();
    simplify::simplified(&result)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::table::Table;

    /// A circuit of gates of random functions, among them constants, repeated operands and useless gates.
    pub fn random_circuit(seed: u64, inputs: u8, gates: usize, arity: u8) -> Circuit {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % below
        };
        let mut circuit = Circuit::new(inputs);
        let mut wires: Vec<Wire> = (0..usize::from(inputs)).map(Wire::Input).collect();
        wires.push(Wire::Constant(true));
        for _ in 0..gates {
            let arity = 1 + next(usize::from(arity)) as u8;
            let operands: Vec<Wire> = (0..arity).map(|_| wires[next(wires.len())]).collect();
            let wire = circuit.add(Function::new(arity, next(1 << 16) as u16), &operands);
            wires.push(wire);
        }
        circuit.outputs = (0..5).map(|_| wires[next(wires.len())]).collect();
        circuit
    }

    fn outputs(circuit: &Circuit) -> Vec<Table> {
        let gates = circuit.tables();
        circuit.outputs.iter().map(|&w| circuit.table_of(w, &gates)).collect()
    }

    #[test]
    fn every_circuit_keeps_its_outputs_in_every_basis() {
        for seed in 1..60 {
            let circuit = random_circuit(seed, 3 + (seed % 6) as u8, 12, 1 + (seed % 4) as u8);
            for basis in [Basis::PLAIN, Basis::AND_COMPLEMENT, Basis::TWO_INPUT, Basis::ANY] {
                let low = lower(&circuit, &basis);
                assert_eq!(outputs(&low), outputs(&circuit), "seed {seed}, {basis:?}");
                assert!(low.gates.iter().all(|g| basis.has(g.function)));
                let reads = |w: &Wire| low.gates.iter().any(|g| g.operands.contains(w)) || low.outputs.contains(w);
                assert!((0..low.gates.len()).all(|n| reads(&Wire::Gate(n))), "a gate that nothing reads");
                assert!(low.gates.iter().flat_map(|g| &g.operands).all(|w| !matches!(w, Wire::Constant(_))));
            }
        }
    }

    #[test]
    fn a_circuit_of_the_basis_stays_as_it_is() {
        let mut circuit = Circuit::new(3);
        let a = circuit.add(Function::ANDNOT, &[Wire::Input(0), Wire::Input(1)]);
        let b = circuit.add(Function::NOT, &[a]);
        let c = circuit.add(Function::OR, &[b, Wire::Input(2)]);
        circuit.outputs = vec![c, b];
        assert_eq!(lower(&circuit, &Basis::AND_COMPLEMENT), circuit);
        assert_eq!(lower(&circuit, &Basis::TWO_INPUT), circuit);
    }

    #[test]
    fn complements_move_to_where_they_cost_least() {
        let mut circuit = Circuit::new(3);
        let a = circuit.add(Function::NAND, &[Wire::Input(0), Wire::Input(1)]);
        let b = circuit.add(Function::XNOR, &[a, Wire::Input(2)]);
        circuit.outputs = vec![b];
        assert_eq!(lower(&circuit, &Basis::PLAIN).gates.len(), 2, "~(~(a & b) ^ c) is (a & b) ^ c");
    }
}
