//! Words that lie in memory side by side, loaded as one: halves of a register.
//!
//! The lower half is the register under other upper bits, the upper half a field of it; the same operation on both halves is one
//! operation on the whole, and fields of its words are fields of it. Whether that is taken is decided when tiles are chosen.

use program::ir::Binary;

use super::terms::{ClassId, Term};
use super::words::{Word, Words};
use crate::semantics::Operator;

/// When two words are loaded as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairLoads {
    /// Never.
    Never,
    /// Where that costs less.
    #[default]
    Cheaper,
    /// Where that costs less, and all words of the keys.
    Keys,
}

impl PairLoads {
    /// By its name: `never`, `cheaper`, `keys`.
    #[must_use]
    pub fn named(name: &str) -> Option<PairLoads> {
        match name {
            "never" => Some(PairLoads::Never),
            "cheaper" => Some(PairLoads::Cheaper),
            "keys" => Some(PairLoads::Keys),
            _ => None,
        }
    }
}

/// Where the lower bits of a word lie in a wider class.
#[derive(Clone, Copy, Debug)]
pub struct Half {
    /// The wider class.
    pub whole: ClassId,
    /// Position of the word in it.
    pub position: u8,
    /// It is loaded; otherwise computed from two that are.
    pub loaded: bool,
}

/// A class of two words.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The class.
    pub whole: ClassId,
    /// The pairs that it is computed from.
    pub parts: Vec<ClassId>,
    /// It is to be loaded whatever that costs.
    pub wanted: bool,
}

impl Words {
    /// A word that a load gives, and that is half of what a wider load gives.
    pub fn loaded_half(&mut self, width: u8, load: Term, whole: ClassId, position: u8, wanted: bool) -> Word {
        let half = Half { whole, position, loaded: true };
        let (any, mut zero) = self.half_terms(half, width);
        zero.insert(0, load);
        let word = self.word(width, any, zero);
        self.halves.insert(word.clean, half);
        self.paired(Pair { whole, parts: vec![], wanted });
        word
    }

    fn paired(&mut self, pair: Pair) {
        if !self.pairs.iter().any(|p| p.whole == pair.whole) {
            self.pairs.push(pair);
        }
    }

    /// The terms of a half under any upper bits, and under zeros.
    pub(super) fn half_terms(&mut self, half: Half, width: u8) -> (Vec<Term>, Vec<Term>) {
        match half.position {
            0 => (vec![Term::Same(half.whole)], vec![]),
            position => (vec![], self.dag.field_terms(half.whole, position, width)),
        }
    }

    /// The half that a bitwise operation on two loaded halves gives.
    pub(super) fn combined(&mut self, which: Binary, x: Word, y: Word) -> Option<Half> {
        let operator = match which {
            Binary::And => Operator::And,
            Binary::Or => Operator::Or,
            Binary::Xor => Operator::Xor,
            _ => return None,
        };
        let (a, b) = (*self.halves.get(&x.clean)?, *self.halves.get(&y.clean)?);
        if a.position != b.position || a.whole == b.whole || !(a.loaded && b.loaded) {
            return None;
        }
        let whole = self.dag.binary(operator, a.whole.min(b.whole), a.whole.max(b.whole));
        self.paired(Pair { whole, parts: vec![a.whole, b.whole], wanted: false });
        Some(Half { whole, position: a.position, loaded: false })
    }

    /// Pairs that are only worth it together: those computed from one another.
    #[must_use]
    pub fn groups(&self) -> Vec<(Vec<ClassId>, bool)> {
        let mut groups: Vec<(Vec<ClassId>, bool)> = Vec::new();
        for pair in &self.pairs {
            let mut joined = (vec![pair.whole], pair.wanted);
            groups.retain(|(members, wanted)| {
                let apart = !members.iter().any(|m| pair.parts.contains(m));
                if !apart {
                    joined.0.extend(members);
                    joined.1 |= wanted;
                }
                apart
            });
            groups.push(joined);
        }
        groups
    }
}
