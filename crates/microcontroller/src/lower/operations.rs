//! Operations of a function, one after the other.

use std::collections::HashMap;

use program::ir::{Address, Binary, Op, OpKind, Operand, Shift, Type, ValueId};
use program::Diagnostic;

use super::loops::PAGE;
use super::rotations::{self, Onward};
use super::Lowering;
use crate::code::{Origin, Source};
use crate::matrix::{self, Step};
use crate::select::{Bytes, SelectResult};

impl Lowering<'_> {
    /// Selects instructions for operations, in order; a rotation that others go on from comes before them.
    pub(super) fn block(&mut self, ops: &[Op]) -> SelectResult<()> {
        let values = &self.function.values;
        let bits_of = |v: ValueId| match values[v.0 as usize].ty {
            Type::Word(bits) => bits.into(),
            _ => 0,
        };
        let selector = &mut self.selector;
        let onward = rotations::onward(ops, bits_of, |bytes, left| selector.cycles_of_rotation(bytes, left))?;
        for (k, op) in ops.iter().enumerate() {
            self.selector.origin = Origin::of(&op.places);
            let made = if onward.is_empty() { self.operation(op) } else { self.rotated_or_made(ops, k, &onward) };
            made.map_err(|error| if error.places.is_empty() { error.at(self.program, &op.places) } else { error })?;
        }
        Ok(())
    }

    /// Selects instructions for an operation where some rotations go on from others, which may be made already.
    fn rotated_or_made(&mut self, ops: &[Op], k: usize, onward: &HashMap<usize, Onward>) -> SelectResult<()> {
        let results = &ops[k].results;
        let is_reached = onward.values().any(|one| one.from == k);
        if is_reached && self.values.contains_key(&results[0]) {
            return Ok(());
        }
        let Some(one) = onward.get(&k) else { return self.operation(&ops[k]) };
        self.selector.origin = Origin::of(&ops[one.from].places);
        self.rotated_or_made(ops, one.from, onward)?;
        self.selector.origin = Origin::of(&ops[k].places);
        let from = ops[one.from].results.iter().map(|v| self.values[v]).collect();
        let made = self.selector.rotated(from, one.by)?;
        self.values.extend(results.iter().copied().zip(made));
        Ok(())
    }

    fn operation(&mut self, op: &Op) -> SelectResult<()> {
        let made = match &op.kind {
            OpKind::Const(n) => Source::Number(*n as i32),
            OpKind::Binary(kind, a, b) => self.binary(*kind, *a, *b, self.word_bits(op.results[0]))?,
            OpKind::Not(a) => {
                let ones = Source::Number((1 << self.word_bits(op.results[0])) - 1);
                self.selector.binary(Binary::Xor, self.source(*a), ones)?
            }
            OpKind::Shift(kind, a, by) => self.shift(op, *kind, *a, *by)?,
            OpKind::Extract(a, position) if self.joined.contains(&op.results[0]) => {
                self.bits.insert(op.results[0], (self.source(*a), u32::from(*position)));
                return Ok(());
            }
            OpKind::Extract(a, position) => {
                let (a, of) = (self.source(*a), self.width(*a));
                self.selector.field(a, u32::from(*position), self.word_bits(op.results[0]), of)?
            }
            OpKind::Zext(v) => self.values[v],
            OpKind::Concat(values) => match self.concat(op.results[0], values)? {
                Some(made) => made,
                None => return Ok(()),
            },
            OpKind::Compare(kind, a, b) => {
                let (a, b) = (self.source(*a), self.source(*b));
                self.selector.compared(*kind, &[a], &[b])?
            }
            OpKind::Select(c, a, b) => {
                let (c, a, b) = (self.source(*c), self.source(*a), self.source(*b));
                self.selector.chosen(c, a, b)?
            }
            OpKind::Lookup(table, address) => self.look_up(table.0, address)?,
            OpKind::Word(sum) => self.counted(sum)?,
            OpKind::Call(name, operands) => {
                let operands: Bytes = operands.iter().map(|o| self.source(*o)).collect();
                let made = self.selector.wide(name, &operands)?;
                self.values.extend(op.results.iter().copied().zip(made));
                return Ok(());
            }
            OpKind::Linear(which, operands) => return self.linear(which.0, operands, &op.results),
            OpKind::Array(_) | OpKind::Load(..) | OpKind::Store(..) => return self.memory(op),
            OpKind::Loop(l) => return self.repeated(op, l),
            OpKind::IndexDiv(sum, _) if self.word_bits(op.results[0]) > 0 => self.counted_wide(sum)?[1],
            OpKind::IndexMod(..) if self.values.contains_key(&op.results[0]) => return Ok(()),
            kind @ (OpKind::IndexDiv(..) | OpKind::IndexMod(..) | OpKind::Bitsliced(..)) => {
                let refused = Diagnostic::new("E106", format!("no instructions are known for `{}`", kind.mnemonic()));
                return Err(match kind {
                    OpKind::Bitsliced(..) => refused,
                    _ => refused.help("`--unrolled` makes rounds without loops, whose indices are numbers"),
                });
            }
        };
        self.values.insert(op.results[0], made);
        Ok(())
    }

    fn binary(&mut self, kind: Binary, a: Operand, b: Operand, bits: u32) -> SelectResult<Source> {
        let (a, b) = (self.source(a), self.source(b));
        let made = match kind {
            Binary::Mul => self.selector.multiplied(a, b)?,
            kind => self.selector.binary(kind, a, b)?,
        };
        match kind {
            Binary::Add | Binary::Sub | Binary::Mul => self.selector.masked(made, bits),
            Binary::And | Binary::Or | Binary::Xor => Ok(made),
        }
    }

    fn shift(&mut self, op: &Op, kind: Shift, a: Operand, by: Operand) -> SelectResult<Source> {
        let (a, bits) = (self.source(a), self.word_bits(op.results[0]));
        let by = match by {
            Operand::Value(v) => self.bytes(v),
            number @ Operand::Const(_) => vec![self.source(number)],
        };
        let made = self
            .selector
            .shifted_by(kind, vec![a], &by, bits, |selector, x, n| Ok(vec![selector.shifted(kind, x[0], n, bits)?]))?;
        let refused = || {
            let what =
                format!("`{}` of {bits} bits by an amount that is not known is not made yet", op.kind.mnemonic());
            Diagnostic::new("E107", what).help("words of 8, 16, 32 or 64 bits are rotated by any amount")
        };
        made.map(|made| made[0]).ok_or_else(refused)
    }

    /// A word that fits a byte; of a longer one the bytes are kept.
    fn concat(&mut self, result: ValueId, values: &[ValueId]) -> SelectResult<Option<Source>> {
        let mut bytes = vec![Source::Number(0); self.word_bits(result).div_ceil(8) as usize];
        let mut at = 0;
        for v in values {
            if let Some(&(from, bit)) = self.bits.get(v) {
                let byte = &mut bytes[at as usize / 8];
                *byte = self.selector.bit(*byte, at % 8, from, bit)?;
                at += 1;
                continue;
            }
            let mut left = self.word_bits(*v);
            for part in self.bytes(*v) {
                let (byte, bits) = (at as usize / 8, at % 8);
                let moved = self.selector.shifted(Shift::Shl, part, bits, 8)?;
                bytes[byte] = self.selector.binary(Binary::Or, bytes[byte], moved)?;
                if bits + left.min(8) > 8 {
                    bytes[byte + 1] = self.selector.shifted(Shift::Shr, part, 8 - bits, 8)?;
                }
                (at, left) = (at + left.min(8), left.saturating_sub(8));
            }
        }
        if bytes.len() == 1 {
            return Ok(Some(bytes[0]));
        }
        self.wholes.insert(result, bytes);
        Ok(None)
    }

    fn linear(&mut self, which: u32, operands: &[Operand], results: &[ValueId]) -> SelectResult<()> {
        let matrix = &self.program.matrices[which as usize];
        let polynomial = matrix.polynomial;
        let weights = &self.selector.templates().weights;
        let plan = self.plans.entry(which).or_insert_with(|| matrix::best(polynomial, &matrix.rows, weights)).clone();
        let mut values: Bytes = operands.iter().map(|o| self.source(*o)).collect();
        for step in plan.steps {
            let of = |n: i32| values[n as usize];
            let product = |factor, x| Source::Number(matrix::product(factor, x as u64, polynomial) as i32);
            let made = match step {
                Step::Xor(a, b) => self.selector.binary(Binary::Xor, of(a), of(b))?,
                Step::Double(a) => match of(a) {
                    Source::Number(x) => product(2, x),
                    x => self.selector.doubled(x, polynomial)?,
                },
                Step::Halve(a) => match of(a) {
                    Source::Number(x) => product(matrix::half(polynomial), x),
                    x => self.selector.halved(x, polynomial)?,
                },
            };
            values.push(made);
        }
        let of = |at: &i32| if *at < 0 { Source::Number(0) } else { values[*at as usize] };
        self.values.extend(results.iter().copied().zip(plan.results.iter().map(of)));
        Ok(())
    }

    fn look_up(&mut self, table: u32, address: &Address) -> SelectResult<Source> {
        let table = &self.program.tables[table as usize];
        self.selector.table(&table.name, || table.data.iter().map(|x| *x as u8).collect());
        let sum = &address.affine;
        let word = sum.terms.iter().map(|(_, v)| *v).find(|v| self.word_bits(*v) > 0);
        let at = match word {
            None if table.data.len() > PAGE => self.counted_wide(sum)?,
            None => vec![self.counted(sum)?],
            Some(word) if sum.terms.len() == 1 && sum.constant == 0 => self.bytes(word),
            Some(_) => {
                let what = "a look-up whose address is a sum is not made yet";
                return Err(Diagnostic::new("E108", what).help("add in a word first, and look up at that"));
            }
        };
        self.selector.looked_up(&table.name, &at, table.data.len())
    }

    fn memory(&mut self, op: &Op) -> SelectResult<()> {
        match &op.kind {
            OpKind::Array(operands) => {
                let object = self.object(op.results[0]);
                for (n, o) in operands.iter().enumerate() {
                    self.access(true, &object, &[], n as i64, self.source(*o))?;
                }
            }
            OpKind::Load(array, addresses) => {
                for (n, result) in op.results.iter().enumerate() {
                    let d = Source::Value(self.selector.fresh());
                    self.element(false, *array, addresses, n as i64, d)?;
                    self.values.insert(*result, d);
                }
            }
            OpKind::Store(array, addresses, words) => {
                let values: Bytes = words.iter().map(|o| self.source(*o)).collect();
                if self.in_window(&op.kind) {
                    return self.window_stored(*array, addresses, &values);
                }
                for (n, value) in values.into_iter().enumerate() {
                    self.element(true, *array, addresses, n as i64, value)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The extents of an array.
    pub(super) fn extents(&self, array: ValueId) -> &[u32] {
        match &self.function.values[array.0 as usize].ty {
            Type::Array(array) => &array.dims,
            _ => &[],
        }
    }
}
