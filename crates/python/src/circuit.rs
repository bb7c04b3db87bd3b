//! Circuits: text form, check, metrics and search engines, as Python sees them; structures cross the border as JSON.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use circuit::{fit, metrics, text, Fault, SBox, Target};
use circuit_search::engines::tower::equivalence::Inversion;
use circuit_search::engines::{self, Control, Engine};
use circuit_search::{equivalence, json};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{json, Value};

/// The name that stands for the file where the caller gave none.
const CIRCUIT_TEXT: &str = "circuit text";

/// The exception for a fault; `source` is the text that it speaks of, with its file's name.
pub fn raise(py: Python<'_>, fault: &Fault, source: Option<(&str, &str)>) -> PyErr {
    exception(py, fault, source).unwrap_or_else(|error| error)
}

fn exception(py: Python<'_>, fault: &Fault, source: Option<(&str, &str)>) -> PyResult<PyErr> {
    let module = py.import("cipherassay.errors")?;
    let mut places = Vec::new();
    if let Some((file, text)) = source.filter(|_| fault.line > 0) {
        let line = text.lines().nth(fault.line as usize - 1).unwrap_or("");
        places.push(module.getattr("Place")?.call1((file, fault.line, py.None(), line))?);
    }
    let class = match fault.code {
        "C103" | "C104" | "C107" => "VerificationError",
        "C202" | "C302" | "C303" | "C310" | "C311" | "C318" | "C319" | "C323" | "C401" | "C402" | "C404" | "C406" => {
            "UsageError"
        }
        _ => "DescriptionError",
    };
    let named = PyDict::new(py);
    named.set_item("places", places)?;
    named.set_item("notes", &fault.notes)?;
    named.set_item("help", &fault.help)?;
    let value = module.getattr(class)?.call((fault.code, &fault.message), Some(&named))?;
    Ok(PyErr::from_value(value))
}

fn target_of(json: Option<&str>) -> Result<Option<Target>, Fault> {
    json.map(Target::from_json).transpose()
}

fn sbox_of(table: Option<Vec<u8>>, outputs: Option<u8>) -> Result<Option<SBox>, Fault> {
    let Some(data) = table else { return Ok(None) };
    let needed = data.iter().map(|y| 8 - y.leading_zeros()).max().unwrap_or(0).max(1) as u8;
    SBox::new(outputs.unwrap_or(needed), data).map(Some)
}

/// Images of unit vectors under the inner map, what is added there, images under the outer map, what is added there.
type Maps = (Vec<usize>, u8, Vec<usize>, u8);

fn maps(before: &[u8], inner: u8, after: &[u8], outer: u8) -> Maps {
    let wide = |map: &[u8]| map.iter().map(|&y| usize::from(y)).collect();
    (wide(before), inner, wide(after), outer)
}

/// The affine maps between which a permutation is another, of 3 to 6 bits; `None` if there are none.
#[pyfunction]
fn circuit_equivalence(py: Python<'_>, first: Vec<u8>, second: Vec<u8>) -> Option<Maps> {
    let found = py.detach(|| equivalence::affine(&first, &second))?;
    Some(maps(&found.before, found.inner, &found.after, found.outer))
}

/// The affine maps between which a box of 8 bits is inversion in GF(2)[x] modulo x^8 + x^4 + x^3 + x + 1, 0 going to 0.
#[pyfunction]
fn circuit_inversion(py: Python<'_>, table: Vec<u8>) -> Option<Maps> {
    let found = py.detach(|| Inversion::of(&SBox::new(8, table).ok()?))?;
    Some(maps(&found.before, found.inner, &found.after, found.outer))
}

/// The circuits of a text as a JSON list: `name`, `fields`, `equations`, `names`, `circuit`.
#[pyfunction]
#[pyo3(signature = (source, target = None, table = None, outputs = None, file = CIRCUIT_TEXT))]
fn circuit_read(
    py: Python<'_>,
    source: &str,
    target: Option<&str>,
    table: Option<Vec<u8>>,
    outputs: Option<u8>,
    file: &str,
) -> PyResult<String> {
    let read = || {
        let (target, sbox) = (target_of(target)?, sbox_of(table, outputs)?);
        text::parse(source, target.as_ref(), sbox.as_ref())
    };
    let documents = read().map_err(|f| raise(py, &f, Some((file, source))))?;
    Ok(Value::from(documents.iter().map(json::document_to_value).collect::<Vec<_>>()).to_string())
}

/// The text of one circuit from its JSON; without `equations`, ones are written for its gates.
#[pyfunction]
#[pyo3(signature = (document, target = None))]
fn circuit_write(py: Python<'_>, document: &str, target: Option<&str>) -> PyResult<String> {
    let write = || json::document_from_json(document, target_of(target)?.as_ref());
    write().map(|d| d.to_string()).map_err(|f| raise(py, &f, None))
}

/// Checks every circuit of a text against a box, or against its own line `table`.
#[pyfunction]
#[pyo3(signature = (source, table = None, outputs = None, target = None, file = CIRCUIT_TEXT))]
fn circuit_check(
    py: Python<'_>,
    source: &str,
    table: Option<Vec<u8>>,
    outputs: Option<u8>,
    target: Option<&str>,
    file: &str,
) -> PyResult<()> {
    let check = || -> Result<(), Fault> {
        let (target, sbox) = (target_of(target)?, sbox_of(table, outputs)?);
        for document in text::parse(source, target.as_ref(), sbox.as_ref())? {
            let own = document.sbox()?;
            let Some(sbox) = sbox.as_ref().or(own.as_ref()) else {
                let message = format!("there is no table to check the circuit {} against", document.name);
                return Err(Fault::new("C105", message).help("add a line `table 3 8 15 …`"));
            };
            document.circuit.check(sbox).map_err(|f| f.note(format!("circuit {} of {file}", document.name)))?;
        }
        Ok(())
    };
    check().map_err(|f| raise(py, &f, Some((file, source))))
}

/// The only circuit of a text, and its target.
fn one(source: &str, target: &str) -> Result<(text::Document, Target), Fault> {
    let target = Target::from_json(target)?;
    let mut documents = text::parse(source, Some(&target), None)?;
    match documents.len() {
        1 => Ok((documents.remove(0), target)),
        count => Err(Fault::new("C014", format!("the text holds {count} circuits where one is expected"))),
    }
}

/// Every figure of a circuit on a target as a JSON object: name and number.
#[pyfunction]
fn circuit_metrics(py: Python<'_>, source: &str, target: &str) -> PyResult<String> {
    let measured = || one(source, target).and_then(|(d, t)| metrics::measure_document(&d, &t));
    let measured = py.detach(measured).map_err(|f| raise(py, &f, Some((CIRCUIT_TEXT, source))))?;
    Ok(json!(measured.values).to_string())
}

/// What must be said of the figures of `circuit_metrics`: where one is not proved, or is absent, and why.
#[pyfunction]
fn circuit_remarks(py: Python<'_>, source: &str, target: &str) -> PyResult<Vec<String>> {
    let measured = || one(source, target).and_then(|(d, t)| metrics::measure_document(&d, &t));
    Ok(py.detach(measured).map_err(|f| raise(py, &f, Some((CIRCUIT_TEXT, source))))?.remarks)
}

/// The text of a circuit in the operations of a target, complements taken in; `rebuild`: chains as trees.
#[pyfunction]
#[pyo3(signature = (source, target, rebuild = false))]
fn circuit_fit(py: Python<'_>, source: &str, target: &str, rebuild: bool) -> PyResult<String> {
    let fitted = || {
        let (document, target) = one(source, target)?;
        let fitted = fit::fitted(&document.circuit, &target)?;
        let circuit = if rebuild { fit::rebuilt(&fitted, &target) } else { fitted };
        let mut fields = document.fields.clone();
        fields.retain(|(key, _)| !["inputs", "outputs", "registers"].contains(&key.as_str()));
        text::Document::new(&document.name, fields, &circuit, Some(&target))
    };
    fitted().map(|d| d.to_string()).map_err(|f| raise(py, &f, Some((CIRCUIT_TEXT, source))))
}

/// The engines as a JSON list: `name`, `description`.
#[pyfunction]
fn circuit_engines() -> String {
    let describe = |e: Box<dyn Engine>| json!({"name": e.name(), "description": e.description()});
    Value::from(engines::all().into_iter().map(describe).collect::<Vec<_>>()).to_string()
}

fn engine_named(name: &str) -> Result<Box<dyn Engine>, Fault> {
    let names: Vec<&str> = engines::all().iter().map(|e| e.name()).collect();
    engines::all().into_iter().find(|e| e.name() == name).ok_or_else(|| {
        Fault::new("C302", format!("there is no search engine `{name}`")).help(text::nearest(name, names))
    })
}

/// How many units of work an engine has for a problem.
#[pyfunction]
fn circuit_units(py: Python<'_>, problem: &str, engine: &str) -> PyResult<u64> {
    let units = || Ok(engine_named(engine)?.units(&json::problem_from_json(problem)?));
    units().map_err(|f| raise(py, &f, None))
}

/// Asks Python whether to stop: at each line of progress, and otherwise ten times a second.
pub struct Listener {
    callback: Py<PyAny>,
    stop: AtomicBool,
    asked: Mutex<Instant>,
    failure: Mutex<Option<PyErr>>,
}

impl Listener {
    /// Listens to a callback.
    pub fn new(callback: Py<PyAny>) -> Self {
        let (asked, failure) = (Mutex::new(Instant::now()), Mutex::new(None));
        Listener { callback, stop: AtomicBool::new(false), asked, failure }
    }

    /// Passes a line on.
    pub fn tell(&self, line: &str) {
        let answer = Python::attach(|py| {
            py.check_signals()?;
            self.callback.call1(py, (line,))?.is_truthy(py)
        });
        match answer {
            Ok(false) => return,
            Ok(true) => {}
            Err(error) => *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
        }
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn stopped(&self) -> bool {
        if !self.stop.load(Ordering::Relaxed) {
            // One thread asks; the others go on.
            let due = self.asked.try_lock().is_ok_and(|mut asked| {
                let due = asked.elapsed() >= Duration::from_millis(100);
                if due {
                    *asked = Instant::now();
                }
                due
            });
            if due {
                self.tell("");
            }
        }
        self.stop.load(Ordering::Relaxed)
    }

    /// Raises what the callback raised.
    pub fn finish(self) -> PyResult<()> {
        let failure = self.failure.into_inner().map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        failure.map_or(Ok(()), Err)
    }
}

/// Runs one unit of an engine: `circuits`, `bounds`, `effort`, `finished` as JSON.
///
/// `callback` gets a line of progress, or an empty one, and returns whether to stop; what it raises ends the unit and
/// is raised.
#[pyfunction]
fn circuit_unit(py: Python<'_>, problem: &str, engine: &str, unit: u64, callback: Py<PyAny>) -> PyResult<String> {
    let prepared = || Ok((engine_named(engine)?, json::problem_from_json(problem)?));
    let (engine, problem) = prepared().map_err(|f: Fault| raise(py, &f, None))?;
    let units = engine.units(&problem);
    if unit >= units {
        let message = format!("the engine {} has no unit {unit} for this problem", engine.name());
        return Err(raise(py, &Fault::new("C303", message).note(format!("units: {units}")), None));
    }
    let listener = Listener::new(callback);
    let step = py.detach(|| {
        let control = Control { stopped: &|| listener.stopped(), progress: &|line: &str| listener.tell(line) };
        engine.run(&problem, unit, &control)
    });
    listener.finish()?;
    Ok(json::step_to_value(&step).to_string())
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(circuit_read, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_write, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_check, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_remarks, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_fit, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_equivalence, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_inversion, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_engines, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_units, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_unit, module)?)
}
