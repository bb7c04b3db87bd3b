//! When the values of a cover are there if ports were no limit, and how much later each of them could be.

use super::matching::{Bound, Match};
use super::patterns::{Source, Step, Tile};
use crate::model::Processor;

/// The latencies of tiles.
#[derive(Clone, Copy, Debug)]
pub struct Timing<'a> {
    /// The processor.
    pub processor: &'a Processor,
    /// The tiles.
    pub tiles: &'a [Tile],
}

/// An instruction and which of its outputs holds a value; `None`: the value is there before.
pub type Producer = Option<(u32, usize)>;

impl Timing<'_> {
    /// The producer of a match's value, where that is the match's own.
    #[must_use]
    pub fn producer(&self, found: &Match) -> Producer {
        let tile = &self.tiles[found.tile?];
        tile.steps.iter().find_map(|step| {
            let output = step.defines.iter().position(|&d| d == tile.result)?;
            Some((step.instruction, output))
        })
    }

    /// When the operation that gives a match's value issues; `ready` tells of a class when its producer issues, and the producer.
    #[must_use]
    pub fn issue(&self, found: &Match, ready: &dyn Fn(u32) -> (u32, Producer)) -> u32 {
        let Some(number) = found.tile else { return found.leaves.first().map_or(0, |&leaf| ready(leaf).0) };
        let tile = &self.tiles[number];
        if let [step] = tile.steps.as_slice() {
            return if step.defines.contains(&tile.result) { self.single(step, found, ready) } else { 0 };
        }
        let mut issue = vec![0; tile.steps.len()];
        for (k, step) in tile.steps.iter().enumerate() {
            for (operand, source) in step.uses.iter().enumerate() {
                let (at, producer) = match source {
                    Source::Operand(o) => match &found.bound[*o] {
                        Bound::Class(class) => ready(*class),
                        _ => continue,
                    },
                    Source::Local(local) => self.local(tile, &issue, *local),
                    _ => continue,
                };
                let latency = producer
                    .map_or(0, |(from, output)| self.processor.latency(from, output, step.instruction, Some(operand)));
                issue[k] = issue[k].max(at + latency);
            }
        }
        let last = tile.steps.iter().position(|s| s.defines.contains(&tile.result));
        // Steps that store and load by memory are no dependence here; they issue in their order at least.
        last.map_or(0, |k| issue[..=k].iter().copied().max().unwrap_or(0))
    }

    /// When the only step of a tile issues.
    fn single(&self, step: &Step, found: &Match, ready: &dyn Fn(u32) -> (u32, Producer)) -> u32 {
        let uses = step.uses.iter().enumerate();
        let at = uses.filter_map(|(operand, source)| {
            let Source::Operand(o) = source else { return None };
            let Bound::Class(class) = &found.bound[*o] else { return None };
            let (at, (from, output)) = match ready(*class) {
                (at, Some(producer)) => (at, producer),
                (at, None) => return Some(at),
            };
            Some(at + self.processor.latency(from, output, step.instruction, Some(operand)))
        });
        at.max().unwrap_or(0)
    }

    fn local(&self, tile: &Tile, issue: &[u32], local: usize) -> (u32, Producer) {
        let made = tile.steps.iter().enumerate().find_map(|(k, step)| {
            let output = step.defines.iter().position(|&d| d == local)?;
            Some((issue[k], Some((step.instruction, output))))
        });
        made.unwrap_or((0, None))
    }
}
