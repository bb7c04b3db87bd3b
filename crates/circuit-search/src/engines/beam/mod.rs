//! Beam over sets of truth tables: circuits of two-input gates for any box.
//!
//! Sets of functions are searched with complements left open ([`search`], rated by [`score`]); each set that holds
//! the outputs gives one or more [`structure`]s, and each of these gets its [`complements`] with the fewest inverters
//! that the target's gates allow. One gate more than the least is tried too where complements cost, and for
//! objectives other than the number of gates.

mod collect;
pub mod complements;
mod marks;
pub mod score;
pub mod search;
mod selection;
pub mod structure;
pub mod word;

use circuit::circuit::Circuit;
use circuit::problem::{Metric, Problem};
use circuit::random::mix;
use circuit::target::Target;

use super::{Control, Engine, Step};
use collect::Collector;
use complements::Rules;
use score::{Weights, WEIGHTS};
use search::{Beam, Plan};
use word::{Wide, Word};

/// The engine.
pub struct Sets;

/// Widths of the first units, for four inputs; later ones are as wide as the last.
const WIDTHS: [usize; 5] = [300, 1000, 3000, 10_000, 20_000];

/// Circuits of one unit.
const MOST: usize = 200;

fn plan(problem: &Problem, rules: &Rules, unit: u64) -> Plan {
    let width = WIDTHS[(unit as usize).min(WIDTHS.len() - 1)];
    let (divisor, limit) = match problem.sbox.inputs {
        0..=4 => (1, 60),
        5 => (3, 80),
        6 => (15, 100),
        _ => (100, 120),
    };
    let noise = [30, 60, 10][unit as usize % 3];
    let seed = mix(problem.seed ^ mix(unit));
    // Once the widths are used up, the weights change with the unit: other sets are then promising.
    let weights = match (unit as usize).saturating_sub(WIDTHS.len()) % 4 {
        1 => Weights { balanced: 5, ..WEIGHTS },
        2 => Weights { reached: 0, dimension: 0, ..WEIGHTS },
        3 => Weights { spanned: 0, dimension: -20, ..WEIGHTS },
        _ => WEIGHTS,
    };
    Plan { width: (width / divisor).max(2), noise, seed, xor: rules.xor, limit, most: 2000, weights }
}

impl Engine for Sets {
    fn name(&self) -> &'static str {
        "beam"
    }

    fn description(&self) -> &'static str {
        "two-input gates: beam over sets of truth tables, then the fewest inverters"
    }

    fn units(&self, problem: &Problem) -> u64 {
        if serves(&problem.target) {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let Some(rules) = Rules::of(&problem.target) else { return Step::default() };
        let plan = plan(problem, &rules, unit);
        let gates_first = matches!(problem.objective.first(), Some(Metric::Gates | Metric::Ops) | None);
        let beyond = usize::from(!rules.complete || !gates_first);
        let (circuits, finished) = collected(problem, &rules, &plan, beyond, MOST, control);
        let effort = format!("beam, width {}, noise {}, seed {}, unit {unit}", plan.width, plan.noise, problem.seed);
        Step { circuits, bounds: Vec::new(), effort, finished }
    }
}

/// Whether a target is a set of gates, two-input gates among them, each as good as another.
#[must_use]
pub fn serves(target: &Target) -> bool {
    let alike = target.operations.iter().all(|o| (o.size - 1.0).abs() < 1e-9);
    alike && !target.two_operand && Rules::of(target).is_some()
}

/// Circuits of a box with the fewest gates that a beam finds, up to `most`, and with up to `beyond` gates more that
/// are no outputs; the best by the problem's objective first.
///
/// Where complements cost, the fewest are placed in each. Empty for a target without two-input gates.
#[must_use]
pub fn fewest_gates(
    problem: &Problem,
    width: usize,
    beyond: usize,
    most: usize,
    control: &Control<'_>,
) -> Vec<Circuit> {
    let Some(rules) = Rules::of(&problem.target) else { return Vec::new() };
    let plan = Plan { width, most: most.max(2000), ..plan(problem, &rules, 0) };
    collected(problem, &rules, &plan, beyond, most, control).0
}

/// Circuits of a box by a plan of one's own, as [`fewest_gates`] gives them; false if it was stopped before its end.
pub fn collected(
    problem: &Problem,
    rules: &Rules,
    plan: &Plan,
    beyond: usize,
    most: usize,
    control: &Control<'_>,
) -> (Vec<Circuit>, bool) {
    match problem.sbox.inputs {
        0..=4 => searched::<u16>(problem, rules, plan, beyond, most, control),
        5 | 6 => searched::<u64>(problem, rules, plan, beyond, most, control),
        _ => searched::<Wide>(problem, rules, plan, beyond, most, control),
    }
}

fn searched<W: Word>(
    problem: &Problem,
    rules: &Rules,
    plan: &Plan,
    beyond: usize,
    most: usize,
    control: &Control<'_>,
) -> (Vec<Circuit>, bool) {
    let mut collector = Collector::<W>::new(problem, rules, most);
    let (inputs, outputs) = (collector.inputs.clone(), collector.missing.clone());
    let mut beam = Beam::new(plan, &inputs, &outputs);
    let (mut level, mut left) = (0, beyond);
    loop {
        let solved = !beam.solutions.is_empty() || collector.any();
        for set in std::mem::take(&mut beam.solutions) {
            if (control.stopped)() && collector.any() {
                break;
            }
            collector.add(&set);
        }
        if solved && left == 0 {
            return (collector.finish(), true);
        }
        left -= usize::from(solved);
        level += 1;
        (control.progress)(&format!("level {level}, {} states, {} circuits", beam.states(), collector.count()));
        if !beam.step(control.stopped) && beam.solutions.is_empty() {
            let finished = !(control.stopped)();
            return (collector.finish(), finished);
        }
    }
}

#[cfg(test)]
mod tests;
