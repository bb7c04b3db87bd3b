//! What a kernel computes, in the language of semantics: classes of terms that stand for the same value.
//!
//! A word of the program narrower than a register may lie there with any upper bits (dirty) or with zeros (clean). A class is one
//! value in one of these states, with every known way to compute it; its terms refer to classes made before it, so that the
//! numbers of classes are an order of evaluation.

use std::collections::HashMap;

use program::ir::Place;

use crate::code::ValueId;
use crate::semantics::{Function, Operator};

/// An index into [`Dag::classes`].
pub type ClassId = u32;

/// One way to compute the value of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Const(u64),
    /// A value that is there before: carried by a loop, or made by an earlier region.
    Given(ValueId),
    /// The address of an object's first byte, as the kernel was given it.
    Pointer(usize),
    /// `~x`
    Not(ClassId),
    /// `x op y`
    Binary(Operator, ClassId, ClassId),
    /// `c ? x : y`
    Select(ClassId, ClassId, ClassId),
    /// The upper half of the product of two registers, of twice their width.
    High(ClassId, ClassId),
    /// A function that reads no memory.
    Call(Function, Vec<ClassId>),
    /// A load.
    Load(Load),
    /// The value of another class, which fits this one as well.
    Same(ClassId),
}

/// A load of an unsigned number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    /// Bits read.
    pub bits: u8,
    /// The address.
    pub address: ClassId,
    /// The object.
    pub object: usize,
    /// Bytes from its start and how far this moves per iteration; `None`: depends on data.
    pub offset: Option<(i64, i64)>,
    /// Counts the stores to the object before it; loads of different versions are different.
    pub version: u32,
}

/// A value in one state.
#[derive(Clone, Debug)]
pub struct Class {
    /// Ways to compute it.
    pub terms: Vec<Term>,
    /// Bits above these are zeros, or of no account if `dirty`.
    pub width: u8,
    /// The upper bits may be anything.
    pub dirty: bool,
    /// A truth value, which may lie in a predicate register.
    pub truth: bool,
    /// The class with the same value and clean upper bits.
    pub clean: Option<ClassId>,
    /// An address that post-increments may reach: object, distance from its start, and how far this moves per iteration.
    pub known_address: Option<(usize, i64, i64)>,
    /// Number of the program's operation that first asked for it.
    pub sequence: u32,
}

/// What tells classes apart.
type Key = (Vec<Term>, bool, bool);

/// The classes of a region.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    /// Bits of a general register.
    pub bits: u8,
    /// All classes.
    pub classes: Vec<Class>,
    /// Number of the program's operation that is being lowered.
    pub sequence: u32,
    /// Of each of these operations its name and places.
    pub origins: Vec<(String, Vec<Place>)>,
    known: HashMap<Key, ClassId>,
}

impl Dag {
    /// Without classes, for registers of so many bits.
    #[must_use]
    pub fn new(bits: u8) -> Self {
        Dag { bits, ..Dag::default() }
    }

    /// The class of some terms.
    pub fn class(&mut self, terms: Vec<Term>, width: u8, dirty: bool) -> ClassId {
        self.make(terms, width.min(self.bits), dirty, false)
    }

    fn make(&mut self, terms: Vec<Term>, width: u8, dirty: bool, truth: bool) -> ClassId {
        let key = (terms, dirty, truth);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = self.classes.len() as ClassId;
        let terms = key.0.clone();
        let clean = (!dirty).then_some(id);
        let sequence = self.sequence;
        self.classes.push(Class { terms, width, dirty, truth, clean, known_address: None, sequence });
        self.known.insert(key, id);
        id
    }

    /// The class of one exact term, its width derived.
    pub fn exact(&mut self, term: Term) -> ClassId {
        let width = self.width_of(&term);
        self.class(vec![term], width, false)
    }

    /// The class of a truth value.
    pub fn truth(&mut self, terms: Vec<Term>) -> ClassId {
        self.make(terms, 1, false, true)
    }

    /// The class of a number.
    pub fn number(&mut self, value: u64) -> ClassId {
        self.exact(Term::Const(value & program::semantics::mask(self.bits)))
    }

    /// `x op y`
    pub fn binary(&mut self, operator: Operator, x: ClassId, y: ClassId) -> ClassId {
        self.exact(Term::Binary(operator, x, y))
    }

    /// The bits of a class from a position.
    pub fn field(&mut self, x: ClassId, position: u8, length: u8) -> ClassId {
        let terms = self.field_terms(x, position, length);
        self.class(terms, length, false)
    }

    /// The ways to take bits of a class: a field, a shift, a mask, both.
    pub fn field_terms(&mut self, x: ClassId, position: u8, length: u8) -> Vec<Term> {
        let mut terms = vec![self.field_term(x, position, length)];
        let below = if position == 0 {
            x
        } else {
            let n = self.number(position.into());
            let shift = Term::Binary(Operator::Shr, x, n);
            if position + length >= self.bits {
                terms.push(shift);
                return terms;
            }
            self.exact(shift)
        };
        if length < self.bits {
            let ones = self.number(program::semantics::mask(length));
            terms.push(Term::Binary(Operator::And, below, ones));
        }
        terms
    }

    /// See [`Dag::field`].
    pub fn field_term(&mut self, x: ClassId, position: u8, length: u8) -> Term {
        let (position, length) = (self.number(position.into()), self.number(length.into()));
        Term::Call(Function::Field, vec![x, position, length])
    }

    /// `x << n`
    pub fn shifted(&mut self, x: ClassId, n: u8) -> ClassId {
        match n {
            0 => x,
            _ => {
                // The bits that fall off may be cut before: a deposit does both.
                let kept = self.field(x, 0, self.bits - n);
                let width = self.width(x).saturating_add(n);
                let n = self.number(n.into());
                let both = vec![Term::Binary(Operator::Shl, x, n), Term::Binary(Operator::Shl, kept, n)];
                self.class(both, width, false)
            }
        }
    }

    /// The number that a class is.
    #[must_use]
    pub fn constant(&self, class: ClassId) -> Option<u64> {
        self.classes[class as usize].terms.iter().find_map(|t| match t {
            Term::Const(c) => Some(*c),
            _ => None,
        })
    }

    fn width(&self, class: ClassId) -> u8 {
        let class = &self.classes[class as usize];
        if class.dirty {
            self.bits
        } else {
            class.width
        }
    }

    fn width_of(&self, term: &Term) -> u8 {
        let constant = |class: ClassId| self.constant(class).map_or(self.bits, |c| c.min(64) as u8);
        let width = match term {
            Term::Const(c) => 64 - c.leading_zeros() as u8,
            Term::Binary(Operator::And, x, y) => self.width(*x).min(self.width(*y)),
            Term::Binary(Operator::Or | Operator::Xor, x, y) => self.width(*x).max(self.width(*y)),
            Term::Binary(Operator::Shl, x, n) => self.width(*x).saturating_add(constant(*n)),
            Term::Binary(Operator::Shr, x, n) => {
                self.width(*x).saturating_sub(self.constant(*n).map_or(0, |c| c as u8))
            }
            Term::Binary(Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le, ..) => 1,
            Term::Call(Function::Field, list) => constant(list[2]),
            Term::Call(Function::RotateLeft | Function::RotateRight, list) => constant(list[2]),
            Term::Load(load) => load.bits,
            Term::Select(_, x, y) => self.width(*x).max(self.width(*y)),
            Term::Same(x) => self.width(*x),
            _ => self.bits,
        };
        width.min(self.bits)
    }
}
