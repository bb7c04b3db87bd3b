//! Code within a budget of RAM: candidates of it, each with functions, objects in RAM and tables.
//!
//! [`program::round_keys`] knows the orders in which key schedule and operations can run. [`Candidates`] chooses those that
//! are worth code, splits them into bytes, and a [`builder`] lays out memory and makes functions. What a processor brings is a
//! record of its file, [`BudgetRecord`]. Which candidate is the fastest is not known here: it runs in a simulator that shares
//! no code with this.

mod builder;
mod candidates;
mod record;
mod text;

pub use candidates::{Candidate, Candidates, Passes};
pub use record::BudgetRecord;
pub use text::{Placement, Text};
