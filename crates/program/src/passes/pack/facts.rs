//! What the pass knows about a function before it changes it: where values are defined and used, and how bytes are made.

use std::collections::HashMap;

use crate::ir::{Address, Binary, Block, Function, Loop, MatrixId, Op, OpKind, Operand, TableId, Type, ValueId};
use crate::walk::uses;

/// Where a value is defined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Def<'a> {
    /// The operation; none for a parameter.
    pub op: Option<&'a Op>,
    /// Which of its results.
    pub result: usize,
    /// Number of the block.
    pub block: usize,
}

/// A function, read only, with its definitions and uses at hand.
pub struct Facts<'a> {
    /// Most bytes of a word that is the sum of look-ups of tables of words.
    pub widest_lookups: usize,
    /// The function.
    pub function: &'a Function,
    /// Arrays of bytes that become arrays of words: bytes per word.
    pub rows: &'a HashMap<ValueId, usize>,
    defs: Vec<Def<'a>>,
    users: Vec<Vec<(&'a Op, usize)>>,
    blocks: usize,
    outputs: Vec<bool>,
}

impl<'a> Facts<'a> {
    /// Looks at a function whose arrays `rows` are to be retyped.
    pub fn new(function: &'a Function, rows: &'a HashMap<ValueId, usize>) -> Self {
        let count = function.values.len();
        let mut facts = Facts {
            widest_lookups: 4,
            function,
            rows,
            defs: vec![Def::default(); count],
            users: vec![Vec::new(); count],
            blocks: 0,
            outputs: vec![false; count],
        };
        facts.block(&function.body);
        facts
    }

    fn block(&mut self, block: &'a Block) {
        let number = self.blocks;
        self.blocks += 1;
        for &param in &block.params {
            self.defs[param.0 as usize].block = number;
        }
        for op in &block.ops {
            for (n, result) in op.results.iter().enumerate() {
                self.defs[result.0 as usize] = Def { op: Some(op), result: n, block: number };
            }
            uses(&op.kind, &mut |v| self.users[v.0 as usize].push((op, number)));
            if let OpKind::Loop(l) = &op.kind {
                l.bodies.iter().for_each(|body| self.block(body));
            }
        }
        for output in &block.outputs {
            if let Operand::Value(v) = output {
                self.outputs[v.0 as usize] = true;
            }
        }
    }

    /// Whether a value is none of the function's.
    pub fn is_new(&self, v: ValueId) -> bool {
        v.0 as usize >= self.defs.len()
    }

    /// Whether a value is a list of bytes.
    pub fn is_byte_array(&self, v: ValueId) -> bool {
        matches!(&self.function.values[v.0 as usize].ty, Type::Array(array) if array.width == 8)
    }

    /// Elements of a row of an array of two dimensions.
    pub fn row_length(&self, array: ValueId) -> usize {
        match &self.function.values[array.0 as usize].ty {
            Type::Array(ty) => ty.dims[1] as usize,
            _ => 0,
        }
    }

    /// Numbers of the blocks in a loop: the first, and the one after the last.
    pub fn blocks_of_loop(&self, l: &Loop) -> (usize, usize) {
        let first = self.body_number(&l.bodies[0]);
        let mut count = 0;
        l.bodies.iter().for_each(|body| crate::walk::for_each_block(body, &mut |_| count += 1));
        (first, first + count)
    }

    /// Number of a loop's body.
    pub fn body_number(&self, body: &Block) -> usize {
        self.def(body.params[0]).block
    }

    /// Definition of a value.
    pub fn def(&self, v: ValueId) -> Def<'a> {
        self.defs[v.0 as usize]
    }

    /// The operations that use a value, each with the number of its block.
    pub fn users(&self, v: ValueId) -> &[(&'a Op, usize)] {
        &self.users[v.0 as usize]
    }

    /// Whether a value is what a block yields or returns.
    pub fn is_output(&self, v: ValueId) -> bool {
        self.outputs[v.0 as usize]
    }

    /// Whether a value is a byte.
    pub fn is_byte(&self, v: ValueId) -> bool {
        self.function.values[v.0 as usize].ty == Type::Word(8)
    }

    /// A number for a value that a `const` operation makes.
    pub fn resolved(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Value(v) => match self.def(v).op.map(|op| &op.kind) {
                Some(OpKind::Const(n)) => Operand::Const(*n),
                _ => operand,
            },
            Operand::Const(_) => operand,
        }
    }

    /// The operands of a bitwise operation on bytes; `not` is an exclusive or with ones.
    pub fn bitwise(&self, v: ValueId) -> Option<(Binary, Operand, Operand)> {
        if !self.is_byte(v) {
            return None;
        }
        match &self.def(v).op?.kind {
            OpKind::Binary(kind @ (Binary::And | Binary::Or | Binary::Xor), a, b) => {
                Some((*kind, self.resolved(*a), self.resolved(*b)))
            }
            OpKind::Not(a) => Some((Binary::Xor, self.resolved(*a), Operand::Const(0xff))),
            _ => None,
        }
    }

    /// A byte of a table of bytes at the place that one byte says; the table has an entry for each byte.
    pub fn byte_lookup(&self, v: ValueId, tables: &[crate::ir::Table]) -> Option<(TableId, ValueId)> {
        let OpKind::Lookup(table, address) = &self.def(v).op?.kind else { return None };
        let [(1, index)] = address.affine.terms[..] else { return None };
        let data = &tables[table.0 as usize];
        let plain = address.affine.constant == 0 && data.width == 8 && data.data.len() >= 256;
        (plain && self.is_byte(index)).then_some((*table, index))
    }

    /// A result of a product with a matrix over GF(2^8): the operation, the matrix and the row.
    pub fn linear(&self, v: ValueId) -> Option<(&'a Op, MatrixId, usize)> {
        let def = self.def(v);
        match &def.op?.kind {
            OpKind::Linear(matrix, _) if self.is_byte(v) => Some((def.op?, *matrix, def.result)),
            _ => None,
        }
    }

    /// A byte of a word: the word and the number of the byte.
    pub fn byte_of_word(&self, v: ValueId) -> Option<(ValueId, usize)> {
        match &self.def(v).op?.kind {
            OpKind::Extract(Operand::Value(word), position) if self.is_byte(v) && position % 8 == 0 => {
                Some((*word, usize::from(position / 8)))
            }
            _ => None,
        }
    }

    /// Bytes of a word, if they are a whole number.
    pub fn word_bytes(&self, v: ValueId) -> Option<usize> {
        match self.function.values[v.0 as usize].ty {
            Type::Word(width) if width % 8 == 0 => Some(usize::from(width / 8)),
            _ => None,
        }
    }

    /// An element at a constant place of an array of bytes that stays one.
    pub fn byte_load(&self, v: ValueId) -> Option<(ValueId, i64)> {
        let OpKind::Load(array, addresses) = &self.def(v).op?.kind else { return None };
        let [Address { affine, ring: false }] = &addresses[..] else { return None };
        let one = self.is_byte(v) && self.def(v).op?.results.len() == 1 && !self.rows.contains_key(array);
        (one && affine.terms.is_empty()).then_some((*array, affine.constant))
    }

    /// Whether bytes are looked up by bytes, or multiplied by matrices.
    pub fn has_byte_tables(&self, tables: &[crate::ir::Table]) -> bool {
        let ids = (0..self.defs.len() as u32).map(ValueId);
        ids.into_iter().any(|v| self.byte_lookup(v, tables).is_some() || self.linear(v).is_some())
    }

    /// Whether a value is only ever multiplied by matrices.
    pub fn only_multiplied(&self, v: ValueId) -> bool {
        !self.is_output(v) && self.users(v).iter().all(|(op, _)| matches!(op.kind, OpKind::Linear(..)))
    }
}

/// Visits every value that an operation uses, those used inside its bodies included.
pub fn all_uses(op: &Op, f: &mut dyn FnMut(ValueId)) {
    uses(&op.kind, f);
    if let OpKind::Loop(l) = &op.kind {
        uses_inside(l, f);
    }
}

/// Visits every value that the bodies of a loop use.
pub fn uses_inside(l: &Loop, f: &mut dyn FnMut(ValueId)) {
    l.bodies.iter().for_each(|body| uses_in(body, f));
}

fn uses_in(block: &Block, f: &mut dyn FnMut(ValueId)) {
    block.ops.iter().for_each(|op| all_uses(op, f));
    for output in &block.outputs {
        if let Operand::Value(v) = output {
            f(*v);
        }
    }
}

/// Runs of consecutive carried bytes of a loop: start and length.
pub fn byte_runs(facts: &Facts<'_>, op: &Op, l: &Loop) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for n in (0..l.init.len()).filter(|&n| facts.is_byte(op.results[n])) {
        match runs.last_mut() {
            Some((start, count)) if *start + *count == n => *count += 1,
            _ => runs.push((n, 1)),
        }
    }
    runs
}
