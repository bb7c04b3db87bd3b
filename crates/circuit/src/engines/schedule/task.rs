//! One box on one machine: from a beam's states to circuits in the order of their cycles.

use super::beam::{self, Parameters};
use super::expand::Order;
use super::machine::Machine;
use super::state::State;
use super::word::Word;
use crate::circuit::{Circuit, Gate, Wire};
use crate::engines::Control;
use crate::metrics::schedule::exact;
use crate::problem::Problem;
use crate::table::Table;

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
        let accept = |state: &State<W>| {
            let length = || exact(&self.circuit(state), &self.problem.target, self.width()).length;
            parameters.order != Order::Loose || length() <= u32::from(parameters.deadline)
        };
        let found = beam::search(&self.machine, &self.inputs, &self.outputs, parameters, &accept, control);
        let timed = found.states.iter().map(|state| {
            let circuit = self.circuit(state);
            let schedule = exact(&circuit, &self.problem.target, self.width());
            (schedule.length, reordered(&circuit, &schedule.begins))
        });
        (timed.filter(|(_, circuit)| circuit.check(&self.problem.sbox).is_ok()).collect(), found.finished)
    }

    fn circuit(&self, state: &State<W>) -> Circuit {
        state.circuit(&self.machine, &self.problem.target, self.inputs.len(), &self.outputs)
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
