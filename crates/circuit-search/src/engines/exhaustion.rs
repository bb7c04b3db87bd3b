//! `exhaustion`: how many two-input gates a box of four inputs needs at least, by looking at every circuit.
//!
//! It gives bounds, no circuits: where a circuit exists, the other engines have found it sooner.

use super::{Bound, Control, Engine, Step};
use crate::exhaust::plan::{serves, Exhaustion};
use circuit::problem::{Metric, Problem};

/// Gates up to which a box takes no more than minutes.
const MOST: usize = 11;

/// Metrics that are no less than the number of two-input gates.
const COUNTS: [Metric; 3] = [Metric::Gates, Metric::Ops, Metric::Instructions];

/// The engine; see the module's text.
pub struct ExhaustiveSearch;

impl Engine for ExhaustiveSearch {
    fn name(&self) -> &'static str {
        "exhaustion"
    }

    fn description(&self) -> &'static str {
        "every circuit of so many two-input gates, up to 11, for boxes of four inputs: bounds"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let pairs = problem.target.operations.iter().all(|o| o.arity <= 2);
        let counted = problem.objective.iter().any(|metric| COUNTS.contains(metric));
        match pairs && counted && serves(&problem.sbox) {
            true => (MOST - least(problem)) as u64 + 1,
            false => 0,
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let gates = least(problem) + unit as usize;
        let mut step = Step { effort: format!("exhaustion of {gates} gates"), ..Step::default() };
        let Ok(plan) = Exhaustion::new(std::slice::from_ref(&problem.sbox), gates, 1) else { return step };
        for n in 0..plan.units() {
            (control.progress)(&format!("{gates} gates, part {} of {}", n + 1, plan.units()));
            let Some(tally) = plan.run_until(n, control.stopped) else { return step };
            if !tally.found.is_empty() {
                step.finished = true;
                return step;
            }
        }
        let counted = problem.objective.iter().filter(|metric| COUNTS.contains(metric));
        step.bounds = counted.map(|&metric| Bound { metric, value: (gates + 1) as f64, kind: "exhausted" }).collect();
        step.finished = true;
        step
    }
}

fn least(problem: &Problem) -> usize {
    usize::from(problem.sbox.outputs) + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::sbox::SBox;
    use circuit::target::Target;

    #[test]
    fn skinny_needs_eight_gates() {
        let data = [12, 6, 9, 0, 1, 10, 2, 11, 3, 8, 5, 13, 4, 14, 7, 15];
        let target =
            r#"{"name": "t", "title": "t", "operations": [{"name": "any", "arity": 2}], "objective": ["gates"]}"#;
        let (sbox, target) = (SBox::new(4, data.to_vec()).unwrap(), Target::from_json(target).unwrap());
        let problem = Problem { sbox, target, objective: vec![Metric::Gates], seed: 1 };
        let control = Control { stopped: &|| false, progress: &|_| {} };
        assert_eq!(ExhaustiveSearch.units(&problem), 6);
        let bounds = |unit| ExhaustiveSearch.run(&problem, unit, &control).bounds;
        assert_eq!(bounds(1), [Bound { metric: Metric::Gates, value: 8.0, kind: "exhausted" }]);
        assert_eq!(bounds(2), []);
    }
}
