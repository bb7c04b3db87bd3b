//! Events in groups, each a function of its own whose values stand in memory between calls.
//!
//! Groups that are equal but for numbers of iterations are one function, called again: code is small, and what is computed
//! again need not be written again.

use std::collections::{BTreeMap, BTreeSet};

use super::events::{EventId, Flow};
use super::step_writer::{Key, Place, Step};
use super::storage::{inside, kept_rows};
use super::writer::Writer;
use super::{Fill, Unsuitable};
use crate::ir::{Function, Type, ValueId};
use crate::places::Places;

/// A call of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: String,
    /// The number of the first row of its window, if it reads one.
    pub first: Option<u32>,
    /// Numbers that it is given by name: iterations to begin with, and rows.
    pub numbers: Vec<(String, i64)>,
}

/// What a parameter or a result of a step is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its name: `key`, `block`, `window`, `kept` and a number for round keys beside those of the window, `state` for words
    /// between steps, the name of a number that is given, or that of another array with `%`.
    pub name: String,
    /// The rows that are kept; nothing: all.
    pub rows: Option<u32>,
}

/// Calls in order, and the functions that they call.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The calls.
    pub calls: Vec<Call>,
    /// Functions, `NAME_0` and so on.
    pub functions: Vec<Function>,
    /// What the parameters of each function are, and its results.
    pub places: Vec<[Vec<Memory>; 2]>,
}

/// Groups of events as functions that are called one after the other.
///
/// `given_rows`: iterations get the row of an array of which some rows are kept, so that those of one kind are one function
/// wherever their rows lie.
///
/// # Errors
/// Something lives in memory in a way that a group cannot have.
pub fn steps(
    flow: &Flow,
    groups: &[Vec<EventId>],
    name: &str,
    window: Option<(ValueId, &Fill, u32)>,
    given_rows: bool,
) -> Result<Steps, Unsuitable> {
    let rows = kept_rows(flow, &groups.concat(), &BTreeMap::new()).ok_or(Unsuitable)?;
    let mut writers = Vec::new();
    let mut began = BTreeSet::new();
    for (events, owned) in groups.iter().zip(inside(flow, groups)) {
        let mut writer = Writer::new(flow, &rows, Some(Step::new(flow, events, window, owned)));
        if given_rows {
            writer.give_rows()?;
        }
        writer.write_step(&began)?;
        began.extend(events.iter().filter(|e| flow.events[**e].iteration.is_some()).map(|e| flow.events[*e].op));
        writers.push(writer);
    }
    let (words, state, last) = between(&writers)?;
    let homes = homes(flow, window.map(|(root, ..)| root), state);
    let memory = |place: &Place| match place {
        Place::State => Memory { name: homes.state.to_owned(), rows: None },
        Place::Given(name) => Memory { name: name.clone(), rows: None },
        Place::Object(root) => {
            let name = homes.objects.get(root).cloned().unwrap_or_else(|| format!("%{}", flow.name(*root)));
            Memory { name, rows: rows.of(*root).ok() }
        }
    };
    let mut made = Steps { calls: Vec::new(), functions: Vec::new(), places: Vec::new() };
    for (k, writer) in writers.into_iter().enumerate() {
        let Some(step) = &writer.step else { continue };
        let (first, numbers) = (u32::try_from(step.first).ok(), step.counts.clone());
        let (mut function, places) =
            writer.step_function(&words, state, |key| last.get(&key).is_some_and(|last| *last > k))?;
        let known = made.functions.iter().find(|one| same(one, &function));
        let function = match known {
            Some(known) => known.name.clone(),
            None => {
                function.name = format!("{name}_{}", made.functions.len());
                made.places.push(places.map(|side| side.iter().map(memory).collect()));
                made.functions.push(function.clone());
                function.name
            }
        };
        made.calls.push(Call { function, first, numbers });
    }
    Ok(made)
}

/// Whether two functions are equal but for their names.
fn same(one: &Function, other: &Function) -> bool {
    (&one.params, &one.results, &one.values, &one.body) == (&other.params, &other.results, &other.values, &other.body)
}

type Between = (BTreeMap<Key, u32>, u32, BTreeMap<Key, usize>);

/// Where each word stands between groups, how many bytes they take, and the last group that reads each.
fn between(writers: &[Writer<'_>]) -> Result<Between, Unsuitable> {
    let mut born: Vec<(Key, usize, u32)> = Vec::new();
    let mut last = BTreeMap::new();
    for (k, step) in writers.iter().enumerate().filter_map(|(k, writer)| Some((k, writer.step.as_ref()?))) {
        last.extend(step.reads.iter().map(|(key, _)| (*key, k)));
        for (key, (_, ty)) in &step.makes {
            let Type::Word(bits) = ty else { return Err(Unsuitable) };
            if bits % 8 != 0 {
                return Err(Unsuitable);
            }
            if born.iter().all(|(known, ..)| known != key) {
                born.push((*key, k, u32::from(bits / 8)));
            }
        }
    }
    born.retain(|(key, born, _)| last.get(key).is_some_and(|last| last > born));
    born.sort_by_key(|(_, born, _)| *born);
    let mut places = Places::default();
    let mut at = BTreeMap::new();
    for (n, (key, from, size)) in born.iter().enumerate() {
        let both = |other: usize| born[other].1 < last[key] && *from < last[&born[other].0];
        at.insert(*key, places.lowest(n, *size, both));
    }
    Ok((at, places.end(), last))
}

struct Homes {
    objects: BTreeMap<ValueId, String>,
    state: &'static str,
}

/// What a function's own arrays are: its key if it has one, round keys of a window and beside it, block and result. Words
/// between steps that the block has room for are in its bytes.
fn homes(flow: &Flow, window: Option<ValueId>, state: u32) -> Homes {
    let params: Vec<ValueId> = flow.function.params.iter().filter_map(|p| flow.root(*p)).collect();
    let mut objects = BTreeMap::new();
    if params.len() == 2 {
        objects.insert(params[0], "key".to_owned());
    }
    if let Some(root) = window {
        objects.extend(params.iter().enumerate().map(|(n, root)| (*root, format!("kept{n}"))).skip(1));
        objects.insert(root, "window".to_owned());
    }
    objects.extend(params.last().into_iter().copied().chain(flow.outputs()).map(|root| (root, "block".to_owned())));
    let block = flow.function.params.last().map_or(0, |p| flow.ty(*p).elements());
    Homes { objects, state: if state <= block { "block" } else { "state" } }
}
