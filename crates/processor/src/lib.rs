//! Processors: models from files, selection of instructions, bounds and schedules, registers, assembly, simulators.
//!
//! The way of a kernel: a program (crate `program`) is selected into [`code::Code`], whose [`graph::Graph`] is
//! scheduled; registers are allocated, assembly text is written. Checkers and simulators start from that text or from the
//! graph alone; they share nothing with what they check but the model of the processor.

pub mod allocate;
pub mod assembly;
pub mod bounds;
pub mod check;
pub mod code;
pub mod dependences;
pub mod graph;
pub mod isa;
pub mod kernel;
pub mod micro_ops;
pub mod model;
#[cfg(test)]
mod samples;
pub mod schedule;
pub mod select;
pub mod semantics;
pub mod simulate;
pub mod x86;
