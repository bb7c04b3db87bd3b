//! Python bindings of the engine; no logic.
//!
//! One file per part, each with a `register` function; a further block of methods of `Program` is another `#[pymethods]` block in its part's file.

mod budget;
mod circuit;
mod circuit_emit;
mod circuit_exhaust;
mod circuit_linear;
#[cfg(feature = "sat")]
mod circuit_proof;
mod digests;
mod errors;
mod evaluation;
mod kernel;
mod layout;
mod microcontroller;
mod mirror;
mod panics;
mod processor;
mod program;
mod round_keys;
mod rtl;
mod schedule;
mod simulate;
mod source;
mod x86;
mod x86_text;

use pyo3::prelude::*;

/// The engine: programs, their evaluation, passes and source code.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    panics::register(module)?;
    digests::register(module)?;
    program::register(module)?;
    budget::register(module)?;
    round_keys::register(module)?;
    processor::register(module)?;
    kernel::register(module)?;
    schedule::register(module)?;
    simulate::register(module)?;
    microcontroller::register(module)?;
    x86::register(module)?;
    x86_text::register(module)?;
    rtl::register(module)?;
    evaluation::register(module)?;
    source::register(module)?;
    circuit::register(module)?;
    circuit_emit::register(module)?;
    circuit_exhaust::register(module)?;
    circuit_linear::register(module)?;
    layout::register(module)?;
    #[cfg(feature = "sat")]
    circuit_proof::register(module)?;
    Ok(())
}
