//! `merge-lookups`: what is linear over GF(2) behind a table goes into the table.
//!
//! Identity: for a map `L` that is linear over GF(2), `L(S[x] + y)` is `(L S)[x] + L(y)`. Rotations, shifts, fields, joined words,
//! exclusive ors and masks of constants are linear. A word that nothing but linear operations make of look-ups and other words
//! becomes an exclusive or of look-ups in tables of whole words, and of the same of the other words. A look-up is merged where all
//! ways from it end in one such word; a word that is used otherwise, or goes into several, is one that others are made of.
//!
//! An index whose bits are those of a field in another order takes the field as it is, from a table in that order; one that is the sum of
//! two words takes the sum of a field of each. Look-ups of neighbouring fields that have no more than 8 bits together become
//! one; with `fields=any` so do those whose indices take their bits from anywhere in one word of no more than 8 bits. With `only=joined` nothing
//! is merged but look-ups that become one. Tables larger than `table` bytes (16,384) are not made, nor more than `limit` bytes (65,536) of them.

mod form;
mod index;
mod plan;

use std::collections::{BTreeMap, HashMap};

use self::index::Index;
use self::plan::{Merged, Plan};
use super::only::FunctionFilter;
use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::builder::replaced;
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Affine, Op, OpKind, Operand, Program, Shift, Table, TableId, Type, ValueId};
use crate::semantics::{self, mask};

/// See the module's text.
pub struct MergeLookups;

/// Bits of the index of look-ups that are joined.
const JOINED_BITS: u8 = 8;

impl Pass for MergeLookups {
    fn name(&self) -> &'static str {
        "merge-lookups"
    }

    fn description(&self) -> &'static str {
        "put into tables what is linear behind them"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "table", "limit", "fields", "only"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let filter = FunctionFilter::of(settings, program)?;
        let any = settings.choice("fields", &["bytes", "any"])? == "any";
        let only_joined = settings.choice("only", &["all", "joined"])? == "joined";
        let mut tables = Tables {
            only_joined,
            largest: settings.number("table", 16_384)?,
            limit: settings.number("limit", 65_536)?,
            all: program.tables.clone(),
            made: BTreeMap::new(),
        };
        for n in 0..program.functions.len() {
            if !filter.includes(&program.functions[n].name) {
                continue;
            }
            let plan = Plan::of(&program.functions[n], program, any);
            let function = &mut program.functions[n];
            rewrite(function, &mut |r, op| visit(r, op, &plan, &mut tables));
            super::dce::clean(function);
        }
        program.tables = tables.all;
        super::dce::drop_unused_constants(program);
        Ok(())
    }
}

fn visit(r: &mut Rewriter<'_>, op: Op, plan: &Plan, tables: &mut Tables) {
    let Some((&result, merged)) = op.results.first().and_then(|v| Some((v, plan.sums.get(v)?))) else {
        return r.keep(op);
    };
    let Type::Word(width) = *r.builder.ty(result) else { return r.keep(op) };
    let mut list = joined(merged);
    list.retain(|group| !tables.only_joined || group.parts.len() > 1);
    let groups: Vec<Group> = list.into_iter().filter_map(|g| tables.group(g, width)).collect();
    if groups.is_empty() {
        return r.keep(op);
    }
    let gone: Vec<ValueId> = groups.iter().flat_map(|g| g.values.iter().copied()).collect();
    let mut sum = Rest { plan, gone: &gone, made: HashMap::new() }.of_operation(r, &op.kind, width);
    for group in groups {
        let index = group.index(r);
        let affine = Affine { terms: vec![(1, index)], constant: 0 };
        let entry = r.word(width, OpKind::Lookup(group.table, Address { affine, ring: false }));
        sum = r.xor(sum, entry, width);
    }
    r.stand(result, sum);
}

/// Look-ups that become one.
struct Joined<'a> {
    values: Vec<ValueId>,
    parts: Vec<&'a Merged>,
    fields: Option<Index>,
}

impl Joined<'_> {
    fn bits(&self, r: &dyn Fn(ValueId) -> u8) -> u8 {
        self.fields.as_ref().map_or_else(|| r(self.parts[0].index), Index::bits)
    }
}

/// The look-ups of a sum, those of neighbouring fields together.
fn joined(merged: &BTreeMap<ValueId, Merged>) -> Vec<Joined<'_>> {
    let mut list: Vec<(ValueId, &Merged)> = merged.iter().map(|(&value, part)| (value, part)).collect();
    list.sort_by_key(|(value, m)| (m.fields.as_ref().map(|f| f.fields.clone()), *value));
    let mut found: Vec<Joined<'_>> = Vec::new();
    for (value, part) in list {
        if let (Some(last), Some(fields)) = (found.last_mut(), &part.fields) {
            let same = |own: &Index| own.is_of_bits() && own.fields == fields.fields;
            if fields.is_of_bits() && last.fields.as_ref().is_some_and(same) {
                last.values.push(value);
                last.parts.push(part);
                continue;
            }
            let whole = last.fields.as_ref().filter(|f| f.bits() + fields.bits() <= JOINED_BITS && f.is_before(fields));
            if let Some(whole) = whole {
                let order = (0..whole.bits() + fields.bits()).collect();
                last.fields = Some(Index { fields: whole.fields.clone(), order, constant: 0 });
                last.values.push(value);
                last.parts.push(part);
                continue;
            }
        }
        found.push(Joined { values: vec![value], parts: vec![part], fields: part.fields.clone() });
    }
    found
}

/// One look-up in a merged table.
struct Group {
    values: Vec<ValueId>,
    table: TableId,
    fields: Option<Index>,
    /// The index where it is no sum of fields.
    whole: ValueId,
}

impl Group {
    fn index(&self, r: &mut Rewriter<'_>) -> ValueId {
        let Some(fields) = &self.fields else {
            let now = replaced(Operand::Value(self.whole), r.map);
            let Type::Word(width) = *r.builder.ty(self.whole) else { return self.whole };
            return r.value(now, width);
        };
        let bits = fields.bits();
        let mut sum = Operand::Const(0);
        for &(word, width, start) in &fields.fields {
            let word = replaced(Operand::Value(word), r.map);
            let field = field(r, word, width, (start, bits));
            sum = r.xor(sum, field, bits);
        }
        r.value(sum, bits)
    }
}

/// A field of a word; it may go round.
fn field(r: &mut Rewriter<'_>, word: Operand, width: u8, (start, bits): (u8, u8)) -> Operand {
    if bits == width && start == 0 {
        return word;
    }
    if let Operand::Const(number) = word {
        return Operand::Const(semantics::shift(Shift::Rotr, number, start.into(), width) & mask(bits));
    }
    if start + bits <= width {
        return r.word(bits, OpKind::Extract(word, start));
    }
    let turned = r.shift(Shift::Rotr, word, start.into(), width);
    if bits == width {
        return turned;
    }
    r.word(bits, OpKind::Extract(turned, 0))
}

/// The program's tables and those that were made.
struct Tables {
    /// Tables are made for look-ups that become one alone.
    only_joined: bool,
    largest: u64,
    limit: u64,
    all: Vec<Table>,
    made: BTreeMap<(u8, Vec<u64>), TableId>,
}

impl Tables {
    /// The table of a group for a sum of so many bits; `None` if it would be too large.
    fn group(&mut self, group: Joined<'_>, width: u8) -> Option<Group> {
        let length = |index: ValueId| {
            let table = group.parts.iter().find(|p| p.index == index).map(|p| p.table);
            table.map_or(0, |t| self.all[t.0 as usize].data.len().trailing_zeros() as u8)
        };
        let bits = group.bits(&length);
        let bytes = (u64::from(width.next_power_of_two().max(8)) / 8) << bits;
        let data: Vec<u64> = (0..1 << bits).map(|sum| self.entry(&group, sum)).collect();
        let key = (width, data);
        if let Some(&table) = self.made.get(&key) {
            return Some(Group { values: group.values, table, fields: group.fields, whole: group.parts[0].index });
        }
        if bytes > self.largest || bytes > self.limit {
            return None;
        }
        self.limit -= bytes;
        let table = TableId(self.all.len() as u32);
        let name = self.name(&self.all[group.parts[0].table.0 as usize].name);
        self.all.push(Table { name, width, data: key.1.clone() });
        self.made.insert(key, table);
        Some(Group { values: group.values, table, fields: group.fields, whole: group.parts[0].index })
    }

    /// What the look-ups of a group give together for a sum of its fields.
    fn entry(&self, group: &Joined<'_>, mut sum: u64) -> u64 {
        let mut entry = 0;
        for part in &group.parts {
            let data = &self.all[part.table.0 as usize].data;
            let bits = data.len().trailing_zeros() as u8;
            let whole = part.fields.as_ref().is_some_and(Index::is_of_bits);
            let own = if whole { sum } else { sum & mask(bits) };
            sum = if whole { sum } else { sum.checked_shr(bits.into()).unwrap_or(0) };
            let found = data[part.fields.as_ref().map_or(own, |f| f.value(own)) as usize];
            let changes = part.columns.iter().enumerate().filter(|(bit, _)| found >> bit & 1 == 1);
            entry = changes.fold(entry, |all, (_, column)| all ^ column);
        }
        entry
    }

    fn name(&self, base: &str) -> String {
        let free = |name: &String| self.all.iter().all(|t| t.name != *name);
        let mut names = (0..).map(|n| format!("{base}_L{n}"));
        names.find(free).unwrap_or_default()
    }
}

/// What is left of linear words when look-ups are 0.
struct Rest<'a> {
    plan: &'a Plan,
    gone: &'a [ValueId],
    made: HashMap<ValueId, Operand>,
}

impl Rest<'_> {
    fn of(&mut self, r: &mut Rewriter<'_>, operand: Operand) -> Operand {
        let Operand::Value(v) = operand else { return operand };
        if self.gone.contains(&v) {
            return Operand::Const(0);
        }
        let concerned = self.plan.forms.get(&v).is_some_and(|f| f.parts.keys().any(|p| self.gone.contains(p)));
        if !concerned || self.plan.sums.contains_key(&v) {
            return replaced(operand, r.map);
        }
        if let Some(&made) = self.made.get(&v) {
            return made;
        }
        let Type::Word(width) = *r.builder.ty(v) else { return operand };
        let kind = self.plan.made[&v].clone();
        let made = self.of_operation(r, &kind, width);
        self.made.insert(v, made);
        made
    }

    fn of_operation(&mut self, r: &mut Rewriter<'_>, kind: &OpKind, width: u8) -> Operand {
        match kind {
            OpKind::Binary(which, a, b) => match (*which, self.of(r, *a), self.of(r, *b)) {
                (which, Operand::Const(a), Operand::Const(b)) => Operand::Const(semantics::binary(which, a, b, width)),
                (crate::ir::Binary::Xor, a, b) => r.xor(a, b, width),
                (which, a, b) => r.word(width, OpKind::Binary(which, a, b)),
            },
            OpKind::Not(a) => match self.of(r, *a) {
                Operand::Const(a) => Operand::Const(!a & mask(width)),
                a => r.word(width, OpKind::Not(a)),
            },
            OpKind::Shift(shift, a, Operand::Const(n)) => match self.of(r, *a) {
                Operand::Const(a) => Operand::Const(semantics::shift(*shift, a, *n, width)),
                a => r.shift(*shift, a, *n, width),
            },
            OpKind::Extract(a, position) => match self.of(r, *a) {
                Operand::Const(a) => Operand::Const(a >> position & mask(width)),
                a => r.word(width, OpKind::Extract(a, *position)),
            },
            OpKind::Zext(v) => match self.of(r, Operand::Value(*v)) {
                Operand::Value(v) => r.word(width, OpKind::Zext(v)),
                number => number,
            },
            OpKind::Concat(parts) => self.concat(r, parts, width),
            OpKind::Const(number) => Operand::Const(*number),
            _ => unreachable!("only linear words are rebuilt"),
        }
    }

    fn concat(&mut self, r: &mut Rewriter<'_>, parts: &[ValueId], width: u8) -> Operand {
        let widths: Vec<u8> = parts.iter().map(|&v| r.builder.ty(v).width()).collect();
        let rests: Vec<Operand> = parts.iter().map(|&v| self.of(r, Operand::Value(v))).collect();
        if rests.iter().all(|rest| matches!(rest, Operand::Const(_))) {
            let mut start = 0;
            let mut number = 0;
            for (rest, part) in rests.iter().zip(&widths) {
                if let Operand::Const(c) = rest {
                    number |= c << start;
                }
                start += part;
            }
            return Operand::Const(number);
        }
        let values = rests.iter().zip(&widths).map(|(&rest, &part)| r.value(rest, part)).collect();
        r.word(width, OpKind::Concat(values))
    }
}
