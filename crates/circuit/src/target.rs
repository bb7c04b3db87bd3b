//! Targets: which operations exist, what each costs, and what runs them.

use serde::Deserialize;

use crate::fault::Fault;
use crate::function::Function;

/// An operation of a target.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its name, the same in target, processor and technology files.
    pub name: String,
    /// Number of operands, 1 to 4.
    pub arity: u8,
    /// Truth table (bit `a0 + 2 a1 + …`); absent: every function of `arity` operands.
    #[serde(default)]
    pub table: Option<u16>,
    /// Cycles from operands to result, or levels of depth.
    #[serde(default = "one")]
    pub latency: u32,
    /// Area of a cell in square micrometres, or 1 for an instruction or gate.
    #[serde(default = "unit")]
    pub size: f64,
}

fn one() -> u32 {
    1
}

fn unit() -> f64 {
    1.0
}

impl Operation {
    /// Whether it computes the function with its operands in this order.
    #[must_use]
    pub fn computes(&self, function: Function) -> bool {
        self.arity == function.arity && self.table.map_or(true, |table| table == function.table)
    }
}

/// A gate set or a machine.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name as the command line has it: `two-input`, `cells:osu050`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The operations.
    pub operations: Vec<Operation>,
    /// Operations begun in one cycle; absent: as many as are ready.
    #[serde(default)]
    pub issue_width: Option<u32>,
    /// Registers; absent: as many as are needed.
    #[serde(default)]
    pub registers: Option<u32>,
    /// Whether the result replaces the first operand, so that keeping it needs a move.
    #[serde(default)]
    pub two_operand: bool,
    /// Metrics to make small, the most important first.
    pub objective: Vec<String>,
}

impl Target {
    /// Reads a target from JSON.
    ///
    /// # Errors
    /// `C217` for what is no target.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        serde_json::from_str(text).map_err(|e| Fault::new("C217", format!("the target cannot be read: {e}")))
    }

    /// The operation that computes a function, the smallest if several do; operand order as given.
    #[must_use]
    pub fn operation(&self, function: Function) -> Option<&Operation> {
        let fitting = self.operations.iter().filter(|o| o.computes(function));
        fitting.min_by(|a, b| a.size.total_cmp(&b.size).then(a.latency.cmp(&b.latency)))
    }

    /// Whether a function is available.
    #[must_use]
    pub fn has(&self, function: Function) -> bool {
        self.operation(function).is_some()
    }
}
