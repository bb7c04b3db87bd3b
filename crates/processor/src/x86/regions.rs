//! A function with loops as regions: straight-line code and counted loops, what lies in memory between them.
//!
//! Words that several regions use lie in cells, four bytes each; a loop's carried word has one cell for what it begins
//! with, what each iteration leaves and what comes out. Versions of an array are one object.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use program::ir::{Function, Loop, Op, OpKind, Operand, Type, ValueId};
use program::walk::uses;
use program::Diagnostic;

use super::build::{as_array, name_of, type_of, word_bits, Result};
use super::graph::Places;

/// Straight-line code: operations, and words that it leaves in cells.
#[derive(Debug, Default)]
pub(super) struct Straight<'p> {
    pub ops: Vec<&'p Op>,
    /// Cell, operand.
    pub leaves: Vec<(i64, Operand)>,
}

/// A loop.
#[derive(Debug)]
pub(super) struct LoopRegion {
    pub iterations: i64,
    /// The value of its index.
    pub index: ValueId,
    pub body: Vec<Region>,
    /// Its number in the function, from 1.
    pub number: usize,
    /// Where it stands.
    pub places: Places,
}

impl LoopRegion {
    /// Its body if that is one straight-line region: its index is in a register then.
    pub fn innermost(&self) -> Option<usize> {
        match self.body[..] {
            [Region::Straight(only)] => Some(only),
            _ => None,
        }
    }
}

/// A part of a function.
#[derive(Debug)]
pub(super) enum Region {
    /// By its number among the straight ones.
    Straight(usize),
    Loop(LoopRegion),
}

/// A function's regions.
#[derive(Debug, Default)]
pub(super) struct Regions<'p> {
    pub regions: Vec<Region>,
    pub straight: Vec<Straight<'p>>,
    /// Cells of words.
    pub cells: HashMap<ValueId, i64>,
    /// The value that stands for all versions of an array.
    pub roots: BTreeMap<ValueId, ValueId>,
    /// Bytes of all cells.
    pub bytes: i64,
}

/// Whether a function has loops.
pub(super) fn has_loops(function: &Function) -> bool {
    function.body.ops.iter().any(|op| op.kind.as_loop().is_some())
}

/// The regions of a function.
///
/// # Errors
/// X105: a loop has several bodies. X107: an array is read after it was changed.
pub(super) fn regions(function: &Function) -> Result<Regions<'_>> {
    let at = function.params.iter().map(|&param| (param, None)).collect();
    let splitter = Splitter { function, found: Regions::default(), at, loops: 0, defined: HashMap::new() };
    splitter.split()
}

/// The straight-line regions among regions in the order of the text, each with whether it stands in a loop.
pub(super) fn straights(regions: &[Region], in_loop: bool) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    for one in regions {
        match one {
            Region::Straight(number) => found.push((*number, in_loop)),
            Region::Loop(counted) => found.extend(straights(&counted.body, true)),
        }
    }
    found
}

/// An operation, or a loop without the operations that come before it.
#[derive(Clone)]
enum Item<'p> {
    Op(&'p Op),
    Loop(&'p Op, &'p Loop, Vec<Vec<Item<'p>>>),
}

impl<'p> Item<'p> {
    fn op(&self) -> &'p Op {
        match self {
            Item::Op(op) | Item::Loop(op, ..) => op,
        }
    }

    fn of(op: &'p Op) -> Item<'p> {
        match &op.kind {
            OpKind::Loop(l) => {
                Item::Loop(op, l, l.bodies.iter().map(|body| body.ops.iter().map(Item::of).collect()).collect())
            }
            _ => Item::Op(op),
        }
    }
}

/// The values that an operation uses, arrays too, without those in its bodies: words that are stored come first.
fn names(op: &Op) -> Vec<ValueId> {
    let mut found = Vec::new();
    if let OpKind::Store(_, _, words) = &op.kind {
        found.extend(words.iter().filter_map(|&word| as_value(word)));
    }
    uses(&op.kind, &mut |value| found.push(value));
    found
}

/// The values that the bodies of a loop use.
fn inside(item: &Item<'_>, found: &mut BTreeSet<ValueId>) {
    let Item::Loop(_, l, bodies) = item else { return };
    for (body, ops) in l.bodies.iter().zip(bodies) {
        for one in ops {
            found.extend(names(one.op()));
            inside(one, found);
        }
        found.extend(body.outputs.iter().filter_map(|&output| as_value(output)));
    }
}

pub(super) fn as_value(operand: Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(value) => Some(value),
        Operand::Const(_) => None,
    }
}

/// Operations; what does not depend on the iteration comes before its loop, inner loops first.
fn hoisted(items: Vec<Item<'_>>) -> Vec<Item<'_>> {
    let mut out = Vec::new();
    for item in items {
        let Item::Loop(op, l, bodies) = item else {
            out.push(item);
            continue;
        };
        let mut left = Vec::new();
        for (body, ops) in l.bodies.iter().zip(bodies) {
            let ops = hoisted(ops);
            let mut inside: HashSet<ValueId> = body.params.iter().copied().collect();
            inside.extend(ops.iter().flat_map(|one| &one.op().results));
            let (mut stay, stays) = (Vec::new(), |kind: &OpKind| {
                matches!(
                    kind,
                    OpKind::Store(..) | OpKind::Load(..) | OpKind::Array(_) | OpKind::Word(_) | OpKind::Loop(_)
                )
            });
            for one in ops {
                if stays(&one.op().kind) || names(one.op()).iter().any(|name| inside.contains(name)) {
                    stay.push(one);
                } else {
                    one.op().results.iter().for_each(|result| {
                        inside.remove(result);
                    });
                    out.push(one);
                }
            }
            left.push(stay);
        }
        out.push(Item::Loop(op, l, left));
    }
    out
}

struct Splitter<'p> {
    function: &'p Function,
    found: Regions<'p>,
    /// The straight-line region that makes a value; none of parameters, indices and carried values.
    at: HashMap<ValueId, Option<usize>>,
    loops: usize,
    defined: HashMap<ValueId, &'p Op>,
}

impl<'p> Splitter<'p> {
    fn split(mut self) -> Result<Regions<'p>> {
        let items = self.function.body.ops.iter().map(Item::of).collect();
        let mut regions = self.block(items)?;
        let last = self.last(&mut regions);
        self.found.regions = regions;
        self.cross();
        for output in self.function.body.outputs.iter().filter_map(|&output| as_value(output)) {
            if !self.is_array(output) {
                self.use_in(output, last, false);
            }
        }
        let arrays = (0..self.function.values.len()).map(|n| ValueId(n as u32)).filter(|&value| self.is_array(value));
        let roots = arrays.map(|value| (value, self.root(value))).collect();
        self.found.roots = roots;
        Ok(self.found)
    }

    fn is_array(&self, value: ValueId) -> bool {
        as_array(type_of(self.function, value)).is_some()
    }

    fn block(&mut self, items: Vec<Item<'p>>) -> Result<Vec<Region>> {
        let mut found = Vec::new();
        let items = hoisted(items);
        for item in &items {
            let op = item.op();
            self.defined.extend(op.results.iter().map(|&result| (result, op)));
            let last = self.last(&mut found);
            if let Item::Loop(_, l, bodies) = item {
                let counted = self.counted(op, l, bodies, last)?;
                found.push(Region::Loop(counted));
                continue;
            }
            self.found.straight[last].ops.push(op);
            self.at.extend(op.results.iter().map(|&result| (result, Some(last))));
            if let OpKind::Store(array, ..) = &op.kind {
                self.same(op.results[0], *array);
            }
        }
        self.each_version_is_read_in_time(&items)?;
        Ok(found)
    }

    /// The straight-line region at the end of regions.
    fn last(&mut self, regions: &mut Vec<Region>) -> usize {
        if let Some(Region::Straight(last)) = regions.last() {
            return *last;
        }
        self.found.straight.push(Straight::default());
        let number = self.found.straight.len() - 1;
        regions.push(Region::Straight(number));
        number
    }

    fn counted(&mut self, op: &'p Op, l: &'p Loop, bodies: &[Vec<Item<'p>>], before: usize) -> Result<LoopRegion> {
        let ([body], [items]) = (&l.bodies[..], bodies) else {
            let message = format!("a loop of {} iterations has {} bodies", l.pattern.len(), l.bodies.len());
            let help = "the passes `split-loops` and `unroll:factor=period` leave one";
            return Err(Diagnostic::new("X105", message).help(help));
        };
        let (index, params) = (body.params[0], &body.params[1..]);
        self.loops += 1;
        let number = self.loops;
        for ((&param, &start), &result) in params.iter().zip(&l.init).zip(&op.results) {
            match (self.is_array(param), as_value(start)) {
                (true, Some(start)) => {
                    self.same(param, start);
                    self.same(result, param);
                }
                _ => {
                    let cell = self.cell(param);
                    self.found.cells.insert(result, cell);
                    self.found.straight[before].leaves.push((cell, start));
                    self.at.extend([(param, None), (result, None)]);
                }
            }
        }
        self.at.insert(index, None);
        let mut regions = self.block(items.clone())?;
        let end = self.last(&mut regions);
        for (&param, &output) in params.iter().zip(&body.outputs) {
            match (self.is_array(param), as_value(output)) {
                (true, Some(output)) => self.same(output, param),
                (_, value) if value != Some(param) => {
                    let cell = self.found.cells[&param];
                    self.found.straight[end].leaves.push((cell, output));
                }
                _ => {}
            }
        }
        Ok(LoopRegion {
            iterations: l.pattern.len() as i64,
            index,
            body: regions,
            number,
            places: op.places.as_slice().into(),
        })
    }

    // Arrays.

    fn root(&self, mut value: ValueId) -> ValueId {
        while let Some(&next) = self.found.roots.get(&value).filter(|&&next| next != value) {
            value = next;
        }
        value
    }

    fn same(&mut self, value: ValueId, other: ValueId) {
        let (value, other) = (self.root(value), self.root(other));
        self.found.roots.insert(value, other);
    }

    /// Refuses what reads an array after another version took its place.
    fn each_version_is_read_in_time(&self, items: &[Item<'p>]) -> Result<()> {
        let mut gone: BTreeSet<ValueId> = BTreeSet::new();
        for item in items {
            let (mut changed, mut in_body) = (BTreeSet::new(), BTreeSet::new());
            inside(item, &mut in_body);
            let mut dead = gone.clone();
            match item {
                Item::Op(op) => changed.extend(match &op.kind {
                    OpKind::Store(array, ..) => Some(*array),
                    _ => None,
                }),
                Item::Loop(_, l, _) => {
                    let given = l.init.iter().filter_map(|&start| as_value(start));
                    changed.extend(given.filter(|&start| self.is_array(start)));
                    dead.extend(&changed);
                }
            }
            let read: BTreeSet<ValueId> = names(item.op()).into_iter().collect();
            let wrong = read.intersection(&gone).chain(in_body.intersection(&dead));
            if let Some(first) = wrong.map(|&value| name_of(self.function, value)).min() {
                return Err(Diagnostic::new("X107", format!("`{first}` is read after it was changed")));
            }
            gone.extend(changed);
        }
        Ok(())
    }

    // Words that several regions use.

    fn cell(&mut self, value: ValueId) -> i64 {
        let next = self.found.bytes;
        let cell = *self.found.cells.entry(value).or_insert(next);
        if cell == next {
            self.found.bytes += 4;
        }
        cell
    }

    fn cross(&mut self) {
        for (region, looped) in straights(&self.found.regions, false) {
            let read: Vec<ValueId> = self.found.straight[region].ops.iter().flat_map(|op| names(op)).collect();
            read.into_iter().for_each(|value| self.use_in(value, region, looped));
            let left = self.found.straight[region].leaves.clone();
            left.into_iter()
                .filter_map(|(_, operand)| as_value(operand))
                .for_each(|value| self.use_in(value, region, looped));
        }
    }

    fn use_in(&mut self, value: ValueId, region: usize, looped: bool) {
        let Some(&Some(origin)) = self.at.get(&value) else { return };
        if origin == region || self.is_array(value) || self.found.cells.contains_key(&value) {
            return;
        }
        let op = self.defined[&value];
        if self.is_done_again(op, looped) {
            let ops = &mut self.found.straight[region].ops;
            if !ops.iter().any(|&one| std::ptr::eq(one, op)) {
                ops.insert(0, op);
            }
            return;
        }
        let cell = self.cell(value);
        self.found.straight[origin].leaves.push((cell, Operand::Value(value)));
    }

    /// Whether an operation is done again where it is used: a load of what the caller gave.
    fn is_done_again(&self, op: &Op, looped: bool) -> bool {
        let OpKind::Load(array, addresses) = &op.kind else { return false };
        let given = self.function.params.contains(array) && addresses.iter().all(|a| a.affine.terms.is_empty());
        given && (word_bits(self.function, op.results[0]) == Some(32) || !looped)
    }
}

/// The type of an array of a function.
pub(super) fn array_type(function: &Function, value: ValueId) -> &program::ir::ArrayType {
    match type_of(function, value) {
        Type::Array(array) => array,
        other => unreachable!("a verified program loads from and stores to arrays, not {other:?}"),
    }
}
