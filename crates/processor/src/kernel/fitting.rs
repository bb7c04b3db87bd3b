//! Kernels whose values fit the registers: what does not is stored and loaded again, or made again.
//!
//! Values leave their registers in an order of the text, in which the code then fits. Where issue is out of order, that text
//! is the result, and the cycles of a schedule are only a plan. Where it is in order, schedules look ahead in it as far as
//! the registers allow.

use std::sync::Arc;

use program::Diagnostic;

use super::{Part, SelectedKernel, Settings};
use crate::allocate::{allocate, shared, spill, SpillPolicy};
use crate::bounds::{busiest_cap, critical_path, Bound};
use crate::code::{Code, CountedLoop, Op, Region};
use crate::graph::{Graph, Schedule};
use crate::model::Processor;
use crate::schedule::{list_in_order, Limit, Profile};

/// Rounds of spilling, each for the places where registers lack.
const ROUNDS: usize = 1000;
/// Registers left free in schedules that are tried before anything is spilled: what linear scan needs for itself.
const FREE: [u32; 3] = [2, 4, 8];
/// Rounds of spilling where each is scheduled anew.
const TRIES: usize = 60;

/// How a kernel is made to fit the registers.
#[derive(Clone, Debug, Default)]
pub struct FittingOptions {
    /// The order of the text, between that of a list schedule (0) and that of the program (100).
    pub program: u32,
    /// Which values leave their registers, and how many registers are left free for schedules.
    pub leaving: SpillPolicy,
    /// Operations of the text that schedules look ahead, each tried; with none the order of the text stays.
    pub ahead: Vec<u32>,
    /// Cycles of its schedules, and then operations that run, up to which the kernel is of use.
    pub most: Option<(u64, u64)>,
}

/// A kernel that fits the registers, its regions scheduled, and how far its schedules look ahead in the text.
pub type FittedKernel = (SelectedKernel, Vec<Part>, u32);

impl SelectedKernel {
    /// The kernel with as few values alive as there are registers, and its regions scheduled: with the look-ahead that gives the
    /// shortest schedules, which is told, or in the order of the text; the bounds are quickly found ones. `None` if it takes more cycles or operations than are of use.
    ///
    /// # Errors
    /// `M408`: spilling does not end. Those of [`spill`] where nothing more can leave its register, and of [`crate::bounds::verify`].
    pub fn fitted(
        mut self,
        processor: &Processor,
        settings: &Settings,
        how: &FittingOptions,
    ) -> Result<Option<FittedKernel>, Diagnostic> {
        if how.program < 100 {
            self = SelectedKernel::of(self.reordered(processor, settings, how.program), processor)?;
        }
        for _ in 0..ROUNDS {
            // What leaves its register only adds operations.
            if how.most.is_some_and(|most| (self.least(processor), self.operations()) > most) {
                return Ok(None);
            }
            let mut schedules = self.in_order(processor);
            match spill(&self.code, &schedules, processor, how.leaving)? {
                None => {
                    if let Some(code) = shared(&self.code, &processor.isa) {
                        self = SelectedKernel::of(code, processor)?;
                        schedules = self.in_order(processor);
                    }
                    let (schedules, ahead) = self.ahead(processor, &how.ahead).unwrap_or((schedules, 0));
                    if how.most.is_some_and(|most| (self.cycles(&schedules), self.operations()) > most) {
                        return Ok(None);
                    }
                    let parts = schedules.into_iter().enumerate().map(|(k, s)| self.scheduled(k, s, processor));
                    let parts = parts.collect();
                    return Ok(Some((self, parts, ahead)));
                }
                Some(code) => self = SelectedKernel::of(code, processor)?,
            }
        }
        Err(unfitted(&self.code.name, ROUNDS))
    }

    /// The schedules in which the order of the text stays.
    fn in_order(&self, processor: &Processor) -> Vec<Schedule> {
        self.graphs.iter().map(|g| list_in_order(g, &processor.resources)).collect()
    }

    /// The shortest schedules of several look-aheads, in whose order all values have registers, and that look-ahead.
    fn ahead(&self, processor: &Processor, ahead: &[u32]) -> Option<(Vec<Schedule>, u32)> {
        let regions = self.graphs.iter().enumerate();
        let profile = |(k, graph)| Profile::new(graph, &processor.resources, self.values(k, processor));
        let profiles: Vec<Profile> = regions.map(profile).collect();
        let limits: Vec<Vec<Limit>> = (0..3).map(|free| super::limits(processor, free)).collect();
        let shortest: Vec<u32> = self.shortest(processor).collect();
        let least: u32 = shortest.iter().sum();
        let mut best: Option<(u32, Vec<Schedule>, u32)> = None;
        'tried: for &ahead in ahead {
            for (limits, in_turn) in limits.iter().flat_map(|l| [(l, false), (l, true)]) {
                let most = best.as_ref().map_or(u32::MAX, |b| b.0);
                let schedule = |profile: &Profile, most| profile.schedule(limits, ahead, in_turn, most);
                let Some(schedules) = shorter(&profiles, &shortest, most, schedule) else { continue };
                let length = schedules.iter().map(Schedule::length).sum();
                if allocate(&self.code, &schedules, processor).is_ok() {
                    best = Some((length, schedules, ahead));
                }
                if best.as_ref().is_some_and(|b| b.0 <= least) {
                    break 'tried;
                }
            }
        }
        best.map(|(_, schedules, ahead)| (schedules, ahead))
    }

    /// Cycles that no schedule goes below in which the iterations of a loop do not overlap; quickly found, so not the best bound.
    #[must_use]
    pub fn least(&self, processor: &Processor) -> u64 {
        let regions = self.code.regions.iter().zip(self.shortest(processor));
        regions.map(|(region, cycles)| u64::from(region.iterations()) * u64::from(cycles)).sum()
    }

    /// Cycles of schedules in which the iterations of a loop do not overlap, without what parts wait for one another.
    fn cycles(&self, schedules: &[Schedule]) -> u64 {
        let regions = self.code.regions.iter().zip(schedules);
        regions.map(|(region, schedule)| u64::from(region.iterations()) * u64::from(schedule.length())).sum()
    }

    /// Operations that run.
    fn operations(&self) -> u64 {
        let regions = self.code.regions.iter().zip(&self.graphs);
        regions.map(|(region, graph)| u64::from(region.iterations()) * graph.classes.len() as u64).sum()
    }

    /// Of each region cycles that no schedule of an iteration goes below.
    fn shortest<'a>(&'a self, processor: &'a Processor) -> impl Iterator<Item = u32> + 'a {
        self.graphs.iter().map(|graph| quick_bound(graph, processor).cycles)
    }

    /// The kernel with schedules that leave registers free, the first of some numbers with which all values have one.
    #[must_use]
    pub fn relaxed(&self, processor: &Processor, settings: &Settings) -> Option<Vec<Part>> {
        FREE.into_iter().find_map(|free| {
            let parts = (0..self.graphs.len()).map(|k| self.part(k, processor, settings, free));
            let parts: Vec<Part> = parts.collect();
            allocate(&self.code, &schedules_of(&parts), processor).is_ok().then_some(parts)
        })
    }

    /// The kernel with values spilled, and scheduled anew, until all have registers; for code with loops whose iterations overlap.
    ///
    /// # Errors
    /// `M408`: spilling does not end. Those of [`spill`] where nothing more can leave its register, and of [`crate::bounds::verify`].
    pub fn spilled(
        mut self,
        processor: &Processor,
        settings: &Settings,
    ) -> Result<(SelectedKernel, Vec<Part>), Diagnostic> {
        self = SelectedKernel::of(self.reordered(processor, settings, 0), processor)?;
        for _ in 0..TRIES {
            let parts = self.schedule(processor, settings);
            match spill(&self.code, &schedules_of(&parts), processor, SpillPolicy::default())? {
                None => return Ok((self, parts)),
                Some(code) => {
                    let next = SelectedKernel::of(code, processor)?;
                    self = next.knowing(&self, processor);
                }
            }
        }
        Err(unfitted(&self.code.name, TRIES))
    }

    /// The same with what is known of those regions of another kernel that are the same here.
    fn knowing(mut self, other: &SelectedKernel, processor: &Processor) -> SelectedKernel {
        for k in 0..self.graphs.len().min(other.graphs.len()) {
            let same = self.graphs[k] == other.graphs[k] && self.values(k, processor) == other.values(k, processor);
            let (own, others) = (&self.code.regions[k], &other.code.regions[k]);
            let alike = (own.iterations(), own.ops().len()) == (others.iterations(), others.ops().len());
            if same && alike && matches!(own, Region::Loop(_)) == matches!(others, Region::Loop(_)) {
                self.known[k] = Arc::clone(&other.known[k]);
            }
        }
        self
    }

    /// The code with the operations of every region in the order of a list schedule, or between that and the program's: two
    /// orders that keep the dependences, so that their weighted mean does, too.
    fn reordered(&self, processor: &Processor, settings: &Settings, program: u32) -> Code {
        let mut code = self.code.clone();
        let limits = super::limits(processor, 0);
        let plain = Settings { attempts: 0, ..*settings };
        for (k, region) in code.regions.iter_mut().enumerate() {
            let cycles = self.part(k, processor, &plain, 0).schedule.cycles;
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
        let (iterations, bound) = (self.code.regions[region].iterations(), quick_bound(graph, processor));
        Part { iterations, operations: graph.classes.len(), bound, schedule }
    }
}

/// The schedules of all regions, with fewer cycles than `most` together; `shortest` has of each what it takes at least.
fn shorter(
    profiles: &[Profile],
    shortest: &[u32],
    most: u32,
    schedule: impl Fn(&Profile, u32) -> Option<Schedule>,
) -> Option<Vec<Schedule>> {
    let mut all: u32 = shortest.iter().sum();
    let one = |(profile, shortest): (&Profile, &u32)| {
        let others = all - shortest;
        let found = schedule(profile, most.saturating_sub(others))?;
        all = others + found.length();
        Some(found)
    };
    profiles.iter().zip(shortest).map(one).collect()
}

/// A bound that is quickly found, so not the best.
fn quick_bound(graph: &Graph, processor: &Processor) -> Bound {
    let (path, cap) = (critical_path(graph), busiest_cap(graph, &processor.resources));
    if path.cycles < cap.cycles {
        cap
    } else {
        path
    }
}

fn schedules_of(parts: &[Part]) -> Vec<Schedule> {
    parts.iter().map(|p| p.schedule.clone()).collect()
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
