//! Checks that clauses are contradictory, from a proof in the LRAT format.
//!
//! A proof lists clauses, each with the numbers of earlier clauses from which it follows: with the new clause's
//! literals all false, the named clauses become units one after the other and the last is violated. Deriving the
//! empty clause shows the contradiction. The check is a few dozen lines on purpose, and this crate shares no code
//! with the one that writes the clauses, nor with the solver that writes the proof, and depends on nothing.
//!
//! Steps that extend the formula (resolution asymmetric tautologies) are not accepted; the solver in use writes none.

pub mod check;
pub mod clause_file;
pub mod drat;
pub mod proof_file;
pub mod trim;

pub use check::{check, ProofStatistics};
pub use clause_file::Formula;

/// Why a formula or a proof is not accepted: one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

fn refuse<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(reason.into()))
}
