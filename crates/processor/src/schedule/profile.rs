//! List scheduling of code whose values fit the registers in the order of its text.
//!
//! An operation may issue before others that stand before it only if its results then fit, too: it is known how many
//! values are alive between any two operations of the text, and each early result is alive from now on. So the registers
//! always suffice for going on in the order of the text, and no choice is regretted.

use super::lifetimes::Lifetime;
use super::pressure::Limit;
use super::table::{Needs, Table};
use super::uses::Uses;
use crate::bounds::Dag;
use crate::graph::{Graph, Resources, Schedule};

/// Code whose text keeps limits, with what all its schedules share.
pub struct Profile<'a> {
    graph: &'a Graph,
    values: &'a [Lifetime],
    dag: Dag,
    needs: Needs,
    uses: Uses,
    /// Of each operation the longest way to the end, and its place in the order of these, longest first.
    tail: Vec<i32>,
    by_tail: Vec<u32>,
}

impl<'a> Profile<'a> {
    /// Prepares schedules.
    ///
    /// # Panics
    /// If the graph was not checked by [`crate::bounds::verify`].
    #[must_use]
    pub fn new(graph: &'a Graph, resources: &Resources, values: &'a [Lifetime]) -> Profile<'a> {
        let dag = Dag::new(graph).expect("the graph was verified");
        let tail = dag.reversed().longest();
        let mut order: Vec<usize> = (0..tail.len()).collect();
        order.sort_by_key(|&op| -tail[op]);
        let mut by_tail = vec![0; tail.len()];
        order.iter().enumerate().for_each(|(place, &op)| by_tail[op] = place as u32);
        let uses = Uses::new(graph, values);
        Profile { graph, values, dag, needs: Needs::new(graph, resources), uses, tail, by_tail }
    }

    /// Schedules the code within limits, looking ahead so many operations; of several that fit, those with the longest way to the
    /// end go first, or with `in_turn` those that stand first. `None` if the schedule has `most` cycles or more.
    ///
    /// # Panics
    /// If the operations do not stand in an order that keeps their dependences.
    #[must_use]
    pub fn schedule(&self, limits: &[Limit], ahead: u32, in_turn: bool, most: u32) -> Option<Schedule> {
        let mut pass = Pass::new(self, limits, in_turn);
        pass.run(ahead.max(1) as usize, most)?;
        Some(Schedule { cycles: pass.start, interval: None })
    }
}

struct Pass<'a> {
    of: &'a Profile<'a>,
    table: Table<'a>,
    limits: &'a [Limit],
    /// Of several operations that fit, those that stand first go first.
    in_turn: bool,
    /// Of each value its users that are to come.
    left: Vec<usize>,
    /// Of each limit and number of operations of the text the values that are alive behind them.
    alive: Vec<Vec<i64>>,
    start: Vec<u32>,
    waiting: Vec<usize>,
    first: Vec<i32>,
    /// The first operation of the text that has not issued.
    head: usize,
    /// The first operation beyond those that are looked at.
    end: usize,
    /// Operations before `end` that wait for no other and have not issued, by rank.
    open: Vec<usize>,
}

const OPEN: u32 = u32::MAX;

impl<'a> Pass<'a> {
    fn new(of: &'a Profile<'a>, limits: &'a [Limit], in_turn: bool) -> Self {
        let n = of.graph.classes.len();
        let mut pass = Pass {
            of,
            table: Table::new(&of.needs),
            limits,
            in_turn,
            left: of.uses.count(),
            alive: vec![vec![0; n + 1]; limits.len()],
            start: vec![OPEN; n],
            waiting: of.dag.before.iter().map(Vec::len).collect(),
            first: vec![0; n],
            head: 0,
            end: 0,
            open: Vec::new(),
        };
        for (k, value) in of.values.iter().enumerate() {
            let from = value.from.map_or(0, |op| op as usize + 1);
            pass.change(k, from, pass.last(k), 1);
            // What the next iteration uses is alive before, too.
            let again = value.to.iter().filter(|t| t.1 > 0).map(|t| t.0 as usize).max();
            again.filter(|_| from > 0).into_iter().for_each(|op| pass.change(k, 0, op.min(from - 1), 1));
        }
        pass
    }

    /// Operations of the text behind which a value is alive for the last time.
    fn last(&self, value: usize) -> usize {
        let of = &self.of.values[value];
        let used = of.to.iter().map(|t| t.0 as usize).max().unwrap_or(0);
        if self.stays(value) {
            self.start.len()
        } else {
            used
        }
    }

    /// Something behind the end uses the value, or the next iteration.
    fn stays(&self, value: usize) -> bool {
        self.of.values[value].outlives || self.of.values[value].to.iter().any(|t| t.1 > 0)
    }

    fn change(&mut self, value: usize, from: usize, to: usize, by: i64) {
        let Some(limit) = self.limits.iter().position(|l| l.kind == self.of.values[value].kind) else { return };
        if from <= to {
            self.alive[limit][from..=to].iter_mut().for_each(|count| *count += by);
        }
    }

    fn run(&mut self, ahead: usize, most: u32) -> Option<()> {
        let n = self.start.len();
        let (mut cycle, mut ready) = (0, Vec::new());
        while self.head < n {
            if i64::from(cycle + self.of.tail[self.head]) + 1 >= i64::from(most) {
                return None;
            }
            let mut issued = true;
            while issued {
                issued = false;
                self.look(n.min(self.head + ahead));
                ready.clear();
                ready.extend(self.open.iter().copied().filter(|&op| self.first[op] <= cycle));
                for &op in &ready {
                    if self.table.fits(self.of.graph.classes[op], cycle as usize) && self.has_room(op) {
                        self.issue(op, cycle);
                        issued = true;
                    }
                }
            }
            cycle += 1;
        }
        Some(())
    }

    /// Looks at the operations before `end`, too.
    fn look(&mut self, end: usize) {
        for op in self.end..end {
            if self.waiting[op] == 0 {
                self.opens(op);
            }
        }
        self.end = end;
    }

    /// Enters an operation that waits for no other any more.
    fn opens(&mut self, op: usize) {
        let at = self.open.partition_point(|&other| self.rank(other) < self.rank(op));
        self.open.insert(at, op);
    }

    fn rank(&self, op: usize) -> u32 {
        if self.in_turn {
            op as u32
        } else {
            self.of.by_tail[op]
        }
    }

    /// The values that end if an operation issues now.
    fn ended(&self, op: usize) -> impl Iterator<Item = usize> + '_ {
        self.of.uses.uses[op].iter().copied().filter(|&k| self.left[k] == 1 && !self.stays(k))
    }

    /// Whether an operation's results fit the registers from now until its turn in the text.
    fn has_room(&self, op: usize) -> bool {
        op == self.head
            || self.limits.iter().enumerate().all(|(n, limit)| {
                let of = |k: &usize| self.of.values[*k].kind == limit.kind;
                let born = self.of.uses.defines[op].iter().filter(|k| of(k)).count() as i64;
                let more = born - self.ended(op).filter(of).count() as i64;
                let most = || self.alive[n][self.head..=op].iter().max().copied().unwrap_or(0);
                more <= 0 || most() + more <= i64::from(limit.registers)
            })
    }

    fn issue(&mut self, op: usize, cycle: i32) {
        let of = self.of;
        self.table.take(of.graph.classes[op], cycle as usize);
        self.start[op] = cycle as u32;
        self.open.retain(|&other| other != op);
        for k in self.ended(op).collect::<Vec<_>>() {
            self.change(k, self.head, self.last(k), -1);
        }
        for &k in &of.uses.defines[op] {
            self.change(k, self.head, op, 1);
        }
        of.uses.uses[op].iter().for_each(|&k| self.left[k] -= 1);
        while self.start.get(self.head).is_some_and(|&start| start != OPEN) {
            self.head += 1;
        }
        for &(consumer, latency) in &of.dag.after[op] {
            self.first[consumer] = self.first[consumer].max(cycle + latency);
            self.waiting[consumer] -= 1;
            if self.waiting[consumer] == 0 && consumer < self.end {
                self.opens(consumer);
            }
        }
    }
}
