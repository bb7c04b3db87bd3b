//! Passes, C and the constant-time verdict, as Python sees them.

use program::passes;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use source::writer::api::Options;
use std::collections::BTreeMap;

use crate::errors::{raise, usage, Class};
use crate::program::Program;

#[pymethods]
impl Program {
    /// The program after passes, each `name` or `name:key=value,key=value`; `circuits` are texts for the pass of that name.
    #[pyo3(signature = (names, circuits = Vec::new()))]
    fn passes(&self, py: Python<'_>, names: Vec<String>, circuits: Vec<(String, String)>) -> PyResult<Self> {
        let mut inner = self.inner.clone();
        let list: Vec<&str> = names.iter().map(String::as_str).collect();
        passes::run_all(&mut inner, &list, &circuits).map_err(|d| raise(py, Class::Usage, &d))?;
        Program::verified(py, inner)
    }

    /// Whether the time of a function can depend on its arguments: `constant_time`, `accesses`, `assumptions`, `sentence`.
    fn constant_time<'py>(&self, py: Python<'py>, function: &str) -> PyResult<Bound<'py, PyDict>> {
        let found = self.inner.functions.iter().find(|f| f.name == function).ok_or_else(|| {
            let names: Vec<&str> = self.inner.functions.iter().map(|f| f.name.as_str()).collect();
            usage(py, "S003", format!("there is no function `{function}`"), format!("known: {}", names.join(", ")))
        })?;
        let verdict = source::constant_time::analyse(&self.inner, found);
        let result = PyDict::new(py);
        result.set_item("constant_time", verdict.is_constant_time())?;
        result.set_item("accesses", verdict.accesses.iter().collect::<Vec<_>>())?;
        result.set_item("assumptions", verdict.assumptions())?;
        result.set_item("sentence", source::constant_time::sentence(&verdict))?;
        Ok(result)
    }
}

/// Name and description of every pass.
#[pyfunction]
fn available_passes() -> Vec<(&'static str, &'static str)> {
    passes::all().iter().map(|p| (p.name(), p.description())).collect()
}

type Files = PyResult<Vec<(String, String)>>;

/// C for a cipher compiled for one or more key sizes: file names and texts. Options: `name`, `strategy`, `header` (lines),
/// `api` (`cipher`, or `functions` for every function of one program as an external one).
#[pyfunction]
fn emit_c(py: Python<'_>, programs: Vec<(u32, Py<Program>)>, options: BTreeMap<String, String>) -> Files {
    let inner = programs_of(py, &programs)?;
    let named = options_of(&inner, &options);
    let written = if options.get("api").is_some_and(|api| api == "functions") {
        source::c::emit_functions(&inner[0].1, &named.name, true)
    } else {
        source::c::emit(&inner, &named)
    };
    written.map_err(|d| raise(py, Class::Usage, &d))
}

/// Java for a cipher compiled for one or more key sizes: file names and texts. Options: `name` (of the class), `package`,
/// `strategy`, `header` (lines).
#[pyfunction]
fn emit_java(py: Python<'_>, programs: Vec<(u32, Py<Program>)>, options: BTreeMap<String, String>) -> Files {
    let inner = programs_of(py, &programs)?;
    let package = options.get("package").map_or("", String::as_str);
    source::java::emit(&inner, &options_of(&inner, &options), package).map_err(|d| raise(py, Class::Usage, &d))
}

fn programs_of(py: Python<'_>, programs: &[(u32, Py<Program>)]) -> PyResult<Vec<(u32, program::ir::Program)>> {
    if programs.is_empty() {
        return Err(usage(py, "S004", "there is no program to write".into(), "give one for each key size".into()));
    }
    Ok(programs.iter().map(|(bits, p)| (*bits, p.get().inner.clone())).collect())
}

fn options_of(programs: &[(u32, program::ir::Program)], options: &BTreeMap<String, String>) -> Options {
    let get = |key: &str| options.get(key).cloned().unwrap_or_default();
    let name = if options.contains_key("name") { get("name") } else { programs[0].1.name.to_lowercase() };
    Options { name, strategy: get("strategy"), header: get("header").lines().map(str::to_owned).collect() }
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(available_passes, module)?)?;
    module.add_function(wrap_pyfunction!(emit_c, module)?)?;
    module.add_function(wrap_pyfunction!(emit_java, module)?)
}
