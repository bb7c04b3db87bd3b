//! Which array of the emitted code holds which array value.
//!
//! Arrays of a program are values: a store gives a new one. Here values share one array wherever the old
//! value is dead once the new one exists; everywhere else the emitted code copies.
//! Soundness: two values of one storage are never live together, since a value takes a storage over only from
//! a value defined in the same block whose single last use is the operation that takes it over.

use std::collections::HashMap;

use program::ir::{ArrayType, Block, Function, Loop, Op, OpKind, Operand, ValueId};
use program::walk::uses;

use super::words::array_of;

/// Where a storage lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// A parameter, never written.
    Parameter,
    /// The n-th result, behind a pointer.
    Result(usize),
    /// A local array.
    Local,
}

/// One array of the emitted code.
#[derive(Clone, Debug)]
pub struct Storage {
    /// Where it lives.
    pub home: Home,
    /// Its shape.
    pub ty: ArrayType,
    /// The first value it holds, for its name.
    pub named_after: ValueId,
}

/// The storages of a function.
#[derive(Debug, Default)]
pub struct Plan {
    /// All storages.
    pub storages: Vec<Storage>,
    of: HashMap<ValueId, usize>,
}

impl Plan {
    /// The storage of an array value.
    #[must_use]
    pub fn of(&self, value: ValueId) -> usize {
        self.of[&value]
    }

    /// Decides storages for all array values of a function.
    #[must_use]
    pub fn new(function: &Function) -> Plan {
        let mut planner = Planner { function, plan: Plan::default() };
        for &parameter in &function.params {
            planner.add(parameter, Home::Parameter);
        }
        planner.block(&function.body);
        planner.claim_results();
        planner.plan
    }

    /// Whether writing the storage may change what a read of the other sees: the same one, or a result and a parameter of one type
    /// (the caller may pass the same memory as input and output).
    #[must_use]
    pub fn may_alias(&self, written: usize, read: usize) -> bool {
        let (w, r) = (&self.storages[written], &self.storages[read]);
        written == read || (matches!(w.home, Home::Result(_)) && r.home == Home::Parameter && w.ty == r.ty)
    }

    /// Whether nothing in the function writes the storage.
    #[must_use]
    pub fn is_constant(&self, storage: usize) -> bool {
        self.storages[storage].home == Home::Parameter
    }
}

struct Planner<'a> {
    function: &'a Function,
    plan: Plan,
}

impl Planner<'_> {
    fn array(&self, value: ValueId) -> Option<&ArrayType> {
        array_of(&self.function.values[value.0 as usize].ty)
    }

    fn add(&mut self, value: ValueId, home: Home) {
        if let Some(ty) = self.array(value).cloned() {
            self.plan.of.insert(value, self.plan.storages.len());
            self.plan.storages.push(Storage { home, ty, named_after: value });
        }
    }

    fn block(&mut self, block: &Block) {
        let last = last_uses(block);
        let mut own: Vec<ValueId> = block.params.clone();
        for (n, op) in block.ops.iter().enumerate() {
            self.op(n, op, &own, &last);
            own.extend(&op.results);
        }
    }

    fn op(&mut self, n: usize, op: &Op, own: &[ValueId], last: &HashMap<ValueId, LastUse>) {
        let may_take = |plan: &Plan, v: ValueId| {
            own.contains(&v) && !plan.is_constant(plan.of(v)) && last.get(&v).is_some_and(|u| u.at == n && u.count == 1)
        };
        match &op.kind {
            OpKind::Store(old, ..) => {
                let result = op.results[0];
                if may_take(&self.plan, *old) {
                    self.plan.of.insert(result, self.plan.of(*old));
                } else {
                    self.add(result, Home::Local);
                }
            }
            OpKind::Loop(l) => {
                for (k, &result) in op.results.iter().enumerate() {
                    self.carried(l, k, result, &may_take);
                }
                l.bodies.iter().for_each(|body| self.block(body));
            }
            _ => op.results.iter().for_each(|&r| self.add(r, Home::Local)),
        }
    }

    fn carried(&mut self, l: &Loop, k: usize, result: ValueId, may_take: &dyn Fn(&Plan, ValueId) -> bool) {
        if self.array(result).is_none() {
            return;
        }
        match l.init[k] {
            Operand::Value(init) if may_take(&self.plan, init) => {
                self.plan.of.insert(result, self.plan.of(init));
            }
            _ => self.add(result, Home::Local),
        }
        let storage = self.plan.of(result);
        for body in &l.bodies {
            self.plan.of.insert(body.params[k + 1], storage);
        }
    }

    /// Lets returned arrays be built in the caller's memory, unless a parameter of the same type is still read afterwards.
    fn claim_results(&mut self) {
        for (n, output) in self.function.body.outputs.iter().enumerate() {
            let Operand::Value(v) = *output else { continue };
            if self.array(v).is_none() {
                continue;
            }
            let storage = self.plan.of(v);
            if self.plan.storages[storage].home == Home::Local && !self.input_read_after_write(storage) {
                self.plan.storages[storage].home = Home::Result(n);
            }
        }
    }

    fn input_read_after_write(&self, storage: usize) -> bool {
        let ty = &self.plan.storages[storage].ty;
        let inputs: Vec<ValueId> =
            self.function.params.iter().copied().filter(|&p| self.array(p) == Some(ty)).collect();
        let ops = &self.function.body.ops;
        let first_write = ops.iter().position(|op| op.results.iter().any(|r| self.plan.of.get(r) == Some(&storage)));
        let last = last_uses(&self.function.body);
        inputs.iter().any(|i| last.get(i).is_some_and(|u| Some(u.at) > first_write))
    }
}

/// The last use of a value in a block, and how often it is used there in all.
#[derive(Clone, Copy, Debug)]
struct LastUse {
    at: usize,
    count: usize,
}

/// Last uses by the operations of a block; what stands in loop bodies counts as used by the loop, twice, since it is used every iteration.
fn last_uses(block: &Block) -> HashMap<ValueId, LastUse> {
    let mut last: HashMap<ValueId, LastUse> = HashMap::new();
    let mut mark = |v: ValueId, at: usize, count: usize| {
        let entry = last.entry(v).or_insert(LastUse { at, count: 0 });
        *entry = LastUse { at, count: if entry.at == at { entry.count + count } else { count } };
    };
    for (n, op) in block.ops.iter().enumerate() {
        uses(&op.kind, &mut |v| mark(v, n, 1));
        if let OpKind::Loop(l) = &op.kind {
            for body in &l.bodies {
                nested_uses(body, &mut |v| mark(v, n, 2));
            }
        }
    }
    for output in &block.outputs {
        if let Operand::Value(v) = output {
            mark(*v, usize::MAX, 1);
        }
    }
    last
}

fn nested_uses(block: &Block, f: &mut dyn FnMut(ValueId)) {
    for op in &block.ops {
        uses(&op.kind, f);
        if let OpKind::Loop(l) = &op.kind {
            l.bodies.iter().for_each(|body| nested_uses(body, f));
        }
    }
    for output in &block.outputs {
        if let Operand::Value(v) = output {
            f(*v);
        }
    }
}
