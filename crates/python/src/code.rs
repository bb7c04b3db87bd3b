//! Machine code before it has registers, as Python sees it.

use std::collections::BTreeMap;

use processor::code::{self, Region};
use processor::isa::Isa;
use processor::schedule::{list, List};
use processor::select::{self, Options};
use processor::{dependences, model};
use pyo3::prelude::*;

use crate::errors::{raise, Class};
use crate::processor::PyProcessor;
use crate::program::Program;
use crate::schedule::Graph;

/// A kernel in the instructions of one processor.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Code {
    /// The code.
    pub inner: code::Code,
    /// The processor that it was selected for.
    pub processor: model::Processor,
}

impl Code {
    fn isa(&self) -> &Isa {
        &self.processor.isa
    }
}

#[pymethods]
impl Code {
    /// Selects instructions for a function; `avoid` names instructions and recipes that are not to be used. With `restarts`,
    /// alternatives are searched, judged by list schedules with so many restarts.
    #[staticmethod]
    #[pyo3(signature = (program, function, processor, avoid = vec![], pointers = 2, spread = true, depth = Some(0), restarts = 0))]
    #[allow(clippy::too_many_arguments)]
    fn select(
        py: Python<'_>,
        program: &Program,
        function: &str,
        processor: &PyProcessor,
        avoid: Vec<String>,
        pointers: usize,
        spread: bool,
        depth: Option<u32>,
        restarts: u32,
    ) -> PyResult<Code> {
        let options = Options { avoid, pointers, spread, depth };
        let (program, processor) = (&program.inner, processor);
        let selected = match restarts {
            0 => select::select(program, function, &processor.inner, &options),
            _ => {
                let judge = |code: &code::Code| cycles(code, &processor.inner, restarts);
                select::search(program, function, &processor.inner, &options, &judge).map(|found| found.0)
            }
        };
        let inner = selected.map_err(|error| {
            let class = if error.code == "M200" { Class::Usage } else { Class::Description };
            raise(py, class, &error)
        })?;
        Ok(Code { inner, processor: processor.inner.clone() })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Operations as written.
    #[getter]
    fn ops(&self) -> usize {
        self.inner.regions.iter().map(|r| operations(r).len()).sum()
    }

    /// Of each region its trips (1: straight) and its operations.
    fn regions(&self) -> Vec<(u32, usize)> {
        let trips = |r: &Region| match r {
            Region::Straight(_) => 1,
            Region::Loop(l) => l.trips,
        };
        self.inner.regions.iter().map(|r| (trips(r), operations(r).len())).collect()
    }

    /// Operations as written, by instruction.
    fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for op in self.inner.regions.iter().flat_map(operations) {
            *counts.entry(self.isa().instructions[op.instruction as usize].name.clone()).or_default() += 1;
        }
        counts
    }

    /// One line per operation.
    fn text(&self) -> String {
        code::text(&self.inner, self.isa())
    }

    /// What is wrong with it; `None`: nothing.
    fn verify(&self) -> Option<String> {
        code::verify(&self.inner, self.isa()).err()
    }

    /// Runs it on the arrays of the program's parameters by the semantics of its instructions; gives its results.
    fn evaluate(&self, py: Python<'_>, parameters: Vec<Vec<u64>>) -> PyResult<Vec<Vec<u64>>> {
        code::evaluate(&self.inner, self.isa(), &parameters).map_err(|e| raise(py, Class::Verification, &e))
    }

    /// The dependences of a region.
    fn graph(&self, region: usize) -> Graph {
        let inner = dependences::graph(&self.inner, region, &self.processor);
        let values = dependences::lifetimes(&self.inner, region, &self.processor);
        Graph { inner, values }
    }
}

/// Cycles of the regions under list schedules, a loop's body once for each trip.
fn cycles(code: &code::Code, processor: &model::Processor, restarts: u32) -> u64 {
    let one = |(k, region): (usize, &Region)| {
        let graph = dependences::graph(code, k, processor);
        let options = List { restarts, seed: 1 };
        let trips = if let Region::Loop(l) = region { u64::from(l.trips) } else { 1 };
        u64::from(list(&graph, &processor.resources, &options).schedule.length()) * trips
    };
    code.regions.iter().enumerate().map(one).sum::<u64>() * 10_000
        + code.regions.iter().map(|r| operations(r).len() as u64).sum::<u64>()
}

fn operations(region: &Region) -> &[code::Op] {
    match region {
        Region::Straight(ops) => ops,
        Region::Loop(l) => &l.ops,
    }
}

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Code>()
}
