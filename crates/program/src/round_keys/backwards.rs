//! A key schedule that is a recurrence, run backwards: the oldest row of an iteration from later ones.
//!
//! A loop stores one row per iteration, made from rows before it. What it computed is solved for the oldest of them: through
//! exclusive-or, sums, rotations and complements whose other operands are known.

use std::collections::{BTreeSet, HashMap};

use super::events::reads;
use crate::ir::{Address, Affine, Binary, Block, Function, Loop, Op, OpKind, Operand, Shift, Type, ValueData, ValueId};
use crate::walk::{renumber, slots_mut, Slot};

/// A key schedule that after its recurrence runs it backwards, if there is one.
///
/// Rows are stored again with the values that they had: read in falling order, they are found made last.
#[must_use]
pub fn with_return(schedule: &Function) -> Option<Function> {
    schedule.body.ops.iter().enumerate().find_map(|(n, op)| {
        let l = op.kind.as_loop()?;
        let [old] = op.results[..] else { return None };
        let ValueData { name, ty } = schedule.values[old.0 as usize].clone();
        if !matches!(ty, Type::Array(_)) {
            return None;
        }
        let mut function = schedule.clone();
        let undone = undone(&mut function.values, l, old)?;
        function.values.push(ValueData { name: format!("{name}.back"), ty });
        let new = ValueId(function.values.len() as u32 - 1);
        // Only what comes behind the recurrence reads the array from there on.
        let mut rest = Block { ops: function.body.ops.split_off(n + 1), ..Block::default() };
        std::mem::swap(&mut rest.outputs, &mut function.body.outputs);
        renamed(&mut rest, old, new);
        function.body.ops.push(Op { kind: OpKind::Loop(Box::new(undone)), results: vec![new], places: Vec::new() });
        function.body.ops.append(&mut rest.ops);
        function.body.outputs = rest.outputs;
        renumber(&mut function);
        Some(function)
    })
}

/// Lets a block read another value.
fn renamed(block: &mut Block, old: ValueId, new: ValueId) {
    let rename = |v: &mut ValueId| {
        if *v == old {
            *v = new;
        }
    };
    for op in &mut block.ops {
        slots_mut(&mut op.kind, &mut |slot| match slot {
            Slot::Operand(Operand::Value(v)) | Slot::Value(v) => rename(v),
            Slot::Operand(Operand::Const(_)) | Slot::Affine(_) => {}
        });
        if let OpKind::Loop(l) = &mut op.kind {
            l.bodies.iter_mut().for_each(|body| renamed(body, old, new));
        }
    }
    for output in &mut block.outputs {
        if let Operand::Value(v) = output {
            rename(v);
        }
    }
}

fn undone(values: &mut Vec<ValueData>, l: &Loop, result: ValueId) -> Option<Loop> {
    let iterations = l.pattern.len() as i64;
    let bodies = l.bodies.iter().enumerate();
    let bodies = bodies.map(|(k, body)| undone_body(values, body, iterations, k)).collect::<Option<_>>()?;
    let pattern = l.pattern.iter().rev().copied().collect();
    Some(Loop { init: vec![Operand::Value(result)], pattern, bodies, ..l.clone() })
}

/// A body whose iteration `k` undoes iteration `iterations - 1 - k` of a body.
fn undone_body(values: &mut Vec<ValueData>, body: &Block, iterations: i64, number: usize) -> Option<Block> {
    let (index, array) = (body.params[0], body.params[1]);
    let (store, oldest) = store_and_oldest(body)?;
    let OpKind::Store(_, to, words) = &store.kind else { return None };
    let OpKind::Load(_, from) = &oldest.kind else { return None };
    let mut solver = Solver {
        values,
        suffix: format!(".b{number}"),
        index,
        iterations,
        new: HashMap::new(),
        known: BTreeSet::new(),
        ops: Vec::new(),
    };
    let params = vec![solver.value(index), solver.value(array)];
    let loads = |op: &&Op| matches!(op.kind, OpKind::Load(..));
    for op in body.ops.iter().filter(loads).filter(|op| !std::ptr::eq(*op, oldest)) {
        solver.keep(op, array)?;
    }
    let stored = words.iter().map(|o| if let Operand::Value(v) = o { Some(*v) } else { None });
    let stored = stored.collect::<Option<Vec<_>>>()?;
    if stored.iter().collect::<BTreeSet<_>>().len() < stored.len() {
        return None;
    }
    let again = Op { kind: OpKind::Load(array, to.clone()), results: stored, places: Vec::new() };
    solver.keep(&again, array)?;
    let others = body.ops.iter().filter(|op| !matches!(op.kind, OpKind::Load(..) | OpKind::Store(..)));
    solver.solve(others.collect())?;
    if !oldest.results.iter().all(|unknown| solver.known.contains(unknown)) {
        return None;
    }
    let unknown = oldest.results.iter().map(|r| Operand::Value(solver.value(*r))).collect();
    let from = solver.turned_all(from)?;
    let result = solver.value(store.results[0]);
    let mut ops = solver.ops;
    ops.push(Op { kind: OpKind::Store(params[1], from, unknown), results: vec![result], places: Vec::new() });
    Some(Block { params, ops, outputs: vec![Operand::Value(result)] })
}

/// The one store of a body, which stores the newest row, and the load of the oldest row.
fn store_and_oldest(body: &Block) -> Option<(&Op, &Op)> {
    let (index, array) = (body.params[0], body.params[1]);
    let mut stores = body.ops.iter().filter(|op| matches!(op.kind, OpKind::Store(..)));
    let (store, None) = (stores.next()?, stores.next()) else { return None };
    let OpKind::Store(_, to, _) = &store.kind else { return None };
    if to.len() != 1 || body.ops.iter().any(|op| op.kind.as_loop().is_some()) {
        return None;
    }
    let mut loads: Vec<(i64, &Op)> = Vec::new();
    for op in &body.ops {
        if let OpKind::Load(from, addresses) = &op.kind {
            if *from == array {
                loads.push((offset(addresses, index)?, op));
            }
        }
    }
    let newest = offset(to, index)?;
    let least = loads.iter().map(|(place, _)| *place).min()?;
    if loads.iter().any(|(place, _)| *place > newest) {
        return None;
    }
    loads.into_iter().find(|(place, _)| *place == least).map(|(_, oldest)| (store, oldest))
}

/// The constant of the first address if it moves by one row per iteration.
fn offset(addresses: &[Address], index: ValueId) -> Option<i64> {
    let first = &addresses[0];
    (first.affine.terms == [(1, index)] && !first.ring).then_some(first.affine.constant)
}

/// Operations that compute what is not known from what is known.
struct Solver<'a> {
    values: &'a mut Vec<ValueData>,
    suffix: String,
    index: ValueId,
    iterations: i64,
    new: HashMap<ValueId, ValueId>,
    known: BTreeSet<ValueId>,
    ops: Vec<Op>,
}

impl Solver<'_> {
    /// What stands for a value.
    fn value(&mut self, old: ValueId) -> ValueId {
        if let Some(new) = self.new.get(&old) {
            return *new;
        }
        let ValueData { name, ty } = self.values[old.0 as usize].clone();
        self.values.push(ValueData { name: name + &self.suffix, ty });
        let new = ValueId(self.values.len() as u32 - 1);
        self.new.insert(old, new);
        new
    }

    /// What stands for a word that is known.
    fn word(&mut self, old: ValueId) -> Option<ValueId> {
        self.known.contains(&old).then(|| self.value(old))
    }

    fn operand(&mut self, operand: Operand) -> Option<Operand> {
        match operand {
            Operand::Value(v) => self.word(v).map(Operand::Value),
            Operand::Const(_) => Some(operand),
        }
    }

    /// An address with the iteration counted from the end.
    fn turned(&mut self, sum: &Affine) -> Option<Affine> {
        let mut new = Affine { terms: Vec::new(), constant: sum.constant };
        for &(c, v) in &sum.terms {
            if v == self.index {
                new.constant += c * (self.iterations - 1);
                new.terms.push((-c, self.value(v)));
            } else {
                new.terms.push((c, self.word(v)?));
            }
        }
        Some(new)
    }

    fn turned_all(&mut self, addresses: &[Address]) -> Option<Vec<Address>> {
        let turned = |a: &Address| Some(Address { affine: self.turned(&a.affine)?, ring: a.ring });
        addresses.iter().map(turned).collect()
    }

    /// What stands for the array of the loop, an array from outside, or a word.
    fn array_or_word(&mut self, old: ValueId, array: ValueId) -> Option<ValueId> {
        if old == array {
            return Some(self.value(old));
        }
        let outside = matches!(self.values[old.0 as usize].ty, Type::Array(_));
        self.word(old).or(outside.then_some(old))
    }

    /// Takes an operation over as it stands; nothing where it reads what is not known.
    fn keep(&mut self, op: &Op, array: ValueId) -> Option<()> {
        let mut kind = op.kind.clone();
        let mut done = Some(());
        slots_mut(&mut kind, &mut |slot| {
            let one = match slot {
                Slot::Operand(o) => self.operand(*o).map(|new| *o = new),
                Slot::Affine(sum) => self.turned(sum).map(|new| *sum = new),
                Slot::Value(v) => self.array_or_word(*v, array).map(|new| *v = new),
            };
            done = done.and(one);
        });
        let results = op.results.iter().map(|r| self.value(*r)).collect();
        self.known.extend(&op.results);
        self.ops.push(Op { kind, results, places: Vec::new() });
        done
    }

    /// Uses each operation once: forwards if its operands are known, backwards if all but one.
    fn solve(&mut self, mut left: Vec<&Op>) -> Option<()> {
        loop {
            let before = left.len();
            let mut rest = Vec::new();
            for op in left {
                let mut unknown = BTreeSet::new();
                reads(&op.kind, &mut |v| {
                    if v != self.index && !self.known.contains(&v) {
                        unknown.insert(v);
                    }
                });
                if unknown.is_empty() {
                    if !op.results.iter().all(|r| self.known.contains(r)) {
                        self.keep(op, self.index)?;
                    }
                } else if !self.backwards(op, &unknown) {
                    rest.push(op);
                }
            }
            left = rest;
            if left.len() == before {
                return Some(());
            }
        }
    }

    /// Solves an operation for the one operand that is not known; whether it can be.
    fn backwards(&mut self, op: &Op, unknown: &BTreeSet<ValueId>) -> bool {
        let ([result], Some(x), 1) = (&op.results[..], unknown.first().copied(), unknown.len()) else { return false };
        if !self.known.contains(result) {
            return false;
        }
        let value = Operand::Value(self.value(*result));
        let is = |o: &Operand| *o == Operand::Value(x);
        let kind = match &op.kind {
            OpKind::Not(_) => OpKind::Not(value),
            OpKind::Shift(which @ (Shift::Rotl | Shift::Rotr), a, by) if is(a) && !is(by) => {
                let back = if *which == Shift::Rotl { Shift::Rotr } else { Shift::Rotl };
                let Some(by) = self.operand(*by) else { return false };
                OpKind::Shift(back, value, by)
            }
            OpKind::Binary(which, a, b) if is(a) != is(b) => {
                let Some(other) = self.operand(if is(a) { *b } else { *a }) else { return false };
                match which {
                    Binary::Xor => OpKind::Binary(Binary::Xor, value, other),
                    Binary::Add => OpKind::Binary(Binary::Sub, value, other),
                    Binary::Sub if is(a) => OpKind::Binary(Binary::Add, value, other),
                    Binary::Sub => OpKind::Binary(Binary::Sub, other, value),
                    _ => return false,
                }
            }
            _ => return false,
        };
        let results = vec![self.value(x)];
        self.ops.push(Op { kind, results, places: Vec::new() });
        self.known.insert(x);
        true
    }
}
