//! Exhaustion of two-input circuits, as Python sees it; counts cross the border as JSON.

use circuit::SBox;
use circuit_search::exhaust::{orbits, plan};
use pyo3::prelude::*;
use serde_json::json;

use crate::circuit::raise;

/// All circuits of so many two-input gates for boxes of four inputs, cut into units of work.
#[pyclass(frozen, module = "cipherassay._engine")]
struct Exhaustion {
    inner: plan::Exhaustion,
}

#[pymethods]
impl Exhaustion {
    /// Plans the work for boxes given by their tables; for 12 gates this takes minutes.
    #[new]
    fn new(py: Python<'_>, tables: Vec<Vec<u8>>, outputs: u8, gates: usize, threads: usize) -> PyResult<Self> {
        let plan = || {
            let boxes = tables.into_iter().map(|t| SBox::new(outputs, t)).collect::<Result<Vec<_>, _>>()?;
            plan::Exhaustion::new(&boxes, gates, threads)
        };
        let inner = py.detach(plan).map_err(|f| raise(py, &f, None))?;
        Ok(Exhaustion { inner })
    }

    /// How many units there are.
    fn units(&self) -> usize {
        self.inner.units()
    }

    /// For each number of gates: orbits of sets, sets, cones to be completed.
    fn counts(&self) -> Vec<(usize, u64, usize)> {
        self.inner.counts()
    }

    /// Does a unit: JSON of `cones`, `outputs`, `completions`, `found` (pairs of a box's place and functions of gates).
    fn run(&self, py: Python<'_>, unit: usize) -> String {
        let tally = py.detach(|| self.inner.run(unit));
        json!({
            "cones": tally.cones,
            "outputs": tally.outputs,
            "completions": tally.completions,
            "found": tally.found,
        })
        .to_string()
    }
}

/// The number of constructible sets of so many two-input gates over four inputs, counted one by one.
#[pyfunction]
fn count_sets(py: Python<'_>, gates: usize) -> u64 {
    py.detach(|| orbits::count_sets(gates))
}

/// Adds the class and the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Exhaustion>()?;
    module.add_function(wrap_pyfunction!(count_sets, module)?)
}
