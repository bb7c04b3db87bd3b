//! Fast circuits: a beam search in which every gate gets a cycle, so that nothing slow is built in the first place.
//!
//! A state is a set of truth tables, each with the cycle in which it is computed; slots of a machine of limited width
//! are filled as gates are added, or looked at when a circuit is complete. States with the same number of gates
//! compete; what counts is how many gates their missing outputs still need, as far as that shows within three gates,
//! and beyond that how far they are from what chance would give.

pub mod beam;
pub mod expand;
pub mod machine;
pub mod state;
pub mod task;
pub mod word;

mod units;

use std::collections::HashSet;

use self::machine::Machine;
use self::task::Task;
use self::units::Plan;
use self::word::Word;
use super::{Bound, Control, Engine, Step};
use crate::closure::Closure;
use circuit::circuit::Circuit;
use circuit::problem::{Metric, Problem};

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
    let Some(task) = Task::<W>::new(problem) else { return Step::default() };
    let least = Closure::new(&task.machine, &task.inputs).bound(&task.outputs);
    let metric = problem.objective.first().copied().unwrap_or(Metric::Cycles);
    let bounds = vec![Bound { metric, value: least as f64, kind: "closure" }];
    let plan = Plan::new(unit, problem.seed, task.width().is_some());
    if plan.few_gates {
        let narrow = |deadline, gates| plan.narrow(deadline, gates);
        let (mut found, finished) = task.from_few_gates(plan.width, narrow, control);
        found.reverse();
        let circuits = found.into_iter().map(|(_, circuit)| circuit).collect();
        return Step { circuits, bounds, effort: plan.effort(&[]), finished };
    }
    let mut seen = HashSet::new();
    let mut circuits: Vec<Circuit> = Vec::new();
    let beam = |parameters: &_| {
        let (found, finished) = task.search(parameters, control);
        let fewest = found.iter().map(|(cycles, _)| *cycles).min();
        circuits.extend(found.into_iter().map(|(_, circuit)| circuit).filter(|c| seen.insert(c.clone())));
        (fewest, finished)
    };
    let (finished, deadlines) = units::descend(&plan, task.width().is_some(), least as u8, beam);
    circuits.reverse();
    Step { circuits, bounds, effort: plan.effort(&deadlines), finished }
}

#[cfg(test)]
pub(crate) mod tests;
