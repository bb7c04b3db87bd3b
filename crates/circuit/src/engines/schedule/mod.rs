//! Fast circuits: a beam search in which every gate gets a cycle, so that nothing slow is built in the first place.
//!
//! A state is a set of truth tables, each with the cycle in which it is computed; slots of a machine of limited width
//! are filled as gates are added. States with the same number of gates compete; what counts is how many gates their
//! missing outputs still need, as far as that shows within three gates.

pub mod beam;
pub mod expand;
pub mod machine;
pub mod state;
pub mod word;

mod units;

use std::collections::HashSet;

use self::beam::{Found, Parameters};
use self::expand::Order;
use self::machine::Machine;
use self::state::State;
use self::units::Plan;
use self::word::Word;
use super::{Bound, Control, Engine, Step};
use crate::circuit::{Circuit, Gate, Wire};
use crate::closure::Closure;
use crate::metrics::schedule::exact;
use crate::problem::{Metric, Problem};
use crate::table::Table;

/// Beam search over scheduled circuits.
pub struct Schedule;

impl Engine for Schedule {
    fn name(&self) -> &'static str {
        "schedule"
    }

    fn description(&self) -> &'static str {
        "beam over circuits whose every gate has a cycle: fewest cycles or levels first, then fewest operations"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let first = matches!(problem.objective.first(), Some(Metric::Cycles | Metric::Depth));
        let fits = (1..=6).contains(&problem.sbox.inputs) && Machine::<u64>::new(problem).is_some();
        if first && fits {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        match problem.sbox.inputs {
            1..=4 => run::<u16>(problem, unit, control),
            5 => run::<u32>(problem, unit, control),
            6 => run::<u64>(problem, unit, control),
            _ => Step::default(),
        }
    }
}

fn run<W: Word>(problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
    let Some(machine) = Machine::<W>::new(problem) else { return Step::default() };
    let count = problem.sbox.inputs;
    let inputs: Vec<W> = (0..count).map(|k| W::from_table(&Table::input(count, usize::from(k)))).collect();
    let outputs: Vec<W> = problem.sbox.tables().iter().map(W::from_table).collect();
    let least = Closure::new(&machine, &inputs).bound(&outputs);
    let metric = problem.objective.first().copied().unwrap_or(Metric::Cycles);
    let bounds = vec![Bound { metric, value: least as f64, kind: "closure" }];
    let plan = Plan::new(unit, problem.seed, machine.width < u8::MAX);
    let mut seen = HashSet::new();
    let mut circuits: Vec<Circuit> = Vec::new();
    let width = problem.target.issue_width.filter(|_| machine.width < u8::MAX);
    let mut keep = |found: &Found<W>| {
        let mut fewest = None;
        for state in &found.states {
            let circuit = state.circuit(&machine, &problem.target, inputs.len(), &outputs);
            let schedule = exact(&circuit, &problem.target, width);
            fewest = Some(fewest.unwrap_or(schedule.length).min(schedule.length));
            let circuit = reordered(&circuit, &schedule.begins);
            if circuit.check(&problem.sbox).is_ok() && seen.insert(circuit.clone()) {
                circuits.push(circuit);
            }
        }
        fewest
    };
    let search = |parameters: &Parameters| {
        let accept = |state: &State<W>| {
            let circuit = || state.circuit(&machine, &problem.target, inputs.len(), &outputs);
            let length = || exact(&circuit(), &problem.target, width).length;
            parameters.order != Order::Loose || length() <= u32::from(parameters.deadline)
        };
        beam::search(&machine, &inputs, &outputs, parameters, &accept, control)
    };
    let (finished, deadlines) = units::descend(&plan, machine.width, least as u8, search, &mut keep);
    circuits.reverse();
    Step { circuits, bounds, effort: plan.effort(&deadlines), finished }
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

#[cfg(test)]
pub(crate) mod tests;
