//! Operations on the program's words as classes of machine terms: which upper bits each way needs and leaves.

use std::collections::{HashMap, HashSet};

use program::ir::{Binary, Compare, Shift};
use program::semantics::mask;

use super::pairs::{Half, Pair};
use super::terms::{ClassId, Dag, Term};
use crate::semantics::{Function, Operator};

/// Bits of the narrowest words that instruction sets rotate by a word, with one instruction or by a recipe.
const NARROWEST: u8 = 32;

/// A word of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// Its width in the program.
    pub width: u8,
    /// Its value under any upper bits.
    pub dirty: ClassId,
    /// Its value under zeros.
    pub clean: ClassId,
}

/// Builds words; remembers which of them are fields of others.
#[derive(Debug, Default)]
pub struct Words {
    /// The classes.
    pub dag: Dag,
    /// Low bits of an amount that shifts by a register take.
    amounts: Vec<u8>,
    /// By clean class: the word that it is a field of, the position and the length.
    fields: HashMap<ClassId, (Word, u8, u8)>,
    /// By clean class: the word that it is rotated from, and how far to the left.
    rotations: HashMap<ClassId, (Word, u8)>,
    /// Clean classes that cost no more than the dirty ones.
    native: HashSet<ClassId>,
    /// By general class of a truth value: the class that may lie in a predicate register.
    truths: HashMap<ClassId, ClassId>,
    /// By clean class: the wider class that the word is half of.
    pub(super) halves: HashMap<ClassId, Half>,
    /// Classes of two words.
    pub(super) pairs: Vec<Pair>,
}

impl Words {
    /// For registers of so many bits, with so many low bits that shifts take of an amount.
    #[must_use]
    pub fn new(bits: u8, amounts: Vec<u8>) -> Self {
        Words { dag: Dag::new(bits), amounts, ..Words::default() }
    }

    /// A word from the terms that give it under any upper bits and those that give it under zeros.
    pub(super) fn word(&mut self, width: u8, mut any: Vec<Term>, mut zero: Vec<Term>) -> Word {
        if width == self.dag.bits {
            any.append(&mut zero);
            let class = self.dag.class(any, width, false);
            return Word { width, dirty: class, clean: class };
        }
        if any.is_empty() {
            let class = self.dag.class(zero, width, false);
            return Word { width, dirty: class, clean: class };
        }
        let native = zero.iter().any(|t| self.keeps_clean(t));
        let core = self.dag.class(any, width, true);
        zero.extend(self.dag.field_terms(core, 0, width));
        let clean = self.dag.class(zero, width, false);
        let dirty = self.dag.class(vec![Term::Same(core), Term::Same(clean)], width, true);
        self.dag.classes[core as usize].clean = Some(clean);
        self.dag.classes[dirty as usize].clean = Some(clean);
        if native {
            self.native.insert(clean);
        }
        Word { width, dirty, clean }
    }

    fn keeps_clean(&self, term: &Term) -> bool {
        let clean = |c: &ClassId| !self.dag.classes[*c as usize].dirty && self.has_native(*c);
        match term {
            Term::Binary(Operator::And, x, y) => clean(x) || clean(y),
            Term::Binary(Operator::Or | Operator::Xor, x, y) | Term::Select(_, x, y) => clean(x) && clean(y),
            Term::Binary(Operator::Shr, ..) | Term::Call(Function::Field, _) | Term::Load(_) => true,
            _ => false,
        }
    }

    fn has_native(&self, clean: ClassId) -> bool {
        let class = &self.dag.classes[clean as usize];
        self.native.contains(&clean) || class.width >= self.dag.bits || !self.made_clean(clean)
    }

    /// Whether a class is the lower part of a dirty one.
    fn made_clean(&self, clean: ClassId) -> bool {
        let cut = |t: &Term| match t {
            Term::Call(Function::Field, list) => {
                let below = &self.dag.classes[list[0] as usize];
                below.dirty && below.clean == Some(clean)
            }
            _ => false,
        };
        self.dag.classes[clean as usize].terms.iter().any(cut)
    }

    /// The class of a word to be handed to a later region, and whether its upper bits may be anything.
    #[must_use]
    pub fn handed(&self, word: Word) -> (ClassId, bool) {
        if word.clean == word.dirty || self.has_native(word.clean) {
            return (word.clean, false);
        }
        (word.dirty, true)
    }

    /// A word that an earlier region made, or a loop carries.
    pub fn given(&mut self, width: u8, value: crate::code::ValueId, dirty: bool) -> Word {
        if dirty {
            return self.word(width, vec![Term::Given(value)], vec![]);
        }
        let class = self.dag.class(vec![Term::Given(value)], width, false);
        self.exact(width, class)
    }

    /// A word that one exact class holds under zeros.
    pub fn exact(&mut self, width: u8, class: ClassId) -> Word {
        Word { width, dirty: class, clean: class }
    }

    /// A number.
    pub fn constant(&mut self, width: u8, value: u64) -> Word {
        let value = value & mask(width);
        let signed = value | (!mask(width) * (value >> (width - 1)));
        let clean = self.dag.number(value);
        let other = signed & mask(self.dag.bits);
        if other == value {
            return self.exact(width, clean);
        }
        let dirty = self.dag.class(vec![Term::Const(value), Term::Const(other)], width, true);
        self.dag.classes[dirty as usize].clean = Some(clean);
        Word { width, dirty, clean }
    }

    /// The number that a word is.
    #[must_use]
    pub fn number(&self, word: Word) -> Option<u64> {
        self.dag.constant(word.clean)
    }

    /// `add`, `sub`, `mul`, `and`, `or`, `xor`.
    pub fn binary(&mut self, which: Binary, x: Word, y: Word) -> Word {
        let w = x.width;
        let two = |operator, x: ClassId, y: ClassId| Term::Binary(operator, x, y);
        let half = self.combined(which, x, y);
        let (mut any, mut zero) = half.map_or_else(Default::default, |half| self.half_terms(half, w));
        let word = match which {
            Binary::Add => self.word(w, vec![two(Operator::Add, x.dirty, y.dirty)], vec![]),
            Binary::Sub => self.difference(x, y),
            Binary::Mul => self.product(x, y),
            Binary::And => {
                zero.splice(0..0, [two(Operator::And, x.clean, y.dirty), two(Operator::And, x.dirty, y.clean)]);
                any.insert(0, two(Operator::And, x.dirty, y.dirty));
                self.word(w, any, zero)
            }
            Binary::Or | Binary::Xor => {
                let operator = if which == Binary::Or { Operator::Or } else { Operator::Xor };
                any.insert(0, two(operator, x.dirty, y.dirty));
                zero.insert(0, two(operator, x.clean, y.clean));
                self.word(w, any, zero)
            }
        };
        if let Some(half) = half {
            self.halves.insert(word.clean, half);
        }
        word
    }

    fn difference(&mut self, x: Word, y: Word) -> Word {
        let mut any = vec![Term::Binary(Operator::Sub, x.dirty, y.dirty)];
        if let Some(n) = self.number(y) {
            let negated = self.constant(x.width, n.wrapping_neg());
            any.insert(0, Term::Binary(Operator::Add, x.dirty, negated.dirty));
        }
        self.word(x.width, any, vec![])
    }

    fn product(&mut self, x: Word, y: Word) -> Word {
        let (x, y) = if self.number(x).is_some() { (y, x) } else { (x, y) };
        match self.number(y) {
            Some(n) if n.is_power_of_two() => self.shifted_left(x, n.trailing_zeros() as u8),
            _ => self.word(x.width, vec![Term::Binary(Operator::Mul, x.dirty, y.dirty)], vec![]),
        }
    }

    /// `not`
    pub fn not(&mut self, x: Word) -> Word {
        let ones = self.dag.number(u64::MAX);
        let any = vec![
            Term::Not(x.dirty),
            Term::Binary(Operator::Xor, x.dirty, ones),
            Term::Binary(Operator::Sub, ones, x.dirty),
        ];
        self.word(x.width, any, vec![])
    }

    fn shifted_left(&mut self, x: Word, n: u8) -> Word {
        if n == 0 {
            return x;
        }
        let amount = self.dag.number(n.into());
        let kept = self.dag.field(x.dirty, 0, x.width - n);
        let whole = self.dag.field(x.dirty, 0, self.dag.bits - n);
        let mut any = vec![Term::Binary(Operator::Shl, x.dirty, amount), Term::Binary(Operator::Shl, whole, amount)];
        if n == 1 {
            any.push(Term::Binary(Operator::Add, x.dirty, x.dirty));
        }
        self.word(x.width, any, vec![Term::Binary(Operator::Shl, kept, amount)])
    }

    /// Shifts and rotations by a number.
    pub fn shift(&mut self, which: Shift, x: Word, n: u8) -> Word {
        match (which, n) {
            (_, 0) => x,
            (Shift::Shl, _) => self.shifted_left(x, n),
            (Shift::Shr, _) => self.extract(x, n, x.width - n, x.width),
            (Shift::Rotl, _) => self.rotated(x, n),
            (Shift::Rotr, _) => self.rotated(x, x.width - n),
        }
    }

    fn rotated(&mut self, x: Word, n: u8) -> Word {
        let w = x.width;
        let [left, right, width] = [n, w - n, w].map(|k| self.dag.number(k.into()));
        let high = self.dag.field(x.dirty, w - n, n);
        let shifted = self.dag.shifted(x.dirty, n);
        let mut zero = vec![
            Term::Call(Function::RotateLeft, vec![x.dirty, left, width]),
            Term::Call(Function::RotateRight, vec![x.dirty, right, width]),
        ];
        let mut any = vec![Term::Binary(Operator::Add, shifted, high), Term::Binary(Operator::Or, shifted, high)];
        if x.clean != x.dirty || w < self.dag.bits {
            let dropped = self.dag.binary(Operator::Shr, x.clean, right);
            any.push(Term::Binary(Operator::Add, shifted, dropped));
        }
        let low = self.dag.field(x.dirty, 0, w - n);
        let shifted_clean = self.dag.shifted(low, n);
        zero.push(Term::Binary(Operator::Or, shifted_clean, high));
        let result = self.word(w, any, zero);
        if w < self.dag.bits {
            self.native.remove(&result.clean);
        }
        self.rotations.insert(result.clean, (x, n));
        result
    }

    /// Shifts and rotations by a word.
    pub fn shift_by(&mut self, which: Shift, x: Word, amount: Word) -> Word {
        if let Some(n) = self.number(amount) {
            let w = u64::from(x.width);
            return match which {
                Shift::Rotl | Shift::Rotr => self.shift(which, x, (n % w) as u8),
                _ if n >= w => self.constant(x.width, 0),
                _ => self.shift(which, x, n as u8),
            };
        }
        match which {
            Shift::Shl => {
                let any = self.shifts(Operator::Shl, x.dirty, amount);
                let guarded = self.guarded(Operator::Shl, x, amount);
                let guarded = guarded.into_iter().map(|word| Term::Same(word.dirty));
                self.word(x.width, any.into_iter().chain(guarded).collect(), vec![])
            }
            Shift::Shr => {
                let zero = self.shifts(Operator::Shr, x.clean, amount);
                let guarded = self.guarded(Operator::Shr, x, amount);
                let guarded = guarded.into_iter().map(|word| Term::Same(word.clean));
                self.word(x.width, vec![], zero.into_iter().chain(guarded).collect())
            }
            Shift::Rotl | Shift::Rotr => self.rotated_by(which == Shift::Rotl, x, amount),
        }
    }

    /// A shift by a word; where the word is no longer than what instructions take of an amount, that is all of it.
    fn shifts(&mut self, operator: Operator, x: ClassId, amount: Word) -> Vec<Term> {
        let mut terms = vec![Term::Binary(operator, x, amount.clean)];
        for bits in self.amounts.clone().into_iter().filter(|&bits| amount.width <= bits) {
            let taken = self.dag.field(amount.clean, 0, bits);
            terms.push(Term::Binary(operator, x, taken));
        }
        terms
    }

    /// A shift by a word that is longer than what instructions take of an amount: 0 where any other bit is set.
    fn guarded(&mut self, operator: Operator, x: Word, amount: Word) -> Vec<Word> {
        let enough = |bits: &u8| amount.width > *bits && 1u64 << bits >= u64::from(x.width);
        self.amounts.clone().into_iter().filter(enough).map(|bits| self.guarded_by(operator, x, amount, bits)).collect()
    }

    fn guarded_by(&mut self, operator: Operator, x: Word, amount: Word, bits: u8) -> Word {
        let taken = self.dag.field(amount.dirty, 0, bits);
        let shifted = match operator {
            Operator::Shl => self.word(x.width, vec![Term::Binary(operator, x.dirty, taken)], vec![]),
            _ => self.word(x.width, vec![], vec![Term::Binary(operator, x.clean, taken)]),
        };
        let rest = self.extract(amount, bits, amount.width - bits, amount.width - bits);
        let none = self.constant(rest.width, 0);
        let few = self.compare(Compare::Eq, rest, none);
        let none = self.constant(x.width, 0);
        self.select(few, shifted, none)
    }

    /// The upper half of the product of two words as wide as a register: by an instruction, or by products of halves.
    pub fn high_product(&mut self, x: Word, y: Word) -> Word {
        let (w, half) = (self.dag.bits, self.dag.bits / 2);
        let halves = |words: &mut Self, x| [0, half].map(|position| words.extract(x, position, half, w));
        let ([x0, x1], [y0, y1]) = (halves(self, x), halves(self, y));
        let [low, first, second, high] =
            [(x0, y0), (x0, y1), (x1, y0), (x1, y1)].map(|(x, y)| self.binary(Binary::Mul, x, y));
        let [_, carried] = halves(self, low);
        let ([first, above], [second, beyond]) = (halves(self, first), halves(self, second));
        let middle = [first, second].into_iter().fold(carried, |sum, x| self.binary(Binary::Add, sum, x));
        let [_, carried] = halves(self, middle);
        let sum = [above, beyond, carried].into_iter().fold(high, |sum, x| self.binary(Binary::Add, sum, x));
        self.word(w, vec![], vec![Term::High(x.clean, y.clean), Term::Same(sum.clean)])
    }

    /// The lowest bits of an amount are taken from before its own rotation, where that saves the wait for it.
    fn rotated_by(&mut self, left: bool, x: Word, amount: Word) -> Word {
        let w = x.width;
        let width = self.dag.number(w.into());
        let bits = w.trailing_zeros() as u8;
        let function = if left { Function::RotateLeft } else { Function::RotateRight };
        if !w.is_power_of_two() {
            return self.word(w, vec![], vec![Term::Call(function, vec![x.dirty, amount.clean, width])]);
        }
        let low = match self.before_rotation(amount, 0, bits) {
            Some(early) => self.dag.class(early, bits, false),
            None => self.extract(amount, 0, bits, bits).clean,
        };
        let other = self.dag.binary(Operator::Sub, width, low);
        let (up, down) = if left { (low, other) } else { (other, low) };
        let [mut raised, mut lowered] =
            [self.dag.binary(Operator::Shl, x.dirty, up), self.dag.binary(Operator::Shr, x.clean, down)];
        if w < NARROWEST {
            let [up, down] = [up, down].map(|class| Word { width: bits + 1, dirty: class, clean: class });
            let (up, down) = (self.shifts(Operator::Shl, x.dirty, up), self.shifts(Operator::Shr, x.clean, down));
            (raised, lowered) = (self.dag.class(up, self.dag.bits, false), self.dag.class(down, w, false));
        }
        let zero = vec![
            Term::Call(function, vec![x.dirty, amount.dirty, width]),
            Term::Call(function, vec![x.dirty, low, width]),
        ];
        self.word(w, vec![Term::Binary(Operator::Or, raised, lowered)], zero)
    }

    /// `extract`: bits from a position, in a word of `width` bits.
    pub fn extract(&mut self, x: Word, position: u8, length: u8, width: u8) -> Word {
        if length == x.width && width == x.width {
            return x;
        }
        if let Some(n) = self.number(x) {
            return self.constant(width, n >> position & mask(length));
        }
        let inside = |f: &(Word, u8, u8)| position + length <= f.2;
        if let Some((whole, below, _)) = self.fields.get(&x.clean).copied().filter(inside) {
            return self.extract(whole, below + position, length, width);
        }
        let mut zero = self.dag.field_terms(x.dirty, position, length);
        if position + length == x.width && position > 0 && x.width < self.dag.bits {
            let n = self.dag.number(position.into());
            zero.push(Term::Binary(Operator::Shr, x.clean, n));
        }
        if let Some(half) = self.halves.get(&x.clean).copied().filter(|h| h.position > 0) {
            zero.extend(self.dag.field_terms(half.whole, half.position + position, length));
        }
        let mut any = vec![];
        if width == length && position == 0 {
            any.push(Term::Same(x.dirty));
        }
        zero.extend(self.before_rotation(x, position, length).into_iter().flatten());
        let result = self.word(width, any, zero);
        self.fields.insert(result.clean, (x, position, length));
        result
    }

    /// If a word is a field of an exclusive or, rotated or not: the same field of each side, for every known way to that sum.
    pub fn xored_fields(&mut self, field: Word) -> Vec<[ClassId; 2]> {
        let (whole, position, length) = self.fields.get(&field.clean).copied().unwrap_or((field, 0, field.width));
        let (whole, position) = self.origin(whole, position, length);
        let mut sides: Vec<[ClassId; 2]> = Vec::new();
        let mut open = vec![whole.dirty];
        while let Some(class) = open.pop() {
            for term in &self.dag.classes[class as usize].terms {
                match term {
                    Term::Same(x) => open.push(*x),
                    Term::Binary(Operator::Xor, x, y) if !sides.contains(&[*x, *y]) => sides.push([*x, *y]),
                    _ => {}
                }
            }
        }
        sides.into_iter().map(|side| side.map(|x| self.dag.field(x, position, length))).collect()
    }

    /// The same bits, taken from the word before its rotation.
    fn before_rotation(&mut self, x: Word, position: u8, length: u8) -> Option<Vec<Term>> {
        let (whole, from) = self.unrotated(x, position, length)?;
        Some(self.dag.field_terms(whole.dirty, from, length))
    }

    /// The word that a word is rotated from, and where the same bits stand in it, together.
    fn unrotated(&self, x: Word, position: u8, length: u8) -> Option<(Word, u8)> {
        let (whole, n) = *self.rotations.get(&x.clean)?;
        match position {
            p if p >= n => Some((whole, p - n)),
            p if p + length <= n => Some((whole, p + x.width - n)),
            _ => None,
        }
    }

    /// The same before all rotations.
    fn origin(&self, mut x: Word, mut position: u8, length: u8) -> (Word, u8) {
        while let Some(before) = self.unrotated(x, position, length) {
            (x, position) = before;
        }
        (x, position)
    }

    /// `zext`
    pub fn widened(&mut self, x: Word, width: u8) -> Word {
        self.exact(width, x.clean)
    }

    /// `concat`, the first word the least significant.
    pub fn concat(&mut self, parts: &[Word]) -> Word {
        let width = parts.iter().map(|p| p.width).sum();
        if let Some(whole) = self.rejoined(parts, width) {
            return whole;
        }
        let mut placed = Vec::new();
        let mut position = 0;
        for (k, part) in parts.iter().enumerate() {
            let last = k + 1 == parts.len();
            placed.push((position, if last { part.dirty } else { part.clean }, part.clean));
            position += part.width;
        }
        let shifted = |dag: &mut Dag, list: &[(u8, ClassId)]| -> Vec<ClassId> {
            list.iter().map(|&(position, class)| dag.shifted(class, position)).collect()
        };
        let any = shifted(&mut self.dag, &placed.iter().map(|p| (p.0, p.1)).collect::<Vec<_>>());
        let zero = shifted(&mut self.dag, &placed.iter().map(|p| (p.0, p.2)).collect::<Vec<_>>());
        let (any, zero) = (self.joined(&any), self.joined(&zero));
        let turned = self.turned(parts);
        self.word(width, turned.into_iter().chain([any]).collect(), vec![zero])
    }

    /// The bytes of a word in the other order, as processors write it that have an instruction for that: from the highest byte on.
    fn turned(&mut self, parts: &[Word]) -> Option<Term> {
        let [first, second, third, last] = parts else { return None };
        let (whole, ..) = *self.fields.get(&first.clean)?;
        let is = |part: &Word, position: u8| self.fields.get(&part.clean).copied() == Some((whole, position, 8));
        let bytes = is(first, 24) && is(second, 16) && is(third, 8) && is(last, 0);
        if !bytes || self.dag.bits != 32 {
            return None;
        }
        let high = self.dag.shifted(last.dirty, 24);
        let rest = [self.dag.shifted(third.clean, 16), self.dag.shifted(second.clean, 8)];
        let upper = rest.into_iter().fold(high, |all, byte| self.dag.exact(Term::Binary(Operator::Or, all, byte)));
        Some(Term::Binary(Operator::Or, upper, first.clean))
    }

    fn joined(&mut self, list: &[ClassId]) -> Term {
        let Some(half) = Some(list.len() / 2).filter(|&h| h > 0) else { return Term::Same(list[0]) };
        let (low, high) = (self.joined(&list[..half]), self.joined(&list[half..]));
        let class = |dag: &mut Dag, term| match term {
            Term::Same(x) => x,
            other => dag.exact(other),
        };
        let (low, high) = (class(&mut self.dag, low), class(&mut self.dag, high));
        Term::Binary(Operator::Or, low, high)
    }

    /// The word whose consecutive fields the parts are.
    fn rejoined(&mut self, parts: &[Word], width: u8) -> Option<Word> {
        let (whole, start, _) = *self.fields.get(&parts[0].clean)?;
        let mut position = start;
        for part in parts {
            if *self.fields.get(&part.clean)? != (whole, position, part.width) {
                return None;
            }
            position += part.width;
        }
        Some(self.extract(whole, start, width, width))
    }

    /// `eq`, `ne`, `ltu`; the result is a word of one bit.
    pub fn compare(&mut self, which: Compare, x: Word, y: Word) -> Word {
        let operator = match which {
            Compare::Eq => Operator::Eq,
            Compare::Ne => Operator::Ne,
            Compare::Ltu => Operator::Lt,
        };
        let truth = self.dag.truth(vec![Term::Binary(operator, x.clean, y.clean)]);
        let (one, none) = (self.dag.number(1), self.dag.number(0));
        let mut zero = vec![Term::Select(truth, one, none), Term::Binary(operator, x.clean, y.clean)];
        zero.extend(self.compared_by_arithmetic(which, x, y));
        let result = self.word(1, vec![], zero);
        self.truths.insert(result.clean, truth);
        result
    }

    /// A comparison as the highest bit of a sum: for instruction sets without predicates.
    fn compared_by_arithmetic(&mut self, which: Compare, x: Word, y: Word) -> Vec<Term> {
        let dag = &mut self.dag;
        let top = dag.bits - 1;
        let sign = match which {
            Compare::Eq | Compare::Ne => {
                let none = dag.number(0);
                let difference = dag.binary(Operator::Xor, x.clean, y.clean);
                let negated = dag.binary(Operator::Sub, none, difference);
                dag.binary(Operator::Or, difference, negated)
            }
            Compare::Ltu => {
                let difference = dag.binary(Operator::Sub, x.clean, y.clean);
                let not = dag.exact(Term::Not(x.clean));
                let below = dag.binary(Operator::And, y.clean, not);
                let equal = dag.binary(Operator::Xor, x.clean, y.clean);
                let differ = dag.exact(Term::Not(equal));
                let borrow = dag.binary(Operator::And, differ, difference);
                dag.binary(Operator::Or, below, borrow)
            }
        };
        if which != Compare::Eq {
            return dag.field_terms(sign, top, 1);
        }
        let (bit, one) = (dag.field(sign, top, 1), dag.number(1));
        vec![Term::Binary(Operator::Xor, bit, one)]
    }

    /// The truth value of a word of one bit.
    pub fn truth(&mut self, c: Word) -> ClassId {
        if let Some(&truth) = self.truths.get(&c.clean) {
            return truth;
        }
        let none = self.dag.number(0);
        let mut terms = self.dag.classes[c.clean as usize].terms.clone();
        terms.push(Term::Binary(Operator::Ne, c.clean, none));
        self.dag.truth(terms)
    }

    /// `select`
    pub fn select(&mut self, c: Word, x: Word, y: Word) -> Word {
        let truth = self.truth(c);
        let mask = self.mask(c);
        let differing = self.binary(Binary::Xor, x, y);
        let any = vec![Term::Select(truth, x.dirty, y.dirty), self.masked(mask, differing.dirty, y.dirty)];
        let zero = vec![Term::Select(truth, x.clean, y.clean), self.masked(mask, differing.clean, y.clean)];
        self.word(x.width, any, zero)
    }

    /// All ones if a word of one bit is 1, else 0.
    fn mask(&mut self, c: Word) -> ClassId {
        let none = self.dag.number(0);
        self.dag.binary(Operator::Sub, none, c.clean)
    }

    fn masked(&mut self, mask: ClassId, differing: ClassId, y: ClassId) -> Term {
        let taken = self.dag.binary(Operator::And, differing, mask);
        Term::Binary(Operator::Xor, taken, y)
    }
}
