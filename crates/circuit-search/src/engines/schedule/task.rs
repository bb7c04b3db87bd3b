//! One box on one machine: from a beam's states to circuits in the order of their cycles.

use std::collections::HashSet;

use super::beam::{self, Parameters};
use super::expand::Order;
use super::machine::Machine;
use super::state::State;
use super::word::Word;
use crate::engines::beam::fewest_gates;
use crate::engines::Control;
use circuit::circuit::{Circuit, Gate, Wire};
use circuit::metrics::schedule::exact;
use circuit::problem::{Metric, Problem};
use circuit::table::Table;
use circuit::target::{Operation, Target};

/// Most circuits of few gates that are taken apart.
const SETS: usize = 400;
/// Complements added to such a circuit.
const SPARE: usize = 3;

/// What is searched.
pub struct Task<'a, W> {
    problem: &'a Problem,
    /// The machine.
    pub machine: Machine<W>,
    /// Tables of the inputs.
    pub inputs: Vec<W>,
    /// Tables of the outputs.
    pub outputs: Vec<W>,
}

impl<'a, W: Word> Task<'a, W> {
    /// The task of a problem, if its target is a machine that the search can serve.
    #[must_use]
    pub fn new(problem: &'a Problem) -> Option<Self> {
        let machine = Machine::new(problem)?;
        let count = problem.sbox.inputs;
        let inputs = (0..count).map(|k| W::from_table(&Table::input(count, usize::from(k)))).collect();
        let outputs = problem.sbox.tables().iter().map(W::from_table).collect();
        Some(Task { problem, machine, inputs, outputs })
    }

    /// Operations begun in a cycle; none if there is no limit that matters.
    #[must_use]
    pub fn width(&self) -> Option<u32> {
        self.problem.target.issue_width.filter(|_| self.machine.width < u8::MAX)
    }

    /// Runs a beam. Gives circuits of the box with their cycles in the shortest schedule, gates in its order, and
    /// whether the beam came to its end.
    pub fn search(&self, parameters: &Parameters, control: &Control<'_>) -> (Vec<(u32, Circuit)>, bool) {
        self.search_within(None, parameters, control)
    }

    /// As [`Task::search`], with gates of a set of tables only.
    pub fn search_within(
        &self,
        within: Option<&HashSet<W>>,
        parameters: &Parameters,
        control: &Control<'_>,
    ) -> (Vec<(u32, Circuit)>, bool) {
        let accept = |state: &State<W>| {
            let length = || exact(&self.circuit(state), &self.problem.target, self.width()).length;
            parameters.order != Order::Loose || length() <= u32::from(parameters.deadline)
        };
        let found = beam::search(&self.machine, &self.inputs, &self.outputs, parameters, within, &accept, control);
        let timed = found.states.iter().map(|state| {
            let circuit = self.circuit(state);
            let schedule = exact(&circuit, &self.problem.target, self.width());
            (schedule.length, reordered(&circuit, &schedule.begins))
        });
        (timed.filter(|(_, circuit)| circuit.check(&self.problem.sbox).is_ok()).collect(), found.finished)
    }

    /// Circuits of a box in the operations of the machine, made of the functions (complemented or not) that circuits
    /// with the fewest two-input gates consist of: a few gates less are often worth more than haste in each of them.
    /// `beam` gives the parameters for a number of cycles and of gates.
    pub fn from_few_gates(
        &self,
        width: usize,
        beam: impl Fn(u8, usize) -> Parameters,
        control: &Control<'_>,
    ) -> (Vec<(u32, Circuit)>, bool) {
        let problem = Problem { target: two_input(), objective: vec![Metric::Gates], ..self.problem.clone() };
        let mut known: HashSet<Vec<W>> = HashSet::new();
        let mut found: Vec<(u32, Circuit)> = Vec::new();
        for circuit in fewest_gates(&problem, width, 1, SETS, control) {
            let tables: Vec<W> = circuit.tables().iter().map(W::from_table).collect();
            let mut set: Vec<W> = tables.iter().map(|&t| t.min(!t)).collect();
            set.sort_unstable();
            if !known.insert(set) {
                continue;
            }
            let within: HashSet<W> = tables.iter().flat_map(|&t| [t, !t]).collect();
            let (mut cycles, mut gates) = found.last().map_or((60, usize::MAX), |(n, c)| (*n, c.gates.len()));
            // Fewer cycles as long as there are, then as many with fewer gates.
            while cycles > 0 {
                let fewer =
                    self.search_within(Some(&within), &beam(cycles.min(60) as u8 - 1, tables.len() + SPARE), control);
                let same = |all: &Vec<(u32, Circuit)>| all.is_empty() && gates <= tables.len() + SPARE && gates > 1;
                let (circuits, finished) = match same(&fewer.0) && fewer.1 {
                    true => self.search_within(Some(&within), &beam(cycles.min(60) as u8, gates - 1), control),
                    false => fewer,
                };
                let Some(best) = circuits.into_iter().min_by_key(|(n, c)| (*n, c.gates.len())) else { break };
                (cycles, gates) = (best.0, best.1.gates.len());
                found.push(best);
                if !finished {
                    return (found, false);
                }
            }
            if (control.stopped)() {
                return (found, false);
            }
        }
        (found, true)
    }

    fn circuit(&self, state: &State<W>) -> Circuit {
        state.circuit(&self.machine, &self.problem.target, self.inputs.len(), &self.outputs)
    }
}

/// Every function of one and two operands.
fn two_input() -> Target {
    let gate = |arity| Operation { name: "gate".into(), arity, table: None, latency: 1, size: 1.0 };
    Target {
        name: "two-input".into(),
        title: String::new(),
        operations: vec![gate(2), gate(1)],
        issue_width: None,
        registers: None,
        two_operand: false,
        objective: vec!["gates".into()],
    }
}

/// The circuit with its gates in the order of the cycles in which they begin.
#[must_use]
pub fn reordered(circuit: &Circuit, begins: &[u32]) -> Circuit {
    let mut order: Vec<usize> = (0..begins.len()).collect();
    order.sort_by_key(|&n| begins[n]);
    let mut place = vec![0; begins.len()];
    order.iter().enumerate().for_each(|(to, &from)| place[from] = to);
    let moved = |wire: &Wire| if let Wire::Gate(n) = *wire { Wire::Gate(place[n]) } else { *wire };
    let gate = |&n: &usize| Gate {
        function: circuit.gates[n].function,
        operands: circuit.gates[n].operands.iter().map(moved).collect(),
    };
    Circuit {
        inputs: circuit.inputs,
        gates: order.iter().map(gate).collect(),
        outputs: circuit.outputs.iter().map(moved).collect(),
    }
}
