//! Hardware: a cipher's functions as clocked steps, architectures made of them, and designs that are simulated and written as RTL.

pub mod architecture;
pub mod design;
pub mod logic;
pub mod merge;
pub mod padding;
pub mod sequence;
pub mod write;
