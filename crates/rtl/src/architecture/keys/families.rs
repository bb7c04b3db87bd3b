//! Functions of a key schedule that never run in the same clock, made one where most of their operators are shared: the same step for
//! key sizes that differ, a step and its inverse.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Function, Program};
use program::walk::{renumber, use_counts};

use super::super::program_union::import;
use super::graph::{weights, Call};
use super::schedule::Schedule;
use crate::logic::width_of;
use crate::merge;

/// Functions become one where it weighs no more than this many hundredths of them.
const WORTH: u32 = 70;

/// How a function is had from the one that it became part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Member {
    /// The common function: its inputs, then its constants.
    pub function: String,
    /// Per input of the member, the input that it is.
    pub inputs: Vec<usize>,
    /// Per constant of the member, the constant that it is.
    pub constants: Vec<usize>,
    /// Per result of the member, the result that it is.
    pub outputs: Vec<usize>,
    /// Constants that make it do what the member does.
    pub modes: Vec<(usize, u64)>,
}

/// Functions that became one.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Families {
    members: BTreeMap<String, Member>,
    /// Per common function, widths of its inputs, and how many constants it has.
    shapes: BTreeMap<String, (Vec<u8>, usize)>,
}

impl Families {
    /// How a function is had, if it became part of one.
    pub fn get(&self, function: &str) -> Option<&Member> {
        self.members.get(function)
    }

    /// Widths of the inputs of a common function, and how many constants it has.
    pub fn shape(&self, function: &str) -> (Vec<u8>, usize) {
        self.shapes.get(function).cloned().unwrap_or_default()
    }
}

/// Widths of the words of functions that become one.
#[derive(Clone, Debug, Default)]
struct Shape {
    inputs: Vec<u8>,
    constants: Vec<u8>,
    outputs: Vec<u8>,
}

/// Finds functions to make one; they come into the program.
pub(super) fn families(program: &mut Program, schedules: &[Schedule]) -> Families {
    let mut calls: BTreeMap<&str, &Call> = BTreeMap::new();
    let mut together: BTreeSet<(&str, &str)> = BTreeSet::new();
    for schedule in schedules {
        let mut clocks: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for (call, &at) in schedule.calls.iter().zip(&schedule.at) {
            calls.insert(&call.function, call);
            clocks.entry(at).or_default().insert(&call.function);
        }
        for names in clocks.values() {
            together.extend(names.iter().flat_map(|a| names.iter().map(move |b| (*a, *b))));
        }
    }
    let weight = weights(program);
    let mut names: Vec<&str> = calls.keys().copied().collect();
    names.sort_by_key(|name| std::cmp::Reverse(weight.get(*name).copied().unwrap_or(0)));
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for name in names {
        let fits = |group: &Vec<&str>| {
            let apart = group.iter().all(|other| !together.contains(&(name, *other)));
            let wanted: Vec<&str> = group.iter().copied().chain([name]).collect();
            apart && united(program, &wanted, &calls).is_some_and(|(f, _)| worth(program, &weight, &f, &wanted))
        };
        match groups.iter().position(fits) {
            Some(n) => groups[n].push(name),
            None => groups.push(vec![name]),
        }
    }
    let mut found = Families::default();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let Some((function, members)) = united(program, group, &calls) else { continue };
        let copy = program.clone();
        let name = import(program, &copy, &function, &function.name);
        let widths: Vec<u8> = function.params.iter().map(|p| width_of(&function.values[p.0 as usize].ty)).collect();
        let inputs = members.iter().flat_map(|m| &m.inputs).max().map_or(0, |n| n + 1);
        found.shapes.insert(name.clone(), (widths[..inputs].to_vec(), widths.len() - inputs));
        for (member, of) in members.into_iter().zip(group) {
            found.members.insert((*of).to_owned(), Member { function: name.clone(), ..member });
        }
    }
    found
}

/// Whether functions made one weigh enough less.
fn worth(program: &Program, weight: &BTreeMap<String, u32>, function: &Function, names: &[&str]) -> bool {
    let mut copy = program.clone();
    let before: u32 = names.iter().filter_map(|name| weight.get(*name)).sum();
    copy.functions.push(function.clone());
    let after = weights(&copy).get(&function.name).copied().unwrap_or(u32::MAX);
    100 * u64::from(after) <= u64::from(WORTH) * u64::from(before)
}

/// The function of which all are parts, and how each is had from it.
fn united(program: &Program, names: &[&str], calls: &BTreeMap<&str, &Call>) -> Option<(Function, Vec<Member>)> {
    let functions: Vec<&Function> =
        names.iter().map(|name| program.functions.iter().find(|f| f.name == *name)).collect::<Option<_>>()?;
    let mut shape = Shape::default();
    let mut members = Vec::new();
    for (function, name) in functions.iter().zip(names) {
        let outputs: Vec<u8> = function.results.iter().map(width_of).collect();
        let outputs = placed(&mut shape.outputs, &outputs);
        let widths: Vec<u8> = function.params.iter().map(|p| width_of(&function.values[p.0 as usize].ty)).collect();
        let (inputs, constants) = widths.split_at(calls[name].inputs.len());
        let (inputs, constants) = (placed(&mut shape.inputs, inputs), placed(&mut shape.constants, constants));
        members.push(Member { function: String::new(), inputs, constants, outputs, modes: Vec::new() });
    }
    let mut function = shared(program, names, &functions, &shape, &members)?;
    // What says which member runs comes last, as further constants; what nobody looks at goes.
    let words = shape.inputs.len() + shape.constants.len();
    let selectors: Vec<_> = function.params.drain(..function.params.len() - words).collect();
    let uses = use_counts(&function);
    let used: Vec<usize> = (0..selectors.len()).filter(|&n| uses[selectors[n].0 as usize] > 0).collect();
    function.params.extend(used.iter().map(|&n| selectors[n]));
    renumber(&mut function);
    for (at, member) in members.iter_mut().enumerate() {
        let value = |n: usize| if selectors.len() == 1 { u64::from(at == 1) } else { u64::from(at == n) };
        member.modes = used.iter().enumerate().map(|(k, &n)| (shape.constants.len() + k, value(n))).collect();
    }
    Some((function, members))
}

/// The places of words among those of others: each takes the first of its width that is free.
fn placed(all: &mut Vec<u8>, widths: &[u8]) -> Vec<usize> {
    let mut taken = vec![false; all.len()];
    let mut list = Vec::new();
    for &width in widths {
        let at = (0..taken.len()).find(|&n| !taken[n] && all[n] == width).unwrap_or_else(|| {
            all.push(width);
            taken.push(false);
            all.len() - 1
        });
        taken[at] = true;
        list.push(at);
    }
    list
}

fn shared(
    program: &Program,
    names: &[&str],
    functions: &[&Function],
    shape: &Shape,
    members: &[Member],
) -> Option<Function> {
    let mut inputs: Vec<(String, u8)> = Vec::new();
    inputs.extend(shape.inputs.iter().enumerate().map(|(n, &w)| (format!("word{n}"), w)));
    inputs.extend(shape.constants.iter().enumerate().map(|(n, &w)| (format!("constant{n}"), w)));
    let alternatives: Vec<merge::Alternative> = functions
        .iter()
        .zip(members)
        .map(|(&function, member)| {
            let constants = member.constants.iter().map(|n| shape.inputs.len() + n);
            let arguments = member.inputs.iter().copied().chain(constants).map(merge::Source::Input);
            let result = |n: usize| member.outputs.iter().position(|&o| o == n);
            let results = (0..shape.outputs.len())
                .map(|n| result(n).map_or(merge::ResultSource::Nothing, merge::ResultSource::Result));
            merge::Alternative { function, arguments: arguments.collect(), results: results.collect() }
        })
        .collect();
    merge::share(program, &format!("{}_shared", names[0]), &inputs, &shape.outputs, &alternatives)
}
