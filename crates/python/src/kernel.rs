//! Kernels: functions of programs as machine code, scheduled, with registers; as Python sees them.

use std::sync::Arc;

use processor::allocate::SpillPolicy;
use processor::assembly::Origin;
use processor::code::{text, Object, Packing, Role};
use processor::graph::Schedule;
use processor::kernel::{search, FittingOptions, SelectedKernel, Settings};
use processor::model;
use processor::schedule::List;
use processor::select::{Layout, Options, PairLoads};
use pyo3::prelude::*;
use serde_json::{json, Value};

use crate::errors::{raise, usage, Class};
use crate::processor::PyProcessor;
use crate::program::Program;
use crate::schedule::Graph;

/// Machine code of a function for a processor, before it is scheduled; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Kernel {
    inner: SelectedKernel,
    processor: Arc<model::Processor>,
}

#[pymethods]
impl Kernel {
    /// Selects instructions; `avoid` names instructions and recipes that are not to be used; with `bytes` those of blocks and keys
    /// lie as C's arrays do.
    #[staticmethod]
    #[pyo3(signature = (program, function, processor, avoid, pointers, spread, depth, wide, even, layout="contiguous", bytes=false))]
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
        wide: &str,
        even: bool,
        layout: &str,
        bytes: bool,
    ) -> PyResult<Kernel> {
        let (wide, layout) = (PairLoads::named(wide).unwrap_or_default(), laid(py, layout)?);
        let options = Options { avoid, pointers, spread, depth, even, wide, layout, bytes };
        let selected = py.detach(|| SelectedKernel::new(&program.inner, function, &processor.inner, &options));
        let inner = selected.map_err(|e| raise(py, Class::Description, &e))?;
        Ok(Kernel { inner, processor: Arc::clone(&processor.inner) })
    }

    /// Searches the options of selection, compared by list schedules: `avoid`, `spread`, `depth` and `even`.
    #[staticmethod]
    #[pyo3(signature = (program, function, processor, pointers, wide, restarts, layout="contiguous"))]
    #[allow(clippy::too_many_arguments)]
    fn search(
        py: Python<'_>,
        program: &Program,
        function: &str,
        processor: &PyProcessor,
        pointers: usize,
        wide: &str,
        restarts: u32,
        layout: &str,
    ) -> PyResult<(Vec<String>, bool, Option<u32>, bool)> {
        let (wide, layout) = (PairLoads::named(wide).unwrap_or_default(), laid(py, layout)?);
        let options = Options { pointers, wide, layout, ..Options::default() };
        let found = py.detach(|| search(&program.inner, function, &processor.inner, &options, restarts));
        let options = found.map_err(|e| raise(py, Class::Description, &e))?;
        Ok((options.avoid, options.spread, options.depth, options.even))
    }

    /// The code before registers, for people.
    fn text(&self) -> String {
        text(&self.inner.code, &self.processor.isa)
    }

    /// How often each instruction stands in the code.
    fn counts(&self) -> Vec<(String, usize)> {
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for op in self.inner.code.regions.iter().flat_map(processor::code::Region::ops) {
            *counts.entry(&self.processor.isa.instructions[op.instruction as usize].name).or_default() += 1;
        }
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    }

    /// Memory, pointers and argument registers, as JSON.
    fn interface(&self) -> String {
        let code = &self.inner.code;
        let pointers: Vec<Value> = code.inputs.iter().map(|i| json!([i.object, i.offset])).collect();
        json!({
            "objects": code.objects.iter().map(object).collect::<Vec<_>>(),
            "pointers": pointers,
            "registers": self.processor.isa.arguments,
            "big_endian": self.processor.isa.big_endian,
        })
        .to_string()
    }

    /// The graph of each region.
    fn graphs(&self) -> Vec<Graph> {
        let values = |k| processor::dependences::lifetimes(&self.inner.code, k, &self.processor);
        self.inner.graphs.iter().enumerate().map(|(k, g)| Graph { inner: g.clone(), values: values(k) }).collect()
    }

    /// Schedules every region: a JSON list of iterations, operations, bound and schedule.
    fn schedule(&self, py: Python<'_>, restarts: u32, seed: u64, attempts: u32) -> String {
        let settings = Settings { list: List { restarts, seed }, attempts };
        let parts = py.detach(|| self.inner.schedule(&self.processor, &settings));
        json!(parts).to_string()
    }

    /// The kernel with values spilled until registers suffice, a JSON list as of `schedule`, and how far that looks ahead: its
    /// text in an order between that of a list schedule (`program` is 0) and that of the program (100). With `loops`, what loops
    /// carry leaves its register as other values do; with `most`, None if it takes more cycles, or as many and more operations.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (restarts, seed, program, free = 0, ahead = Vec::new(), loops = false, most = None))]
    fn fitted(
        &self,
        py: Python<'_>,
        restarts: u32,
        seed: u64,
        program: u32,
        free: u32,
        ahead: Vec<u32>,
        loops: bool,
        most: Option<(u64, u64)>,
    ) -> PyResult<Option<(Kernel, String, u32)>> {
        let settings = Settings { list: List { restarts, seed }, attempts: 0 };
        let how = FittingOptions { program: program.min(100), leaving: SpillPolicy { free, loops }, ahead, most };
        let fitted = py.detach(|| self.inner.clone().fitted(&self.processor, &settings, &how));
        let found = fitted.map_err(|e| raise(py, Class::Description, &e))?;
        let kernel = |inner| Kernel { inner, processor: self.processor.clone() };
        Ok(found.map(|(inner, parts, ahead)| (kernel(inner), json!(parts).to_string(), ahead)))
    }

    /// Of each region the best lower bound, as straight-line code; JSON.
    fn bounds(&self, py: Python<'_>) -> String {
        json!(py.detach(|| self.inner.bounds(&self.processor))).to_string()
    }

    /// Of straight-line code cycles that no schedule goes below, quickly found: others may be larger.
    fn least(&self) -> Option<u64> {
        let straight = self.inner.code.regions.iter().all(|r| matches!(r, processor::code::Region::Straight(_)));
        straight.then(|| self.inner.least(&self.processor))
    }

    /// A JSON list as of `schedule` that leaves registers free, with which all values have one; None if none is found.
    fn relaxed(&self, py: Python<'_>, restarts: u32, seed: u64, attempts: u32) -> Option<String> {
        let settings = Settings { list: List { restarts, seed }, attempts };
        py.detach(|| self.inner.relaxed(&self.processor, &settings)).map(|parts| json!(parts).to_string())
    }

    /// The kernel with values spilled until it can be scheduled within the registers, and a JSON list as of `schedule`.
    fn spilled(&self, py: Python<'_>, restarts: u32, seed: u64, attempts: u32) -> PyResult<(Kernel, String)> {
        let settings = Settings { list: List { restarts, seed }, attempts };
        let spilled = py.detach(|| self.inner.clone().spilled(&self.processor, &settings));
        let (inner, parts) = spilled.map_err(|e| raise(py, Class::Description, &e))?;
        Ok((Kernel { inner, processor: self.processor.clone() }, json!(parts).to_string()))
    }

    /// Checks schedules (a JSON list, one per region) and writes the assembly text; JSON.
    fn emit(&self, py: Python<'_>, schedules: &str) -> PyResult<String> {
        let schedules: Vec<Schedule> = crate::schedule::parsed(py, "schedules", schedules)?;
        let emitted = py.detach(|| self.inner.emit(&schedules, &self.processor));
        let found = emitted.map_err(|e| raise(py, Class::Description, &e))?;
        let registers: Vec<Value> = found
            .registers
            .iter()
            .map(|r| {
                json!({ "class": r.class, "statics": r.statics, "stacked": r.stacked, "rotating": r.rotating,
                        "notation": r.notation() })
            })
            .collect();
        Ok(json!({
            "text": found.text, "body": found.body, "used": found.used, "expanded": found.expanded, "registers": registers, "operations": found.operations, "nops": found.nops,
            "groups": found.groups, "bundles": found.bundles, "copies": found.copies, "cycles": found.cycles,
            "blocks": found.blocks.iter().map(|b| json!([b.iterations, b.interval, b.cycles])).collect::<Vec<_>>(),
            "origins": found.origins.iter().map(origin).collect::<Vec<_>>(),
        })
        .to_string())
    }
}

/// The layout of a name.
fn laid(py: Python<'_>, name: &str) -> PyResult<Layout> {
    let known = Layout::NAMES.map(|(known, _)| format!("`{known}`")).join(", ");
    let found = Layout::named(name);
    found.ok_or_else(|| usage(py, "M717", format!("there is no layout `{name}` of tables"), format!("known: {known}")))
}

/// Line of the text, block, cycle, and the places: file and line, innermost first.
fn origin(origin: &Origin) -> Value {
    let places: Vec<(u16, u32)> = origin.places.iter().map(|p| (p.file, p.line)).collect();
    json!([origin.line, origin.block, origin.cycle, places])
}

fn object(object: &Object) -> Value {
    let packing = match object.packing {
        Packing::None => "none",
        Packing::Little => "little",
        Packing::Big => "big",
    };
    let (role, number, elements) = match &object.role {
        Role::Parameter(n) => ("parameter", *n, [].as_slice()),
        Role::Result(n) => ("result", *n, [].as_slice()),
        Role::Table(elements) => ("table", 0, elements.as_slice()),
        Role::Scratch => ("scratch", 0, [].as_slice()),
    };
    json!({
        "name": object.name, "size": object.bytes, "alignment": object.alignment, "element": object.element,
        "stride": object.stride, "packing": packing, "role": role, "number": number, "elements": elements,
        "base": object.base,
    })
}

/// Adds what this file binds.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Kernel>()
}
