//! Which look-ups go into which sum: all ways from the look-up, through linear operations, end in one word.

use std::collections::{BTreeMap, HashMap};

use super::form::{form_of, is_linear, itself, Form};
use super::index::Index;
use super::JOINED_BITS;
use crate::ir::{Address, Block, Function, OpKind, Operand, Program, TableId, Type, ValueData, ValueId};
use crate::walk::{for_each_block, uses};

/// A look-up that goes into a sum.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    pub table: TableId,
    /// The index as a value, and as a sum of fields if it is one.
    pub index: ValueId,
    pub fields: Option<Index>,
    /// What each bit of an entry changes of the sum.
    pub columns: Vec<u64>,
}

/// What is known of the words of a function.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By the sums that take look-ups, those.
    pub sums: HashMap<ValueId, BTreeMap<ValueId, Merged>>,
    /// What each linear word is made by.
    pub made: HashMap<ValueId, OpKind>,
    /// Each linear word that is no sum of its own, in terms of those that are and of words that are not linear.
    pub forms: HashMap<ValueId, Form>,
}

impl Plan {
    /// With `any` the bits of an index may stand anywhere in a word.
    pub fn of(function: &Function, program: &Program, any: bool) -> Plan {
        let mut plan = Plan::default();
        for_each_block(&function.body, &mut |block| Blocks { function, program, any, plan: &mut plan }.plan(block));
        plan
    }
}

struct Blocks<'a> {
    function: &'a Function,
    program: &'a Program,
    any: bool,
    plan: &'a mut Plan,
}

impl Blocks<'_> {
    fn plan(&mut self, block: &Block) {
        let ends = self.ends(block);
        for op in &block.ops {
            let (Some(&result), Some(width)) = (op.results.first(), op.results.first().and_then(|&v| self.width(v)))
            else {
                continue;
            };
            if !is_linear(&op.kind) {
                continue;
            }
            let form = form_of(&op.kind, width, &|o| self.operand(o, &ends), &|v| self.width(v).unwrap_or(0));
            self.plan.made.insert(result, op.kind.clone());
            self.plan.forms.insert(result, form);
            if ends.get(&result) == Some(&result) {
                self.sum(result, width, block, &ends);
            }
        }
    }

    fn width(&self, value: ValueId) -> Option<u8> {
        let ValueData { ty, .. } = &self.function.values[value.0 as usize];
        match ty {
            Type::Word(width) => Some(*width),
            _ => None,
        }
    }

    /// By look-up and linear word of a block the word in which all ways end: itself, if it is used otherwise, or in several.
    fn ends(&self, block: &Block) -> HashMap<ValueId, ValueId> {
        let mut users: HashMap<ValueId, Vec<Option<ValueId>>> = HashMap::new();
        for op in &block.ops {
            let user = is_linear(&op.kind).then(|| op.results[0]);
            uses(&op.kind, &mut |v| users.entry(v).or_default().push(user));
            if let OpKind::Loop(l) = &op.kind {
                let inside = |b: &Block| b.ops.iter().map(|op| op.kind.clone()).collect::<Vec<_>>();
                let mut kinds: Vec<OpKind> = l.bodies.iter().flat_map(inside).collect();
                // Ends: each iteration goes into loops one level further down.
                while let Some(kind) = kinds.pop() {
                    uses(&kind, &mut |v| users.entry(v).or_default().push(None));
                    if let OpKind::Loop(l) = &kind {
                        kinds.extend(l.bodies.iter().flat_map(inside));
                    }
                }
                let outputs = l.bodies.iter().flat_map(|b| &b.outputs);
                outputs.for_each(|o| escape(*o, &mut users));
            }
        }
        block.outputs.iter().for_each(|o| escape(*o, &mut users));
        let mut ends: HashMap<ValueId, ValueId> = HashMap::new();
        for op in block.ops.iter().rev() {
            if !is_linear(&op.kind) && !matches!(op.kind, OpKind::Lookup(..)) {
                continue;
            }
            let result = op.results[0];
            let found: Option<Vec<ValueId>> = users.get(&result).map_or(Some(Vec::new()), |list| {
                list.iter().map(|user| user.and_then(|u| ends.get(&u).copied())).collect()
            });
            let end = match found.as_deref() {
                Some([first, rest @ ..]) if rest.iter().all(|other| other == first) => *first,
                _ => result,
            };
            ends.insert(result, end);
        }
        ends
    }

    fn operand(&self, operand: Operand, ends: &HashMap<ValueId, ValueId>) -> Form {
        match operand {
            Operand::Const(number) => Form::number(number),
            Operand::Value(v) if ends.get(&v) != Some(&v) => match self.plan.forms.get(&v) {
                Some(form) if ends.contains_key(&v) => form.clone(),
                _ => Form::itself(v, self.width(v).unwrap_or(0)),
            },
            Operand::Value(v) => Form::itself(v, self.width(v).unwrap_or(0)),
        }
    }

    /// Notes the look-ups that go into a sum, if one of them is moved or joined with others on the way.
    fn sum(&mut self, result: ValueId, width: u8, block: &Block, ends: &HashMap<ValueId, ValueId>) {
        let form = &self.plan.forms[&result];
        if !form.parts.keys().any(|v| ends.get(v) == Some(&result)) {
            return;
        }
        let lookups = block.ops.iter().filter_map(|op| match &op.kind {
            OpKind::Lookup(table, address) => Some((op.results[0], *table, word_of(address)?)),
            _ => None,
        });
        let mut merged = BTreeMap::new();
        for (value, table, index) in lookups.filter(|(value, ..)| ends.get(value) == Some(&result)) {
            let (Some(columns), Some(bits)) = (form.parts.get(&value), self.width(index)) else { continue };
            if bits > 16 || self.program.tables[table.0 as usize].data.len() != 1 << bits {
                continue;
            }
            let fields = self.fields(index, bits);
            merged.insert(value, Merged { table, index, fields, columns: columns.clone() });
        }
        if merged.values().any(|one| one.columns != itself(width)) {
            self.plan.sums.insert(result, merged);
        }
    }

    /// An index as a field of a word as it stands, or else as a sum of fields of other words.
    fn fields(&self, index: ValueId, bits: u8) -> Option<Index> {
        if let Some(found) = self.of_bits(index, bits).or_else(|| self.beside_number(index, bits)) {
            return Some(found);
        }
        match self.plan.made.get(&index) {
            Some(OpKind::Extract(Operand::Value(word), start)) => {
                Some(Index::field(*word, self.width(*word)?, *start, bits))
            }
            Some(_) => self.of_form(self.plan.forms.get(&index)?, bits),
            None => Some(Index::field(index, bits, 0, bits)),
        }
    }

    /// The bits of one word from which an index is joined, where they do not stand side by side there.
    fn of_bits(&self, index: ValueId, bits: u8) -> Option<Index> {
        let sources: Vec<(ValueId, u8)> = (0..bits).map(|bit| self.bit(index, bit)).collect();
        let (word, first) = *sources.first()?;
        let width = self.width(word).filter(|&width| self.any && width <= JOINED_BITS)?;
        let places: Vec<u8> = sources.iter().filter(|(of, _)| *of == word).map(|(_, bit)| *bit).collect();
        let apart = places.iter().enumerate().any(|(n, &bit)| bit != first + n as u8);
        let once = places.iter().enumerate().all(|(n, bit)| !places[..n].contains(bit));
        (apart && once && places.len() == sources.len()).then(|| Index::of_bits(word, width, &places))
    }

    /// The field of a word to which a number is added, without the number, which the table takes.
    fn beside_number(&self, index: ValueId, bits: u8) -> Option<Index> {
        let form =
            self.plan.forms.get(&index).filter(|form| self.any && form.constant != 0 && form.parts.len() == 1)?;
        Index::of(form, bits)
    }

    /// Where a bit of a word comes from, through fields and joined words.
    fn bit(&self, word: ValueId, bit: u8) -> (ValueId, u8) {
        match self.plan.made.get(&word) {
            Some(OpKind::Extract(Operand::Value(of), start)) => self.bit(*of, start + bit),
            Some(OpKind::Concat(parts)) => {
                let mut start = 0;
                for &part in parts {
                    let width = self.width(part).unwrap_or(0);
                    if bit < start + width {
                        return self.bit(part, bit - start);
                    }
                    start += width;
                }
                (word, bit)
            }
            _ => (word, bit),
        }
    }

    /// Fields of a word that was joined from parts, and maybe added to another, are taken of what it was made of: the word need
    /// not be made.
    fn of_form(&self, form: &Form, bits: u8) -> Option<Index> {
        let only = form.parts.keys().next().filter(|_| form.parts.len() == 1);
        let joined = only.and_then(|&word| Some((word, self.plan.forms.get(&word)?, self.width(word)?)));
        let deeper = joined.filter(|(_, made, width)| !made.is_of_whole_words(*width));
        deeper.and_then(|(word, made, _)| Index::of(&form.with(word, made), bits)).or_else(|| Index::of(form, bits))
    }
}

fn escape(operand: Operand, users: &mut HashMap<ValueId, Vec<Option<ValueId>>>) {
    if let Operand::Value(v) = operand {
        users.entry(v).or_default().push(None);
    }
}

/// The word that is an address as it is.
fn word_of(address: &Address) -> Option<ValueId> {
    match address.affine.terms.as_slice() {
        &[(1, value)] if address.affine.constant == 0 && !address.ring => Some(value),
        _ => None,
    }
}
