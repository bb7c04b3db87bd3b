//! Models of processors, as Python sees them.

use processor::model::{self, Processor};
use program::Diagnostic;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{raise, Class};

/// Name without `.toml`, text, and the path that errors name.
type File = (String, String, String);

/// A processor, read from its files; never changes.
#[pyclass(name = "Processor", module = "cipherassay._engine", frozen)]
pub struct PyProcessor {
    /// The model, for the other bindings.
    pub inner: Processor,
}

#[pymethods]
impl PyProcessor {
    /// Reads a processor from its files.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        isas: Vec<File>,
        processors: Vec<File>,
        name: &str,
        parameters: Vec<(String, String)>,
    ) -> PyResult<Self> {
        model::load(&pairs(&isas), &pairs(&processors), name, &parameters).map(|inner| PyProcessor { inner }).map_err(
            |error| {
                let class = match error.code {
                    "M002" if error.places.is_empty() => Class::Usage,
                    "M006" | "M007" if error.places.is_empty() => Class::Usage,
                    _ => Class::Description,
                };
                raise(py, class, &placed(error, &isas, &processors))
            },
        )
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Ports and issue width as caps, as JSON: `classes` and `caps`, as the schedulers read them.
    fn resources(&self) -> String {
        json!(self.inner.resources).to_string()
    }

    /// Everything that is known of it, as JSON.
    fn json(&self) -> String {
        model::document(&self.inner).to_string()
    }
}

/// Contradictions in the files of a processor: a JSON list of `code`, `message`, `places`, `notes`, `help`.
#[pyfunction]
fn processor_check(isas: Vec<File>, processors: Vec<File>, name: &str) -> String {
    let found = model::check(&pairs(&isas), &pairs(&processors), name);
    let list: Vec<_> = found
        .into_iter()
        .map(|error| placed(error, &isas, &processors))
        .map(|e| {
            let places: Vec<_> = e.places.iter().map(|p| json!([p.file, p.line, p.column])).collect();
            json!({ "code": e.code, "message": e.message, "places": places, "notes": e.notes, "help": e.help })
        })
        .collect();
    json!(list).to_string()
}

fn pairs(files: &[File]) -> Vec<(String, String)> {
    files.iter().map(|(name, text, _)| (name.clone(), text.clone())).collect()
}

/// The error with the paths of the caller's files.
fn placed(mut error: Diagnostic, isas: &[File], processors: &[File]) -> Diagnostic {
    for place in &mut error.places {
        for (folder, files) in [("isas", isas), ("processors", processors)] {
            let named = |f: &&File| format!("{folder}/{}.toml", f.0) == place.file;
            if let Some((_, _, path)) = files.iter().rev().find(named) {
                place.file.clone_from(path);
                break;
            }
        }
    }
    error
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyProcessor>()?;
    module.add_function(wrap_pyfunction!(processor_check, module)?)
}
