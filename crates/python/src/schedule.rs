//! Graphs, bounds, schedulers and their checker, as Python sees them; structures cross the border as JSON.

use processor::bounds;
use processor::check;
use processor::graph::{Graph as Operations, Resources, Schedule};
use processor::schedule::lifetimes::{pressure, shortened, values};
use processor::schedule::{list, list_within, modulo, Lifetime, Limit, List, Modulo, Outcome};
use program::Diagnostic;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{raise, Class};

/// Operations with their dependences.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Graph {
    /// The graph.
    pub inner: Operations,
    /// The values that live in it.
    pub values: Vec<Lifetime>,
}

pub fn parsed<T: serde::de::DeserializeOwned>(py: Python<'_>, what: &str, text: &str) -> PyResult<T> {
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

    /// The schedule, if it is legal.
    fn checked(&self, py: Python<'_>, resources: &str, schedule: &str) -> PyResult<Schedule> {
        let resources = self.on(py, resources)?;
        let schedule: Schedule = parsed(py, "schedule", schedule)?;
        let checked = check::check(&self.inner, &resources, &schedule);
        checked.map_err(|error| raise(py, Class::Verification, &error))?;
        Ok(schedule)
    }
}

#[pymethods]
impl Graph {
    /// A graph from its JSON: `classes` and `edges`; each operation with a consumer defines a value of class 0.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Graph> {
        let inner: Operations = parsed(py, "graph", text)?;
        let n = inner.classes.len();
        if let Some(edge) = inner.edges.iter().find(|e| e.from as usize >= n || e.to as usize >= n) {
            let message = format!("an edge joins operations {} and {}, of {n}", edge.from, edge.to);
            return Err(raise(py, Class::Description, &Diagnostic::new("M308", message)));
        }
        let values = values(&inner);
        Ok(Graph { inner, values })
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

    /// A list schedule with short lifetimes, its bound and the restarts made; `registers` limits values by register class.
    #[pyo3(signature = (resources, restarts, seed, registers = Vec::new()))]
    fn list_schedule(
        &self,
        py: Python<'_>,
        resources: &str,
        restarts: u32,
        seed: u64,
        registers: Vec<(u16, u32)>,
    ) -> PyResult<String> {
        let resources = self.on(py, resources)?;
        let options = List { restarts, seed };
        let limits: Vec<Limit> = registers.into_iter().map(|(kind, registers)| Limit { kind, registers }).collect();
        let found = py.detach(|| match limits.is_empty() {
            true => {
                let found = list(&self.inner, &resources, &options);
                let schedule = shortened(&self.inner, &resources, &found.schedule, &self.values, None);
                Outcome { schedule, ..found }
            }
            false => list_within(&self.inner, &resources, &self.values, &limits, &options),
        });
        Ok(json!({"schedule": found.schedule, "bound": found.bound, "restarts": found.restarts}).to_string())
    }

    /// A software pipeline with its bound and stages; `branch` issues in the last cycle of an interval.
    #[pyo3(signature = (resources, attempts, seed, branch = None))]
    fn modulo_schedule(
        &self,
        py: Python<'_>,
        resources: &str,
        attempts: u32,
        seed: u64,
        branch: Option<u32>,
    ) -> PyResult<String> {
        let resources = self.on(py, resources)?;
        let options = Modulo { attempts, seed, branch };
        let found = py.detach(|| modulo(&self.inner, &resources, &self.values, &options));
        Ok(json!({"schedule": found.schedule, "bound": found.bound, "stages": found.stages}).to_string())
    }

    /// The same schedule with operations moved so that values live shorter.
    #[pyo3(signature = (resources, schedule, branch = None))]
    fn shortened(&self, py: Python<'_>, resources: &str, schedule: &str, branch: Option<u32>) -> PyResult<String> {
        let (resources, schedule) = (self.on(py, resources)?, self.checked(py, resources, schedule)?);
        let shorter = py.detach(|| shortened(&self.inner, &resources, &schedule, &self.values, branch));
        Ok(json!(shorter).to_string())
    }

    /// The most values of a register class that live at once.
    fn pressure(&self, py: Python<'_>, schedule: &str, register_class: u16) -> PyResult<u32> {
        let schedule: Schedule = parsed(py, "schedule", schedule)?;
        if schedule.cycles.len() != self.inner.classes.len() {
            let message = format!(
                "the schedule has {} cycles for {} operations",
                schedule.cycles.len(),
                self.inner.classes.len()
            );
            return Err(raise(py, Class::Verification, &Diagnostic::new("M310", message)));
        }
        Ok(pressure(&schedule, &self.values, register_class))
    }

    /// Checks a schedule: its edges and the caps of every cycle.
    fn check(&self, py: Python<'_>, resources: &str, schedule: &str) -> PyResult<()> {
        self.checked(py, resources, schedule).map(|_| ())
    }
}

/// Adds what this file binds.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Graph>()
}
