//! Schedules of gates on a machine that begins a number of operations in each cycle: greedy, and exact.

use std::collections::HashMap;

use super::graph;
use crate::circuit::Circuit;
use crate::target::Target;

/// In which cycle each gate begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// From 0.
    pub begins: Vec<u32>,
    /// Cycles until every result is there.
    pub length: u32,
    /// No schedule is shorter than this; equal to the length if the schedule is proved to be the shortest.
    pub bound: u32,
}

/// What the schedulers need to know of a circuit.
struct Work {
    latency: Vec<u32>,
    sources: Vec<Vec<usize>>,
    /// From the beginning of a gate to the end of the longest path from it.
    tail: Vec<u32>,
}

impl Work {
    fn new(circuit: &Circuit, target: &Target) -> Self {
        let sources = graph::sources(circuit);
        let latency: Vec<u32> =
            circuit.gates.iter().map(|g| target.operation(g.function).map_or(1, |o| o.latency)).collect();
        let mut tail = latency.clone();
        for n in (0..sources.len()).rev() {
            for &m in &sources[n] {
                tail[m] = tail[m].max(latency[m] + tail[n]);
            }
        }
        Work { latency, sources, tail }
    }

    fn longest(&self) -> u32 {
        self.tail.iter().copied().max().unwrap_or(0)
    }

    /// What no schedule can beat: the gates at least `t` from the end need their cycles, and then `t` more.
    fn bound(&self, width: u32) -> u32 {
        let mut tails = self.tail.clone();
        tails.sort_unstable_by(|a, b| b.cmp(a));
        let begun = |n: usize| (n as u32) / width;
        tails.iter().enumerate().map(|(n, t)| begun(n) + t).max().unwrap_or(0)
    }

    fn length(&self, begins: &[u32]) -> u32 {
        begins.iter().zip(&self.latency).map(|(b, l)| b + l).max().unwrap_or(0)
    }
}

/// The greedy list schedule: in each cycle the gates whose operands are there, longest path to the end first, and of
/// equal ones the first in the text. Without a width every gate begins as early as it can.
#[must_use]
pub fn greedy(circuit: &Circuit, target: &Target, width: Option<u32>) -> Schedule {
    let work = Work::new(circuit, target);
    let count = work.latency.len();
    let width = width.map_or(count.max(1), |w| w as usize);
    let mut begins: Vec<Option<u32>> = vec![None; count];
    let mut cycle = 0;
    while begins.iter().any(Option::is_none) {
        let there = |m: &usize| begins[*m].is_some_and(|b| b + work.latency[*m] <= cycle);
        let mut ready: Vec<usize> =
            (0..count).filter(|&n| begins[n].is_none() && work.sources[n].iter().all(there)).collect();
        ready.sort_by_key(|&n| std::cmp::Reverse(work.tail[n]));
        ready.iter().take(width).for_each(|&n| begins[n] = Some(cycle));
        cycle += 1;
    }
    let begins: Vec<u32> = begins.into_iter().flatten().collect();
    let length = work.length(&begins);
    Schedule { begins, length, bound: work.bound(width as u32) }
}

/// The shortest schedule; `bound` is below its length only if the search was cut short.
#[must_use]
pub fn exact(circuit: &Circuit, target: &Target, width: Option<u32>) -> Schedule {
    let mut best = greedy(circuit, target, width);
    let Some(width) = width else {
        best.bound = best.length;
        return best;
    };
    let work = Work::new(circuit, target);
    if work.latency.len() > 127 {
        return best;
    }
    // Length by length from the bound: the first that can be reached is the shortest.
    let mut steps = 0;
    for length in best.bound..best.length {
        let mut search = Search::new(&work, width as usize, length, steps);
        let found = search.from(0, 0);
        steps = search.steps;
        if steps > MOST_STEPS {
            return Schedule { bound: length, ..best };
        }
        if found {
            let begins = search.begins.clone();
            return Schedule { length: work.length(&begins), begins, bound: length };
        }
    }
    best.bound = best.length;
    best
}

/// The smallest issue width at which the longest path is still the length of the schedule.
#[must_use]
pub fn least_width(circuit: &Circuit, target: &Target) -> Option<u32> {
    let longest = Work::new(circuit, target).longest();
    for width in 1..=circuit.gates.len() as u32 {
        let schedule = exact(circuit, target, Some(width));
        if schedule.length == longest {
            return Some(width);
        }
        if schedule.bound <= longest {
            return None;
        }
    }
    None
}

/// Steps after which the search is cut short.
const MOST_STEPS: u64 = 400_000;

struct Search<'a> {
    work: &'a Work,
    width: usize,
    length: u32,
    begins: Vec<u32>,
    /// The gates begun, with the cycles until the results that are on their way: the earliest cycle in which this
    /// state failed.
    failed: HashMap<(u128, Vec<(u8, u32)>), u32>,
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(work: &'a Work, width: usize, length: u32, steps: u64) -> Self {
        let begins = vec![0; work.latency.len()];
        Search { work, width, length, begins, failed: HashMap::new(), steps }
    }

    /// Whether the gates that are not begun can be, from this cycle on.
    fn from(&mut self, cycle: u32, begun: u128) -> bool {
        let count = self.work.latency.len();
        if begun.count_ones() as usize == count {
            return true;
        }
        self.steps += 1;
        if self.steps > MOST_STEPS || !self.in_time(cycle, begun) {
            return false;
        }
        let underway: Vec<(u8, u32)> = (0..count)
            .filter(|&n| begun >> n & 1 == 1 && self.begins[n] + self.work.latency[n] > cycle)
            .map(|n| (n as u8, self.begins[n] + self.work.latency[n] - cycle))
            .collect();
        let key = (begun, underway);
        if self.failed.get(&key).is_some_and(|&earlier| earlier <= cycle) {
            return false;
        }
        let mut ready: Vec<usize> =
            (0..count).filter(|&n| begun >> n & 1 == 0 && self.is_ready(n, cycle, begun)).collect();
        ready.sort_by_key(|&n| std::cmp::Reverse(self.work.tail[n]));
        // An idle slot beside a ready gate helps nobody, so every choice fills the cycle.
        let number = self.width.min(ready.len());
        if self.choose(&ready, number, cycle, begun) {
            return true;
        }
        self.failed.insert(key, cycle);
        false
    }

    fn is_ready(&self, n: usize, cycle: u32, begun: u128) -> bool {
        let there = |m: &usize| begun >> m & 1 == 1 && self.begins[*m] + self.work.latency[*m] <= cycle;
        self.work.sources[n].iter().all(there)
    }

    /// Begins `number` of the ready gates in this cycle, in every way until one succeeds.
    fn choose(&mut self, ready: &[usize], number: usize, cycle: u32, begun: u128) -> bool {
        if number == 0 {
            return self.from(cycle + 1, begun);
        }
        for (place, &n) in ready.iter().enumerate() {
            if ready.len() - place < number {
                break;
            }
            self.begins[n] = cycle;
            if self.choose(&ready[place + 1..], number - 1, cycle, begun | 1 << n) {
                return true;
            }
        }
        false
    }

    /// Whether the gates that are left can still end in time: those at least `t` from the end need their cycles.
    fn in_time(&self, cycle: u32, begun: u128) -> bool {
        let mut tails: Vec<u32> =
            (0..self.work.tail.len()).filter(|n| begun >> n & 1 == 0).map(|n| self.work.tail[n]).collect();
        tails.sort_unstable_by(|a, b| b.cmp(a));
        tails.iter().enumerate().all(|(n, tail)| cycle + (n / self.width) as u32 + tail <= self.length)
    }
}
