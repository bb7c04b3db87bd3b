//! List scheduling with restarts.
//!
//! A pass places operations by keys. The first passes take the longest ways to the end as keys; each schedule is then
//! improved by placing its operations anew from its other end, in the order in which they stand, as long as it gets
//! shorter (forward-backward improvement: Li and Willis 1992). A restart shakes the cycles of the best schedule so far
//! and starts from there. The search ends at the lower bound, or when its restarts are spent.

use program::generate::Random;

use super::serial::{Mode, Pass};
use super::table::{Needs, Table};
use crate::bounds::{Bound, Bounded, Dag, Windows};
use crate::graph::{Graph, Resources, Schedule};

/// How long to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct List {
    /// Restarts after the first schedules.
    pub restarts: u32,
    /// Seed of the restarts; same seed, same schedule.
    pub seed: u64,
}

impl Default for List {
    fn default() -> Self {
        List { restarts: 2000, seed: 1 }
    }
}

/// A schedule and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The schedule.
    pub schedule: Schedule,
    /// What no schedule goes below.
    pub bound: Bound,
    /// Restarts that were made; fewer than allowed if the bound was reached.
    pub restarts: u32,
}

/// Schedules straight-line code.
///
/// # Panics
/// If the graph was not checked by [`crate::bounds::verify`].
#[must_use]
pub fn list(graph: &Graph, resources: &Resources, options: &List) -> Outcome {
    listed(graph, resources, &Bounded::new(graph, resources), options)
}

/// As [`list`], with bounds that are at hand.
pub(super) fn listed(graph: &Graph, resources: &Resources, bounded: &Bounded, options: &List) -> Outcome {
    let Bounded { windows, bound } = bounded;
    let (schedule, restarts) = searched(graph, resources, windows, bound.cycles, options);
    Outcome { schedule, bound: bound.clone(), restarts }
}

/// Schedules straight-line code in which no operation issues before one that stands before it: each as early as it can.
///
/// # Panics
/// If the operations do not stand in an order that keeps their dependences.
#[must_use]
pub fn list_in_order(graph: &Graph, resources: &Resources) -> Schedule {
    let dag = Dag::new(graph).expect("operations behind what they need");
    let needs = Needs::new(graph, resources);
    let mut table = Table::new(&needs);
    let (mut start, mut cycle) = (Vec::with_capacity(graph.classes.len()), 0);
    for (op, &class) in graph.classes.iter().enumerate() {
        cycle = dag.before[op].iter().map(|&(producer, latency)| start[producer] + latency).fold(cycle, i32::max);
        while !table.fits(class, cycle as usize) {
            cycle += 1;
        }
        table.take(class, cycle as usize);
        start.push(cycle);
    }
    Schedule { cycles: start.into_iter().map(|c| c as u32).collect(), interval: None }
}

/// The best schedule of some restarts, which end at a number of cycles, and how many they were.
fn searched(graph: &Graph, resources: &Resources, windows: &Windows, target: u32, options: &List) -> (Schedule, u32) {
    let dag = Dag::new(graph).expect("the graph was verified");
    let reversed = dag.reversed();
    let needs = Needs::new(graph, resources);
    let mut search = Search {
        forward: Pass::new(&dag, &graph.classes, &needs),
        backward: Pass::new(&reversed, &graph.classes, &needs),
        best: Vec::new(),
        target: target as i32,
    };
    search.first(windows);
    let restarts = search.restart(options);
    let cycles = search.best.iter().map(|&c| c as u32).collect();
    (Schedule { cycles, interval: None }, restarts)
}

struct Search<'a> {
    forward: Pass<'a>,
    backward: Pass<'a>,
    /// The best schedule so far.
    best: Vec<i32>,
    target: i32,
}

fn length(start: &[i32]) -> i32 {
    start.iter().max().map_or(0, |last| last + 1)
}

/// The same schedule with cycles counted from the end.
fn mirrored(start: &[i32]) -> Vec<i32> {
    let last = length(start) - 1;
    start.iter().map(|&c| last - c).collect()
}

fn keys(start: &[i32]) -> Vec<i64> {
    start.iter().map(|&c| i64::from(c)).collect()
}

impl Search<'_> {
    fn first(&mut self, windows: &Windows) {
        let slack: Vec<i64> = windows.tail.iter().map(|&t| -i64::from(t)).collect();
        let back: Vec<i64> = windows.earliest.iter().map(|&t| -i64::from(t)).collect();
        let ahead = self.forward.run(Mode::Cycles, &slack);
        self.best = self.improved(ahead);
        let behind = mirrored(&self.backward.run(Mode::Cycles, &back));
        let behind = self.improved(behind);
        if length(&behind) < length(&self.best) {
            self.best = behind;
        }
    }

    /// Forward-backward improvement, until it no longer shortens the schedule.
    fn improved(&mut self, start: Vec<i32>) -> Vec<i32> {
        let mut start = start;
        // Ends: each iteration but the last shortens the schedule.
        loop {
            let back = self.backward.run(Mode::Operations, &keys(&mirrored(&start)));
            let again = self.forward.run(Mode::Operations, &keys(&mirrored(&back)));
            if length(&again) >= length(&start) {
                return again;
            }
            start = again;
        }
    }

    fn restart(&mut self, options: &List) -> u32 {
        let mut random = Random::new(options.seed);
        for restart in 0..options.restarts {
            if length(&self.best) <= self.target {
                return restart;
            }
            let spread = 1_i64 << random.below(6);
            let mode = if random.chance(50) { Mode::Cycles } else { Mode::Operations };
            let ahead = random.chance(50);
            let from = if ahead { self.best.clone() } else { mirrored(&self.best) };
            let shaken: Vec<i64> =
                from.iter().map(|&c| i64::from(c) * 16 + random.below(16 * spread as usize) as i64).collect();
            let pass = if ahead { &mut self.forward } else { &mut self.backward };
            let mut start = pass.run(mode, &shaken);
            if !ahead {
                start = mirrored(&start);
            }
            let start = self.improved(start);
            if length(&start) <= length(&self.best) {
                self.best = start;
            }
        }
        options.restarts
    }
}
