//! Software pipelining: iterative modulo scheduling with restarts.
//!
//! At a given interval, operations are placed in the order of their heights (the longest way to the end, an iteration of the
//! loop counting minus the interval). One that finds no slot takes one by force, and those in its way are placed anew;
//! after too many steps the attempt ends, and another starts from shaken heights. Of all pipelines at the smallest
//! interval that was reached, that of the fewest stages and the shortest lifetimes is kept.
//!
//! Source: Rau, Iterative modulo scheduling, 1996.

use program::generate::Random;

use super::lifetimes::{self, Lifetime};
use super::table::{Needs, Table};
use crate::bounds::{interval, Bound};
use crate::graph::{Graph, Resources, Schedule};

/// How long to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulo {
    /// Attempts at each interval.
    pub attempts: u32,
    /// Seed of the restarts; same seed, same schedule.
    pub seed: u64,
    /// The operation that issues in the last cycle of an interval: the branch.
    pub branch: Option<u32>,
}

impl Default for Modulo {
    fn default() -> Self {
        Modulo { attempts: 50, seed: 1, branch: None }
    }
}

/// A software pipeline and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The schedule of one iteration, with its interval.
    pub schedule: Schedule,
    /// What no interval goes below.
    pub bound: Bound,
    /// Iterations that overlap.
    pub stages: u32,
}

/// Steps per operation before an attempt ends.
const STEPS: usize = 12;

/// Pipelines a loop.
///
/// `values` says whose lifetimes count; [`lifetimes::values`] where nothing better is known.
///
/// # Panics
/// If the graph was not checked by [`crate::bounds::verify`].
#[must_use]
pub fn modulo(graph: &Graph, resources: &Resources, values: &[Lifetime], options: &Modulo) -> Pipeline {
    let bound = interval(graph, resources);
    // The branch waits for no operation: it only takes its slot in the last row.
    let free: Vec<_> = graph.edges.iter().filter(|e| Some(e.to) != options.branch).copied().collect();
    let body = Graph { classes: graph.classes.clone(), edges: free };
    let needs = Needs::new(&body, resources);
    let mut random = Random::new(options.seed);
    for interval in bound.cycles.. {
        let mut best: Option<(u32, i64, Schedule)> = None;
        let height = heights(&body, interval);
        let apart = Apart::new(&body, interval);
        for attempt in 0..options.attempts.max(1) {
            let spread = if attempt == 0 { 0 } else { 1 + random.below(2 + interval as usize) };
            let heights: Vec<i64> = height.iter().map(|h| h * 4 + random.below(4 * spread + 1) as i64).collect();
            let Some(cycles) = Attempt::new(&body, &apart, &needs, interval, &heights).run() else { continue };
            let schedule = lowered(Schedule { cycles, interval: Some(interval) });
            let schedule = lifetimes::shortened(&body, resources, &schedule, values, options.branch);
            let schedule = with_branch(&body, &needs, schedule, options.branch);
            let found = (stages(&schedule), lifetimes::total(&schedule, values), schedule);
            if best.as_ref().map_or(true, |b| (found.0, found.1) < (b.0, b.1)) {
                best = Some(found);
            }
        }
        if let Some((stages, _, schedule)) = best {
            return Pipeline { schedule, bound, stages };
        }
    }
    unreachable!("at a large interval, each operation has a row of its own")
}

fn stages(schedule: &Schedule) -> u32 {
    schedule.length().div_ceil(schedule.interval.unwrap_or(1).max(1))
}

/// The same rows, as early as possible by whole intervals, from cycle 0 or soon after it.
fn lowered(mut schedule: Schedule) -> Schedule {
    let interval = schedule.interval.unwrap_or(1);
    let first = schedule.cycles.iter().min().map_or(0, |first| first / interval * interval);
    schedule.cycles.iter_mut().for_each(|cycle| *cycle -= first);
    schedule
}

/// Turns the rows so that the branch issues in the last one, where that gives the fewest stages.
fn with_branch(graph: &Graph, needs: &Needs, schedule: Schedule, branch: Option<u32>) -> Schedule {
    let interval = schedule.interval.unwrap_or(1);
    let first = schedule.cycles.iter().enumerate().filter(|(op, _)| Some(*op as u32) != branch).map(|(_, c)| *c).min();
    let first = first.unwrap_or(0);
    let last = schedule.cycles.iter().enumerate().filter(|(op, _)| Some(*op as u32) != branch).map(|(_, c)| *c).max();
    let Some(branch) = branch.map(|b| b as usize) else {
        let cycles = schedule.cycles.iter().map(|c| c - first).collect();
        return Schedule { cycles, ..schedule };
    };
    let mut table = Table::of_rows(needs, interval as usize);
    for (op, &cycle) in schedule.cycles.iter().enumerate().filter(|(op, _)| *op != branch) {
        table.fits(graph.classes[op], (cycle % interval) as usize);
        table.take(graph.classes[op], (cycle % interval) as usize);
    }
    // The row before the first cycle is the last of an interval that starts there; each row before that costs a cycle.
    let wait = (0..interval).find(|wait| {
        let row = (first + 2 * interval - 1 - wait) % interval;
        table.fits(graph.classes[branch], row as usize)
    });
    let wait = wait.expect("the branch had a row");
    let mut cycles: Vec<u32> = schedule.cycles.iter().map(|c| (c + wait).saturating_sub(first)).collect();
    let length = last.unwrap_or(0) + wait - first + 1;
    cycles[branch] = length.div_ceil(interval).max(1) * interval - 1;
    Schedule { cycles, ..schedule }
}

/// Longest ways to the end at an interval.
fn heights(graph: &Graph, interval: u32) -> Vec<i64> {
    let mut height = vec![0_i64; graph.classes.len()];
    for _ in 0..graph.classes.len() {
        let mut raised = false;
        for edge in &graph.edges {
            let apart = i64::from(edge.latency) - i64::from(edge.distance) * i64::from(interval);
            let value = height[edge.to as usize] + apart;
            if value > height[edge.from as usize] {
                (height[edge.from as usize], raised) = (value, true);
            }
        }
        if !raised {
            break;
        }
    }
    height
}

/// Of each operation its producers and its consumers, and how many cycles they lie apart at least at an interval.
struct Apart {
    before: Vec<Vec<(usize, i64)>>,
    after: Vec<Vec<(usize, i64)>>,
}

impl Apart {
    fn new(graph: &Graph, interval: u32) -> Apart {
        let n = graph.classes.len();
        let (mut before, mut after) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for edge in graph.edges.iter().filter(|e| e.from != e.to) {
            let apart = i64::from(edge.latency) - i64::from(edge.distance) * i64::from(interval);
            before[edge.to as usize].push((edge.from as usize, apart));
            after[edge.from as usize].push((edge.to as usize, apart));
        }
        Apart { before, after }
    }
}

struct Attempt<'a> {
    graph: &'a Graph,
    apart: &'a Apart,
    heights: &'a [i64],
    interval: i64,
    table: Table<'a>,
    cycle: Vec<Option<i64>>,
    /// Where an operation stood before.
    before: Vec<i64>,
    rows: Vec<Vec<usize>>,
}

impl<'a> Attempt<'a> {
    fn new(graph: &'a Graph, apart: &'a Apart, needs: &'a Needs, interval: u32, heights: &'a [i64]) -> Self {
        let n = graph.classes.len();
        Attempt {
            graph,
            apart,
            heights,
            interval: i64::from(interval),
            table: Table::of_rows(needs, interval as usize),
            cycle: vec![None; n],
            before: vec![-1; n],
            rows: vec![Vec::new(); interval as usize],
        }
    }

    fn run(mut self) -> Option<Vec<u32>> {
        let n = self.graph.classes.len();
        let mut waiting: std::collections::BinaryHeap<(i64, std::cmp::Reverse<usize>)> =
            (0..n).map(|op| (self.heights[op], std::cmp::Reverse(op))).collect();
        for _ in 0..STEPS * n {
            let Some((_, std::cmp::Reverse(op))) = waiting.pop() else { break };
            let first = self.first(op);
            let cycle = self.free(op, first).unwrap_or_else(|| first.max(self.before[op] + 1));
            let mut removed = Vec::new();
            while !self.fits(op, cycle) {
                let weakest = self.weakest(op, cycle);
                self.remove(weakest, cycle);
                removed.push(weakest);
            }
            self.put(op, cycle);
            self.violated(op, cycle, &mut removed);
            waiting.extend(removed.into_iter().map(|op| (self.heights[op], std::cmp::Reverse(op))));
        }
        self.cycle.into_iter().map(|cycle| cycle.and_then(|c| u32::try_from(c).ok())).collect()
    }

    /// The earliest cycle that the placed producers allow.
    fn first(&self, op: usize) -> i64 {
        let from = |&(producer, apart): &(usize, i64)| self.cycle[producer].map(|c| c + apart);
        self.apart.before[op].iter().filter_map(from).fold(0, i64::max)
    }

    /// The first cycle from one on whose row has room.
    fn free(&mut self, op: usize, first: i64) -> Option<i64> {
        let (class, from, rows) = (self.graph.classes[op], self.row(first), self.interval as usize);
        let found = (from..rows).chain(0..from).position(|row| self.table.fits(class, row));
        found.map(|after| first + after as i64)
    }

    fn row(&self, cycle: i64) -> usize {
        (cycle % self.interval) as usize
    }

    fn fits(&mut self, op: usize, cycle: i64) -> bool {
        let row = self.row(cycle);
        self.table.fits(self.graph.classes[op], row)
    }

    fn put(&mut self, op: usize, cycle: i64) {
        let row = self.row(cycle);
        self.table.take(self.graph.classes[op], row);
        self.rows[row].push(op);
        (self.cycle[op], self.before[op]) = (Some(cycle), cycle);
    }

    fn remove(&mut self, op: usize, cycle: i64) {
        let row = self.row(cycle);
        self.table.release(self.graph.classes[op], row);
        self.rows[row].retain(|&other| other != op);
        self.cycle[op] = None;
    }

    /// Of the operations in a row the one that has the shortest way to the end, of those that alone make room if any do.
    fn weakest(&mut self, op: usize, cycle: i64) -> usize {
        let row = self.row(cycle);
        let mut order = self.rows[row].clone();
        order.sort_unstable_by_key(|&op| (self.heights[op], std::cmp::Reverse(op)));
        let enough = |other: &&usize| {
            let class = self.graph.classes[**other];
            self.table.release(class, row);
            let fits = self.table.fits(self.graph.classes[op], row);
            self.table.take(class, row);
            fits
        };
        order.iter().find(enough).or(order.first()).copied().expect("a full row has operations")
    }

    /// Removes the consumers that now come too early.
    fn violated(&mut self, op: usize, cycle: i64, removed: &mut Vec<usize>) {
        for &(consumer, apart) in &self.apart.after[op] {
            if let Some(at) = self.cycle[consumer].filter(|&at| at < cycle + apart) {
                self.remove(consumer, at);
                removed.push(consumer);
            }
        }
    }
}
