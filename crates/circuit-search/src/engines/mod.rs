//! Search engines, one file or folder each.
//!
//! A search is a list of units of work. A unit's result depends only on the problem and the unit's number, so that
//! units run in any order, on many cores or machines, and a search goes on where it stopped: what is kept is the list
//! of finished units and the best circuit. Every circuit that an engine returns is checked and measured by code that
//! is not the engine's.

pub mod beam;
mod cells;
mod exhaustion;
#[cfg(feature = "sat")]
mod few_ands;
mod registers;
#[cfg(feature = "sat")]
mod sat;
pub mod schedule;
mod split;
pub mod tower;

use circuit::circuit::Circuit;
use circuit::problem::{Metric, Problem};

/// Asked and told while a unit runs; both may be called from several threads.
pub struct Control<'a> {
    /// Whether to stop now; an engine asks at least ten times a second and returns what it has.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
    /// Tells how far the unit is, in one line (`level 7 of 13, 20000 states`).
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// What is known to be impossible.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The metric.
    pub metric: Metric,
    /// No circuit of the target has less.
    pub value: f64,
    /// How it is known: `exhausted`, `closure`, `unsatisfiable` …
    pub kind: &'static str,
}

/// What a unit found.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Circuits worth measuring, in any order; they need not be for the target's operand order.
    pub circuits: Vec<Circuit>,
    /// Lower bounds that the unit proved.
    pub bounds: Vec<Bound>,
    /// What was done, for the record: `beam, width 20000, seed 1`.
    pub effort: String,
    /// False if it was stopped before its end: the unit is then not counted as finished.
    pub finished: bool,
}

/// A way to search.
pub trait Engine: Sync + Send {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn description(&self) -> &'static str;

    /// How many units it has for a problem; 0 if it cannot serve it. `u64::MAX`: as many as there are seeds.
    fn units(&self, problem: &Problem) -> u64;

    /// Runs one unit, on one thread.
    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step;
}

/// Every engine, in the order in which they are tried.
#[must_use]
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(beam::Sets),
        Box::new(split::Split),
        Box::new(registers::Registers),
        Box::new(schedule::Schedule),
        Box::new(cells::CellArea),
        #[cfg(feature = "sat")]
        Box::new(few_ands::FewAnds),
        #[cfg(feature = "sat")]
        Box::new(sat::Sat),
        Box::new(tower::Tower),
        Box::new(exhaustion::ExhaustiveSearch),
    ]
}
