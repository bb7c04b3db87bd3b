//! Evaluation, traces and operation counts.

use std::sync::PoisonError;

use program::evaluate::{trace, Chain, Evaluator, RecordedValue, Value};
use program::statistics::statistics;
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::errors::{raise, usage, Class};
use crate::program::Program;

/// Codes P203 to P209 are wrong calls, the other errors are the program's.
fn raised(py: Python<'_>, diagnostic: &Diagnostic) -> PyErr {
    let usage = matches!(diagnostic.code, "P203" | "P204" | "P206" | "P207" | "P208" | "P209");
    let class = if usage { Class::Usage } else { Class::Description };
    raise(py, class, diagnostic)
}

/// An `int`, `bytes`, or a sequence of `int`, nested or flat.
fn value(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Value::Array(bytes.as_bytes().iter().map(|&b| b.into()).collect()));
    }
    if let Ok(word) = object.extract::<u64>() {
        return Ok(Value::Word(word));
    }
    let rows = object.extract::<Vec<Vec<u64>>>().map(|rows| rows.concat());
    rows.or_else(|_| object.extract::<Vec<u64>>()).map(Value::Array).map_err(|_| {
        let found = object.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        let message = format!("an argument of type {found} is no value of a program");
        usage(py, "P210", message, "give an int from 0 to 2^64 - 1, bytes, or a list of such ints".to_owned())
    })
}

fn values(py: Python<'_>, objects: &[Bound<'_, PyAny>]) -> PyResult<Vec<Value>> {
    objects.iter().map(|object| value(py, object)).collect()
}

fn object<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Word(word) => Ok(word.into_pyobject(py)?.into_any()),
        Value::Array(words) => words.into_pyobject(py),
    }
}

impl Program {
    /// Runs with the program's evaluator, made when first needed, while Python does other things.
    fn with_evaluator<T: Send>(
        &self,
        py: Python<'_>,
        run: impl Send + FnOnce(&mut Evaluator) -> Result<T, Diagnostic>,
    ) -> PyResult<T> {
        let outcome = py.detach(|| {
            let mut guard = self.evaluator.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *guard {
                Some(evaluator) => run(evaluator),
                empty => run(empty.insert(Evaluator::new(&self.inner)?)),
            }
        });
        outcome.map_err(|d| raised(py, &d))
    }
}

#[pymethods]
impl Program {
    /// Runs a function: one result per result of the function.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        args: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let arguments = values(py, &args)?;
        let results = self.with_evaluator(py, move |e| e.evaluate(function, &arguments))?;
        results.into_iter().map(|value| object(py, value)).collect()
    }

    /// Applies a function to every block of bytes.
    fn run_blocks<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        keys: Vec<Bound<'py, PyAny>>,
        data: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let keys = values(py, &keys)?;
        let output = self.with_evaluator(py, move |e| e.run_blocks(function, &keys, data))?;
        Ok(PyBytes::new(py, &output))
    }

    /// Applies a function over and over: `ecb`, `cbc_encrypt` or `cbc_decrypt`; the last output and the last but one.
    #[allow(clippy::too_many_arguments)]
    fn run_chain<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        keys: Vec<Bound<'py, PyAny>>,
        chain: &str,
        vector: &[u8],
        block: &[u8],
        count: u64,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let keys = values(py, &keys)?;
        let chain = match chain {
            "ecb" => Chain::Plain,
            "cbc_encrypt" => Chain::CbcEncrypt,
            "cbc_decrypt" => Chain::CbcDecrypt,
            other => {
                let help = "known: cbc_decrypt, cbc_encrypt, ecb".to_owned();
                return Err(usage(py, "P211", format!("there is no chain `{other}`"), help));
            }
        };
        let (last, before) =
            self.with_evaluator(py, move |e| e.run_chain(function, &keys, chain, vector, block, count))?;
        Ok((PyBytes::new(py, &last), PyBytes::new(py, &before)))
    }

    /// Every value that the author named, in the order of computation.
    fn trace<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        args: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let arguments = values(py, &args)?;
        let events = trace(&self.inner, function, &arguments).map_err(|d| raised(py, &d))?;
        let place = py.import("cipherassay.errors")?.getattr("Place")?;
        let describe = |event: program::evaluate::Event| {
            let one = PyDict::new(py);
            one.set_item("function", event.function)?;
            one.set_item("name", event.name)?;
            one.set_item("iterations", PyTuple::new(py, event.iterations)?)?;
            match event.value {
                RecordedValue::Word(word) => one.set_item("value", word)?,
                RecordedValue::Array(cells) => one.set_item("value", cells)?,
            }
            let places: PyResult<Vec<_>> =
                event.places.iter().map(|p| place.call1((&p.file, p.line, p.column))).collect();
            one.set_item("places", PyTuple::new(py, places?)?)?;
            Ok(one)
        };
        events.into_iter().map(describe).collect()
    }

    /// Operations by kind: `static` as written, `dynamic` as executed.
    fn statistics<'py>(&self, py: Python<'py>, function: &str) -> PyResult<Bound<'py, PyDict>> {
        let Some(counts) = statistics(&self.inner, function) else {
            let known: Vec<_> = self.inner.functions.iter().map(|f| f.name.as_str()).collect();
            let help = format!("known: {}", known.join(", "));
            return Err(usage(py, "P203", format!("the program has no function `{function}`"), help));
        };
        let all = PyDict::new(py);
        for (kind, count) in counts {
            let one = PyDict::new(py);
            one.set_item("static", count.fixed)?;
            one.set_item("dynamic", count.executed)?;
            all.set_item(kind, one)?;
        }
        Ok(all)
    }
}

/// The text of a random program, with words of given widths if there are any: same seed, same text.
#[pyfunction]
#[pyo3(signature = (seed, size, widths=Vec::new()))]
fn generate(seed: u64, size: usize, widths: Vec<u8>) -> String {
    let made = match widths.as_slice() {
        [] => program::generate::generate(seed, size),
        widths => program::generate::generate_of(seed, size, widths),
    };
    made.to_string()
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(generate, module)?)
}
