//! Hardware: functions as clocked steps.

use ::rtl::sequence::{sequence, Cuts, Place, Sequence, Step};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{raise, Class};
use crate::program::Program;

/// A function of a program, cut into clocked steps.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct StepSequence {
    /// The structure.
    pub inner: Sequence,
}

#[pymethods]
impl StepSequence {
    /// Cuts a function: `trips` of a loop make a step, what stands before or after a loop is merged into its steps or not.
    #[staticmethod]
    #[pyo3(signature = (program, function, trips = 1, merge_before = false, merge_after = false))]
    fn of(
        py: Python<'_>,
        program: &Program,
        function: &str,
        trips: usize,
        merge_before: bool,
        merge_after: bool,
    ) -> PyResult<Self> {
        let cuts = Cuts { trips, merge_before, merge_after };
        let inner = sequence(&program.inner, function, &cuts).map_err(|d| raise(py, Class::Description, &d))?;
        Ok(StepSequence { inner })
    }

    /// The program that holds the bodies, verified.
    #[getter]
    fn program(&self, py: Python<'_>) -> PyResult<Program> {
        Program::verified(py, self.inner.program.clone())
    }

    /// Per step: its body, what it reads, its constants, what it writes, its trip.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |step: &Step| {
            let one = PyDict::new(py);
            let names =
                |places: &[Place]| -> Vec<String> { places.iter().map(|place| self.inner.name_of(place)).collect() };
            one.set_item("body", &self.inner.bodies[step.body].function)?;
            one.set_item("wiring", self.inner.bodies[step.body].wiring)?;
            one.set_item("reads", names(&step.reads))?;
            one.set_item("constants", &step.constants)?;
            one.set_item("writes", names(&step.writes))?;
            one.set_item("trip", &step.trip)?;
            Ok(one)
        };
        self.inner.steps.iter().map(describe).collect()
    }

    /// Runs the steps on the words of every parameter; gives the words of every result.
    fn run(&self, py: Python<'_>, arguments: Vec<Vec<u64>>) -> PyResult<Vec<Vec<u64>>> {
        self.inner.run(&arguments).map_err(|d| raise(py, Class::Description, &d))
    }
}

/// Adds what this file binds to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StepSequence>()
}
