//! What the writer of a function needs to know beforehand: definitions, uses, ranges of indices, words at byte edges.

use std::collections::HashMap;

use program::indices::Indices;
use program::ir::{Affine, Block, Function, Op, OpKind, Operand, ValueId};
use program::walk::{for_each_op, uses};

use super::edges::{self, Groups, WordLoad};

/// How the only use of a value uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// By an operation.
    Operation,
    /// As an element of an array, an initial value of a loop, or an output of the block.
    Element,
}

/// Facts about one function.
pub struct Facts<'a> {
    definitions: HashMap<ValueId, (&'a Op, usize)>,
    counts: HashMap<ValueId, u32>,
    last_use: HashMap<ValueId, (usize, Use, Option<ValueId>)>,
    block_of: HashMap<ValueId, usize>,
    indices: Indices,
    /// `concat` operations that load a word from bytes in memory.
    pub word_loads: HashMap<ValueId, WordLoad>,
    /// `array` and `store` operations (by result) that write whole words as bytes.
    pub word_stores: HashMap<ValueId, Groups>,
    blocks: usize,
}

impl<'a> Facts<'a> {
    /// Looks at a function.
    #[must_use]
    pub fn new(function: &'a Function) -> Self {
        let mut facts = Facts {
            definitions: HashMap::new(),
            counts: HashMap::new(),
            last_use: HashMap::new(),
            block_of: HashMap::new(),
            indices: Indices::of(function),
            word_loads: HashMap::new(),
            word_stores: HashMap::new(),
            blocks: 0,
        };
        for_each_op(&function.body, &mut |op| {
            for (n, &result) in op.results.iter().enumerate() {
                facts.definitions.insert(result, (op, n));
            }
        });
        facts.find_edges(function);
        facts.count_block(&function.body);
        facts
    }

    /// The operation that defines a value, and the number of the result; `None` for parameters and carried values.
    #[must_use]
    pub fn definition(&self, value: ValueId) -> Option<(&'a Op, usize)> {
        self.definitions.get(&value).copied()
    }

    /// Whether the emitted code uses a value at all.
    #[must_use]
    pub fn is_used(&self, value: ValueId) -> bool {
        self.counts.contains_key(&value)
    }

    /// How the value's only use uses it, if it has only one and that is in the block that defines it.
    #[must_use]
    pub fn single_use(&self, value: ValueId) -> Option<Use> {
        let &(block, how, _) = self.last_use.get(&value)?;
        (self.counts.get(&value) == Some(&1) && self.block_of.get(&value) == Some(&block)).then_some(how)
    }

    /// The first result of the operation that uses the value last.
    #[must_use]
    pub fn user(&self, value: ValueId) -> Option<ValueId> {
        self.last_use.get(&value).and_then(|u| u.2)
    }

    fn find_edges(&mut self, function: &Function) {
        for_each_op(&function.body, &mut |op| {
            if let Some(load) = edges::word_load(self, function, op) {
                self.word_loads.insert(op.results[0], load);
            }
            if let Some(groups) = edges::word_stores(self, function, op) {
                self.word_stores.insert(op.results[0], groups);
            }
        });
    }

    fn count_block(&mut self, block: &Block) {
        self.blocks += 1;
        let number = self.blocks;
        for &output in &block.outputs {
            self.note(output, number, Use::Element, None);
        }
        for op in block.ops.iter().rev() {
            for result in &op.results {
                self.block_of.insert(*result, number);
            }
            if op.results.iter().any(|r| self.counts.contains_key(r)) {
                self.count_op(op, number);
            }
        }
    }

    fn count_op(&mut self, op: &Op, number: usize) {
        let user = op.results.first().copied();
        match &op.kind {
            OpKind::Loop(l) => {
                l.bodies.iter().for_each(|body| self.count_block(body));
                l.init.iter().for_each(|&o| self.note(o, number, Use::Element, user));
            }
            OpKind::Concat(_) if self.word_loads.contains_key(&op.results[0]) => {
                let load = self.word_loads[&op.results[0]].clone();
                self.note(Operand::Value(load.array), number, Use::Operation, user);
                self.note_affine(&load.address, number, user);
            }
            OpKind::Array(list) | OpKind::Store(_, _, list) => {
                let groups = self.word_stores.get(&op.results[0]).cloned().unwrap_or_default();
                groups.words().for_each(|w| self.note(Operand::Value(w), number, Use::Element, user));
                let single: Vec<Operand> = groups.ungrouped(list.len()).map(|n| list[n]).collect();
                single.into_iter().for_each(|o| self.note(o, number, Use::Element, user));
                if let OpKind::Store(old, addresses, _) = &op.kind {
                    self.note(Operand::Value(*old), number, Use::Operation, user);
                    addresses.iter().for_each(|a| self.note_affine(&a.affine, number, user));
                }
            }
            kind => uses(kind, &mut |v| self.note(Operand::Value(v), number, Use::Operation, user)),
        }
    }

    fn note(&mut self, operand: Operand, block: usize, how: Use, user: Option<ValueId>) {
        if let Operand::Value(v) = operand {
            *self.counts.entry(v).or_insert(0) += 1;
            self.last_use.insert(v, (block, how, user));
        }
    }

    fn note_affine(&mut self, affine: &Affine, block: usize, user: Option<ValueId>) {
        affine.terms.iter().for_each(|&(_, v)| self.note(Operand::Value(v), block, Use::Operation, user));
    }

    /// Least and greatest value of a sum of indices; any word in it counts with all its values.
    #[must_use]
    pub fn range(&self, affine: &Affine) -> (i64, i64) {
        let range = self.indices.range(affine);
        (range.min as i64, range.max as i64)
    }
}
