//! Models, selection, assembly and simulators of processors.
//!
//! One program, since each takes a while to build: a new file is named here.

mod assembly;
mod boundaries;
mod files;
mod hand;
mod model_errors;
mod models;
mod refused;
mod select;
mod semantics;
mod simulate;
