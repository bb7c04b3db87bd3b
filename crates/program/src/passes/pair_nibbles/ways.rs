//! How a byte is made of two words of four bits, and which way costs least.

use std::collections::HashMap;

use super::BITS;
use crate::ir::{Binary, OpKind, Operand, Shift, TableId, Type, ValueData, ValueId};

/// A way to make a byte of two words, the lower one first.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Both are known.
    Number(u64),
    /// They are the halves of a byte.
    Byte(ValueId),
    /// They are the halves of a byte, the other way round, or made so.
    Turned(Pair),
    /// One is in its half of a byte, of the other there is a number.
    Half(ValueId, u8, u64),
    /// The same operation on both.
    Bitwise(Binary, Pair, Pair),
    Not(Pair),
    /// Look-ups at both halves of a byte; `turned`: the lower look-up at the upper half.
    Lookups([TableId; 2], Pair, bool),
    /// A shift under a mask.
    Shifted(Shift, u64, Pair),
    /// Words joined from bits.
    Bits(Vec<ValueId>),
    /// Joined as they are.
    Joined,
}

/// The words of the lower and the upper half.
pub(super) type Pair = [Operand; 2];

/// What is known of the words of a function, and the ways found.
pub(super) struct Ways<'a> {
    /// What makes each word.
    pub made: HashMap<ValueId, OpKind>,
    /// The byte that a word is a half of, and which bit it begins at.
    pub home: HashMap<ValueId, (ValueId, u8)>,
    /// The load of a row, and the column, of a word of an array whose columns nobody has chosen.
    pub columns: HashMap<ValueId, (ValueId, usize)>,
    values: &'a [ValueData],
    known: HashMap<Pair, (u64, Way)>,
    single: HashMap<ValueId, u64>,
}

const LOOK_UPS: u64 = 4;
const LOAD: u64 = 2;
/// Two words that are no halves of one byte are masked, turned and joined.
const JOINED: u64 = 3;
const BITS_JOINED: u64 = 10;
/// A word that is made of others, where nothing better is known.
const OTHER: u64 = 4;
/// What is counted is no more than this: words that are used often are counted as often.
const MOST: u64 = 1 << 20;

impl<'a> Ways<'a> {
    pub fn new(values: &'a [ValueData]) -> Ways<'a> {
        Ways {
            made: HashMap::new(),
            home: HashMap::new(),
            columns: HashMap::new(),
            values,
            known: HashMap::new(),
            single: HashMap::new(),
        }
    }

    /// Operations for a byte of two words, and the way.
    pub fn best(&mut self, pair: Pair) -> (u64, Way) {
        let pair = pair.map(|word| self.resolved(word));
        let (cost, way) = self.direct(pair);
        let (other, _) = self.direct([pair[1], pair[0]]);
        if other + 1 < cost {
            return (other + 1, Way::Turned([pair[1], pair[0]]));
        }
        (cost, way)
    }

    /// A number for a word that a `const` operation makes.
    pub fn resolved(&self, word: Operand) -> Operand {
        let Operand::Value(v) = word else { return word };
        match self.made.get(&v) {
            Some(OpKind::Const(number)) => Operand::Const(*number),
            _ => word,
        }
    }

    /// The same without turning the whole byte.
    fn direct(&mut self, pair: Pair) -> (u64, Way) {
        if let Some(known) = self.known.get(&pair) {
            return known.clone();
        }
        // What depends on itself nowhere ends; the entry stands for the pair while its parts are looked at.
        let joined = self.joined(pair);
        self.known.insert(pair, (joined, Way::Joined));
        let found = self.found(pair);
        self.known.insert(pair, found.clone());
        found
    }

    fn found(&mut self, pair: Pair) -> (u64, Way) {
        let [low, high] = pair;
        match (low, high) {
            (Operand::Const(a), Operand::Const(b)) => (0, Way::Number(a | b << BITS)),
            (Operand::Value(a), Operand::Const(n)) => self.beside_number(pair, a, 0, n),
            (Operand::Const(n), Operand::Value(b)) => self.beside_number(pair, b, BITS, n),
            (Operand::Value(a), Operand::Value(b)) => {
                if let (Some(&(byte, 0)), Some(&(other, BITS))) = (self.home.get(&a), self.home.get(&b)) {
                    if byte == other {
                        return (0, Way::Byte(byte));
                    }
                }
                if let (Some((load, _)), Some((other, _))) = (self.columns.get(&a), self.columns.get(&b)) {
                    if load == other && a != b {
                        return (LOAD, Way::Joined);
                    }
                }
                self.of_operations(pair, a, b)
            }
        }
    }

    fn beside_number(&mut self, pair: Pair, word: ValueId, start: u8, number: u64) -> (u64, Way) {
        match self.home.get(&word) {
            Some(&(byte, at)) if at == start => {
                let number = number << (BITS - start);
                (1 + u64::from(number != 0), Way::Half(byte, start, number))
            }
            _ => {
                let same = |kind: &OpKind| matches!(kind, OpKind::Binary(Binary::Xor, ..));
                let joined = (self.joined(pair), Way::Joined);
                match self.made.get(&word).filter(|kind| same(kind)).cloned() {
                    Some(OpKind::Binary(kind, a, b)) => {
                        let of = |x, n| if start == 0 { [x, Operand::Const(n)] } else { [Operand::Const(n), x] };
                        let both = [(of(a, number), of(b, 0))];
                        self.least(&both, kind).filter(|(cost, _)| *cost < joined.0).unwrap_or(joined)
                    }
                    _ => joined,
                }
            }
        }
    }

    /// The cheapest of ways to make both parts of an operation.
    fn least(&mut self, parts: &[(Pair, Pair)], kind: Binary) -> Option<(u64, Way)> {
        let mut all: Vec<(u64, Way)> = Vec::new();
        for &(a, b) in parts {
            all.push(((1 + self.best(a).0 + self.best(b).0).min(2 * MOST), Way::Bitwise(kind, a, b)));
        }
        all.into_iter().min_by_key(|(cost, _)| *cost)
    }

    fn of_operations(&mut self, pair: Pair, a: ValueId, b: ValueId) -> (u64, Way) {
        let joined = (self.joined(pair), Way::Joined);
        let (first, second) = (self.made.get(&a).cloned(), self.made.get(&b).cloned());
        let found = match (first, second) {
            (Some(OpKind::Binary(f, a0, a1)), Some(OpKind::Binary(g, b0, b1))) if f == g && is_bitwise(f) => {
                self.least(&[([a0, b0], [a1, b1]), ([a0, b1], [a1, b0])], f)
            }
            (Some(OpKind::Binary(Binary::Xor, a0, a1)), _) => {
                let (b, zero) = (pair[1], Operand::Const(0));
                self.least(&[([a0, b], [a1, zero]), ([a1, b], [a0, zero])], Binary::Xor)
            }
            (_, Some(OpKind::Binary(Binary::Xor, b0, b1))) => {
                let (a, zero) = (pair[0], Operand::Const(0));
                self.least(&[([a, b0], [zero, b1]), ([a, b1], [zero, b0])], Binary::Xor)
            }
            (Some(OpKind::Not(a)), Some(OpKind::Not(b))) => Some((1 + self.best([a, b]).0, Way::Not([a, b]))),
            (Some(OpKind::Lookup(t, x)), Some(OpKind::Lookup(u, y))) => self.lookups([t, u], word_of(&x), word_of(&y)),
            (Some(OpKind::Shift(f, a, Operand::Const(n))), Some(OpKind::Shift(g, b, Operand::Const(m))))
                if f == g && n == m && matches!(f, Shift::Shl | Shift::Shr) =>
            {
                Some((1 + n + self.best([a, b]).0, Way::Shifted(f, n, [a, b])))
            }
            (Some(OpKind::Concat(low)), Some(OpKind::Concat(high))) => {
                Some((BITS_JOINED, Way::Bits([low, high].concat())))
            }
            (Some(OpKind::Extract(Operand::Value(x), 0)), Some(OpKind::Extract(Operand::Value(y), BITS))) => {
                (x == y && self.values[x.0 as usize].ty == Type::Word(8)).then_some((0, Way::Byte(x)))
            }
            _ => None,
        };
        found.filter(|(cost, _)| *cost < joined.0).unwrap_or(joined)
    }

    fn lookups(&mut self, tables: [TableId; 2], a: Option<ValueId>, b: Option<ValueId>) -> Option<(u64, Way)> {
        let (a, b) = (a?, b?);
        let four = |v: ValueId| self.values[v.0 as usize].ty == Type::Word(BITS);
        if !four(a) || !four(b) {
            return None;
        }
        let (straight, turned) = ([Operand::Value(a), Operand::Value(b)], [Operand::Value(b), Operand::Value(a)]);
        let (x, y) = (self.best(straight).0, self.best(turned).0);
        let way = if y < x { Way::Lookups(tables, turned, true) } else { Way::Lookups(tables, straight, false) };
        Some((LOOK_UPS + x.min(y), way))
    }

    fn joined(&mut self, pair: Pair) -> u64 {
        JOINED + self.alone(pair[0]) + self.alone(pair[1])
    }

    /// Operations for a word by itself, as if nothing of them were there already.
    fn alone(&mut self, word: Operand) -> u64 {
        let Operand::Value(v) = word else { return 0 };
        if let Some(&known) = self.single.get(&v) {
            return known;
        }
        let found = match self.made.get(&v).filter(|_| !self.home.contains_key(&v)).cloned() {
            Some(OpKind::Binary(_, a, b)) => 1 + self.alone(a) + self.alone(b),
            Some(OpKind::Not(a)) => 1 + self.alone(a),
            Some(OpKind::Shift(_, a, Operand::Const(n))) => n + self.alone(a),
            Some(OpKind::Lookup(_, address)) => {
                LOOK_UPS + word_of(&address).map_or(0, |index| self.alone(Operand::Value(index)))
            }
            Some(OpKind::Concat(parts)) => BITS_JOINED.min(2 * parts.len() as u64),
            Some(OpKind::Load(..)) => LOAD,
            Some(OpKind::Extract(..) | OpKind::Const(_)) | None => 0,
            Some(_) => OTHER,
        };
        let found = found.min(MOST);
        self.single.insert(v, found);
        found
    }
}

fn is_bitwise(kind: Binary) -> bool {
    matches!(kind, Binary::Xor | Binary::And | Binary::Or)
}

/// The word that an address is as it is.
fn word_of(address: &crate::ir::Address) -> Option<ValueId> {
    match address.affine.terms.as_slice() {
        &[(1, value)] if address.affine.constant == 0 && !address.ring => Some(value),
        _ => None,
    }
}
