//! Trees of one operation: which values are inside one, and what its terms are.

use std::collections::HashMap;

use super::arrival::{scale_of, Times};
use super::build::finish_time;
use crate::ir::{Binary, Block, Op, OpKind, Operand, ValueId};
use crate::walk::uses;

/// Most terms that a tree gathers by doing operations twice.
const MOST_TERMS: usize = 16;

/// Operations that form trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Exclusive or.
    Xor,
    /// And.
    And,
    /// Or.
    Or,
    /// Addition and subtraction.
    Sum,
}

impl Class {
    /// The class of an operation that may be the inside of a tree.
    #[must_use]
    pub fn of(kind: &OpKind) -> Option<Class> {
        match kind {
            OpKind::Binary(Binary::Xor, ..) => Some(Class::Xor),
            OpKind::Binary(Binary::And, ..) => Some(Class::And),
            OpKind::Binary(Binary::Or, ..) => Some(Class::Or),
            OpKind::Binary(Binary::Add | Binary::Sub, ..) => Some(Class::Sum),
            _ => None,
        }
    }
}

/// `± 2^scale * operand`, there at a time; only sums have signs and scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The number or value.
    pub operand: Operand,
    /// Whether it is subtracted.
    pub negative: bool,
    /// 0 to 3.
    pub scale: u8,
    /// When the operand is there.
    pub time: u64,
    /// Whether it is a combination of terms.
    pub combined: bool,
    /// How many operations of the tree lie between it and the root.
    pub depth: u64,
    /// The sum of the times of the terms in it.
    pub weight: u64,
}

/// The operations of one block that form trees.
#[derive(Debug)]
pub struct Trees {
    made: HashMap<ValueId, OpKind>,
    /// Values that only an operation of this class in the same block uses, once.
    inside: HashMap<ValueId, Class>,
}

impl Trees {
    /// Finds out which values of a block are used inside one tree only.
    #[must_use]
    pub fn of(block: &Block, use_counts: &[u32]) -> Self {
        let mut inside = HashMap::new();
        for op in &block.ops {
            let Some(class) = Class::of(&op.kind) else { continue };
            uses(&op.kind, &mut |v| {
                if use_counts[v.0 as usize] == 1 {
                    inside.insert(v, class);
                }
            });
        }
        Trees { made: HashMap::new(), inside }
    }

    /// Notes what an operation of the block makes.
    pub fn add(&mut self, op: &Op) {
        if Class::of(&op.kind).is_some() || scale_of(&op.kind).is_some() {
            self.made.insert(op.results[0], op.kind.clone());
        }
    }

    fn class_of(&self, v: ValueId) -> Option<Class> {
        self.made.get(&v).and_then(Class::of)
    }

    /// Whether a value is not inside a larger tree of its own class.
    #[must_use]
    pub fn is_root(&self, v: ValueId) -> bool {
        self.inside.get(&v).copied() != self.class_of(v)
    }

    /// The terms of the tree below a root.
    #[must_use]
    pub fn terms(&self, root: ValueId, class: Class, times: &Times) -> Vec<Term> {
        let mut terms = Vec::new();
        self.expand((root, false, 1), class, times, &mut terms);
        terms
    }

    /// Adds the operands of an operation, going on through those that are inside the same tree.
    fn expand(&self, (v, negative, depth): (ValueId, bool, u64), class: Class, times: &Times, terms: &mut Vec<Term>) {
        let Some(&OpKind::Binary(which, a, b)) = self.made.get(&v) else { return };
        for (operand, negative) in [(a, negative), (b, negative ^ (which == Binary::Sub))] {
            match operand {
                Operand::Value(v) if !self.is_root(v) && self.class_of(v) == Some(class) => {
                    self.expand((v, negative, depth + 1), class, times, terms);
                }
                _ => terms.push(Term { depth, ..self.term(operand, negative, class, times) }),
            }
        }
    }

    fn term(&self, operand: Operand, negative: bool, class: Class, times: &Times) -> Term {
        if let (Class::Sum, Operand::Value(v)) = (class, operand) {
            if let Some((scale, inner)) = self.made.get(&v).and_then(scale_of) {
                return Term {
                    operand: inner,
                    negative,
                    scale,
                    time: times.of(inner),
                    combined: false,
                    depth: 0,
                    weight: 0,
                };
            }
        }
        Term { operand, negative, scale: 0, time: times.of(operand), combined: false, depth: 0, weight: 0 }
    }

    /// Replaces the latest term by what it is made of, as long as the tree is finished sooner.
    pub fn reach_further(&self, terms: &mut Vec<Term>, class: Class, times: &Times) {
        let alu = times.latencies.alu;
        while let Some(n) = (0..terms.len()).max_by_key(|&n| terms[n].time) {
            let Operand::Value(v) = terms[n].operand else { return };
            if terms[n].scale > 0 || self.class_of(v) != Some(class) {
                return;
            }
            let mut further = terms.clone();
            let Term { negative, depth, .. } = further.remove(n);
            self.expand((v, negative, depth + 1), class, times, &mut further);
            if further.len() > MOST_TERMS || finish_time(&further, class, alu) >= finish_time(terms, class, alu) {
                return;
            }
            *terms = further;
        }
    }
}
