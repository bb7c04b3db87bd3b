//! List scheduling within a number of registers.

use program::generate::Random;

use super::lifetimes::{pressure, Lifetime};
use super::list::{list, listed, List, Outcome};
use super::table::{Needs, Table};
use crate::bounds::{Bounded, Dag};
use crate::graph::{Edge, Graph, Resources, Schedule};

/// Registers of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Register class, as in [`Lifetime::kind`].
    pub kind: u16,
    /// Values of it that may live at once.
    pub registers: u32,
}

/// Schedules straight-line code within limits on registers, as far as that is found possible.
///
/// A schedule without limits comes first, with its lifetimes shortened; if it keeps the limits, it is the result.
/// Otherwise the values of a class of one register are put in order, and if that does not suffice, operations that would
/// exceed a limit wait for others that end lifetimes. The result is the schedule with the least excess: [`excess`] says
/// how much that is.
///
/// # Panics
/// If the graph was not checked by [`crate::bounds::verify`].
#[must_use]
pub fn list_within(
    graph: &Graph,
    resources: &Resources,
    values: &[Lifetime],
    limits: &[Limit],
    options: &List,
) -> Outcome {
    UnlimitedSchedule::new(graph, resources, &Bounded::new(graph, resources), options)
        .within(graph, resources, values, limits, options)
}

/// A schedule without limits, from which schedules within several limits start.
#[derive(Clone, Debug)]
pub struct UnlimitedSchedule {
    found: Outcome,
    /// Of each operation the cycles behind it at least.
    tail: Vec<i32>,
}

impl UnlimitedSchedule {
    /// Schedules straight-line code as [`list`] does.
    #[must_use]
    pub fn new(graph: &Graph, resources: &Resources, bounded: &Bounded, options: &List) -> UnlimitedSchedule {
        UnlimitedSchedule { found: listed(graph, resources, bounded, options), tail: bounded.windows.tail.clone() }
    }

    /// As [`list_within`].
    #[must_use]
    pub fn within(
        &self,
        graph: &Graph,
        resources: &Resources,
        values: &[Lifetime],
        limits: &[Limit],
        options: &List,
    ) -> Outcome {
        let free = &self.found;
        let shorter = super::lifetimes::shortened(graph, resources, &free.schedule, values, None);
        let mut best = (excess(&shorter, values, limits), shorter);
        if let Some(ordered) = ordered(graph, &best.1, values, limits).filter(|_| best.0 > 0) {
            let found = list(&ordered, resources, options).schedule;
            let found = super::lifetimes::shortened(&ordered, resources, &found, values, None);
            let over = excess(&found, values, limits);
            if over < best.0 {
                best = (over, found);
            }
        }
        if best.0 > 0 {
            let dag = Dag::new(graph).expect("the graph was verified");
            let needs = Needs::new(graph, resources);
            let mut random = Random::new(options.seed);
            for attempt in 0..options.restarts.clamp(1, ATTEMPTS) {
                let reserve = attempt % 4;
                let shake = |t: &i32| -i64::from(*t) * 8 + random.below(1 + 8 * (attempt as usize % 7)) as i64;
                let keys: Vec<i64> = self.tail.iter().map(shake).collect();
                let cycles = Pass::new(graph, &dag, &needs, values, limits, reserve).run(&keys);
                let schedule = Schedule { cycles, interval: None };
                let shorter = super::lifetimes::shortened(graph, resources, &schedule, values, None);
                for schedule in [shorter, schedule] {
                    let found = (excess(&schedule, values, limits), schedule);
                    if (found.0, found.1.length()) < (best.0, best.1.length()) {
                        best = found;
                    }
                }
            }
        }
        Outcome { schedule: best.1, ..free.clone() }
    }
}

/// The graph with the values of every single register one after the other, in the order of their last uses; none if no
/// class has a single register, or if that order contradicts the dependences.
fn ordered(graph: &Graph, schedule: &Schedule, values: &[Lifetime], limits: &[Limit]) -> Option<Graph> {
    let mut ordered = graph.clone();
    for limit in limits.iter().filter(|l| l.registers == 1) {
        let last = |v: &Lifetime| v.to.iter().map(|t| schedule.cycles[t.0 as usize]).max();
        let mut turns: Vec<&Lifetime> = values.iter().filter(|v| v.kind == limit.kind && v.from.is_some()).collect();
        turns.sort_by_key(|v| (last(v), v.from));
        for pair in turns.windows(2) {
            let to = pair[1].from?;
            let users = pair[0].to.iter().filter(|u| u.0 != to);
            ordered.edges.extend(users.map(|u| Edge { from: u.0, to, latency: 0, distance: 0 }));
        }
    }
    let more = ordered.edges.len() > graph.edges.len();
    (more && Dag::new(&ordered).is_some()).then_some(ordered)
}

/// Attempts within limits; each is much slower than a pass without.
const ATTEMPTS: u32 = 24;

/// Registers of a class up to which they are scarce.
const SCARCE: u32 = 2;

/// Registers of a class from which on a few may be kept free.
const PLENTY: u32 = 8;

/// By how many registers a schedule exceeds its limits, over all classes.
#[must_use]
pub fn excess(schedule: &Schedule, values: &[Lifetime], limits: &[Limit]) -> u32 {
    let over = |limit: &Limit| pressure(schedule, values, limit.kind).saturating_sub(limit.registers);
    limits.iter().map(over).sum()
}

struct Pass<'a> {
    graph: &'a Graph,
    dag: &'a Dag,
    table: Table<'a>,
    values: &'a [Lifetime],
    limits: Vec<Limit>,
    /// Of each operation the values that it defines, and those that it uses.
    defines: Vec<Vec<usize>>,
    uses: Vec<Vec<usize>>,
    /// Of each value its uses that are to come.
    left: Vec<usize>,
    /// Of each limit the values that live.
    live: Vec<i64>,
    /// Cycles without an issue before a limit is exceeded: the longest latency.
    patience: i32,
}

impl<'a> Pass<'a> {
    fn new(
        graph: &'a Graph,
        dag: &'a Dag,
        needs: &'a Needs,
        values: &'a [Lifetime],
        limits: &[Limit],
        reserve: u32,
    ) -> Self {
        let n = graph.classes.len();
        let (mut defines, mut uses) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (k, value) in values.iter().enumerate() {
            value.from.iter().for_each(|&op| defines[op as usize].push(k));
            value.to.iter().for_each(|&(op, _)| uses[op as usize].push(k));
        }
        uses.iter_mut().for_each(Vec::dedup);
        let mut left = vec![0; values.len()];
        uses.iter().flatten().for_each(|&k| left[k] += 1);
        let at_entry =
            |limit: &Limit| values.iter().filter(|v| v.from.is_none() && v.kind == limit.kind).count() as i64;
        let live = limits.iter().map(at_entry).collect();
        // Some attempts keep registers free, for a choice later that this pass does not foresee.
        let spare = |l: &Limit| if l.registers > PLENTY { reserve } else { 0 };
        let reserved = |l: &Limit| Limit { registers: l.registers - spare(l), ..*l };
        let limits = limits.iter().map(reserved).collect();
        let patience = graph.edges.iter().map(|e| e.latency).max().unwrap_or(0);
        Pass { graph, dag, table: Table::new(needs), values, limits, defines, uses, left, live, patience }
    }

    fn run(mut self, keys: &[i64]) -> Vec<u32> {
        let n = self.graph.classes.len();
        let mut start = vec![u32::MAX; n];
        let mut waiting: Vec<usize> = self.dag.before.iter().map(Vec::len).collect();
        let mut first = vec![0_i32; n];
        let mut ready: Vec<usize> = (0..n).filter(|&op| waiting[op] == 0).collect();
        let (mut cycle, mut left, mut idle) = (0, n, 0);
        while left > 0 {
            // A scarce register is taken only when its users wait for nothing else.
            let timely = |op: &&usize| self.timely(**op, cycle, &waiting, &first);
            let force = idle > self.patience;
            let open: Vec<usize> = ready.iter().filter(|op| force || timely(op)).copied().collect();
            let Some(op) = self.choose(&open, &first, keys, cycle, force) else {
                (cycle, idle) = (cycle + 1, idle + 1);
                continue;
            };
            idle = 0;
            self.issue(op, cycle);
            (start[op], left) = (cycle as u32, left - 1);
            ready.retain(|&other| other != op);
            for &(consumer, latency) in &self.dag.after[op] {
                first[consumer] = first[consumer].max(cycle + latency);
                waiting[consumer] -= 1;
                if waiting[consumer] == 0 {
                    ready.push(consumer);
                }
            }
        }
        start
    }

    /// Whether the users of what an operation puts into scarce registers can issue as soon as it is there.
    fn timely(&self, op: usize, cycle: i32, waiting: &[usize], first: &[i32]) -> bool {
        let scarce = |k: &usize| self.limits.iter().any(|l| l.kind == self.values[*k].kind && l.registers <= SCARCE);
        if !self.defines[op].iter().any(scarce) {
            return true;
        }
        let users = self.defines[op].iter().filter(|k| scarce(k)).flat_map(|&k| &self.values[k].to);
        let ready = |user: usize| {
            let after = self.dag.after[op].iter().find(|a| a.0 == user).map_or(0, |a| a.1);
            waiting[user] <= 1 && first[user] <= cycle + after
        };
        users.map(|u| u.0 as usize).all(ready)
    }

    /// The operation to issue now: the smallest key of those that keep the limits; where none does and `force`, the one
    /// that exceeds them least.
    fn choose(&mut self, ready: &[usize], first: &[i32], keys: &[i64], cycle: i32, force: bool) -> Option<usize> {
        let mut best: Option<((i64, i64), usize)> = None;
        for &op in ready.iter().filter(|&&op| first[op] <= cycle) {
            let over = self.over(op);
            if (over > 0 && !force) || !self.table.fits(self.graph.classes[op], cycle as usize) {
                continue;
            }
            let key = (over, keys[op]);
            if best.map_or(true, |b| (key, op) < b) {
                best = Some((key, op));
            }
        }
        best.map(|b| b.1)
    }

    /// By how much an operation's results would exceed the limits; 0 if it leaves no more values alive than before.
    fn over(&self, op: usize) -> i64 {
        let mut over = 0;
        for (limit, live) in self.limits.iter().zip(&self.live) {
            let of = |k: &&usize| self.values[**k].kind == limit.kind;
            let born = self.defines[op].iter().filter(of).count() as i64;
            let ended = self.uses[op].iter().filter(of).filter(|&&k| self.ends(k)).count() as i64;
            if born > ended {
                over += (live + born - ended - i64::from(limit.registers)).max(0);
            }
        }
        over
    }

    /// The next use of a value is its last.
    fn ends(&self, value: usize) -> bool {
        self.left[value] == 1 && !self.values[value].outlives
    }

    fn issue(&mut self, op: usize, cycle: i32) {
        self.table.fits(self.graph.classes[op], cycle as usize);
        self.table.take(self.graph.classes[op], cycle as usize);
        for (limit, live) in self.limits.iter().zip(&mut self.live) {
            let of = |k: &&usize| self.values[**k].kind == limit.kind;
            *live += self.defines[op].iter().filter(of).count() as i64;
            let ends = |k: &&usize| self.left[**k] == 1 && !self.values[**k].outlives;
            *live -= self.uses[op].iter().filter(of).filter(ends).count() as i64;
        }
        self.uses[op].iter().for_each(|&k| self.left[k] -= 1);
    }
}
