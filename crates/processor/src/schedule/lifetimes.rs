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
    /// The operations that use it, and how many iterations later.
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
            // One register for all iterations.
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
    let last = value.to.iter().map(|&(op, iterations)| at(op) + i64::from(iterations) * interval).fold(first, i64::max);
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
    /// Of each operation the values that it defines or uses, and how many iterations later it uses them at most.
    touched: Vec<Vec<(usize, Option<u32>)>>,
    /// Of each value the latest time of a use.
    latest: Vec<i64>,
    /// The last cycle at first, which is never passed.
    last: i64,
    /// Operations in that cycle.
    in_last: usize,
}

/// A value as one operation sees it that moves: what the others leave of its life.
struct LifetimeView {
    /// Its definition, unless that moves.
    from: Option<i64>,
    /// The latest use by others.
    others: i64,
    /// How much later than its issue the operation uses it, if it does.
    own: Option<i64>,
    /// The length of the schedule without the operation, where something behind the end uses the value.
    end: Option<i64>,
}

impl LifetimeView {
    /// The length of the value's life with the operation in a cycle.
    fn length(&self, cycle: i64) -> i64 {
        let first = self.from.unwrap_or(cycle);
        let last = first.max(self.others).max(self.own.map_or(first, |after| cycle + after));
        self.end.map_or(last, |end| last.max(end).max(cycle + 1)) - first
    }
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
            value.from.iter().for_each(|&op| touched[op as usize].push((k, None)));
            for &(op, iterations) in &value.to {
                match touched[op as usize].last_mut() {
                    Some((last, most)) if *last == k => *most = (*most).max(Some(iterations)),
                    _ => touched[op as usize].push((k, Some(iterations))),
                }
            }
        }
        let last = i64::from(schedule.length()) - 1;
        let in_last = schedule.cycles.iter().filter(|&&cycle| i64::from(cycle) == last).count();
        let latest = vec![i64::MIN; values.len()];
        let mut mover =
            Mover { graph, table: Table::new(needs), schedule, values, edges, touched, latest, last, in_last };
        for k in 0..values.len() {
            mover.latest[k] = mover.latest_use(k, None);
        }
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

    /// When an operation uses what was defined so many iterations before.
    fn time(&self, op: u32, iterations: u32) -> i64 {
        i64::from(self.schedule.cycles[op as usize])
            + i64::from(iterations) * i64::from(self.schedule.interval.unwrap_or(0))
    }

    /// The latest use of a value by other operations than one.
    fn latest_use(&self, value: usize, without: Option<usize>) -> i64 {
        let uses = self.values[value].to.iter().filter(|t| Some(t.0 as usize) != without);
        uses.map(|&(op, iterations)| self.time(op, iterations)).max().unwrap_or(i64::MIN)
    }

    fn seen(&self, op: usize, (value, iterations): (usize, Option<u32>)) -> LifetimeView {
        let of = &self.values[value];
        // A pointer has thousands of uses: only the latest ones have to look at the others.
        let own = iterations.map(|iterations| i64::from(iterations) * i64::from(self.schedule.interval.unwrap_or(0)));
        let now = own.map(|after| i64::from(self.schedule.cycles[op]) + after);
        let others =
            if now == Some(self.latest[value]) { self.latest_use(value, Some(op)) } else { self.latest[value] };
        LifetimeView {
            from: (of.from != Some(op as u32)).then(|| of.from.map_or(0, |from| self.time(from, 0))),
            others,
            own,
            end: of.outlives.then(|| self.length_without(op)),
        }
    }

    /// The length of the schedule without an operation.
    fn length_without(&self, op: usize) -> i64 {
        let here = usize::from(i64::from(self.schedule.cycles[op]) == self.last);
        if self.in_last > here {
            return self.last + 1;
        }
        let others = self.schedule.cycles.iter().enumerate().filter(|c| c.0 != op);
        others.map(|c| i64::from(*c.1) + 1).max().unwrap_or(0)
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
        let seen: Vec<LifetimeView> = self.touched[op].iter().map(|&touched| self.seen(op, touched)).collect();
        let cost = |cycle: i64| seen.iter().map(|s| s.length(cycle)).sum::<i64>();
        let (mut best, mut least) = (old, cost(i64::from(old)));
        for cycle in (first..=last).rev() {
            self.schedule.cycles[op] = cycle as u32;
            let row = self.row(op);
            let cost = cost(cycle);
            if (cost < least || cost == least && cycle as u32 > best) && self.table.fits(class, row) {
                (best, least) = (cycle as u32, cost);
            }
        }
        self.schedule.cycles[op] = best;
        self.in_last += usize::from(i64::from(best) == self.last);
        self.in_last -= usize::from(i64::from(old) == self.last);
        for (&(k, _), seen) in self.touched[op].iter().zip(&seen) {
            self.latest[k] = seen.own.map_or(seen.others, |after| seen.others.max(i64::from(best) + after));
        }
        let row = self.row(op);
        self.table.take(class, row);
        best != old
    }
}
