//! The whole way of a kernel: from a function of a program to scheduled assembly text.

mod fitting;
mod known;

pub use fitting::FittingOptions;

use std::sync::Arc;

use program::ir::Program;
use program::Diagnostic;
use serde::Serialize;

use crate::assembly::{self, Assembly};
use crate::bounds::{Bound, Bounded};
use crate::code::{Code, CountedLoop, Region};
use crate::dependences::{self, lifetimes};
use crate::graph::{Graph, Schedule};
use crate::isa::{Control, RegisterClass};
use crate::model::Processor;
use crate::schedule::{list, modulo, Lifetime, Limit, List, Modulo, UnlimitedSchedule};
use crate::select::{self, Options};
use crate::{bounds, check};
use known::Known;

/// How a kernel is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// How straight-line code is scheduled.
    pub list: List,
    /// Attempts at each interval of a loop; 0: loops are not pipelined. Nor are they where no branch rotates registers.
    pub attempts: u32,
}

/// A scheduled region and what is known of it.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Iterations of a loop; 1 for straight-line code.
    pub iterations: u32,
    /// Operations of one iteration.
    pub operations: usize,
    /// What no schedule goes below: cycles of straight-line code, the initiation interval of a loop.
    pub bound: Bound,
    /// The schedule.
    pub schedule: Schedule,
}

/// A kernel before its registers.
#[derive(Clone, Debug)]
pub struct SelectedKernel {
    /// The machine code.
    pub code: Code,
    /// Of each region its graph.
    pub graphs: Vec<Graph>,
    known: Vec<Arc<Known>>,
}

impl SelectedKernel {
    /// Selects instructions for a function of a program.
    ///
    /// # Errors
    /// Those of [`select::select`].
    pub fn new(
        program: &Program,
        function: &str,
        processor: &Processor,
        selection: &Options,
    ) -> Result<SelectedKernel, Diagnostic> {
        SelectedKernel::of(select::select(program, function, processor, selection)?, processor)
    }

    fn of(code: Code, processor: &Processor) -> Result<SelectedKernel, Diagnostic> {
        let graphs: Vec<Graph> = (0..code.regions.len()).map(|k| dependences::graph(&code, k, processor)).collect();
        for graph in &graphs {
            bounds::verify(graph, &processor.resources)?;
        }
        let known = graphs.iter().map(|_| Arc::default()).collect();
        Ok(SelectedKernel { code, graphs, known })
    }

    /// Schedules every region, as short as the registers allow.
    #[must_use]
    pub fn schedule(&self, processor: &Processor, settings: &Settings) -> Vec<Part> {
        (0..self.graphs.len()).map(|k| self.part(k, processor, settings, 0)).collect()
    }

    /// Schedules a region with some registers of every larger class left free.
    fn part(&self, region: usize, processor: &Processor, settings: &Settings, free: u32) -> Part {
        let Settings { list, attempts } = *settings;
        match &self.code.regions[region] {
            Region::Loop(counted) if attempts > 0 && rotates(processor) => {
                // Neither restarts of list scheduling nor registers decide.
                let settings = Settings { list: List { restarts: 0, ..list }, attempts };
                let pipelined = || self.pipelined(region, counted, processor, &settings);
                self.known[region].part(settings, 0, pipelined)
            }
            other => {
                let listed = || self.listed(region, other.iterations(), processor, &list, free);
                self.known[region].part(Settings { list, attempts: 0 }, free, listed)
            }
        }
    }

    fn pipelined(&self, region: usize, counted: &CountedLoop, processor: &Processor, settings: &Settings) -> Part {
        let graph = &self.graphs[region];
        let branch = (graph.classes.len() > counted.ops.len()).then_some(counted.ops.len() as u32);
        let options = Modulo { attempts: settings.attempts, seed: settings.list.seed, branch };
        let found = modulo(graph, &processor.resources, self.values(region, processor), &options);
        Part {
            iterations: counted.iterations,
            operations: counted.ops.len(),
            bound: found.bound,
            schedule: found.schedule,
        }
    }

    fn listed(&self, region: usize, iterations: u32, processor: &Processor, options: &List, free: u32) -> Part {
        let (graph, resources, known) = (&self.graphs[region], &processor.resources, &self.known[region]);
        let bounded = self.bounded(region, processor);
        let unlimited = known.unlimited(*options, || UnlimitedSchedule::new(graph, resources, bounded, options));
        let values = self.values(region, processor);
        let found = unlimited.within(graph, resources, values, &limits(processor, free), options);
        Part { iterations, operations: graph.classes.len(), bound: found.bound, schedule: found.schedule }
    }

    /// The values that live in a region.
    fn values(&self, region: usize, processor: &Processor) -> &[Lifetime] {
        self.known[region].values.get_or_init(|| lifetimes(&self.code, region, processor))
    }

    /// Of each region the best lower bound, as straight-line code.
    #[must_use]
    pub fn bounds(&self, processor: &Processor) -> Vec<Bound> {
        (0..self.graphs.len()).map(|k| self.bounded(k, processor).bound.clone()).collect()
    }

    /// The bounds of a region.
    fn bounded(&self, region: usize, processor: &Processor) -> &Bounded {
        self.known[region].bounded.get_or_init(|| Bounded::new(&self.graphs[region], &processor.resources))
    }

    /// Checks the schedules and writes the assembly text.
    ///
    /// # Errors
    /// Those of [`check::check_ports`] and [`assembly::emit`].
    pub fn emit(&self, schedules: &[Schedule], processor: &Processor) -> Result<Assembly, Diagnostic> {
        for (graph, schedule) in self.graphs.iter().zip(schedules) {
            check::check_ports(graph, processor, schedule)?;
        }
        assembly::emit(&self.code, schedules, processor)
    }
}

/// Searches how instructions are selected: the options with the shortest list schedule.
///
/// # Errors
/// Those of [`select::select`] for the first try.
pub fn search(
    program: &Program,
    function: &str,
    processor: &Processor,
    options: &Options,
    restarts: u32,
) -> Result<Options, Diagnostic> {
    let cycles = |code: &Code| {
        let cycles = (0..code.regions.len()).map(|k| {
            let graph = dependences::graph(code, k, processor);
            let found = list(&graph, &processor.resources, &List { restarts, seed: 1 });
            u64::from(code.regions[k].iterations()) * u64::from(found.schedule.length())
        });
        cycles.sum()
    };
    select::search(program, function, processor, options, &cycles).map(|found| found.1)
}

/// Whether a branch rotates registers: without it, iterations cannot overlap.
fn rotates(processor: &Processor) -> bool {
    processor.isa.instructions.iter().any(|i| i.control == Control::Rotating)
}

/// Registers of each class that a kernel may use; of larger classes some are left free.
fn limits(processor: &Processor, free: u32) -> Vec<Limit> {
    let classes = processor.isa.registers.iter().enumerate();
    let registers = |count: u32| if count > 2 * free { count - free } else { count };
    let limit =
        |(k, class): (usize, &RegisterClass)| Limit { kind: k as u16, registers: registers(class.usable.len() as u32) };
    classes.map(limit).collect()
}
