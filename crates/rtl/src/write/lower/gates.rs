//! Small expressions that several operations are made of.

use program::ir::Compare;
use program::semantics;

use crate::write::expression::{concat, Expr, Operator};

/// A word with zeros before it.
pub(super) fn widened(value: Expr, width: u32) -> Expr {
    match value {
        Expr::Const { value, .. } => Expr::number(value, width),
        value if value.width() == width => value,
        value => concat(vec![Expr::number(0, width - value.width()), value]),
    }
}

/// A word plus a number.
pub(super) fn sum(value: Expr, constant: u64) -> Expr {
    let width = value.width();
    match value {
        value if constant == 0 => value,
        Expr::Const { value, .. } => Expr::number(value.wrapping_add(constant), width),
        value if width == 1 => Expr::negated(value),
        value => Expr::binary(Operator::Add, value, Expr::number(constant, width)),
    }
}

/// A comparison; of single bits it is a gate.
pub(super) fn compared(which: Compare, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const { value: a, .. }, Expr::Const { value: b, .. }) = (&a, &b) {
        return Expr::number(semantics::compare(which, *a, *b), 1);
    }
    let is = |e: &Expr, number: u64| matches!(e, Expr::Const { value, .. } if *value == number);
    if which == Compare::Ltu && (is(&b, 0) || is(&a, semantics::mask(a.width() as u8))) {
        // Nothing is less than 0 or more than the largest number.
        return Expr::number(0, 1);
    }
    if a.width() != 1 {
        return Expr::Compare(which, Box::new(a), Box::new(b));
    }
    match (which, a, b) {
        (Compare::Eq, a, Expr::Const { value: 1, .. }) | (Compare::Ne, a, Expr::Const { value: 0, .. }) => a,
        (Compare::Eq, a, Expr::Const { .. }) | (Compare::Ne, a, Expr::Const { .. }) => Expr::negated(a),
        (Compare::Eq, a, b) => Expr::negated(Expr::binary(Operator::Xor, a, b)),
        (Compare::Ne, a, b) => Expr::binary(Operator::Xor, a, b),
        (Compare::Ltu, a, b) => Expr::binary(Operator::And, Expr::negated(a), b),
    }
}
