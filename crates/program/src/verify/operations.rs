//! Operands, results and types of each operation.

use super::checker::{CheckResult, Checker};
use super::constants::fits;
use crate::ir::{ArrayType, Matrix, Op, OpKind, Operand, SBox, Type, ValueId};

impl Matrix {
    /// Degree of the polynomial: the width of the words that the matrix multiplies.
    #[must_use]
    pub fn degree(&self) -> u8 {
        63u8.saturating_sub(self.polynomial.leading_zeros() as u8)
    }
}

impl<'a> Checker<'a> {
    /// Invariants 8 to 16 for an operation other than a loop.
    pub(super) fn operation(&mut self, op: &'a Op) -> CheckResult {
        self.operation_types(op).map_err(|d| self.located(d, op))?;
        if matches!(op.kind, OpKind::IndexDiv(..) | OpKind::IndexMod(..)) {
            self.indices.add_index(&op.kind, op.results[0]);
        }
        Ok(())
    }

    fn operation_types(&self, op: &Op) -> CheckResult {
        match &op.kind {
            OpKind::Linear(id, list) => self.linear(op, &self.program.matrices[id.0 as usize], list),
            OpKind::Bitsliced(id, list) => self.bitsliced(op, &self.program.boxes[id.0 as usize], list),
            OpKind::Load(array, addresses) => self.load(op, *array, addresses),
            OpKind::Store(array, addresses, words) => self.store(op, *array, addresses, words),
            OpKind::Array(list) => self.array(op, list),
            OpKind::Call(name, list) => self.call(op, name, list),
            OpKind::IndexDiv(affine, divisor) | OpKind::IndexMod(affine, divisor) => {
                self.results(op, 1)?;
                self.result_type(op, 0, &Type::Index)?;
                self.divisor(op, *divisor)?;
                self.index_sum(op, affine).map(|_| ())
            }
            _ => {
                self.results(op, 1)?;
                let width = self.word_result(op)?;
                self.word_operation(op, width)
            }
        }
    }

    /// Operations with one word as the result.
    fn word_operation(&self, op: &Op, width: u8) -> CheckResult {
        match &op.kind {
            OpKind::Const(n) => self.number(op, *n, width),
            OpKind::Binary(_, a, b) => self.words(op, &[*a, *b], width),
            OpKind::Not(a) => self.words(op, &[*a], width),
            OpKind::Shift(_, a, amount) => self.shift(op, *a, *amount, width),
            OpKind::Extract(a, position) => self.extract(op, *a, *position, width),
            OpKind::Concat(values) => self.concat(op, values, width),
            OpKind::Zext(v) => self.zext(op, *v, width),
            OpKind::Compare(_, a, b) => {
                self.result_type(op, 0, &Type::Word(1))?;
                let known = self.operand_width(op, *a)?.or(self.operand_width(op, *b)?);
                self.words(op, &[*a, *b], known.unwrap_or(64))
            }
            OpKind::Select(condition, a, b) => {
                self.words(op, &[*condition], 1)?;
                self.words(op, &[*a, *b], width)
            }
            OpKind::Lookup(id, address) => {
                let table = &self.program.tables[id.0 as usize];
                self.result_type(op, 0, &Type::Word(table.width))?;
                self.address(op, address, table.data.len() as u64, &format!("table `{}`", table.name))
            }
            OpKind::Word(affine) => self.word_of(op, affine, width),
            _ => Ok(()),
        }
    }

    /// Invariant 8: the number of results.
    pub(super) fn results(&self, op: &Op, count: usize) -> CheckResult {
        if op.results.len() == count {
            return Ok(());
        }
        let message = format!("`{}` has {} results, not {count}", op.kind.mnemonic(), op.results.len());
        Err(self.error(op, "P108", message))
    }

    fn operand_count(&self, op: &Op, found: usize, count: usize) -> CheckResult {
        if found == count {
            return Ok(());
        }
        Err(self.error(op, "P108", format!("`{}` has {found} operands, not {count}", op.kind.mnemonic())))
    }

    fn word_result(&self, op: &Op) -> CheckResult<u8> {
        match self.ty(op.results[0]) {
            Type::Word(width) => Ok(*width),
            other => Err(self.wrong_type(op, &format!("the result of `{}`", op.kind.mnemonic()), "a word", other)),
        }
    }

    fn result_type(&self, op: &Op, n: usize, ty: &Type) -> CheckResult {
        let found = self.ty(op.results[n]);
        if found == ty {
            return Ok(());
        }
        Err(self.wrong_type(op, &format!("the result of `{}`", op.kind.mnemonic()), &ty.to_string(), found))
    }

    fn wrong_type(&self, op: &Op, what: &str, expected: &str, found: &Type) -> crate::Diagnostic {
        self.error(op, "P109", format!("{what} has the wrong type"))
            .note(format!("expected {expected}"))
            .note(format!("found {found}"))
    }

    /// Invariant 10.
    fn number(&self, op: &Op, n: u64, width: u8) -> CheckResult {
        if fits(n, width) {
            return Ok(());
        }
        let error = self.error(op, "P110", format!("the number {n} does not fit u{width}"));
        Err(error.note(format!("expected 0 to {}", u64::MAX >> (64 - width))))
    }

    /// Operands that are words of one width.
    fn words(&self, op: &Op, operands: &[Operand], width: u8) -> CheckResult {
        operands.iter().try_for_each(|&operand| match operand {
            Operand::Const(n) => self.number(op, n, width),
            Operand::Value(v) if *self.ty(v) == Type::Word(width) => Ok(()),
            Operand::Value(v) => Err(self.wrong_type(
                op,
                &format!("operand {} of `{}`", self.name(v), op.kind.mnemonic()),
                &format!("u{width}"),
                self.ty(v),
            )),
        })
    }

    /// Width of a value that must be a word.
    fn width(&self, op: &Op, v: ValueId) -> CheckResult<u8> {
        match self.ty(v) {
            Type::Word(width) => Ok(*width),
            other => Err(self.wrong_type(
                op,
                &format!("operand {} of `{}`", self.name(v), op.kind.mnemonic()),
                "a word",
                other,
            )),
        }
    }

    fn operand_width(&self, op: &Op, operand: Operand) -> CheckResult<Option<u8>> {
        match operand {
            Operand::Value(v) => self.width(op, v).map(Some),
            Operand::Const(_) => Ok(None),
        }
    }

    fn shift(&self, op: &Op, a: Operand, amount: Operand, width: u8) -> CheckResult {
        self.words(op, &[a], width)?;
        match amount {
            Operand::Const(n) if n >= u64::from(width) => {
                let message = format!("`{}` of u{width} by {n}", op.kind.mnemonic());
                Err(self.error(op, "P111", message).note(format!("expected an amount of 0 to {}", width - 1)))
            }
            Operand::Const(_) => Ok(()),
            Operand::Value(v) => self.width(op, v).map(|_| ()),
        }
    }

    fn extract(&self, op: &Op, a: Operand, position: u8, width: u8) -> CheckResult {
        let source = self.operand_width(op, a)?.unwrap_or(64);
        if u32::from(position) + u32::from(width) <= u32::from(source) {
            return Ok(());
        }
        let message = format!("`extract` of {width} bits from bit {position} up leaves a word of {source} bits");
        Err(self.error(op, "P111", message))
    }

    fn concat(&self, op: &Op, values: &[ValueId], width: u8) -> CheckResult {
        let mut sum = 0u32;
        for &v in values {
            sum += u32::from(self.width(op, v)?);
        }
        if sum == u32::from(width) {
            return Ok(());
        }
        Err(self.error(op, "P109", format!("`concat` joins {sum} bits into a word of {width} bits")))
    }

    fn zext(&self, op: &Op, v: ValueId, width: u8) -> CheckResult {
        let source = self.width(op, v)?;
        if source < width {
            return Ok(());
        }
        Err(self.error(op, "P109", format!("`zext` from u{source} to u{width} is not wider")))
    }

    fn linear(&self, op: &Op, matrix: &Matrix, list: &[Operand]) -> CheckResult {
        self.operand_count(op, list.len(), matrix.rows[0].len())?;
        self.results(op, matrix.rows.len())?;
        self.words(op, list, matrix.degree())?;
        (0..op.results.len()).try_for_each(|n| self.result_type(op, n, &Type::Word(matrix.degree())))
    }

    fn bitsliced(&self, op: &Op, b: &SBox, list: &[Operand]) -> CheckResult {
        self.operand_count(op, list.len(), b.inputs.into())?;
        self.results(op, b.outputs.into())?;
        let width = self.word_result(op)?;
        self.words(op, list, width)?;
        (0..op.results.len()).try_for_each(|n| self.result_type(op, n, &Type::Word(width)))
    }

    fn array(&self, op: &Op, list: &[Operand]) -> CheckResult {
        self.results(op, 1)?;
        let ty = self.array_type(op, op.results[0])?;
        if list.is_empty() {
            return Ok(());
        }
        self.operand_count(op, list.len(), ty.len())?;
        self.words(op, list, ty.width)
    }

    /// Shape of a value that must be an array.
    fn array_type(&self, op: &Op, v: ValueId) -> CheckResult<&'a ArrayType> {
        match self.ty(v) {
            Type::Array(array) => Ok(array),
            other => Err(self.wrong_type(op, &self.name(v), "an array", other)),
        }
    }

    /// Words that an access moves: one element, or a row.
    fn moved(&self, op: &Op, array: ValueId, addresses: &[crate::ir::Address]) -> CheckResult<(&'a ArrayType, usize)> {
        let ty = self.array_type(op, array)?;
        let name = self.name(array);
        if addresses.is_empty() || addresses.len() > ty.dims.len() {
            let message = format!("{} addresses for the {} dimensions of {name}", addresses.len(), ty.dims.len());
            return Err(self.error(op, "P113", message));
        }
        for (address, &extent) in addresses.iter().zip(&ty.dims) {
            self.address(op, address, extent.into(), &name)?;
        }
        Ok((ty, ty.dims[addresses.len()..].iter().map(|&d| d as usize).product()))
    }

    fn load(&self, op: &Op, array: ValueId, addresses: &[crate::ir::Address]) -> CheckResult {
        let (ty, count) = self.moved(op, array, addresses)?;
        self.results(op, count)?;
        (0..count).try_for_each(|n| self.result_type(op, n, &Type::Word(ty.width)))
    }

    fn store(&self, op: &Op, array: ValueId, addresses: &[crate::ir::Address], words: &[Operand]) -> CheckResult {
        let (ty, count) = self.moved(op, array, addresses)?;
        self.operand_count(op, words.len(), count)?;
        self.words(op, words, ty.width)?;
        self.results(op, 1)?;
        self.result_type(op, 0, &Type::Array(ty.clone()))
    }

    /// Invariant 16.
    fn call(&self, op: &Op, name: &str, list: &[Operand]) -> CheckResult {
        let Some(callee) = self.earlier.iter().find(|f| f.name == name) else {
            let error = self.error(op, "P116", format!("the call of `{name}` finds no function before this one"));
            return Err(error.help("a function calls only functions that stand before it, never itself"));
        };
        let error = |message: String| self.error(op, "P116", message);
        if list.len() != callee.params.len() {
            return Err(error(format!("`{name}` takes {} arguments, not {}", callee.params.len(), list.len())));
        }
        if op.results.len() != callee.results.len() || op.results.is_empty() {
            return Err(error(format!("`{name}` gives {} results, not {}", callee.results.len(), op.results.len())));
        }
        for (n, (&argument, param)) in list.iter().zip(&callee.params).enumerate() {
            let ty = &callee.values[param.0 as usize].ty;
            self.matches(argument, ty)
                .map_err(|found| error(format!("argument {n} of `{name}` is {found}, not {ty}")))?;
        }
        for (n, (&result, ty)) in op.results.iter().zip(&callee.results).enumerate() {
            if self.ty(result) != ty {
                return Err(error(format!("result {n} of `{name}` is {ty}, not {}", self.ty(result))));
            }
        }
        Ok(())
    }
}
