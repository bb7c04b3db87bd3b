//! Events of one step as a function: words of earlier steps are loaded, those for later ones stored.

use std::collections::{BTreeMap, BTreeSet};

use super::events::{by_loop, EventId, Flow};
use super::repetition::stretches;
use super::writer::{Ordered, Writer};
use super::{Fill, Unsuitable};
use crate::ir::{Address, Operand, Type, ValueId};

/// A word between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The one that a loop carries at a place.
    Carried(usize, usize),
    /// Another one.
    Word(ValueId),
}

/// What a parameter or a result of a step is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The words between steps.
    State,
    /// A number that the step is given, by its name.
    Given(String),
    /// An array.
    Object(ValueId),
}

/// Any row that a byte counts is allowed where a step is given the number of one, but only those kept are meant.
const COUNTED: u32 = 256;

/// What is special where the events are one step of several.
pub(super) struct Step<'a> {
    pub events: &'a [EventId],
    /// The rows of round keys that are at hand, and the array that they are of.
    window: Option<(ValueId, &'a Fill, u32)>,
    /// Objects that the step writes and reads for itself alone.
    owned: BTreeSet<ValueId>,
    /// Words of earlier steps, words that are made, numbers that the step is given.
    pub reads: Ordered<Key, ValueId>,
    pub makes: Ordered<Key, (Operand, Type)>,
    pub counts: Ordered<String, i64>,
    pub bases: Ordered<String, ValueId>,
    /// Of objects whose rows count from a number: its name, what it is, and the rows that are kept.
    pub given_rows: BTreeMap<ValueId, (String, i64, u32)>,
    /// The loop of each index.
    pub index_of: BTreeMap<ValueId, usize>,
    pub params: Ordered<ValueId, ValueId>,
    pub changed: Vec<ValueId>,
    /// Loops of which iterations came before.
    began: BTreeSet<usize>,
    /// The number of the first row of the window, -1 if it reads none.
    pub first: i64,
}

impl<'a> Step<'a> {
    pub fn new(
        flow: &Flow,
        events: &'a [EventId],
        window: Option<(ValueId, &'a Fill, u32)>,
        owned: BTreeSet<ValueId>,
    ) -> Self {
        let accesses = || events.iter().flat_map(|event| &flow.accesses[*event]);
        let first = window.and_then(|(root, fill, _)| {
            let cells = accesses().filter(|access| access.root == root).flat_map(|access| &access.cells);
            cells.map(|cell| i64::from(fill.numbers[cell.0 as usize])).min()
        });
        Step {
            events,
            window,
            owned,
            reads: Vec::new(),
            makes: Vec::new(),
            counts: Vec::new(),
            bases: Vec::new(),
            given_rows: BTreeMap::new(),
            index_of: BTreeMap::new(),
            params: Vec::new(),
            changed: Vec::new(),
            began: BTreeSet::new(),
            first: first.unwrap_or(-1),
        }
    }

    /// The rows of an object if they are others than those that are kept.
    pub fn rows_of(&self, root: ValueId) -> Option<u32> {
        match self.window {
            Some((windowed, _, rows)) if windowed == root => Some(rows),
            _ => self.given_rows.get(&root).map(|(.., rows)| COUNTED + rows),
        }
    }
}

impl<'a> Writer<'a> {
    /// Lets rows of objects of which some are kept count from a number, if only iterations read them.
    pub fn give_rows(&mut self) -> Result<(), Unsuitable> {
        let (flow, rows) = (self.flow, self.rows);
        let Some(step) = &mut self.step else { return Ok(()) };
        if step.events.iter().any(|event| flow.events[*event].iteration.is_none()) {
            return Ok(());
        }
        for access in step.events.iter().flat_map(|event| &flow.accesses[*event]) {
            let (root, kept) = (access.root, rows.of(access.root)?);
            if kept != flow.extent(root) {
                let row = access.cells[0].0.rem_euclid(i64::from(kept));
                let name = format!("row{}", number(flow, root));
                let given = step.given_rows.entry(root).or_insert((name, row, kept));
                given.1 = given.1.min(row);
            }
        }
        Ok(())
    }

    /// Writes the events of the step; `began` are loops of which iterations came before.
    pub fn write_step(&mut self, began: &BTreeSet<usize>) -> Result<(), Unsuitable> {
        let flow = self.flow;
        let Some(step) = &mut self.step else { return Ok(()) };
        step.began.clone_from(began);
        let (events, owned) = (step.events, step.owned.clone());
        for access in events.iter().flat_map(|event| &flow.accesses[*event]) {
            let root = access.root;
            if self.array(root).is_ok() {
                continue;
            }
            if owned.contains(&root) {
                self.new_array(root, "a")?;
            } else if !self.made_at_once(events, root)? {
                let ty = self.kept_type(root)?;
                let given = self.named(&format!("m{}", number(flow, root)), ty);
                self.set_array(root, given);
                self.step.iter_mut().for_each(|step| step.params.push((root, given)));
            }
        }
        let before = self.arrays.clone();
        self.write(events, &stretches(flow, events))?;
        let now = self.arrays.iter().filter(|one| !before.contains(one) && !owned.contains(&one.0));
        let changed: Vec<ValueId> = now.map(|(root, _)| *root).collect();
        let makes = self.made_words(events)?;
        self.step.iter_mut().for_each(|step| step.changed.clone_from(&changed));
        self.step.iter_mut().for_each(|step| step.makes.clone_from(&makes));
        Ok(())
    }

    /// What the step makes: carried words of loops as its last iterations leave them, other words.
    fn made_words(&self, events: &[EventId]) -> Result<Ordered<Key, (Operand, Type)>, Unsuitable> {
        let words = |n: usize| {
            let results = self.flow.function.body.ops[n].results.iter().enumerate();
            results.filter(|(_, r)| self.flow.root(**r).is_none())
        };
        let mut makes = Vec::new();
        for n in by_loop(self.flow, events).into_keys() {
            makes.extend(words(n).map(|(k, r)| (Key::Carried(n, k), (self.carried[&n][k], self.flow.ty(*r).clone()))));
        }
        for event in events.iter().map(|event| self.flow.events[*event]).filter(|event| event.iteration.is_none()) {
            for (_, r) in words(event.op) {
                let ty = self.flow.ty(*r);
                // An index is no word that could be kept: what reads it in another step has no value.
                if matches!(ty, Type::Word(_)) {
                    makes.push((Key::Word(*r), (*self.words.get(r).ok_or(Unsuitable)?, ty.clone())));
                }
            }
        }
        Ok(makes)
    }

    /// Lets a word that stands at the function's own level be read as one from an earlier step.
    pub fn read_word(&mut self, old: ValueId) {
        let ops = &self.flow.function.body.ops;
        let places = ops.iter().enumerate().flat_map(|(n, op)| op.results.iter().enumerate().map(move |r| (n, op, r)));
        let found = places.into_iter().find(|(.., (_, r))| **r == old);
        if let (Some(_), Some((n, op, (k, _)))) = (&self.step, found) {
            let key = if op.kind.as_loop().is_some() { Key::Carried(n, k) } else { Key::Word(old) };
            let value = self.read(key);
            self.words.insert(old, Operand::Value(value));
        }
    }

    /// The value of a word of an earlier step.
    fn read(&mut self, key: Key) -> ValueId {
        let known = |step: &Step<'_>| step.reads.iter().find(|(one, _)| *one == key).map(|(_, value)| *value);
        // A name is taken in any case, so that names do not depend on what was read before.
        let value = self.fresh("s", self.word_type(key));
        match self.step.as_mut() {
            Some(step) => known(step).unwrap_or_else(|| {
                step.reads.push((key, value));
                value
            }),
            None => value,
        }
    }

    fn word_type(&self, key: Key) -> Type {
        match key {
            Key::Carried(n, k) => self.flow.ty(self.flow.function.body.ops[n].results[k]).clone(),
            Key::Word(value) => self.flow.ty(value).clone(),
        }
    }

    /// What a loop carries when it was begun in an earlier step; nothing if it was not.
    pub fn carried_before(&mut self, n: usize) -> Option<Vec<Operand>> {
        if !self.step.as_ref()?.began.contains(&n) {
            return None;
        }
        let results = &self.flow.function.body.ops[n].results;
        let word = |(k, r): (usize, &ValueId)| match self.flow.root(*r) {
            Some(_) => Operand::Const(0),
            None => Operand::Value(self.read(Key::Carried(n, k))),
        };
        Some(results.iter().enumerate().map(word).collect())
    }

    /// Readdresses an access to the window; whether it is one.
    pub fn in_window(&self, root: ValueId, addresses: &mut [Address]) -> Result<bool, Unsuitable> {
        let Some(step) = &self.step else { return Ok(false) };
        let Some((_, fill, _)) = step.window.filter(|(windowed, ..)| *windowed == root) else { return Ok(false) };
        let row = usize::try_from(addresses[0].affine.constant).map_err(|_| Unsuitable)?;
        let number = fill.numbers.get(row).ok_or(Unsuitable)?;
        addresses[0].affine.constant = i64::from(*number) - step.first;
        addresses[0].ring = false;
        Ok(true)
    }
}

/// The number of an object among all of the function.
fn number(flow: &Flow, root: ValueId) -> usize {
    flow.objects.iter().position(|one| *one == root).unwrap_or(0)
}
