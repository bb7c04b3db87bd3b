//! The order of accesses to memory: by object, and by offset where it is known.

use crate::code::{Access, Op};
use crate::graph::Edge;
use crate::model::Processor;

/// Gives an edge for each two accesses that may touch the same bytes, one of them a store.
pub(super) fn order(ops: &[Op], trips: u32, processor: &Processor, edge: &mut dyn FnMut(Edge)) {
    let touching: Vec<(usize, Access)> = ops.iter().enumerate().filter_map(|(k, op)| Some((k, op.access?))).collect();
    for (at, &(first, one)) in touching.iter().enumerate() {
        for &(second, other) in &touching[at..] {
            if one.object != other.object || !(one.store || other.store) {
                continue;
            }
            let latency = |from: usize, to: usize| latency(&ops[from], &ops[to], processor);
            if first != second && overlap(one, other, 0, trips) {
                let (from, to) = (first as u32, second as u32);
                edge(Edge { from, to, latency: latency(first, second), distance: 0 });
            }
            for (from, to, earlier, later) in [(first, second, one, other), (second, first, other, one)] {
                if let Some(distance) = first_conflict(earlier, later, trips) {
                    let latency = latency(from, to);
                    edge(Edge { from: from as u32, to: to as u32, latency, distance });
                }
            }
        }
    }
}

/// The fewest iterations, at least one, after which the later access may touch what the earlier one did.
fn first_conflict(earlier: Access, later: Access, trips: u32) -> Option<u32> {
    let steps = (earlier.offset.map(|o| o.1), later.offset.map(|o| o.1));
    if let (Some(a), Some(b)) = steps {
        if a == b && a != 0 {
            return (1..trips).find(|&distance| overlap(earlier, later, distance, trips));
        }
    }
    // Otherwise the next iteration stands for all later ones: an edge of distance 1 orders them, too.
    let any = (1..trips).any(|distance| overlap(earlier, later, distance, trips));
    any.then_some(1)
}

/// Whether an access of some iteration and one of `distance` iterations later may touch the same byte.
fn overlap(earlier: Access, later: Access, distance: u32, trips: u32) -> bool {
    let (Some((first, step)), Some((second, other_step))) = (earlier.offset, later.offset) else { return true };
    let distance = i64::from(distance);
    let apart = |trip: i64| (second + other_step * (trip + distance)) - (first + step * trip);
    let touch = |apart: i64| apart < i64::from(earlier.bytes) && -apart < i64::from(later.bytes);
    let last = i64::from(trips) - 1 - distance;
    if last < 0 {
        return false;
    }
    if step == other_step {
        return touch(apart(0));
    }
    (0..=last).any(|trip| touch(apart(trip)))
}

/// Cycles from one access to the next one of the same place.
fn latency(from: &Op, to: &Op, processor: &Processor) -> i32 {
    let store = |op: &Op| op.access.is_some_and(|a| a.store);
    match (store(from), store(to)) {
        (true, false) => store_to_load(from, processor) as i32,
        (true, true) => 1,
        _ => 0,
    }
}

/// Cycles from a store to a load of the same place.
pub(crate) fn store_to_load(store: &Op, processor: &Processor) -> u32 {
    let class = processor.classes[processor.class_of(store.instruction)].latency.max(1);
    processor.out_of_order.as_ref().map_or(class, |o| o.store_to_load)
}
