//! Exact synthesis: a question about circuits as clauses, and a model of the clauses as a circuit.

pub mod ands;
pub mod cnf;
pub mod gate_set;
pub mod gates;
pub mod goal;
mod question;

pub use question::{Outcome, Question};
