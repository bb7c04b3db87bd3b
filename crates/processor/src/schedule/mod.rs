//! Schedulers: list scheduling with restarts for straight-line code, modulo scheduling for loops, and the lifetimes of values.

pub mod lifetimes;
mod list;
mod modulo;
mod pressure;
mod profile;
mod serial;
mod table;
#[cfg(test)]
mod tests;
mod uses;

pub use lifetimes::Lifetime;
pub use list::{list, list_in_order, List, Outcome};
pub use modulo::{modulo, Modulo, Pipeline};
pub use pressure::{excess, list_within, Limit, UnlimitedSchedule};
pub use profile::Profile;
