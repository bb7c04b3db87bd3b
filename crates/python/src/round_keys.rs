//! Orders in which key schedule and operation run, as Python sees them.

use std::sync::Arc;

use program::ir;
use program::round_keys::{Call, Cut, Memory, Order, RoundKeys, Steps};
use pyo3::prelude::*;

use crate::errors::{raise, Class};
use crate::program::Program;

/// A program's round keys: kept, made on the fly, or made again; never changes.
#[pyclass(frozen, name = "RoundKeys", module = "cipherassay._engine")]
pub struct PyRoundKeys {
    /// The orders.
    pub inner: Arc<RoundKeys>,
}

#[pymethods]
impl PyRoundKeys {
    /// Looks at a program without calls.
    #[new]
    fn new(py: Python<'_>, program: &Program) -> PyResult<Self> {
        let inner = py.detach(|| RoundKeys::of(&program.inner));
        Ok(PyRoundKeys { inner: Arc::new(checked(py, inner)?) })
    }

    /// Rows of round keys.
    #[getter]
    fn rows(&self) -> u32 {
        self.inner.rows().0
    }

    /// Bytes of a row of round keys.
    #[getter]
    fn row(&self) -> u32 {
        self.inner.rows().1
    }

    /// Bytes of all round keys.
    #[getter]
    fn bytes(&self) -> u32 {
        self.inner.bytes()
    }

    /// Whether the key schedule has an array of its own whose places depend on the key.
    #[getter]
    fn searches(&self) -> bool {
        self.inner.searches()
    }

    /// Key schedule and operation in the order of need, if few round keys are alive at once.
    fn on_the_fly(&self, py: Python<'_>, operation: &str) -> PyResult<Option<EventOrder>> {
        let found = checked(py, py.detach(|| self.inner.on_the_fly(operation)))?;
        Ok(found.map(|order| self.order(order)))
    }

    /// Numbers of rows of round keys worth keeping where others are made again.
    fn portions(&self, py: Python<'_>, operation: &str) -> PyResult<Vec<u32>> {
        checked(py, py.detach(|| self.inner.portions(operation)))
    }

    /// Key schedule and operation where so many rows of round keys are kept and others are made again.
    fn again(&self, py: Python<'_>, operation: &str, rows: u32) -> PyResult<Option<EventOrder>> {
        let found = checked(py, py.detach(|| self.inner.again(operation, rows)))?;
        Ok(found.map(|order| self.order(order)))
    }

    /// The key schedule as the function `fill`, and the number of each of its rows; nothing if it cannot fill windows.
    fn fill(&self, py: Python<'_>) -> PyResult<Option<(Program, Vec<u32>)>> {
        let Some(fill) = checked(py, self.inner.fill())? else { return Ok(None) };
        let program = Program::verified(py, self.inner.with_functions(vec![fill.function.clone()]))?;
        Ok(Some((program, fill.numbers.clone())))
    }

    /// How often the key schedule fills windows of so many rows.
    fn window_calls(&self, py: Python<'_>, operation: &str, rows: u32) -> Option<u32> {
        py.detach(|| self.inner.window_calls(operation, rows))
    }

    /// An operation as steps that read round keys of a window of so many rows, and the key schedule, `fill`.
    fn windowed(&self, py: Python<'_>, operation: &str, rows: u32) -> PyResult<Option<StepProgram>> {
        let (Ok(steps), Some(fill)) =
            (py.detach(|| self.inner.windowed(operation, rows)), checked(py, self.inner.fill())?)
        else {
            return Ok(None);
        };
        let functions = std::iter::once(&fill.function).chain(&steps.functions).cloned().collect();
        StepProgram::new(py, self.inner.with_functions(functions), steps).map(Some)
    }
}

impl PyRoundKeys {
    fn order(&self, order: Order) -> EventOrder {
        EventOrder { program: self.inner.with_functions(Vec::new()), order }
    }
}

/// Key schedule and operation as events in an order; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct EventOrder {
    program: ir::Program,
    order: Order,
}

#[pymethods]
impl EventOrder {
    /// How often the key schedule begins.
    #[getter]
    fn runs(&self) -> u32 {
        self.order.runs
    }

    /// A program of one function of key and block, what repeats as loops; nothing if the order does not allow that.
    fn function(&self, py: Python<'_>) -> PyResult<Option<Program>> {
        let Some(function) = py.detach(|| self.order.function()) else { return Ok(None) };
        let program = ir::Program { functions: vec![function], ..self.program.clone() };
        Program::verified(py, program).map(Some)
    }

    /// A program of functions that are called one after the other; nothing if the events do not go with this form.
    #[pyo3(signature = (*, fine=false, single=false))]
    fn steps(&self, py: Python<'_>, fine: bool, single: bool) -> PyResult<Option<StepProgram>> {
        let cut = match (fine, single) {
            (_, true) => Cut::Single,
            (true, false) => Cut::Fine,
            (false, false) => Cut::Coarse,
        };
        let Ok(steps) = py.detach(|| self.order.steps(cut)) else { return Ok(None) };
        let program = ir::Program { functions: steps.functions.clone(), ..self.program.clone() };
        StepProgram::new(py, program, steps).map(Some)
    }
}

/// What is called one after the other; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct StepProgram {
    program: Py<Program>,
    steps: Steps,
}

type Places = Vec<(String, Option<u32>)>;

/// A call: its function, the number of the first row of its window, and the numbers that it is given by name.
type CallOfStep = (String, Option<u32>, Vec<(String, i64)>);

#[pymethods]
impl StepProgram {
    /// The functions.
    #[getter]
    fn program(&self, py: Python<'_>) -> Py<Program> {
        self.program.clone_ref(py)
    }

    /// The calls in their order.
    fn calls(&self) -> Vec<CallOfStep> {
        let one = |call: &Call| (call.function.clone(), call.first, call.numbers.clone());
        self.steps.calls.iter().map(one).collect()
    }

    /// Of each function what its parameters are, and its results: name, and the rows that are kept if not all are.
    fn places(&self) -> Vec<(String, Places, Places)> {
        let side = |places: &[Memory]| places.iter().map(|one| (one.name.clone(), one.rows)).collect();
        let both = self.steps.functions.iter().zip(&self.steps.places);
        both.map(|(function, [given, made])| (function.name.clone(), side(given), side(made))).collect()
    }
}

impl StepProgram {
    fn new(py: Python<'_>, program: ir::Program, steps: Steps) -> PyResult<Self> {
        Ok(StepProgram { program: Py::new(py, Program::verified(py, program)?)?, steps })
    }
}

fn checked<T>(py: Python<'_>, found: Result<T, program::Diagnostic>) -> PyResult<T> {
    found.map_err(|error| raise(py, if error.code == "P203" { Class::Usage } else { Class::Description }, &error))
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRoundKeys>()?;
    module.add_class::<EventOrder>()?;
    module.add_class::<StepProgram>()
}
