//! x86-32, as Python sees it: functions as parts whose steps want an order and registers.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use processor::micro_ops::fit::{Fitter, PlacedInstruction};
use processor::micro_ops::search::improve;
use processor::micro_ops::Model;
use processor::x86::decode::Table;
use processor::x86::function::{selected, Objects, SelectedFunction};
use processor::x86::steps::{identity, REPEATED};
use program::Diagnostic;
use pyo3::prelude::*;

use crate::errors::{raise, usage, Class};
use crate::program::Program;
use crate::schedule::parsed;

/// Moves between two looks at signals.
const CHUNK: usize = 512;

/// Instructions by form, each with its micro-operations; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct X86Forms {
    pub table: Table,
}

#[pymethods]
impl X86Forms {
    /// From the text of a file.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<X86Forms> {
        let table = Table::parse(text).map_err(|message| {
            let message = format!("the instructions of x86-32 cannot be read: {message}");
            raise(py, Class::Description, &Diagnostic::new("M305", message))
        })?;
        Ok(X86Forms { table })
    }
}

/// A function as parts before their steps have an order; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct X86Function {
    inner: Arc<SelectedFunction>,
}

type Place = (String, i64);

/// Lines, the places of each, bytes.
type PlacedText = (Vec<String>, Vec<Vec<(u16, u32)>>, u32);

#[pymethods]
impl X86Function {
    /// Selects a function of a program.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // One per kind of object, as Python passes them.
    fn select(
        py: Python<'_>,
        program: &Program,
        function: &str,
        parameters: Vec<Place>,
        results: Vec<Place>,
        tables: Vec<Place>,
        work: &str,
        words: usize,
    ) -> PyResult<X86Function> {
        let Some(found) = program.inner.functions.iter().find(|one| one.name == function) else {
            return Err(usage(py, "X005", format!("the program has no function `{function}`"), String::new()));
        };
        let counts = (parameters.len(), results.len(), tables.len());
        let wanted = (found.params.len(), found.results.len(), program.inner.tables.len());
        if counts != wanted {
            let message = format!("places of {counts:?} parameters, results and tables are given, not of {wanted:?}");
            return Err(usage(py, "X006", message, String::new()));
        }
        let places = |list: Vec<Place>| list.into_iter().map(|(symbol, at)| (symbol.into(), at)).collect();
        let objects = Objects {
            parameters: places(parameters),
            results: places(results),
            tables: places(tables),
            work: work.into(),
        };
        let inner = py.detach(|| selected(&program.inner, found, &objects, words));
        Ok(X86Function { inner: Arc::new(inner.map_err(|error| raise(py, Class::Description, &error))?) })
    }

    /// Whether it is one part without loops.
    #[getter]
    fn straight(&self) -> bool {
        self.inner.is_straight()
    }

    /// Bytes of arrays and words between parts.
    #[getter]
    fn work(&self) -> i64 {
        self.inner.work
    }

    /// The numbers of the tables that it looks up.
    #[getter]
    fn tables(&self) -> Vec<usize> {
        self.inner.tables.clone()
    }

    /// The parts in the order of the text.
    fn parts(&self) -> Vec<X86Part> {
        (0..self.inner.parts.len()).map(|number| X86Part { of: self.inner.clone(), number }).collect()
    }

    /// The lines of the text, of each the places that it comes from (file and line, innermost first), and the bytes of
    /// spilled values.
    fn text(&self, placed: Vec<PyRef<'_, X86Allocation>>, spill: &str, label: &str) -> PlacedText {
        let written = self.inner.parts.iter().zip(&placed).map(|(part, one)| part.steps.written(&one.inner, spill));
        let (items, spilled): (Vec<_>, Vec<u32>) = written.unzip();
        let lines = self.inner.code(&items, label);
        let texts = lines.iter().map(|line| line.item.to_string()).collect();
        let places = lines.iter().map(|line| line.places.iter().map(|place| (place.file, place.line)).collect());
        (texts, places.collect(), spilled.into_iter().max().unwrap_or(0))
    }
}

/// Straight-line code of a function; never changes. Equal ones are the same part of the same selection.
#[pyclass(frozen, eq, hash, module = "cipherassay._engine")]
pub struct X86Part {
    of: Arc<SelectedFunction>,
    number: usize,
}

impl PartialEq for X86Part {
    fn eq(&self, other: &X86Part) -> bool {
        Arc::ptr_eq(&self.of, &other.of) && self.number == other.number
    }
}

impl Hash for X86Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.of), self.number).hash(state);
    }
}

#[pymethods]
impl X86Part {
    /// How often it runs.
    #[getter]
    fn runs(&self) -> i64 {
        self.of.parts[self.number].runs
    }

    /// How many iterations cycles are counted for: more than one if it is the whole body of a loop.
    #[getter]
    fn iterations(&self) -> u32 {
        if self.of.parts[self.number].body().is_some() {
            REPEATED
        } else {
            1
        }
    }

    /// Its steps on a processor.
    fn steps(&self, py: Python<'_>, forms: &X86Forms, limits: &str, load: u32) -> PyResult<X86Steps> {
        let part = &self.of.parts[self.number];
        let model: Model = parsed(py, "processor", limits)?;
        let problem = part.steps.problem(&forms.table, load, part.body());
        let problem = problem.map_err(|error| raise(py, Class::Description, &error))?;
        Ok(X86Steps {
            of: self.of.clone(),
            number: self.number,
            identity: identity(&problem),
            fitter: Fitter::new(problem),
            model,
        })
    }
}

/// Steps that want an order and registers; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct X86Steps {
    of: Arc<SelectedFunction>,
    number: usize,
    fitter: Fitter,
    model: Model,
    #[pyo3(get)]
    identity: String,
}

#[pymethods]
impl X86Steps {
    /// Whether an order has each step once, and keeps what comes first.
    fn allows(&self, order: Vec<i64>) -> bool {
        let problem = self.fitter.problem();
        let mut place = vec![usize::MAX; problem.steps.len()];
        for (at, &step) in order.iter().enumerate() {
            match usize::try_from(step).ok().and_then(|step| place.get_mut(step)) {
                Some(unset) if *unset == usize::MAX => *unset = at,
                _ => return false,
            }
        }
        order.len() == place.len() && problem.before.iter().all(|&(a, b)| place[a as usize] < place[b as usize])
    }

    /// An order in which few values are alive.
    fn greedy(&self, py: Python<'_>) -> Vec<u32> {
        py.detach(|| self.of.parts[self.number].steps.greedy())
    }

    /// The instructions of an order.
    fn fit(&self, py: Python<'_>, order: Vec<u32>) -> X86Allocation {
        py.detach(|| {
            let inner = self.fitter.fit(&order);
            let (cycles, operations) = self.fitter.cycles(&inner, &self.model);
            X86Allocation { inner, cycles, operations }
        })
    }

    /// Searches an order of fewer cycles.
    fn improve(&self, py: Python<'_>, order: Vec<u32>, moves: usize, reach: usize, seed: u64) -> PyResult<Vec<u32>> {
        let (mut found, mut left, mut part) = (order, moves, 0);
        loop {
            let now = left.min(CHUNK);
            found = py.detach(|| improve(&self.fitter, &self.model, &found, now, reach, seed.wrapping_add(part)).0);
            py.check_signals()?;
            if left == now {
                return Ok(found);
            }
            (left, part) = (left - now, part + 1);
        }
    }
}

/// Instructions with registers; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct X86Allocation {
    inner: Vec<PlacedInstruction>,
    #[pyo3(get)]
    cycles: u64,
    #[pyo3(get)]
    operations: u64,
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<X86Forms>()?;
    module.add_class::<X86Function>()?;
    module.add_class::<X86Part>()?;
    module.add_class::<X86Steps>()?;
    module.add_class::<X86Allocation>()
}
