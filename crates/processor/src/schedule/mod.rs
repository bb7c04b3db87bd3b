//! Schedulers: list scheduling with restarts for straight code.

mod list;
mod serial;
mod table;
#[cfg(test)]
mod tests;

pub use list::{list, List, Outcome};
