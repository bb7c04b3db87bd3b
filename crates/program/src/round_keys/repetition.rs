//! Events that repeat: stretches of an order that are one piece of code, run several times.

use std::collections::BTreeMap;

use super::events::{EventId, Flow};
use crate::ir::ValueId;

/// Events from `start`: `period` of them, `count` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its first place in the order.
    pub start: usize,
    /// Events that repeat.
    pub period: usize,
    /// How often they run.
    pub count: usize,
}

impl Stretch {
    /// The place behind its last one.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.period * self.count
    }
}

/// Repeated stretches, those that save most code first taken, in the order of the events.
#[must_use]
pub fn stretches(flow: &Flow, order: &[EventId]) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut waiting = vec![(0, order.len())];
    while let Some((start, end)) = waiting.pop() {
        if let Some(best) = best(flow, order, start, end) {
            waiting.extend([(start, best.start), (best.end(), end)]);
            found.push(best);
        }
    }
    found.sort_by_key(|stretch| stretch.start);
    found
}

/// The stretch that saves most code between two places.
fn best(flow: &Flow, order: &[EventId], start: usize, end: usize) -> Option<Stretch> {
    let mut sums = vec![0];
    for event in &order[start..end] {
        sums.push(sums[sums.len() - 1] + flow.body(*event).map_or(1, |body| body.ops.len()));
    }
    let mut best: Option<(usize, Stretch)> = None;
    for period in 1..=(end - start) / 2 {
        let mut run = 0;
        for n in start..=end - period {
            if n + period < end && same(flow, order[n], order[n + period]) {
                run += 1;
                continue;
            }
            let stretch = Stretch { start: n - run, period, count: run / period + 1 };
            run = 0;
            if stretch.count == 1 {
                continue;
            }
            let saved = sums[stretch.end() - start] - sums[stretch.start + period - start];
            // Of stretches that save as much the one of the shortest period counts, found first.
            if best.map_or(saved > 0, |(most, _)| saved > most) && steady(flow, order, stretch) {
                best = Some((saved, stretch));
            }
        }
    }
    best.map(|(_, stretch)| stretch)
}

/// Whether two events run the same body.
fn same(flow: &Flow, one: EventId, other: EventId) -> bool {
    let (a, b) = (flow.events[one], flow.events[other]);
    match (flow.op(one).kind.as_loop(), a.iteration, b.iteration) {
        (Some(l), Some(i), Some(j)) => a.op == b.op && l.pattern[i as usize] == l.pattern[j as usize],
        _ => false,
    }
}

/// Whether the iterations of each loop move on by one number from period to period.
fn steady(flow: &Flow, order: &[EventId], stretch: Stretch) -> bool {
    let mut steps: BTreeMap<usize, i64> = BTreeMap::new();
    (stretch.start..stretch.end() - stretch.period).all(|n| {
        let step = distance(flow, order[n], order[n + stretch.period]);
        *steps.entry(flow.events[order[n]].op).or_insert(step) == step
    })
}

/// By how many iterations one event comes after another one of its loop.
pub(super) fn distance(flow: &Flow, one: EventId, other: EventId) -> i64 {
    flow.events[other].iteration.unwrap_or(0) - flow.events[one].iteration.unwrap_or(0)
}

/// By how many rows the addresses of each object move from period to period.
#[must_use]
pub fn moves(flow: &Flow, order: &[EventId], repeated: &[Stretch]) -> BTreeMap<ValueId, Vec<i64>> {
    let mut found: BTreeMap<ValueId, Vec<i64>> = BTreeMap::new();
    for stretch in repeated {
        for n in stretch.start..stretch.start + stretch.period {
            let (here, later) = (&flow.accesses[order[n]], &flow.accesses[order[n + stretch.period]]);
            for (a, b) in here.iter().zip(later).filter(|(a, _)| a.known) {
                found.entry(a.root).or_default().push(b.cells[0].0 - a.cells[0].0);
            }
        }
    }
    found
}
