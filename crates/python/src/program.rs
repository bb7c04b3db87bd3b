//! `Program`: a compiled cipher, as Python sees it.

use std::sync::Mutex;

use program::evaluate::Evaluator;
use program::ir;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::errors::{raise, Class};
use crate::mirror::mirror;

/// A compiled cipher (for one key size), or any set of functions; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Program {
    /// The structure.
    pub inner: ir::Program,
    /// Made at the first evaluation.
    pub evaluator: Mutex<Option<Evaluator>>,
    /// Made when it is first asked for.
    mirror: PyOnceLock<Py<PyAny>>,
}

impl Program {
    /// Wraps a structure after verifying it, so that every `Program` that Python holds is sound.
    pub fn verified(py: Python<'_>, inner: ir::Program) -> PyResult<Self> {
        program::verify(&inner).map_err(|d| raise(py, Class::Description, &d))?;
        Ok(Program { inner, evaluator: Mutex::new(None), mirror: PyOnceLock::new() })
    }
}

#[pymethods]
impl Program {
    /// Reads the text form and verifies what it says.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Self> {
        let inner = program::parse(text).map_err(|d| raise(py, Class::Description, &d))?;
        Program::verified(py, inner)
    }

    /// The text form.
    fn text(&self) -> String {
        self.inner.to_string()
    }

    /// The whole program as objects of `cipherassay.ir`, the same ones at every call.
    fn mirror(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let made = self.mirror.get_or_try_init(py, || mirror(py, &self.inner).map(Bound::unbind))?;
        Ok(made.clone_ref(py))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let meta = PyDict::new(py);
        for (key, value) in &self.inner.meta {
            meta.set_item(key, value)?;
        }
        Ok(meta)
    }

    /// Every fact of the head, in order: unlike in `meta`, several may have one name.
    fn facts(&self) -> Vec<(String, String)> {
        self.inner.meta.clone()
    }

    /// Name, parameters and result types of every function, in order.
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |function: &ir::Function| {
            let one = PyDict::new(py);
            let data = |v: &ir::ValueId| &function.values[v.0 as usize];
            let params: Vec<_> =
                function.params.iter().map(|v| (data(v).name.clone(), data(v).ty.to_string())).collect();
            one.set_item("name", &function.name)?;
            one.set_item("params", params)?;
            one.set_item("results", function.results.iter().map(ir::Type::to_string).collect::<Vec<_>>())?;
            Ok(one)
        };
        self.inner.functions.iter().map(describe).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Program {:?} with {} functions>", self.inner.name, self.inner.functions.len())
    }
}

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Program>()
}
