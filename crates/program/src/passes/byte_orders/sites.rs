//! Where bytes become words, and where bytes are taken out of words.
//!
//! A site is a run of bytes that will be a word: a piece of a list that is filled, of a `concat`, of an array that is given out. What each of
//! its bytes is made of is known as terms of a bitwise expression, traced back to slots, bytes of other words and memory.

use std::collections::{HashMap, HashSet};

use super::lists::{Lists, Place, Sets};
use crate::ir::{Block, Function, MatrixId, Op, OpKind, Operand, Program, Table, Type, ValueId};
use crate::passes::only::FunctionFilter;
use crate::passes::pack::facts::Facts;
use crate::passes::pack::groups::pieces;
use crate::walk::uses;

/// Most terms of one byte that are looked at.
const MOST_TERMS: usize = 16;

/// What a byte is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A byte of a list.
    Slot(Place),
    /// A byte of a word that is one already: the word, the number of the byte, the bytes of the word.
    Byte(ValueId, usize, usize),
    /// A byte of an array of bytes.
    Memory(ValueId, usize),
    /// Any other byte but look-ups and numbers, which can stand in any lane.
    Other(ValueId),
}

/// The terms of one byte.
pub type Terms = Vec<Term>;

/// What is needed of some bytes.
#[derive(Clone, Debug)]
pub enum Need {
    /// A list is filled: the terms of its slots, in the order of slots.
    Filled(usize, Vec<Terms>),
    /// A word with bytes in these lanes.
    Word(Vec<Terms>),
    /// Bytes that go to memory, from a multiple of a word on.
    Given(Vec<Terms>),
    /// A single byte.
    Taken(Terms),
    /// A product's results: its matrix and its list.
    Product(MatrixId, usize),
}

/// A need, where it arises and how often.
#[derive(Clone, Debug)]
pub struct Site {
    /// The function.
    pub function: usize,
    /// The block in the function.
    pub block: usize,
    /// How often the block runs.
    pub times: u64,
    /// What is needed.
    pub need: Need,
}

/// All sites of a program.
pub fn find(program: &Program, lists: &Lists, most: usize, only: &FunctionFilter<'_>) -> Vec<Site> {
    let none = HashMap::new();
    let mut sites = Vec::new();
    for (n, function) in program.functions.iter().enumerate().filter(|(_, f)| only.includes(&f.name)) {
        let facts = Facts::new(function, &none);
        let mut finder =
            Finder { function, facts: &facts, lists, tables: &program.tables, number: n, most, sites: &mut sites };
        let mut blocks = 0;
        finder.block(&function.body, 1, &mut blocks);
    }
    sites
}

/// Joins the slots of bytes that ought to lie in the same lane: those that meet one by one, and those of lists between which words go.
///
/// Where each byte of a word comes from a row of its own, as in a transposition, nothing is to be joined.
pub fn links(lists: &Lists, sites: &[Site]) -> Sets {
    let mut sets = Sets::new(lists.slots());
    for site in sites {
        match &site.need {
            Need::Filled(list, terms) => {
                let together = together(terms);
                let first = lists.list[*list].first;
                terms.iter().enumerate().for_each(|(k, t)| join(&mut sets, t, Some(first + k), &together));
            }
            Need::Word(terms) | Need::Given(terms) => {
                let together = together(terms);
                terms.iter().for_each(|t| join(&mut sets, t, None, &together));
            }
            Need::Taken(terms) => {
                let all: HashSet<usize> = terms.iter().filter_map(|t| Some(place(t)?.instance)).collect();
                join(&mut sets, terms, None, &all);
            }
            Need::Product(..) => {}
        }
    }
    sets
}

fn place(term: &Term) -> Option<Place> {
    match term {
        Term::Slot(place) => Some(*place),
        _ => None,
    }
}

/// The instances of which some bytes have two or more.
fn together(bytes: &[Terms]) -> HashSet<usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    bytes.iter().flatten().filter_map(place).for_each(|p| *counts.entry(p.instance).or_default() += 1);
    counts.into_iter().filter(|&(_, count)| count > 1).map(|(instance, _)| instance).collect()
}

fn join(sets: &mut Sets, terms: &Terms, filled: Option<usize>, instances: &HashSet<usize>) {
    let places = terms.iter().filter_map(place).filter(|p| instances.contains(&p.instance));
    let slots: Vec<usize> = filled.into_iter().chain(places.map(|p| p.slot)).collect();
    slots.windows(2).for_each(|two| sets.join(two[0], two[1]));
}

struct Finder<'a> {
    function: &'a Function,
    facts: &'a Facts<'a>,
    lists: &'a Lists,
    tables: &'a [Table],
    number: usize,
    most: usize,
    sites: &'a mut Vec<Site>,
}

impl Finder<'_> {
    fn add(&mut self, block: usize, times: u64, need: Need) {
        self.sites.push(Site { function: self.number, block, times, need });
    }

    fn block(&mut self, block: &Block, times: u64, blocks: &mut usize) {
        let here = *blocks;
        *blocks += 1;
        let mut taken: Vec<ValueId> = Vec::new();
        for op in &block.ops {
            match &op.kind {
                OpKind::Loop(l) => {
                    let lists = self.lists.carried[self.number].get(&op.results[0]).cloned().unwrap_or_default();
                    self.fill(&lists, &l.init, here, times);
                    for (n, body) in l.bodies.iter().enumerate() {
                        let iterations = times.saturating_mul(l.iterations_of(n).len() as u64);
                        let inside = *blocks;
                        self.block(body, iterations, blocks);
                        self.fill(&lists, &body.outputs, inside, iterations);
                    }
                }
                _ => self.op(op, here, times, &mut taken),
            }
        }
    }

    fn fill(&mut self, lists: &[(usize, usize)], operands: &[Operand], block: usize, times: u64) {
        for &(start, list) in lists {
            let terms = self.all_terms(&operands[start..start + self.lists.list[list].len]);
            self.add(block, times, Need::Filled(list, terms));
        }
    }

    fn op(&mut self, op: &Op, block: usize, times: u64, taken: &mut Vec<ValueId>) {
        match &op.kind {
            OpKind::Concat(list) if list.len() > 1 && list.iter().all(|&v| self.facts.is_byte(v)) => {
                let operands: Vec<Operand> = list.iter().map(|&v| Operand::Value(v)).collect();
                let terms = self.all_terms(&operands);
                self.add(block, times, Need::Word(terms));
            }
            OpKind::Store(array, addresses, words) => {
                if let Some(list) = self.lists.row(self.number, *array, &addresses[0]) {
                    let terms = self.all_terms(words);
                    self.add(block, times, Need::Filled(list, terms));
                }
            }
            OpKind::Array(list) if !list.is_empty() => self.array(op.results[0], list, block, times),
            kind if self.facts.bitwise(op.results[0]).is_none() => {
                if let (OpKind::Linear(matrix, _), Some(&list)) =
                    (kind, self.lists.products[self.number].get(&op.results[0]))
                {
                    self.add(block, times, Need::Product(*matrix, list));
                }
                let mut bytes = Vec::new();
                uses(kind, &mut |v| bytes.push(v));
                for v in bytes {
                    if self.facts.bitwise(v).is_some() && !taken.contains(&v) {
                        taken.push(v);
                        let terms = self.terms(Operand::Value(v));
                        self.add(block, times, Need::Taken(terms));
                    }
                }
            }
            _ => {}
        }
    }

    fn array(&mut self, array: ValueId, list: &[Operand], block: usize, times: u64) {
        let Type::Array(ty) = &self.function.values[array.0 as usize].ty else { return };
        if ty.width != 8 {
            return;
        }
        let length = ty.dims.get(1).map_or(list.len(), |&d| d as usize);
        for (row, bytes) in list.chunks(length).enumerate() {
            let terms = self.all_terms(bytes);
            if let Some(list) = self.lists.row_number(self.number, array, row) {
                self.add(block, times, Need::Filled(list, terms));
            } else if ty.dims.len() == 1 {
                for (start, size) in pieces(terms.len(), self.most) {
                    self.add(block, times, Need::Given(terms[start..start + size].to_vec()));
                }
            }
        }
    }

    fn all_terms(&self, operands: &[Operand]) -> Vec<Terms> {
        operands.iter().map(|&o| self.terms(o)).collect()
    }

    /// What a byte is made of, looked at through bitwise operations.
    fn terms(&self, operand: Operand) -> Terms {
        let mut terms = Terms::new();
        self.collect(operand, &mut terms);
        terms
    }

    fn collect(&self, operand: Operand, terms: &mut Terms) {
        let Operand::Value(v) = self.facts.resolved(operand) else { return };
        if let Some(&place) = self.lists.places[self.number].get(&v) {
            return terms.push(Term::Slot(place));
        }
        if let (Some((_, a, b)), true) = (self.facts.bitwise(v), terms.len() < MOST_TERMS) {
            self.collect(a, terms);
            return self.collect(b, terms);
        }
        if let Some((word, byte)) = self.facts.byte_of_word(v) {
            if let Some(size) = self.facts.word_bytes(word) {
                return terms.push(Term::Byte(word, byte, size));
            }
        }
        if self.facts.byte_lookup(v, self.tables).is_some() {
            return;
        }
        match self.facts.byte_load(v) {
            Some((array, at)) => terms.push(Term::Memory(array, at as usize)),
            None => terms.push(Term::Other(v)),
        }
    }
}
