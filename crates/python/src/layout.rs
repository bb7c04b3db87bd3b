//! Table layouts of S-box layers with linear layers, as Python sees them: documents in JSON.

use pyo3::prelude::*;
use table_layout::search::{Family, Options, FAMILIES};
use table_layout::Layer;

use crate::circuit::Listener;
use crate::errors::{raise, usage, Class};
use crate::program::Program;

/// The S-box layers with linear layers behind them of a function and of what it calls.
#[pyfunction]
fn layout_layers(program: &Program, function: &str) -> String {
    document(&table_layout::find(&program.inner, function))
}

/// The matrices by which a function, and what it calls, multiplies bytes.
#[pyfunction]
fn linear_layers(program: &Program, function: &str) -> String {
    document(&table_layout::products(&program.inner, function))
}

/// The linear layers of bits of a function, and what is not linear in it.
#[pyfunction]
fn bit_layers(py: Python<'_>, program: &Program, function: &str) -> PyResult<String> {
    let found = py.detach(|| table_layout::bits::find(&program.inner, function));
    Ok(document(&found.map_err(|d| raise(py, Class::Description, &d))?))
}

/// Searches layouts. `rows`: the matrix; `boxes`: the S-box of each column, numbered; `second`: that of a second layer.
///
/// `callback` gets a family, what is done and what there is to do, now and then, and returns whether to stop.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // The caller is one Python function that names them.
fn layout_search(
    py: Python<'_>,
    rows: Vec<Vec<u8>>,
    boxes: Vec<usize>,
    second: Option<usize>,
    word_bits: usize,
    families: Vec<String>,
    most_nodes: u64,
    callback: Py<PyAny>,
) -> PyResult<String> {
    let named = |name: &String| {
        let known = || FAMILIES.map(Family::name).join(", ");
        let wrong = || usage(py, "L104", format!("there is no family of layouts `{name}`"), known());
        FAMILIES.into_iter().find(|f| f.name() == name).ok_or_else(wrong)
    };
    let families = families.iter().map(named).collect::<PyResult<Vec<Family>>>()?;
    let listener = Listener::new(callback);
    let options = Options { word_bits, families, most_nodes };
    let tell = |line: &str| {
        listener.tell(line);
        listener.stopped()
    };
    let found = py.detach(|| table_layout::search(&Layer { rows, boxes, second }, &options, &tell));
    listener.finish()?;
    Ok(document(&found.map_err(|d| raise(py, Class::Description, &d))?))
}

fn document<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("names and numbers")
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(layout_layers, module)?)?;
    module.add_function(wrap_pyfunction!(linear_layers, module)?)?;
    module.add_function(wrap_pyfunction!(bit_layers, module)?)?;
    module.add_function(wrap_pyfunction!(layout_search, module)?)
}
