//! Steps cut again, so that each takes several clocks: pipelining inside a round.
//!
//! The parts of a step are as even as its operations allow: the smallest longest delay with which so many parts do. What a later part
//! needs of an earlier one is a word of its own, or the place that it is written to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::ir::{Operand, Program, Type, ValueId};
use program::walk::uses;

use super::delay::Delays;
use super::execute::RawSequence;
use super::raw::RawStep;
use super::{Place, Word};

/// Cuts every step into at most `parts`.
pub(super) fn split(program: &Program, raw: &mut RawSequence, parts: usize) {
    let delays = Delays::new(program);
    let mut words = PartWords { words: std::mem::take(&mut raw.words), of: HashMap::new() };
    let steps = std::mem::take(&mut raw.steps);
    raw.steps = steps.iter().flat_map(|step| one(step, parts, &delays, &mut words)).collect();
    raw.words = words.words;
}

/// Words between the parts of a step; steps that are alike have the same.
pub(super) struct PartWords {
    pub words: Vec<Word>,
    pub of: HashMap<(usize, u8), u32>,
}

impl PartWords {
    fn place(&mut self, ordinal: usize, name: &str, width: u8) -> Place {
        let words = &mut self.words;
        Place::Word(*self.of.entry((ordinal, width)).or_insert_with(|| {
            words.push(Word { name: name.to_owned(), width });
            words.len() as u32 - 1
        }))
    }
}

fn width_of(step: &RawStep, value: ValueId) -> u8 {
    match step.values[value.0 as usize].ty {
        Type::Word(width) => width,
        _ => 1,
    }
}

fn one(step: &RawStep, parts: usize, delays: &Delays<'_>, words: &mut PartWords) -> Vec<RawStep> {
    // What chooses a word by data is not in the step: how long that takes is not known here.
    if !step.selections.is_empty() {
        return vec![step.clone()];
    }
    let delay: Vec<f64> = step.ops.iter().map(|op| delays.of(op, &|v| width_of(step, v))).collect();
    let part_of = even(step, &delay, parts);
    let count = part_of.iter().max().map_or(1, |n| n + 1);
    if count == 1 {
        return vec![step.clone()];
    }
    Cut::new(step, part_of, count).parts(words)
}

/// The part of every operation, with the smallest longest delay of a part.
fn even(step: &RawStep, delay: &[f64], parts: usize) -> Vec<usize> {
    let least = delay.iter().copied().fold(0.0, f64::max);
    let (mut low, mut high) = (least, delay.iter().sum::<f64>().max(least));
    // Delays are multiples of a tenth of a level or more.
    while high - low > 0.05 {
        let middle = (low + high) / 2.0;
        if within(step, delay, middle).iter().max().map_or(1, |n| n + 1) <= parts {
            high = middle;
        } else {
            low = middle;
        }
    }
    late(step, delay, within(step, delay, high), high)
}

/// The part of every operation if no part takes longer than `bound`, each as early as can be.
fn within(step: &RawStep, delay: &[f64], bound: f64) -> Vec<usize> {
    let mut at: HashMap<ValueId, (usize, f64)> = HashMap::new();
    let mut parts = Vec::new();
    for (op, &delay) in step.ops.iter().zip(delay) {
        let (mut part, mut time) = (0, 0.0_f64);
        uses(&op.kind, &mut |v| {
            let (p, t) = at.get(&v).copied().unwrap_or((0, 0.0));
            if p > part {
                (part, time) = (p, t);
            } else if p == part {
                time = time.max(t);
            }
        });
        time += delay;
        if time > bound {
            (part, time) = (part + 1, delay);
        }
        at.extend(op.results.iter().map(|&r| (r, (part, time))));
        parts.push(part);
    }
    parts
}

/// Moves what only later parts use to where it is used, as long as nothing takes longer and fewer bits cross.
fn late(step: &RawStep, delay: &[f64], mut part_of: Vec<usize>, bound: f64) -> Vec<usize> {
    let written: BTreeSet<ValueId> = step.writes.iter().filter_map(|(_, o)| value_of(o)).collect();
    for n in (0..step.ops.len()).rev() {
        let op = &step.ops[n];
        if op.results.iter().any(|r| written.contains(r)) {
            continue;
        }
        let users = (n + 1..step.ops.len()).filter(|&m| used(step, m).iter().any(|v| op.results.contains(v)));
        let Some(first) = users.map(|m| part_of[m]).min().filter(|&p| p > part_of[n]) else { continue };
        let outputs: u32 = op.results.iter().map(|&r| u32::from(width_of(step, r))).sum();
        let inputs: u32 = used(step, n).iter().map(|&v| u32::from(width_of(step, v))).sum();
        let before = std::mem::replace(&mut part_of[n], first);
        if inputs > outputs || longest(step, delay, &part_of) > bound {
            part_of[n] = before;
        }
    }
    part_of
}

fn used(step: &RawStep, op: usize) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    uses(&step.ops[op].kind, &mut |v| {
        found.insert(v);
    });
    found
}

fn longest(step: &RawStep, delay: &[f64], part_of: &[usize]) -> f64 {
    let mut at: HashMap<ValueId, (usize, f64)> = HashMap::new();
    let mut longest = 0.0_f64;
    for (n, op) in step.ops.iter().enumerate() {
        let mut time = 0.0_f64;
        uses(&op.kind, &mut |v| {
            if let Some(&(part, t)) = at.get(&v) {
                time = time.max(if part == part_of[n] { t } else { 0.0 });
            }
        });
        time += delay[n];
        longest = longest.max(time);
        at.extend(op.results.iter().map(|&r| (r, (part_of[n], time))));
    }
    longest
}

fn value_of(operand: &Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(v) => Some(*v),
        Operand::Const(_) => None,
    }
}

/// A step whose operations have parts.
pub(super) struct Cut<'a> {
    step: &'a RawStep,
    part_of: Vec<usize>,
    count: usize,
    /// The part that makes a value; those that come in are made before the first.
    made: HashMap<ValueId, usize>,
    /// The last part that uses a value.
    last_use: HashMap<ValueId, usize>,
}

impl<'a> Cut<'a> {
    pub fn new(step: &'a RawStep, part_of: Vec<usize>, count: usize) -> Self {
        let mut cut = Cut { step, part_of, count, made: HashMap::new(), last_use: HashMap::new() };
        for (n, op) in step.ops.iter().enumerate() {
            let part = cut.part_of[n];
            cut.made.extend(op.results.iter().map(|&r| (r, part)));
            let last_use = &mut cut.last_use;
            uses(&op.kind, &mut |v| {
                let last = last_use.entry(v).or_insert(part);
                *last = (*last).max(part);
            });
        }
        cut
    }

    /// The part that writes a place: where the value is made, if nobody reads the old one later.
    fn writer(&self, (place, operand): &(Place, Operand)) -> usize {
        let made = value_of(operand).and_then(|v| self.made.get(&v).copied()).unwrap_or(0);
        let read = self.step.reads.iter().find(|(p, _)| p == place);
        let needed = read.map_or(0, |(_, v)| self.last_read(*v));
        made.max(needed)
    }

    /// The last part that needs a word which came in: to compute with it, or to write it elsewhere.
    fn last_read(&self, value: ValueId) -> usize {
        let computed = self.last_use.get(&value).copied().unwrap_or(0);
        let moved = self.step.writes.iter().any(|(_, operand)| value_of(operand) == Some(value));
        // Whoever moves it may itself have to wait.
        if moved {
            self.count - 1
        } else {
            computed
        }
    }

    pub fn parts(&self, words: &mut PartWords) -> Vec<RawStep> {
        let step = self.step;
        let mut parts: Vec<RawStep> = (0..self.count)
            .map(|n| RawStep {
                values: step.values.clone(),
                iteration: part_name(&step.iteration, n),
                ..RawStep::default()
            })
            .collect();
        for (op, &part) in step.ops.iter().zip(&self.part_of) {
            parts[part].ops.push(op.clone());
        }
        for write in &step.writes {
            parts[self.writer(write)].writes.push(*write);
        }
        let needed: Vec<BTreeSet<ValueId>> = parts.iter().map(needs).collect();
        let places = self.places(&needed, &mut parts, words);
        for (n, part) in parts.iter_mut().enumerate() {
            let from_outside = |v: &&ValueId| self.made.get(v) != Some(&n);
            part.reads = needed[n].iter().filter(from_outside).map(|v| (places[v], *v)).collect();
        }
        parts
    }

    /// Where the values stand that parts take from elsewhere.
    fn places(
        &self,
        needed: &[BTreeSet<ValueId>],
        parts: &mut [RawStep],
        words: &mut PartWords,
    ) -> BTreeMap<ValueId, Place> {
        let mut places: BTreeMap<ValueId, Place> = self.step.reads.iter().map(|&(place, v)| (v, place)).collect();
        let mut ordinal = 0;
        for &value in self.step.ops.iter().flat_map(|op| &op.results) {
            let made = self.made[&value];
            if !(made + 1..self.count).any(|n| needed[n].contains(&value)) {
                continue;
            }
            let own =
                self.step.writes.iter().find(|write| value_of(&write.1) == Some(value) && self.writer(write) == made);
            let place = own.map_or_else(
                || {
                    let data = &self.step.values[value.0 as usize];
                    let place = words.place(ordinal, &data.name, width_of(self.step, value));
                    ordinal += 1;
                    parts[made].writes.push((place, Operand::Value(value)));
                    place
                },
                |write| write.0,
            );
            places.insert(value, place);
        }
        places
    }
}

/// The values that a part uses or writes.
fn needs(part: &RawStep) -> BTreeSet<ValueId> {
    let mut found: BTreeSet<ValueId> = part.writes.iter().filter_map(|(_, operand)| value_of(operand)).collect();
    for op in &part.ops {
        uses(&op.kind, &mut |v| {
            found.insert(v);
        });
    }
    found
}

fn part_name(iteration: &str, part: usize) -> String {
    format!("{iteration}{}part {}", if iteration.is_empty() { "" } else { ", " }, part + 1)
}
