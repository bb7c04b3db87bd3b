//! Code for microcontrollers, as Python sees it.

use std::collections::HashMap;
use std::sync::Arc;

use microcontroller::allocate::Objects;
use microcontroller::assembly::{self, Writer};
use microcontroller::code::{Item, Line};
use microcontroller::function::Function;
use microcontroller::isa::Isa;
use microcontroller::lower::{lowered, LoweredCode, Request, Window};
use microcontroller::search::{self, Aim, Candidate};
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{raise, usage, Class};
use crate::program::Program;

/// The instruction set of a microcontroller; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Microcontroller {
    /// Its records.
    pub isa: Arc<Isa>,
}

#[pymethods]
impl Microcontroller {
    /// Reads the records of an instruction set.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, file: &str) -> PyResult<Self> {
        let isa = checked(py, Isa::read(text, file))?;
        Ok(Microcontroller { isa: Arc::new(isa) })
    }

    /// Cycles and bytes of a line.
    fn cost(&self, py: Python<'_>, line: &str) -> PyResult<(u32, u32)> {
        let refused = || Diagnostic::new("E131", format!("no instruction is known for `{line}`"));
        match checked(py, assembly::read(&self.isa, line))? {
            Line::Machine(machine) => checked(py, self.isa.cost(&machine)),
            _ => Err(raise(py, Class::Description, &refused())),
        }
    }

    /// The code of a function of bytes: instructions on values that have no registers yet.
    #[pyo3(signature = (program, function, places, *, name, tables="", near=None, internal=None, small=false, window=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn lower(
        &self,
        py: Python<'_>,
        program: &Program,
        function: &str,
        places: HashMap<String, String>,
        name: &str,
        tables: &str,
        near: Option<Vec<String>>,
        internal: Option<Vec<String>>,
        small: bool,
        window: Option<(String, String, u32, Vec<u32>)>,
    ) -> PyResult<Code> {
        let program = &program.inner;
        let known = program.functions.iter().find(|f| f.name == function);
        let missing = || usage(py, "P203", format!("the program has no function `{function}`"), String::new());
        let function = known.ok_or_else(missing)?;
        let window = window.map(|(object, first, rows, order)| Window { object, first, rows, order });
        let (near, internal) = (near.unwrap_or_default(), internal.unwrap_or_default());
        let request = Request { name, places, tables, near, internal, small, window };
        let found = py.detach(|| lowered(&self.isa, program, function, &request));
        Ok(Code { isa: Arc::clone(&self.isa), inner: checked(py, found)? })
    }

    /// Code with registers: the best of several orders, or as it is written.
    #[pyo3(signature = (code, *, block="", shared="", most=None, short=None, room=(0, 0), search=true))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn allocate(
        &self,
        py: Python<'_>,
        code: &Code,
        block: &str,
        shared: &str,
        most: Option<u32>,
        short: Option<u32>,
        room: (u32, u32),
        search: bool,
    ) -> PyResult<Allocation> {
        let code = &code.inner.code;
        let name = &code.name;
        let near = short.or(self.isa.moves.short).unwrap_or(room.0);
        let objects = Objects::of(name, block, near, room.1);
        let aim = Aim { block: block.into(), shared: if shared.is_empty() { block } else { shared }.into(), most };
        let isa = &self.isa;
        let found = py.detach(|| match search {
            true => search::best(isa, code, &objects, &aim),
            false => search::as_written(isa, code, &objects, &aim),
        });
        Ok(Allocation { isa: Arc::clone(isa), name: Arc::clone(&code.name), objects, best: checked(py, found)? })
    }
}

/// Code that has no registers yet; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Code {
    isa: Arc<Isa>,
    inner: LoweredCode,
}

#[pymethods]
impl Code {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.code.name
    }

    /// Bytes that it takes at least, whatever its registers.
    #[getter]
    fn least_bytes(&self) -> usize {
        search::least_bytes(&self.isa, &self.inner.code)
    }

    /// Whether it has no loops.
    #[getter]
    fn straight(&self) -> bool {
        self.inner.code.items.iter().all(|item| matches!(item, Item::Instruction(_)))
    }

    /// The bytes of the tables that it reads, by name.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, data) in &self.inner.tables {
            tables.set_item(name, PyBytes::new(py, data))?;
        }
        Ok(tables)
    }

    /// The bytes of the objects that it needs besides those that it was given.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let objects = PyDict::new(py);
        for (name, size) in &self.inner.scratch {
            objects.set_item(name, size)?;
        }
        Ok(objects)
    }
}

/// Code that has registers; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Allocation {
    isa: Arc<Isa>,
    name: Arc<str>,
    objects: Objects,
    best: Candidate,
}

#[pymethods]
impl Allocation {
    /// By how many bytes it passes the limit, or the memory that there is.
    #[getter]
    fn over(&self) -> u32 {
        self.best.over
    }

    /// About how many cycles it takes: branches count as not taken.
    #[getter]
    fn cycles(&self) -> u64 {
        self.best.cycles
    }

    /// Bytes of memory that values without registers take.
    #[getter]
    fn slots(&self) -> u32 {
        self.best.allocation.slots
    }

    /// Bytes of memory that are registers, besides those with names.
    #[getter]
    fn bytes(&self) -> u32 {
        search::bytes(&self.best.allocation)
    }

    /// The lines.
    fn lines(&self) -> Vec<String> {
        let mut writer = Writer::new(&self.isa, &self.name);
        self.best.allocation.lines.iter().map(|line| writer.line(line)).collect()
    }

    /// The function, and the bytes of memory that its values take. With an object `pack` values share bytes, those of this
    /// object among them.
    #[pyo3(signature = (pack=None, *, inner=false))]
    fn function(&self, py: Python<'_>, pack: Option<&str>, inner: bool) -> PyResult<(MachineFunction, u32)> {
        let found = py.detach(|| self.best.function(&self.isa, &self.objects, pack, inner));
        let (function, slots) = checked(py, found)?;
        let isa = Arc::clone(&self.isa);
        Ok((MachineFunction { isa, inner: function, cycles: self.best.cycles }, slots))
    }
}

/// Runs, cycles of each, places: file and line.
type LineCost = (u64, u32, Vec<(u16, u32)>);

/// A function in machine instructions; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct MachineFunction {
    isa: Arc<Isa>,
    /// The function.
    pub inner: Function,
    cycles: u64,
}

#[pymethods]
impl MachineFunction {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// About how many cycles it takes: branches count as not taken.
    #[getter]
    fn cycles(&self) -> u64 {
        self.cycles
    }

    /// The function with other objects: of each the other one, and where in it it begins.
    fn renamed(&self, objects: HashMap<String, (String, i64)>) -> Self {
        let objects = objects.into_iter().map(|(old, (new, at))| (old, (Arc::from(new), at))).collect();
        MachineFunction { isa: Arc::clone(&self.isa), inner: self.inner.renamed(&objects), cycles: self.cycles }
    }

    /// Its text, with branches that reach.
    fn text(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(checked(py, self.inner.reaching(&self.isa))?.text(&self.isa))
    }

    /// Of each line of its text how often it runs, about how many cycles that takes each time (0: no instruction), and the
    /// places that it comes from: file and line, innermost first.
    fn costs(&self, py: Python<'_>) -> PyResult<Vec<LineCost>> {
        let reaching = checked(py, self.inner.reaching(&self.isa))?;
        let costs = checked(py, reaching.costs(&self.isa))?;
        let places = |line: &Line| match line {
            Line::Machine(machine) => machine.origin.places().iter().map(|place| (place.file, place.line)).collect(),
            _ => Vec::new(),
        };
        Ok(reaching.lines.iter().zip(costs).map(|(line, (runs, cycles))| (runs, cycles, places(line))).collect())
    }

    /// Bytes of its code, with branches that reach.
    fn bytes(&self, py: Python<'_>) -> PyResult<i64> {
        let reaching = checked(py, self.inner.reaching(&self.isa))?;
        checked(py, reaching.bytes(&self.isa))
    }
}

fn checked<T>(py: Python<'_>, found: Result<T, Diagnostic>) -> PyResult<T> {
    found.map_err(|error| raise(py, Class::Description, &error))
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Microcontroller>()?;
    module.add_class::<Code>()?;
    module.add_class::<Allocation>()?;
    module.add_class::<MachineFunction>()
}
