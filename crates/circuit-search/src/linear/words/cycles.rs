//! Programs of so many cycles: everything that the machine can issue, cycle by cycle.

use std::collections::HashSet;

use super::fewest::Program;
use super::goal::Goal;
use super::space::{Candidate, Space, Step};
use super::word::Word;
use crate::linear::branches::Branch;

/// One thread's walk.
pub struct Walk<'a, 'b, const L: usize> {
    space: &'a Space<'a, L>,
    goal: &'a Goal<L>,
    branch: &'a mut Branch<'b>,
    /// Cycles that the program may take, and operations.
    count: u32,
    most_operations: usize,
    known: Vec<Word<L>>,
    served: Vec<u64>,
    /// The cycle from which each value can be used.
    ready: Vec<u32>,
    /// Steps and the cycles in which they start.
    steps: Vec<(Step, u32)>,
}

/// What is issued so far in a cycle.
#[derive(Clone, Default)]
struct IssueState {
    slots: u32,
    groups: Vec<u32>,
}

impl<'a, 'b, const L: usize> Walk<'a, 'b, L> {
    /// A walk from the words of the inputs.
    pub fn new(
        space: &'a Space<'a, L>,
        goal: &'a Goal<L>,
        inputs: &[Word<L>],
        (count, most_operations): (u32, usize),
        branch: &'a mut Branch<'b>,
    ) -> Self {
        let served = inputs.iter().map(|w| goal.served(w)).collect();
        let ready = vec![0; inputs.len()];
        Walk { space, goal, branch, count, most_operations, known: inputs.to_vec(), served, ready, steps: Vec::new() }
    }

    /// A program, with the cycle in which each of its steps starts.
    pub fn find(&mut self) -> Option<(Program, Vec<u32>)> {
        self.cycle(0, 0, 0)
    }

    /// Everything from cycle `now` on, of whose slots earlier operations still take some.
    fn cycle(&mut self, now: u32, taken: u32, depth: usize) -> Option<(Program, Vec<u32>)> {
        if now == self.count {
            return None;
        }
        let list = self.at_hand(now);
        let issued = IssueState { slots: taken, groups: vec![0; self.space.machine.groups.len()] };
        self.choose(now, &list, 0, &issued, depth)
    }

    /// What can start now and is ready in time; in the end only what can be a result.
    fn at_hand(&self, now: u32) -> Vec<Candidate<L>> {
        let usable: Vec<usize> = (0..self.known.len()).filter(|&n| self.ready[n] <= now).collect();
        let words: Vec<Word<L>> = usable.iter().map(|&n| self.known[n]).collect();
        let mut seen: HashSet<(Word<L>, u32)> = HashSet::new();
        let fastest = self.space.machine.operations.iter().map(|o| o.latency).min().unwrap_or(1);
        let mut list = Vec::new();
        for n in 0..words.len() {
            self.space.results(&words, n, |(word, step, number)| {
                let latency = self.space.machine.operations[number].latency;
                let is_last = now + latency + fastest > self.count;
                let is_wanted = word != [0; L]
                    && now + latency <= self.count
                    && (!is_last || self.goal.served(&word) != 0)
                    && !self.known.contains(&word);
                if is_wanted && seen.insert((word, latency)) {
                    list.push((word, step.renumbered(&usable), number));
                }
            });
        }
        list
    }

    fn choose(
        &mut self,
        now: u32,
        list: &[Candidate<L>],
        start: usize,
        issued: &IssueState,
        depth: usize,
    ) -> Option<(Program, Vec<u32>)> {
        if !self.branch.enter(depth) {
            return None;
        }
        let open = self.goal.open(&self.served);
        if open == 0 {
            if let Some(reached) = self.goal.reached(&self.known, &self.served) {
                let (steps, starts) = self.steps.iter().copied().unzip();
                return Some(((steps, reached), starts));
            }
        }
        let machine = self.space.machine;
        let left = ((self.count - now) * machine.issue).saturating_sub(issued.slots);
        let operations = self.most_operations - self.steps.len();
        if open as u32 > left || open > operations {
            return None;
        }
        let only_results = open == operations;
        for (n, &(word, step, number)) in list.iter().enumerate().skip(start) {
            let operation = &machine.operations[number];
            let mut more = issued.clone();
            more.slots += operation.slots;
            if let Some(group) = operation.group {
                more.groups[group] += 1;
            }
            let is_full =
                issued.slots >= machine.issue || operation.slots <= machine.issue && more.slots > machine.issue;
            let is_over = is_full || more.groups.iter().zip(&machine.groups).any(|(m, g)| m > g);
            if is_over || self.known.contains(&word) || only_results && self.goal.served(&word) == 0 {
                continue;
            }
            self.known.push(word);
            self.served.push(self.goal.served(&word));
            self.ready.push(now + operation.latency);
            self.steps.push((step, now));
            let found = self.choose(now, list, n + 1, &more, depth + 1);
            if found.is_some() {
                return found;
            }
            self.known.pop();
            self.served.pop();
            self.ready.pop();
            self.steps.pop();
        }
        self.cycle(now + 1, issued.slots.saturating_sub(machine.issue), depth + 1)
    }
}
