//! What each event needs: which others have to come before it.

use std::collections::{BTreeSet, HashMap};

use super::events::{reads, Cell, EventId, Flow};
use crate::ir::{OpKind, ValueId};
use crate::walk::for_each_op;

/// What each event needs: makers, the iteration before of carried words, writers of cells.
pub(super) fn needs(flow: &Flow) -> Vec<BTreeSet<EventId>> {
    let mut maker: HashMap<ValueId, EventId> = HashMap::new();
    let mut writer: HashMap<(ValueId, Cell), EventId> = HashMap::new();
    let mut all = Vec::with_capacity(flow.events.len());
    for id in 0..flow.events.len() {
        let mut needs = BTreeSet::new();
        words(flow, id, &mut maker, &mut needs);
        for access in &flow.accesses[id] {
            for cell in &access.cells {
                if access.write {
                    writer.insert((access.root, *cell), id);
                } else {
                    needs.extend(writer.get(&(access.root, *cell)));
                }
            }
        }
        needs.remove(&id);
        all.push(needs);
    }
    in_order(flow, &mut all);
    all
}

/// Notes what made the words that an event reads, and which words it makes.
fn words(flow: &Flow, id: EventId, maker: &mut HashMap<ValueId, EventId>, needs: &mut BTreeSet<EventId>) {
    let op = flow.op(id);
    let mut read = |kind: &OpKind| reads(kind, &mut |v| needs.extend(maker.get(&v)));
    let (Some(l), Some(iteration), Some(body)) = (op.kind.as_loop(), flow.events[id].iteration, flow.body(id)) else {
        read(&op.kind);
        maker.extend(op.results.iter().map(|r| (*r, id)));
        return;
    };
    for_each_op(body, &mut |one| read(&one.kind));
    let carried: Vec<ValueId> = op.results.iter().filter(|r| flow.root(**r).is_none()).copied().collect();
    if !carried.is_empty() && iteration == 0 {
        read(&op.kind);
    } else if !carried.is_empty() {
        needs.insert(id - 1);
    }
    if iteration as usize == l.pattern.len() - 1 {
        maker.extend(carried.into_iter().map(|r| (r, id)));
    }
}

/// Lets the iterations of a recurrence go in order.
fn in_order(flow: &Flow, needs: &mut [BTreeSet<EventId>]) {
    let op = |id: EventId| flow.events[id].op;
    let chained: BTreeSet<usize> =
        (0..needs.len()).filter(|id| needs[*id].iter().any(|n| op(*n) == op(*id))).map(op).collect();
    for (id, event) in flow.events.iter().enumerate() {
        if chained.contains(&event.op) && event.iteration.is_some_and(|iteration| iteration > 0) {
            needs[id].insert(id - 1);
        }
    }
}
