//! The order of accesses to memory: by object, and by offset where it is known.

use std::collections::BTreeMap;

use crate::code::{Access, Op};
use crate::graph::Edge;
use crate::model::Processor;

/// An access and the number of its operation.
type Touch = (usize, Access);

/// Gives an edge for each two accesses that may touch the same bytes, one of them a store.
pub(super) fn order(ops: &[Op], iterations: u32, processor: &Processor, edge: &mut dyn FnMut(Edge)) {
    let mut between = |(first, one): Touch, (second, other): Touch| {
        if !(one.store || other.store) {
            return;
        }
        let latency = |from: usize, to: usize| latency(&ops[from], &ops[to], processor);
        if first != second && overlap(one, other, 0, iterations) {
            let (from, to) = (first as u32, second as u32);
            edge(Edge { from, to, latency: latency(first, second), distance: 0 });
        }
        for (from, to, earlier, later) in [(first, second, one, other), (second, first, other, one)] {
            if let Some(distance) = first_conflict(earlier, later, iterations) {
                let latency = latency(from, to);
                edge(Edge { from: from as u32, to: to as u32, latency, distance });
            }
        }
    };
    let mut objects: BTreeMap<usize, Vec<Touch>> = BTreeMap::new();
    for (k, op) in ops.iter().enumerate() {
        op.access.iter().for_each(|access| objects.entry(access.object).or_default().push((k, *access)));
    }
    for touching in objects.values().filter(|touching| touching.iter().any(|t| t.1.store)) {
        pairs(touching, iterations, &mut between);
    }
}

/// Gives the pairs of accesses to an object that may touch the same bytes, in the order of the code. There are many where values
/// are spilled: of places that are known, only near ones are looked at.
fn pairs(touching: &[Touch], iterations: u32, each: &mut dyn FnMut(Touch, Touch)) {
    let places: Option<Vec<i64>> = touching.iter().map(|t| t.1.offset.map(|o| o.0)).collect();
    let Some(places) = places.filter(|_| iterations == 1) else {
        for (at, &one) in touching.iter().enumerate() {
            touching[at..].iter().for_each(|&other| each(one, other));
        }
        return;
    };
    let mut sorted: Vec<usize> = (0..touching.len()).collect();
    sorted.sort_by_key(|&k| places[k]);
    for (at, &low) in sorted.iter().enumerate() {
        let end = places[low] + i64::from(touching[low].1.bytes);
        for &high in sorted[at + 1..].iter().take_while(|&&high| places[high] < end) {
            each(touching[low.min(high)], touching[low.max(high)]);
        }
    }
}

/// The fewest iterations, at least one, after which the later access may touch what the earlier one did.
fn first_conflict(earlier: Access, later: Access, iterations: u32) -> Option<u32> {
    let steps = (earlier.offset.map(|o| o.1), later.offset.map(|o| o.1));
    if let (Some(a), Some(b)) = steps {
        if a == b && a != 0 {
            return (1..iterations).find(|&distance| overlap(earlier, later, distance, iterations));
        }
    }
    // Otherwise the next iteration stands for all later ones: an edge of distance 1 orders them, too.
    let any = (1..iterations).any(|distance| overlap(earlier, later, distance, iterations));
    any.then_some(1)
}

/// Whether an access of some iteration and one of `distance` iterations later may touch the same byte.
fn overlap(earlier: Access, later: Access, distance: u32, iterations: u32) -> bool {
    let (Some((first, step)), Some((second, other_step))) = (earlier.offset, later.offset) else { return true };
    let distance = i64::from(distance);
    let apart = |iteration: i64| (second + other_step * (iteration + distance)) - (first + step * iteration);
    let touch = |apart: i64| apart < i64::from(earlier.bytes) && -apart < i64::from(later.bytes);
    let last = i64::from(iterations) - 1 - distance;
    if last < 0 {
        return false;
    }
    if step == other_step {
        return touch(apart(0));
    }
    (0..=last).any(|iteration| touch(apart(iteration)))
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
