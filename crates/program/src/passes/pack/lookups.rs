//! Look-ups of words: S-boxes merged with the columns of a matrix, and S-boxes in a lane.

use super::emit::Emitter;
use super::merged::{Columns, Derivation, Product};
use super::words::number_or_zero;
use crate::ir::{Address, Affine, Binary, Op, OpKind, Operand, Shift, TableId};

impl Emitter<'_> {
    /// Look-ups without a matrix: tables of words that hold the byte in its place.
    pub(super) fn placed(&mut self, lanes: &[Operand]) -> Operand {
        let bytes = lanes.len();
        let mut sum = Operand::Const(lanes.iter().rev().fold(0u64, |sum, o| sum << 8 | number_or_zero(*o)));
        for (lane, &byte) in lanes.iter().enumerate() {
            let Operand::Value(v) = byte else { continue };
            let Some((table, index)) = self.facts.byte_lookup(v, &self.tables.old) else { continue };
            let index = self.value(index);
            let part = match index {
                Operand::Const(n) => Operand::Const(self.tables.old[table.0 as usize].data[n as usize] << (8 * lane)),
                Operand::Value(_) => {
                    let (placed, derivation) = self.tables.placed(table, lane, bytes);
                    let word = self.looked_up(placed, index, bytes);
                    self.derived(word, derivation, bytes)
                }
            };
            sum = self.xor(sum, part, bytes);
        }
        sum
    }

    pub(super) fn looked_up(&mut self, table: TableId, index: Operand, bytes: usize) -> Operand {
        let mut affine = Affine::default();
        match index {
            Operand::Value(v) => affine.terms.push((1, v)),
            Operand::Const(n) => affine.constant = n as i64,
        }
        self.new_word(bytes, OpKind::Lookup(table, Address { affine, ring: false }))
    }

    /// The bytes that go into a product, each with the columns that it goes through.
    pub(super) fn sources(&self, inputs: &[Operand]) -> Vec<(Operand, Columns)> {
        let mut sources: Vec<(Operand, Columns)> = Vec::new();
        for (column, &input) in inputs.iter().enumerate() {
            let (source, chain) = self.source(input);
            match sources.iter_mut().find(|s| s.0 == source) {
                Some(known) => known.1.push((column, chain)),
                None => sources.push((source, vec![(column, chain)])),
            }
        }
        sources
    }

    /// Rows of a product: one look-up for each byte that goes in, its S-box merged with the matrix.
    pub(super) fn multiplied(&mut self, op: &Op, rows: &[usize]) -> Operand {
        let OpKind::Linear(matrix, inputs) = &op.kind else { return Operand::Const(0) };
        let mut sum = Operand::Const(0);
        for (source, columns) in self.sources(inputs) {
            let product = self.tables.product(*matrix, &columns, rows);
            let term = self.product_word(product, source, rows.len());
            sum = self.xor(sum, term, rows.len());
        }
        sum
    }

    /// What one byte adds to a word of a product.
    pub(super) fn product_word(&mut self, product: Product, source: Operand, bytes: usize) -> Operand {
        match self.operand(source) {
            Operand::Const(n) => Operand::Const(product.data(&self.tables.new_data)[n as usize]),
            _ if product.is_zero(&self.tables.new_data) => Operand::Const(0),
            index => {
                let (table, derivation) = self.tables.table_for(product, bytes);
                let word = self.looked_up(table, index, bytes);
                self.derived(word, derivation, bytes)
            }
        }
    }

    /// What a look-up's word is made into.
    fn derived(&mut self, word: Operand, derivation: Derivation, bytes: usize) -> Operand {
        let word = self.turned(word, derivation.turn, bytes);
        if derivation.mask == crate::semantics::mask(8 * bytes as u8) {
            return word;
        }
        self.new_word(bytes, OpKind::Binary(Binary::And, word, Operand::Const(derivation.mask)))
    }

    pub(super) fn turned(&mut self, word: Operand, lanes: usize, bytes: usize) -> Operand {
        if lanes == 0 || word == Operand::Const(0) {
            return word;
        }
        self.new_word(bytes, OpKind::Shift(Shift::Rotl, word, Operand::Const(8 * lanes as u64)))
    }

    /// Looks through look-ups that nothing but matrices use: the byte before them, and the tables from the inside out.
    fn source(&self, input: Operand) -> (Operand, Vec<TableId>) {
        let mut chain = Vec::new();
        let mut input = self.facts.resolved(input);
        while let Operand::Value(v) = input {
            let used_here =
                if chain.is_empty() { self.facts.only_multiplied(v) } else { self.facts.users(v).len() == 1 };
            let here = self.facts.def(v).block == self.block && !self.groups.home.contains_key(&v);
            match self.facts.byte_lookup(v, &self.tables.old) {
                Some((table, index)) if used_here && here => {
                    chain.insert(0, table);
                    input = self.facts.resolved(Operand::Value(index));
                }
                _ => break,
            }
        }
        (input, chain)
    }
}
