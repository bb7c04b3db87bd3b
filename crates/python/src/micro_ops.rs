//! The simulator of processors of micro-operations, as Python sees it.

use processor::micro_ops::fit::{Fitter, Problem};
use processor::micro_ops::search::improve;
use processor::micro_ops::{Instruction, Machine, Model, Run};
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{raise, Class};
use crate::schedule::parsed;

/// Moves between two looks at signals.
const CHUNK: usize = 512;

/// Instructions as micro-operations on a processor; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct MicroOps {
    inner: Machine,
}

#[pymethods]
impl MicroOps {
    /// From JSON of the processor's limits and of the instructions.
    #[staticmethod]
    fn parse(py: Python<'_>, model: &str, code: &str) -> PyResult<MicroOps> {
        let model: Model = parsed(py, "processor", model)?;
        let code: Vec<Instruction> = parsed(py, "code", code)?;
        let inner =
            Machine::new(model, code).map_err(|m| raise(py, Class::Description, &Diagnostic::new("M300", m)))?;
        Ok(MicroOps { inner })
    }

    /// Runs the instructions in an order, once for each list of addresses, or once.
    #[pyo3(signature = (order, runs=Vec::new()))]
    fn run<'py>(&self, py: Python<'py>, order: Vec<u32>, runs: Vec<Vec<u64>>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let n = self.inner.code().len();
        if let Some(bad) = order.iter().find(|&&one| one as usize >= n) {
            let message = format!("the order names instruction {bad}, of {n}");
            return Err(raise(py, Class::Description, &Diagnostic::new("M300", message)));
        }
        let found = py.detach(|| self.inner.run(&order, &runs));
        found.iter().map(|run| document(py, run)).collect()
    }
}

/// Steps that want registers of two operands.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct TwoOperands {
    inner: Fitter,
    model: Model,
}

#[pymethods]
impl TwoOperands {
    /// From JSON of the processor's limits and of the steps.
    #[staticmethod]
    fn parse(py: Python<'_>, model: &str, problem: &str) -> PyResult<TwoOperands> {
        let model: Model = parsed(py, "processor", model)?;
        let problem: Problem = parsed(py, "steps", problem)?;
        Ok(TwoOperands { inner: Fitter::new(problem), model })
    }

    /// JSON of the instructions of an order, their cycles and micro-operations.
    fn fit(&self, py: Python<'_>, order: Vec<u32>) -> (String, u64, u64) {
        let placed = py.detach(|| self.inner.fit(&order));
        let (cycles, operations) = self.inner.cycles(&placed, &self.model);
        (serde_json::to_string(&placed).expect("no keys but text"), cycles, operations)
    }

    /// Searches an order of fewer cycles; they and micro-operations come with it.
    fn improve(
        &self,
        py: Python<'_>,
        order: Vec<u32>,
        moves: usize,
        reach: usize,
        seed: u64,
    ) -> PyResult<(Vec<u32>, u64, u64)> {
        let (mut found, mut left, mut part) = ((order, 0, 0), moves, 0);
        loop {
            let now = left.min(CHUNK);
            found = py.detach(|| improve(&self.inner, &self.model, &found.0, now, reach, seed.wrapping_add(part)));
            py.check_signals()?;
            if left == now {
                return Ok(found);
            }
            (left, part) = (left - now, part + 1);
        }
    }
}

fn document<'py>(py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
    let document = PyDict::new(py);
    document.set_item("cycles", run.cycles)?;
    document.set_item("operations", run.operations)?;
    document.set_item("misses", run.misses)?;
    document.set_item("text_misses", run.text_misses)?;
    let stalls = PyDict::new(py);
    stalls.set_item("decoders", run.stalls.decoders)?;
    stalls.set_item("reorder", run.stalls.reorder)?;
    stalls.set_item("stations", run.stalls.stations)?;
    stalls.set_item("permanent", run.stalls.permanent)?;
    stalls.set_item("partial", run.stalls.partial)?;
    document.set_item("stalls", stalls)?;
    Ok(document)
}

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<MicroOps>()?;
    module.add_class::<TwoOperands>()
}
