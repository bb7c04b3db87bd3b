//! Tower fields.
pub mod bilinear;
pub mod equivalence;
pub mod field;
