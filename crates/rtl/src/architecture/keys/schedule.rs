//! When the calls of a key schedule run: in step with the cipher, no more copies of a function than most clocks need.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::diagnostic::Diagnostic;
use program::ir::Program;

use super::super::program_union::import;
use super::graph::{Call, Graph};
use super::inverse::{combined, inverse};

/// Most copies of a function in a clock; a key schedule that needs more is stored.
pub(in super::super) const COPIES: usize = 8;

/// A function of this weight has tables.
const HEAVY: u32 = 256;

/// The calls of a way of running, with their clocks.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Schedule {
    pub calls: Vec<Call>,
    /// The clock of each call.
    pub at: Vec<usize>,
    /// Per clock, the values that the cipher asks for.
    pub needs: Vec<Vec<usize>>,
    /// Values that are there before the first clock.
    pub start: BTreeSet<usize>,
    /// Those that are made of the key in the clock before.
    pub loaded: BTreeSet<usize>,
    /// The recurrence runs backwards.
    pub backwards: bool,
    due: Vec<usize>,
    made: HashMap<usize, usize>,
}

/// Makes a schedule from what the cipher asks for.
pub(super) struct Scheduler<'a> {
    pub graph: &'a Graph,
    /// Values that are kept between blocks.
    pub kept: &'a BTreeSet<usize>,
    /// Functions of inverses, and per value the call that gives it back.
    backwards: HashMap<usize, Call>,
    /// Rough weights of the functions, those of inverses too.
    weights: BTreeMap<String, u32>,
}

impl<'a> Scheduler<'a> {
    /// Prepares forward runs.
    pub fn new(graph: &'a Graph, kept: &'a BTreeSet<usize>) -> Self {
        Scheduler { graph, kept, backwards: HashMap::new(), weights: graph.weights.clone() }
    }

    /// Prepares backward runs of a key schedule: every recurrent call gives its oldest words back.
    pub fn backwards(mut self, program: &mut Program, schedule: usize) -> Result<Self, Diagnostic> {
        let own = self.graph.calls.iter().zip(&self.graph.schedule).filter(|(_, s)| **s == schedule);
        for call in own.map(|(call, _)| call).filter(|c| self.graph.recurrent.contains(&c.function)) {
            let mut order: Vec<usize> = (0..call.inputs.len()).collect();
            order.sort_by_key(|&n| call.inputs[n]);
            order.truncate(call.outputs.len());
            order.sort_unstable();
            let Some(function) = program.functions.iter_mut().find(|f| f.name == call.function) else { continue };
            combined(function, &order);
            let function = function.clone();
            let (function, taken) = inverse(program, &function, &order)?;
            let copy = program.clone();
            let name = import(program, &copy, &function, &format!("{}_inverse", call.function));
            let weight = self.weights.get(&call.function).copied().unwrap_or(0);
            self.weights.insert(name.clone(), weight);
            let mut inputs = call.inputs.clone();
            for (&n, &output) in order.iter().zip(&taken) {
                inputs[n] = call.outputs[output];
            }
            let outputs: Vec<usize> = order.iter().map(|&n| call.inputs[n]).collect();
            let back = Call { function: name, inputs, outputs: outputs.clone(), ..call.clone() };
            for value in outputs {
                self.backwards.insert(value, back.clone());
            }
        }
        Ok(self)
    }

    /// The schedule of what is asked for, clock by clock; `calls` of the recurrence run as early as the live words allow.
    /// Gives it with the calls for which there is no clock but the first.
    pub fn schedule(&self, needs: &[Vec<usize>], back: bool, limits: &Limits) -> (Schedule, Vec<Call>) {
        let mut plan = Schedule { needs: needs.to_vec(), backwards: back, ..Schedule::default() };
        // Ends: each iteration but the last loads more of the values, since none that is loaded before it begins is asked of a call.
        loop {
            for (clock, values) in needs.iter().enumerate() {
                for &value in values {
                    self.visit(&mut plan, value, clock.saturating_sub(usize::from(limits.ahead)), limits);
                }
            }
            plan.at.clone_from(&plan.due);
            let copies = limits.of(&plan);
            let overflow = late(&mut plan, &copies);
            if overflow.is_empty() || plan.loaded.is_empty() {
                self.early(&mut plan, &copies);
                return (plan, overflow);
            }
            // Words of the recurrence are made of the key before the first clock anyway: so are those that it has no room for.
            let loaded = plan.loaded.iter().chain(overflow.iter().flat_map(|c| &c.outputs)).copied().collect();
            let start = BTreeSet::clone(&loaded);
            plan = Schedule { needs: needs.to_vec(), backwards: back, start, loaded, ..Schedule::default() };
        }
    }

    fn visit(&self, plan: &mut Schedule, value: usize, clock: usize, limits: &Limits) {
        if plan.start.contains(&value) || plan.made.contains_key(&value) {
            return;
        }
        let given_back = if plan.backwards { self.backwards.get(&value) } else { None };
        let known = &self.graph.values[value];
        let last = plan.backwards && given_back.is_none() && self.graph.is_recurrent(value);
        let call = match (given_back, known.maker) {
            (Some(call), _) => call,
            (None, Some(maker)) if !known.root && !last && !self.kept.contains(&value) => &self.graph.calls[maker],
            _ => {
                plan.start.insert(value);
                return;
            }
        };
        for &input in &call.inputs {
            // What makes round keys of words of the recurrence has a clock of its own.
            let earlier = limits.ahead && !self.is_recurrence(call) && self.graph.is_recurrent(input);
            match clock.checked_sub(usize::from(earlier)) {
                None if !plan.backwards => {
                    plan.start.insert(input);
                    plan.loaded.insert(input);
                }
                before => self.visit(plan, input, before.unwrap_or(0), limits),
            }
        }
        let number = plan.calls.len();
        plan.made.extend(call.outputs.iter().map(|&v| (v, number)));
        plan.calls.push(call.clone());
        plan.due.push(clock);
    }

    fn is_recurrence(&self, call: &Call) -> bool {
        self.graph.recurrent.contains(&call.function) || call.outputs.iter().any(|v| self.backwards.contains_key(v))
    }

    /// Runs the recurrence early: as long as no more bits live than must.
    fn early(&self, plan: &mut Schedule, copies: &BTreeMap<String, usize>) {
        let steps = plan.needs.len();
        let bound = (0..steps).map(|t| self.bits(plan, t)).max().unwrap_or(0);
        for clock in 0..steps {
            // A call may have to wait until another one has run that reads the same words last.
            while self.earlier(plan, copies, clock, bound) {}
        }
    }

    /// Moves calls to a clock; says whether there were any.
    fn earlier(&self, plan: &mut Schedule, copies: &BTreeMap<String, usize>, clock: usize, bound: u32) -> bool {
        let mut moved = false;
        for n in 0..plan.calls.len() {
            let function = plan.calls[n].function.clone();
            let inner = plan
                .calls
                .iter()
                .any(|c| c.inputs.iter().any(|v| plan.calls[n].outputs.contains(v)) && c.function != function)
                || self.graph.recurrent.contains(&function)
                || plan.backwards && plan.calls[n].outputs.iter().any(|v| self.backwards.contains_key(v));
            let now = |c: usize| plan.at[c] == clock && self.alike(&plan.calls[c].function, &function);
            let used = (0..plan.calls.len()).filter(|&c| now(c)).count();
            let most = copies.get(&function).copied().unwrap_or(1);
            let there = |v: &usize| plan.made.get(v).map_or(true, |&m| plan.at[m] <= clock);
            if plan.at[n] <= clock || !inner || used >= most || !plan.calls[n].inputs.iter().all(there) {
                continue;
            }
            let before = std::mem::replace(&mut plan.at[n], clock);
            if (clock + 1..=before).any(|t| self.bits(plan, t) > bound) {
                plan.at[n] = before;
            } else {
                moved = true;
            }
        }
        moved
    }

    /// Whether functions may become one: the same, or both heavy and of nearly one weight.
    fn alike(&self, a: &str, b: &str) -> bool {
        let weight = |f: &str| self.weights.get(f).copied().unwrap_or(0);
        let (light, heavy) = (weight(a).min(weight(b)), weight(a).max(weight(b)));
        a == b || light >= HEAVY && 5 * light >= 4 * heavy
    }

    /// All calls that the values need, so many calls of a function a clock, each after what it reads.
    pub fn as_soon_as_can_be(&self, values: &BTreeSet<usize>, copies: usize) -> Schedule {
        let mut plan = Schedule::default();
        for &value in values {
            self.visit(&mut plan, value, 0, &Limits::default());
        }
        let mut used: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for n in 0..plan.calls.len() {
            let makers = plan.calls[n].inputs.iter().filter_map(|v| plan.made.get(v));
            let mut clock = makers.map(|&m| plan.at[m] + 1).max().unwrap_or(0);
            let function = plan.calls[n].function.as_str();
            while used.get(&(clock, function)).is_some_and(|&count| count >= copies) {
                clock += 1;
            }
            *used.entry((clock, function)).or_default() += 1;
            plan.at.push(clock);
        }
        plan.needs = vec![Vec::new(); plan.at.iter().max().map_or(1, |n| n + 1)];
        plan
    }

    fn bits(&self, plan: &Schedule, clock: usize) -> u32 {
        let live = plan.live(clock).into_iter().filter(|v| !self.kept.contains(v));
        live.map(|v| u32::from(self.graph.values[v].width)).sum()
    }
}

impl Schedule {
    /// Values that stand before a clock and are used in it or later.
    pub fn live(&self, clock: usize) -> BTreeSet<usize> {
        let there = |v: &usize| match self.made.get(v) {
            Some(&n) => self.at[n] < clock,
            None => self.start.contains(v),
        };
        let called = self.calls.iter().zip(&self.at).filter(|(_, &at)| at >= clock).flat_map(|(c, _)| &c.inputs);
        let asked = self.needs[clock.min(self.needs.len())..].iter().flatten();
        called.chain(asked).filter(|v| there(v)).copied().collect()
    }

    /// Values that are read in more than one clock.
    pub fn read_often(&self) -> BTreeSet<usize> {
        let mut clocks: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (call, &at) in self.calls.iter().zip(&self.at) {
            call.inputs.iter().for_each(|&v| _ = clocks.entry(v).or_default().insert(at));
        }
        for (at, values) in self.needs.iter().enumerate() {
            values.iter().for_each(|&v| _ = clocks.entry(v).or_default().insert(at));
        }
        clocks.into_iter().filter(|(_, at)| at.len() > 1).map(|(v, _)| v).collect()
    }

    /// The calls of a clock, those first that heavy ones wait for.
    pub fn in_clock(&self, clock: usize, weights: &BTreeMap<String, u32>) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.calls.len()).filter(|&n| self.at[n] == clock).collect();
        let mut pressing: HashMap<usize, u32> = HashMap::new();
        for &n in left.iter().rev() {
            let own = weights.get(&self.calls[n].function).copied().unwrap_or(0);
            let after = left.iter().filter(|&&r| self.calls[r].inputs.iter().any(|v| self.made.get(v) == Some(&n)));
            let most = after.filter_map(|r| pressing.get(r)).copied().max().unwrap_or(0);
            pressing.insert(n, own.max(most));
        }
        let mut order = Vec::new();
        while !left.is_empty() {
            let waits = |n: usize, left: &[usize]| {
                self.calls[n].inputs.iter().any(|v| self.made.get(v).is_some_and(|m| left.contains(m)))
            };
            let mut best = 0;
            for k in 0..left.len() {
                let order = |n: usize| (Reverse(pressing[&n]), &self.calls[n].function);
                let better = waits(left[best], &left) || order(left[k]) < order(left[best]);
                if !waits(left[k], &left) && better {
                    best = k;
                }
            }
            order.push(left.remove(best));
        }
        order
    }

    /// Whether some clock has more than so many calls of a function.
    pub fn crowded(&self, most: usize) -> bool {
        let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for (call, &clock) in self.calls.iter().zip(&self.at) {
            *counts.entry((clock, &call.function)).or_default() += 1;
        }
        counts.values().any(|&n| n > most)
    }

    /// The call that makes a value.
    pub fn maker(&self, value: usize) -> Option<usize> {
        self.made.get(&value).copied()
    }
}

/// Moves calls to earlier clocks where there are more of a function than copies; gives those that the first clock has too many of.
fn late(plan: &mut Schedule, copies: &BTreeMap<String, usize>) -> Vec<Call> {
    let mut used: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let calls = plan.calls.clone();
    let mut overflow = Vec::new();
    for n in (0..calls.len()).rev() {
        let readers = (n + 1..calls.len()).filter(|&r| calls[r].inputs.iter().any(|v| plan.made.get(v) == Some(&n)));
        let mut clock = readers.map(|r| plan.at[r]).chain([plan.due[n]]).min().unwrap_or(0);
        let function = calls[n].function.as_str();
        let most = copies.get(function).copied().unwrap_or(1);
        let full = |clock: usize| used.get(&(clock, function)).copied().unwrap_or(0) >= most;
        while clock > 0 && full(clock) {
            clock -= 1;
        }
        if full(clock) {
            overflow.push(n);
        }
        plan.at[n] = clock;
        *used.entry((clock, function)).or_default() += 1;
    }
    overflow.iter().rev().map(|&n| calls[n].clone()).collect()
}
/// How many copies of a function there are.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// More than this in one clock and the key schedule is none of this kind.
    pub most: usize,
    /// Copies are as many as many clocks need, not as many as one clock does.
    pub often: bool,
    /// What the cipher asks for is made a clock before, where there is one, and waits in a register.
    pub ahead: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { most: COPIES, often: true, ahead: false }
    }
}

impl Limits {
    /// The largest number of calls of a function that at least an eighth of its clocks have.
    fn of(&self, plan: &Schedule) -> BTreeMap<String, usize> {
        let mut counts: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
        for (call, &due) in plan.calls.iter().zip(&plan.due) {
            *counts.entry(&call.function).or_default().entry(due).or_default() += 1;
        }
        let most = |clocks: &BTreeMap<usize, usize>| {
            if !self.often {
                return clocks.values().copied().max().unwrap_or(1);
            }
            let enough = |n: usize| 8 * clocks.values().filter(|&&c| c >= n).count() >= clocks.len();
            (1..=self.most).rev().find(|&n| enough(n)).unwrap_or(1)
        };
        counts.iter().map(|(f, clocks)| ((*f).to_owned(), most(clocks))).collect()
    }
}
