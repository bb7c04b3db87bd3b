//! Programs of words that hold several bytes: exclusive ors, rotations, shifts, masks, doublings in a field.
//!
//! [`fewest`] exhausts sets of operations, [`cycles`] exhausts what a machine can issue cycle by cycle. The order of the
//! bytes in the words is that of the matrix, or free: any bytes at any place, of the operands and of the results.

mod arrange;
mod cycles;
mod fewest;
mod goal;
mod same;
mod search;
mod space;
mod word;

pub use arrange::{arrangements, Arrangement};
pub use search::{search, Aim, Effort, Outcome, Problem};
pub use space::{Machine, Operation, Step};

#[cfg(test)]
mod tests;
