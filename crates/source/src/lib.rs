//! Source-code back ends: readable, dependency-free C and Java, and what can be said about it beforehand.

pub mod c;
pub mod constant_time;
pub mod java;
pub mod writer;
