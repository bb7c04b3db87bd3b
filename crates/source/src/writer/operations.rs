//! Operations as expressions and statements.

use std::collections::BTreeSet;

use program::ir::{Affine, Block, Op, OpKind, Operand, Shift, Type, ValueId};

use super::arrays::Home;
use super::expr::Expr;
use super::function::{returned_word, Writer};
use super::index;
use super::language::Place;
use super::words::{array_of, ones};

impl<'a> Writer<'a, '_> {
    /// Writes the operations of a block.
    pub fn operations(&mut self, block: &'a Block) {
        for op in &block.ops {
            if op.results.iter().any(|&r| self.facts.is_used(r)) {
                self.at(&op.places);
                self.operation(op);
            }
        }
        self.at(&[]);
    }

    fn operation(&mut self, op: &'a Op) {
        match &op.kind {
            OpKind::Loop(l) => self.write_loop(l, &op.results),
            OpKind::Array(list) => self.new_array(op, list),
            OpKind::Store(old, addresses, words) => self.store(op, *old, addresses, words),
            OpKind::Load(array, addresses) => self.load(op, *array, addresses),
            OpKind::Call(name, operands) => self.call(op, name, operands),
            OpKind::IndexDiv(affine, divisor) => self.derived_index(op.results[0], affine, "/", *divisor),
            OpKind::IndexMod(affine, divisor) => self.derived_index(op.results[0], affine, "%", *divisor),
            _ => {
                let expression = self.word(op);
                self.define(op.results[0], expression);
            }
        }
    }

    fn word(&mut self, op: &'a Op) -> Expr {
        let result = op.results[0];
        let width = self.width(result);
        match &op.kind {
            OpKind::Const(number) => self.language.number(*number),
            OpKind::Binary(binary, a, b) => {
                let (a, b) = (self.take(*a), self.take(*b));
                self.language.binary(*binary, &a, &b, width)
            }
            OpKind::Not(a) => {
                let a = self.take(*a);
                self.language.complement(&a, width)
            }
            OpKind::Shift(shift, a, amount) => self.shift(*shift, *a, *amount, width),
            OpKind::Extract(a, position) => match *a {
                Operand::Value(v) => {
                    let (from, value) = (self.width(v), self.take_value(v));
                    self.language.extract(&value, *position, width, from)
                }
                Operand::Const(number) => self.language.number((number >> position) & ones(width)),
            },
            OpKind::Concat(parts) => self.concat(result, parts),
            OpKind::Zext(v) => {
                let (from, value) = (self.width(*v), self.take_value(*v));
                self.language.extend(&value, width, from)
            }
            OpKind::Compare(compare, a, b) => {
                let compared = |o: &Operand| match o {
                    Operand::Value(v) => Some(self.width(*v)),
                    Operand::Const(_) => None,
                };
                let width = compared(a).or(compared(b)).unwrap_or(64);
                let (a, b) = (self.take(*a), self.take(*b));
                self.language.compare(*compare, &a, &b, width)
            }
            OpKind::Select(c, a, b) => {
                let (c, a, b) = (self.take(*c), self.take(*a), self.take(*b));
                self.language.select(&c, &a, &b, width, &mut self.unit.helpers)
            }
            OpKind::Lookup(table, address) => {
                let (text, reads) = self.element_index(
                    std::slice::from_ref(address),
                    &[self.program.tables[table.0 as usize].data.len() as u32],
                    0,
                );
                let name = self.unit.table(self.program, *table);
                self.language.element(format!("{name}[{text}]"), width, reads)
            }
            OpKind::Word(affine) => self.language.cast_index(&self.affine(affine), width),
            other => unreachable!("{} is lowered before code is written", other.mnemonic()),
        }
    }

    fn shift(&mut self, shift: Shift, a: Operand, amount: Operand, width: u8) -> Expr {
        let value = self.take(a);
        match amount {
            Operand::Const(n) if matches!(shift, Shift::Rotl | Shift::Rotr) => self.rotation(&value, shift, n, width),
            Operand::Const(n) => self.language.shift(&value, shift, n, width, &mut self.unit.helpers),
            Operand::Value(v) => {
                let amount_width = self.width(v);
                let amount = self.take_value(v);
                self.language.shift_by(&value, shift, (&amount, amount_width), width, &mut self.unit.helpers)
            }
        }
    }

    fn concat(&mut self, result: ValueId, parts: &[ValueId]) -> Expr {
        let width = self.width(result);
        if let Some(load) = self.facts.word_loads.get(&result).cloned() {
            let (storage, address) = (self.plan.of(load.array), self.affine(&load.address));
            let place = self.storage(storage).clone();
            let text = self.language.load(&place, &address, load.order, width, &mut self.unit.helpers);
            return Expr { reads: BTreeSet::from([storage]), ..Expr::primary(text) };
        }
        let pieces: Vec<(Expr, u8)> = parts.iter().map(|&p| (self.take_value(p), self.width(p))).collect();
        self.language.concat(&pieces, width)
    }

    /// A sum of indices as text.
    pub fn affine(&mut self, affine: &Affine) -> String {
        self.indices.sum(affine, &mut |_| String::new())
    }

    fn derived_index(&mut self, result: ValueId, affine: &Affine, operator: &str, divisor: i64) {
        let (low, _) = self.facts.range(affine);
        let lift = if low < 0 { -low.div_euclid(divisor) } else { 0 };
        let mut lifted = affine.clone();
        lifted.constant += lift * divisor;
        let quotient = format!("{} {operator} {divisor}", index::tight(&self.affine(&lifted)));
        let text = if lift > 0 && operator == "/" { format!("({quotient} - {lift})") } else { format!("({quotient})") };
        self.indices.derive(result, text);
    }

    fn call(&mut self, op: &'a Op, name: &str, operands: &[Operand]) {
        let Some(callee) = self.program.functions.iter().find(|f| f.name == name) else { return };
        let mut arguments = Vec::new();
        let mut reads = BTreeSet::new();
        for (operand, &parameter) in operands.iter().zip(&callee.params) {
            match &callee.values[parameter.0 as usize].ty {
                Type::Array(_) => {
                    let Operand::Value(v) = *operand else { continue };
                    let storage = self.plan.of(v);
                    reads.insert(storage);
                    arguments.push(self.argument(storage));
                }
                ty => {
                    let value = self.take(*operand);
                    reads.extend(&value.reads);
                    arguments.push(self.language.value(&value, ty.width()));
                }
            }
        }
        let callee_name = self.unit.function_name(self.program, name);
        if returned_word(callee).is_some() {
            let text = format!("{callee_name}({})", arguments.join(", "));
            self.define(op.results[0], Expr { reads, ..Expr::primary(text) });
            return;
        }
        let (results, copies) = self.call_results(op);
        arguments.extend(results);
        self.line(&format!("{callee_name}({});", arguments.join(", ")));
        for (storage, copy) in copies {
            let place = self.storage(storage).clone();
            self.copy_array(&place, &copy, storage);
        }
    }

    /// An array as an argument; a part of a longer one is copied, since what is called knows of no offset.
    fn argument(&mut self, storage: usize) -> String {
        let place = self.storage(storage).clone();
        if place.offset.is_empty() {
            return place.name;
        }
        let copy = Place::whole(self.fresh_name(&format!("{}Block", place.name)));
        let text = self.language.array(&copy.name, self.shape(storage));
        self.line(&text);
        self.copy_array(&copy, &place, storage);
        copy.name
    }

    /// What a call writes: its arguments, and what is copied from there afterwards since it is a part of a longer array.
    fn call_results(&mut self, op: &Op) -> (Vec<String>, Vec<(usize, Place)>) {
        let (mut arguments, mut copies) = (Vec::new(), Vec::new());
        for &result in &op.results {
            if array_of(&self.function.values[result.0 as usize].ty).is_some() {
                let storage = self.plan.of(result);
                self.declare_storage(storage);
                let argument = self.argument(storage);
                if argument != self.storage(storage).name {
                    copies.push((storage, Place::whole(argument.clone())));
                }
                arguments.push(argument);
            } else {
                let name = self.fresh(result);
                let (declaration, argument, value) = self.language.receive(&name, self.width(result));
                self.line(&declaration);
                self.set(result, Expr::primary(value));
                arguments.push(argument);
            }
        }
        (arguments, copies)
    }

    /// Declares a local array.
    pub fn declare_storage(&mut self, storage: usize) {
        let described = &self.plan.storages[storage];
        if described.home == Home::Local {
            let text = self.language.array(&self.storage(storage).name, self.shape(storage));
            self.line(&text);
        }
    }
}
