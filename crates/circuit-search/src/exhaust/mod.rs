//! Exhaustion: whether a box of four inputs has a circuit of so many two-input gates.

pub mod orbits;
pub mod plan;
pub mod state;
pub mod walk;
