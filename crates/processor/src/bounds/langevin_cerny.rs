//! The recursive bound of Langevin and Cerny: of each operation the earliest cycle, from the resources that its
//! predecessors need.
//!
//! Let op `v` start in cycle `s`. A predecessor `u` starts at or after its own earliest cycle (found by the same
//! argument before) and at or before `s` less the longest path from `u` to `v`. Under one cap alone this is the problem
//! of unit tasks with releases and deadlines on identical slots, which earliest deadline first solves exactly
//! (Rim and Jain); its smallest `s` is a lower bound. An operation that takes several slots counts as so many unit
//! tasks, which only relaxes the problem further, and one that holds its slots as one for each cycle.
//!
//! Source: Langevin and Cerny, A recursive technique for computing lower-bound performance of schedules, 1996;
//! Rim and Jain, Lower-bound performance estimation for the high-level synthesis scheduling problem, 1994.

use super::dag::Dag;
use super::slots::Slots;
use crate::graph::{Cap, Graph, Resources};

/// Of each operation a cycle before which no schedule issues it.
pub(crate) fn earliest(dag: &Dag, graph: &Graph, resources: &Resources, direction: Direction) -> Vec<i32> {
    let n = graph.classes.len();
    let takes = takes(graph, resources);
    let binding: Vec<(&Cap, &Vec<u32>)> =
        (0..takes.len()).filter(|&k| binds(k, resources, &takes)).map(|k| (&resources.caps[k], &takes[k])).collect();
    let alone = binding.iter().all(|(cap, _)| cap.holds.is_empty());
    let mut early = vec![0; n];
    let mut slots = Slots::default();
    let mut cone = Cone::new(n);
    for position in 0..n {
        let op = dag.order[position];
        let path = dag.before[op].iter().map(|&(u, latency)| early[u] + latency).fold(0, i32::max);
        early[op] = path;
        if alone && follows(dag, op) {
            continue;
        }
        cone.gather(dag, position);
        for &(cap, takes) in &binding {
            if !cap.holds.is_empty() {
                let tasks = cone
                    .by_distance()
                    .flat_map(|(distance, u)| held(cap, usize::from(graph.classes[u]), early[u], distance, direction));
                early[op] = early[op].max(tightest_held(&mut slots, tasks.collect(), cap, direction).unwrap_or(0));
                continue;
            }
            let tasks = cone.by_distance().filter(|&(_, u)| takes[u] > 0);
            let tasks = tasks.map(|(distance, u)| (early[u], distance, takes[u]));
            early[op] = early[op].max(slots.tightest(tasks, cap.limit).unwrap_or(0));
        }
    }
    early
}

/// Whether an operation only comes behind one predecessor, at least a cycle later, as far as all others do. Where nothing is held
/// for longer than a cycle, no cap has more to say of it than of that predecessor: everything before stands where it stood, and
/// the slots of the operation's own cycle are free.
fn follows(dag: &Dag, op: usize) -> bool {
    let before = &dag.before[op];
    let Some(&(last, apart)) = before.iter().max_by_key(|b| b.1) else { return true };
    let behind = |&(other, latency): &(usize, i32)| {
        other == last || dag.before[last].iter().any(|&(before, more)| before == other && more + apart >= latency)
    };
    apart >= 1 && before.iter().all(behind)
}

/// Whether a cap can decide anything: not where all operations fit one cycle, or another cap of no more slots counts no less of
/// each.
fn binds(k: usize, resources: &Resources, takes: &[Vec<u32>]) -> bool {
    let (cap, own) = (&resources.caps[k], &takes[k]);
    let implied = |other: usize| {
        let by = &resources.caps[other];
        let covers = by.limit <= cap.limit && takes[other].iter().zip(own).all(|(by, own)| by >= own);
        let same = by.limit == cap.limit && takes[other] == *own;
        other != k && by.holds.is_empty() && covers && (other < k || !same)
    };
    !cap.holds.is_empty() || own.iter().sum::<u32>() > cap.limit && !(0..takes.len()).any(implied)
}

/// Whether cycles are counted from the start or from the end: what an operation holds behind its issue lies before it then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// An operation under a cap that it holds, as unit tasks (release, tail, slots): one for each cycle that it holds it.
pub(crate) fn held(
    cap: &Cap,
    class: usize,
    release: i32,
    tail: i32,
    direction: Direction,
) -> impl Iterator<Item = (i32, i32, u32)> + '_ {
    let tasks = (0..cap.held(class)).map(move |after| {
        let by = if direction == Direction::Forward { after as i32 } else { -(after as i32) };
        (release + by, tail - by, cap.slots(class, after))
    });
    tasks.filter(|t| t.2 > 0)
}

/// The tightest sum of slot and tail of such tasks; some may lie before the first cycle.
pub(crate) fn tightest_held(
    slots: &mut Slots,
    mut tasks: Vec<(i32, i32, u32)>,
    cap: &Cap,
    direction: Direction,
) -> Option<i32> {
    let before = if direction == Direction::Forward { 0 } else { cap.longest() as i32 - 1 };
    tasks.sort_unstable_by_key(|t| (std::cmp::Reverse(t.1), t.0));
    let shifted = tasks.into_iter().map(|(release, tail, count)| (release + before, tail, count));
    slots.tightest(shifted, cap.limit).map(|found| found - before)
}

/// Of each cap the slots that each operation takes.
pub(crate) fn takes(graph: &Graph, resources: &Resources) -> Vec<Vec<u32>> {
    let of = |cap: &crate::graph::Cap| graph.classes.iter().map(|&c| u32::from(cap.takes[usize::from(c)])).collect();
    resources.caps.iter().map(of).collect()
}

/// The predecessors of one operation with the longest paths to it.
#[derive(Default)]
struct Cone {
    position: Vec<usize>,
    distance: Vec<i32>,
    /// Longest path to the operation and the predecessor; the operation itself is among them.
    found: Vec<(i32, u32)>,
    /// The same, longest first; in which order equally long ones stand decides nothing.
    sorted: Vec<(i32, u32)>,
    counts: Vec<u32>,
}

const UNREACHED: i32 = i32::MIN;

impl Cone {
    fn new(n: usize) -> Cone {
        Cone { position: Vec::new(), distance: vec![UNREACHED; n], ..Cone::default() }
    }

    fn gather(&mut self, dag: &Dag, position: usize) {
        if self.position.is_empty() {
            self.position = vec![0; dag.order.len()];
            dag.order.iter().enumerate().for_each(|(at, &op)| self.position[op] = at);
        }
        self.found.clear();
        self.distance.iter_mut().for_each(|d| *d = UNREACHED);
        self.distance[dag.order[position]] = 0;
        for &op in dag.order[..=position].iter().rev() {
            let distance = self.distance[op];
            if distance == UNREACHED {
                continue;
            }
            self.found.push((distance, op as u32));
            for &(u, latency) in &dag.before[op] {
                self.distance[u] = self.distance[u].max(distance + latency);
            }
        }
        self.sort();
    }

    /// Sorts by counting: paths are short beside the number of predecessors, and this is done for every operation.
    fn sort(&mut self) {
        let least = self.found.iter().map(|f| f.0).min().unwrap_or(0);
        let place = |distance: i32| (distance - least) as usize;
        self.counts.clear();
        for &(distance, _) in &self.found {
            let place = place(distance);
            self.counts.resize(self.counts.len().max(place + 1), 0);
            self.counts[place] += 1;
        }
        let mut before = 0;
        for count in self.counts.iter_mut().rev() {
            before += std::mem::replace(count, before);
        }
        self.sorted.resize(self.found.len(), (0, 0));
        for &(distance, op) in &self.found {
            let next = &mut self.counts[place(distance)];
            self.sorted[*next as usize] = (distance, op);
            *next += 1;
        }
    }

    /// Longest path to the operation and the predecessor, longest first.
    fn by_distance(&self) -> impl Iterator<Item = (i32, usize)> + '_ {
        self.sorted.iter().map(|&(distance, op)| (distance, op as usize))
    }
}
