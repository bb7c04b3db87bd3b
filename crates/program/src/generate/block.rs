//! Random sums and addresses, always in range.

use super::function::FunctionGenerator;
use crate::builder::add_term;
use crate::ir::{Address, Affine, Op, OpKind, Operand, Type, ValueId};

impl FunctionGenerator<'_> {
    /// Operations until the budget or `most` is used up.
    pub(super) fn operations(&mut self, ops: &mut Vec<Op>, most: usize) {
        for _ in 0..most {
            if self.budget == 0 {
                return;
            }
            self.any_operation(ops);
        }
    }

    /// A sum of up to two indices, constant 0.
    pub(super) fn index_sum(&mut self) -> Affine {
        let mut affine = Affine::default();
        for _ in 0..self.random.below(3) {
            if let Some(v) = self.any(|ty| *ty == Type::Index) {
                let coefficient = self.random.pick(&[1, 1, 1, 2, 3, 4, -1, -2]);
                add_term(&mut affine, coefficient, v);
            }
        }
        affine
    }

    /// An address along a dimension.
    pub(super) fn address(&mut self, ops: &mut Vec<Op>, extent: u32) -> Address {
        let mut affine = self.index_sum();
        if self.random.chance(25) {
            if let Some(word) = self.address_word(ops, extent) {
                affine.terms.push((1, word));
                if affine.terms.len() > 1 && self.random.chance(50) {
                    affine.terms.remove(0);
                }
            }
        }
        let range = self.indices.range(&affine);
        let room = i128::from(extent) - 1 - (range.max - range.min);
        if room < 0 || self.random.chance(10) {
            affine.constant = self.random.from_to(-300, 300);
            return Address { affine, ring: true };
        }
        affine.constant = -range.min as i64 + self.random.from_to(0, room as i64);
        Address { affine, ring: false }
    }

    /// A word that may stand in an address: cut to the dimension, or any (which needs a ring).
    ///
    /// The widest leave room for the number of a part below them (`split-words`).
    fn address_word(&mut self, ops: &mut Vec<Op>, extent: u32) -> Option<ValueId> {
        let small = |ty: &Type| matches!(ty, Type::Word(width) if *width < 60);
        let word = self.any(small)?;
        let Type::Word(width) = *self.builder.ty(word) else { return None };
        let bits = (32 - extent.leading_zeros()).saturating_sub(1) as u8;
        if bits == 0 || width <= bits || self.random.chance(20) {
            return Some(word);
        }
        let position = self.random.below(usize::from(width - bits) + 1) as u8;
        let kind = OpKind::Extract(Operand::Value(word), position);
        Some(self.push(ops, kind, vec![Type::Word(bits)])[0])
    }

    /// Addresses of an element, or of a row if `row` and the array has rows.
    pub(super) fn addresses(&mut self, ops: &mut Vec<Op>, dims: &[u32], row: bool) -> Vec<Address> {
        let count = if row && dims.len() == 2 { 1 } else { dims.len() };
        dims[..count].iter().map(|&extent| self.address(ops, extent)).collect()
    }
}
