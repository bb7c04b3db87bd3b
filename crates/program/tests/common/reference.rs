//! A slow evaluator that walks the program's tree and copies every array; it shares nothing with the engine's.
//!
//! Words are computed on bit lists and on 128-bit numbers, fields by long division, boxes bit by bit.

use std::collections::HashMap;

use program::evaluate::Value;
use program::ir::{
    Address, Affine, Binary, Block, Compare, Function, Loop, OpKind, Operand, Program, Shift, Type, ValueId,
};

#[derive(Clone, Debug, PartialEq)]
enum ReferenceValue {
    Word(u64),
    Index(i128),
    Array(Vec<Option<u64>>),
}

/// The results of a function, or `None` where an unwritten cell is read or returned.
pub fn evaluate(program: &Program, function: &str, arguments: &[Value]) -> Option<Vec<Value>> {
    let arguments = arguments.iter().map(|a| match a {
        Value::Word(word) => ReferenceValue::Word(*word),
        Value::Array(words) => ReferenceValue::Array(words.iter().map(|&w| Some(w)).collect()),
    });
    let results = call(program, function, arguments.collect())?;
    let result = |known: ReferenceValue| match known {
        ReferenceValue::Array(cells) => cells.into_iter().collect::<Option<Vec<u64>>>().map(Value::Array),
        ReferenceValue::Word(word) => Some(Value::Word(word)),
        ReferenceValue::Index(_) => None,
    };
    results.into_iter().map(result).collect()
}

fn call(program: &Program, name: &str, arguments: Vec<ReferenceValue>) -> Option<Vec<ReferenceValue>> {
    let function = program.functions.iter().find(|f| f.name == name)?;
    let mut walk = Walk { program, function, values: HashMap::new() };
    walk.values.extend(function.params.iter().copied().zip(arguments));
    walk.block(&function.body)
}

struct Walk<'a> {
    program: &'a Program,
    function: &'a Function,
    values: HashMap<ValueId, ReferenceValue>,
}

/// The bits of a number, least significant first.
fn bits(n: u64, width: u8) -> Vec<bool> {
    (0..width).map(|k| (u128::from(n) / (1 << k)) % 2 == 1).collect()
}

fn number(bits: &[bool]) -> u64 {
    bits.iter().rev().fold(0u128, |n, &bit| 2 * n + u128::from(bit)) as u64
}

fn bitwise(a: u64, b: u64, width: u8, f: impl Fn(bool, bool) -> bool) -> u64 {
    let pairs: Vec<bool> = bits(a, width).into_iter().zip(bits(b, width)).map(|(a, b)| f(a, b)).collect();
    number(&pairs)
}

fn binary(which: Binary, a: u64, b: u64, width: u8) -> u64 {
    let (x, y, modulus) = (u128::from(a), u128::from(b), 1u128 << width);
    match which {
        Binary::Add => ((x + y) % modulus) as u64,
        Binary::Sub => ((x + modulus - y) % modulus) as u64,
        Binary::Mul => ((x * y) % modulus) as u64,
        Binary::And => bitwise(a, b, width, |a, b| a && b),
        Binary::Or => bitwise(a, b, width, |a, b| a || b),
        Binary::Xor => bitwise(a, b, width, |a, b| a != b),
    }
}

fn shift(which: Shift, a: u64, amount: u64, width: u8) -> u64 {
    let (old, w) = (bits(a, width), u64::from(width));
    let new = |k: u64| match which {
        Shift::Shl => k >= amount && old[(k - amount) as usize],
        Shift::Shr => amount < w - k && old[(k + amount) as usize],
        Shift::Rotl => old[((k + w - amount % w) % w) as usize],
        Shift::Rotr => old[((k + amount % w) % w) as usize],
    };
    number(&(0..w).map(new).collect::<Vec<_>>())
}

/// Carry-less product, then the remainder by the polynomial.
fn field_product(a: u64, b: u64, polynomial: u64) -> u64 {
    let mut product = 0u128;
    for k in 0..64 {
        if b >> k & 1 == 1 {
            product ^= u128::from(a) << k;
        }
    }
    let degree = 63 - polynomial.leading_zeros();
    for k in (degree..128).rev() {
        if product >> k & 1 == 1 {
            product ^= u128::from(polynomial) << (k - degree);
        }
    }
    product as u64
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) -> Option<Vec<ReferenceValue>> {
        for op in &block.ops {
            let results = self.operation(&op.kind, &op.results)?;
            assert_eq!(results.len(), op.results.len());
            self.values.extend(op.results.iter().copied().zip(results));
        }
        Some(block.outputs.iter().map(|&o| self.operand(o)).collect())
    }

    fn operand(&self, operand: Operand) -> ReferenceValue {
        match operand {
            Operand::Value(v) => self.values[&v].clone(),
            Operand::Const(n) => ReferenceValue::Word(n),
        }
    }

    fn word(&self, operand: Operand) -> u64 {
        match self.operand(operand) {
            ReferenceValue::Word(word) => word,
            other => panic!("no word: {other:?}"),
        }
    }

    fn words(&self, operands: &[Operand]) -> Vec<u64> {
        operands.iter().map(|&o| self.word(o)).collect()
    }

    fn width(&self, operand: Operand) -> u8 {
        match operand {
            Operand::Value(v) => match &self.function.values[v.0 as usize].ty {
                Type::Word(width) => *width,
                other => panic!("no word: {other}"),
            },
            Operand::Const(_) => 64,
        }
    }

    fn sum(&self, affine: &Affine) -> i128 {
        let term = |&(c, v): &(i64, ValueId)| match &self.values[&v] {
            ReferenceValue::Index(n) => i128::from(c) * n,
            ReferenceValue::Word(n) => i128::from(c) * i128::from(*n),
            ReferenceValue::Array(_) => panic!("an array in a sum"),
        };
        affine.terms.iter().map(term).sum::<i128>() + i128::from(affine.constant)
    }

    fn position(&self, address: &Address, extent: usize) -> usize {
        let sum = self.sum(&address.affine);
        let n = if address.ring { sum.rem_euclid(extent as i128) } else { sum };
        assert!(n >= 0 && n < extent as i128, "{n} is not below {extent}");
        n as usize
    }

    /// The cells that addresses reach.
    fn cells(&self, array: ValueId, addresses: &[Address]) -> std::ops::Range<usize> {
        let Type::Array(ty) = &self.function.values[array.0 as usize].ty else { panic!("no array") };
        let positions: Vec<usize> =
            addresses.iter().zip(&ty.dims).map(|(a, &extent)| self.position(a, extent as usize)).collect();
        match (&positions[..], &ty.dims[..]) {
            (&[n], [_]) => n..n + 1,
            (&[row], &[_, columns]) => row * columns as usize..(row + 1) * columns as usize,
            (&[row, n], &[_, columns]) => row * columns as usize + n..row * columns as usize + n + 1,
            other => panic!("{other:?}"),
        }
    }

    fn array(&self, v: ValueId) -> Vec<Option<u64>> {
        match &self.values[&v] {
            ReferenceValue::Array(cells) => cells.clone(),
            other => panic!("no array: {other:?}"),
        }
    }

    fn operation(&mut self, kind: &OpKind, results: &[ValueId]) -> Option<Vec<ReferenceValue>> {
        let width = match results.first().map(|r| &self.function.values[r.0 as usize].ty) {
            Some(Type::Word(width)) => *width,
            _ => 64,
        };
        let one = |word: u64| Some(vec![ReferenceValue::Word(word)]);
        match kind {
            OpKind::Const(n) => one(*n),
            OpKind::Binary(which, a, b) => one(binary(*which, self.word(*a), self.word(*b), width)),
            OpKind::Not(a) => one(bitwise(self.word(*a), 0, width, |a, _| !a)),
            OpKind::Shift(which, a, n) => one(shift(*which, self.word(*a), self.word(*n), width)),
            OpKind::Extract(a, position) => {
                let source = bits(self.word(*a), self.width(*a));
                one(number(&source[*position as usize..][..width as usize]))
            }
            OpKind::Concat(values) => {
                let parts = values.iter().map(|&v| Operand::Value(v));
                one(number(&parts.flat_map(|o| bits(self.word(o), self.width(o))).collect::<Vec<_>>()))
            }
            OpKind::Zext(v) => one(self.word(Operand::Value(*v))),
            OpKind::Compare(which, a, b) => {
                let (a, b) = (self.word(*a), self.word(*b));
                one(u64::from(match which {
                    Compare::Eq => a.cmp(&b).is_eq(),
                    Compare::Ne => a.cmp(&b).is_ne(),
                    Compare::Ltu => a.cmp(&b).is_lt(),
                }))
            }
            OpKind::Select(c, a, b) => one(self.words(&[*b, *a])[self.word(*c) as usize]),
            OpKind::Word(affine) => one(u64::try_from(self.sum(affine)).expect("a word is not negative")),
            OpKind::IndexDiv(affine, n) => {
                Some(vec![ReferenceValue::Index((self.sum(affine) as f64 / *n as f64).floor() as i128)])
            }
            OpKind::IndexMod(affine, n) => {
                let (sum, n) = (self.sum(affine), i128::from(*n));
                Some(vec![ReferenceValue::Index(((sum % n) + n) % n)])
            }
            OpKind::Loop(l) => self.loop_(l),
            OpKind::Array(list) if list.is_empty() => match &self.function.values[results[0].0 as usize].ty {
                Type::Array(ty) => Some(vec![ReferenceValue::Array(vec![None; ty.len()])]),
                other => panic!("no array: {other}"),
            },
            OpKind::Array(list) => Some(vec![ReferenceValue::Array(self.words(list).into_iter().map(Some).collect())]),
            _ => self.large_operation(kind, width),
        }
    }

    fn large_operation(&mut self, kind: &OpKind, width: u8) -> Option<Vec<ReferenceValue>> {
        match kind {
            OpKind::Lookup(id, address) => {
                let data = &self.program.tables[id.0 as usize].data;
                Some(vec![ReferenceValue::Word(data[self.position(address, data.len())])])
            }
            OpKind::Load(array, addresses) => {
                let cells = &self.array(*array)[self.cells(*array, addresses)];
                cells.iter().map(|cell| cell.map(ReferenceValue::Word)).collect()
            }
            OpKind::Store(array, addresses, words) => {
                let mut cells = self.array(*array);
                for (n, word) in self.cells(*array, addresses).zip(self.words(words)) {
                    cells[n] = Some(word);
                }
                Some(vec![ReferenceValue::Array(cells)])
            }
            OpKind::Linear(id, list) => {
                let matrix = &self.program.matrices[id.0 as usize];
                let inputs = self.words(list);
                let row = |row: &Vec<u64>| {
                    let products = row.iter().zip(&inputs).map(|(&m, &x)| field_product(m, x, matrix.polynomial));
                    ReferenceValue::Word(products.fold(0, |a, b| a ^ b))
                };
                Some(matrix.rows.iter().map(row).collect())
            }
            OpKind::Bitsliced(id, list) => {
                let sbox = &self.program.boxes[id.0 as usize];
                let inputs = self.words(list);
                let mut outputs = vec![0u64; sbox.outputs.into()];
                for position in 0..width {
                    let x: usize = inputs.iter().enumerate().map(|(k, w)| ((w >> position & 1) as usize) << k).sum();
                    for (k, output) in outputs.iter_mut().enumerate() {
                        *output |= u64::from(sbox.data[x] >> k & 1) << position;
                    }
                }
                Some(outputs.into_iter().map(ReferenceValue::Word).collect())
            }
            OpKind::Call(name, list) => call(self.program, name, list.iter().map(|&o| self.operand(o)).collect()),
            other => panic!("{other:?}"),
        }
    }

    fn loop_(&mut self, l: &Loop) -> Option<Vec<ReferenceValue>> {
        let mut carried: Vec<ReferenceValue> = l.init.iter().map(|&o| self.operand(o)).collect();
        for (iteration, &body) in l.pattern.iter().enumerate() {
            let body = &l.bodies[usize::from(body)];
            self.values.insert(body.params[0], ReferenceValue::Index(iteration as i128));
            self.values.extend(body.params[1..].iter().copied().zip(carried));
            carried = self.block(body)?;
        }
        Some(carried)
    }
}
