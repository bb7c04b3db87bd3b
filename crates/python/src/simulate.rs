//! Simulators, as Python sees them.

use processor::simulate::{Blocker, Machine as Inner, Options, Run, Variation};
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::errors::{raise, usage, Class};
use crate::processor::PyProcessor;

/// Runs between two looks at signals.
const CHUNK: usize = 64;

/// A text on a processor; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Machine {
    inner: Inner,
    ports: Vec<String>,
}

#[pymethods]
impl Machine {
    /// Reads a text for a processor, or for the same one without conflicts of banks, with a cache that every access hits, or with another time from a store to
    /// a load of its value.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (text, processor, file="assembly text", *, banks=true, cache=true, store_to_load=None))]
    fn load(
        py: Python<'_>,
        text: &str,
        processor: &PyProcessor,
        file: &str,
        banks: bool,
        cache: bool,
        store_to_load: Option<u32>,
    ) -> PyResult<Machine> {
        let mut model = (*processor.inner).clone();
        model.banks = model.banks.filter(|_| banks);
        model.cache = model.cache.filter(|_| cache);
        if let (Some(limits), Some(cycles)) = (&mut model.out_of_order, store_to_load) {
            limits.store_to_load = cycles;
        }
        let inner = Inner::load(text, file, &model).map_err(|e| raise(py, Class::Description, &e))?;
        Ok(Machine { inner, ports: processor.inner.ports.clone() })
    }

    /// Line and text of every operation.
    fn operations(&self) -> Vec<(u32, String)> {
        self.inner.listing.ops.iter().map(|op| (op.line, op.text.clone())).collect()
    }

    /// Runs it once.
    #[pyo3(signature = (arguments, memory, *, base=0x10000, mode="cycles", timeline=false, limit=1 << 28))]
    #[allow(clippy::too_many_arguments)]
    fn run<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<u64>,
        memory: Vec<u8>,
        base: u64,
        mode: &str,
        timeline: bool,
        limit: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let cycles = match mode {
            "cycles" => true,
            "functional" => false,
            _ => {
                let message = format!("there is no mode `{mode}`");
                return Err(usage(py, "M515", message, "`functional` or `cycles`".to_owned()));
            }
        };
        let options = Options { cycles, timeline, limit };
        let outcome = py.detach(|| self.inner.run(&arguments, base, memory, options));
        let (run, memory) = outcome.map_err(|e| refuse(py, &e))?;
        let document = self.document(py, &run)?;
        document.set_item("memory", PyBytes::new(py, &memory))?;
        Ok(document)
    }

    /// Cycles of many runs from memories that differ in some bytes.
    #[pyo3(signature = (arguments, memory, variations, runs, *, base=0x10000))]
    fn distribution(
        &self,
        py: Python<'_>,
        arguments: Vec<u64>,
        memory: Vec<u8>,
        variations: Vec<(usize, usize, Vec<u8>)>,
        runs: usize,
        base: u64,
    ) -> PyResult<Vec<u64>> {
        let variations: Vec<Variation<'_>> =
            variations.iter().map(|(offset, bytes, data)| Variation { offset: *offset, bytes: *bytes, data }).collect();
        let mut out = Vec::with_capacity(runs);
        for start in (0..runs).step_by(CHUNK) {
            let part = start..runs.min(start + CHUNK);
            let found = py.detach(|| self.inner.distribution(&arguments, base, &memory, &variations, part));
            out.extend(found.map_err(|e| refuse(py, &e))?);
            py.check_signals()?;
        }
        Ok(out)
    }
}

/// A wrong number of arguments is the caller's fault, a wrong access the text's.
fn refuse(py: Python<'_>, error: &Diagnostic) -> PyErr {
    let class = if matches!(error.code, "M513" | "M514") { Class::Usage } else { Class::Description };
    raise(py, class, error)
}

impl Machine {
    fn document<'py>(&self, py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
        let document = PyDict::new(py);
        document.set_item("cycles", run.cycles)?;
        document.set_item("operations", run.operations)?;
        document.set_item("useful", run.useful)?;
        document.set_item("misses", run.misses)?;
        let stalls = PyDict::new(py);
        for (name, cycles) in run.stalls.named() {
            stalls.set_item(name, cycles)?;
        }
        document.set_item("stalls", stalls)?;
        let events = PyList::empty(py);
        for e in &run.events {
            let (kind, op, what) = self.blocker(e.blocker);
            events.append((e.op, e.active, e.insert, e.issue, e.finish, e.retire, kind, op, what))?;
        }
        document.set_item("events", events)?;
        Ok(document)
    }

    /// The kind of a blocker, the operation, and the register or ports.
    fn blocker(&self, blocker: Blocker) -> (&'static str, Option<u32>, String) {
        let names = |mask: u64| {
            let ports = self.ports.iter().enumerate().filter(|(n, _)| mask >> n & 1 == 1);
            ports.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" ")
        };
        match blocker {
            Blocker::None | Blocker::Stop => ("", None, String::new()),
            Blocker::Operand(op, slot) => ("operand", Some(op), self.inner.listing.names.name(slot).to_owned()),
            Blocker::Store(op) => ("store", Some(op), String::new()),
            Blocker::Port(mask) => ("port", None, names(mask)),
            Blocker::Width => ("width", None, String::new()),
            Blocker::Window => ("window", None, String::new()),
            Blocker::Bank(op) => ("bank", Some(op), String::new()),
            Blocker::Miss(op) => ("miss", Some(op), String::new()),
            Blocker::Queue => ("queue", None, String::new()),
        }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Machine>()
}
