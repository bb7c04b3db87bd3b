//! The program of a cipher: what a description compiles into, and what every back end reads.

pub mod builder;
pub mod diagnostic;
pub mod evaluate;
pub mod generate;
pub mod indices;
pub mod ir;
pub mod passes;
pub mod places;
pub mod roles;
pub mod round_keys;
pub mod semantics;
pub mod statistics;
pub mod text;
pub mod verify;
pub mod walk;

pub use diagnostic::Diagnostic;
pub use text::parse;
pub use verify::verify;
