//! Where a list of events is cut into groups.

use std::collections::BTreeSet;

use super::events::{EventId, Flow};
use crate::ir::ValueId;

/// How fine events are cut into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// After every iteration of a loop of the cipher.
    Coarse,
    /// Iterations of each recurrence of the key schedule are groups of their own as well.
    Fine,
    /// Each such iteration is one, and is given the rows of its arrays.
    Single,
}

/// Cuts after every iteration of a loop of the cipher (operations from number `data` on).
#[must_use]
pub fn by_iterations(flow: &Flow, order: &[EventId], data: usize, cut: Cut) -> Vec<Vec<EventId>> {
    let op = |event: EventId| flow.events[event].op;
    let later = |event: EventId| flow.events[event].iteration.is_some_and(|iteration| iteration > 0);
    let chained: BTreeSet<usize> = order
        .iter()
        .filter(|e| op(**e) < data && later(**e) && flow.needs[**e].contains(&(**e - 1)))
        .map(|e| op(*e))
        .collect();
    let mut groups: Vec<Vec<EventId>> = vec![Vec::new()];
    let last = |groups: &[Vec<EventId>]| groups.last().and_then(|group| group.last()).copied();
    for &event in order {
        let before = last(&groups).map_or(op(event), op);
        let apart = cut == Cut::Single || before != op(event);
        if cut != Cut::Coarse && apart && (chained.contains(&before) || chained.contains(&op(event))) {
            groups.push(Vec::new());
        }
        groups.iter_mut().last().into_iter().for_each(|group| group.push(event));
        if op(event) >= data && flow.events[event].iteration.is_some() {
            groups.push(Vec::new());
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The rows of an array in the order in which they are read first.
#[must_use]
pub fn rows_used(flow: &Flow, order: &[EventId], root: ValueId) -> Vec<i64> {
    let mut found = Vec::new();
    for row in order.iter().flat_map(|event| rows(flow, *event, root)) {
        if !found.contains(&row) {
            found.push(row);
        }
    }
    found
}

fn rows(flow: &Flow, event: EventId, root: ValueId) -> impl Iterator<Item = i64> + '_ {
    let accesses = flow.accesses[event].iter().filter(move |access| access.root == root);
    accesses.flat_map(|access| access.cells.iter().map(|cell| cell.0))
}

/// Cuts where a row is read that lies outside of `count` successive ones with those read before.
#[must_use]
pub fn by_window(flow: &Flow, order: &[EventId], root: ValueId, numbers: &[u32], count: u32) -> Vec<Vec<EventId>> {
    let mut groups: Vec<Vec<EventId>> = vec![Vec::new()];
    let mut seen: Vec<u32> = Vec::new();
    for &event in order {
        let read: Vec<u32> = rows(flow, event, root).filter_map(|row| numbers.get(row as usize).copied()).collect();
        seen.extend(&read);
        let span = seen.iter().max().zip(seen.iter().min()).map_or(0, |(most, least)| most - least);
        if !read.is_empty() && span >= count {
            groups.push(Vec::new());
            seen = read;
        }
        groups.iter_mut().last().into_iter().for_each(|group| group.push(event));
    }
    groups.retain(|group| !group.is_empty());
    groups
}
