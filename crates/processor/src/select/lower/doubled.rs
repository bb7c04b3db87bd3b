//! Words of twice a register's width: products of two registers, of which the halves are taken.

use program::ir::{Binary, Op, OpKind, Operand};

use super::super::words::Word;
use super::Lowering;

/// A word of twice a register's width.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doubled {
    /// A register's number under zeros.
    Word(Word),
    /// The product of two.
    Product(Word, Word),
}

impl Lowering<'_, '_> {
    /// What becomes of a product of two registers and of its halves; `false`: the operation is none of that.
    pub(super) fn doubled(&mut self, op: &Op) -> bool {
        let bits = self.lowered.words.dag.bits;
        let (result, width) = (op.results[0], self.width(op.results[0]).unwrap_or(0));
        let made = match op.kind {
            OpKind::Zext(a) if width == 2 * bits && self.width(a).is_some_and(|w| w <= bits) => {
                let a = self.known(a);
                Doubled::Word(self.words().widened(a, bits))
            }
            OpKind::Binary(Binary::Mul, a, b) if width == 2 * bits => {
                let (Some(a), Some(b)) = (self.undoubled(a), self.undoubled(b)) else { return false };
                Doubled::Product(a, b)
            }
            OpKind::Extract(Operand::Value(v), position) => {
                let Some(Doubled::Product(a, b)) = self.doubled.get(&v).copied() else { return false };
                if position != bits || width > bits {
                    return false;
                }
                let high = self.words().high_product(a, b);
                let word = self.words().extract(high, 0, width, width);
                self.values.insert(result, word);
                return true;
            }
            _ => return false,
        };
        self.doubled.insert(result, made);
        true
    }

    /// The register whose number a word of twice its width is.
    fn undoubled(&mut self, operand: Operand) -> Option<Word> {
        let bits = self.lowered.words.dag.bits;
        match operand {
            Operand::Const(n) => (n <= program::semantics::mask(bits)).then(|| self.words().constant(bits, n)),
            Operand::Value(v) => match self.doubled.get(&v)? {
                Doubled::Word(word) => Some(*word),
                Doubled::Product(..) => None,
            },
        }
    }
}
