//! Random combinational functions that hold every operation of hardware, words of odd widths among them.

use program::generate::{generate, Random};
use program::ir::{
    Address, Affine, Binary, BoxId, Compare, Function, MatrixId, OpKind, Operand, Program, Shift, TableId, ValueId,
};
use rtl::logic::{bits_for, Logic};

const WIDTHS: [u8; 12] = [1, 2, 3, 5, 8, 13, 16, 24, 32, 33, 63, 64];

/// A program with tables, matrices and boxes from the seed, and `count` functions; later ones call earlier ones.
pub fn functions(seed: u64, count: usize, size: usize) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program { functions: Vec::new(), ..generate(seed, 1) };
    for n in 0..count {
        let function = Writer::new(&program, &mut random, &format!("f{n}")).function(size);
        program.functions.push(function);
    }
    program
}

struct Writer<'a> {
    program: &'a Program,
    random: &'a mut Random,
    logic: Logic,
    words: Vec<(ValueId, u8)>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, random: &'a mut Random, name: &str) -> Self {
        let mut logic = Logic::new(name);
        let mut words = Vec::new();
        for name in ["a", "A", "in", "b", "reset", "b.1"] {
            let width = random.pick(&WIDTHS);
            if let Operand::Value(v) = logic.param(name, width) {
                words.push((v, width));
            }
        }
        Writer { program, random, logic, words }
    }

    fn function(mut self, size: usize) -> Function {
        for _ in 0..size {
            self.operation();
        }
        let mut results: Vec<(Operand, u8)> = Vec::new();
        for _ in 0..5 {
            let (v, width) = self.random.pick(&self.words);
            results.push((Operand::Value(v), width));
        }
        results.push((Operand::Const(5), 3));
        self.logic.finish(&results)
    }

    /// A word of a width: one that is there, a part or an extension of one, or a number.
    fn word(&mut self, width: u8) -> Operand {
        let fitting: Vec<ValueId> = self.words.iter().filter(|w| w.1 == width).map(|w| w.0).collect();
        if !fitting.is_empty() && self.random.chance(70) {
            return Operand::Value(self.random.pick(&fitting));
        }
        if self.random.chance(20) {
            return Operand::Const(self.random.word(width));
        }
        let (v, have) = self.random.pick(&self.words);
        if have < width {
            return self.logic.op("", width, OpKind::Zext(v));
        }
        let low = self.random.below(usize::from(have - width) + 1) as u8;
        self.logic.op("", width, OpKind::Extract(Operand::Value(v), low))
    }

    fn value(&mut self, width: u8) -> ValueId {
        let word = self.word(width);
        self.logic.value(word, width)
    }

    fn operation(&mut self) {
        let width = self.random.pick(&WIDTHS);
        let name = self.random.pick(&["", "", "", "t", "T", "signal", "a"]);
        let (a, b) = (self.word(width), self.word(width));
        let binary = [Binary::Add, Binary::Sub, Binary::Mul, Binary::And, Binary::Or, Binary::Xor];
        let kind = match self.random.below(14) {
            0..=3 => OpKind::Binary(self.random.pick(&binary), a, b),
            4 => OpKind::Not(a),
            5 => {
                let amount = Operand::Const(self.random.below(width.into()) as u64);
                OpKind::Shift(self.random.pick(&[Shift::Shl, Shift::Shr, Shift::Rotl, Shift::Rotr]), a, amount)
            }
            6 => {
                let bits = self.random.pick(&WIDTHS);
                let amount = self.value(bits);
                let which = self.random.pick(&[Shift::Shl, Shift::Shr, Shift::Rotl, Shift::Rotr]);
                OpKind::Shift(which, a, Operand::Value(amount))
            }
            7 => return self.concat(name),
            8 => {
                let which = self.random.pick(&[Compare::Eq, Compare::Ne, Compare::Ltu]);
                let a = Operand::Value(self.logic.value(a, width));
                return self.keep(name, 1, OpKind::Compare(which, a, b));
            }
            9 => OpKind::Select(self.word(1), a, b),
            10 => return self.lookup(name),
            11 => return self.linear(),
            12 => return self.bitsliced(width),
            _ => return self.call(),
        };
        self.keep(name, width, kind);
    }

    fn keep(&mut self, name: &str, width: u8, kind: OpKind) {
        if let Operand::Value(v) = self.logic.op(name, width, kind) {
            self.words.push((v, width));
        }
    }

    fn concat(&mut self, name: &str) {
        let (first, second) = (self.random.pick(&WIDTHS[..9]), self.random.pick(&WIDTHS[..8]));
        let parts = vec![self.value(first), self.value(second)];
        if first + second <= 64 {
            self.keep(name, first + second, OpKind::Concat(parts));
        }
    }

    fn lookup(&mut self, name: &str) {
        let number = self.random.below(self.program.tables.len());
        let table = &self.program.tables[number];
        let length = table.data.len();
        let ring = !length.is_power_of_two() || self.random.chance(50);
        let bits = if ring { self.random.pick(&[1, 3, 8, 16]) } else { bits_for(length) };
        let constant = if ring { self.random.from_to(-40, 300) } else { 0 };
        if !ring && length == 1 {
            return;
        }
        let affine = Affine { terms: vec![(1, self.value(bits))], constant };
        self.keep(name, table.width, OpKind::Lookup(TableId(number as u32), Address { affine, ring }));
    }

    fn results(&mut self, widths: &[u8], kind: OpKind) {
        let named: Vec<(&str, u8)> = widths.iter().map(|&w| ("", w)).collect();
        let values = self.logic.ops(&named, kind);
        self.words.extend(values.into_iter().zip(widths.iter().copied()));
    }

    fn linear(&mut self) {
        let number = self.random.below(self.program.matrices.len());
        let matrix = &self.program.matrices[number];
        let list = (0..matrix.rows[0].len()).map(|_| self.word(matrix.degree())).collect();
        self.results(&vec![matrix.degree(); matrix.rows.len()], OpKind::Linear(MatrixId(number as u32), list));
    }

    fn bitsliced(&mut self, width: u8) {
        let number = self.random.below(self.program.boxes.len());
        let found = &self.program.boxes[number];
        let list = (0..found.inputs).map(|_| self.word(width)).collect();
        self.results(&vec![width; found.outputs.into()], OpKind::Bitsliced(BoxId(number as u32), list));
    }

    fn call(&mut self) {
        if self.program.functions.is_empty() {
            return;
        }
        let callee = self.random.pick(&self.program.functions);
        let width = |ty: &program::ir::Type| rtl::logic::width_of(ty);
        let arguments: Vec<Operand> =
            callee.params.iter().map(|p| self.word(width(&callee.values[p.0 as usize].ty))).collect();
        let widths: Vec<u8> = callee.results.iter().map(width).collect();
        self.results(&widths, OpKind::Call(callee.name, arguments));
    }
}
