//! Words that are numbers before the device runs, and words that were computed before.

use program::ir::{Affine, Function, MatrixId, Op, OpKind, Operand, Type, ValueId};
use program::semantics::{binary, compare, field_multiply, mask, shift};
use program::walk::{slots_mut, uses, Slot};

use super::execute::{Executor, Thing, Values};

impl Executor<'_> {
    /// The number of an operand, if it is one.
    pub(super) fn number(&self, operand: Operand, values: &Values) -> Option<u64> {
        match operand {
            Operand::Const(number) => Some(number),
            Operand::Value(value) => match &values[&value] {
                Thing::Index(number) => Some(*number as u64),
                Thing::Word(symbol) => self.symbols[*symbol].known,
                Thing::Array(_) => None,
            },
        }
    }

    /// The number of a sum of indices and words, if all of them are numbers.
    pub(super) fn sum(&self, affine: &Affine, values: &Values) -> Option<i64> {
        affine.terms.iter().try_fold(affine.constant, |sum, &(coefficient, value)| {
            Some(sum + coefficient * self.number(Operand::Value(value), values)? as i64)
        })
    }

    /// What an operation computes, where all its operands are numbers.
    pub(super) fn computed(&self, function: &Function, op: &Op, values: &Values) -> Option<u64> {
        let [result] = op.results[..] else { return None };
        let Type::Word(width) = function.values[result.0 as usize].ty else { return None };
        let width_of = |value: &ValueId| function.values[value.0 as usize].ty.width();
        let of = |operand: &Operand| self.number(*operand, values);
        let number = match &op.kind {
            OpKind::Binary(which, a, b) => binary(*which, of(a)?, of(b)?, width),
            OpKind::Not(a) => !of(a)?,
            OpKind::Shift(which, a, amount) => shift(*which, of(a)?, of(amount)?, width),
            OpKind::Extract(a, low) => of(a)? >> low,
            OpKind::Zext(a) => of(&Operand::Value(*a))?,
            OpKind::Select(condition, a, b) => of(if of(condition)? == 1 { a } else { b })?,
            OpKind::Concat(parts) => {
                let joined = parts.iter().try_fold((0, 0), |(number, at), part| {
                    Some((number | of(&Operand::Value(*part))? << at, at + u32::from(width_of(part))))
                });
                joined?.0
            }
            OpKind::Compare(which, a, b) => compare(*which, of(a)?, of(b)?),
            OpKind::Lookup(table, address) => {
                let data = &self.program.tables[table.0 as usize].data;
                let at = self.sum(&address.affine, values)?;
                let at = if address.ring { at.rem_euclid(data.len() as i64) } else { at };
                *data.get(usize::try_from(at).ok()?)?
            }
            _ => return None,
        };
        Some(number & mask(width))
    }

    /// What an operation of an iteration gives where all its operands are numbers in the current step and could not be constants of a
    /// body: iterations that differ in them alone have one body. A number that came through a register, as that of a counter of rounds, is computed.
    pub(super) fn numbers_of(&self, function: &Function, op: &Op, values: &Values) -> Option<Vec<u64>> {
        let here = |value: ValueId| match &values[&value] {
            Thing::Index(_) => true,
            Thing::Word(symbol) => matches!(self.current.local.get(symbol), Some(Operand::Const(_))),
            Thing::Array(_) => false,
        };
        let mut all = true;
        uses(&op.kind, &mut |value| all &= here(value));
        match &op.kind {
            _ if !all || !self.in_rounds => None,
            OpKind::Linear(matrix, operands) => self.products(*matrix, operands, values),
            OpKind::Shift(..) | OpKind::Compare(..) | OpKind::Select(..) => {
                self.computed(function, op, values).map(|number| vec![number])
            }
            _ => None,
        }
    }

    /// The products of a matrix and numbers, one per row.
    fn products(&self, matrix: MatrixId, operands: &[Operand], values: &Values) -> Option<Vec<u64>> {
        let matrix = &self.program.matrices[matrix.0 as usize];
        let numbers: Vec<u64> = operands.iter().map(|o| self.number(*o, values)).collect::<Option<_>>()?;
        let sum = |row: &Vec<u64>| {
            row.iter().zip(&numbers).fold(0, |sum, (c, n)| sum ^ field_multiply(matrix.polynomial, *c, *n))
        };
        Some(matrix.rows.iter().map(sum).collect())
    }

    /// An operation by the words that it works on: equal ones compute equal words. Words that are equal numbers are one word.
    pub(super) fn described(&mut self, function: &Function, op: &Op, values: &Values) -> String {
        let mut kind = op.kind.clone();
        slots_mut(&mut kind, &mut |slot| match slot {
            Slot::Operand(operand) => match (self.number(*operand, values), &*operand) {
                (Some(number), _) => *operand = Operand::Const(number),
                (None, Operand::Value(value)) => *operand = Operand::Value(self.canonical(*value, values)),
                (None, Operand::Const(_)) => {}
            },
            Slot::Value(value) => *value = self.canonical(*value, values),
            Slot::Affine(affine) => match self.sum(affine, values) {
                Some(sum) => *affine = Affine { terms: Vec::new(), constant: sum },
                None => affine.terms.iter_mut().for_each(|term| term.1 = self.canonical(term.1, values)),
            },
        });
        let widths: Vec<u8> = op.results.iter().map(|r| function.values[r.0 as usize].ty.width()).collect();
        format!("{kind:?} {widths:?}")
    }

    /// A value as the number of its word; words that are equal numbers of one width have one.
    fn canonical(&mut self, value: ValueId, values: &Values) -> ValueId {
        let Thing::Word(symbol) = values[&value] else { return value };
        let found = &self.symbols[symbol];
        let first = found.known.map_or(symbol, |number| *self.numbers.entry((number, found.width)).or_insert(symbol));
        ValueId(first as u32)
    }
}
