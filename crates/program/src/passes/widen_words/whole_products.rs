//! What of a product lies above the width of a register, by products of halves of its factors.
//!
//! Identity, for a = a1 H + a0 and b = b1 H + b0 with H the square root of what a register counts to: a b is
//! a1 b1 H² + (a1 b0 + a0 b1) H + a0 b0, and the sum of what stands at H, by halves, stays below 3 H.

use std::collections::HashMap;

use crate::ir::{Binary, Function, Op, OpKind, Operand, Shift, ValueId};
use crate::passes::rewrite::{rewrite, Rewriter};
use crate::semantics::mask;

/// Replaces fields of products of which one register holds the lower half, and at most one more the upper one.
pub(super) fn by_halves(function: &mut Function, width: u8) {
    let mut whole = Products::default();
    rewrite(function, &mut |r, op| whole.operation(r, op, width));
    super::super::dce::clean(function);
}

#[derive(Default)]
struct Products {
    /// What words wider than a register are made from, where that is one that fits a register.
    narrow: HashMap<ValueId, ValueId>,
    factors: HashMap<ValueId, [Operand; 2]>,
    upper: HashMap<ValueId, Operand>,
}

impl Products {
    fn operation(&mut self, r: &mut Rewriter<'_>, op: Op, width: u8) {
        let result = op.results.first().copied();
        let is_wide = result.is_some_and(|v| (width + 1..=2 * width).contains(&r.builder.ty(v).width()));
        match (&op.kind, result) {
            (&OpKind::Zext(x), Some(result)) if is_wide && r.builder.ty(x).width() <= width => {
                self.narrow.insert(result, x);
            }
            (&OpKind::Binary(Binary::Mul, a, b), Some(result)) if is_wide => {
                if let (Some(a), Some(b)) = (self.factor(r, a, width), self.factor(r, b, width)) {
                    self.factors.insert(result, [a, b]);
                }
            }
            (&OpKind::Extract(Operand::Value(product), position), Some(result)) if position >= width => {
                if let Some(&[a, b]) = self.factors.get(&product) {
                    let upper = match self.upper.get(&product) {
                        Some(&upper) => upper,
                        None => upper(r, a, b, width),
                    };
                    self.upper.insert(product, upper);
                    if r.builder.ty(result).width() == width {
                        r.stand(result, upper);
                    } else {
                        r.keep(Op { kind: OpKind::Extract(upper, position - width), ..op });
                    }
                    return;
                }
            }
            _ => {}
        }
        r.keep(op);
    }

    /// An operand as wide as a register.
    fn factor(&self, r: &mut Rewriter<'_>, operand: Operand, width: u8) -> Option<Operand> {
        match operand {
            Operand::Const(number) => (number <= mask(width)).then_some(operand),
            Operand::Value(value) => {
                let &narrow = self.narrow.get(&value)?;
                let fits = r.builder.ty(narrow).width() == width;
                Some(if fits { Operand::Value(narrow) } else { r.word(width, OpKind::Zext(narrow)) })
            }
        }
    }
}

fn upper(r: &mut Rewriter<'_>, a: Operand, b: Operand, width: u8) -> Operand {
    let half = u64::from(width / 2);
    let ([a1, a0], [b1, b0]) = (halves(r, a, width), halves(r, b, width));
    let [low, first, second, high] =
        [(a0, b0), (a0, b1), (a1, b0), (a1, b1)].map(|(x, y)| r.word(width, OpKind::Binary(Binary::Mul, x, y)));
    let carried = r.shift(Shift::Shr, low, half, width);
    let ([first, first_low], [second, second_low]) = (halves(r, first, width), halves(r, second, width));
    let middle = sum(r, &[carried, first_low, second_low], width);
    let carried = r.shift(Shift::Shr, middle, half, width);
    sum(r, &[high, first, second, carried], width)
}

/// The upper and the lower half of a word, each as a word.
fn halves(r: &mut Rewriter<'_>, x: Operand, width: u8) -> [Operand; 2] {
    let half = width / 2;
    if let Operand::Const(number) = x {
        return [Operand::Const(number >> half), Operand::Const(number & mask(half))];
    }
    let upper = r.shift(Shift::Shr, x, half.into(), width);
    [upper, r.word(width, OpKind::Binary(Binary::And, x, Operand::Const(mask(half))))]
}

fn sum(r: &mut Rewriter<'_>, parts: &[Operand], width: u8) -> Operand {
    let (&first, rest) = parts.split_first().expect("there are parts");
    rest.iter().fold(first, |sum, &part| r.word(width, OpKind::Binary(Binary::Add, sum, part)))
}
