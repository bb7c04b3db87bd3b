//! Random operations.

use super::function::FunctionGenerator;
use crate::ir::{ArrayType, BoxId, MatrixId, Op, OpKind, Operand, TableId, Type};
use crate::statistics::statistics;
use crate::text::words::{BINARY, COMPARE, SHIFT};

/// Most operations that one call may add to the run of its function.
const MOST_EXECUTED: u64 = 20_000;

impl FunctionGenerator<'_> {
    /// One operation of any kind, with the constants that it needs before it.
    pub(super) fn any_operation(&mut self, ops: &mut Vec<Op>) {
        match self.random.below(28) {
            0 => self.constant(ops),
            1..=6 => self.binary(ops),
            7 => self.not(ops),
            8..=9 => self.shift(ops),
            10 => self.extract(ops),
            11 => self.concat(ops),
            12 => self.zext(ops),
            13 => self.compare(ops),
            14 => self.select(ops),
            15 => self.lookup(ops),
            16..=17 => self.load(ops),
            18..=19 => self.store(ops),
            20 => self.array(ops),
            21 => self.linear(ops),
            22 => self.bitsliced(ops),
            23 => self.call(ops),
            24 => self.word(ops),
            25 => self.index(ops),
            26 => self.filled_array(ops),
            _ => self.any_loop(ops),
        }
    }

    fn constant(&mut self, ops: &mut Vec<Op>) {
        let width = self.width();
        let number = self.random.word(width);
        self.push(ops, OpKind::Const(number), vec![Type::Word(width)]);
    }

    fn binary(&mut self, ops: &mut Vec<Op>) {
        let width = self.width();
        let (which, a, b) = (self.random.pick(&BINARY).1, self.operand(width), self.operand(width));
        self.push(ops, OpKind::Binary(which, a, b), vec![Type::Word(width)]);
    }

    fn not(&mut self, ops: &mut Vec<Op>) {
        let width = self.width();
        let a = self.operand(width);
        self.push(ops, OpKind::Not(a), vec![Type::Word(width)]);
    }

    fn shift(&mut self, ops: &mut Vec<Op>) {
        let width = self.width();
        let (which, a) = (self.random.pick(&SHIFT).1, self.operand(width));
        let variable = if self.random.chance(40) { self.any(|ty| matches!(ty, Type::Word(_))) } else { None };
        let amount = match variable {
            Some(v) => Operand::Value(v),
            None => Operand::Const(self.random.below(width.into()) as u64),
        };
        self.push(ops, OpKind::Shift(which, a, amount), vec![Type::Word(width)]);
    }

    fn extract(&mut self, ops: &mut Vec<Op>) {
        let source = self.width();
        let width = 1 + self.random.below(source.into()) as u8;
        let position = self.random.below(usize::from(source - width) + 1) as u8;
        let a = Operand::Value(self.value(ops, source));
        self.push(ops, OpKind::Extract(a, position), vec![Type::Word(width)]);
    }

    fn concat(&mut self, ops: &mut Vec<Op>) {
        let part = self.random.pick(&[1, 3, 8, 8, 8, 16, 32]);
        let (mut values, mut sum) = (Vec::new(), 0);
        for _ in 0..1 + self.random.below(4) {
            if sum + part <= 64 {
                values.push(self.value(ops, part));
                sum += part;
            }
        }
        self.push(ops, OpKind::Concat(values), vec![Type::Word(sum)]);
    }

    fn zext(&mut self, ops: &mut Vec<Op>) {
        let source = self.width().min(63);
        let v = self.value(ops, source);
        let width = source + 1 + self.random.below(usize::from(64 - source)) as u8;
        self.push(ops, OpKind::Zext(v), vec![Type::Word(width)]);
    }

    fn compare(&mut self, ops: &mut Vec<Op>) {
        let width = self.width();
        let (which, a) = (self.random.pick(&COMPARE).1, Operand::Value(self.value(ops, width)));
        let b = self.operand(width);
        let (a, b) = if self.random.chance(20) { (b, a) } else { (a, b) };
        self.push(ops, OpKind::Compare(which, a, b), vec![Type::Word(1)]);
    }

    fn select(&mut self, ops: &mut Vec<Op>) {
        let width = self.width();
        let (condition, a, b) = (self.operand(1), self.operand(width), self.operand(width));
        self.push(ops, OpKind::Select(condition, a, b), vec![Type::Word(width)]);
    }

    fn lookup(&mut self, ops: &mut Vec<Op>) {
        let n = self.random.below(self.program.tables.len());
        let table = &self.program.tables[n];
        let address = self.address(ops, table.data.len() as u32);
        self.push(ops, OpKind::Lookup(TableId(n as u32), address), vec![Type::Word(table.width)]);
    }

    fn load(&mut self, ops: &mut Vec<Op>) {
        let Some(array) = self.any(|ty| matches!(ty, Type::Array(_))) else { return };
        let Type::Array(ArrayType { width, dims }) = self.builder.ty(array).clone() else { return };
        let row = self.random.chance(40);
        let addresses = self.addresses(ops, &dims, row);
        let count = dims[addresses.len()..].iter().product::<u32>() as usize;
        self.push(ops, OpKind::Load(array, addresses), vec![Type::Word(width); count]);
    }

    fn store(&mut self, ops: &mut Vec<Op>) {
        let Some(array) = self.any(|ty| matches!(ty, Type::Array(_))) else { return };
        let ty = self.builder.ty(array).clone();
        let Type::Array(ArrayType { width, dims }) = ty.clone() else { return };
        let row = self.random.chance(40);
        let addresses = self.addresses(ops, &dims, row);
        let count = dims[addresses.len()..].iter().product::<u32>() as usize;
        let words = self.operands(count, width);
        self.push(ops, OpKind::Store(array, addresses, words), vec![ty]);
    }

    fn array(&mut self, ops: &mut Vec<Op>) {
        let ty = self.array_type();
        let words = self.operands(ty.len(), ty.width);
        self.push(ops, OpKind::Array(words), vec![Type::Array(ty)]);
    }

    fn linear(&mut self, ops: &mut Vec<Op>) {
        let n = self.random.below(self.program.matrices.len());
        let matrix = &self.program.matrices[n];
        let words = self.operands(matrix.rows[0].len(), matrix.degree());
        let results = vec![Type::Word(matrix.degree()); matrix.rows.len()];
        self.push(ops, OpKind::Linear(MatrixId(n as u32), words), results);
    }

    fn bitsliced(&mut self, ops: &mut Vec<Op>) {
        let n = self.random.below(self.program.boxes.len());
        let (inputs, outputs) = (self.program.boxes[n].inputs, self.program.boxes[n].outputs);
        let width = self.width();
        let words = self.operands(inputs.into(), width);
        self.push(ops, OpKind::Bitsliced(BoxId(n as u32), words), vec![Type::Word(width); outputs.into()]);
    }

    fn call(&mut self, ops: &mut Vec<Op>) {
        if self.program.functions.is_empty() {
            return;
        }
        let callee = self.random.pick(&self.program.functions);
        let counts = statistics(self.program, &callee.name).unwrap_or_default();
        let executed: u64 = counts.values().map(|count| count.executed).sum();
        if executed * self.times > MOST_EXECUTED {
            return;
        }
        let mut arguments = Vec::new();
        for param in &callee.params {
            let ty = &callee.values[param.0 as usize].ty;
            arguments.push(self.argument(ops, ty));
        }
        self.push(ops, OpKind::Call(callee.name.clone(), arguments), callee.results);
    }

    /// Any operand of a type.
    pub(super) fn argument(&mut self, ops: &mut Vec<Op>, ty: &Type) -> Operand {
        match ty {
            Type::Word(width) => self.operand(*width),
            Type::Array(array) => {
                let known = self.of_type(ty);
                if !known.is_empty() {
                    return Operand::Value(self.random.pick(&known));
                }
                let words = self.operands(array.len(), array.width);
                Operand::Value(self.push(ops, OpKind::Array(words), vec![ty.clone()])[0])
            }
            Type::Index => Operand::Const(0),
        }
    }

    fn word(&mut self, ops: &mut Vec<Op>) {
        let mut affine = self.index_sum();
        let range = self.indices.range(&affine);
        affine.constant = -range.min as i64 + self.random.from_to(0, 20);
        let largest = (range.max - range.min) as u64 + 20;
        let fitting = self.width().max(64 - largest.leading_zeros() as u8);
        self.push(ops, OpKind::Word(affine), vec![Type::Word(fitting)]);
    }

    fn index(&mut self, ops: &mut Vec<Op>) {
        let mut affine = self.index_sum();
        affine.constant = self.random.from_to(-20, 20);
        let divisor = self.random.from_to(1, 9);
        let kind =
            if self.random.chance(50) { OpKind::IndexDiv(affine, divisor) } else { OpKind::IndexMod(affine, divisor) };
        let result = self.push(ops, kind.clone(), vec![Type::Index])[0];
        self.indices.add_index(&kind, result);
    }
}
