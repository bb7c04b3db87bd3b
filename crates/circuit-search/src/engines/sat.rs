//! Exact synthesis by a SAT solver: the smallest counts first, each found or refuted.

use std::time::Instant;

use crate::engines::{Bound, Control, Engine, Step};
use crate::solver;
use crate::synthesis::{Outcome, Question};
use circuit::problem::{Metric, Problem};

/// Unit `u` asks for the count `least + u`, after refuting every smaller one: a question is of exactly so many gates,
/// and each smaller count takes a small part of the time.
pub struct Sat;

/// Counts beyond which no unit goes: a gate more takes ten to twenty times as long.
fn most(problem: &Problem) -> usize {
    let arity = problem.target.operations.iter().map(|o| o.arity).max().unwrap_or(0);
    match problem.objective.first() {
        Some(Metric::AndCount) => 7,
        _ if arity >= 3 => 9,
        _ => 12,
    }
}

fn question(problem: &Problem) -> Option<(Question, Metric)> {
    let metric = *problem.objective.first()?;
    let fits = problem.target.registers.is_none() && !problem.target.two_operand;
    let question = Question::new(&problem.sbox, &problem.target, metric).ok()?;
    fits.then_some((question, metric))
}

impl Engine for Sat {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn description(&self) -> &'static str {
        "exact synthesis by a SAT solver, few gates or ANDs; refutes smaller counts"
    }

    fn units(&self, problem: &Problem) -> u64 {
        question(problem).map_or(0, |(question, _)| (most(problem) + 1).saturating_sub(question.least()) as u64)
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let mut step = Step { effort: format!("sat, {}, seed {}", solver::version(), problem.seed), ..Step::default() };
        let Some((question, metric)) = question(problem) else { return step };
        let last = question.least() + unit as usize;
        for count in question.least()..=last {
            let start = Instant::now();
            let told = std::cell::Cell::new(0);
            let stopped = || {
                let seconds = start.elapsed().as_secs();
                if seconds > told.replace(seconds) {
                    (control.progress)(&format!("{} {count}: {seconds} s", metric.name()));
                }
                (control.stopped)()
            };
            match question.solve(count, problem.seed, &stopped) {
                Outcome::Undecided => return step,
                Outcome::Found(circuit) => {
                    step.circuits.push(circuit);
                    break;
                }
                Outcome::Impossible => {
                    let bound = Bound { metric, value: (count + 1) as f64, kind: "unsatisfiable" };
                    step.bounds = vec![bound];
                }
            }
        }
        step.finished = true;
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::sbox::SBox;
    use circuit::target::Target;

    fn problem(data: &[u8], arity: u8, metric: Metric) -> Problem {
        let operations: Vec<String> = (1..=arity).map(|a| format!(r#"{{"name": "any", "arity": {a}}}"#)).collect();
        let json =
            format!(r#"{{"name": "t", "title": "", "operations": [{}], "objective": []}}"#, operations.join(","));
        Problem {
            sbox: SBox::new(4, data.to_vec()).unwrap(),
            target: Target::from_json(&json).unwrap(),
            objective: vec![metric],
            seed: 1,
        }
    }

    fn last_step(problem: &Problem, value: usize) -> Step {
        let (question, _) = question(problem).unwrap();
        let control = Control { stopped: &|| false, progress: &|_| {} };
        Sat.run(problem, (value - question.least()) as u64, &control)
    }

    const SKINNY: [u8; 16] = [12, 6, 9, 0, 1, 10, 2, 11, 3, 8, 5, 13, 4, 14, 7, 15];
    const GIFT: [u8; 16] = [1, 10, 4, 12, 6, 15, 3, 9, 2, 13, 11, 7, 5, 0, 8, 14];

    #[test]
    fn known_minima_are_found_and_smaller_counts_refuted() {
        let cases = [(&SKINNY, 3, Metric::Gates, 4), (&SKINNY, 2, Metric::Gates, 8), (&GIFT, 2, Metric::AndCount, 4)];
        for (data, arity, metric, value) in cases {
            let problem = problem(data, arity, metric);
            let step = last_step(&problem, value);
            step.circuits[0].check(&problem.sbox).unwrap();
            if metric == Metric::Gates {
                assert_eq!(step.circuits[0].gates.len(), value);
            } else {
                let ands = step.circuits[0].gates.iter().filter(|g| !g.function.is_linear()).count();
                assert_eq!(ands, value);
            }
            let (question, _) = question(&problem).unwrap();
            let refuted = (value > question.least()).then(|| step.bounds[0].value as usize);
            assert!(refuted.map_or(true, |bound| bound == value));
        }
    }

    #[test]
    fn a_problem_that_it_cannot_serve_has_no_units() {
        assert_eq!(Sat.units(&problem(&SKINNY, 2, Metric::Depth)), 0);
        assert_eq!(Sat.units(&problem(&SKINNY, 4, Metric::Gates)), 0);
        assert_eq!(Sat.units(&problem(&SKINNY, 3, Metric::AndCount)), 0);
    }
}
