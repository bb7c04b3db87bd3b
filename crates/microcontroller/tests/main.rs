//! Instruction sets, selection, orders and registers of small processors.
//!
//! One program, since each takes a while to build: a new file is named here.

mod budget;
mod common;
mod functions;
mod matrices;
mod orders;
mod records;
mod registers;
mod slots;
mod sums;
mod tidying;
