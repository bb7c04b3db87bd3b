//! What the engine's code is, for the keys of stored results.

use std::collections::BTreeMap;

use pyo3::prelude::*;

/// The digest of each crate of the engine, by its folder: of its code, its data and all that it needs.
#[pyfunction]
fn crate_digests() -> BTreeMap<&'static str, &'static str> {
    env!("CRATE_DIGESTS").split(',').filter_map(|entry| entry.split_once('=')).collect()
}

/// Adds what this part has.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(crate_digests, module)?)
}
