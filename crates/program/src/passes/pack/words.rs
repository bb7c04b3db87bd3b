//! Making the word of some bytes.

use super::emit::Emitter;
use super::shape::{position, shape, Shape, WordRef};
use super::Layer;
use crate::ir::{Binary, OpKind, Operand, Shift, Type, ValueId};

impl Emitter<'_> {
    /// The word of a group whose bytes are made in this block.
    pub(super) fn make_group(&mut self, group: usize) -> Operand {
        let lanes: Vec<Operand> = self.groups.list[group].iter().map(|&v| Operand::Value(v)).collect();
        let first = self.groups.list[group][0];
        if let Some((op, ..)) = self.facts.linear(first) {
            let rows: Vec<usize> = self.groups.list[group].iter().map(|&v| self.facts.def(v).result).collect();
            return self.derived_product(group, op).unwrap_or_else(|| self.multiplied(op, &rows));
        }
        let parts: Vec<(Binary, Operand, Operand)> =
            self.groups.list[group].iter().filter_map(|&v| self.facts.bitwise(v)).collect();
        if parts.len() != lanes.len() {
            return self.put_together(&lanes);
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &(_, x, y) in &parts {
            let swap = !self.same_side(parts[0].1, x) && self.same_side(parts[0].1, y);
            left.push(if swap { y } else { x });
            right.push(if swap { x } else { y });
        }
        let name = self.facts.function.values[first.0 as usize].name.clone();
        self.bitwise_word(&name, parts[0].0, &left, &right)
    }

    /// Whether two bytes come from the same word or are the same kind of thing.
    fn same_side(&self, a: Operand, b: Operand) -> bool {
        match (position(self.facts, self.groups, a), position(self.facts, self.groups, b)) {
            (Some(x), Some(y)) => x.0 == y.0,
            (None, None) => matches!(a, Operand::Const(_)) == matches!(b, Operand::Const(_)),
            _ => false,
        }
    }

    pub(super) fn make_word(&mut self, lanes: &[Operand]) -> Operand {
        match shape(self.facts, self.groups, &self.tables.old, lanes, self.block) {
            Shape::Number(n) => Operand::Const(n),
            Shape::Permuted(word, order) => self.permuted(word, &order, lanes),
            Shape::Slice(word, first) => {
                let word = self.word_of(word);
                self.slice(word, first, lanes.len())
            }
            Shape::Bitwise(kind, a, b) => self.bitwise_word("", kind, &a, &b),
            Shape::Linear(op, rows) => self.multiplied(op, &rows),
            Shape::Lookups if self.layer != Layer::Shifts => self.placed(lanes),
            Shape::Halves => self.halves(lanes),
            Shape::Lookups | Shape::Memory | Shape::Bytes => self.put_together(lanes),
        }
    }

    fn bitwise_word(&mut self, name: &str, kind: Binary, a: &[Operand], b: &[Operand]) -> Operand {
        let bytes = a.len();
        let (a, b) = (self.word(a), self.word(b));
        self.combined(name, kind, a, b, bytes)
    }

    /// A bitwise operation, without what numbers make superfluous.
    pub(super) fn combined(&mut self, name: &str, kind: Binary, a: Operand, b: Operand, bytes: usize) -> Operand {
        let ones = crate::semantics::mask(8 * bytes as u8);
        match (kind, a, b) {
            (_, Operand::Const(x), Operand::Const(y)) => {
                Operand::Const(crate::semantics::binary(kind, x, y, 8 * bytes as u8))
            }
            (Binary::Xor | Binary::Or, Operand::Const(0), other)
            | (Binary::Xor | Binary::Or, other, Operand::Const(0)) => other,
            (Binary::And, Operand::Const(n), other) | (Binary::And, other, Operand::Const(n)) if n == ones => other,
            _ => self.op(name, Type::Word(8 * bytes as u8), OpKind::Binary(kind, a, b)),
        }
    }

    pub(super) fn xor(&mut self, a: Operand, b: Operand, bytes: usize) -> Operand {
        self.combined("", Binary::Xor, a, b, bytes)
    }

    pub(super) fn word_of(&mut self, word: WordRef) -> Operand {
        match word {
            WordRef::Group(group) => self.group_word(group),
            WordRef::Value(v) => self.value(v),
        }
    }

    fn permuted(&mut self, word: WordRef, order: &[usize], lanes: &[Operand]) -> Operand {
        let bytes = order.len();
        let turned = (0..bytes).all(|n| order[n] == (order[0] + n) % bytes);
        if !turned {
            return self.put_together(lanes);
        }
        let word = self.word_of(word);
        match (order[0], word) {
            (0, _) => word,
            (by, Operand::Const(n)) => {
                Operand::Const(crate::semantics::shift(Shift::Rotr, n, 8 * by as u64, 8 * bytes as u8))
            }
            (by, _) => self.new_word(bytes, OpKind::Shift(Shift::Rotr, word, Operand::Const(8 * by as u64))),
        }
    }

    fn slice(&mut self, word: Operand, first: usize, bytes: usize) -> Operand {
        match word {
            Operand::Const(n) => Operand::Const(n >> (8 * first) & crate::semantics::mask(8 * bytes as u8)),
            Operand::Value(_) => self.new_word(bytes, OpKind::Extract(word, 8 * first as u8)),
        }
    }

    fn halves(&mut self, lanes: &[Operand]) -> Operand {
        if let Some(word) = self.gathered(lanes) {
            return word;
        }
        let half = lanes.len() / 2;
        let (low, high) = (self.word(&lanes[..half]), self.word(&lanes[half..]));
        let sum = |lanes: &[Operand]| {
            self.layer == Layer::Words
                && matches!(shape(self.facts, self.groups, &self.tables.old, lanes, self.block), Shape::Lookups)
        };
        if sum(&lanes[..half]) && sum(&lanes[half..]) {
            return self.joined_by_xor(low, high, half);
        }
        self.joined(&[(low, half), (high, half)])
    }

    /// Two words side by side where both are sums, so that what else is added can be added in the best order.
    fn joined_by_xor(&mut self, low: Operand, high: Operand, half: usize) -> Operand {
        let [low, high] = [low, high].map(|part| match part {
            Operand::Value(v) => self.new_word(2 * half, OpKind::Zext(v)),
            Operand::Const(_) => part,
        });
        let high = match high {
            Operand::Const(n) => Operand::Const(n << (8 * half)),
            Operand::Value(_) => {
                self.new_word(2 * half, OpKind::Shift(Shift::Shl, high, Operand::Const(8 * half as u64)))
            }
        };
        self.xor(low, high, 2 * half)
    }

    /// Words side by side.
    pub(super) fn joined(&mut self, parts: &[(Operand, usize)]) -> Operand {
        let bytes: usize = parts.iter().map(|p| p.1).sum();
        if let Some(number) = self.number_of(parts) {
            return Operand::Const(number);
        }
        let values: Vec<ValueId> = parts.iter().map(|&(part, bytes)| self.as_value(part, bytes)).collect();
        self.new_word(bytes, OpKind::Concat(values))
    }

    fn number_of(&self, parts: &[(Operand, usize)]) -> Option<u64> {
        parts.iter().rev().try_fold(0u64, |sum, &(part, bytes)| match part {
            Operand::Const(n) if bytes == 8 => Some(n),
            Operand::Const(n) => Some(sum << (8 * bytes) | n),
            Operand::Value(_) => None,
        })
    }

    fn as_value(&mut self, operand: Operand, bytes: usize) -> ValueId {
        match operand {
            Operand::Value(v) => v,
            Operand::Const(n) => match self.new_word(bytes, OpKind::Const(n)) {
                Operand::Value(v) => v,
                Operand::Const(_) => unreachable!("an operation gives a value"),
            },
        }
    }

    /// A word of single bytes; a lone byte among numbers is shifted into its place.
    fn put_together(&mut self, lanes: &[Operand]) -> Operand {
        if let Some(word) = self.gathered(lanes) {
            return word;
        }
        let bytes = lanes.len();
        let values: Vec<usize> = (0..bytes).filter(|&n| matches!(lanes[n], Operand::Value(_))).collect();
        if let [lane] = values[..] {
            let number = lanes.iter().rev().fold(0u64, |sum, o| sum << 8 | number_or_zero(*o));
            let byte = self.operand(lanes[lane]);
            let placed = self.raised(byte, lane, bytes);
            return self.xor(placed, Operand::Const(number), bytes);
        }
        let parts: Vec<(Operand, usize)> = lanes.iter().map(|&o| (self.operand(o), 1)).collect();
        self.joined(&parts)
    }

    /// A byte in its lane of a word of zeros.
    fn raised(&mut self, byte: Operand, lane: usize, bytes: usize) -> Operand {
        let Operand::Value(v) = byte else { return Operand::Const(number_or_zero(byte) << (8 * lane)) };
        let wide = if bytes == 1 { byte } else { self.new_word(bytes, OpKind::Zext(v)) };
        if lane == 0 {
            return wide;
        }
        self.new_word(bytes, OpKind::Shift(Shift::Shl, wide, Operand::Const(8 * lane as u64)))
    }
}

pub(super) fn number_or_zero(operand: Operand) -> u64 {
    match operand {
        Operand::Const(n) => n,
        Operand::Value(_) => 0,
    }
}
