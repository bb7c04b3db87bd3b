//! The text form of a program: `docs/program.md` holds the grammar.

pub mod words;
