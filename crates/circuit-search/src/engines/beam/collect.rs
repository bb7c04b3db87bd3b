//! The circuits found, the best of them by the problem's objective.

use std::collections::HashSet;

use crate::normal::normal;
use circuit::circuit::{Circuit, Wire};
use circuit::problem::{Metric, Problem};
use circuit::table::Table;

use super::complements::{circuits, Rules, Source};
use super::structure::structures;
use super::word::Word;

/// Structures of one set, and circuits of one structure.
const STRUCTURES: usize = 64;
const PLACINGS: usize = 8;
/// Inverters beyond the fewest of any circuit so far.
const SPARE: usize = 1;

/// Makes circuits of sets and keeps the best.
pub struct Collector<'a, W> {
    problem: &'a Problem,
    rules: &'a Rules,
    most: usize,
    /// The inputs.
    pub inputs: Vec<W>,
    /// The outputs to be found: in normal form, different, no inputs and no constants.
    pub missing: Vec<W>,
    outputs: Vec<Table>,
    found: Vec<(Vec<usize>, Circuit)>,
    known: HashSet<Circuit>,
    fewest: usize,
}

impl<'a, W: Word> Collector<'a, W> {
    /// Nothing yet, for a problem.
    pub fn new(problem: &'a Problem, rules: &'a Rules, most: usize) -> Self {
        let n = problem.sbox.inputs;
        let inputs: Vec<W> = (0..usize::from(n)).map(|k| W::from_table(&Table::input(n, k))).collect();
        let outputs = problem.sbox.tables();
        let mut missing: Vec<W> = Vec::new();
        for word in outputs.iter().map(|&t| W::from_table(&normal(t))) {
            if word != W::default() && !inputs.contains(&word) && !missing.contains(&word) {
                missing.push(word);
            }
        }
        let (found, known) = (Vec::new(), HashSet::new());
        Collector { problem, rules, most, inputs, missing, outputs, found, known, fewest: usize::MAX }
    }

    /// Whether there is a circuit.
    pub fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// Number of circuits.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// Makes circuits of a set that holds the outputs.
    pub fn add(&mut self, set: &[W]) {
        let sources: Vec<Source> = self.outputs.iter().map(|&t| source(set, t)).collect();
        let inputs = self.inputs.len();
        for structure in structures(set, inputs, self.rules.xor, STRUCTURES) {
            let spare = self.fewest.saturating_add(SPARE).saturating_sub(structure.made.len());
            let limit = spare.min(set.len());
            for circuit in circuits(self.rules, &structure, inputs, &sources, limit, PLACINGS) {
                let circuit = circuit.pruned();
                self.fewest = self.fewest.min(circuit.gates.len());
                if self.known.insert(circuit.clone()) {
                    self.found.push((rank(&circuit, &self.problem.objective), circuit));
                }
            }
        }
        if self.found.len() > 8 * self.most {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        self.found.sort_by(|a, b| a.0.cmp(&b.0));
        self.found.truncate(self.most);
    }

    /// The best circuits, best first; a circuit that does not compute the box is dropped.
    pub fn finish(mut self) -> Vec<Circuit> {
        self.found.retain(|(_, circuit)| circuit.check(&self.problem.sbox).is_ok());
        self.shrink();
        self.found.into_iter().map(|(_, circuit)| circuit).collect()
    }
}

/// Where a set holds an output.
fn source<W: Word>(set: &[W], output: Table) -> Source {
    let complemented = output.bit(0);
    let word = W::from_table(&normal(output));
    set.iter().position(|&f| f == word).map_or(Source::Constant(complemented), |n| Source::Function(n, complemented))
}

/// What the objective makes of a circuit, as far as gates alone tell; then gates and depth.
fn rank(circuit: &Circuit, objective: &[Metric]) -> Vec<usize> {
    objective.iter().chain(&[Metric::Gates, Metric::Depth]).filter_map(|&metric| count(circuit, metric)).collect()
}

fn count(circuit: &Circuit, metric: Metric) -> Option<usize> {
    match metric {
        Metric::Gates | Metric::Ops | Metric::Instructions | Metric::Area => Some(circuit.gates.len()),
        Metric::Depth | Metric::Cycles => Some(depth(circuit)),
        Metric::AndCount => Some(circuit.gates.iter().filter(|g| !g.function.is_linear()).count()),
        _ => None,
    }
}

/// Gates on the longest path.
fn depth(circuit: &Circuit) -> usize {
    let mut levels: Vec<usize> = Vec::with_capacity(circuit.gates.len());
    let level = |wire: &Wire, levels: &[usize]| if let Wire::Gate(n) = *wire { levels[n] } else { 0 };
    for gate in &circuit.gates {
        let deepest = gate.operands.iter().map(|w| level(w, &levels)).max().unwrap_or(0);
        levels.push(deepest + 1);
    }
    circuit.outputs.iter().map(|w| level(w, &levels)).max().unwrap_or(0)
}
