//! Making the word of some bytes.

use super::emit::Emitter;
use super::shape::{position, shape, Shape, WordRef};
use super::Layer;
use crate::ir::{Address, Affine, Binary, Op, OpKind, Operand, Shift, TableId, Type, ValueId};

impl Emitter<'_> {
    /// The word of a group whose bytes are made in this block.
    pub(super) fn make_group(&mut self, group: usize) -> Operand {
        let lanes: Vec<Operand> = self.groups.list[group].iter().map(|&v| Operand::Value(v)).collect();
        let first = self.groups.list[group][0];
        if let Some((op, ..)) = self.facts.linear(first) {
            let rows: Vec<usize> = self.groups.list[group].iter().map(|&v| self.facts.def(v).result).collect();
            return self.multiplied(op, &rows);
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
            Shape::Lookups if self.layer == Layer::Words => self.placed(lanes),
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

    /// Look-ups without a matrix: tables of words that hold the byte in its place.
    fn placed(&mut self, lanes: &[Operand]) -> Operand {
        let bytes = lanes.len();
        let mut sum = Operand::Const(lanes.iter().rev().fold(0u64, |sum, o| sum << 8 | number_or_zero(*o)));
        for (lane, &byte) in lanes.iter().enumerate() {
            let Operand::Value(v) = byte else { continue };
            let Some((table, index)) = self.facts.byte_lookup(v, &self.tables.old) else { continue };
            let index = self.value(index);
            let part = match index {
                Operand::Const(n) => Operand::Const(self.tables.old[table.0 as usize].data[n as usize] << (8 * lane)),
                Operand::Value(_) => {
                    let placed = self.tables.placed(table, lane, bytes);
                    self.looked_up(placed, index, bytes)
                }
            };
            sum = self.xor(sum, part, bytes);
        }
        sum
    }

    fn looked_up(&mut self, table: TableId, index: Operand, bytes: usize) -> Operand {
        let mut affine = Affine::default();
        match index {
            Operand::Value(v) => affine.terms.push((1, v)),
            Operand::Const(n) => affine.constant = n as i64,
        }
        self.new_word(bytes, OpKind::Lookup(table, Address { affine, ring: false }))
    }

    /// Rows of a product: one look-up for each byte that goes in, its S-box merged with the matrix.
    fn multiplied(&mut self, op: &Op, rows: &[usize]) -> Operand {
        let OpKind::Linear(matrix, inputs) = &op.kind else { return Operand::Const(0) };
        let bytes = rows.len();
        let mut sources: Vec<(Operand, Vec<(usize, Vec<TableId>)>)> = Vec::new();
        for (column, &input) in inputs.iter().enumerate() {
            let (source, chain) = self.source(input);
            match sources.iter_mut().find(|s| s.0 == source) {
                Some(known) => known.1.push((column, chain)),
                None => sources.push((source, vec![(column, chain)])),
            }
        }
        let mut sum = Operand::Const(0);
        for (source, columns) in sources {
            let product = self.tables.product(*matrix, &columns, rows);
            let index = self.operand(source);
            let term = match (product, index) {
                (product, Operand::Const(n)) => Operand::Const(product.data(&self.tables.new_data)[n as usize]),
                (product, _) if product.is_zero(&self.tables.new_data) => Operand::Const(0),
                (product, index) => {
                    let (table, turn) = self.tables.table_for(product, bytes);
                    let word = self.looked_up(table, index, bytes);
                    self.turned(word, turn, bytes)
                }
            };
            sum = self.xor(sum, term, bytes);
        }
        sum
    }

    pub(super) fn turned(&mut self, word: Operand, lanes: usize, bytes: usize) -> Operand {
        if lanes == 0 || word == Operand::Const(0) {
            return word;
        }
        self.new_word(bytes, OpKind::Shift(Shift::Rotl, word, Operand::Const(8 * lanes as u64)))
    }

    /// Looks through look-ups that nothing but matrices use: the byte before them, and the tables from the inside out.
    fn source(&self, input: Operand) -> (Operand, Vec<TableId>) {
        let mut chain = Vec::new();
        let mut input = self.facts.resolved(input);
        while let Operand::Value(v) = input {
            let used_here =
                if chain.is_empty() { self.facts.only_multiplied(v) } else { self.facts.users(v).len() == 1 };
            let here = self.facts.def(v).block == self.block && !self.groups.home.contains_key(&v);
            match self.facts.byte_lookup(v, &self.tables.old) {
                Some((table, index)) if used_here && here => {
                    chain.insert(0, table);
                    input = self.facts.resolved(Operand::Value(index));
                }
                _ => break,
            }
        }
        (input, chain)
    }
}

fn number_or_zero(operand: Operand) -> u64 {
    match operand {
        Operand::Const(n) => n,
        Operand::Value(_) => 0,
    }
}
