//! Source-code back ends: readable, dependency-free C, and what can be said about it beforehand.

pub mod c;
pub mod constant_time;
