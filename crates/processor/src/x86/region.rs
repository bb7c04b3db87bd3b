//! Straight-line code of a function with loops as a graph: arrays and words of other regions lie in memory.

use std::collections::HashMap;
use std::sync::Arc;

use program::ir::{Address, Affine, Function, Op, OpKind, Operand, Program, ValueId};
use program::Diagnostic;

use super::build::{constant, name_of, stride, word_bits, Builder, Result, WIDTHS};
use super::counters::{Counter, SCALES};
use super::graph::{Graph, Id, Kind, Nodes, Object, Shape, StoredValue, User};
use super::regions::{array_type, Regions, Straight};

/// Where an object lies: a symbol and bytes behind it.
pub type Place = (Arc<str>, i64);

/// What regions share: where arrays lie, cells of words, addresses of objects, counters of loops.
#[derive(Debug)]
pub(super) struct Layout<'p> {
    pub found: Regions<'p>,
    /// Objects by arrays' roots.
    pub objects: HashMap<ValueId, Object>,
    pub places: HashMap<Object, Place>,
    pub counters: HashMap<ValueId, Counter>,
    /// What quotients and remainders of indices are at most.
    pub most: HashMap<ValueId, i64>,
}

impl Layout<'_> {
    /// The object that an array lies in.
    pub fn object(&self, array: ValueId) -> Object {
        self.objects[&self.found.roots[&array]]
    }

    /// Whether two accesses may be of the same byte.
    fn meet(&self, a: &Access, b: &Access) -> bool {
        let ((one, at), (other, start)) = (&self.places[&a.object], &self.places[&b.object]);
        if one != other {
            return false;
        }
        if (a.scale, a.entry) != (b.scale, b.entry) {
            return true;
        }
        let (at, there) = (at + a.offset, start + b.offset);
        at < there + i64::from(b.bits / 8) && there < at + i64::from(a.bits / 8)
    }
}

/// An access: two that differ in scale or entry may be of the same byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Access {
    object: Object,
    offset: i64,
    scale: i64,
    entry: Option<Id>,
    bits: u8,
}

impl Access {
    fn of(stored: &StoredValue) -> Access {
        let StoredValue { object, offset, bits, scale, address, .. } = *stored;
        Access { object, offset, scale, entry: address, bits }
    }
}

/// A sum of indices and words: a value, the scale of the counter's register in bytes, a number.
struct Sum {
    value: Option<Id>,
    scale: i64,
    number: i64,
}

/// The graph of a region; `results` are words of the function's that it makes. Cells of `fixed` lie in registers.
///
/// # Errors
/// X101 to X103: something that there is no way for.
pub(super) fn graph(
    program: &Program,
    function: &Function,
    layout: &mut Layout<'_>,
    region: usize,
    results: &[(usize, Operand, u8)],
    fixed: &[i64],
) -> Result<Graph> {
    let Straight { ops, leaves } = &layout.found.straight[region];
    let (ops, leaves) = (ops.clone(), leaves.clone());
    let nodes = Nodes::new(fixed.iter().copied());
    let (values, stores, held) = (HashMap::new(), Vec::new(), Vec::new());
    let mut builder = Region { program, function, layout, nodes, values, stores, held };
    for (number, &param) in function.params.iter().enumerate() {
        if let Some(bits) = word_bits(function, param) {
            let leaf = builder.nodes.node(Shape::of(Kind::Leaf, Object::Parameter(number), 0, bits), &[]);
            builder.values.insert(param, leaf);
        }
    }
    for op in ops {
        builder.operation(op)?;
    }
    let left = leaves.into_iter().map(|(cell, operand)| (Object::Cells, cell, operand, 32));
    let left = left.chain(results.iter().map(|&(number, operand, bits)| (Object::Result(number), 0, operand, bits)));
    let left: Vec<_> = left.map(|(object, at, operand, bits)| (object, at, builder.operand(operand), bits)).collect();
    for (object, offset, value, bits) in left {
        let places = builder.nodes.list[value].places.clone();
        builder.stored(StoredValue { object, offset, value, bits, scale: 0, address: None, places });
    }
    let order = builder.order();
    Ok(Graph { nodes: builder.nodes.list, stores: builder.stores, order })
}

struct Region<'a, 'p> {
    program: &'a Program,
    function: &'a Function,
    layout: &'a mut Layout<'p>,
    nodes: Nodes,
    values: HashMap<ValueId, Id>,
    stores: Vec<StoredValue>,
    /// What is known to lie in memory.
    held: Vec<(Access, Id)>,
}

impl Builder for Region<'_, '_> {
    fn function(&self) -> &Function {
        self.function
    }

    fn nodes(&mut self) -> &mut Nodes {
        &mut self.nodes
    }

    fn value(&mut self, value: ValueId) -> Id {
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        let cell = self.layout.found.cells[&value];
        let loaded = self.loaded(Access { object: Object::Cells, offset: cell, scale: 0, entry: None, bits: 32 });
        self.values.insert(value, loaded);
        loaded
    }

    fn define(&mut self, value: ValueId, node: Id) {
        self.values.insert(value, node);
    }

    fn access(&mut self, op: &Op) -> Result<bool> {
        match &op.kind {
            OpKind::Word(sum) => self.word(op, sum),
            OpKind::IndexDiv(sum, by) => self.divided(op, sum, *by, false)?,
            OpKind::IndexMod(sum, by) => self.divided(op, sum, *by, true)?,
            OpKind::Lookup(table, address) => self.lookup(op, table.0 as usize, address)?,
            OpKind::Load(array, addresses) => {
                let (ty, object) =
                    (array_type(self.function, self.layout.found.roots[array]), self.layout.object(*array));
                let (bits, dims) = (ty.width, ty.dims.clone());
                let (offset, scale, entry) = self.at(name_of(self.function, *array), addresses, bits, &dims)?;
                for (k, &result) in (0..).zip(&op.results) {
                    let offset = offset + k * i64::from(bits / 8);
                    let loaded = self.loaded(Access { object, offset, scale, entry, bits });
                    self.define(result, loaded);
                }
            }
            OpKind::Array(list) => {
                if !list.is_empty() {
                    let parts: Vec<Id> = list.iter().map(|&one| self.operand(one)).collect();
                    let bits = array_type(self.function, op.results[0]).width;
                    self.put(op.results[0], (0, 0, None), parts, bits)?;
                }
            }
            OpKind::Store(array, addresses, words) => {
                let ty = array_type(self.function, self.layout.found.roots[array]);
                let (bits, dims) = (ty.width, ty.dims.clone());
                let at = self.at(name_of(self.function, *array), addresses, bits, &dims)?;
                let parts = words.iter().map(|&word| self.operand(word)).collect();
                self.put(*array, at, parts, bits)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Region<'_, '_> {
    // Indices.

    /// An index times a weight.
    fn index(&mut self, counter: Counter, weight: i64, size: i64) -> Sum {
        let number = weight * counter.iterations;
        let bytes = weight * size;
        if counter.register && bytes % counter.step == 0 && SCALES.contains(&(bytes / counter.step)) {
            return Sum { value: None, scale: bytes / counter.step, number };
        }
        let count = if counter.register {
            self.nodes.node(Shape { scale: 1, ..Shape::word(Kind::Index) }, &[])
        } else {
            let (object, offset) = (Object::Cells, counter.cell);
            self.loaded(Access { object, offset, scale: 0, entry: None, bits: 32 })
        };
        let value = self.times(count, floor(weight, counter.step));
        Sum { value: Some(value), scale: 0, number }
    }

    fn times(&mut self, x: Id, factor: i64) -> Id {
        let factor = factor & 0xFFFF_FFFF;
        if factor == 1 {
            return x;
        }
        if factor & (factor - 1) == 0 {
            return self.nodes.shifted(Kind::Shl, x, i64::from(64 - factor.leading_zeros()) - 1);
        }
        let factor = self.nodes.number(factor);
        self.nodes.node(Shape::word(Kind::Mul), &[x, factor])
    }

    /// A sum, in elements of so many bytes.
    fn sum(&mut self, terms: &[(i64, ValueId)], number: i64, size: i64) -> Sum {
        let (mut values, mut scale, mut number) = (Vec::new(), 0, number);
        for &(factor, name) in terms {
            if let Some(&counter) = self.layout.counters.get(&name) {
                let part = self.index(counter, factor, size);
                scale += part.scale;
                number += part.number;
                values.extend(part.value);
            } else {
                let value = self.value(name);
                values.push(self.times(value, factor));
            }
        }
        let value = values.into_iter().reduce(|total, value| self.nodes.sum(Kind::Add, &[total, value]));
        Sum { value, scale, number }
    }

    fn word(&mut self, op: &Op, sum: &Affine) {
        let mut value = self.whole(sum);
        let size = word_bits(self.function, op.results[0]).unwrap_or(32);
        let most = self.most(sum);
        if size < 32 && most.is_none_or_more(size) {
            value = self.nodes.field(value, 0, size);
        }
        self.define(op.results[0], value);
    }

    /// A sum of indices as a value.
    fn whole(&mut self, sum: &Affine) -> Id {
        let Sum { value, scale, number } = self.sum(&sum.terms, sum.constant, 1);
        let index = (scale != 0).then(|| self.nodes.node(Shape { scale, ..Shape::numbered(Kind::Index, number) }, &[]));
        match (value, index) {
            (Some(value), index) => {
                let rest = index.unwrap_or_else(|| self.nodes.number(number));
                self.nodes.sum(Kind::Add, &[value, rest])
            }
            (None, Some(index)) => index,
            (None, None) => self.nodes.number(number),
        }
    }

    /// The most that a sum of indices can be, nothing if it can be below zero.
    fn most(&self, sum: &Affine) -> UpperBound {
        let (mut most, mut least) = (sum.constant, sum.constant);
        for (factor, name) in &sum.terms {
            let known = self.layout.counters.get(name).map(|counter| counter.iterations - 1);
            let top = factor * known.unwrap_or_else(|| self.layout.most[name]);
            most += top.max(0);
            least += top.min(0);
        }
        UpperBound((least >= 0).then_some(most))
    }

    /// Divides an index by a number: bits of it for a power of 2, else a product's upper bits.
    fn divided(&mut self, op: &Op, sum: &Affine, by: i64, remainder: bool) -> Result<()> {
        let UpperBound(Some(most)) = self.most(sum) else {
            return Err(Diagnostic::new("X102", format!("`{}` of what can be below zero", op.kind.mnemonic())));
        };
        let x = self.whole(sum);
        let node = if by & (by - 1) == 0 {
            if remainder {
                let ones = self.nodes.number(by - 1);
                self.nodes.sum(Kind::And, &[x, ones])
            } else {
                self.nodes.shifted(Kind::Shr, x, i64::from(by.trailing_zeros()))
            }
        } else {
            let (factor, shift) = reciprocal(by, most)?;
            let product = self.times(x, factor);
            let quotient = self.nodes.shifted(Kind::Shr, product, shift);
            if remainder {
                let whole = self.times(quotient, by);
                self.nodes.node(Shape::word(Kind::Sub), &[x, whole])
            } else {
                quotient
            }
        };
        self.layout.most.insert(op.results[0], if remainder { most.min(by - 1) } else { most / by });
        self.define(op.results[0], node);
        Ok(())
    }

    // Addresses.

    /// The byte of an address, the scale of the counter's register, and the entry.
    fn at(&mut self, name: &str, addresses: &[Address], bits: u8, dims: &[u32]) -> Result<(i64, i64, Option<Id>)> {
        let mut terms: Vec<(i64, ValueId)> = Vec::new();
        let mut number = 0;
        for (k, address) in addresses.iter().enumerate() {
            let rest = stride(dims, k);
            if address.ring && !address.affine.terms.is_empty() {
                let message = format!("`{name}` is reached round its end by an index");
                let help = "the passes `unroll:factor=ring` and `split-loops` leave none such";
                return Err(Diagnostic::new("X103", message).help(help));
            }
            number += constant(address, dims[k]) * rest;
            for &(factor, term) in &address.affine.terms {
                match terms.iter_mut().find(|known| known.1 == term) {
                    Some(known) => known.0 += factor * rest,
                    None => terms.push((factor * rest, term)),
                }
            }
        }
        let size = i64::from(bits / 8);
        if terms.iter().all(|(_, term)| self.layout.counters.contains_key(term)) {
            let Sum { value, scale, number } = self.sum(&terms, number, size);
            if scale != 0 && value.is_some() {
                let message = format!("`{name}` is reached by the indices of two loops at once");
                return Err(Diagnostic::new("X103", message));
            }
            return Ok((number * size, scale, value));
        }
        let Sum { mut value, scale, number } = self.sum(&terms, number, 1);
        if let Some(total) = value.filter(|_| scale != 0) {
            let index = self.nodes.node(Shape { scale, ..Shape::word(Kind::Index) }, &[]);
            value = Some(self.nodes.sum(Kind::Add, &[total, index]));
        }
        Ok((number * size, 0, value))
    }

    // Loads and stores.

    fn lookup(&mut self, op: &Op, table: usize, address: &Address) -> Result<()> {
        let object = Object::Table(table);
        let entries = &self.program.tables[table];
        let (bits, size) = (entries.width, i64::from(entries.width / 8));
        let dims = [entries.data.len() as u32];
        let (offset, scale, index) = self.at(&entries.name, std::slice::from_ref(address), bits, &dims)?;
        let leaf = |number, scale| Shape { scale, ..Shape::of(Kind::Leaf, object, number, bits) };
        let node = match index {
            None => self.nodes.node(leaf(offset, scale), &[]),
            Some(index) => {
                let shape = self.nodes.shape(index).clone();
                if shape.kind == Kind::Index && SCALES.contains(&(shape.scale * size)) {
                    self.nodes.node(leaf(offset + shape.number * size, shape.scale * size), &[])
                } else {
                    self.nodes.node(Shape::of(Kind::Lookup, object, offset, bits), &[index])
                }
            }
        };
        self.define(op.results[0], node);
        Ok(())
    }

    fn loaded(&mut self, access: Access) -> Id {
        if let Some((_, known)) = self.held.iter().find(|(held, _)| *held == access) {
            return *known;
        }
        let last = self.stores.iter().rposition(|one| self.layout.meet(&access, &Access::of(one)));
        let Access { object, offset, scale, entry, bits } = access;
        let epoch = Some(last.map_or(0, |last| last + 1));
        match entry {
            None => self.nodes.node(Shape { scale, epoch, ..Shape::of(Kind::Leaf, object, offset, bits) }, &[]),
            Some(index) => self.nodes.node(Shape { epoch, ..Shape::of(Kind::Lookup, object, offset, bits) }, &[index]),
        }
    }

    /// Stores values one behind the other, four bytes as a word where they lie at one.
    fn put(&mut self, array: ValueId, at: (i64, i64, Option<Id>), parts: Vec<Id>, bits: u8) -> Result<()> {
        let (offset, scale, index) = at;
        let object = self.layout.object(array);
        if !matches!(bits, 8 | 32) {
            let message = format!("code for x86-32 has no way yet for arrays of {bits} bits");
            return Err(Diagnostic::new("X101", message).help(WIDTHS));
        }
        let (mut parts, mut bits) = (parts, bits);
        if bits == 8 && parts.len() % 4 == 0 && offset % 4 == 0 {
            parts = parts.chunks(4).map(|bytes| self.nodes.joined(bytes)).collect();
            bits = 32;
            if index.is_some() {
                let name = name_of(self.function, array);
                let message = format!("`{name}` is stored to by an index that is no single word");
                return Err(Diagnostic::new("X102", message));
            }
        }
        for (k, part) in (0..).zip(parts) {
            let offset = offset + k * i64::from(bits / 8);
            let places = self.nodes.places.clone();
            self.stored(StoredValue { object, offset, value: part, bits, scale, address: index, places });
        }
        Ok(())
    }

    fn stored(&mut self, one: StoredValue) {
        let access = Access::of(&one);
        let layout = &self.layout;
        self.held.retain(|(held, _)| !layout.meet(held, &access));
        self.held.push((access, one.value));
        self.stores.push(one);
    }

    /// The accesses that keep their order: of two that may meet, one of them a store.
    fn order(&self) -> Vec<(User, User)> {
        let mut pairs = Vec::new();
        for (k, one) in self.stores.iter().enumerate() {
            let access = Access::of(one);
            let before = (0..k).filter(|&other| self.layout.meet(&Access::of(&self.stores[other]), &access));
            pairs.extend(before.map(|other| (User::Store(other), User::Store(k))));
            for &load in &self.nodes.loads {
                let shape = self.nodes.shape(load);
                let (Some(object), Some(epoch)) = (shape.object, shape.epoch) else { continue };
                let entry = self.nodes.list[load].args.first().copied();
                let place = Access { object, offset: shape.number, scale: shape.scale, entry, bits: shape.bits };
                if self.layout.meet(&place, &access) {
                    let (load, store) = (User::Node(load), User::Store(k));
                    pairs.push(if k < epoch { (store, load) } else { (load, store) });
                }
            }
        }
        pairs
    }
}

/// The most that an index can be, nothing if it can be below zero.
struct UpperBound(Option<i64>);

impl UpperBound {
    fn is_none_or_more(&self, bits: u8) -> bool {
        !self.0.is_some_and(|most| most >> bits == 0)
    }
}

/// Quotient, rounded down.
fn floor(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    }
}

/// A factor and a shift that divide all numbers up to `most` without a product above 32 bits.
fn reciprocal(by: i64, most: i64) -> Result<(i64, i64)> {
    for shift in i64::from(64 - by.leading_zeros())..32 {
        let factor = (1 << shift) / by + 1;
        if (factor * most) >> 32 != 0 {
            break;
        }
        if (0..=most).all(|x| (x * factor) >> shift == x / by) {
            return Ok((factor, shift));
        }
    }
    Err(Diagnostic::new("X102", format!("an index of up to {most} is divided by {by}")))
}
