//! How long values live, and a pass that makes them live shorter without making the schedule longer.

use super::table::{Needs, Table};
use crate::graph::{Graph, Resources, Schedule};

/// A value in a register.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Lifetime {
    /// Register class.
    pub kind: u16,
    /// The operation that defines it; `None`: it is there at entry.
    pub from: Option<u32>,
    /// The operations that use it, and how many trips later.
    pub to: Vec<(u32, u32)>,
    /// Something behind the end uses it.
    pub outlives: bool,
}

/// The values of a graph, where nothing else is known: each operation with a consumer defines one.
#[must_use]
pub fn values(graph: &Graph) -> Vec<Lifetime> {
    let mut values: Vec<Lifetime> =
        (0..graph.classes.len()).map(|op| Lifetime { from: Some(op as u32), ..Lifetime::default() }).collect();
    for edge in graph.edges.iter().filter(|e| e.latency > 0) {
        values[edge.from as usize].to.push((edge.to, edge.distance));
    }
    values.retain(|v| !v.to.is_empty());
    values
}

/// The most values of a register class that live at once, between two cycles.
#[must_use]
pub fn pressure(schedule: &Schedule, values: &[Lifetime], kind: u16) -> u32 {
    let rows = schedule.interval.unwrap_or(schedule.length()) as usize;
    let mut live = vec![0_u32; rows.max(1)];
    for value in values.iter().filter(|v| v.kind == kind) {
        if value.from.is_none() && schedule.interval.is_some() {
            // One register for all trips.
            live.iter_mut().for_each(|row| *row += 1);
            continue;
        }
        let (first, last) = span(value, schedule);
        (first..last).for_each(|cycle| live[cycle.rem_euclid(rows.max(1) as i64) as usize] += 1);
    }
    live.into_iter().max().unwrap_or(0)
}

/// The sum of all lifetimes in cycles.
#[must_use]
pub fn total(schedule: &Schedule, values: &[Lifetime]) -> i64 {
    let length = |value: &Lifetime| {
        let (first, last) = span(value, schedule);
        last - first
    };
    values.iter().map(length).sum()
}

/// From the issue of a value's definition to that of its last use.
fn span(value: &Lifetime, schedule: &Schedule) -> (i64, i64) {
    let at = |op: u32| i64::from(schedule.cycles[op as usize]);
    let interval = i64::from(schedule.interval.unwrap_or(0));
    let first = value.from.map_or(0, at);
    let last = value.to.iter().map(|&(op, trips)| at(op) + i64::from(trips) * interval).fold(first, i64::max);
    (first, if value.outlives { last.max(i64::from(schedule.length())) } else { last })
}

/// Moves single operations within the room that the others leave, as long as that shortens the sum of all lifetimes.
///
/// The schedule stays legal and gets no longer; an interval stays as it is. `fixed` names an operation that stays.
#[must_use]
pub fn shortened(
    graph: &Graph,
    resources: &Resources,
    schedule: &Schedule,
    values: &[Lifetime],
    fixed: Option<u32>,
) -> Schedule {
    let needs = Needs::new(graph, resources);
    let mut mover = Mover::new(graph, &needs, schedule.clone(), values);
    let mut order: Vec<usize> = (0..graph.classes.len()).filter(|&op| Some(op as u32) != fixed).collect();
    // From the last to the first, so that a whole chain follows its last operation at once.
    for _ in 0..ROUNDS {
        order.sort_by_key(|&op| std::cmp::Reverse((mover.schedule.cycles[op], op)));
        let moved = order.iter().filter(|&&op| mover.improve(op)).count();
        if moved == 0 {
            break;
        }
    }
    mover.schedule
}

/// Rounds over all operations; each shortens the sum, a few suffice.
const ROUNDS: usize = 50;

struct Mover<'a> {
    graph: &'a Graph,
    table: Table<'a>,
    schedule: Schedule,
    values: &'a [Lifetime],
    /// Of each operation the edges that it is an end of.
    edges: Vec<Vec<usize>>,
    /// Of each operation the values that it defines or uses.
    touched: Vec<Vec<usize>>,
    last: i64,
}

impl<'a> Mover<'a> {
    fn new(graph: &'a Graph, needs: &'a Needs, schedule: Schedule, values: &'a [Lifetime]) -> Self {
        let n = graph.classes.len();
        let mut edges = vec![Vec::new(); n];
        for (k, edge) in graph.edges.iter().enumerate() {
            edges[edge.from as usize].push(k);
            edges[edge.to as usize].push(k);
        }
        let mut touched = vec![Vec::new(); n];
        for (k, value) in values.iter().enumerate() {
            value.from.iter().chain(value.to.iter().map(|t| &t.0)).for_each(|&op| touched[op as usize].push(k));
        }
        touched.iter_mut().for_each(Vec::dedup);
        let last = i64::from(schedule.length()) - 1;
        let mut mover = Mover { graph, table: Table::new(needs), schedule, values, edges, touched, last };
        for op in 0..n {
            let row = mover.row(op);
            mover.table.fits(graph.classes[op], row);
            mover.table.take(graph.classes[op], row);
        }
        mover
    }

    fn row(&self, op: usize) -> usize {
        let cycle = self.schedule.cycles[op];
        self.schedule.interval.map_or(cycle, |interval| cycle % interval) as usize
    }

    /// The cycles that the neighbours leave to an operation.
    fn room(&self, op: usize) -> (i64, i64) {
        let interval = i64::from(self.schedule.interval.unwrap_or(0));
        let (mut first, mut last) = (0, self.last);
        for edge in self.edges[op].iter().map(|&k| &self.graph.edges[k]) {
            if edge.from == edge.to || (edge.distance > 0 && self.schedule.interval.is_none()) {
                continue;
            }
            let apart = i64::from(edge.latency) - i64::from(edge.distance) * interval;
            let at = |op: u32| i64::from(self.schedule.cycles[op as usize]);
            if edge.to as usize == op {
                first = first.max(at(edge.from) + apart);
            } else {
                last = last.min(at(edge.to) - apart);
            }
        }
        (first, last)
    }

    fn cost(&self, op: usize) -> i64 {
        let length = |&k: &usize| {
            let (first, last) = span(&self.values[k], &self.schedule);
            last - first
        };
        self.touched[op].iter().map(length).sum()
    }

    /// Moves an operation to where the values around it live shortest; of equally good cycles the latest, so that what it
    /// waits for may follow: in a chain of loads that count a pointer up, only the whole chain gains.
    fn improve(&mut self, op: usize) -> bool {
        let (first, last) = self.room(op);
        let (old, class) = (self.schedule.cycles[op], self.graph.classes[op]);
        if first >= last {
            return false;
        }
        self.table.release(class, self.row(op));
        let (mut best, mut least) = (old, self.cost(op));
        for cycle in (first..=last).rev() {
            self.schedule.cycles[op] = cycle as u32;
            let row = self.row(op);
            let cost = self.cost(op);
            if (cost < least || cost == least && cycle as u32 > best) && self.table.fits(class, row) {
                (best, least) = (cycle as u32, cost);
            }
        }
        self.schedule.cycles[op] = best;
        let row = self.row(op);
        self.table.take(class, row);
        best != old
    }
}
