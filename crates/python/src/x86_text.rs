//! Text of x86-32, as Python sees it: read, measured, executed, simulated.

use std::collections::HashMap;

use processor::micro_ops::{Instruction, Machine, Model, Run};
use processor::x86::code::{Code, Item};
use processor::x86::execute::{execute, Start};
use processor::x86::length::lengths;
use processor::x86::parse;
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{raise, Class};
use crate::schedule::parsed;
use crate::x86::X86Forms;

/// Instructions and labels read from text; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct X86Code {
    inner: Code,
}

/// The order of instructions, addresses of each execution, memories.
type ExecutionTrace<'py> = (Vec<u32>, Vec<Vec<u64>>, Vec<Bound<'py, PyBytes>>);

#[pymethods]
impl X86Code {
    /// Reads lines.
    #[staticmethod]
    fn parse(py: Python<'_>, lines: Vec<String>, forms: &X86Forms) -> PyResult<X86Code> {
        let inner = parse::code(lines.iter().map(String::as_str), &forms.table);
        Ok(X86Code { inner: inner.map_err(|error| raise(py, Class::Description, &error))? })
    }

    /// How many instructions there are.
    fn __len__(&self) -> usize {
        self.inner.instructions().count()
    }

    /// Labels with their places among the instructions.
    fn labels(&self) -> HashMap<String, usize> {
        self.inner.labels().map(|(name, place)| (name.to_string(), place)).collect()
    }

    /// The bytes of each instruction.
    fn lengths(&self) -> Vec<u32> {
        lengths(&self.inner)
    }

    /// Executes the instructions for several memories.
    fn execute<'py>(
        &self,
        py: Python<'py>,
        memories: Vec<Vec<u8>>,
        symbols: HashMap<String, u32>,
        base: u32,
    ) -> PyResult<ExecutionTrace<'py>> {
        let mut memories = memories;
        let trace = py.detach(|| execute(&self.inner, &Start { symbols, base }, &mut memories));
        let trace = trace.map_err(|error| raise(py, Class::Description, &error))?;
        let memories = memories.iter().map(|memory| PyBytes::new(py, memory)).collect();
        Ok((trace.order, trace.addresses, memories))
    }

    /// Runs the instructions on a processor in an order, once for each list of addresses.
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        forms: &X86Forms,
        limits: &str,
        load: u32,
        order: Vec<u32>,
        addresses: Vec<Vec<u64>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let machine = self.machine(py, forms, limits, load, &order)?;
        let found = py.detach(|| machine.run(&order, &addresses));
        found.iter().map(|run| document(py, run)).collect()
    }

    /// Of each instruction how often it runs in one run, its share of the cycles, and the cycle in which it retires first.
    fn profile(
        &self,
        py: Python<'_>,
        forms: &X86Forms,
        limits: &str,
        load: u32,
        order: Vec<u32>,
        addresses: Vec<u64>,
    ) -> PyResult<Vec<(u64, f64, Option<u64>)>> {
        let machine = self.machine(py, forms, limits, load, &order)?;
        let shares = py.detach(|| machine.profile(&order, &addresses));
        Ok(shares.iter().map(|share| (share.runs, share.cycles, share.retired)).collect())
    }
}

impl X86Code {
    /// The instructions on a processor, for an order of them.
    fn machine(&self, py: Python<'_>, forms: &X86Forms, limits: &str, load: u32, order: &[u32]) -> PyResult<Machine> {
        let model: Model = parsed(py, "processor", limits)?;
        let branches = self.inner.items.iter().any(|item| matches!(item, Item::Label(_)));
        let decoded = self.inner.instructions().zip(lengths(&self.inner)).map(|(one, bytes)| {
            let decoded = forms.table.decode(one, load, branches)?;
            Ok(Instruction { bytes, ..decoded })
        });
        let decoded = decoded.collect::<Result<Vec<_>, Diagnostic>>();
        let decoded = decoded.map_err(|error| raise(py, Class::Description, &error))?;
        let known = decoded.len();
        let machine = Machine::new(model, decoded);
        let machine = machine.map_err(|m| raise(py, Class::Description, &Diagnostic::new("M300", m)))?;
        if let Some(bad) = order.iter().find(|&&one| one as usize >= known) {
            let message = format!("the order names instruction {bad}, of {known}");
            return Err(raise(py, Class::Description, &Diagnostic::new("M307", message)));
        }
        Ok(machine)
    }
}

/// What is said of a run.
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
    module.add_class::<X86Code>()
}
