//! Regrouping so that constants and keys meet: `c (x + k) + d = c x + (c k + d)`, `(x ^ k) ^ d = x ^ (k ^ d)`.

use std::collections::HashMap;

use super::analysis::Dependence;
use crate::ir::{Binary, Function, Op, OpKind, Operand, Shift, Type, ValueId};
use crate::passes::rewrite::{rewrite, Rewriter};

/// Regroups the sums and exclusive ors of a function.
pub fn regroup(function: &mut Function) {
    let uses = crate::walk::use_counts(function);
    let mut splitter = Splitter { dependence: Dependence::of(function), uses, made: HashMap::new() };
    rewrite(function, &mut |r, op| splitter.visit(r, op));
    super::super::dce::clean(function);
}

struct Splitter {
    dependence: Dependence,
    uses: Vec<u32>,
    made: HashMap<ValueId, OpKind>,
}

/// `multiple of (word ± key)`, or `key - word`.
struct KeyTerm {
    word: Operand,
    word_negative: bool,
    key: Operand,
    key_negative: bool,
}

impl Splitter {
    fn visit(&mut self, r: &mut Rewriter<'_>, mut op: Op) {
        let width = match op.results.first().map(|&v| r.builder.ty(v).clone()) {
            Some(Type::Word(width)) if op.results.len() == 1 => width,
            _ => return r.keep(op),
        };
        let better = match op.kind {
            OpKind::Binary(Binary::Xor, a, b) => self.exclusive_or(r, a, b, width),
            OpKind::Binary(which @ (Binary::Add | Binary::Sub), a, b) => self.sum(r, which, a, b, width),
            _ => None,
        };
        op.kind = better.unwrap_or(op.kind);
        self.made.insert(op.results[0], op.kind.clone());
        r.keep(op);
    }

    /// The operand that depends on the block, and the one that does not.
    fn sides(&self, a: Operand, b: Operand) -> Option<(Operand, Operand)> {
        match (self.dependence.holds(a), self.dependence.holds(b)) {
            (true, false) => Some((a, b)),
            (false, true) => Some((b, a)),
            _ => None,
        }
    }

    /// Whether nothing else uses an operand: only then does regrouping alone save an operation.
    fn is_used_once(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Value(v) if self.uses.get(v.0 as usize) == Some(&1))
    }

    fn made_by(&self, operand: Operand) -> Option<&OpKind> {
        match operand {
            Operand::Value(v) => self.made.get(&v),
            Operand::Const(_) => None,
        }
    }

    fn exclusive_or(&self, r: &mut Rewriter<'_>, a: Operand, b: Operand, width: u8) -> Option<OpKind> {
        let (word, d) = self.sides(a, b)?;
        let OpKind::Binary(Binary::Xor, x, y) = *self.made_by(word).filter(|_| self.is_used_once(word))? else {
            return None;
        };
        let (x, k) = self.sides(x, y)?;
        let keys = r.xor(k, d, width);
        Some(OpKind::Binary(Binary::Xor, x, keys))
    }

    fn sum(&self, r: &mut Rewriter<'_>, which: Binary, a: Operand, b: Operand, width: u8) -> Option<OpKind> {
        let (word, d) = self.sides(a, b)?;
        let (word_negative, d_negative) = match which {
            Binary::Sub => (word == b, d == b),
            _ => (false, false),
        };
        let (factor, inner) = self.multiple(word);
        let keyed = self.keyed(inner).filter(|_| inner != word || self.is_used_once(word))?;
        let multiple = |r: &mut Rewriter<'_>, x: Operand| match factor {
            Operand::Const(1) => x,
            factor => r.word(width, OpKind::Binary(Binary::Mul, factor, x)),
        };
        let x = multiple(r, keyed.word);
        let k = multiple(r, keyed.key);
        let x_negative = keyed.word_negative ^ word_negative;
        let terms = [(k, keyed.key_negative ^ word_negative), (d, d_negative)];
        let (keys, keys_negative) = signed_sum(r, terms, x_negative, width);
        Some(match (x_negative, keys_negative) {
            (false, true) => OpKind::Binary(Binary::Sub, x, keys),
            (true, _) => OpKind::Binary(Binary::Sub, keys, x),
            (false, false) => OpKind::Binary(Binary::Add, x, keys),
        })
    }

    /// c and x of `c * x` with a constant c.
    fn multiple(&self, operand: Operand) -> (Operand, Operand) {
        match self.made_by(operand) {
            Some(
                &OpKind::Binary(Binary::Mul, c @ Operand::Const(_), x)
                | &OpKind::Binary(Binary::Mul, x, c @ Operand::Const(_)),
            ) => (c, x),
            Some(&OpKind::Shift(Shift::Shl, x, Operand::Const(n))) => (Operand::Const(1 << n), x),
            _ => (Operand::Const(1), operand),
        }
    }

    fn keyed(&self, operand: Operand) -> Option<KeyTerm> {
        let OpKind::Binary(which @ (Binary::Add | Binary::Sub), a, b) = *self.made_by(operand)? else { return None };
        let (word, key) = self.sides(a, b)?;
        let subtracted = |o: Operand| which == Binary::Sub && o == b;
        Some(KeyTerm { word, word_negative: subtracted(word), key, key_negative: subtracted(key) })
    }
}

/// `± a ± b`, and whether it is the negative of what was computed, which it never is if `positive` is asked for.
fn signed_sum(r: &mut Rewriter<'_>, terms: [(Operand, bool); 2], positive: bool, width: u8) -> (Operand, bool) {
    let [(a, a_negative), (b, b_negative)] = terms;
    let mut op = |which: Binary, x: Operand, y: Operand| r.word(width, OpKind::Binary(which, x, y));
    match (a_negative, b_negative) {
        (false, true) => (op(Binary::Sub, a, b), false),
        (true, false) => (op(Binary::Sub, b, a), false),
        (true, true) if positive => {
            let minus_a = op(Binary::Sub, Operand::Const(0), a);
            (op(Binary::Sub, minus_a, b), false)
        }
        (negative, _) => (op(Binary::Add, a, b), negative),
    }
}
