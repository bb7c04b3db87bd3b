//! Comparisons and selections by arithmetic.

use super::operations::Widening;
use crate::ir::{Binary, Compare, OpKind, Operand, Shift, ValueId};
use crate::semantics::mask;

impl Widening<'_, '_> {
    /// 1 where a comparison holds, else 0.
    pub(super) fn compared(&mut self, which: Compare, a: Operand, b: Operand) -> Operand {
        let sign = match which {
            Compare::Ltu => {
                let not_a = self.two(Binary::Xor, a, Operand::Const(mask(self.width)));
                let difference = self.two(Binary::Sub, a, b);
                let both = self.two(Binary::And, not_a, b);
                let either = self.two(Binary::Or, not_a, b);
                let borrowed = self.two(Binary::And, either, difference);
                self.two(Binary::Or, both, borrowed)
            }
            Compare::Eq | Compare::Ne => {
                let difference = self.two(Binary::Xor, a, b);
                let negative = self.two(Binary::Sub, Operand::Const(0), difference);
                self.two(Binary::Or, difference, negative)
            }
        };
        let last = Operand::Const(u64::from(self.width) - 1);
        let bit = self.r.word(self.width, OpKind::Shift(Shift::Shr, sign, last));
        if which == Compare::Eq {
            return self.two(Binary::Xor, bit, Operand::Const(1));
        }
        bit
    }

    /// The first word where a bit is 1, else the second.
    pub(super) fn selected(&mut self, result: ValueId, c: Operand, a: Operand, b: Operand) {
        let (c, a, b) = (self.wide(c), self.wide(a), self.wide(b));
        let all = self.two(Binary::Sub, Operand::Const(0), c);
        let different = self.two(Binary::Xor, a, b);
        let taken = self.two(Binary::And, different, all);
        let word = self.two(Binary::Xor, b, taken);
        self.give(result, word);
    }
}
