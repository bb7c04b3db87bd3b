//! Choosing tiles: every class that is needed gets the match that makes the whole cheapest.
//!
//! First each class takes its cheapest tree; then, as in the mapping of circuits to cells, each class in turn gives its tile
//! back and takes the one that costs least when what others compute anyway is free.

use super::matching::Match;
use super::patterns::Tile;
use super::terms::{ClassId, Dag};
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
    /// Cost of each match.
    costs: Vec<Vec<u64>>,
}

/// Cost of a tile: pressure on every cap of the processor, and its latency.
#[must_use]
pub fn cost(processor: &Processor, tile: &Tile) -> u64 {
    tile.steps.iter().map(|step| cost_of_instruction(processor, step.instruction)).sum()
}

fn cost_of_instruction(processor: &Processor, instruction: u32) -> u64 {
    let class = processor.class_of(instruction);
    let pressure: u64 = (processor.resources.caps.iter())
        .map(|cap| 840 * u64::from(cap.takes[class]) / u64::from(cap.limit.max(1)))
        .sum();
    let latency = u64::from(processor.classes[class].latency);
    pressure / (processor.resources.caps.len() as u64).max(1) + 4 * latency + 10
}

impl Cover {
    /// Chooses matches for everything that the roots need.
    #[must_use]
    pub fn new(dag: &Dag, matches: Vec<Vec<Match>>, tile_costs: &[u64], roots: &[ClassId]) -> Self {
        let cost = |m: &Match| m.tile.map_or(0, |t| tile_costs[t]);
        let costs = matches.iter().map(|list| list.iter().map(cost).collect()).collect();
        let count = dag.classes.len();
        let mut cover = Cover { matches, chosen: vec![None; count], uses: vec![0; count], costs };
        cover.first();
        for &root in roots {
            cover.take(root);
        }
        for _ in 0..ROUNDS {
            for class in 0..count {
                cover.improve(class);
            }
        }
        cover
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
                let cost = self.costs[class][k] + found.leaves.iter().map(shared).sum::<u64>();
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
            if self.uses[class] == 1 {
                match self.chosen[class] {
                    Some(k) => {
                        cost += self.costs[class][k];
                        todo.extend(&self.matches[class][k].leaves);
                    }
                    None => cost += IMPOSSIBLE,
                }
            }
        }
        cost
    }

    /// Uses a class once less; gives the cost of what need not be computed any more.
    fn release(&mut self, class: ClassId) -> u64 {
        let mut cost = 0;
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            let class = class as usize;
            self.uses[class] -= 1;
            if self.uses[class] == 0 {
                match self.chosen[class] {
                    Some(k) => {
                        cost += self.costs[class][k];
                        todo.extend(&self.matches[class][k].leaves);
                    }
                    None => cost += IMPOSSIBLE,
                }
            }
        }
        cost
    }

    fn improve(&mut self, class: usize) {
        if self.uses[class] == 0 || self.matches[class].len() < 2 {
            return;
        }
        let Some(before) = self.chosen[class] else { return };
        let leaves = self.matches[class][before].leaves.clone();
        leaves.iter().for_each(|&l| {
            self.release(l);
        });
        let mut best = (u64::MAX, before);
        for k in 0..self.matches[class].len() {
            let leaves = self.matches[class][k].leaves.clone();
            let cost = self.costs[class][k] + leaves.iter().map(|&l| self.take(l)).sum::<u64>();
            leaves.iter().for_each(|&l| {
                self.release(l);
            });
            if cost < best.0 || (cost == best.0 && k == before) {
                best = (cost, k);
            }
        }
        self.chosen[class] = Some(best.1);
        let leaves = self.matches[class][best.1].leaves.clone();
        leaves.iter().for_each(|&l| {
            self.take(l);
        });
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
