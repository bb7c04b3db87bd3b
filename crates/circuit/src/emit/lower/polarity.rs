//! Where complements go when a language has not every function of two operands.
//!
//! Each gate may compute its value or the complement of it; a gate that reads it is changed accordingly. The choice
//! decides which gates fall within the basis and how many NOTs remain. Small circuits: every choice is tried; large
//! ones: single gates are turned over as long as that helps.

use std::collections::BTreeSet;

use super::Basis;
use crate::circuit::{Circuit, Wire};
use crate::function::Function;

const EXHAUSTIVE: usize = 10;

/// A wire and whether its complement is meant.
type Literal = (Wire, bool);

struct Node {
    function: Function,
    operands: [Literal; 2],
}

/// Gates of two operands; NOTs have become complements of operands.
struct Network {
    inputs: u8,
    nodes: Vec<Node>,
    outputs: Vec<Literal>,
}

/// The circuit, whose gates have at most two operands, in gates of the basis.
pub fn placed(circuit: &Circuit, basis: &Basis) -> Circuit {
    let network = Network::of(circuit);
    let choice = network.best(basis);
    network.built(&choice, basis)
}

impl Network {
    fn of(circuit: &Circuit) -> Self {
        let mut network = Network { inputs: circuit.inputs, nodes: Vec::new(), outputs: Vec::new() };
        let mut place: Vec<Literal> = Vec::with_capacity(circuit.gates.len());
        let literal = |wire: Wire, place: &[Literal]| if let Wire::Gate(n) = wire { place[n] } else { (wire, false) };
        for gate in &circuit.gates {
            let operands: Vec<Literal> = gate.operands.iter().map(|&w| literal(w, &place)).collect();
            if gate.function == Function::NOT {
                place.push((operands[0].0, !operands[0].1));
                continue;
            }
            network.nodes.push(Node { function: gate.function, operands: [operands[0], operands[1]] });
            place.push((Wire::Gate(network.nodes.len() - 1), false));
        }
        network.outputs = circuit.outputs.iter().map(|&w| literal(w, &place)).collect();
        network
    }

    fn best(&self, basis: &Basis) -> Vec<bool> {
        let count = self.nodes.len();
        let bits = |choice: usize| (0..count).map(|n| choice >> n & 1 == 1).collect::<Vec<bool>>();
        if count <= EXHAUSTIVE {
            let choices = (0..1usize << count).map(bits);
            return choices.min_by_key(|choice| self.cost(choice, basis)).unwrap_or_default();
        }
        let normal = (0..count).fold(Vec::new(), |mut known: Vec<bool>, n| {
            let value = self.in_frame(n, &known, false).value(0);
            known.push(value);
            known
        });
        let starts = [vec![false; count], normal];
        let found = starts.into_iter().map(|start| self.climbed(start, basis));
        found.min_by_key(|choice| self.cost(choice, basis)).unwrap_or_default()
    }

    /// Turns over single gates, then pairs, as long as the cost falls.
    fn climbed(&self, mut choice: Vec<bool>, basis: &Basis) -> Vec<bool> {
        let count = choice.len();
        let mut cost = self.cost(&choice, basis);
        let mut try_turn = |choice: &mut Vec<bool>, gates: &[usize]| {
            gates.iter().for_each(|&n| choice[n] = !choice[n]);
            let now = self.cost(choice, basis);
            if now < cost {
                cost = now;
                return true;
            }
            gates.iter().for_each(|&n| choice[n] = !choice[n]);
            false
        };
        // Ends: each iteration but the last lowers the cost.
        loop {
            if (0..count).any(|n| try_turn(&mut choice, &[n])) {
                continue;
            }
            let neighbours = (0..count).flat_map(|n| {
                let read = self.nodes[n].operands.map(|(w, _)| w);
                read.into_iter().filter_map(move |w| if let Wire::Gate(m) = w { Some([m, n]) } else { None })
            });
            let pairs: Vec<[usize; 2]> = neighbours.collect();
            if !pairs.iter().any(|pair| try_turn(&mut choice, pair)) {
                return choice;
            }
        }
    }

    /// The function of a node on the values as they are kept.
    fn in_frame(&self, n: usize, choice: &[bool], complemented: bool) -> Function {
        let node = &self.nodes[n];
        let turned = node.operands.map(|(wire, minus)| minus != matches!(wire, Wire::Gate(m) if choice[m]));
        let flip = usize::from(turned[0]) | usize::from(turned[1]) << 1;
        let table = (0..4).fold(0, |t, i| t | u16::from(node.function.value(i ^ flip) != complemented) << i);
        Function::new(2, table)
    }

    /// Which operands must be complemented so that a gate of the basis remains; `known` complements cost nothing.
    fn needs(&self, n: usize, choice: &[bool], basis: &Basis, known: &BTreeSet<Wire>) -> [bool; 2] {
        let function = self.in_frame(n, choice, choice[n]);
        let wires = self.nodes[n].operands.map(|(wire, _)| wire);
        let options = (0..4usize).filter(|&flip| {
            let table = (0..4).fold(0, |t, i| t | u16::from(function.value(i ^ flip)) << i);
            basis.has(Function::new(2, table))
        });
        let price = |flip: usize| (0..2).filter(|&k| flip >> k & 1 == 1 && !known.contains(&wires[k])).count();
        let flip = options.min_by_key(|&flip| (price(flip), flip)).unwrap_or(0);
        [flip & 1 == 1, flip & 2 == 2]
    }

    /// Number of NOTs, then of the sum of their places: late ones lengthen fewer paths.
    fn cost(&self, choice: &[bool], basis: &Basis) -> (usize, usize) {
        let mut known = BTreeSet::new();
        for n in 0..self.nodes.len() {
            let needs = self.needs(n, choice, basis, &known);
            known.extend((0..2).filter(|&k| needs[k]).map(|k| self.nodes[n].operands[k].0));
        }
        known.extend(self.outputs.iter().filter(|output| self.is_turned(output, choice)).map(|(wire, _)| *wire));
        let late = |wire: &Wire| if let Wire::Gate(n) = wire { self.nodes.len() - n } else { 0 };
        (known.len(), known.iter().map(late).sum())
    }

    fn is_turned(&self, (wire, minus): &Literal, choice: &[bool]) -> bool {
        match *wire {
            Wire::Gate(n) => choice[n] != *minus,
            Wire::Input(_) => *minus,
            Wire::Constant(_) => false,
        }
    }

    fn built(&self, choice: &[bool], basis: &Basis) -> Circuit {
        let mut circuit = Circuit::new(self.inputs);
        let mut place: Vec<Wire> = Vec::with_capacity(self.nodes.len());
        let mut complements: Vec<(Wire, Wire)> = Vec::new();
        let mut known = BTreeSet::new();
        for n in 0..self.nodes.len() {
            let needs = self.needs(n, choice, basis, &known);
            known.extend((0..2).filter(|&k| needs[k]).map(|k| self.nodes[n].operands[k].0));
            let flip = usize::from(needs[0]) | usize::from(needs[1]) << 1;
            let function = self.in_frame(n, choice, choice[n]);
            let table = (0..4).fold(0, |t, i| t | u16::from(function.value(i ^ flip)) << i);
            let read: Vec<Wire> = (0..2)
                .map(|k| {
                    let wire = at(self.nodes[n].operands[k].0, &place);
                    if needs[k] {
                        complement(&mut circuit, &mut complements, wire)
                    } else {
                        wire
                    }
                })
                .collect();
            place.push(circuit.add(Function::new(2, table), &read));
        }
        for output in &self.outputs {
            let wire = at(output.0, &place);
            let turned = self.is_turned(output, choice);
            let last = match wire {
                Wire::Constant(value) => Wire::Constant(value != output.1),
                _ if turned => complement(&mut circuit, &mut complements, wire),
                _ => wire,
            };
            circuit.outputs.push(last);
        }
        circuit
    }
}

fn at(wire: Wire, place: &[Wire]) -> Wire {
    if let Wire::Gate(n) = wire {
        place[n]
    } else {
        wire
    }
}

fn complement(circuit: &mut Circuit, known: &mut Vec<(Wire, Wire)>, wire: Wire) -> Wire {
    if let Some((_, found)) = known.iter().find(|(of, _)| *of == wire) {
        return *found;
    }
    let made = circuit.add(Function::NOT, &[wire]);
    known.push((wire, made));
    made
}
