//! Kernels whose values fit the registers: what does not is stored and loaded again, or made again.
//!
//! Values leave their registers in an order of the text, in which the code then fits. Where issue is out of order, that text
//! is the result, and the cycles of a schedule are only a plan. Where it is in order, schedules look ahead in it as far as
//! the registers allow.

use program::Diagnostic;

use super::{Part, Selected, Settings};
use crate::allocate::{allocate, spill, Leaving};
use crate::bounds::lower_bound;
use crate::code::{Code, CountedLoop, Op, Region};
use crate::dependences::lifetimes;
use crate::graph::{Graph, Resources, Schedule};
use crate::model::Processor;
use crate::schedule::{list_ahead, list_in_profile, list_within, List, Unlimited};

/// Rounds of spilling, each for the places where registers lack.
const ROUNDS: usize = 1000;
/// Registers left free in schedules that are tried before anything is spilled: what linear scan needs for itself.
const FREE: [u32; 3] = [2, 4, 8];
/// Rounds of spilling where each is scheduled anew.
const TRIES: usize = 60;

/// How a kernel is made to fit the registers.
#[derive(Clone, Debug, Default)]
pub struct Fitting {
    /// The order of the text, between that of a list schedule (0) and that of the program (100).
    pub program: u32,
    /// Which values leave their registers, and how many registers are left free for schedules.
    pub leaving: Leaving,
    /// Operations of the text that schedules look ahead, each tried; with none the order of the text stays.
    pub ahead: Vec<u32>,
}

impl Selected {
    /// The kernel with as few values alive as there are registers, and its regions scheduled: with the look-ahead that gives the
    /// shortest schedules, which is told, or in the order of the text.
    ///
    /// # Errors
    /// `M408`: spilling does not end. Those of [`spill`] where nothing more can leave its register, and of [`crate::bounds::verify`].
    pub fn fitted(
        mut self,
        processor: &Processor,
        settings: &Settings,
        how: &Fitting,
    ) -> Result<(Selected, Vec<Part>, u32), Diagnostic> {
        if how.program < 100 {
            self = Selected::of(self.reordered(processor, settings, how.program), processor)?;
        }
        for _ in 0..ROUNDS {
            let schedules: Vec<Schedule> = self.graphs.iter().map(|g| in_order(g, &processor.resources)).collect();
            match spill(&self.code, &schedules, processor, how.leaving)? {
                None => {
                    let (schedules, ahead) = self.ahead(processor, &how.ahead).unwrap_or((schedules, 0));
                    let parts = schedules.into_iter().enumerate().map(|(k, s)| self.scheduled(k, s, processor));
                    let parts = parts.collect();
                    return Ok((self, parts, ahead));
                }
                Some(code) => self = Selected::of(code, processor)?,
            }
        }
        Err(unfitted(&self.code.name, ROUNDS))
    }

    /// The shortest schedules of several look-aheads, in whose order all values have registers, and that look-ahead.
    fn ahead(&self, processor: &Processor, ahead: &[u32]) -> Option<(Vec<Schedule>, u32)> {
        let of = |k: usize, ahead: u32, free: u32, in_turn: bool| {
            let (graph, limits) = (&self.graphs[k], super::limits(processor, free));
            let values = lifetimes(&self.code, k, processor);
            list_in_profile(graph, &processor.resources, &values, &limits, ahead, in_turn)
        };
        let mut best: Option<(u32, Vec<Schedule>, u32)> = None;
        for &ahead in ahead {
            for (free, in_turn) in [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)] {
                let schedules: Vec<Schedule> = (0..self.graphs.len()).map(|k| of(k, ahead, free, in_turn)).collect();
                let length = schedules.iter().map(Schedule::length).sum();
                let shorter = best.as_ref().map_or(true, |b| length < b.0);
                if shorter && allocate(&self.code, &schedules, processor).is_ok() {
                    best = Some((length, schedules, ahead));
                }
            }
        }
        best.map(|(_, schedules, ahead)| (schedules, ahead))
    }

    /// The kernel with schedules that leave registers free, the first of some numbers with which all values have one.
    #[must_use]
    pub fn relaxed(&self, processor: &Processor, settings: &Settings) -> Option<Vec<Part>> {
        let mut kept: Vec<Option<Unlimited>> = vec![None; self.graphs.len()];
        FREE.into_iter().find_map(|free| {
            let parts = kept.iter_mut().enumerate().map(|(k, kept)| self.part(k, processor, settings, free, kept));
            let parts: Vec<Part> = parts.collect();
            allocate(&self.code, &schedules_of(&parts), processor).is_ok().then_some(parts)
        })
    }

    /// The kernel with values spilled, and scheduled anew, until all have registers; for code with loops whose iterations overlap.
    ///
    /// # Errors
    /// `M408`: spilling does not end. Those of [`spill`] where nothing more can leave its register, and of [`crate::bounds::verify`].
    pub fn spilled(mut self, processor: &Processor, settings: &Settings) -> Result<(Selected, Vec<Part>), Diagnostic> {
        self = Selected::of(self.reordered(processor, settings, 0), processor)?;
        for _ in 0..TRIES {
            let parts = self.schedule(processor, settings);
            match spill(&self.code, &schedules_of(&parts), processor, Leaving::default())? {
                None => return Ok((self, parts)),
                Some(code) => self = Selected::of(code, processor)?,
            }
        }
        Err(unfitted(&self.code.name, TRIES))
    }

    /// The code with the operations of every region in the order of a list schedule, or between that and the program's: two
    /// orders that keep the dependences, so that their weighted mean does, too.
    fn reordered(&self, processor: &Processor, settings: &Settings, program: u32) -> Code {
        let mut code = self.code.clone();
        let limits = super::limits(processor, 0);
        for (k, (region, graph)) in code.regions.iter_mut().zip(&self.graphs).enumerate() {
            let values = lifetimes(&self.code, k, processor);
            let found = list_within(graph, &processor.resources, &values, &limits, &settings.list);
            let cycles = found.schedule.cycles;
            // Within a cycle a single register is read before it is written.
            let single =
                |op: &Op| op.defines.iter().any(|&v| limits[self.code.values[v as usize].class].registers == 1);
            let (Region::Straight(ops) | Region::Loop(CountedLoop { ops, .. })) = region;
            let mut order: Vec<usize> = (0..ops.len()).collect();
            let (length, count) = (cycles.iter().max().map_or(1, |c| u64::from(*c) + 1), ops.len() as u64);
            let (scheduled, own) = (u64::from(100 - program) * count, u64::from(program) * length);
            let mean = |op: usize| u64::from(cycles[op]) * scheduled + op as u64 * own;
            order.sort_by_key(|&op| (mean(op), single(&ops[op]), op));
            *ops = order.into_iter().map(|op| ops[op].clone()).collect();
        }
        code
    }

    fn scheduled(&self, region: usize, schedule: Schedule, processor: &Processor) -> Part {
        let graph = &self.graphs[region];
        let trips = self.code.regions[region].trips();
        Part { trips, operations: graph.classes.len(), bound: lower_bound(graph, &processor.resources), schedule }
    }
}

fn schedules_of(parts: &[Part]) -> Vec<Schedule> {
    parts.iter().map(|p| p.schedule.clone()).collect()
}

/// The schedule in which no operation issues before one that stands before it.
fn in_order(graph: &Graph, resources: &Resources) -> Schedule {
    list_ahead(graph, resources, 1, &List { restarts: 0, seed: 1 })
}

/// The error of spilling that does not end.
fn unfitted(name: &str, rounds: usize) -> Diagnostic {
    Diagnostic::new("M408", format!("`{name}` is not fitted to the registers in {rounds} rounds"))
        .help("a strategy whose loops stay has fewer values alive at once")
}

#[cfg(test)]
mod tests {
    #[test]
    fn spilling_that_does_not_end() {
        assert_eq!(
            super::unfitted("sample", 60).to_string(),
            "error[M408]: `sample` is not fitted to the registers in 60 rounds\n   \
             = help: a strategy whose loops stay has fewer values alive at once"
        );
    }
}
