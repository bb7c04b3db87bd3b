//! Loads, stores and new arrays.

use std::collections::BTreeSet;

use program::ir::{Address, Affine, Op, Operand, Type, ValueId};

use super::edges::Groups;
use super::expr::Expr;
use super::function::{Writer, VARIABLES};
use super::index::{tight, unwrapped};
use super::language::Place;

/// A value on its way into memory: the element it starts at, and the text of the statement around it.
struct Write {
    value: Expr,
    width: u8,
    /// Written by a helper that takes the whole word.
    is_word: bool,
    /// The statement with `{}` for the value.
    statement: String,
    name: String,
}

impl<'a> Writer<'a, '_> {
    /// The flat index of an element (`offset` elements on), and what its computation reads.
    pub fn element_index(&mut self, addresses: &[Address], dims: &[u32], offset: usize) -> (String, BTreeSet<usize>) {
        let mut reads = BTreeSet::new();
        let row = if dims.len() == 2 { i64::from(dims[1]) } else { 1 };
        let mut text = String::new();
        let mut constant = offset as i64;
        let summed = addresses.len() > 1 || offset != 0;
        for (n, address) in addresses.iter().enumerate() {
            let scale = if n == 0 { row } else { 1 };
            let has_word = address.affine.terms.iter().any(|(_, v)| !self.indices.holds(*v));
            let (mut affine, wraps) = unwrapped(address, i64::from(dims[n]), &self.facts, has_word);
            if !wraps {
                affine.terms.iter_mut().for_each(|t| t.0 *= scale);
                affine.constant = affine.constant * scale + constant;
                constant = 0;
            }
            let scale = if wraps { scale } else { 1 };
            let part = self.address_text(&affine, wraps.then_some(dims[n]), scale, summed, &mut reads);
            text = match (text.is_empty(), part.as_str()) {
                (true, _) => part,
                (false, "0") => text,
                (false, _) => format!("{text} + {part}"),
            };
        }
        if constant != 0 {
            text = format!("{text} + {constant}");
        }
        (text, reads)
    }

    fn address_text(
        &mut self,
        affine: &Affine,
        modulus: Option<u32>,
        scale: i64,
        summed: bool,
        reads: &mut BTreeSet<usize>,
    ) -> String {
        let mixed = affine.terms.len() > 1;
        let alone = !summed && affine.constant == 0 && modulus.is_none() && matches!(affine.terms[..], [(1, _)]);
        let words: Vec<(ValueId, String)> = affine
            .terms
            .iter()
            .filter(|(_, v)| !self.indices.holds(*v))
            .map(|&(_, v)| v)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|v| {
                let text = self.word_index(v, mixed, modulus, reads);
                (v, if alone || mixed { text } else { tight(&text) })
            })
            .collect();
        let sum = self
            .indices
            .sum(affine, &mut |v| words.iter().find(|(w, _)| *w == v).map_or(String::new(), |(_, t)| t.clone()));
        match (modulus, scale) {
            (None, _) => sum,
            (Some(m), 1) => format!("{} % {m}", tight(&sum)),
            (Some(m), s) => format!("{s} * ({} % {m})", tight(&sum)),
        }
    }

    fn word_index(&mut self, v: ValueId, mixed: bool, modulus: Option<u32>, reads: &mut BTreeSet<usize>) -> String {
        let e = self.take_value(v);
        reads.extend(&e.reads);
        self.language.index(&e, self.width(v), mixed, modulus)
    }

    /// Elements or a row of an array.
    pub fn load(&mut self, op: &'a Op, array: ValueId, addresses: &[Address]) {
        let storage = self.plan.of(array);
        let dims = self.plan.storages[storage].ty.dims.clone();
        let row = addresses.len() < dims.len();
        for (n, &result) in op.results.iter().enumerate() {
            if !self.facts.is_used(result) {
                continue;
            }
            let (text, mut reads) = match self.lookup(storage, addresses, &dims) {
                Some(found) => found,
                None => self.element_index(addresses, &dims, if row { n } else { 0 }),
            };
            reads.insert(storage);
            let element = self.storage(storage).element(&text);
            let width = self.plan.storages[storage].ty.width;
            self.define(result, self.language.element(element, width, reads));
        }
    }

    /// The index of an element by one word alone, in an array with an element for each of the word's values.
    fn lookup(&mut self, storage: usize, addresses: &[Address], dims: &[u32]) -> Option<(String, BTreeSet<usize>)> {
        let ([address], [extent], "") = (addresses, dims, self.storage(storage).offset.as_str()) else {
            return None;
        };
        let ([(1, word)], 0) = (address.affine.terms.as_slice(), address.affine.constant) else {
            return None;
        };
        let width = self.width(*word);
        if self.indices.holds(*word) || width >= 32 || 1 << width != *extent {
            return None;
        }
        let name = self.storage(storage).name.clone();
        let text = self.language.lookup(&name, self.seen_value(*word), width)?;
        Some((text, self.take_value(*word).reads))
    }

    /// A new array with the given elements (or none yet).
    pub fn new_array(&mut self, op: &'a Op, list: &[Operand]) {
        let storage = self.plan.of(op.results[0]);
        self.declare_storage(storage);
        let ty = self.plan.storages[storage].ty.clone();
        if list.is_empty() {
            return;
        }
        let place = self.storage(storage).clone();
        let all_constant = list.iter().all(|o| matches!(o, Operand::Const(_)));
        if all_constant && list.len() > 4 {
            self.initial_elements(&place, list, storage);
            return;
        }
        let groups = self.facts.word_stores.get(&op.results[0]).cloned().unwrap_or_default();
        let writes = self.writes(&place, list, ty.width, &groups, &mut |n| n.to_string());
        self.perform(storage, writes);
    }

    fn initial_elements(&mut self, place: &Place, list: &[Operand], storage: usize) {
        let constant = |o: &Operand| match o {
            Operand::Const(c) => *c,
            Operand::Value(_) => 0,
        };
        let source = self.constant_array("initial", self.shape(storage).width, list.iter().map(constant).collect());
        self.copy_array(place, &Place::whole(source), storage);
    }

    /// A constant array, in the function or beside it; gives its name.
    pub fn constant_array(&mut self, wanted: &str, width: u8, entries: Vec<u64>) -> String {
        let name = self.fresh_name(wanted);
        match self.language.constant_array(&name, width, &entries) {
            Some(text) => {
                self.line(&text);
                name
            }
            None => self.unit.constant(name, width, entries),
        }
    }

    /// One element or one row replaced.
    pub fn store(&mut self, op: &'a Op, old: ValueId, addresses: &[Address], words: &[Operand]) {
        let (from, storage) = (self.plan.of(old), self.plan.of(op.results[0]));
        if from != storage {
            self.flush_before_write(storage);
            self.declare_storage(storage);
            let (to, old_place) = (self.storage(storage).clone(), self.storage(from).clone());
            self.copy_array(&to, &old_place, storage);
        }
        let ty = self.plan.storages[storage].ty.clone();
        let place = self.storage(storage).clone();
        let mut reads = BTreeSet::new();
        let mut texts = Vec::new();
        if addresses.iter().any(|a| a.affine.terms.iter().any(|(_, v)| !self.indices.holds(*v))) {
            let (text, read) = self.element_index(addresses, &ty.dims, 0);
            reads = read;
            texts.push(text);
        } else {
            for n in 0..words.len() {
                texts.push(self.element_index(addresses, &ty.dims, n).0);
            }
        }
        debug_assert!(reads.iter().all(|&r| r >= VARIABLES || r != storage) || words.len() == 1);
        let groups = self.facts.word_stores.get(&op.results[0]).cloned().unwrap_or_default();
        let writes = self.writes(&place, words, ty.width, &groups, &mut |n| match texts.get(n) {
            Some(text) => text.clone(),
            None => format!("{} + {n}", texts[0]),
        });
        self.perform(storage, writes);
    }

    fn writes(
        &mut self,
        place: &Place,
        list: &[Operand],
        width: u8,
        groups: &Groups,
        index: &mut dyn FnMut(usize) -> String,
    ) -> Vec<Write> {
        let mut writes = Vec::new();
        let single: Vec<usize> = groups.ungrouped(list.len()).collect();
        for (n, &operand) in list.iter().enumerate() {
            if let Some(group) = groups.starting_at(n) {
                let helpers = &mut self.unit.helpers;
                let statement = self.language.store(place, &index(n), group.order, group.width, helpers);
                let value = self.take_value(group.word);
                writes.push(Write { value, width: group.width, is_word: true, statement, name: format!("w{n}") });
            } else if single.contains(&n) {
                let value = self.take(operand);
                let statement = format!("{} = {{}};", place.element(&index(n)));
                writes.push(Write { value, width, is_word: false, statement, name: format!("e{n}") });
            }
        }
        writes
    }

    fn perform(&mut self, storage: usize, mut writes: Vec<Write>) {
        let several = writes.len() > 1;
        let conflicts: Vec<bool> = writes
            .iter()
            .map(|w| w.value.reads.iter().any(|&r| r < VARIABLES && self.plan.may_alias(storage, r)))
            .collect();
        for (write, conflict) in writes.iter_mut().zip(conflicts) {
            if several && conflict {
                write.value = self.hoist(&write.value, &write.name, write.width);
            }
        }
        self.flush_before_write(storage);
        for write in writes {
            let value = match write.is_word {
                true => self.language.value(&write.value, write.width),
                false => self.language.stored(&write.value, write.width),
            };
            self.line(&write.statement.replacen("{}", &value, 1));
        }
    }

    /// Storages that the operations of a block write.
    pub fn written_in(&self, block: &program::ir::Block, found: &mut BTreeSet<usize>) {
        program::walk::for_each_op(block, &mut |op| {
            for &result in &op.results {
                if matches!(self.function.values[result.0 as usize].ty, Type::Array(_)) {
                    found.insert(self.plan.of(result));
                }
            }
        });
    }
}
