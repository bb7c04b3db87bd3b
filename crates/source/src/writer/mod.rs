//! What all source-code back ends share: one function of a program as one function of the language, its arrays, loops, memory,
//! and the file around it. What differs between languages is behind [`language::Language`].

pub mod api;
mod arrays;
mod edges;
pub mod expr;
mod facts;
pub mod function;
pub mod helpers;
mod index;
pub mod language;
mod loops;
mod memory;
pub mod names;
mod operations;
mod stores;
pub mod unit;
pub mod words;
