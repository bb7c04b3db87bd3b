//! The program of a cipher: what a description compiles into, and what every back end reads.

pub mod ir;
