//! From operations to instructions.

use super::code::{Cell, Instruction, Slot, Sum};
use super::compile::FunctionCompiler;
use crate::ir::{Address, Affine, Binary, Op, OpKind, Operand, Shift, Type, ValueId};

impl FunctionCompiler<'_, '_> {
    /// An operation other than a loop or a store.
    pub(super) fn operation(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Load(array, addresses) => self.load(op, *array, addresses),
            OpKind::Array(list) => self.array(op.results[0], list),
            OpKind::Call(name, list) => self.call(op, name, list),
            OpKind::Linear(id, list) => {
                let list = self.operand_list(list);
                let to = self.results(op);
                self.emit(Instruction::Linear { matrix: id.0, to, list });
            }
            OpKind::Bitsliced(id, list) => {
                let (list, width) = (self.operand_list(list), self.width(op.results[0]));
                let to = self.results(op);
                self.emit(Instruction::Bitsliced { sbox: id.0, width, to, list });
            }
            OpKind::Lookup(id, address) => {
                let (base, length) =
                    (self.all.tables[id.0 as usize], self.all.program.tables[id.0 as usize].data.len());
                let cell = self.cell(base, &[length as u32], std::slice::from_ref(address));
                let to = self.results(op);
                self.emit(Instruction::Fetch { to, cell });
            }
            OpKind::Word(affine) | OpKind::IndexDiv(affine, _) | OpKind::IndexMod(affine, _) => self.index(op, affine),
            _ => self.word_operation(op),
        }
    }

    fn word_operation(&mut self, op: &Op) {
        let width = self.width(op.results[0]);
        let instruction = match &op.kind {
            OpKind::Const(n) => {
                let from = self.operand(Operand::Const(*n));
                Instruction::Move { to: 0, from }
            }
            OpKind::Zext(v) => Instruction::Move { to: 0, from: self.slot(*v) },
            OpKind::Binary(which, a, b) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                binary(*which, width, a, b)
            }
            OpKind::Not(a) => Instruction::Not { width, to: 0, a: self.operand(*a) },
            OpKind::Shift(which, a, amount) => {
                let (a, amount) = (self.operand(*a), self.operand(*amount));
                match which {
                    Shift::Shl | Shift::Shr => Instruction::Shift { which: *which, width, to: 0, a, amount },
                    _ => Instruction::Rotate { left: *which == Shift::Rotl, width, to: 0, a, amount },
                }
            }
            OpKind::Extract(a, position) => {
                Instruction::Extract { position: *position, width, to: 0, a: self.operand(*a) }
            }
            OpKind::Concat(values) => self.concat(values),
            OpKind::Compare(which, a, b) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                Instruction::Compare { which: *which, to: 0, a, b }
            }
            OpKind::Select(c, a, b) => {
                let (condition, a, b) = (self.operand(*c), self.operand(*a), self.operand(*b));
                Instruction::Select { to: 0, condition, a, b }
            }
            _ => unreachable!("`{}` has its own function", op.kind.mnemonic()),
        };
        let to = self.results(op);
        self.emit(with_target(instruction, to));
    }

    fn width(&self, v: ValueId) -> u8 {
        match &self.function.values[v.0 as usize].ty {
            Type::Word(width) => *width,
            Type::Array(array) => array.width,
            Type::Index => 64,
        }
    }

    /// Places for all results, one after the other; gives the first.
    fn results(&mut self, op: &Op) -> Slot {
        let places: Vec<Slot> = op.results.iter().map(|&r| self.place(r)).collect();
        places[0]
    }

    fn concat(&mut self, values: &[ValueId]) -> Instruction {
        let mut entries = Vec::new();
        let mut position = 0;
        for &v in values {
            entries.extend([self.slot(v), position]);
            position += u32::from(self.width(v));
        }
        Instruction::Concat { to: 0, list: self.list(entries) }
    }

    fn terms(&self, affine: &Affine, factor: i64) -> Vec<(i64, Slot)> {
        affine.terms.iter().map(|&(c, v)| (c.wrapping_mul(factor), self.slot(v))).collect()
    }

    fn index(&mut self, op: &Op, affine: &Affine) {
        let terms = self.terms(affine, 1);
        let to = self.results(op);
        self.sum(to, Sum { terms, constant: affine.constant });
        match op.kind {
            OpKind::IndexDiv(_, divisor) => self.emit(Instruction::Divide { to, divisor }),
            OpKind::IndexMod(_, divisor) => self.emit(Instruction::Remainder { to, divisor }),
            _ => {}
        }
    }

    /// Where an element, or the first element of a row, stands.
    fn cell(&mut self, base: Slot, dims: &[u32], addresses: &[Address]) -> Cell {
        let mut sum = Sum { terms: Vec::new(), constant: i64::from(base) };
        for (n, (address, &extent)) in addresses.iter().zip(dims).enumerate() {
            let stride: i64 = dims[n + 1..].iter().map(|&d| i64::from(d)).product();
            if address.ring {
                let to = self.all.memory.allocate(1);
                let terms = self.terms(&address.affine, 1);
                self.sum(to, Sum { terms, constant: address.affine.constant });
                self.emit(Instruction::Ring { to, extent });
                sum.terms.push((stride, to));
            } else {
                sum.terms.extend(self.terms(&address.affine, stride));
                sum.constant = sum.constant.wrapping_add(stride.wrapping_mul(address.affine.constant));
            }
        }
        self.cell_of(sum)
    }

    fn cell_of(&mut self, sum: Sum) -> Cell {
        let small = |n: i64| i32::try_from(n).ok();
        match (&sum.terms[..], small(sum.constant)) {
            ([], Some(base)) => return Cell { base, coefficient: 0, index: 0 },
            (&[(coefficient, index)], Some(base)) => {
                if let Some(coefficient) = small(coefficient) {
                    return Cell { base, coefficient, index };
                }
            }
            _ => {}
        }
        let index = self.all.memory.allocate(1);
        self.sum(index, sum);
        Cell { base: 0, coefficient: 1, index }
    }

    fn array_cell(&mut self, array: ValueId, slot: Slot, addresses: &[Address]) -> Cell {
        match &self.function.values[array.0 as usize].ty {
            Type::Array(ty) => self.cell(slot, &ty.dims, addresses),
            _ => unreachable!("only arrays are loaded and stored"),
        }
    }

    fn load(&mut self, op: &Op, array: ValueId, addresses: &[Address]) {
        let cell = self.array_cell(array, self.slot(array), addresses);
        let to = self.results(op);
        self.emit(match op.results.len() {
            1 => Instruction::Load { to, cell },
            count => Instruction::LoadRow { to, cell, count: count as u32 },
        });
    }

    /// A store; `in_place` if nothing needs the old array any more.
    pub(super) fn store(
        &mut self,
        result: ValueId,
        array: ValueId,
        addresses: &[Address],
        words: &[Operand],
        in_place: bool,
    ) {
        let old = self.slot(array);
        if in_place {
            self.place_at(result, old);
        } else {
            let new = self.place(result);
            self.move_one(new, old, self.elements(array));
        }
        let cell = self.array_cell(array, self.slot(result), addresses);
        self.store_words(cell, words);
    }

    fn store_words(&mut self, cell: Cell, words: &[Operand]) {
        if let [word] = words {
            let from = self.operand(*word);
            return self.emit(Instruction::Store { cell, from });
        }
        let list = self.operand_list(words);
        self.emit(Instruction::StoreRow { cell, list });
    }

    fn array(&mut self, result: ValueId, list: &[Operand]) {
        let to = self.place(result);
        let count = self.elements(result).unwrap_or(0) as u32;
        if list.is_empty() {
            return self.emit(Instruction::Forget { to, count });
        }
        let cell = self.cell_of(Sum { terms: Vec::new(), constant: to.into() });
        self.store_words(cell, list);
    }

    fn call(&mut self, op: &Op, name: &str, list: &[Operand]) {
        let callee = self.all.functions.iter().position(|f| f.name == name);
        let function = callee.expect("the verifier has found the function") as u32;
        let elements = |dims: &[u32]| (!dims.is_empty()).then(|| dims.iter().map(|&d| d as usize).product());
        let params = self.all.functions[function as usize].params.clone();
        for (&argument, param) in list.iter().zip(&params) {
            let from = self.operand(argument);
            self.move_one(param.slot, from, elements(&param.dims));
        }
        self.emit(Instruction::Call { function });
        let results = self.all.functions[function as usize].results.clone();
        for (&result, from) in op.results.iter().zip(&results) {
            let to = self.place(result);
            self.move_one(to, from.slot, elements(&from.dims));
        }
    }
}

fn binary(which: Binary, width: u8, a: Slot, b: Slot) -> Instruction {
    match which {
        Binary::Add => Instruction::Add { width, to: 0, a, b },
        Binary::Sub => Instruction::Sub { width, to: 0, a, b },
        Binary::Mul => Instruction::Mul { width, to: 0, a, b },
        Binary::And => Instruction::And { to: 0, a, b },
        Binary::Or => Instruction::Or { to: 0, a, b },
        Binary::Xor => Instruction::Xor { to: 0, a, b },
    }
}

/// The instruction with its result's place.
fn with_target(instruction: Instruction, target: Slot) -> Instruction {
    let mut instruction = instruction;
    match &mut instruction {
        Instruction::Move { to, .. }
        | Instruction::Add { to, .. }
        | Instruction::Sub { to, .. }
        | Instruction::Mul { to, .. }
        | Instruction::And { to, .. }
        | Instruction::Or { to, .. }
        | Instruction::Xor { to, .. }
        | Instruction::Not { to, .. }
        | Instruction::Shift { to, .. }
        | Instruction::Rotate { to, .. }
        | Instruction::Extract { to, .. }
        | Instruction::Concat { to, .. }
        | Instruction::Compare { to, .. }
        | Instruction::Select { to, .. } => *to = target,
        _ => {}
    }
    instruction
}
