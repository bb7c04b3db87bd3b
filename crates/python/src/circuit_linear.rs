//! Short XOR programs of GF(2) matrices, as Python sees them.

use circuit::linear::{self, Matrix, Options};
use pyo3::prelude::*;

use crate::circuit::{raise, Listener};

/// Steps (two wires each) and the wire of each output, `None` for zero.
type Program = (Vec<(usize, usize)>, Vec<Option<usize>>);

/// A short program of XORs for a matrix given by its rows (bit `k`: coefficient of input `k`).
///
/// `arrival`: level of each input; `limits`: latest level of each row; both may be empty. `callback` gets an empty line
/// now and then and returns whether to stop; the best program so far is returned then.
#[pyfunction]
#[pyo3(signature = (inputs, rows, arrival, limits, starts, patience, seed, callback))]
#[allow(clippy::too_many_arguments)] // The caller is one Python function that names them.
fn linear_minimize(
    py: Python<'_>,
    inputs: usize,
    rows: Vec<u128>,
    arrival: Vec<u32>,
    limits: Vec<u32>,
    starts: u64,
    patience: u64,
    seed: u64,
    callback: Py<PyAny>,
) -> PyResult<Program> {
    let matrix = Matrix::new(inputs, rows).map_err(|f| raise(py, &f, None))?;
    let options = Options { arrival, limits, starts, patience, seed };
    let listener = Listener::new(callback);
    let found = py.detach(|| linear::minimize(&matrix, &options, &|| listener.stopped()));
    listener.finish()?;
    let program = found.map_err(|f| raise(py, &f, None))?;
    Ok((program.steps, program.outputs))
}

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(linear_minimize, module)?)
}
