//! Diagnostics of the engine become the error classes of the package.

use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Whose fault an error is; chooses the class.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    /// The caller named something that does not exist.
    Usage,
    /// The program or what was given to it is wrong.
    Description,
    /// What was produced is wrong: an independent check refuses it.
    Verification,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Usage => "UsageError",
            Class::Description => "DescriptionError",
            Class::Verification => "VerificationError",
        }
    }
}

/// The Python exception for a diagnostic.
pub fn raise(py: Python<'_>, class: Class, diagnostic: &Diagnostic) -> PyErr {
    exception(py, class, diagnostic).unwrap_or_else(|error| error)
}

/// A usage error that the bindings themselves find.
pub fn usage(py: Python<'_>, code: &'static str, message: String, help: String) -> PyErr {
    raise(py, Class::Usage, &Diagnostic::new(code, message).help(help))
}

fn exception(py: Python<'_>, class: Class, diagnostic: &Diagnostic) -> PyResult<PyErr> {
    let module = py.import("cipherassay.errors")?;
    let place = module.getattr("Place")?;
    let places: Vec<_> =
        diagnostic.places.iter().map(|p| place.call1((&p.file, p.line, p.column))).collect::<PyResult<_>>()?;
    let named = PyDict::new(py);
    named.set_item("places", places)?;
    named.set_item("notes", &diagnostic.notes)?;
    named.set_item("help", &diagnostic.help)?;
    let value = module.getattr(class.name())?.call((diagnostic.code, &diagnostic.message), Some(&named))?;
    Ok(PyErr::from_value(value))
}
