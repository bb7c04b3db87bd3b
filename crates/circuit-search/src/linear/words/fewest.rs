//! Programs of so many operations, by exhausting sets of values.
//!
//! The n-th value at hand is taken in a branch that never takes one before it, so that no set comes twice. A word that has to
//! be computed in any case is taken as soon as it is at hand; once there are as many operations left as words of the result
//! are open, nothing else is taken.

use std::collections::HashSet;

use super::goal::{Goal, GoalMatch};
use super::space::{Candidate, Space, Step};
use super::word::Word;
use crate::linear::branches::Branch;

/// A program: its steps and where its results are.
pub type Program = (Vec<Step>, GoalMatch);

/// One thread's walk.
pub struct Walk<'a, 'b, const L: usize> {
    space: &'a Space<'a, L>,
    goal: &'a Goal<L>,
    branch: &'a mut Branch<'b>,
    known: Vec<Word<L>>,
    served: Vec<u64>,
    steps: Vec<Step>,
    /// Values at hand, those that were taken among them.
    list: Vec<Candidate<L>>,
    seen: HashSet<Word<L>>,
}

impl<'a, 'b, const L: usize> Walk<'a, 'b, L> {
    /// A walk from the words of the inputs.
    pub fn new(space: &'a Space<'a, L>, goal: &'a Goal<L>, inputs: &[Word<L>], branch: &'a mut Branch<'b>) -> Self {
        let (list, seen) = (Vec::new(), HashSet::from([[0; L]]));
        let mut walk =
            Walk { space, goal, branch, known: Vec::new(), served: Vec::new(), steps: Vec::new(), list, seen };
        for word in inputs {
            walk.seen.insert(*word);
            walk.known.push(*word);
            walk.served.push(goal.served(word));
        }
        for n in 0..inputs.len() {
            walk.extend(n, false);
        }
        walk
    }

    /// A program of at most `count` operations.
    pub fn find(&mut self, count: usize) -> Option<Program> {
        self.go(0, count, 0)
    }

    /// Lists what is new with value `n`, or only what can be a result.
    fn extend(&mut self, n: usize, only_results: bool) {
        let Walk { space, goal, known, list, seen, .. } = self;
        space.results(&known[..=n], n, |candidate| {
            let word = candidate.0;
            if (!only_results || goal.served(&word) != 0) && seen.insert(word) {
                list.push(candidate);
            }
        });
    }

    fn take(&mut self, (word, step, _): Candidate<L>) {
        self.known.push(word);
        self.served.push(self.goal.served(&word));
        self.steps.push(step);
    }

    fn give_back(&mut self, listed: usize) {
        for (word, ..) in self.list.drain(listed..) {
            self.seen.remove(&word);
        }
        self.known.pop();
        self.served.pop();
        self.steps.pop();
    }

    fn go(&mut self, start: usize, left: usize, depth: usize) -> Option<Program> {
        if !self.branch.enter(depth) {
            return None;
        }
        let open = self.goal.open(&self.served);
        if open == 0 {
            if let Some(reached) = self.goal.reached(&self.known, &self.served) {
                return Some((self.steps.clone(), reached));
            }
        }
        if open > left || left == 0 {
            return None;
        }
        let exact = matches!(self.goal, Goal::Exact(_));
        if let Some(forced) = self.forced().filter(|_| exact) {
            return self.descend(forced, start, left, depth);
        }
        if exact && open == left {
            return None;
        }
        let only_results = open == left;
        for n in start..self.list.len() {
            if only_results && self.goal.served(&self.list[n].0) == 0 {
                continue;
            }
            if let Some(found) = self.descend(self.list[n], n + 1, left, depth) {
                return Some(found);
            }
        }
        None
    }

    /// A word of the result that is at hand and not taken.
    fn forced(&self) -> Option<Candidate<L>> {
        let Goal::Exact(words) = self.goal else { return None };
        let is_open = |word: &Word<L>| words.contains(word) && !self.known.contains(word);
        let open = words.iter().any(|w| !self.known.contains(w) && self.seen.contains(w));
        open.then(|| self.list.iter().find(|c| is_open(&c.0)).copied()).flatten()
    }

    fn descend(&mut self, candidate: Candidate<L>, start: usize, left: usize, depth: usize) -> Option<Program> {
        let listed = self.list.len();
        self.take(candidate);
        let open = self.goal.open(&self.served);
        if open < left {
            self.extend(self.known.len() - 1, open + 1 == left);
        }
        let found = self.go(start, left - 1, depth + 1);
        self.give_back(listed);
        found
    }
}
