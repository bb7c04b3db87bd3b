//! A panic of the engine: where it happened, no text of its own on standard error, and its way between processes.

use std::sync::{Mutex, PoisonError};

use pyo3::panic::PanicException;
use pyo3::prelude::*;

/// File and line of the last panic.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// File and line of the engine's last panic, if there was one.
#[pyfunction]
fn last_panic() -> Option<String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Panics, for the tests of how a panic is reported.
#[pyfunction]
fn panic_for_test(message: &str) {
    panic!("{message}");
}

/// How a panic is pickled: as an exception of the package, since no process can import the class of the panic.
#[pyfunction]
fn reduce_panic<'py>(py: Python<'py>, panic: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
    let place = last_panic().map_or(String::new(), |place| format!(" ({place})"));
    Ok((py.import("cipherassay.errors")?.getattr("EnginePanic")?, (format!("{}{place}", panic.str()?),)))
}

/// Adds what this part has. The message of Rust's own is printed only with `ASSAY_DEBUG`.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let standard = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = place;
        if std::env::var_os("ASSAY_DEBUG").is_some_and(|value| !value.is_empty()) {
            standard(panic);
        }
    }));
    let reduce = wrap_pyfunction!(reduce_panic, module)?;
    let py = module.py();
    py.import("copyreg")?.call_method1("pickle", (py.get_type::<PanicException>(), reduce))?;
    module.add("PanicException", py.get_type::<PanicException>())?;
    module.add_function(wrap_pyfunction!(last_panic, module)?)?;
    module.add_function(wrap_pyfunction!(panic_for_test, module)?)
}
