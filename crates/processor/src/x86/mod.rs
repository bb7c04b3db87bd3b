//! x86-32: two operands, seven registers, bytes within registers, memory operands.
//!
//! The way of a function: [`function`] splits it into parts ([`regions`]), each a graph of 32-bit values ([`straight`],
//! [`region`]), of which [`select`] makes steps; [`crate::micro_ops`] gives these an order and registers; text is written
//! from typed instructions ([`instruction`], [`code`]). What checks a kernel starts from the text again: [`parse`],
//! [`length`], [`decode`], [`execute`].

mod build;
pub mod code;
mod counters;
pub mod decode;
pub mod execute;
pub mod function;
mod graph;
pub mod instruction;
pub mod length;
mod order;
pub mod parse;
mod region;
mod regions;
mod select;
pub mod steps;
mod straight;
mod sums;
#[cfg(test)]
mod tests;
