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
use self::machine::Machine;
use self::units::Plan;
use self::word::Word;
use super::{Bound, Control, Engine, Step};
use crate::circuit::Circuit;
use crate::closure::Closure;
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
    let mut keep = |found: &Found<W>| {
        for state in &found.states {
            let circuit = state.circuit(&machine, &problem.target, inputs.len(), &outputs);
            if circuit.check(&problem.sbox).is_ok() && seen.insert(circuit.clone()) {
                circuits.push(circuit);
            }
        }
    };
    let search = |parameters: &Parameters| beam::search(&machine, &inputs, &outputs, parameters, control);
    let (finished, deadlines) = units::descend(&plan, machine.width, least as u8, search, &mut keep);
    circuits.reverse();
    Step { circuits, bounds, effort: plan.effort(&deadlines), finished }
}

#[cfg(test)]
pub(crate) mod tests;
