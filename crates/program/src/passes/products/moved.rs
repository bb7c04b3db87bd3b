//! Products of narrow words by numbers that only put copies side by side.

use super::super::rewrite::Rewriter;
use super::Words;
use crate::ir::{Op, OpKind, Operand, Type, ValueId};

impl Words<'_> {
    /// Notes how many bits an index or a widened word has.
    pub(super) fn note(&mut self, r: &Rewriter<'_>, op: &Op) {
        let bits = match &op.kind {
            OpKind::Word(affine) => {
                let range = self.indices.range(affine);
                (1..=64).find(|&bits| range.min >= 0 && range.max < 1_i128 << bits)
            }
            OpKind::Zext(v) => match *r.builder.ty(*v) {
                Type::Word(width) => Some(width),
                _ => None,
            },
            _ => None,
        };
        self.bits.extend(bits.map(|bits| (op.results[0], bits)));
    }

    /// The product of a narrow word by a number, if it is copies of the word side by side.
    pub(super) fn moved(&self, r: &mut Rewriter<'_>, word: ValueId, number: u64, width: u8) -> Option<OpKind> {
        let bits = *self.bits.get(&word)?;
        let places: Vec<u8> = (0..64).filter(|k| number >> k & 1 == 1).collect();
        let apart = places.windows(2).all(|pair| pair[1] - pair[0] >= bits);
        if places.len() < 2 || !apart || places[places.len() - 1] + bits > width {
            return None;
        }
        let narrow = r.op("", Type::Word(bits), OpKind::Extract(Operand::Value(word), 0));
        let mut parts = Vec::new();
        let mut filled = 0;
        for place in places {
            if place > filled {
                parts.push(r.value(Operand::Const(0), place - filled));
            }
            parts.push(narrow);
            filled = place + bits;
        }
        if width > filled {
            parts.push(r.value(Operand::Const(0), width - filled));
        }
        Some(OpKind::Concat(parts))
    }
}
