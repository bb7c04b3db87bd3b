//! List scheduling of code whose values fit the registers in the order of its text.
//!
//! An operation may issue before others that stand before it only if its results then fit, too: it is known how many
//! values are alive between any two operations of the text, and each early result is alive from now on. So the registers
//! always suffice for going on in the order of the text, and no choice is regretted.

use super::lifetimes::Lifetime;
use super::pressure::Limit;
use super::table::{Needs, Table};
use crate::bounds::Dag;
use crate::graph::{Graph, Resources, Schedule};

/// Code whose text keeps limits, with what all its schedules share.
pub struct Profile<'a> {
    graph: &'a Graph,
    values: &'a [Lifetime],
    dag: Dag,
    needs: Needs,
    /// Of each operation the longest way to the end.
    tail: Vec<i32>,
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
        Profile { graph, values, dag, needs: Needs::new(graph, resources), tail }
    }

    /// Schedules the code within limits, looking ahead so many operations; of several that fit, those with the longest way to the
    /// end go first, or with `in_turn` those that stand first.
    ///
    /// # Panics
    /// If the operations do not stand in an order that keeps their dependences.
    #[must_use]
    pub fn schedule(&self, limits: &[Limit], ahead: u32, in_turn: bool) -> Schedule {
        let mut pass = Pass::new(self.graph, &self.dag, &self.needs, self.values, limits);
        let key = |op: usize| if in_turn { (0, op) } else { (-self.tail[op], op) };
        pass.run(ahead.max(1) as usize, &key);
        Schedule { cycles: pass.start, interval: None }
    }
}

struct Pass<'a> {
    graph: &'a Graph,
    dag: &'a Dag,
    table: Table<'a>,
    values: &'a [Lifetime],
    limits: &'a [Limit],
    /// Of each operation the values that it defines and something uses, and those that it uses.
    defines: Vec<Vec<usize>>,
    uses: Vec<Vec<usize>>,
    /// Of each value its users that are to come.
    left: Vec<usize>,
    /// Of each limit and number of operations of the text the values that are alive behind them.
    alive: Vec<Vec<i64>>,
    start: Vec<u32>,
    waiting: Vec<usize>,
    first: Vec<i32>,
    /// The first operation of the text that has not issued.
    head: usize,
}

const OPEN: u32 = u32::MAX;

impl<'a> Pass<'a> {
    fn new(graph: &'a Graph, dag: &'a Dag, needs: &'a Needs, values: &'a [Lifetime], limits: &'a [Limit]) -> Self {
        let n = graph.classes.len();
        let (mut defines, mut uses) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (k, value) in values.iter().enumerate() {
            value.from.iter().for_each(|&op| defines[op as usize].push(k));
            value.to.iter().for_each(|&(op, _)| uses[op as usize].push(k));
        }
        uses.iter_mut().for_each(Vec::dedup);
        let mut left = vec![0; values.len()];
        uses.iter().flatten().for_each(|&k| left[k] += 1);
        let mut pass = Pass {
            graph,
            dag,
            table: Table::new(needs),
            values,
            limits,
            defines,
            uses,
            left,
            alive: vec![vec![0; n + 1]; limits.len()],
            start: vec![OPEN; n],
            waiting: dag.before.iter().map(Vec::len).collect(),
            first: vec![0; n],
            head: 0,
        };
        for (k, value) in values.iter().enumerate() {
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
        let of = &self.values[value];
        let used = of.to.iter().map(|t| t.0 as usize).max().unwrap_or(0);
        if self.stays(value) {
            self.start.len()
        } else {
            used
        }
    }

    /// Something behind the end uses the value, or the next iteration.
    fn stays(&self, value: usize) -> bool {
        self.values[value].outlives || self.values[value].to.iter().any(|t| t.1 > 0)
    }

    fn change(&mut self, value: usize, from: usize, to: usize, by: i64) {
        let Some(limit) = self.limits.iter().position(|l| l.kind == self.values[value].kind) else { return };
        if from <= to {
            self.alive[limit][from..=to].iter_mut().for_each(|count| *count += by);
        }
    }

    fn run(&mut self, ahead: usize, key: &dyn Fn(usize) -> (i32, usize)) {
        let n = self.start.len();
        let mut cycle = 0;
        while self.head < n {
            let mut issued = true;
            while issued {
                issued = false;
                let end = n.min(self.head + ahead);
                let open = |op: &usize| self.start[*op] == OPEN && self.waiting[*op] == 0 && self.first[*op] <= cycle;
                let mut ready: Vec<usize> = (self.head..end).filter(open).collect();
                ready.sort_unstable_by_key(|&op| key(op));
                for op in ready {
                    if self.table.fits(self.graph.classes[op], cycle as usize) && self.has_room(op) {
                        self.issue(op, cycle);
                        issued = true;
                    }
                }
            }
            cycle += 1;
        }
    }

    /// The values that end if an operation issues now.
    fn ended(&self, op: usize) -> impl Iterator<Item = usize> + '_ {
        self.uses[op].iter().copied().filter(|&k| self.left[k] == 1 && !self.stays(k))
    }

    /// Whether an operation's results fit the registers from now until its turn in the text.
    fn has_room(&self, op: usize) -> bool {
        op == self.head
            || self.limits.iter().enumerate().all(|(n, limit)| {
                let of = |k: &usize| self.values[*k].kind == limit.kind;
                let born = self.defines[op].iter().filter(|k| of(k)).count() as i64;
                let more = born - self.ended(op).filter(of).count() as i64;
                let most = || self.alive[n][self.head..=op].iter().max().copied().unwrap_or(0);
                more <= 0 || most() + more <= i64::from(limit.registers)
            })
    }

    fn issue(&mut self, op: usize, cycle: i32) {
        self.table.take(self.graph.classes[op], cycle as usize);
        self.start[op] = cycle as u32;
        for k in self.ended(op).collect::<Vec<_>>() {
            self.change(k, self.head, self.last(k), -1);
        }
        for k in self.defines[op].clone() {
            self.change(k, self.head, op, 1);
        }
        self.uses[op].iter().for_each(|&k| self.left[k] -= 1);
        while self.start.get(self.head).is_some_and(|&start| start != OPEN) {
            self.head += 1;
        }
        for &(consumer, latency) in &self.dag.after[op] {
            self.first[consumer] = self.first[consumer].max(cycle + latency);
            self.waiting[consumer] -= 1;
        }
    }
}
