//! Where complements go: the fewest inverters that make a structure a circuit of a target's gates.
//!
//! Each function is computed as it is in normal form or complemented, as the gates at hand allow from what is there
//! of its operands; an inverter gives the other one too. The fewest inverters are found by deepening: none, one, …

use crate::normal::{with_complements, CLASSES};
use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;
use circuit::target::Target;

use super::structure::Structure;

/// A gate and whether it takes its operands in the other order.
type Choice = (Function, bool);

/// What a target's two-input gates can compute.
#[derive(Clone, Debug)]
pub struct Rules {
    /// By class, complement of the first and second operand, and complement of the result.
    gates: [[Option<Choice>; 8]; 5],
    /// The inverter, of one operand or of the same one twice.
    inverter: Option<Function>,
    /// Whether complements are free everywhere.
    pub complete: bool,
    /// Whether exclusive or is among the gates.
    pub xor: bool,
}

impl Rules {
    /// The rules of a target; None if it has no AND in any form, or no inverter.
    #[must_use]
    pub fn of(target: &Target) -> Option<Self> {
        let mut gates = [[None; 8]; 5];
        for (class, row) in gates.iter_mut().enumerate() {
            for (index, choice) in row.iter_mut().enumerate() {
                let operands = [index & 1 == 1, index >> 1 & 1 == 1];
                let function = with_complements(CLASSES[class], operands, index >> 2 == 1);
                let swapped = function.reordered(&[1, 0]);
                *choice = target
                    .has(function)
                    .then_some((function, false))
                    .or_else(|| target.has(swapped).then_some((swapped, true)));
            }
        }
        let inverter = [Function::NOT, Function::NAND, Function::NOR].into_iter().find(|&f| target.has(f));
        let any = |class: usize| gates[class].iter().any(Option::is_some);
        let complete = gates.iter().flatten().all(Option::is_some);
        (any(0) && inverter.is_some()).then(|| Rules { gates, inverter, complete, xor: any(4) })
    }

    /// The gate of a class that gives the result `complemented`, from what there is of the operands.
    fn gate(&self, class: usize, there: [u8; 2], complemented: bool) -> Option<(Choice, [bool; 2])> {
        (0..4usize).find_map(|index| {
            let operands = [index & 1, index >> 1];
            let known = (0..2).all(|n| there[n] >> operands[n] & 1 == 1);
            let gate = self.gates[class][index | usize::from(complemented) << 2];
            gate.filter(|_| known).map(|g| (g, operands.map(|o| o == 1)))
        })
    }
}

/// An output: a constant, or a function of the set and whether it is complemented.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// All zeros or all ones.
    Constant(bool),
    /// Number in the set, complement.
    Function(usize, bool),
}

/// Steps of the search for one number of inverters.
const STEPS: usize = 20_000;

struct Placer<'a> {
    rules: &'a Rules,
    structure: &'a Structure,
    inputs: usize,
    /// Nodes in order of decision: inputs, then functions in order of computation.
    nodes: Vec<usize>,
    /// What outputs need of each function: bit 0 as it is, bit 1 complemented.
    needed: Vec<u8>,
    /// What there is of each function.
    there: Vec<u8>,
    /// Whether a function's gate computes the complement.
    complemented: Vec<bool>,
    found: Vec<(Vec<u8>, Vec<bool>)>,
    most: usize,
    steps: usize,
}

impl Placer<'_> {
    fn decide(&mut self, at: usize, inverters: usize) {
        self.steps += 1;
        if self.steps > STEPS || self.found.len() >= self.most {
            return;
        }
        let Some(&node) = self.nodes.get(at) else {
            self.found.push((self.there.clone(), self.complemented.clone()));
            return;
        };
        let mut inverted = false;
        for complemented in self.ways(node) {
            let own = 1 << u8::from(complemented);
            self.complemented[node] = complemented;
            if self.needed[node] & !own == 0 {
                self.there[node] = own;
                self.decide(at + 1, inverters);
            }
            if inverters > 0 && !inverted {
                inverted = true;
                self.there[node] = 3;
                self.decide(at + 1, inverters - 1);
            }
        }
    }

    /// Places inverters wherever the next gate needs one, without looking ahead.
    fn at_once(&mut self) {
        for at in 0..self.nodes.len() {
            let node = self.nodes[at];
            let mut own = 0;
            if node >= self.inputs {
                let made = self.structure.made[node - self.inputs];
                let missing = |index: usize, n: usize| self.there[made.operands[n]] >> (index >> n & 1) & 1 == 0;
                let possible = (0..8).filter(|&index| self.rules.gates[made.class][index].is_some());
                let cost = |index: usize| {
                    let inverters = u8::from(missing(index, 0)) + u8::from(missing(index, 1));
                    (inverters, self.needed[node] >> (index >> 2) & 1 == 0, index >> 2)
                };
                let index = possible.min_by_key(|&index| cost(index)).unwrap_or(0);
                own = index >> 2;
                for n in 0..2 {
                    self.there[made.operands[n]] |= 1 << (index >> n & 1);
                }
            }
            self.complemented[node] = own == 1;
            self.there[node] = 1 << own | self.needed[node];
        }
        self.found.push((self.there.clone(), self.complemented.clone()));
    }

    /// How the node can be computed.
    fn ways(&self, node: usize) -> Vec<bool> {
        if node < self.inputs {
            return vec![false];
        }
        if self.rules.complete {
            return vec![self.needed[node] == 2];
        }
        let made = self.structure.made[node - self.inputs];
        let there = made.operands.map(|a| self.there[a]);
        [false, true].into_iter().filter(|&c| self.rules.gate(made.class, there, c).is_some()).collect()
    }
}

/// Circuits of a structure with the fewest inverters, none if more than `limit` are needed; at most `most`.
///
/// Where the search takes too long, inverters are placed without it.
#[must_use]
pub fn circuits(
    rules: &Rules,
    structure: &Structure,
    inputs: usize,
    outputs: &[Source],
    limit: usize,
    most: usize,
) -> Vec<Circuit> {
    let size = inputs + structure.made.len();
    let mut needed = vec![0; size];
    for source in outputs {
        if let Source::Function(n, complemented) = *source {
            needed[n] |= 1 << u8::from(complemented);
        }
    }
    let nodes = (0..inputs).chain(structure.order.iter().copied()).collect();
    let (there, complemented) = (vec![0; size], vec![false; size]);
    let mut placing =
        Placer { rules, structure, inputs, nodes, needed, there, complemented, found: Vec::new(), most, steps: 0 };
    for inverters in 0..=limit {
        placing.steps = 0;
        placing.decide(0, inverters);
        if !placing.found.is_empty() || placing.steps > STEPS {
            break;
        }
    }
    if placing.found.is_empty() && placing.steps > STEPS {
        placing.at_once();
        placing.found.retain(|(there, _)| there.iter().filter(|&&t| t == 3).count() <= limit);
    }
    let found = std::mem::take(&mut placing.found);
    found.iter().map(|(there, complemented)| build(&placing, there, complemented, outputs)).collect()
}

fn build(placing: &Placer<'_>, there: &[u8], complemented: &[bool], outputs: &[Source]) -> Circuit {
    let mut circuit = Circuit::new(placing.inputs as u8);
    let mut wires = vec![[Wire::Constant(false); 2]; there.len()];
    for &node in &placing.nodes {
        let own = complemented[node];
        let wire = if node < placing.inputs {
            Wire::Input(node)
        } else {
            let made = placing.structure.made[node - placing.inputs];
            let at_hand = made.operands.map(|a| there[a]);
            match placing.rules.gate(made.class, at_hand, own) {
                Some(((function, swapped), flips)) => {
                    let [a, b] = [0, 1].map(|n| wires[made.operands[n]][usize::from(flips[n])]);
                    circuit.add(function, &if swapped { [b, a] } else { [a, b] })
                }
                None => Wire::Constant(false),
            }
        };
        wires[node][usize::from(own)] = wire;
        if there[node] == 3 {
            let inverter = placing.rules.inverter.unwrap_or(Function::NOT);
            wires[node][usize::from(!own)] = circuit.add(inverter, &vec![wire; usize::from(inverter.arity)]);
        }
    }
    circuit.outputs = outputs
        .iter()
        .map(|source| match *source {
            Source::Constant(value) => Wire::Constant(value),
            Source::Function(n, complement) => wires[n][usize::from(complement)],
        })
        .collect();
    circuit
}
