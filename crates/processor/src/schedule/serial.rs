//! One pass of list scheduling: operations in the order of their keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::table::{Needs, Table};
use crate::bounds::Dag;

/// How a pass picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Cycle by cycle, of those that may issue now the ones with the smallest keys.
    Cycles,
    /// Operation by operation in the order of keys, each as early as it fits.
    Operations,
}

/// What the passes share, in one direction.
pub(crate) struct Pass<'a> {
    dag: &'a Dag,
    classes: &'a [u16],
    table: Table<'a>,
    waiting: Vec<u32>,
    ready: Vec<i32>,
}

impl<'a> Pass<'a> {
    /// Passes over a graph; for the other direction, over the reversed one.
    pub fn new(dag: &'a Dag, classes: &'a [u16], needs: &'a Needs) -> Pass<'a> {
        Pass { dag, classes, table: Table::new(needs), waiting: Vec::new(), ready: Vec::new() }
    }

    /// One schedule, as the cycle of each operation.
    pub fn run(&mut self, mode: Mode, keys: &[i64]) -> Vec<i32> {
        self.table.clear();
        self.waiting.clear();
        self.waiting.extend(self.dag.before.iter().map(|b| b.len() as u32));
        self.ready.clear();
        self.ready.resize(self.classes.len(), 0);
        match mode {
            Mode::Cycles => self.cycles(keys),
            Mode::Operations => self.operations(keys),
        }
    }

    fn operations(&mut self, keys: &[i64]) -> Vec<i32> {
        let mut start = vec![0; self.classes.len()];
        let mut heap: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::with_capacity(start.len());
        heap.extend((0..start.len()).filter(|&op| self.waiting[op] == 0).map(|op| Reverse((keys[op], op))));
        while let Some(Reverse((_, op))) = heap.pop() {
            let mut cycle = self.ready[op];
            while !self.table.fits(self.classes[op], cycle as usize) {
                cycle += 1;
            }
            self.table.take(self.classes[op], cycle as usize);
            start[op] = cycle;
            self.release(op, cycle, |consumer, _| heap.push(Reverse((keys[consumer], consumer))));
        }
        start
    }

    fn cycles(&mut self, keys: &[i64]) -> Vec<i32> {
        let n = self.classes.len();
        let mut start = vec![0; n];
        let classes = self.classes.iter().max().map_or(0, |c| usize::from(*c) + 1);
        let mut queues: Vec<BinaryHeap<Reverse<(i64, usize)>>> = vec![BinaryHeap::new(); classes];
        let mut later: Vec<Vec<usize>> = vec![(0..n).filter(|&op| self.waiting[op] == 0).collect()];
        let (mut cycle, mut left) = (0, n);
        let mut full = vec![false; classes];
        while left > 0 {
            let arrived = later.get_mut(cycle).map(std::mem::take).unwrap_or_default();
            arrived.into_iter().for_each(|op| queues[usize::from(self.classes[op])].push(Reverse((keys[op], op))));
            full.iter_mut().for_each(|f| *f = false);
            loop {
                let tops = queues.iter().enumerate().filter(|(class, _)| !full[*class]);
                let best = tops.filter_map(|(class, q)| q.peek().map(|top| (top.0, class))).min();
                let Some(((_, op), class)) = best else { break };
                if !self.table.fits(class as u16, cycle) {
                    full[class] = true;
                    continue;
                }
                self.table.take(class as u16, cycle);
                queues[class].pop();
                (start[op], left) = (cycle as i32, left - 1);
                let of = self.classes;
                self.release(op, cycle as i32, |consumer, ready| {
                    if ready <= cycle as i32 {
                        queues[usize::from(of[consumer])].push(Reverse((keys[consumer], consumer)));
                    } else {
                        later.resize_with(later.len().max(ready as usize + 1), Vec::new);
                        later[ready as usize].push(consumer);
                    }
                });
            }
            cycle += 1;
        }
        start
    }

    /// Tells the consumers of an operation; `available` gets those that wait for nothing else, with their first cycle.
    fn release(&mut self, op: usize, cycle: i32, mut available: impl FnMut(usize, i32)) {
        for &(consumer, latency) in &self.dag.after[op] {
            self.ready[consumer] = self.ready[consumer].max(cycle + latency);
            self.waiting[consumer] -= 1;
            if self.waiting[consumer] == 0 {
                available(consumer, self.ready[consumer]);
            }
        }
    }
}
