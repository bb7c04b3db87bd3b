//! Least times: which functions a machine can have computed by which cycle, whatever else it computes.
//!
//! On an unlimited machine sharing does not matter: an output is ready as early as it would be alone. The functions
//! ready by a cycle follow from those ready earlier, so that the set is exact while it is small enough to be listed;
//! one step beyond, a single function is decided by looking for two listed ones that give it.

use std::collections::HashSet;

use crate::engines::schedule::machine::{Form, Machine};
use crate::engines::schedule::word::Word;

/// Most pairs of functions that a step of the closure goes through.
const PAIRS: usize = 20_000_000;

/// The functions computed by each cycle.
pub struct Closure<'a, W> {
    machine: &'a Machine<W>,
    /// In the order of their cycles.
    functions: Vec<W>,
    known: HashSet<W>,
    /// How many of the functions are ready by each cycle.
    counts: Vec<usize>,
}

impl<'a, W: Word> Closure<'a, W> {
    /// Lists the functions cycle by cycle, as far as a step takes no more than a set number of pairs.
    #[must_use]
    pub fn new(machine: &'a Machine<W>, inputs: &[W]) -> Self {
        let known = inputs.iter().copied().chain([W::ZERO, !W::ZERO]).collect();
        let mut closure = Closure { machine, functions: inputs.to_vec(), known, counts: vec![inputs.len()] };
        while closure.pairs(closure.counts.len()) <= PAIRS && closure.counts.len() < 64 {
            closure.step();
        }
        closure
    }

    /// How many functions are ready by each cycle, as far as listed.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The functions whose results an operation of a latency can read to be ready by a cycle.
    fn operands(&self, cycle: usize, latency: u8) -> &[W] {
        match cycle.checked_sub(usize::from(latency)) {
            Some(earlier) => &self.functions[..self.counts[earlier.min(self.counts.len() - 1)]],
            None => &[],
        }
    }

    fn pairs(&self, cycle: usize) -> usize {
        self.machine.forms.iter().map(|f| self.operands(cycle, f.latency).len().pow(2)).sum()
    }

    fn step(&mut self) {
        let cycle = self.counts.len();
        let (mut known, mut found) = (std::mem::take(&mut self.known), Vec::new());
        let mut add = |result: W| {
            if known.insert(result) {
                found.push(result);
            }
        };
        if let Some(latency) = self.machine.complement {
            self.operands(cycle, latency).iter().for_each(|&a| add(!a));
        }
        for form in &self.machine.forms {
            let operands = self.operands(cycle, form.latency);
            for (n, &b) in operands.iter().enumerate() {
                operands[..n].iter().for_each(|&a| add(form.apply(a, b)));
            }
        }
        self.known = known;
        self.functions.extend(found);
        self.counts.push(self.functions.len());
    }

    /// The least cycle by which a function can be ready: exact, or false and a cycle before which it cannot.
    #[must_use]
    pub fn least(&self, function: W) -> (usize, bool) {
        if let Some(place) = self.functions.iter().position(|&f| f == function) {
            return (self.counts.iter().position(|&n| n > place).unwrap_or(0), true);
        }
        let next = self.counts.len();
        let reached = self.reaches(function, next);
        (next + usize::from(!reached), reached)
    }

    /// Whether a function is ready by the first cycle that is not listed any more.
    fn reaches(&self, function: W, cycle: usize) -> bool {
        let turned = |latency| self.operands(cycle, latency).contains(&!function);
        self.machine.complement.is_some_and(turned) || self.machine.forms.iter().any(|f| self.meets(f, function, cycle))
    }

    fn meets(&self, form: &Form<W>, function: W, cycle: usize) -> bool {
        let operands = self.operands(cycle, form.latency);
        let inner = function ^ form.out;
        if form.linear {
            let set: HashSet<W> = operands.iter().copied().collect();
            return operands.iter().any(|&a| set.contains(&(a ^ inner)));
        }
        let fitting = |turn: W| operands.iter().map(move |&w| w ^ turn).filter(|&w| inner & !w == W::ZERO);
        let second: Vec<W> = fitting(form.second).collect();
        fitting(form.first).any(|a| second.iter().any(|&b| a & b == inner))
    }

    /// The least cycle by which all of several functions can be ready, or one before which they cannot.
    #[must_use]
    pub fn bound(&self, functions: &[W]) -> usize {
        let computed = functions.iter().filter(|&&f| f != W::ZERO && f != !W::ZERO);
        computed.map(|&f| self.least(f).0).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::schedule::tests::{machine, problem, tables, INFINITE, S0};

    #[test]
    fn functions_of_four_inputs_within_a_depth_are_counted() {
        // Counted before by another program: 38, 963 and 52657 functions within one, two and three levels, the two
        // constants from the second on.
        let problem = problem(INFINITE, &S0);
        let (inputs, outputs) = tables(&problem);
        let machine = machine(&problem);
        let closure = Closure::new(&machine, &inputs);
        assert_eq!(closure.counts(), [4, 38, 961, 52_655]);
        assert_eq!(closure.bound(&outputs), 4);
        assert_eq!(closure.least(inputs[0] & inputs[1] & inputs[2]), (2, true));
    }
}
