//! List scheduling within a number of registers.

use program::generate::Random;

use super::lifetimes::{pressure, Lifetime};
use super::list::{list, listed, List, Outcome};
use super::table::{Needs, Table};
use super::uses::Uses;
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
            let (needs, uses) = (Needs::new(graph, resources), Uses::new(graph, values));
            let mut random = Random::new(options.seed);
            for attempt in 0..options.restarts.clamp(1, ATTEMPTS) {
                let reserve = attempt % 4;
                let shake = |t: &i32| -i64::from(*t) * 8 + random.below(1 + 8 * (attempt as usize % 7)) as i64;
                let keys: Vec<i64> = self.tail.iter().map(shake).collect();
                let cycles = Pass::new(graph, &dag, &needs, (values, &uses), limits, reserve).run(&keys);
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
    uses: &'a Uses,
    limits: Vec<Limit>,
    /// Of each value the limit of its class, if it has one.
    limit_of: Vec<Option<usize>>,
    /// The limits of classes of so few registers that one is taken only when its users wait for nothing else.
    scarce: Vec<bool>,
    /// Of each value its uses that are to come.
    left: Vec<usize>,
    /// Of each limit the values that live.
    live: Vec<i64>,
    /// Of each operation, by limit, how many more values live behind it if it issues now.
    more: Vec<i64>,
    start: Vec<u32>,
    /// Cycles without an issue before a limit is exceeded: the longest latency.
    patience: i32,
}

impl<'a> Pass<'a> {
    fn new(
        graph: &'a Graph,
        dag: &'a Dag,
        needs: &'a Needs,
        (values, uses): (&'a [Lifetime], &'a Uses),
        limits: &[Limit],
        reserve: u32,
    ) -> Self {
        let n = graph.classes.len();
        let at_entry =
            |limit: &Limit| values.iter().filter(|v| v.from.is_none() && v.kind == limit.kind).count() as i64;
        let live = limits.iter().map(at_entry).collect();
        // Some attempts keep registers free, for a choice later that this pass does not foresee.
        let spare = |l: &Limit| if l.registers > PLENTY { reserve } else { 0 };
        let reserved = |l: &Limit| Limit { registers: l.registers - spare(l), ..*l };
        let limits: Vec<Limit> = limits.iter().map(reserved).collect();
        let limit_of = values.iter().map(|v| limits.iter().position(|l| l.kind == v.kind)).collect();
        let scarce = limits.iter().map(|l| l.registers <= SCARCE).collect();
        let patience = graph.edges.iter().map(|e| e.latency).max().unwrap_or(0);
        let (left, more, start) = (uses.count(), vec![0; n * limits.len()], vec![u32::MAX; n]);
        let table = Table::new(needs);
        let mut pass =
            Pass { graph, dag, table, values, uses, limits, limit_of, scarce, left, live, more, start, patience };
        for (k, value) in values.iter().enumerate() {
            value.from.iter().for_each(|&op| pass.count(op, k, 1));
            pass.last_use(k);
        }
        pass
    }

    /// Counts a value that begins or ends with an operation.
    fn count(&mut self, op: u32, value: usize, by: i64) {
        if let Some(limit) = self.limit_of[value] {
            self.more[op as usize * self.limits.len() + limit] += by;
        }
    }

    /// If the next use of a value is its last, it ends there.
    fn last_use(&mut self, value: usize) {
        if self.left[value] == 1 && !self.values[value].outlives {
            let last = self.uses.users[value].iter().copied().find(|&op| self.start[op as usize] == u32::MAX);
            last.into_iter().for_each(|op| self.count(op, value, -1));
        }
    }

    fn run(mut self, keys: &[i64]) -> Vec<u32> {
        let n = self.graph.classes.len();
        let mut waiting: Vec<usize> = self.dag.before.iter().map(Vec::len).collect();
        let mut first = vec![0_i32; n];
        let mut ready: Vec<usize> = (0..n).filter(|&op| waiting[op] == 0).collect();
        let (mut cycle, mut left, mut idle) = (0, n, 0);
        while left > 0 {
            let force = idle > self.patience;
            let timely = |pass: &Self, op: usize| force || pass.timely(op, cycle, &waiting, &first);
            let Some(at) = self.choose(&ready, &first, keys, cycle, force, timely) else {
                (cycle, idle) = (cycle + 1, idle + 1);
                continue;
            };
            idle = 0;
            let op = ready.swap_remove(at);
            self.issue(op, cycle);
            left -= 1;
            for &(consumer, latency) in &self.dag.after[op] {
                first[consumer] = first[consumer].max(cycle + latency);
                waiting[consumer] -= 1;
                if waiting[consumer] == 0 {
                    ready.push(consumer);
                }
            }
        }
        self.start
    }

    /// Whether the users of what an operation puts into scarce registers can issue as soon as it is there.
    fn timely(&self, op: usize, cycle: i32, waiting: &[usize], first: &[i32]) -> bool {
        let scarce = |k: &&usize| self.limit_of[**k].is_some_and(|limit| self.scarce[limit]);
        let users = self.uses.defines[op].iter().filter(scarce).flat_map(|&k| &self.values[k].to);
        let ready = |user: usize| {
            let after = self.dag.after[op].iter().find(|a| a.0 == user).map_or(0, |a| a.1);
            waiting[user] <= 1 && first[user] <= cycle + after
        };
        users.map(|u| u.0 as usize).all(ready)
    }

    /// Where the operation stands that issues now: the smallest key of those that keep the limits; where none does and `force`,
    /// the one that exceeds them least.
    fn choose(
        &mut self,
        ready: &[usize],
        first: &[i32],
        keys: &[i64],
        cycle: i32,
        force: bool,
        timely: impl Fn(&Self, usize) -> bool,
    ) -> Option<usize> {
        let mut best: Option<((i64, i64, usize), usize)> = None;
        for (at, &op) in ready.iter().enumerate().filter(|(_, &op)| first[op] <= cycle) {
            let over = self.over(op);
            let key = (over, keys[op], op);
            if (over > 0 && !force) || best.is_some_and(|b| key > b.0) {
                continue;
            }
            if self.table.fits(self.graph.classes[op], cycle as usize) && timely(self, op) {
                best = Some((key, at));
            }
        }
        best.map(|b| b.1)
    }

    /// By how much an operation's results would exceed the limits; 0 if it leaves no more values alive than before.
    fn over(&self, op: usize) -> i64 {
        let count = self.limits.len();
        let of = self.limits.iter().zip(&self.live).zip(&self.more[op * count..(op + 1) * count]);
        of.filter(|(_, &more)| more > 0)
            .map(|((limit, live), more)| (live + more - i64::from(limit.registers)).max(0))
            .sum()
    }

    fn issue(&mut self, op: usize, cycle: i32) {
        let uses = self.uses;
        self.start[op] = cycle as u32;
        self.table.take(self.graph.classes[op], cycle as usize);
        let count = self.limits.len();
        for (live, more) in self.live.iter_mut().zip(&self.more[op * count..]) {
            *live += more;
        }
        for &k in &uses.uses[op] {
            self.left[k] -= 1;
            self.last_use(k);
        }
    }
}
