//! Boolean circuits of S-boxes: text form, metrics, search, proof.
//!
//! A circuit is a list of gates over earlier wires; a gate is a truth table of up to four operands, so that every
//! target (two-input gates, ternary logic, standard cells, machine instructions) is written in the same way. What a
//! gate costs and whether it exists is the target's matter ([`target::Target`]).

pub mod circuit;
pub mod closure;
pub mod emit;
pub mod engines;
pub mod exchange;
pub mod exhaust;
pub mod fault;
pub mod fit;
pub mod function;
pub mod json;
pub mod linear;
pub mod metrics;
pub mod normal;
pub mod problem;
pub mod random;
pub mod sbox;
pub mod sequence;
#[cfg(feature = "sat")]
#[allow(unsafe_code)]
pub mod solver;
pub mod synthesis;
pub mod table;
pub mod target;
pub mod text;

pub use circuit::{Circuit, Gate, Wire};
pub use fault::Fault;
pub use function::Function;
pub use sbox::SBox;
pub use table::Table;
pub use target::Target;
