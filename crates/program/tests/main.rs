//! The program: text, verifier, evaluator, passes.
//!
//! One program, since each takes a while to build: a new file is named here.

mod algebra;
mod byte_orders;
mod common;
mod evaluate;
mod machine_words;
mod merge_lookups;
mod nibbles;
mod pack;
mod passes;
mod properties;
mod structure;
mod text;
mod verify;
mod widen_words;
