//! Choosing tiles: every class that is needed gets the match that makes the whole cheapest.
//!
//! First each class takes its cheapest tree; then, as in the mapping of circuits to cells, each class in turn gives its tile
//! back and takes the one that costs least when what others compute anyway is free. What an operation costs depends on how
//! busy the others make the ports that it needs, so that operations with alternatives spread over the ports.

use super::matching::Match;
use super::patterns::Tile;
use super::terms::{ClassId, Dag};
use super::timing::{Producer, Timing};
use crate::model::Processor;

/// Rounds of the second step.
const ROUNDS: usize = 3;

/// More than any kernel costs.
const IMPOSSIBLE: u64 = 1 << 40;

/// The chosen matches.
#[derive(Debug, Default)]
pub struct Cover {
    /// Of each class all matches.
    pub matches: Vec<Vec<Match>>,
    /// Of each class the number of the chosen match.
    pub chosen: Vec<Option<usize>>,
    /// Uses of each class by chosen matches of classes in use.
    pub uses: Vec<u32>,
    pub(super) prices: Prices,
    /// When the operation that gives a class issues at the earliest, and what it is.
    pub(super) ready: Vec<(u32, Producer)>,
    /// When it must issue for the whole to end in time.
    required: Vec<u32>,
}

/// How the cover is to be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Aims<'a> {
    /// Prices follow the load of the ports.
    pub spread: bool,
    /// The longest way may be so many percent longer than the shortest possible; `None`: it does not matter.
    pub depth: Option<u32>,
    /// Classes choose in an order that strides through the code, so that what takes other ports than its like is spread
    /// evenly over it; otherwise in their order.
    pub even: bool,
    /// Latencies.
    pub timing: Timing<'a>,
}

/// A number that visits all others below `count` when it is added again and again, about the golden section of it.
fn stride(count: usize) -> usize {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let start = (count * 618 / 1000).max(1);
    (start..start + count.max(1)).find(|&s| common(s, count) == 1).unwrap_or(1)
}

/// The price of a cycle too late.
const LATE: u64 = 100_000;

/// The price of a cycle later than another match, though in time: ports are limited, so that what seems to be in time may
/// not be.
const LATER: u64 = 40;

/// What tiles cost.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    /// Of each tile the slots that it takes of each cap.
    takes: Vec<Vec<u64>>,
    /// Of each tile what does not depend on the others.
    fixed: Vec<u64>,
    /// Slots per cycle of each cap.
    limits: Vec<u64>,
    /// Slots of each cap that the tiles in use take.
    load: Vec<u64>,
    /// Price of a slot of each cap.
    slot: Vec<u64>,
}

impl Prices {
    /// Prices while nothing is in use: every cap counts the same.
    #[must_use]
    pub fn new(processor: &Processor, tiles: &[Tile]) -> Self {
        let caps = &processor.resources.caps;
        let limits: Vec<u64> = caps.iter().map(|c| u64::from(c.limit.max(1))).collect();
        let takes = |tile: &Tile| -> Vec<u64> {
            let one = |cap: &crate::graph::Cap| {
                tile.steps.iter().map(|s| u64::from(cap.takes[processor.class_of(s.instruction)])).sum()
            };
            caps.iter().map(one).collect()
        };
        let latency = |tile: &Tile| -> u64 {
            tile.steps.iter().map(|s| u64::from(processor.classes[processor.class_of(s.instruction)].latency)).sum()
        };
        let count = caps.len().max(1) as u64;
        Prices {
            takes: tiles.iter().map(takes).collect(),
            fixed: tiles.iter().map(|t| 4 * latency(t) + 10 * t.steps.len() as u64).collect(),
            slot: limits.iter().map(|limit| 840 / limit / count).collect(),
            load: vec![0; limits.len()],
            limits,
        }
    }

    /// The price of a match.
    #[must_use]
    pub fn of(&self, found: &Match) -> u64 {
        let Some(tile) = found.tile else { return 0 };
        let slots: u64 = self.takes[tile].iter().zip(&self.slot).map(|(takes, price)| takes * price).sum();
        self.fixed[tile] + slots
    }

    /// Nothing is in use any more.
    pub(super) fn forget_load(&mut self) {
        self.load.fill(0);
    }

    fn count(&mut self, found: &Match, up: bool) {
        let Some(tile) = found.tile else { return };
        for (load, takes) in self.load.iter_mut().zip(&self.takes[tile]) {
            *load = if up { *load + takes } else { load.saturating_sub(*takes) };
        }
    }

    /// Slots of busy caps cost more: the sixth power of how busy a cap is beside the busiest.
    fn adjust(&mut self) {
        let busy = |k: usize| self.load[k] as f64 / self.limits[k] as f64;
        let most = (0..self.load.len()).map(busy).fold(1.0, f64::max);
        let count = self.limits.len().max(1) as f64;
        let price = |k: usize| 840.0 / self.limits[k] as f64 * (0.3 / count + (busy(k) / most).powi(6) / 2.0);
        self.slot = (0..self.load.len()).map(|k| price(k) as u64).collect();
    }
}

impl Cover {
    /// Chooses matches for everything that the roots need.
    #[must_use]
    pub fn new(dag: &Dag, matches: Vec<Vec<Match>>, prices: Prices, roots: &[ClassId], aims: Aims<'_>) -> Self {
        let count = dag.classes.len();
        let (ready, required) = (vec![(0, None); count], vec![u32::MAX; count]);
        let mut cover = Cover { matches, chosen: vec![None; count], uses: vec![0; count], prices, ready, required };
        cover.first();
        let limit = aims.depth.map(|percent| {
            let least = cover.shortest(roots, aims.timing);
            least + least * percent / 100
        });
        for &root in roots {
            cover.take(root);
        }
        let stride = stride(count);
        for _ in 0..ROUNDS {
            if let Some(limit) = limit {
                cover.demand(roots, limit, aims.timing);
            }
            for k in 0..count {
                cover.improve(if aims.even { k * stride % count } else { k }, aims);
            }
            if aims.even {
                (0..count).for_each(|class| cover.time(class, aims.timing));
            }
        }
        cover
    }

    /// Chooses the earliest match of every class; gives when the last root is there.
    fn shortest(&mut self, roots: &[ClassId], timing: Timing<'_>) -> u32 {
        for class in 0..self.matches.len() {
            let possible = |m: &Match| m.leaves.iter().all(|&l| self.chosen[l as usize].is_some());
            let issue = |m: &Match| timing.issue(m, &|leaf| self.ready[leaf as usize]);
            let best = (self.matches[class].iter().enumerate())
                .filter(|(_, m)| possible(m))
                .min_by_key(|(k, m)| (issue(m), self.prices.of(m), *k))
                .map(|(k, _)| k);
            if best.is_some() {
                self.chosen[class] = best;
                self.time(class, timing);
            }
        }
        roots.iter().map(|&r| self.ready[r as usize].0).max().unwrap_or(0)
    }

    /// When a class is there under its chosen match.
    pub(super) fn time(&mut self, class: usize, timing: Timing<'_>) {
        let Some(k) = self.chosen[class] else { return };
        let found = &self.matches[class][k];
        let at = timing.issue(found, &|leaf| self.ready[leaf as usize]);
        let producer = match (found.tile, found.leaves.first()) {
            (None, Some(&leaf)) => self.ready[leaf as usize].1,
            _ => timing.producer(found),
        };
        self.ready[class] = (at, producer);
    }

    /// When each class in use must be there for the roots to be in time.
    fn demand(&mut self, roots: &[ClassId], limit: u32, timing: Timing<'_>) {
        self.required.fill(u32::MAX);
        roots.iter().for_each(|&r| self.required[r as usize] = limit);
        for class in (0..self.matches.len()).rev() {
            let (Some(k), true) = (self.chosen[class], self.uses[class] > 0) else { continue };
            let found = &self.matches[class][k];
            let end = self.required[class];
            for &leaf in &found.leaves {
                // How long the match takes from this leaf on.
                let only = |c: u32| if c == leaf { (0, self.ready[leaf as usize].1) } else { (0, None) };
                let needed = end.saturating_sub(timing.issue(found, &only));
                let required = &mut self.required[leaf as usize];
                *required = (*required).min(needed);
            }
        }
    }

    /// The cheapest tree of every class; shared parts are counted by their share.
    fn first(&mut self) {
        let mut users = vec![0u64; self.matches.len()];
        self.matches.iter().flatten().flat_map(|m| &m.leaves).for_each(|&leaf| users[leaf as usize] += 1);
        let mut best = vec![IMPOSSIBLE; self.matches.len()];
        for class in 0..self.matches.len() {
            for (k, found) in self.matches[class].iter().enumerate() {
                let shared = |&leaf: &ClassId| {
                    let cost = best[leaf as usize];
                    if cost >= IMPOSSIBLE {
                        cost
                    } else {
                        cost / users[leaf as usize].clamp(1, 4)
                    }
                };
                let cost = self.prices.of(found) + found.leaves.iter().map(shared).sum::<u64>();
                if cost < best[class] {
                    best[class] = cost;
                    self.chosen[class] = Some(k);
                }
            }
        }
    }

    /// Uses a class once more; gives the cost of what has to be computed for it.
    pub fn take(&mut self, class: ClassId) -> u64 {
        let mut cost = 0;
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            let class = class as usize;
            self.uses[class] += 1;
            if self.uses[class] > 1 {
                continue;
            }
            let Some(k) = self.chosen[class] else {
                cost += IMPOSSIBLE;
                continue;
            };
            let found = &self.matches[class][k];
            cost += self.prices.of(found);
            self.prices.count(found, true);
            todo.extend(&found.leaves);
        }
        cost
    }

    fn take_all(&mut self, classes: &[ClassId]) {
        for &class in classes {
            self.take(class);
        }
    }

    /// Uses classes once less each, and what need not be computed any more.
    fn release(&mut self, mut todo: Vec<ClassId>) {
        while let Some(class) = todo.pop() {
            let class = class as usize;
            self.uses[class] -= 1;
            if let (Some(k), 0) = (self.chosen[class], self.uses[class]) {
                let found = &self.matches[class][k];
                self.prices.count(found, false);
                todo.extend(&found.leaves);
            }
        }
    }

    /// Lets a class in use take the match that costs least beside what is in use anyway.
    pub(super) fn improve(&mut self, class: usize, aims: Aims<'_>) {
        let Some(before) = self.chosen[class].filter(|_| self.uses[class] > 0 && self.matches[class].len() > 1) else {
            self.time(class, aims.timing);
            return;
        };
        // What every match needs costs the same in all of them, but for its load, which prices follow.
        let common = self.common_leaves(class);
        let leaves = self.matches[class][before].leaves.clone();
        self.prices.count(&self.matches[class][before], false);
        if aims.spread {
            self.release(leaves);
            self.prices.adjust();
            self.take_all(&common);
        } else {
            self.take_all(&common);
            self.release(leaves);
        }
        let best = self.cheapest(class, before, aims);
        self.chosen[class] = Some(best);
        self.prices.count(&self.matches[class][best], true);
        self.take_all(&self.matches[class][best].leaves.clone());
        self.release(common);
        self.time(class, aims.timing);
    }

    /// The leaves that each match of a class has, each once.
    fn common_leaves(&self, class: usize) -> Vec<ClassId> {
        let Some((first, others)) = self.matches[class].split_first() else { return Vec::new() };
        let mut common = first.leaves.clone();
        common.sort_unstable();
        common.dedup();
        common.retain(|leaf| others.iter().all(|m| m.leaves.contains(leaf)));
        common
    }

    /// The cheapest match of a class; of equal ones that of before, or else the first.
    fn cheapest(&mut self, class: usize, before: usize, aims: Aims<'_>) -> usize {
        let mut best = (u64::MAX, before);
        let others = (0..self.matches[class].len()).filter(|&k| k != before);
        for k in std::iter::once(before).chain(others) {
            let own = self.prices.of(&self.matches[class][k]) + self.lateness(class, k, aims);
            if let Some(cost) = self.cost_below(best.0, own, class, k) {
                best = (cost, k);
            }
        }
        best.1
    }

    /// The cost of a match with what has to be computed for it, if it is below `limit`; `own`: its own part of it.
    fn cost_below(&mut self, limit: u64, own: u64, class: usize, k: usize) -> Option<u64> {
        let mut cost = own;
        let mut used: Vec<ClassId> = Vec::new();
        let mut todo = self.matches[class][k].leaves.clone();
        while let (true, Some(leaf)) = (cost < limit, todo.pop()) {
            let class = leaf as usize;
            if self.uses[class] > 0 {
                continue;
            }
            self.uses[class] = 1;
            used.push(leaf);
            match self.chosen[class] {
                Some(k) => {
                    cost += self.prices.of(&self.matches[class][k]);
                    todo.extend(&self.matches[class][k].leaves);
                }
                None => cost += IMPOSSIBLE,
            }
        }
        for leaf in used {
            self.uses[leaf as usize] = 0;
        }
        (cost < limit).then_some(cost)
    }

    /// The price of the time at which a match is there.
    fn lateness(&self, class: usize, k: usize, aims: Aims<'_>) -> u64 {
        if aims.depth.is_none() {
            return 0;
        }
        let at = aims.timing.issue(&self.matches[class][k], &|leaf| self.ready[leaf as usize]);
        LATE * u64::from(at.saturating_sub(self.required[class])) + LATER * u64::from(at)
    }

    /// The match of a class in use.
    #[must_use]
    pub fn of(&self, class: ClassId) -> Option<&Match> {
        let chosen = self.chosen[class as usize]?;
        (self.uses[class as usize] > 0).then(|| &self.matches[class as usize][chosen])
    }

    /// A class that nothing computes, though all that its terms use is computed or as impossible as it is.
    #[must_use]
    pub fn impossible(&self) -> Option<ClassId> {
        (0..self.matches.len()).find(|&c| self.uses[c] > 0 && self.chosen[c].is_none()).map(|c| c as ClassId)
    }
}
