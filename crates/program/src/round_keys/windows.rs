//! Windows: the key schedule runs again for each, and stores only the rows of round keys that lie in it.

use std::collections::BTreeSet;

use super::events::{on_demand, shape, EventId, Flow};
use super::steps::{steps, Steps};
use super::{groups, writer, RoundKeys, Unsuitable};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, OpKind, ValueId};
use crate::walk::for_each_op;

/// A key schedule that reads none of its round keys, and the number of each of their rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// The function `fill`.
    pub function: Function,
    /// By row: its own number if loops count them, else when it is used.
    pub numbers: Vec<u32>,
}

impl RoundKeys {
    /// The key schedule as it fills windows; nothing if it cannot.
    ///
    /// # Errors
    /// `E156`: round keys are uneven copies.
    pub fn fill(&self) -> Result<Option<&Fill>, Diagnostic> {
        if !self.searches() {
            self.direct()?;
        }
        Ok(self.fill.as_ref())
    }

    pub(super) fn filling(&self) -> Option<Fill> {
        let schedule = self.direct.as_ref().ok().filter(|_| !self.searches())?;
        let flow = Flow::of(schedule.clone());
        let outputs = flow.outputs();
        let mut reads = false;
        for_each_op(&schedule.body, &mut |op| {
            if let OpKind::Load(array, _) = op.kind {
                reads |= flow.root(array).is_some_and(|root| outputs.contains(&root));
            }
        });
        if reads {
            return None;
        }
        let function = writer::function(&flow, &on_demand(&flow, &makers(&flow, &outputs)), "fill")?;
        let numbers = self.numbers(&function)?;
        Some(Fill { function, numbers })
    }

    /// The number of each row: its own if loops count them, else when it is used.
    fn numbers(&self, fill: &Function) -> Option<Vec<u32>> {
        let ty = fill.results.first()?;
        let rows = shape(ty).dims[0];
        let mut counted = false;
        for_each_op(&fill.body, &mut |op| {
            if let OpKind::Store(_, addresses, _) = &op.kind {
                let of_first = fill.values[op.results[0].0 as usize].ty == *ty;
                counted |= of_first && !addresses[0].affine.terms.is_empty();
            }
        });
        if counted {
            return Some((0..rows).collect());
        }
        let (flow, order, root) = self.alone("encrypt")?;
        let used = groups::rows_used(&flow, &order, root);
        (0..rows).map(|row| used.iter().position(|one| *one == i64::from(row)).map(|n| n as u32)).collect()
    }

    /// An operation as events in an order, and the array of its round keys.
    fn alone(&self, operation: &str) -> Option<(Flow, Vec<EventId>, ValueId)> {
        let flow = Flow::of(self.program.function(operation).ok()?.clone());
        let iterations = (0..flow.events.len()).filter(|event| flow.events[*event].iteration.is_some());
        let wanted: Vec<EventId> = iterations.chain(flow.events.len().checked_sub(1)).collect();
        let order = on_demand(&flow, &wanted);
        let root = flow.root(*flow.function.params.first()?)?;
        Some((flow, order, root))
    }

    /// How often the key schedule is run if so many rows of round keys are made at a time; nothing if it cannot fill windows.
    #[must_use]
    pub fn window_calls(&self, operation: &str, rows: u32) -> Option<u32> {
        let (flow, order, root) = self.alone(operation)?;
        let groups = groups::by_window(&flow, &order, root, &self.fill.as_ref()?.numbers, rows);
        Some(groups.len() as u32)
    }

    /// An operation as steps each of which reads only round keys that lie in a window of so many rows.
    ///
    /// # Errors
    /// The events do not go with this form, or the key schedule cannot fill windows.
    pub fn windowed(&self, operation: &str, rows: u32) -> Result<Steps, Unsuitable> {
        let (flow, order, root) = self.alone(operation).ok_or(Unsuitable)?;
        let fill = self.fill.as_ref().ok_or(Unsuitable)?;
        let groups = groups::by_window(&flow, &order, root, &fill.numbers, rows);
        steps(&flow, &groups, operation, Some((root, fill, rows)), false)
    }
}

/// The events that make or write one of some arrays.
fn makers(flow: &Flow, outputs: &BTreeSet<ValueId>) -> Vec<EventId> {
    let of = |value: &ValueId| flow.root(*value).is_some_and(|root| outputs.contains(&root));
    let writes = |event: &EventId| flow.accesses[*event].iter().any(|a| a.write && outputs.contains(&a.root));
    (0..flow.events.len()).filter(|event| writes(event) || flow.op(*event).results.iter().any(of)).collect()
}
