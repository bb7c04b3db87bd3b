//! An S-box layer with the linear layer behind it, as tables of words: which tables, which order, at what cost.
//!
//! [`find`] takes the layers out of a cipher's program, [`search`] exhausts a space of table layouts and keeps the Pareto
//! front of their costs. [`bits`] finds linear layers of any shape, bit by bit. A layout is a list of [`layout::Step`]s; whoever uses one evaluates the steps anew.

pub mod bits;
pub mod cost;
pub mod find;
pub mod layer;
pub mod layout;
pub mod orders;
pub mod pattern;
mod prepared;
pub mod products;
pub mod search;
pub mod sums;
mod tree;

pub use find::{find, SboxLayer};
pub use layer::Layer;
pub use products::{products, Product};
pub use search::{search, Options, Outcome};
