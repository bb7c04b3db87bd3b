//! Events of a key schedule that run again, where round keys are needed in another order than it makes them.
//!
//! Of the round keys so many rows are kept as the last ones made; what an operation reads of others is made anew, from the
//! key on, by those events alone that it takes.

use std::collections::{BTreeSet, HashMap};

use super::events::{Cell, EventId, Flow};
use super::storage::{Seen, Write};
use crate::ir::ValueId;

/// Numbers of rows of an array worth keeping: multiples of those that an event of the key schedule makes at once.
///
/// `data` is the number of the operation's first event: those before it may run again.
#[must_use]
pub fn portions(flow: &Flow, data: usize, root: ValueId) -> Vec<u32> {
    let made = |event: &EventId| {
        let writes = flow.accesses[*event].iter().filter(|access| access.write && access.root == root);
        writes.flat_map(|access| access.cells.iter().map(|cell| cell.0)).collect::<BTreeSet<_>>().len()
    };
    let schedule = (0..flow.events.len()).filter(|event| flow.events[*event].op < data);
    match schedule.map(|event| made(&event)).max() {
        Some(most) if most > 0 => (most as u32..flow.extent(root)).step_by(most).collect(),
        _ => Vec::new(),
    }
}

/// An order of events, and how often they begin anew; nothing if the order of a run does not do. Of the object `root` so
/// many rows are kept.
#[must_use]
pub fn in_need(flow: &Flow, data: usize, root: ValueId, rows: u32) -> Option<(Vec<EventId>, u32)> {
    let mut order = Order {
        flow,
        root,
        rows: rows.into(),
        seen: Seen::of(flow),
        held: HashMap::new(),
        events: Vec::new(),
        done: vec![false; flow.events.len()],
    };
    let mut runs = 1;
    for event in (0..flow.events.len()).filter(|event| flow.events[*event].op >= data) {
        if order.done[event] {
            continue;
        }
        let needed = order.needed(event, data);
        let left: Vec<EventId> = needed.iter().copied().filter(|event| !order.done[*event]).collect();
        if !order.run(&left) {
            if !order.run(&needed) {
                return None;
            }
            runs += 1;
        }
    }
    Some((order.events, runs))
}

/// Events that have run, and which write is held in each cell.
struct Order<'a> {
    flow: &'a Flow,
    root: ValueId,
    rows: i64,
    seen: Seen,
    held: HashMap<(ValueId, Cell), Write>,
    events: Vec<EventId>,
    done: Vec<bool>,
}

impl Order<'_> {
    /// An event and all that it needs of the key schedule and of what has not run, in order.
    fn needed(&self, event: EventId, data: usize) -> Vec<EventId> {
        let mut found = BTreeSet::from([event]);
        let mut waiting = vec![event];
        while let Some(event) = waiting.pop() {
            for &other in &self.flow.needs[event] {
                if (self.flow.events[other].op < data || !self.done[other]) && found.insert(other) {
                    waiting.push(other);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Runs events; whether each of them reads what it should, else nothing is changed.
    fn run(&mut self, events: &[EventId]) -> bool {
        let mut held = self.held.clone();
        for &event in events {
            for (n, access) in self.flow.accesses[event].iter().enumerate() {
                for (k, cell) in access.cells.iter().enumerate() {
                    let row = if access.root == self.root { cell.0.rem_euclid(self.rows) } else { cell.0 };
                    let place = (access.root, (row, cell.1));
                    if access.write {
                        held.insert(place, (event, n, *cell));
                    } else if held.get(&place).copied() != self.seen.by(event, n)[k] {
                        return false;
                    }
                }
            }
        }
        self.held = held;
        self.events.extend(events);
        events.iter().for_each(|event| self.done[*event] = true);
        true
    }
}
