//! A function in which runs of words that loops carry, and rows of arrays, are bytes of two words each.

use std::collections::{BTreeMap, HashMap};

use super::search::Pairing;
use super::ways::{Pair, Way, Ways};
use super::BITS;
use crate::builder::{Builder, Replacements};
use crate::ir::{
    Address, Affine, ArrayType, Binary, Block, Function, Loop, Op, OpKind, Operand, Place, Shift, TableId, Type,
    ValueId,
};
use crate::walk::{for_each_block, for_each_op};

/// Where the columns of an array's rows are: the byte of the row, and the bit that the word begins at. A column in which one number
/// stands in all rows has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub places: Vec<Option<(usize, u8)>>,
    pub numbers: Vec<Option<u64>>,
    pub bytes: usize,
}

/// Pairs of columns that were wanted in one byte, of arrays whose columns nobody had chosen: class, lower, upper.
pub(super) type Wanted = Vec<(usize, usize, usize)>;

/// The runs of words of four bits that a loop with these results carries: start and length.
pub(super) fn runs(function: &Function, results: &[ValueId]) -> Vec<(usize, usize)> {
    let is_word = |v: &ValueId| function.values[v.0 as usize].ty == Type::Word(BITS);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (n, _) in results.iter().enumerate().filter(|(_, v)| is_word(v)) {
        match runs.last_mut() {
            Some((start, count)) if *start + *count == n => *count += 1,
            _ => runs.push((n, 1)),
        }
    }
    runs.retain(|&(_, count)| count > 1);
    runs
}

/// The operations on two words, by the words.
fn users(function: &Function) -> HashMap<ValueId, Vec<&Op>> {
    let mut users: HashMap<ValueId, Vec<&Op>> = HashMap::new();
    for_each_op(&function.body, &mut |op| {
        if let OpKind::Binary(_, Operand::Value(a), b) = op.kind {
            users.entry(a).or_default().push(op);
            if let Operand::Value(b) = b {
                users.entry(b).or_default().push(op);
            }
        }
    });
    users
}

/// The number of the block that makes each value by a binary operation.
fn blocks(function: &Function) -> HashMap<ValueId, usize> {
    let (mut blocks, mut number) = (HashMap::new(), 0);
    for_each_block(&function.body, &mut |block| {
        let binary = block.ops.iter().filter(|op| matches!(op.kind, OpKind::Binary(..)));
        blocks.extend(binary.map(|op| (op.results[0], number)));
        number += 1;
    });
    blocks
}

/// A function being rebuilt.
pub(super) struct Rebuild<'a> {
    old: &'a Function,
    pairing: Option<Pairing>,
    classes: &'a BTreeMap<ValueId, usize>,
    columns: &'a HashMap<usize, Columns>,
    ways: Ways<'a>,
    builder: Builder,
    wanted: Wanted,
    /// Bytes made so far, by the block around, the innermost last.
    known: Vec<HashMap<Pair, Operand>>,
    map: Replacements,
    /// The word in each half of a byte.
    halves: HashMap<(ValueId, u8), ValueId>,
    /// The operations that take a word.
    users: HashMap<ValueId, Vec<&'a Op>>,
    blocks: HashMap<ValueId, usize>,
}

impl<'a> Rebuild<'a> {
    pub fn new(
        old: &'a Function,
        pairing: Option<Pairing>,
        classes: &'a BTreeMap<ValueId, usize>,
        columns: &'a HashMap<usize, Columns>,
    ) -> Rebuild<'a> {
        let builder = Builder::new(&mut old.clone());
        Rebuild {
            old,
            pairing,
            classes,
            columns,
            ways: Ways::new(&old.values),
            builder,
            wanted: Vec::new(),
            known: Vec::new(),
            map: Replacements::new(),
            halves: HashMap::new(),
            users: users(old),
            blocks: blocks(old),
        }
    }

    /// The function, and which columns it would have liked in one byte.
    pub fn rebuilt(mut self) -> (Function, Wanted) {
        for n in 0..self.old.values.len() {
            if let Some(ty) = self.retyped(ValueId(n as u32)) {
                self.builder.values[n].ty = ty;
            }
        }
        let mut made = self.old.clone();
        made.body = self.block(&self.old.body, Vec::new());
        for (ty, output) in made.results.iter_mut().zip(&made.body.outputs) {
            if let (Type::Array(_), Operand::Value(v)) = (&ty, output) {
                *ty = self.builder.ty(*v).clone();
            }
        }
        self.builder.finish(&mut made);
        crate::passes::dce::clean(&mut made);
        (made, self.wanted)
    }

    fn layout(&self, array: ValueId) -> Option<&'a Columns> {
        self.columns.get(self.classes.get(&array)?)
    }

    fn retyped(&self, v: ValueId) -> Option<Type> {
        let columns = self.layout(v)?;
        let Type::Array(ty) = &self.old.values[v.0 as usize].ty else { return None };
        Some(Type::Array(ArrayType { width: 8, dims: vec![ty.dims[0], columns.bytes as u32] }))
    }

    /// A block behind the operations of `out`.
    fn block(&mut self, block: &'a Block, mut out: Vec<Op>) -> Block {
        self.known.push(HashMap::new());
        for op in &block.ops {
            self.operation(op, &mut out);
        }
        let mut made = Block { params: block.params.clone(), ops: out, outputs: block.outputs.clone() };
        self.known.pop();
        self.builder.substitute(&mut made, &self.map);
        made
    }

    fn operation(&mut self, op: &'a Op, out: &mut Vec<Op>) {
        match &op.kind {
            OpKind::Loop(l) => return self.carried(op, l, out),
            OpKind::Binary(..) if self.ways.home.contains_key(&op.results[0]) => return,
            OpKind::Binary(Binary::Xor | Binary::And | Binary::Or, a, b)
                if self.is_word(op.results[0]) && self.operation_on_byte(op, *a, *b, out) =>
            {
                return
            }
            OpKind::Load(array, addresses) => {
                if let Some(columns) = self.layout(*array) {
                    return self.load(op, *array, addresses, columns, out);
                }
                if let (Some(_), true) = (self.classes.get(array), addresses.len() == 1) {
                    for (column, &v) in op.results.iter().enumerate() {
                        self.ways.columns.insert(v, (op.results[0], column));
                    }
                }
            }
            OpKind::Store(array, addresses, words) => {
                if let Some(columns) = self.layout(*array) {
                    let words = self.row(words, columns, &op.places, out);
                    out.push(Op { kind: OpKind::Store(*array, addresses.clone(), words), ..op.clone() });
                    return;
                }
                self.columns_wanted(*array, words);
            }
            OpKind::Array(words) if !words.is_empty() => {
                if let Some(columns) = self.layout(op.results[0]) {
                    let rows = words.chunks(columns.places.len());
                    let bytes = rows.flat_map(|row| self.row(row, columns, &op.places, out)).collect();
                    out.push(Op { kind: OpKind::Array(bytes), ..op.clone() });
                    return;
                }
            }
            OpKind::Concat(parts) if parts.len() == 2 && parts.iter().all(|&v| self.is_word(v)) => {
                let pair = [Operand::Value(parts[0]), Operand::Value(parts[1])];
                let byte = self.byte(pair, &op.places, out);
                self.map.insert(op.results[0], byte);
                return;
            }
            _ => {}
        }
        for &result in &op.results {
            self.ways.made.insert(result, op.kind.clone());
        }
        out.push(op.clone());
    }

    /// Does an operation on a half of a byte together with the same on the other half, where there is one; whether there is.
    fn operation_on_byte(&mut self, op: &'a Op, a: Operand, b: Operand, out: &mut Vec<Op>) -> bool {
        for (one, other) in [(a, b), (b, a)] {
            let Operand::Value(v) = one else { continue };
            let Some(&(byte, start)) = self.ways.home.get(&v) else { continue };
            let Some(&beside) = self.halves.get(&(byte, BITS - start)) else { continue };
            for partner in self.users.get(&beside).cloned().unwrap_or_default() {
                let OpKind::Binary(kind, x, y) = partner.kind else { continue };
                let second = if x == Operand::Value(beside) { y } else { x };
                let pairs = if start == 0 { [other, second] } else { [second, other] };
                let block = |op: &Op| self.blocks.get(&op.results[0]);
                let elsewhere = self.ways.made.contains_key(&partner.results[0]) || block(op) != block(partner);
                if elsewhere || partner.results == op.results || !matches!(op.kind, OpKind::Binary(k, ..) if k == kind)
                {
                    continue;
                }
                if let Some(second) = self.byte_there(pairs) {
                    let made = OpKind::Binary(kind, Operand::Value(byte), second);
                    let (made, result) = self.builder.op("", Type::Word(8), made, &op.places);
                    out.push(made);
                    for (one, at) in [(op, start), (partner, BITS - start)] {
                        self.half(one.results[0], result, at, &op.places, out);
                        self.ways.made.insert(one.results[0], one.kind.clone());
                    }
                    return true;
                }
            }
        }
        false
    }

    /// A byte that is there already, or two numbers; columns of one row are noted as wanted together.
    fn byte_there(&mut self, pair: Pair) -> Option<Operand> {
        match pair.map(|word| self.ways.resolved(word)) {
            [Operand::Const(a), Operand::Const(b)] => Some(Operand::Const(a | b << BITS)),
            [Operand::Value(a), Operand::Value(b)] => {
                self.column_pair(a, b);
                let (&(byte, low), &(other, high)) = (self.ways.home.get(&a)?, self.ways.home.get(&b)?);
                (byte == other && low == 0 && high == BITS).then_some(Operand::Value(byte))
            }
            _ => None,
        }
    }

    fn column_pair(&mut self, a: ValueId, b: ValueId) {
        let (Some(&(load, low)), Some(&(other, high))) = (self.ways.columns.get(&a), self.ways.columns.get(&b)) else {
            return;
        };
        let array = match self.ways.made.get(&load) {
            Some(OpKind::Load(array, _)) if load == other => self.classes.get(array),
            _ => None,
        };
        self.wanted.extend(array.map(|&class| (class, low, high)));
    }

    fn is_word(&self, v: ValueId) -> bool {
        *self.builder.ty(v) == Type::Word(BITS)
    }

    /// Notes the columns of a row whose words are in one byte already.
    fn columns_wanted(&mut self, array: ValueId, words: &[Operand]) {
        let Some(&class) = self.classes.get(&array) else { return };
        let mut lower: HashMap<ValueId, usize> = HashMap::new();
        for half in [0, BITS] {
            for (column, word) in words.iter().enumerate() {
                let Operand::Value(v) = word else { continue };
                match self.ways.home.get(v) {
                    Some(&(byte, 0)) if half == 0 => {
                        lower.insert(byte, column);
                    }
                    Some(&(byte, BITS)) if half == BITS => {
                        if let Some(&low) = lower.get(&byte) {
                            self.wanted.push((class, low, column));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Loads the bytes of a row, or one of them, and takes them apart.
    fn load(&mut self, op: &Op, array: ValueId, addresses: &[Address], columns: &Columns, out: &mut Vec<Op>) {
        if let [row, column] = addresses {
            let column = column.affine.constant as usize;
            let Some((byte, start)) = columns.places[column] else {
                return self.number(op.results[0], columns.numbers[column]);
            };
            let at = Affine { terms: Vec::new(), constant: byte as i64 };
            let at = vec![row.clone(), Address { affine: at, ring: false }];
            let (load, whole) = self.builder.op("", Type::Word(8), OpKind::Load(array, at), &op.places);
            out.push(load);
            return self.half(op.results[0], whole, start, &op.places, out);
        }
        let bytes: Vec<ValueId> = (0..columns.bytes).map(|_| self.builder.value("", Type::Word(8))).collect();
        let kind = OpKind::Load(array, addresses.to_vec());
        out.push(Op { kind, results: bytes.clone(), places: op.places.clone() });
        for (column, &v) in op.results.iter().enumerate() {
            match columns.places[column] {
                Some((byte, start)) => self.half(v, bytes[byte], start, &op.places, out),
                None => self.number(v, columns.numbers[column]),
            }
        }
    }

    /// Lets a number stand for a word.
    fn number(&mut self, word: ValueId, number: Option<u64>) {
        let number = number.unwrap_or(0);
        self.ways.made.insert(word, OpKind::Const(number));
        self.map.insert(word, Operand::Const(number));
    }

    /// Takes a word of the old function out of its byte.
    fn half(&mut self, word: ValueId, byte: ValueId, start: u8, places: &[Place], out: &mut Vec<Op>) {
        let kind = OpKind::Extract(Operand::Value(byte), start);
        self.ways.home.insert(word, (byte, start));
        self.halves.insert((byte, start), word);
        out.push(Op { kind, results: vec![word], places: places.to_vec() });
    }

    /// The bytes of a row of words.
    fn row(&mut self, words: &[Operand], columns: &Columns, places: &[Place], out: &mut Vec<Op>) -> Vec<Operand> {
        let mut pairs: Vec<Pair> = vec![[Operand::Const(0); 2]; columns.bytes];
        for (&word, place) in words.iter().zip(&columns.places) {
            if let Some((byte, start)) = *place {
                pairs[byte][usize::from(start / BITS)] = word;
            }
        }
        pairs.into_iter().map(|pair| self.byte(pair, places, out)).collect()
    }

    fn carried(&mut self, op: &'a Op, l: &'a Loop, out: &mut Vec<Op>) {
        let runs = if self.pairing.is_some() { runs(self.old, &op.results) } else { Vec::new() };
        let mut pairs: HashMap<usize, Option<usize>> = HashMap::new();
        for (start, count) in runs {
            for [low, high] in self.pairing.map(|p| p.pairs(count)).unwrap_or_default() {
                pairs.insert(start + low.min(high), Some(start + low.max(high)).filter(|_| low < high));
                pairs.insert(start + low.max(high), Some(start + low.min(high)).filter(|_| low > high));
            }
        }
        // Of each pair, the lower word's place is the byte's; `None` is the upper word, which is gone.
        let slots: Vec<usize> = (0..op.results.len()).filter(|n| pairs.get(n).map_or(true, Option::is_some)).collect();
        let partner = |n: usize| pairs.get(&n).copied().flatten();
        let places = &op.places;
        let mut made = Loop { init: Vec::new(), bodies: Vec::new(), ..l.clone() };
        for &n in &slots {
            let init = match partner(n) {
                Some(high) => self.byte([l.init[n], l.init[high]], places, out),
                None => l.init[n],
            };
            made.init.push(init);
        }
        for body in &l.bodies {
            made.bodies.push(self.body(body, &slots, &partner, places));
        }
        let mut results = Vec::new();
        let mut taken = Vec::new();
        for &n in &slots {
            results.push(self.slot(&op.results, n, partner(n), places, &mut taken));
        }
        out.push(Op { kind: OpKind::Loop(Box::new(made)), results, places: places.clone() });
        out.append(&mut taken);
    }

    fn body(
        &mut self,
        body: &'a Block,
        slots: &[usize],
        partner: &dyn Fn(usize) -> Option<usize>,
        places: &[Place],
    ) -> Block {
        let mut ops = Vec::new();
        let mut params = vec![body.params[0]];
        for &n in slots {
            params.push(self.slot(&body.params[1..], n, partner(n), places, &mut ops));
        }
        self.known.push(HashMap::new());
        for op in &body.ops {
            self.operation(op, &mut ops);
        }
        let outputs = slots.iter().map(|&n| match partner(n) {
            Some(high) => self.byte([body.outputs[n], body.outputs[high]], places, &mut ops),
            None => body.outputs[n],
        });
        let outputs = outputs.collect();
        self.known.pop();
        let mut made = Block { params, ops, outputs };
        self.builder.substitute(&mut made, &self.map);
        made
    }

    /// The value in a slot: a byte from which two words are taken, or the value as it was.
    fn slot(
        &mut self,
        values: &[ValueId],
        n: usize,
        high: Option<usize>,
        places: &[Place],
        out: &mut Vec<Op>,
    ) -> ValueId {
        let Some(high) = high else { return values[n] };
        let name = self.builder.values[values[n].0 as usize].name.clone();
        let byte = self.builder.value(&name, Type::Word(8));
        self.half(values[n], byte, 0, places, out);
        self.half(values[high], byte, BITS, places, out);
        byte
    }

    /// Makes a byte of two words in the way that costs least.
    fn byte(&mut self, pair: Pair, places: &[Place], out: &mut Vec<Op>) -> Operand {
        if let Some(&known) = self.known.iter().rev().find_map(|known| known.get(&pair)) {
            return known;
        }
        let (_, way) = self.ways.best(pair);
        let made = self.by_way(pair, way, places, out);
        if let Some(known) = self.known.last_mut() {
            known.insert(pair, made);
        }
        made
    }

    fn by_way(&mut self, pair: Pair, way: Way, places: &[Place], out: &mut Vec<Op>) -> Operand {
        match way {
            Way::Number(number) => Operand::Const(number),
            Way::Byte(byte) => Operand::Value(byte),
            Way::Turned(pair) => {
                let byte = self.byte(pair, places, out);
                self.op(8, OpKind::Shift(Shift::Rotl, byte, Operand::Const(BITS.into())), places, out)
            }
            Way::Half(byte, start, number) => {
                let mask = Operand::Const(0xf << start);
                let half = self.op(8, OpKind::Binary(Binary::And, Operand::Value(byte), mask), places, out);
                match number {
                    0 => half,
                    _ => self.op(8, OpKind::Binary(Binary::Or, half, Operand::Const(number)), places, out),
                }
            }
            Way::Bitwise(kind, a, b) => {
                let (a, b) = (self.byte(a, places, out), self.byte(b, places, out));
                match (kind, a, b) {
                    (Binary::Xor, Operand::Const(0), other) | (Binary::Xor, other, Operand::Const(0)) => other,
                    _ => self.op(8, OpKind::Binary(kind, a, b), places, out),
                }
            }
            Way::Not(pair) => {
                let byte = self.byte(pair, places, out);
                self.op(8, OpKind::Not(byte), places, out)
            }
            Way::Shifted(shift, amount, pair) => {
                let byte = self.byte(pair, places, out);
                let moved = self.op(8, OpKind::Shift(shift, byte, Operand::Const(amount)), places, out);
                let mask = crate::semantics::shift(shift, 0xf, amount, BITS);
                self.op(8, OpKind::Binary(Binary::And, moved, Operand::Const(mask * 0x11)), places, out)
            }
            Way::Lookups(tables, pair, turned) => self.lookups(tables, pair, turned, places, out),
            Way::Bits(parts) => self.op(8, OpKind::Concat(parts), places, out),
            Way::Joined => self.joined(pair, places, out),
        }
    }

    /// Look-ups at both halves of a byte, side by side; `turned`: the lower one at the upper half.
    fn lookups(
        &mut self,
        tables: [TableId; 2],
        pair: Pair,
        turned: bool,
        places: &[Place],
        out: &mut Vec<Op>,
    ) -> Operand {
        let byte = self.byte(pair, places, out);
        let starts = if turned { [BITS, 0] } else { [0, BITS] };
        let mut found = Vec::new();
        for (table, start) in tables.into_iter().zip(starts) {
            let index = self.op(BITS, OpKind::Extract(byte, start), places, out);
            let index = self.value(index, BITS, places, out);
            let address = Address { affine: Affine { terms: vec![(1, index)], constant: 0 }, ring: false };
            let entry = self.op(BITS, OpKind::Lookup(table, address), places, out);
            found.push(self.value(entry, BITS, places, out));
        }
        self.op(8, OpKind::Concat(found), places, out)
    }

    fn joined(&mut self, pair: Pair, places: &[Place], out: &mut Vec<Op>) -> Operand {
        if let [Operand::Value(a), Operand::Value(b)] = pair {
            self.column_pair(a, b);
        }
        let parts = pair.map(|word| self.value(word, BITS, places, out));
        self.op(8, OpKind::Concat(parts.to_vec()), places, out)
    }

    fn op(&mut self, width: u8, kind: OpKind, places: &[Place], out: &mut Vec<Op>) -> Operand {
        let (op, v) = self.builder.op("", Type::Word(width), kind, places);
        out.push(op);
        Operand::Value(v)
    }

    fn value(&mut self, operand: Operand, width: u8, places: &[Place], out: &mut Vec<Op>) -> ValueId {
        match operand {
            Operand::Value(v) => v,
            Operand::Const(n) => {
                let (op, v) = self.builder.op("", Type::Word(width), OpKind::Const(n), places);
                out.push(op);
                v
            }
        }
    }
}
