//! Kernels whose values fit the registers, for processors that issue out of order: there the order of the text and the
//! number of loads and stores count, and the cycles of a schedule are only a plan.

use program::Diagnostic;

use super::{Part, Selected, Settings};
use crate::allocate::{allocate, spill};
use crate::bounds::{lower_bound, Dag};
use crate::code::{Code, CountedLoop, Op, Region};
use crate::dependences::lifetimes;
use crate::graph::{Graph, Resources, Schedule};
use crate::model::Processor;
use crate::schedule::list_within;

/// Rounds of spilling, each for the place where most registers lack.
const ROUNDS: usize = 1000;
/// Registers left free in schedules that are tried before anything is spilled: what linear scan needs for itself.
const FREE: [u32; 3] = [2, 4, 8];
/// Rounds of spilling where each is scheduled anew.
const TRIES: usize = 60;

impl Selected {
    /// The kernel with as few values alive as there are registers, and its regions scheduled in the order of the text:
    /// between that of a list schedule (`program` is 0) and that of the program (100). Values for which there is no register
    /// are stored and loaded again, or made again.
    ///
    /// # Errors
    /// `M408`: spilling does not end. Those of [`spill`] where nothing more can leave its register, and of [`crate::bounds::verify`].
    pub fn fitted(
        mut self,
        processor: &Processor,
        settings: &Settings,
        program: u32,
    ) -> Result<(Selected, Vec<Part>), Diagnostic> {
        if program < 100 {
            self = Selected::of(self.reordered(processor, settings, program), processor)?;
        }
        for _ in 0..ROUNDS {
            let schedules: Vec<Schedule> = self.graphs.iter().map(|g| in_order(g, &processor.resources)).collect();
            match spill(&self.code, &schedules, processor)? {
                None => {
                    let parts = schedules.into_iter().enumerate().map(|(k, s)| self.scheduled(k, s, processor));
                    let parts = parts.collect();
                    return Ok((self, parts));
                }
                Some(code) => self = Selected::of(code, processor)?,
            }
        }
        Err(Diagnostic::new("M408", format!("`{}` is not fitted to the registers in {ROUNDS} rounds", self.code.name)))
    }

    /// The kernel with schedules that leave registers free, or, where that does not suffice, with values spilled until it can be
    /// scheduled; for processors that issue in order.
    ///
    /// # Errors
    /// `M408`: spilling does not end. Those of [`spill`] where nothing more can leave its register, and of [`crate::bounds::verify`].
    pub fn spilled(mut self, processor: &Processor, settings: &Settings) -> Result<(Selected, Vec<Part>), Diagnostic> {
        for free in FREE {
            let parts = self.schedule_within(processor, settings, free);
            if allocate(&self.code, &schedules_of(&parts), processor).is_ok() {
                return Ok((self, parts));
            }
        }
        self = Selected::of(self.reordered(processor, settings, 0), processor)?;
        for _ in 0..TRIES {
            let parts = self.schedule(processor, settings);
            match spill(&self.code, &schedules_of(&parts), processor)? {
                None => return Ok((self, parts)),
                Some(code) => self = Selected::of(code, processor)?,
            }
        }
        Err(Diagnostic::new("M408", format!("`{}` is not fitted to the registers in {TRIES} rounds", self.code.name)))
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
    let dag = Dag::new(graph).expect("the graph was verified");
    let mut cycles: Vec<u32> = Vec::with_capacity(graph.classes.len());
    let mut taken = vec![0; resources.caps.len()];
    let mut now = 0;
    for (op, &class) in graph.classes.iter().enumerate() {
        let ready = dag.before[op].iter().map(|&(from, latency)| cycles[from] as i32 + latency).max().unwrap_or(0);
        let fits = |taken: &[u32]| {
            let mut caps = resources.caps.iter().zip(taken);
            caps.all(|(cap, &taken)| taken + u32::from(cap.takes[usize::from(class)]) <= cap.limit)
        };
        if ready > now {
            (now, taken) = (ready, vec![0; resources.caps.len()]);
        }
        if !fits(&taken) {
            (now, taken) = (now + 1, vec![0; resources.caps.len()]);
        }
        resources.caps.iter().zip(&mut taken).for_each(|(cap, t)| *t += u32::from(cap.takes[usize::from(class)]));
        cycles.push(now as u32);
    }
    Schedule { cycles, interval: None }
}
