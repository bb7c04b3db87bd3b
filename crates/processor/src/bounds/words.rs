//! Bounds in words.

use super::dag::Dag;
use super::langevin_cerny::{self, Direction};
use super::matching::Excess;
use super::slots::{Slots, Tight};
use super::{Bound, Kind, Windows};
use crate::graph::{Graph, Resources};

/// Operations of a path that are named; longer ones are cut in the middle.
const NAMED: usize = 24;

/// A longest path by its operations: `operations 0, 4, 7`.
pub(super) fn path(dag: &Dag, start: &[i32]) -> String {
    let Some(last) = (0..start.len()).rev().max_by_key(|&op| start[op]) else { return "no operation".into() };
    let mut path = vec![last];
    let mut at = last;
    while let Some(&(u, _)) =
        dag.before[at].iter().find(|&&(u, latency)| start[at] > 0 && start[u] + latency == start[at])
    {
        path.push(u);
        at = u;
    }
    path.reverse();
    format!("a path of {} operations: {}", path.len(), list(&path))
}

/// `0, 4, 7`, with the middle left out where there are many.
pub(super) fn list(ops: &[usize]) -> String {
    let text = |ops: &[usize]| ops.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if ops.len() <= NAMED {
        return text(ops);
    }
    let half = NAMED / 2;
    format!("{} … {}", text(&ops[..half]), text(&ops[ops.len() - half..]))
}

/// The bound of the whole code from the windows of its operations.
pub(super) fn recursive(graph: &Graph, resources: &Resources, windows: &Windows) -> Bound {
    let mut best = (0, "no operation".into());
    let mut slots = Slots::default();
    for (cap, takes) in resources.caps.iter().zip(langevin_cerny::takes(graph, resources)) {
        let busy = (0..graph.classes.len()).filter(|&op| takes[op] > 0);
        let unit = |op: usize| (windows.earliest[op], windows.tail[op], takes[op]);
        let held = |op: usize| {
            let class = usize::from(graph.classes[op]);
            langevin_cerny::held(cap, class, windows.earliest[op], windows.tail[op], Direction::Forward)
        };
        let mut tasks: Vec<_> =
            if cap.holds.is_empty() { busy.map(unit).collect() } else { busy.flat_map(held).collect() };
        tasks.sort_unstable_by_key(|t| (std::cmp::Reverse(t.1), t.0));
        if let Some(tight) = slots.explain(&tasks, cap.limit).filter(|t| t.bound + 1 > best.0) {
            best = (tight.bound + 1, window(&tight, &cap.name, cap.limit));
        }
    }
    for (op, (early, tail)) in windows.earliest.iter().zip(&windows.tail).enumerate() {
        if early + tail + 1 > best.0 {
            let why = format!("operation {op} issues not before cycle {early} and {tail} cycles before the last");
            best = (early + tail + 1, why);
        }
    }
    Bound { cycles: best.0 as u32, kind: Kind::LangevinCerny, why: best.1 }
}

/// Why operations do not fit a length.
pub(super) fn matching(excess: &Excess, length: u32) -> String {
    let Excess { operations, slots } = *excess;
    format!("in {length} cycles, {operations} operations have only {slots} slots in their windows, all caps counted")
}

fn window(tight: &Tight, name: &str, limit: u32) -> String {
    let Tight { release, count, tail, .. } = *tight;
    let busy = count.div_ceil(limit);
    format!(
        "{count} slots of the cap `{name}` ({limit} per cycle) by operations that issue not before cycle {release} and \
         at least {tail} cycles before the last: {release} + {busy} + {tail} cycles"
    )
}
