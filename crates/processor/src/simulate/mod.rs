//! Simulators of assembly text: they start from the text alone and share nothing with what wrote it but the model.
//!
//! A text is read by the assembly templates of the instruction set ([`reader`]), run by the semantics of its instructions
//! ([`execute`]), and timed: in order with a scoreboard, by the
//! groups of the text ([`in_order`]) or as the operations come ([`superscalar`]), or out of order ([`out_of_order`]).

pub mod cache;
pub mod events;
pub mod execute;
pub mod in_order;
pub mod issue;
pub mod latencies;
pub mod launch;
pub mod listing;
mod machine;
pub mod out_of_order;
pub mod reader;
pub mod slots;
pub mod state;
pub mod superscalar;

pub use events::{Blocker, Event, Run, Stalls};
pub use machine::{Machine, Options, Variation};
