//! The simulators on texts written by hand: results, cycles counted by hand, every kind of stall, errors to the letter.

mod common;
mod distribution;
mod errors;
mod ia64;
mod loops;
mod pa_risc;
mod superscalar;
