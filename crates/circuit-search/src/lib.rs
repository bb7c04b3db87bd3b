//! Searches of circuits of S-boxes and of linear layers, and proofs of bounds.
//!
//! What a search gives is checked by crate `circuit`, which knows nothing of searches. What a search answers depends on
//! its problem and the number of the unit of work only.

pub mod closure;
pub mod engines;
pub mod equivalence;
pub mod exchange;
pub mod exhaust;
pub mod json;
pub mod linear;
pub mod normal;
#[cfg(feature = "sat")]
#[allow(unsafe_code)]
pub mod solver;
pub mod synthesis;
