//! A block's operations as bits: what is linear over GF(2) becomes sums, everything else gives new sources.

use std::collections::BTreeMap;

use program::ir::{Address, Binary, Block, Function, Op, OpKind, Operand, Program, Shift, Type, ValueId};
use program::semantics::field_multiply;

use super::graph::{constant, Bit, Graph, Held, Kind, ZERO};

/// What a value is.
#[derive(Clone, Debug)]
enum Known {
    Word(Vec<Bit>),
    Array(Vec<Vec<Bit>>),
    /// An array of which nothing is known.
    Opaque,
}

/// Where bits are used: by an operation that is not linear, or as what the block gives.
#[derive(Clone, Debug)]
pub struct Sink {
    /// The value, and the element of an array.
    pub value: ValueId,
    /// See `value`.
    pub element: Option<usize>,
    /// Its bits.
    pub bits: Vec<Bit>,
}

/// A block, walked.
pub struct Walk<'a> {
    program: &'a Program,
    function: &'a Function,
    /// All bits.
    pub graph: Graph,
    /// Where they are used: the block's outputs last.
    pub sinks: Vec<Sink>,
    /// Number of the first sink that is an output of the block.
    pub first_output: usize,
    values: BTreeMap<ValueId, Known>,
}

impl<'a> Walk<'a> {
    /// Walks a block of a function; its parameters are a loop's carried values.
    #[must_use]
    pub fn of(program: &'a Program, function: &'a Function, block: &Block) -> Self {
        let (graph, sinks, values) = (Graph::new(), Vec::new(), BTreeMap::new());
        let mut walk = Walk { program, function, graph, sinks, first_output: 0, values };
        for &parameter in &block.params {
            walk.fresh(parameter, Kind::State, 0);
        }
        for op in &block.ops {
            walk.operation(op);
        }
        walk.first_output = walk.sinks.len();
        for output in &block.outputs {
            walk.used(*output);
        }
        walk
    }

    fn ty(&self, value: ValueId) -> &Type {
        &self.function.values[value.0 as usize].ty
    }

    fn width(&self, value: ValueId) -> u8 {
        self.ty(value).width()
    }

    /// Makes all bits of a value sources of a new group.
    fn fresh(&mut self, value: ValueId, kind: Kind, depth: u32) {
        let known = match self.ty(value).clone() {
            Type::Index => return,
            Type::Word(width) => {
                let group = self.graph.group(kind, "", depth, None);
                Known::Word(self.sources(group, value, None, width))
            }
            Type::Array(array) if array.len() <= 64 && kind == Kind::State => {
                let elements = (0..array.len()).map(|n| {
                    let group = self.graph.group(kind, "", depth, None);
                    self.sources(group, value, Some(n), array.width)
                });
                Known::Array(elements.collect())
            }
            Type::Array(_) => Known::Opaque,
        };
        self.values.insert(value, known);
    }

    fn sources(&mut self, group: usize, value: ValueId, element: Option<usize>, width: u8) -> Vec<Bit> {
        (0..width).map(|bit| self.graph.source(group, Held { value, element, bit })).collect()
    }

    /// The bits of a word; one that is made outside the block becomes sources.
    fn word(&mut self, value: ValueId) -> Vec<Bit> {
        if !self.values.contains_key(&value) {
            self.fresh(value, Kind::Outside, 0);
        }
        match self.values.get(&value) {
            Some(Known::Word(bits)) => bits.clone(),
            _ => Vec::new(),
        }
    }

    fn operand(&mut self, operand: Operand, width: u8) -> Vec<Bit> {
        match operand {
            Operand::Const(number) => bits_of(number, width),
            Operand::Value(value) => self.word(value),
        }
    }

    fn give(&mut self, value: ValueId, bits: Vec<Bit>) {
        self.values.insert(value, Known::Word(bits));
    }

    /// Notes that an operand is used by what is not linear.
    fn used(&mut self, operand: Operand) {
        let Operand::Value(value) = operand else { return };
        match self.ty(value) {
            Type::Index => {}
            Type::Word(_) => {
                let bits = self.word(value);
                self.sinks.push(Sink { value, element: None, bits });
            }
            Type::Array(_) => {
                let Some(Known::Array(elements)) = self.values.get(&value).cloned() else { return };
                for (n, bits) in elements.into_iter().enumerate() {
                    self.sinks.push(Sink { value, element: Some(n), bits });
                }
            }
        }
    }

    /// An operation that is not linear: its operands are sinks, its results sources.
    fn opaque(&mut self, op: &Op, operands: &[Operand]) {
        let width = |o: &Operand| matches!(o, Operand::Value(v) if *self.ty(*v) != Type::Index);
        let words: Vec<Operand> = operands.iter().copied().filter(width).collect();
        let mut all = Vec::new();
        for &one in &words {
            self.used(one);
            all.extend(self.operand(one, 0));
        }
        let depth = self.graph.depth(&all) + 1;
        for &result in &op.results {
            self.fresh(result, Kind::Operation(op.kind.mnemonic()), depth);
        }
    }

    fn outside(&mut self, op: &Op) {
        op.results.iter().for_each(|&result| self.fresh(result, Kind::Outside, 0));
    }

    fn operation(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Const(number) => {
                let bits = bits_of(*number, self.width(op.results[0]));
                self.give(op.results[0], bits);
            }
            OpKind::Binary(which, a, b) => self.binary(op, *which, *a, *b),
            OpKind::Not(a) => {
                let width = self.width(op.results[0]);
                let bits = self.operand(*a, width).into_iter().map(|b| Bit { one: !b.one, ..b }).collect();
                self.give(op.results[0], bits);
            }
            OpKind::Shift(which, a, amount) => self.shift(op, *which, *a, *amount),
            OpKind::Extract(a, low) => {
                let (low, width) = (usize::from(*low), usize::from(self.width(op.results[0])));
                let bits = self.operand(*a, 64);
                self.give(op.results[0], bits[low..low + width].to_vec());
            }
            OpKind::Concat(parts) => {
                let bits = parts.iter().flat_map(|&p| self.word(p)).collect();
                self.give(op.results[0], bits);
            }
            OpKind::Zext(a) => {
                let mut bits = self.word(*a);
                bits.resize(usize::from(self.width(op.results[0])), ZERO);
                self.give(op.results[0], bits);
            }
            OpKind::Select(c, a, b) => self.select(op, *c, *a, *b),
            OpKind::Compare(_, a, b) => self.opaque(op, &[*a, *b]),
            OpKind::Lookup(table, address) => self.lookup(op, table.0 as usize, address),
            OpKind::Load(array, addresses) => self.load(op, *array, addresses),
            OpKind::Store(array, addresses, words) => self.store(op, *array, addresses, words),
            OpKind::Array(list) => self.array(op.results[0], list),
            OpKind::Linear(matrix, list) => self.linear(op, matrix.0 as usize, list),
            OpKind::Bitsliced(which, list) => self.bitsliced(op, which.0 as usize, list),
            OpKind::Call(_, list) => self.opaque(op, list),
            OpKind::Loop(l) => self.opaque(op, &l.init),
            OpKind::Word(_) => self.outside(op),
            OpKind::IndexDiv(..) | OpKind::IndexMod(..) => {}
        }
    }

    fn binary(&mut self, op: &Op, which: Binary, a: Operand, b: Operand) {
        let width = self.width(op.results[0]);
        let (x, y) = (self.operand(a, width), self.operand(b, width));
        let pairs = || x.iter().copied().zip(y.iter().copied());
        let disjoint = pairs().all(|(p, q)| p == ZERO || q == ZERO);
        match which {
            Binary::Xor => {
                let bits = pairs().map(|(p, q)| self.graph.xor(p, q)).collect();
                self.give(op.results[0], bits);
            }
            Binary::Add if disjoint => {
                let bits = pairs().map(|(p, q)| self.graph.xor(p, q)).collect();
                self.give(op.results[0], bits);
            }
            Binary::And | Binary::Or => self.gate(op, which == Binary::Or, &x, &y),
            Binary::Mul if one_bit(&x).is_some() && all_constant(&y) => self.spread(op, x[0], &y),
            Binary::Mul if one_bit(&y).is_some() && all_constant(&x) => self.spread(op, y[0], &x),
            _ => self.opaque(op, &[a, b]),
        }
    }

    /// One bit times a constant.
    fn spread(&mut self, op: &Op, bit: Bit, number: &[Bit]) {
        let bits = number.iter().map(|n| if n.one { bit } else { ZERO }).collect();
        self.give(op.results[0], bits);
    }

    /// `and` and `or`: a place where one operand is constant stays linear.
    fn gate(&mut self, op: &Op, is_or: bool, x: &[Bit], y: &[Bit]) {
        let value = op.results[0];
        let mut group = None;
        let mut bits = Vec::with_capacity(x.len());
        let depth = self.graph.depth(x).max(self.graph.depth(y)) + 1;
        for (n, (&p, &q)) in x.iter().zip(y).enumerate() {
            let other = if p.constant().is_some() { q } else { p };
            bits.push(match p.constant().or(q.constant()) {
                Some(fixed) if fixed == is_or => constant(is_or),
                Some(_) => other,
                None if p == q => p,
                None => {
                    let kind = Kind::Operation(op.kind.mnemonic());
                    let group = *group.get_or_insert_with(|| self.graph.group(kind, "", depth, None));
                    let held = Held { value, element: None, bit: n as u8 };
                    self.graph.source(group, held)
                }
            });
        }
        if group.is_some() {
            let OpKind::Binary(_, a, b) = op.kind else { unreachable!("a gate has two operands") };
            self.used(a);
            self.used(b);
        }
        self.give(value, bits);
    }

    fn shift(&mut self, op: &Op, which: Shift, a: Operand, amount: Operand) {
        let width = self.width(op.results[0]);
        let by = match amount {
            Operand::Const(by) => Some(by),
            Operand::Value(v) => number(&self.word(v)),
        };
        let Some(by) = by else { return self.opaque(op, &[a, amount]) };
        let bits = self.operand(a, width);
        let n = bits.len() as u64;
        let from = |place: u64| match which {
            Shift::Shl => place.checked_sub(by),
            Shift::Shr => place.checked_add(by).filter(|&p| p < n),
            Shift::Rotl => Some((place + n - by % n) % n),
            Shift::Rotr => Some((place + by) % n),
        };
        let moved = (0..n).map(|place| from(place).map_or(ZERO, |p| bits[p as usize])).collect();
        self.give(op.results[0], moved);
    }

    /// A choice between constants is linear in the bit that chooses.
    fn select(&mut self, op: &Op, c: Operand, a: Operand, b: Operand) {
        let width = self.width(op.results[0]);
        let (chosen, x, y) = (self.operand(c, 1), self.operand(a, width), self.operand(b, width));
        if !(all_constant(&x) && all_constant(&y)) {
            return self.opaque(op, &[c, a, b]);
        }
        let bits = x.iter().zip(&y).map(|(p, q)| match (p.one, q.one) {
            (true, false) => chosen[0],
            (false, true) => Bit { one: !chosen[0].one, ..chosen[0] },
            (same, _) => constant(same),
        });
        let bits = bits.collect();
        self.give(op.results[0], bits);
    }

    fn lookup(&mut self, op: &Op, table: usize, address: &Address) {
        let table = &self.program.tables[table];
        let [(1, index)] = address.affine.terms[..] else { return self.outside(op) };
        let Type::Word(width) = *self.ty(index) else { return self.outside(op) };
        let first = usize::try_from(address.affine.constant).unwrap_or(usize::MAX);
        let end = first.saturating_add(1usize.checked_shl(width.into()).unwrap_or(usize::MAX));
        let bits = self.word(index);
        if address.ring || width > 16 || end > table.data.len() {
            return self.opaque(op, &[Operand::Value(index)]);
        }
        let (name, entries) = (table.name.clone(), table.data[first..end].to_vec());
        if let Some(images) = affine(&entries) {
            let bits = self.mapped(entries[0], &images, &bits, table.width);
            return self.give(op.results[0], bits);
        }
        let depth = self.graph.depth(&bits) + 1;
        self.used(Operand::Value(index));
        let group = self.graph.group(Kind::Box, &name, depth, Some((entries, table.width)));
        let bits = self.sources(group, op.results[0], None, table.width);
        self.give(op.results[0], bits);
    }

    /// An affine map of bits: its value at zero, the images of the bits.
    fn mapped(&mut self, zero: u64, images: &[u64], bits: &[Bit], width: u8) -> Vec<Bit> {
        let mut sums = bits_of(zero, width);
        for (image, &bit) in images.iter().zip(bits) {
            for (place, sum) in sums.iter_mut().enumerate() {
                if image >> place & 1 == 1 {
                    *sum = self.graph.xor(*sum, bit);
                }
            }
        }
        sums
    }

    fn linear(&mut self, op: &Op, matrix: usize, list: &[Operand]) {
        let matrix = &self.program.matrices[matrix];
        let width = self.width(op.results[0]);
        let inputs: Vec<Vec<Bit>> = list.iter().map(|&o| self.operand(o, width)).collect();
        for (&result, row) in op.results.iter().zip(&matrix.rows) {
            let mut sums = vec![ZERO; usize::from(width)];
            for (&factor, bits) in row.iter().zip(&inputs) {
                let images: Vec<u64> = (0..width).map(|k| field_multiply(matrix.polynomial, factor, 1 << k)).collect();
                let product = self.mapped(0, &images, bits, width);
                sums = sums.iter().zip(&product).map(|(&a, &b)| self.graph.xor(a, b)).collect();
            }
            self.give(result, sums);
        }
    }

    fn bitsliced(&mut self, op: &Op, which: usize, list: &[Operand]) {
        let sbox = &self.program.boxes[which];
        let width = self.width(op.results[0]);
        let inputs: Vec<Vec<Bit>> = list.iter().map(|&o| self.operand(o, width)).collect();
        list.iter().for_each(|&o| self.used(o));
        let data: Vec<u64> = sbox.data.iter().map(|&d| u64::from(d)).collect();
        let mut words = vec![Vec::new(); op.results.len()];
        for place in 0..width {
            let index: Vec<Bit> = inputs.iter().map(|word| word[usize::from(place)]).collect();
            let depth = self.graph.depth(&index) + 1;
            let group = self.graph.group(Kind::Box, &sbox.name, depth, Some((data.clone(), sbox.outputs)));
            for (word, &value) in words.iter_mut().zip(&op.results) {
                word.push(self.graph.source(group, Held { value, element: None, bit: place }));
            }
        }
        for (&result, word) in op.results.iter().zip(words) {
            self.give(result, word);
        }
    }

    fn load(&mut self, op: &Op, array: ValueId, addresses: &[Address]) {
        if let (Some(first), Some(Known::Array(elements))) = (self.offset(array, addresses), self.values.get(&array)) {
            let elements = elements.clone();
            for (n, &result) in op.results.iter().enumerate() {
                self.give(result, elements[first + n].clone());
            }
            return;
        }
        let terms = addresses.iter().flat_map(|a| &a.affine.terms).map(|t| t.1);
        let words: Vec<Operand> = terms.filter(|&v| matches!(self.ty(v), Type::Word(_))).map(Operand::Value).collect();
        if words.is_empty() {
            return self.outside(op);
        }
        self.opaque(op, &words);
    }

    /// The first element that addresses without variables name.
    fn offset(&self, array: ValueId, addresses: &[Address]) -> Option<usize> {
        let Type::Array(ty) = self.ty(array) else { return None };
        let mut offset = 0;
        for (n, &extent) in ty.dims.iter().enumerate() {
            let at = match addresses.get(n) {
                Some(address) if !address.affine.terms.is_empty() => return None,
                Some(address) if address.ring => address.affine.constant.rem_euclid(i64::from(extent)),
                Some(address) => address.affine.constant,
                None => 0,
            };
            offset = offset * extent as usize + usize::try_from(at).ok()?;
        }
        Some(offset)
    }

    fn store(&mut self, op: &Op, array: ValueId, addresses: &[Address], words: &[Operand]) {
        let width = self.width(array);
        let bits: Vec<Vec<Bit>> = words.iter().map(|&o| self.operand(o, width)).collect();
        let known = match (self.offset(array, addresses), self.values.get(&array)) {
            (Some(first), Some(Known::Array(elements))) => {
                let mut elements = elements.clone();
                elements.splice(first..first + bits.len(), bits);
                Known::Array(elements)
            }
            _ => {
                words.iter().for_each(|&o| self.used(o));
                Known::Opaque
            }
        };
        self.values.insert(op.results[0], known);
    }

    fn array(&mut self, result: ValueId, list: &[Operand]) {
        let Type::Array(ty) = self.ty(result).clone() else { return };
        let elements = match list.is_empty() {
            true => vec![vec![ZERO; usize::from(ty.width)]; ty.len()],
            false => list.iter().map(|&o| self.operand(o, ty.width)).collect(),
        };
        self.values.insert(result, Known::Array(elements));
    }
}

fn bits_of(number: u64, width: u8) -> Vec<Bit> {
    (0..width).map(|k| constant(number >> k & 1 == 1)).collect()
}

fn all_constant(bits: &[Bit]) -> bool {
    bits.iter().all(|b| b.constant().is_some())
}

fn number(bits: &[Bit]) -> Option<u64> {
    let set = |(n, b): (usize, &Bit)| Some(u64::from(b.constant()?) << n);
    bits.iter().enumerate().map(set).sum()
}

/// The lowest bit, if all others are zero.
fn one_bit(bits: &[Bit]) -> Option<Bit> {
    bits[1..].iter().all(|&b| b == ZERO).then(|| bits[0])
}

/// The images of the index bits, less the entry at zero, if a table is affine over GF(2).
fn affine(entries: &[u64]) -> Option<Vec<u64>> {
    let images: Vec<u64> = (0..entries.len().trailing_zeros()).map(|k| entries[1 << k] ^ entries[0]).collect();
    let sum = |x: usize| images.iter().enumerate().filter(|(k, _)| x >> k & 1 == 1).fold(entries[0], |s, (_, i)| s ^ i);
    (0..entries.len()).all(|x| sum(x) == entries[x]).then_some(images)
}
