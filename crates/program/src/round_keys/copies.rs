//! Round keys that are a permuted copy of an array are stored where they belong at once; the array goes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::events::{evaluated, Cell, Flow};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Affine, Function, Op, OpKind, Operand, ValueData, ValueId};
use crate::walk::{for_each_op, renumber};

/// Row and column of a cell that is copied, and where to.
type Copies = BTreeMap<Cell, Vec<Cell>>;

/// A key schedule without an array of which its round keys are mere copies.
///
/// # Errors
/// `E156`: where the copies lie does not move on evenly from iteration to iteration.
pub fn without(schedule: &Function) -> Result<Function, Diagnostic> {
    let flow = Flow::of(schedule.clone());
    for output in &schedule.body.outputs {
        let Some(root) = flow.root_of(*output) else { continue };
        if let Some((source, copies)) = copied(&flow, root) {
            let values = schedule.values.clone();
            return Direct { flow: &flow, source, root, copies, values, names: 0 }.function();
        }
    }
    Ok(schedule.clone())
}

/// The array that an output copies, and where each of its cells goes.
fn copied(flow: &Flow, root: ValueId) -> Option<(ValueId, Copies)> {
    let loads = loads(flow);
    let stored = |op: &Op| matches!(op.kind, OpKind::Store(array, ..) if flow.root(array) == Some(root));
    let mut copies = Copies::new();
    let mut sources = BTreeSet::new();
    let at_top = flow.function.body.ops.iter().filter(|op| stored(op));
    for op in at_top.clone() {
        let OpKind::Store(_, addresses, words) = &op.kind else { continue };
        let (row, first) = constant(addresses)?;
        for (k, word) in words.iter().enumerate() {
            let Operand::Value(word) = word else { return None };
            let (source, cell) = loads.get(word)?;
            sources.insert(*source);
            copies.entry(*cell).or_default().push((row, first + k as i64));
        }
    }
    let (source, 1) = (sources.first().copied()?, sources.len()) else { return None };
    let given = flow.function.params.iter().any(|p| flow.root(*p) == Some(source));
    let (mut stores, mut other) = (0, source == root || given);
    for_each_op(&flow.function.body, &mut |op| {
        stores += usize::from(stored(op));
        if let OpKind::Load(array, _) = op.kind {
            other |= flow.root(array) == Some(source) && !loads.contains_key(&op.results[0]);
        }
    });
    (stores == at_top.count() && !other).then_some((source, copies))
}

/// What words are that the function loads by themselves from fixed places, outside of loops: object and cell.
fn loads(flow: &Flow) -> HashMap<ValueId, (ValueId, Cell)> {
    let mut found = HashMap::new();
    for op in &flow.function.body.ops {
        if let (OpKind::Load(array, addresses), [result]) = (&op.kind, &op.results[..]) {
            if let (Some(root), Some(cell)) = (flow.root(*array), constant(addresses)) {
                found.insert(*result, (root, cell));
            }
        }
    }
    found
}

/// Row and column of an address that does not move; the column is 0 if there is none.
fn constant(addresses: &[Address]) -> Option<Cell> {
    let still = addresses.iter().all(|a| a.affine.terms.is_empty());
    still.then(|| (addresses[0].affine.constant, addresses.get(1).map_or(0, |a| a.affine.constant)))
}

/// Rewrites stores into the copied array as stores into the copy.
struct Direct<'a> {
    flow: &'a Flow,
    source: ValueId,
    root: ValueId,
    copies: Copies,
    values: Vec<ValueData>,
    names: u32,
}

impl Direct<'_> {
    /// The function without the copied array.
    fn function(mut self) -> Result<Function, Diagnostic> {
        let source = &self.flow.function;
        for (value, data) in self.values.iter_mut().enumerate() {
            if self.flow.root(ValueId(value as u32)) == Some(self.source) {
                data.ty = self.flow.ty(self.root).clone();
            }
        }
        let gone = |op: &&Op| match op.kind {
            OpKind::Load(array, _) if self.flow.root(array) == Some(self.source) => true,
            _ => op.results.iter().any(|r| self.flow.root(*r) == Some(self.root)),
        };
        let left: Vec<Op> = source.body.ops.iter().filter(|op| !gone(op)).cloned().collect();
        let ops = self.ops(&left, None, 1)?;
        let made = source.body.ops.iter().flat_map(|op| &op.results);
        let last = made.rev().find(|r| self.flow.root(**r) == Some(self.source)).copied();
        let mut function = Function { values: self.values, ..source.clone() };
        function.body.ops = ops;
        for output in &mut function.body.outputs {
            if let (Some(last), true) = (last, self.flow.root_of(*output) == Some(self.root)) {
                *output = Operand::Value(last);
            }
        }
        renumber(&mut function);
        Ok(function)
    }

    fn ops(&mut self, ops: &[Op], index: Option<ValueId>, iterations: i64) -> Result<Vec<Op>, Diagnostic> {
        let mut out = Vec::new();
        for op in ops {
            match &op.kind {
                OpKind::Store(array, addresses, words) if self.flow.root(*array) == Some(self.source) => {
                    self.stores(op, (*array, addresses, words), index, iterations, &mut out)?;
                }
                OpKind::Loop(l) => {
                    let mut l = l.clone();
                    let iterations = l.pattern.len() as i64;
                    for body in &mut l.bodies {
                        body.ops = self.ops(&body.ops, Some(body.params[0]), iterations)?;
                    }
                    out.push(Op { kind: OpKind::Loop(l), ..op.clone() });
                }
                _ => out.push(op.clone()),
            }
        }
        Ok(out)
    }

    /// Writes stores of single cells at their places in the copy.
    fn stores(
        &mut self,
        op: &Op,
        (mut array, addresses, words): (ValueId, &[Address], &[Operand]),
        index: Option<ValueId>,
        iterations: i64,
        out: &mut Vec<Op>,
    ) -> Result<(), Diagnostic> {
        let mut todo = Vec::new();
        for (k, word) in words.iter().enumerate() {
            let places = self.moved(addresses, k as i64, index, iterations)?;
            todo.extend(places.into_iter().map(|place| (*word, place)));
        }
        let extents = self.flow.shape(self.root).dims.len();
        let count = todo.len();
        for (n, (word, place)) in todo.into_iter().enumerate() {
            self.names += 1;
            let result = if n == count - 1 {
                op.results[0]
            } else {
                let ValueData { name, ty } = self.values[op.results[0].0 as usize].clone();
                self.values.push(ValueData { name: format!("{name}.d{}", self.names), ty });
                ValueId(self.values.len() as u32 - 1)
            };
            let place = place.into_iter().take(extents).map(|affine| Address { affine, ring: false }).collect();
            out.push(Op {
                kind: OpKind::Store(array, place, vec![word]),
                results: vec![result],
                places: op.places.clone(),
            });
            array = result;
        }
        Ok(())
    }

    /// Rows and columns of the copy that one operand of a store goes to, in every iteration.
    fn moved(
        &self,
        addresses: &[Address],
        k: i64,
        index: Option<ValueId>,
        iterations: i64,
    ) -> Result<Vec<[Affine; 2]>, Diagnostic> {
        let mut found: Vec<&[Cell]> = Vec::new();
        for iteration in 0..iterations {
            let now: HashMap<ValueId, i64> = index.iter().map(|index| (*index, iteration)).collect();
            let place = |n: usize| addresses.get(n).and_then(|a| evaluated(&a.affine, &now)).unwrap_or(0);
            found.push(self.copies.get(&(place(0), place(1) + k)).map_or(&[], Vec::as_slice));
        }
        let one = |n: usize| {
            let cells = found.iter().map(|cells| cells.get(n).copied().ok_or_else(uneven));
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            Ok([fitted(cells.iter().map(|c| c.0), index)?, fitted(cells.iter().map(|c| c.1), index)?])
        };
        (0..found[0].len()).map(one).collect()
    }
}

/// The address that has these values in the iterations.
fn fitted(values: impl Iterator<Item = i64>, index: Option<ValueId>) -> Result<Affine, Diagnostic> {
    let values: Vec<i64> = values.collect();
    let step = values.get(1).map_or(0, |second| second - values[0]);
    if !values.iter().zip(0..).all(|(value, n)| *value == values[0] + n * step) {
        return Err(uneven());
    }
    let terms = index.filter(|_| step != 0).map(|index| (step, index)).into_iter().collect();
    Ok(Affine { terms, constant: values[0] })
}

fn uneven() -> Diagnostic {
    Diagnostic::new("E156", "code within a budget of RAM has no way yet for round keys that are uneven copies")
        .help("`assay emit asm` without --ram takes it")
}
