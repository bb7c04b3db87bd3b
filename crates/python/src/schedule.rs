//! Graphs, bounds, schedulers and their checker, as Python sees them; structures cross the border as JSON.

use processor::bounds;
use processor::check;
use processor::graph::{Graph as Operations, Resources, Schedule};
use processor::schedule::{list, List};
use program::Diagnostic;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{raise, Class};

/// Operations with their dependences.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Graph {
    /// The graph.
    pub inner: Operations,
}

fn parsed<T: serde::de::DeserializeOwned>(py: Python<'_>, what: &str, text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| {
        let diagnostic = Diagnostic::new("M300", format!("the {what} cannot be read: {error}"));
        raise(py, Class::Description, &diagnostic)
    })
}

impl Graph {
    /// The resources, if the graph can be scheduled on them at all.
    fn on(&self, py: Python<'_>, resources: &str) -> PyResult<Resources> {
        let resources = parsed(py, "resources", resources)?;
        bounds::verify(&self.inner, &resources).map_err(|error| raise(py, Class::Description, &error))?;
        Ok(resources)
    }
}

#[pymethods]
impl Graph {
    /// A graph from its JSON: `classes` and `edges`.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Graph> {
        Ok(Graph { inner: parsed(py, "graph", text)? })
    }

    /// The graph as JSON.
    fn json(&self) -> String {
        json!(self.inner).to_string()
    }

    /// The best lower bound: of the length, or with `looped` of the initiation interval.
    #[pyo3(signature = (resources, looped = false))]
    fn bound(&self, py: Python<'_>, resources: &str, looped: bool) -> PyResult<String> {
        let resources = self.on(py, resources)?;
        let bound = py.detach(|| match looped {
            true => bounds::interval(&self.inner, &resources),
            false => bounds::lower_bound(&self.inner, &resources),
        });
        Ok(json!(bound).to_string())
    }

    /// Of each operation the earliest cycle and the fewest cycles from it to the last issue.
    fn windows(&self, py: Python<'_>, resources: &str) -> PyResult<(Vec<i32>, Vec<i32>)> {
        let resources = self.on(py, resources)?;
        let windows = py.detach(|| bounds::windows(&self.inner, &resources));
        Ok((windows.earliest, windows.tail))
    }

    /// A list schedule with its bound and the restarts made.
    fn list(&self, py: Python<'_>, resources: &str, restarts: u32, seed: u64) -> PyResult<String> {
        let resources = self.on(py, resources)?;
        let found = py.detach(|| list(&self.inner, &resources, &List { restarts, seed }));
        Ok(json!({"schedule": found.schedule, "bound": found.bound, "restarts": found.restarts}).to_string())
    }

    /// Checks a schedule: its edges and the caps of every cycle.
    fn check(&self, py: Python<'_>, resources: &str, schedule: &str) -> PyResult<()> {
        let resources = self.on(py, resources)?;
        let schedule: Schedule = parsed(py, "schedule", schedule)?;
        check::check(&self.inner, &resources, &schedule).map_err(|error| raise(py, Class::Verification, &error))
    }
}

/// Adds what this file binds.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Graph>()
}
