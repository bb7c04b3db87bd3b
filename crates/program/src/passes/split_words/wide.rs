//! Functions that hold one operation on a wide word.

use super::{Op, OpKind, Operand, Splitter, Type};
use crate::builder::Builder;
use crate::ir::{Block, Function, ValueId};

impl Splitter<'_> {
    /// Calls the function `name` that puts the parts of `inputs` (words with their widths) together, computes
    /// `make(words)` of `width` bits and takes it apart; the parts of the result.
    pub(super) fn wide(
        &mut self,
        name: &str,
        inputs: &[(Operand, u8)],
        width: u8,
        make: &dyn Fn(&[ValueId]) -> OpKind,
    ) -> Vec<Operand> {
        let arguments: Vec<Operand> = inputs.iter().flat_map(|&(o, w)| self.operand(o, w)).collect();
        let widths: Vec<u8> = inputs.iter().map(|&(_, w)| w).collect();
        self.wide_function(name, &widths, width, make);
        self.called(name, arguments, width)
    }

    /// Makes the function unless it is there.
    pub(super) fn wide_function(&mut self, name: &str, inputs: &[u8], width: u8, make: &dyn Fn(&[ValueId]) -> OpKind) {
        if !self.shared.functions.contains_key(name) {
            let widths: Vec<Vec<u8>> = inputs.iter().map(|&w| self.widths(w)).collect();
            let made = function(name, &widths, width, &self.widths(width), self.shared.width, make);
            self.shared.functions.insert(name.to_owned(), made);
        }
    }

    /// Calls it.
    pub(super) fn called(&mut self, name: &str, arguments: Vec<Operand>, width: u8) -> Vec<Operand> {
        let results: Vec<ValueId> =
            self.widths(width).into_iter().map(|w| self.builder.value("", Type::Word(w))).collect();
        self.push(OpKind::Call(name.to_owned(), arguments), results.clone());
        results.into_iter().map(Operand::Value).collect()
    }
}

fn function(
    name: &str,
    inputs: &[Vec<u8>],
    width: u8,
    outputs: &[u8],
    machine: u8,
    make: &dyn Fn(&[ValueId]) -> OpKind,
) -> Function {
    let mut b = Builder::default();
    let (mut params, mut ops, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for (n, widths) in inputs.iter().enumerate() {
        let letter = ["a", "b", "c"][n];
        let parts: Vec<ValueId> =
            widths.iter().enumerate().map(|(k, &w)| b.value(&format!("{letter}{k}"), Type::Word(w))).collect();
        params.extend(&parts);
        words.push(match parts.as_slice() {
            [one] => *one,
            _ => {
                let total = widths.iter().sum();
                let (op, v) = b.op(letter, Type::Word(total), OpKind::Concat(parts), &[]);
                ops.push(op);
                v
            }
        });
    }
    let (op, result) = b.op("r", Type::Word(width), make(&words), &[]);
    ops.push(op);
    let mut returned = vec![Operand::Value(result)];
    if outputs.len() > 1 {
        returned.clear();
        for (k, &w) in outputs.iter().enumerate() {
            let kind = OpKind::Extract(Operand::Value(result), k as u8 * machine);
            let (op, v): (Op, ValueId) = b.op(&format!("r{k}"), Type::Word(w), kind, &[]);
            ops.push(op);
            returned.push(Operand::Value(v));
        }
    }
    let body = Block { params: Vec::new(), ops, outputs: returned };
    let results = outputs.iter().map(|&w| Type::Word(w)).collect();
    let mut made = Function { name: name.to_owned(), params, results, values: Vec::new(), body };
    b.finish(&mut made);
    made
}
