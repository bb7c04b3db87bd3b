//! Plans: steps, each with one or two values, and which values are the results.

use std::collections::{HashMap, HashSet};

use super::Factor;
use crate::isa::Weights;

/// A step: values are numbered, inputs first, then steps in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// An exclusive or.
    Xor(i32, i32),
    /// Times x.
    Double(i32),
    /// Divided by x.
    Halve(i32),
}

impl Step {
    /// What it reads.
    #[must_use]
    pub fn operands(self) -> (i32, Option<i32>) {
        match self {
            Step::Xor(a, b) => (a, Some(b)),
            Step::Double(a) | Step::Halve(a) => (a, None),
        }
    }

    /// The step with other operands.
    pub(super) fn of(self, a: i32, b: Option<i32>) -> Self {
        match self {
            Step::Xor(..) => Step::Xor(a, b.unwrap_or(-1)),
            Step::Double(_) => Step::Double(a),
            Step::Halve(_) => Step::Halve(a),
        }
    }

    fn each(self) -> impl Iterator<Item = i32> {
        let (a, b) = self.operands();
        std::iter::once(a).chain(b)
    }
}

/// Steps and the numbers of the results; -1 is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Steps, in order.
    pub steps: Vec<Step>,
    /// Results.
    pub results: Vec<i32>,
}

impl Plan {
    /// The cycles of a plan in its order: a step overwrites an operand that nothing needs any more.
    #[must_use]
    pub fn cost(&self, weights: &Weights) -> f64 {
        let mut last = HashMap::new();
        for (n, step) in self.steps.iter().enumerate() {
            last.extend(step.each().map(|o| (o, n)));
        }
        let results: HashSet<i32> = self.results.iter().copied().collect();
        let mut total = 0.0;
        for (n, step) in self.steps.iter().enumerate() {
            total += if matches!(step, Step::Xor(..)) { weights.xor } else { weights.double };
            if step.each().all(|o| last[&o] > n || results.contains(&o)) {
                total += weights.copy;
            }
        }
        total
    }

    /// The plan with halvings for doublings.
    #[must_use]
    pub fn halving(self) -> Self {
        let one = |step| if let Step::Double(a) = step { Step::Halve(a) } else { step };
        Plan { steps: self.steps.into_iter().map(one).collect(), ..self }
    }
}

/// Additions of one result to another as a plan.
pub(super) fn of_additions(begins: &[usize], additions: &[(usize, usize)]) -> Plan {
    let mut results: Vec<i32> = begins.iter().map(|n| *n as i32).collect();
    let mut steps = Vec::new();
    for (i, j) in additions {
        steps.push(Step::Xor(results[*i], results[*j]));
        results[*i] = (begins.len() + steps.len() - 1) as i32;
    }
    Plan { steps, results }
}

/// Steps while they are made; what is equal is made once.
pub(super) struct Maker {
    inputs: usize,
    steps: Vec<Step>,
    known: HashMap<Step, i32>,
}

impl Maker {
    pub fn new(inputs: usize) -> Self {
        Maker { inputs, steps: Vec::new(), known: HashMap::new() }
    }

    /// The number of a step's value.
    pub fn step(&mut self, step: Step) -> i32 {
        let step = match step {
            Step::Xor(a, b) if a == b => return -1,
            Step::Xor(-1, other) | Step::Xor(other, -1) => return other,
            Step::Xor(a, b) => Step::Xor(a.min(b), a.max(b)),
            Step::Double(-1) | Step::Halve(-1) => return -1,
            step => step,
        };
        let next = (self.inputs + self.steps.len()) as i32;
        let number = *self.known.entry(step).or_insert(next);
        if number == next {
            self.steps.push(step);
        }
        number
    }

    /// Values with the sum of some added to others.
    pub fn added(&mut self, values: Vec<i32>, (to, of): &Factor) -> Vec<i32> {
        let total = of.iter().fold(-1, |total, n| self.step(Step::Xor(total, values[*n])));
        let one = |(n, v)| if to.contains(&n) { self.step(Step::Xor(v, total)) } else { v };
        values.into_iter().enumerate().map(one).collect()
    }

    /// The steps that results need, numbered anew, and the results.
    pub fn needed(&self, results: &[i32]) -> Plan {
        let mut needed: HashSet<i32> = results.iter().copied().collect();
        for (n, step) in self.steps.iter().enumerate().rev() {
            if needed.contains(&((self.inputs + n) as i32)) {
                needed.extend(step.each());
            }
        }
        let mut number: HashMap<i32, i32> = (-1..self.inputs as i32).map(|n| (n, n)).collect();
        let mut steps = Vec::new();
        for (n, step) in self.steps.iter().enumerate() {
            let n = (self.inputs + n) as i32;
            if needed.contains(&n) {
                let (a, b) = step.operands();
                steps.push(step.of(number[&a], b.map(|b| number[&b])));
                number.insert(n, (self.inputs + steps.len() - 1) as i32);
            }
        }
        Plan { steps, results: results.iter().map(|r| number[r]).collect() }
    }
}
