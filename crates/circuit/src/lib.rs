//! Boolean circuits of S-boxes: text form, metrics, emission, sums of linear layers.
//!
//! A circuit is a list of gates over earlier wires; a gate is a truth table of up to four operands, so that every
//! target (two-input gates, ternary logic, standard cells, machine instructions) is written in the same way. What a
//! gate costs and whether it exists is the target's matter ([`target::Target`]).

pub mod circuit;
pub mod emit;
pub mod fault;
pub mod fit;
pub mod function;
pub mod linear;
pub mod metrics;
pub mod problem;
pub mod random;
pub mod sbox;
pub mod sequence;
pub mod table;
pub mod target;
pub mod text;

pub use circuit::{Circuit, Gate, Wire};
pub use fault::Fault;
pub use function::Function;
pub use sbox::SBox;
pub use table::Table;
pub use target::Target;
