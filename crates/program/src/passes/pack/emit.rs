//! Writing a function anew, with words for groups of bytes.
//!
//! Operations other than those on single bytes keep their order; an operation on bytes is written when something needs its
//! result, so what has gone into words and tables is never written.

use std::collections::{HashMap, HashSet};

use super::facts::Facts;
use super::groups::Groups;
use super::merged::Tables;
use super::pairs::Pairs;
use super::Layer;
use crate::builder::{Builder, Replacements};
use crate::ir::{Block, Op, OpKind, Operand, Place, Type, ValueId};
use crate::walk::uses;

/// Longest chain of operations on bytes that is put off; a bound for the depth of the recursion.
const LONGEST_CHAIN: u32 = 100;

/// What is undone at the end of a loop's body.
pub(super) enum Entry {
    Value(ValueId),
    Written(ValueId),
    Word(Vec<Operand>),
    Group(usize),
}

/// Writes one function.
pub struct Emitter<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) groups: &'a Groups,
    pairs: Pairs,
    pub(super) tables: &'a mut Tables,
    pub(super) builder: Builder,
    pub(super) layer: Layer,
    pub(super) most: usize,
    /// Whether words of a product are made from one another.
    pub(super) derive: bool,
    pub(super) block: usize,
    pub(super) places: Vec<Place>,
    pub(super) out: Vec<Op>,
    map: Replacements,
    words: HashMap<Vec<Operand>, Operand>,
    group_words: HashMap<usize, Operand>,
    written: HashSet<ValueId>,
    put_off: HashMap<ValueId, u32>,
    pub(super) journal: Vec<Entry>,
}

impl<'a> Emitter<'a> {
    /// Begins with an arena that holds the function's own values.
    pub fn new(facts: &'a Facts<'a>, groups: &'a Groups, tables: &'a mut Tables, builder: Builder) -> Self {
        let params = facts.function.params.iter().map(|&p| (p, Operand::Value(p)));
        Emitter {
            facts,
            groups,
            pairs: super::pairs::find(facts, groups),
            tables,
            builder,
            layer: Layer::Shifts,
            most: 4,
            derive: false,
            block: 0,
            places: Vec::new(),
            out: Vec::new(),
            map: params.collect(),
            words: HashMap::new(),
            group_words: HashMap::new(),
            written: HashSet::new(),
            put_off: HashMap::new(),
            journal: Vec::new(),
        }
    }

    /// The whole body.
    pub fn body(&mut self) -> Block {
        let body = &self.facts.function.body;
        self.ops(&body.ops);
        let outputs = body.outputs.iter().map(|&o| self.operand(o)).collect();
        Block { params: Vec::new(), ops: std::mem::take(&mut self.out), outputs }
    }

    pub(super) fn ops(&mut self, ops: &'a [Op]) {
        for op in ops {
            if !self.can_wait(op) {
                self.write(op);
            }
        }
    }

    /// Whether an operation is written only when needed: those that make bytes from words and bytes.
    fn can_wait(&mut self, op: &Op) -> bool {
        let on_bytes = match &op.kind {
            OpKind::Binary(..)
            | OpKind::Not(_)
            | OpKind::Const(_)
            | OpKind::Extract(..)
            | OpKind::Lookup(..)
            | OpKind::Linear(..) => op.results.iter().all(|&r| self.facts.is_byte(r)),
            _ => false,
        };
        let mut chain = 0;
        uses(&op.kind, &mut |v| chain = chain.max(self.put_off.get(&v).copied().unwrap_or(0)));
        let wait = on_bytes && chain < LONGEST_CHAIN;
        if wait {
            self.put_off.extend(op.results.iter().map(|&r| (r, chain + 1)));
        }
        wait
    }

    /// What stands for a value of the old function, written now if it is not there yet.
    pub(super) fn value(&mut self, v: ValueId) -> Operand {
        if let Some(&known) = self.map.get(&v) {
            return known;
        }
        if self.facts.is_new(v) {
            return Operand::Value(v);
        }
        if let Some(&(group, lane)) = self.groups.home.get(&v) {
            let word = self.group_word(group);
            let byte = self.byte_of(word, lane);
            self.stand(v, byte);
            return byte;
        }
        if let Some(op) = self.facts.def(v).op {
            self.write(op);
        }
        self.map.get(&v).copied().unwrap_or(Operand::Value(v))
    }

    pub(super) fn operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Value(v) => self.value(v),
            Operand::Const(_) => operand,
        }
    }

    pub(super) fn stand(&mut self, v: ValueId, operand: Operand) {
        self.map.insert(v, operand);
        self.journal.push(Entry::Value(v));
    }

    /// A new operation with one result.
    pub(super) fn op(&mut self, name: &str, ty: Type, kind: OpKind) -> Operand {
        let (op, value) = self.builder.op(name, ty, kind, &self.places);
        self.out.push(op);
        Operand::Value(value)
    }

    /// A new word.
    pub(super) fn new_word(&mut self, bytes: usize, kind: OpKind) -> Operand {
        self.op("", Type::Word(8 * bytes as u8), kind)
    }

    /// A byte of a new word.
    pub(super) fn byte_of(&mut self, word: Operand, byte: usize) -> Operand {
        match word {
            Operand::Const(n) => Operand::Const(n >> (8 * byte) & 0xff),
            Operand::Value(_) => self.new_word(1, OpKind::Extract(word, 8 * byte as u8)),
        }
    }

    /// The word of some bytes, made once in a block.
    pub(super) fn word(&mut self, lanes: &[Operand]) -> Operand {
        let lanes: Vec<Operand> = lanes.iter().map(|&o| self.facts.resolved(o)).collect();
        if let Some(&known) = self.words.get(&lanes) {
            return known;
        }
        let word = self.make_word(&lanes);
        self.words.insert(lanes.clone(), word);
        self.journal.push(Entry::Word(lanes));
        word
    }

    /// The word of a group.
    pub(super) fn group_word(&mut self, group: usize) -> Operand {
        if let Some(&known) = self.group_words.get(&group) {
            return known;
        }
        let lanes = &self.groups.list[group];
        let made = match self.facts.def(lanes[0]).op {
            Some(op) if matches!(op.kind, OpKind::Load(..) | OpKind::Loop(_)) => {
                self.write(op);
                self.group_words.get(&group).copied()
            }
            _ => None,
        };
        let word = made.unwrap_or_else(|| self.make_group(group));
        self.set_group(group, word);
        word
    }

    pub(super) fn set_group(&mut self, group: usize, word: Operand) {
        self.group_words.insert(group, word);
        self.journal.push(Entry::Group(group));
    }

    /// Writes an operation if it is not there yet.
    fn write(&mut self, op: &'a Op) {
        if !self.written.insert(op.results[0]) {
            return;
        }
        self.journal.push(Entry::Written(op.results[0]));
        let places = std::mem::replace(&mut self.places, op.places.clone());
        match &op.kind {
            OpKind::Loop(l) => self.write_loop(op, l),
            OpKind::Load(array, addresses) if self.facts.rows.contains_key(array) => {
                self.write_row_load(op, *array, addresses);
            }
            OpKind::Store(array, addresses, words) if self.facts.rows.contains_key(array) => {
                let words = self.row_words(words, self.facts.rows[array]);
                self.write_plain(op, OpKind::Store(*array, addresses.clone(), words));
            }
            OpKind::Array(list) if self.facts.rows.contains_key(&op.results[0]) => {
                let words = self.row_words(list, self.facts.rows[&op.results[0]]);
                self.write_plain(op, OpKind::Array(words));
            }
            OpKind::Array(list) if self.facts.is_byte_array(op.results[0]) => {
                let bytes = self.bytes_by_words(list);
                self.write_plain(op, OpKind::Array(bytes));
            }
            OpKind::Concat(_) if self.pairs.contains_key(&op.results[0]) => {
                let (first, second, plan) = self.pairs[&op.results[0]].clone();
                if !self.map.contains_key(&first) {
                    self.write_pair(first, second, &plan);
                }
            }
            OpKind::Concat(list) if list.iter().all(|&v| self.facts.is_byte(v)) && list.len() > 1 => {
                let lanes: Vec<Operand> = list.iter().map(|&v| Operand::Value(v)).collect();
                self.write_concat(op.results[0], &lanes);
            }
            kind => self.write_plain(op, kind.clone()),
        }
        self.places = places;
    }

    /// Writes the word of some bytes under its author's name, if it is not there yet.
    fn write_concat(&mut self, result: ValueId, lanes: &[Operand]) {
        let (before, mark) = (self.out.len(), self.journal.len());
        let mut word = self.word(lanes);
        if let Some(Op { results, .. }) = self.out[before..].last_mut() {
            if word == Operand::Value(results[0]) {
                results[0] = result;
                self.rename_since(mark, word, Operand::Value(result));
                word = Operand::Value(result);
            }
        }
        self.stand(result, word);
    }

    /// Puts another value for one in everything defined since a mark of the journal.
    fn rename_since(&mut self, mark: usize, old: Operand, new: Operand) {
        for entry in &self.journal[mark..] {
            let known = match entry {
                Entry::Value(v) => self.map.get_mut(v),
                Entry::Word(lanes) => self.words.get_mut(lanes),
                Entry::Group(group) => self.group_words.get_mut(group),
                Entry::Written(_) => None,
            };
            if let Some(known) = known.filter(|k| **k == old) {
                *known = new;
            }
        }
    }

    /// Writes an operation under its own results; its operands are old ones, or new ones that stand for themselves.
    pub(super) fn write_plain(&mut self, op: &Op, kind: OpKind) {
        let mut used = Vec::new();
        uses(&kind, &mut |v| used.push(v));
        for v in used {
            self.value(v);
        }
        let new = Op { kind, results: op.results.clone(), places: op.places.clone() };
        let mut block = Block { ops: vec![new], ..Block::default() };
        self.builder.substitute(&mut block, &self.map);
        self.out.append(&mut block.ops);
        op.results.iter().for_each(|&r| self.stand(r, Operand::Value(r)));
    }

    /// Forgets what has been defined since a mark of the journal.
    pub(super) fn forget(&mut self, mark: usize) {
        for entry in self.journal.split_off(mark) {
            match entry {
                Entry::Value(v) => drop(self.map.remove(&v)),
                Entry::Written(v) => drop(self.written.remove(&v)),
                Entry::Word(lanes) => drop(self.words.remove(&lanes)),
                Entry::Group(group) => drop(self.group_words.remove(&group)),
            }
        }
    }
}
