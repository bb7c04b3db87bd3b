//! Building a tree from its terms: always the two earliest first.

use super::tree::{Class, Term};
use super::Walker;
use crate::ir::{Binary, Op, OpKind, Operand, Shift, Type};
use crate::semantics::mask;

/// When a tree of these terms is finished, and how well it would bear delays: the sum of all times on the way to the root.
#[must_use]
pub fn finish_time(terms: &[Term], class: Class, alu: u64) -> (u64, u64) {
    let mut left = terms.to_vec();
    let mut waiting = 0;
    left.iter_mut().for_each(|t| t.weight = t.time);
    while left.len() > 1 {
        let (a, b) = two_earliest(&mut left);
        let weight = a.weight + b.weight;
        waiting += weight;
        left.push(Term { time: finished(&a, &b, alu), weight, ..joined(a, b, class) });
    }
    (left.first().map_or(0, |t| t.time + alu * u64::from(t.scale > 0)), waiting)
}

/// Takes out the two terms that are there first. At the same time a sum made before comes first, so that chains
/// form, whose steps can take their other operand from memory; then the order written counts.
fn two_earliest(terms: &mut Vec<Term>) -> (Term, Term) {
    let mut take = || {
        let n = (0..terms.len()).min_by_key(|&n| (terms[n].time, !terms[n].combined, n)).unwrap_or(0);
        terms.remove(n)
    };
    (take(), take())
}

/// When two terms are combined; two scaled ones need a shift first.
fn finished(a: &Term, b: &Term, alu: u64) -> u64 {
    let both = a.scale > 0 && b.scale > 0;
    let subtracted = |t: &Term| t.scale > 0 && t.negative;
    a.time.max(b.time) + alu * (1 + u64::from(both || subtracted(a) || subtracted(b)))
}

/// The sign of the combination of two terms: negative only if both are.
fn joined(a: Term, b: Term, class: Class) -> Term {
    let negative = class == Class::Sum && a.negative && b.negative;
    Term { negative, scale: 0, combined: true, ..a }
}

/// Puts a tree of the terms in place of an operation, if that is finished sooner or has fewer operations.
pub fn rebuild(walker: &mut Walker<'_>, op: &Op, class: Class, terms: Vec<Term>, out: &mut Vec<Op>) -> bool {
    let Type::Word(width) = *walker.builder.ty(op.results[0]) else { return false };
    let alu = walker.times.latencies.alu;
    let count = terms.len();
    let waiting = terms.iter().map(|t| t.depth * t.time).sum();
    let mut left = simplified(terms, class, width);
    let sooner = finish_time(&left, class, alu) < (walker.times.finished(&op.kind), waiting);
    if left.len() < 2 || (left.len() == count && !sooner) {
        return false;
    }
    let mut tree = Tree { walker, op, class, width, out };
    while left.len() > 2 {
        let (a, b) = two_earliest(&mut left);
        let combined = tree.combined(a, b);
        left.push(combined);
    }
    let (a, b) = two_earliest(&mut left);
    tree.last(a, b);
    true
}

/// Numbers are made one, pairs that cancel go, equal terms become one.
fn simplified(terms: Vec<Term>, class: Class, width: u8) -> Vec<Term> {
    let mut number = if class == Class::And { mask(width) } else { 0 };
    let neutral = number;
    let mut left: Vec<Term> = Vec::new();
    for term in terms {
        match (term.operand, class) {
            (Operand::Const(c), Class::Xor) => number ^= c,
            (Operand::Const(c), Class::And) => number &= c,
            (Operand::Const(c), Class::Or) => number |= c,
            (Operand::Const(c), Class::Sum) if term.negative => number = number.wrapping_sub(c << term.scale),
            (Operand::Const(c), Class::Sum) => number = number.wrapping_add(c << term.scale),
            (Operand::Value(_), _) => add_term(&mut left, term, class),
        }
    }
    number &= mask(width);
    if number != neutral {
        left.push(constant(number, class, width));
    }
    left
}

/// A constant term; a large one of a sum is subtracted instead.
fn constant(number: u64, class: Class, width: u8) -> Term {
    let negative = class == Class::Sum && number > mask(width) / 2 + 1;
    let number = if negative { number.wrapping_neg() & mask(width) } else { number };
    Term { operand: Operand::Const(number), negative, scale: 0, time: 0, combined: false, depth: 0, weight: 0 }
}

fn add_term(left: &mut Vec<Term>, mut term: Term, class: Class) {
    let same = |t: &Term| t.operand == term.operand && (class != Class::Sum || t.scale == term.scale);
    let Some(n) = left.iter().position(same) else { return left.push(term) };
    match class {
        Class::And | Class::Or => {}
        Class::Xor => drop(left.remove(n)),
        Class::Sum if left[n].negative != term.negative => drop(left.remove(n)),
        Class::Sum if term.scale < 3 => {
            left.remove(n);
            term.scale += 1;
            add_term(left, term, class);
        }
        Class::Sum => left.push(term),
    }
}

struct Tree<'a, 'b> {
    walker: &'a mut Walker<'b>,
    op: &'a Op,
    class: Class,
    width: u8,
    out: &'a mut Vec<Op>,
}

impl Tree<'_, '_> {
    fn push(&mut self, kind: OpKind) -> Operand {
        let (op, value) = self.walker.builder.op("", Type::Word(self.width), kind, &self.op.places);
        self.walker.times.operation(&op);
        self.out.push(op);
        Operand::Value(value)
    }

    fn combined(&mut self, a: Term, b: Term) -> Term {
        let kind = self.kind(a, b);
        let time = finished(&a, &b, self.walker.times.latencies.alu);
        Term { operand: self.push(kind), time, ..joined(a, b, self.class) }
    }

    /// The operation that combines two terms, up to the sign that [`joined`] says.
    fn kind(&mut self, a: Term, b: Term) -> OpKind {
        let (x, y) = (self.scaled(a), self.scaled(b));
        match self.class {
            Class::Xor => OpKind::Binary(Binary::Xor, x, y),
            Class::And => OpKind::Binary(Binary::And, x, y),
            Class::Or => OpKind::Binary(Binary::Or, x, y),
            Class::Sum if a.negative == b.negative => OpKind::Binary(Binary::Add, x, y),
            Class::Sum if a.negative => OpKind::Binary(Binary::Sub, y, x),
            Class::Sum => OpKind::Binary(Binary::Sub, x, y),
        }
    }

    fn scaled(&mut self, term: Term) -> Operand {
        match term.scale {
            0 => term.operand,
            n => self.push(OpKind::Shift(Shift::Shl, term.operand, Operand::Const(n.into()))),
        }
    }

    /// The last combination defines the value that the tree stands for.
    fn last(&mut self, a: Term, b: Term) {
        let mut kind = self.kind(a, b);
        if joined(a, b, self.class).negative {
            let sum = self.push(kind);
            kind = OpKind::Binary(Binary::Sub, Operand::Const(0), sum);
        }
        self.out.push(Op { kind, ..self.op.clone() });
    }
}
