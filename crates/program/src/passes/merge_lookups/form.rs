//! A word as a sum over GF(2) of bits of other words.

use std::collections::BTreeMap;

use crate::ir::{Binary, OpKind, Operand, Shift, ValueId};
use crate::semantics::{self, mask};

/// `constant` and, for each bit of each word that the sum is of, which bits of the result it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    pub constant: u64,
    pub parts: BTreeMap<ValueId, Vec<u64>>,
}

impl Form {
    /// A word as itself.
    pub fn itself(value: ValueId, width: u8) -> Form {
        Form { constant: 0, parts: BTreeMap::from([(value, itself(width))]) }
    }

    pub fn number(constant: u64) -> Form {
        Form { constant, ..Form::default() }
    }

    /// The sum with another in the place of one of its words.
    pub fn with(&self, word: ValueId, other: &Form) -> Form {
        let mut sum = Form { constant: self.constant, parts: self.parts.clone() };
        if let Some(columns) = sum.parts.remove(&word) {
            let applied = |x: u64| {
                let set = columns.iter().enumerate().filter(|(bit, _)| x >> bit & 1 == 1);
                set.fold(0, |all, (_, column)| all ^ column)
            };
            sum.add(&other.mapped(&applied));
        }
        sum
    }

    /// Whether all words stand for themselves: a sum of whole words.
    pub fn is_of_whole_words(&self, width: u8) -> bool {
        self.parts.values().all(|columns| *columns == itself(width))
    }

    fn add(&mut self, other: &Form) {
        self.constant ^= other.constant;
        for (&value, columns) in &other.parts {
            let own = self.parts.entry(value).or_insert_with(|| vec![0; columns.len()]);
            own.iter_mut().zip(columns).for_each(|(a, b)| *a ^= b);
        }
        self.parts.retain(|_, columns| columns.iter().any(|&c| c != 0));
    }

    /// The sum after a linear map of words.
    fn mapped(&self, f: &dyn Fn(u64) -> u64) -> Form {
        let parts = self.parts.iter().map(|(&v, columns)| (v, columns.iter().map(|&c| f(c)).collect())).collect();
        let mut made = Form { constant: f(self.constant), parts };
        made.parts.retain(|_, columns: &mut Vec<u64>| columns.iter().any(|&c| c != 0));
        made
    }
}

/// The columns of a word that stands for itself.
pub(super) fn itself(width: u8) -> Vec<u64> {
    (0..width).map(|bit| 1 << bit).collect()
}

/// Whether an operation is linear over GF(2) in all words that it takes, up to a constant.
pub(super) fn is_linear(kind: &OpKind) -> bool {
    match kind {
        OpKind::Binary(Binary::Xor, ..)
        | OpKind::Not(_)
        | OpKind::Extract(..)
        | OpKind::Concat(_)
        | OpKind::Zext(_)
        | OpKind::Const(_) => true,
        OpKind::Binary(Binary::And | Binary::Or, a, b) => {
            matches!((a, b), (Operand::Const(_), _) | (_, Operand::Const(_)))
        }
        OpKind::Shift(_, _, amount) => matches!(amount, Operand::Const(_)),
        _ => false,
    }
}

/// The sum that a linear operation computes, from those of its operands; `width` is that of its result.
pub(super) fn form_of(
    kind: &OpKind,
    width: u8,
    operand: &dyn Fn(Operand) -> Form,
    width_of: &dyn Fn(ValueId) -> u8,
) -> Form {
    let whole = mask(width);
    match kind {
        OpKind::Const(number) => Form::number(*number),
        OpKind::Binary(Binary::Xor, a, b) => {
            let mut sum = operand(*a);
            sum.add(&operand(*b));
            sum
        }
        OpKind::Binary(which, Operand::Const(c), other) | OpKind::Binary(which, other, Operand::Const(c)) => {
            let kept = if *which == Binary::And { *c } else { !c };
            let mut sum = operand(*other).mapped(&|x| x & kept);
            sum.constant |= if *which == Binary::And { 0 } else { c & whole };
            sum
        }
        OpKind::Not(a) => {
            let mut sum = operand(*a);
            sum.constant ^= whole;
            sum
        }
        OpKind::Shift(shift, a, Operand::Const(n)) => shifted(*shift, &operand(*a), *n, width),
        OpKind::Extract(a, position) => operand(*a).mapped(&|x| x >> position & whole),
        OpKind::Zext(v) => operand(Operand::Value(*v)),
        OpKind::Concat(parts) => {
            let (mut sum, mut start) = (Form::default(), 0);
            for &part in parts {
                sum.add(&operand(Operand::Value(part)).mapped(&|x| x << start));
                start += width_of(part);
            }
            sum
        }
        _ => unreachable!("asked of linear operations only"),
    }
}

fn shifted(which: Shift, form: &Form, amount: u64, width: u8) -> Form {
    form.mapped(&|x| semantics::shift(which, x, amount, width))
}
