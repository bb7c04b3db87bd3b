//! Round keys in less memory: orders in which key schedule and operation can run, and functions of these orders.
//!
//! Key schedule and operation are one sequence of events (`events`). On demand, each event comes when something needs it;
//! what repeats becomes a loop again (`repetition`, `writer`, `rewrite`), and arrays keep only the rows that are still read (`storage`).
//! For decryption a recurrence is run to its end and then backwards (`backwards`). Or the key schedule runs again: for each
//! window of round keys (`windows`), or for those that are gone by then (`again`). Events in groups (`groups`) are functions that
//! are called one after the other (`steps`, `step_writer`, `given`, `step_function`).

mod again;
mod backwards;
mod compose;
mod copies;
mod events;
mod given;
mod groups;
mod needs;
mod objects;
mod repetition;
mod rewrite;
mod step_function;
mod step_writer;
mod steps;
mod storage;
mod windows;
mod writer;

use std::collections::BTreeSet;

pub use groups::Cut;
pub use steps::{Call, Memory, Steps};
pub use windows::Fill;

use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Program, Type, ValueId};
use events::{on_demand, EventId, Flow};

/// The events do not go with a form of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsuitable;

/// A program's functions as events, and what can be said of their orders.
#[derive(Debug)]
pub struct RoundKeys {
    program: Program,
    schedule: Flow,
    /// The key schedule without arrays of which its round keys are copies.
    direct: Result<Function, Diagnostic>,
    fill: Option<Fill>,
}

/// Key schedule and operation, or an operation alone, as events in an order.
#[derive(Debug)]
pub struct Order {
    operation: String,
    flow: Flow,
    events: Vec<EventId>,
    /// The operation's first number: those before it are the key schedule's.
    data: usize,
    /// How often the key schedule begins.
    pub runs: u32,
}

impl Order {
    /// The events as one function, what repeats as loops; nothing if their order breaks what arrays hold.
    #[must_use]
    pub fn function(&self) -> Option<Function> {
        writer::function(&self.flow, &self.events, &self.operation)
    }

    /// The events as functions that are called one after the other.
    ///
    /// # Errors
    /// They do not go with this form.
    pub fn steps(&self, cut: Cut) -> Result<Steps, Unsuitable> {
        let groups = groups::by_iterations(&self.flow, &self.events, self.data, cut);
        steps::steps(&self.flow, &groups, &self.operation, None, cut == Cut::Single)
    }
}

impl RoundKeys {
    /// Looks at a program with a key schedule and operations on blocks, without calls.
    ///
    /// # Errors
    /// `P203`: it has no key schedule.
    pub fn of(program: &Program) -> Result<Self, Diagnostic> {
        let schedule = program.function("key_schedule")?;
        let mut made = RoundKeys {
            program: program.clone(),
            schedule: Flow::of(schedule.clone()),
            direct: copies::without(schedule),
            fill: None,
        };
        made.fill = made.filling();
        Ok(made)
    }

    /// Bytes of the key.
    #[must_use]
    pub fn key(&self) -> u32 {
        let f = &self.schedule.function;
        f.params.first().map_or(0, |p| self.schedule.ty(*p).elements())
    }

    /// Rows of round keys, and the bytes of one.
    #[must_use]
    pub fn rows(&self) -> (u32, u32) {
        match self.schedule.function.results.first() {
            Some(ty @ Type::Array(array)) => (array.dims[0], bytes(ty) / array.dims[0]),
            _ => (0, 0),
        }
    }

    /// Bytes of all round keys.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        self.schedule.function.results.iter().map(bytes).sum()
    }

    /// Whether the key schedule has an array of its own whose places depend on the key.
    ///
    /// Then its parts have no order of their own: all of it runs before the first round key is used.
    #[must_use]
    pub fn searches(&self) -> bool {
        let outputs = self.schedule.outputs();
        let own: BTreeSet<ValueId> = self.schedule.written().difference(&outputs).copied().collect();
        self.schedule.accesses.iter().flatten().any(|access| !access.known && own.contains(&access.root))
    }

    /// The program with other functions.
    #[must_use]
    pub fn with_functions(&self, functions: Vec<Function>) -> Program {
        Program { name: "budget".to_owned(), functions, ..self.program.clone() }
    }

    fn direct(&self) -> Result<&Function, Diagnostic> {
        self.direct.as_ref().map_err(Clone::clone)
    }

    // On the fly.

    /// Key schedule and operation in the order of need, if few round keys are alive at once.
    ///
    /// # Errors
    /// `P203`: there is no such operation. `E156`: round keys are uneven copies.
    pub fn on_the_fly(&self, operation: &str) -> Result<Option<Order>, Diagnostic> {
        let data = self.program.function(operation)?;
        if self.searches() {
            return Ok(None);
        }
        let direct = self.direct()?;
        // For decryption first as one that runs back to its beginning.
        let returning = if operation == "decrypt" { backwards::with_return(direct) } else { None };
        let found = returning.iter().chain([direct]).find_map(|schedule| on_the_fly(schedule, data));
        Ok(found)
    }

    // Run again.

    /// Numbers of rows of round keys worth keeping where others are made again.
    ///
    /// # Errors
    /// As [`RoundKeys::on_the_fly`].
    pub fn portions(&self, operation: &str) -> Result<Vec<u32>, Diagnostic> {
        let one = self.one_behind_the_other(operation)?;
        Ok(one.map_or_else(Vec::new, |(flow, data, root)| again::portions(&flow, data, root)))
    }

    /// Key schedule and operation where so many rows of round keys are kept, and the key schedule begins anew for others;
    /// nothing if that does not do.
    ///
    /// # Errors
    /// As [`RoundKeys::on_the_fly`].
    pub fn again(&self, operation: &str, rows: u32) -> Result<Option<Order>, Diagnostic> {
        let Some((flow, data, root)) = self.one_behind_the_other(operation)? else { return Ok(None) };
        let Some((events, runs)) = again::in_need(&flow, data, root, rows) else { return Ok(None) };
        Ok(Some(Order { operation: operation.to_owned(), flow, events, data, runs }))
    }

    /// Bytes of the arrays that key schedule and operation have besides round keys and block.
    ///
    /// # Errors
    /// As [`RoundKeys::on_the_fly`].
    pub fn inner_bytes(&self, operation: &str) -> Result<u32, Diagnostic> {
        let Some((flow, _, root)) = self.one_behind_the_other(operation)? else { return Ok(0) };
        let block = flow.function.body.outputs.first().and_then(|o| flow.root_of(*o));
        let inner = flow.written().into_iter().filter(|one| *one != root && Some(*one) != block);
        Ok(inner.map(|one| bytes(flow.ty(one))).sum())
    }

    /// Key schedule and operation as events, the operation's first number, and the round keys.
    fn one_behind_the_other(&self, operation: &str) -> Result<Option<(Flow, usize, ValueId)>, Diagnostic> {
        let (direct, data) = (self.direct()?, self.program.function(operation)?);
        let Some(composed) = compose::composed(direct, data) else { return Ok(None) };
        let flow = Flow::of(composed);
        let root = direct.body.outputs.first().and_then(|o| flow.root_of(*o));
        Ok(root.map(|root| (flow, direct.body.ops.len(), root)))
    }
}

fn on_the_fly(schedule: &Function, data: &Function) -> Option<Order> {
    let flow = Flow::of(compose::composed(schedule, data)?);
    let first = schedule.body.ops.len();
    let wanted: Vec<EventId> = (0..flow.events.len()).filter(|event| flow.events[*event].op >= first).collect();
    let events = on_demand(&flow, &wanted);
    let rows = storage::kept_rows(&flow, &events, &std::collections::BTreeMap::new())?;
    let (written, block) = (flow.written(), flow.outputs());
    let inner = rows.0.iter().filter(|(root, _)| written.contains(root) && !block.contains(root));
    let kept: u32 = inner.map(|(root, rows)| bytes(flow.ty(*root)) / flow.extent(*root) * rows).sum();
    let all: u32 = schedule.results.iter().map(bytes).sum();
    (kept < all).then(|| Order { operation: data.name.clone(), flow, events, data: first, runs: 1 })
}

fn bytes(ty: &Type) -> u32 {
    ty.elements() * u32::from(ty.width()) / 8
}

#[cfg(test)]
mod tests;
