//! How many rows of an array have to be kept when events run in another order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::events::{Access, Cell, EventId, Flow};
use super::Unsuitable;
use crate::ir::ValueId;

/// A write: the event, the number of its access, the cell.
pub type Write = (EventId, usize, Cell);

/// Which write each read sees in the order of the program, by event, access and cell.
pub struct Seen(Vec<Vec<Vec<Option<Write>>>>);

impl Seen {
    /// Looks at all events.
    pub fn of(flow: &Flow) -> Self {
        let mut last: HashMap<(ValueId, Cell), Write> = HashMap::new();
        let mut all = Vec::with_capacity(flow.events.len());
        for (event, accesses) in flow.accesses.iter().enumerate() {
            let mut of_event = Vec::with_capacity(accesses.len());
            for (n, access) in accesses.iter().enumerate() {
                let mut of_access = Vec::new();
                for cell in &access.cells {
                    if access.write {
                        last.insert((access.root, *cell), (event, n, *cell));
                    } else {
                        of_access.push(last.get(&(access.root, *cell)).copied());
                    }
                }
                of_event.push(of_access);
            }
            all.push(of_event);
        }
        Seen(all)
    }

    /// What the reads of an access see, in the order of its cells.
    pub fn by(&self, event: EventId, access: usize) -> &[Option<Write>] {
        &self.0[event][access]
    }
}

/// How many rows are kept of each object that is accessed, in the order of the objects.
#[derive(Clone, Debug, Default)]
pub struct Rows(pub Vec<(ValueId, u32)>);

impl Rows {
    /// The rows kept of an object.
    ///
    /// # Errors
    /// It is not accessed.
    pub fn of(&self, root: ValueId) -> Result<u32, Unsuitable> {
        self.0.iter().find(|(one, _)| *one == root).map(|(_, rows)| *rows).ok_or(Unsuitable)
    }
}

/// How many rows of each inner object are kept; nothing if the order cannot be.
///
/// `steps` are the distances by which a loop's addresses move: a number of rows that divides them all makes the addresses
/// constant, so that the object can live in registers; it is taken if at most twice the least.
pub fn kept_rows(flow: &Flow, order: &[EventId], steps: &BTreeMap<ValueId, Vec<i64>>) -> Option<Rows> {
    let (outside, seen) = (flow.outside(), Seen::of(flow));
    let mut found = Rows::default();
    for &root in &flow.objects {
        let every = accesses_to(flow, order, root);
        if every.is_empty() {
            continue;
        }
        let whole = flow.extent(root);
        let free = !outside.contains(&root) && every.iter().all(|(.., access)| access.known);
        let mut tried = if free { 1..=whole } else { whole..=whole };
        let least = tried.find(|rows| fits(&every, &seen, *rows))?;
        let none = Vec::new();
        let steps = steps.get(&root).unwrap_or(&none);
        let constant = |rows: u32| steps.iter().all(|step| step % i64::from(rows) == 0);
        let mut larger = (least..=whole.min(2 * least)).filter(|rows| constant(*rows));
        found.0.push((root, larger.find(|rows| fits(&every, &seen, *rows)).unwrap_or(least)));
    }
    Some(found)
}

type Located<'a> = (EventId, usize, &'a Access);

fn accesses_to<'a>(flow: &'a Flow, order: &[EventId], root: ValueId) -> Vec<Located<'a>> {
    let of_event = |event: &EventId| {
        let event = *event;
        flow.accesses[event].iter().enumerate().map(move |(n, access)| (event, n, access))
    };
    order.iter().flat_map(of_event).filter(|(.., access)| access.root == root).collect()
}

/// Whether every read of an object sees the same write as before if only so many rows are kept.
fn fits(every: &[Located<'_>], seen: &Seen, rows: u32) -> bool {
    let rows = i64::from(rows);
    let mut last: HashMap<Cell, Write> = HashMap::new();
    for (event, n, access) in every {
        for (k, cell) in access.cells.iter().enumerate() {
            let kept = (cell.0.rem_euclid(rows), cell.1);
            if access.write {
                last.insert(kept, (*event, *n, *cell));
            } else if last.get(&kept).copied() != seen.by(*event, *n)[k] {
                return false;
            }
        }
    }
    true
}

/// For each group the objects that it writes and reads for itself alone.
pub fn inside(flow: &Flow, groups: &[Vec<EventId>]) -> Vec<BTreeSet<ValueId>> {
    let seen = Seen::of(flow);
    let mut within: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); flow.events.len()];
    for (k, group) in groups.iter().enumerate() {
        for event in group {
            within[*event].insert(k);
        }
    }
    let mut shared = vec![flow.outside(); groups.len()];
    for (event, accesses) in flow.accesses.iter().enumerate() {
        for (n, access) in accesses.iter().enumerate().filter(|(_, access)| !access.write) {
            for write in seen.by(event, n) {
                let makers = write.map_or_else(BTreeSet::new, |(maker, ..)| within[maker].clone());
                for reader in within[event].difference(&makers) {
                    shared[*reader].insert(access.root);
                    for maker in &makers {
                        shared[*maker].insert(access.root);
                    }
                }
            }
        }
    }
    let accessed = |group: &Vec<EventId>| group.iter().flat_map(|e| &flow.accesses[*e]).map(|a| a.root).collect();
    let own = |(group, shared): (_, &BTreeSet<ValueId>)| {
        let accessed: BTreeSet<ValueId> = accessed(group);
        accessed.difference(shared).copied().collect()
    };
    groups.iter().zip(&shared).map(own).collect()
}
