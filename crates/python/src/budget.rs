//! Code within a budget of RAM, as Python sees it.

use std::collections::HashMap;
use std::sync::Arc;

use microcontroller::budget::{Candidate, Candidates, Passes, Placement, Text};
use microcontroller::isa::Isa;
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{raise, Class};
use crate::microcontroller::{MachineFunction, Microcontroller};
use crate::program::Program;
use crate::round_keys::PyRoundKeys;

/// What may be worth code for a program within a budget of RAM; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct BudgetCandidates {
    isa: Arc<Isa>,
    inner: Candidates,
}

#[pymethods]
impl BudgetCandidates {
    /// Looks at a program, with the passes that split programs into bytes.
    #[new]
    #[pyo3(signature = (isa, program, keys, prefix, budget, *, unrolled, looped, circuits))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        isa: &Microcontroller,
        program: &Program,
        keys: &PyRoundKeys,
        prefix: String,
        budget: u32,
        unrolled: Vec<String>,
        looped: Vec<String>,
        circuits: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let (isa, keys) = (Arc::clone(&isa.isa), Arc::clone(&keys.inner));
        let passes = Passes { unrolled, looped, circuits };
        let inner = checked(py, Candidates::of(&isa, program.inner.clone(), keys, passes, prefix, budget))?;
        Ok(BudgetCandidates { isa, inner })
    }

    /// Bytes of the block.
    #[getter]
    fn block(&self, py: Python<'_>) -> PyResult<u32> {
        checked(py, self.inner.block())
    }

    /// Key setup is a function of its own and all round keys stay.
    #[pyo3(signature = (*, shared=false))]
    fn kept(&self, py: Python<'_>, shared: bool) -> PyResult<Vec<BudgetCandidate>> {
        self.several(py, || self.inner.kept(shared))
    }

    /// Each round key is made where it is needed, in one function.
    fn on_the_fly(&self, py: Python<'_>, operation: &str) -> PyResult<Vec<BudgetCandidate>> {
        self.several(py, || self.inner.on_the_fly(operation))
    }

    /// The same in steps that are called one after the other.
    fn in_steps(&self, py: Python<'_>, operation: &str) -> PyResult<Vec<BudgetCandidate>> {
        self.several(py, || self.inner.in_steps(operation))
    }

    /// The key schedule runs again for round keys that are gone by; `always`: even where an operation has other candidates.
    #[pyo3(signature = (operation, *, always=false))]
    fn again(&self, py: Python<'_>, operation: &str, always: bool) -> PyResult<Vec<BudgetCandidate>> {
        self.several(py, || if always { self.inner.run_again(operation) } else { self.inner.again(operation) })
    }

    /// So many rows of round keys are made at a time; nothing if registers are too few.
    fn window(&self, py: Python<'_>, operation: &str, rows: u32) -> PyResult<Option<BudgetCandidate>> {
        let found = py.detach(|| self.inner.window(operation, rows));
        Ok(checked(py, found)?.map(|inner| self.candidate(inner)))
    }
}

impl BudgetCandidates {
    fn several(
        &self,
        py: Python<'_>,
        made: impl Send + FnOnce() -> Result<Vec<Candidate>, Diagnostic>,
    ) -> PyResult<Vec<BudgetCandidate>> {
        let found = checked(py, py.detach(made))?;
        Ok(found.into_iter().map(|inner| self.candidate(inner)).collect())
    }

    fn candidate(&self, inner: Candidate) -> BudgetCandidate {
        BudgetCandidate { isa: Arc::clone(&self.isa), inner }
    }
}

/// Code of one operation, or of all; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct BudgetCandidate {
    isa: Arc<Isa>,
    inner: Candidate,
}

#[pymethods]
impl BudgetCandidate {
    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// How often the key schedule runs.
    #[getter]
    fn runs(&self) -> u32 {
        self.inner.runs
    }

    /// Rows of round keys that are made at once; 0 if there is no window.
    #[getter]
    fn window(&self) -> u32 {
        self.inner.window
    }

    /// The code.
    #[getter]
    fn text(&self) -> BudgetText {
        BudgetText { isa: Arc::clone(&self.isa), inner: Arc::clone(&self.inner.text) }
    }
}

/// Functions, objects in RAM and tables before they are written; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct BudgetText {
    isa: Arc<Isa>,
    inner: Arc<Text>,
}

#[pymethods]
impl BudgetText {
    /// Puts functions, bytes of objects by name, objects inside of others and tables together.
    #[new]
    #[pyo3(signature = (isa, functions, objects, *, inside=HashMap::new(), tables=HashMap::new()))]
    fn new(
        isa: &Microcontroller,
        functions: Vec<PyRef<'_, MachineFunction>>,
        objects: &Bound<'_, PyDict>,
        inside: HashMap<String, String>,
        tables: HashMap<String, Vec<u8>>,
    ) -> PyResult<Self> {
        let (inside, tables) = (inside.into_iter().collect(), tables.into_iter().collect());
        let mut inner = Text { inside, tables, ..Text::default() };
        functions.iter().for_each(|function| inner.add(function.inner.clone()));
        for (name, bytes) in objects {
            inner.object(&name.extract::<String>()?, bytes.extract()?);
        }
        Ok(BudgetText { isa: Arc::clone(&isa.isa), inner: Arc::new(inner) })
    }

    /// Lines of functions by name, in order, with addresses that reach.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rule = checked(py, self.isa.budget_record())?.objects.as_ref();
        let functions = PyDict::new(py);
        for function in self.inner.addressed(rule, &self.placed(py)?.unwrap_or_default()) {
            let lines = checked(py, function.reaching(&self.isa))?.text(&self.isa);
            functions.set_item(&*function.name, lines)?;
        }
        Ok(functions)
    }

    /// Names of functions.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.functions.iter().map(|function| function.name.to_string()).collect()
    }

    /// Bytes of objects by name.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let objects = PyDict::new(py);
        for (name, bytes) in &self.inner.objects {
            objects.set_item(name, bytes)?;
        }
        Ok(objects)
    }

    /// Bytes of tables by name.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, data) in &self.inner.tables {
            tables.set_item(name, PyBytes::new(py, data))?;
        }
        Ok(tables)
    }

    /// Whether an object lies in the bytes of another one.
    #[getter]
    fn shares(&self) -> bool {
        !self.inner.inside.is_empty()
    }

    /// An object and those in its bytes.
    fn labels(&self, name: &str) -> Vec<String> {
        self.inner.labels(name)
    }

    /// Objects that short addresses reach, and the others; nothing if they find no room.
    #[getter]
    fn placement(&self, py: Python<'_>) -> PyResult<Option<(Vec<String>, Vec<String>)>> {
        Ok(self.placed(py)?.map(|placement| (placement.near, placement.far)))
    }

    /// Bytes of code and tables; nothing if the objects find no room.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        let record = checked(py, self.isa.budget_record())?;
        checked(py, self.inner.bytes(&self.isa, record))
    }

    /// Whether there is room for objects, code and tables.
    #[getter]
    fn fits(&self, py: Python<'_>) -> PyResult<bool> {
        let code = checked(py, self.isa.budget_record())?.code;
        Ok(self.size(py)?.is_some_and(|bytes| bytes <= code))
    }

    /// Both texts as one; what has the same name is the same.
    fn joined(&self, other: &Self) -> Self {
        BudgetText { isa: Arc::clone(&self.isa), inner: Arc::new(self.inner.joined(&other.inner)) }
    }
}

impl BudgetText {
    fn placed(&self, py: Python<'_>) -> PyResult<Option<Placement>> {
        Ok(self.inner.placement(checked(py, self.isa.budget_record())?))
    }
}

/// The error of what passes and names refuse is the caller's, any other is the description's.
fn checked<T>(py: Python<'_>, found: Result<T, Diagnostic>) -> PyResult<T> {
    let usage = |error: &Diagnostic| error.code.starts_with('S') || error.code == "P203";
    found.map_err(|error| raise(py, if usage(&error) { Class::Usage } else { Class::Description }, &error))
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<BudgetCandidates>()?;
    module.add_class::<BudgetCandidate>()?;
    module.add_class::<BudgetText>()
}
