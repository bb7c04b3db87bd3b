//! Short XOR programs of GF(2) matrices, as Python sees them.

use circuit::linear::{self, Matrix, Options};
use circuit_search::linear::fewest;
use circuit_search::linear::words::{self, Aim, Machine, Problem};
use pyo3::prelude::*;

use crate::circuit::{raise, Listener};
use crate::errors::usage;

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

/// A short program of XORs for a matrix of any width, given by the columns of each row; without steps if it was stopped.
#[pyfunction]
fn linear_wide(py: Python<'_>, inputs: usize, rows: Vec<Vec<usize>>, callback: Py<PyAny>) -> PyResult<Option<Program>> {
    let listener = Listener::new(callback);
    let found = py.detach(|| linear::wide::wide(inputs, &rows, &|| listener.stopped()));
    listener.finish()?;
    Ok(found.map(|program| (program.steps, program.outputs)))
}

/// Whether so many sums or fewer suffice for a matrix of at most eight columns, by exhaustion: a document.
#[pyfunction]
fn linear_fewest(
    py: Python<'_>,
    inputs: usize,
    rows: Vec<u128>,
    count: usize,
    callback: Py<PyAny>,
) -> PyResult<String> {
    let matrix = Matrix::new(inputs, rows).map_err(|f| raise(py, &f, None))?;
    if inputs > fewest::MOST_INPUTS {
        let message = format!("a matrix of {inputs} columns is not exhausted");
        return Err(usage(py, "C124", message, format!("{} columns at most are", fewest::MOST_INPUTS)));
    }
    let listener = Listener::new(callback);
    let found = py.detach(|| fewest::of_count(&matrix, count, threads(), &|| listener.stopped()));
    listener.finish()?;
    Ok(document(&found))
}

/// The fewest operations or cycles of words that hold the bytes of a matrix: a document.
///
/// `machine`: JSON; `limits`: least and most counts, most operations where cycles are counted, most sets.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // The caller is one Python function that names them.
fn linear_words(
    py: Python<'_>,
    rows: Vec<Vec<u8>>,
    polynomial: u64,
    bytes: usize,
    is_free: bool,
    counts_cycles: bool,
    machine: &str,
    limits: (usize, usize, usize, u64),
    callback: Py<PyAny>,
) -> PyResult<String> {
    let machine: Machine = serde_json::from_str(machine)
        .map_err(|e| usage(py, "C125", format!("the machine cannot be read: {e}"), String::new()))?;
    let aim = if counts_cycles { Aim::Cycles } else { Aim::Operations };
    let (least, most, most_operations, most_nodes) = limits;
    let threads = threads();
    let problem = Problem { rows, polynomial, bytes, is_free, aim, least, most, most_operations, most_nodes, threads };
    let listener = Listener::new(callback);
    let tell = |line: &str| {
        if !line.is_empty() {
            listener.tell(line);
        }
        listener.stopped()
    };
    let found = py.detach(|| words::search(&problem, &machine, &tell));
    listener.finish()?;
    Ok(document(&found.map_err(|f| raise(py, &f, None))?))
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn document<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("names and numbers")
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(linear_fewest, module)?)?;
    module.add_function(wrap_pyfunction!(linear_wide, module)?)?;
    module.add_function(wrap_pyfunction!(linear_words, module)?)?;
    module.add_function(wrap_pyfunction!(linear_minimize, module)?)
}
