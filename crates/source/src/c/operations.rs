//! Operations as expressions and statements.

use std::collections::BTreeSet;

use program::ir::{Affine, Block, Op, OpKind, Operand, Shift, Type, ValueId};

use super::arrays::Home;
use super::expr::Expr;
use super::function::{returned_word, Writer};
use super::index;
use super::types::{array_of, ctype, ones, value_type};

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
            OpKind::Const(number) => Expr::number(*number),
            OpKind::Binary(binary, a, b) => {
                let (a, b) = (self.take(*a), self.take(*b));
                Expr::binary(*binary, &a, &b, width)
            }
            OpKind::Not(a) => self.take(*a).complement(width),
            OpKind::Shift(shift, a, amount) => self.shift(*shift, *a, *amount, width),
            OpKind::Extract(a, position) => match *a {
                Operand::Value(v) => {
                    let from = self.width(v);
                    self.take_value(v).extract(*position, width, from)
                }
                Operand::Const(number) => Expr::number((number >> position) & ones(width)),
            },
            OpKind::Concat(parts) => self.concat(result, parts),
            OpKind::Zext(v) => {
                let from = self.width(*v);
                self.take_value(*v).extend(width, from)
            }
            OpKind::Compare(compare, a, b) => {
                let (a, b) = (self.take(*a), self.take(*b));
                Expr::compare(*compare, &a, &b)
            }
            OpKind::Select(c, a, b) => {
                let (c, a, b) = (self.take(*c), self.take(*a), self.take(*b));
                let name = self.unit.helpers.select(width);
                Expr::call(&name, &[&c, &a, &b])
            }
            OpKind::Lookup(table, address) => {
                let (text, reads) = self.element_index(
                    std::slice::from_ref(address),
                    &[self.program.tables[table.0 as usize].data.len() as u32],
                    0,
                );
                let name = self.unit.table(self.program, *table);
                Expr::element(format!("{name}[{text}]"), width, reads)
            }
            OpKind::Word(affine) => Expr::primary(self.affine(affine)).cast_index(width),
            other => unreachable!("{} is lowered before C is written", other.mnemonic()),
        }
    }

    fn shift(&mut self, shift: Shift, a: Operand, amount: Operand, width: u8) -> Expr {
        let value = self.take(a);
        match amount {
            Operand::Const(n) => value.shift(shift, n, width, &mut self.unit.helpers),
            Operand::Value(v) => {
                let amount_width = self.width(v);
                let amount = self.take_value(v);
                value.shift_by(shift, &amount, width, amount_width, &mut self.unit.helpers)
            }
        }
    }

    fn concat(&mut self, result: ValueId, parts: &[ValueId]) -> Expr {
        let width = self.width(result);
        if let Some(load) = self.facts.word_loads.get(&result).cloned() {
            let (storage, address) = (self.plan.of(load.array), self.affine(&load.address));
            let name = self.unit.helpers.load(width, load.order);
            let array = self.storage_name(storage).to_owned();
            let from = if address == "0" { array } else { format!("{array} + {address}") };
            return Expr { reads: BTreeSet::from([storage]), ..Expr::primary(format!("{name}({from})")) };
        }
        let pieces: Vec<(Expr, u8)> = parts.iter().map(|&p| (self.take_value(p), self.width(p))).collect();
        Expr::concat(&pieces, width)
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
                    arguments.push(self.storage_name(storage).to_owned());
                }
                _ => {
                    let value = self.take(*operand);
                    reads.extend(&value.reads);
                    arguments.push(value.text);
                }
            }
        }
        let c_name = self.unit.function_name(self.program, name);
        if returned_word(callee).is_some() {
            let text = format!("{c_name}({})", arguments.join(", "));
            self.define(op.results[0], Expr { reads, ..Expr::primary(text) });
            return;
        }
        arguments.extend(self.call_results(op));
        self.line(&format!("{c_name}({});", arguments.join(", ")));
    }

    fn call_results(&mut self, op: &Op) -> Vec<String> {
        let mut arguments = Vec::new();
        for &result in &op.results {
            if array_of(&self.function.values[result.0 as usize].ty).is_some() {
                let storage = self.plan.of(result);
                self.declare_storage(storage);
                arguments.push(self.storage_name(storage).to_owned());
            } else {
                let name = self.fresh(result);
                self.line(&format!("{} {name};", value_type(self.width(result))));
                self.set(result, Expr::primary(name.clone()));
                arguments.push(format!("&{name}"));
            }
        }
        arguments
    }

    /// Declares a local array.
    pub fn declare_storage(&mut self, storage: usize) {
        let described = &self.plan.storages[storage];
        if described.home == Home::Local {
            let text = format!("{} {}[{}];", ctype(described.ty.width), self.storage_name(storage), described.ty.len());
            self.line(&text);
        }
    }
}
