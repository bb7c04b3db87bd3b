//! How long operations take, in levels of two-input gates; only ratios matter.
//!
//! An exclusive-or counts two levels. The ratios of adder, multiplier and table are those of operators synthesized for speed in a
//! 0.5 micron library: 32-bit adder 2.2 ns, 32 x 32 multiplier 6.4 ns, table of 256 bytes 2.3 ns.

use std::collections::HashMap;

use program::ir::{Binary, Function, Matrix, Op, OpKind, Operand, Program, Type, ValueId};
use program::semantics::field_multiply;

const GATE: f64 = 1.0;
const XOR: f64 = 2.0;
const MULTIPLICATION_IN_ADDITIONS: f64 = 2.9;
const PER_ADDRESS_BIT: f64 = 1.5;
const BOX: f64 = 8.0;

/// Delays of a program's operations; those of functions that are called are kept.
pub(super) struct Delays<'a> {
    program: &'a Program,
    functions: HashMap<&'a str, f64>,
}

impl<'a> Delays<'a> {
    /// A function calls only functions before it.
    pub fn new(program: &'a Program) -> Self {
        let mut delays = Delays { program, functions: HashMap::new() };
        for function in &program.functions {
            let longest = delays.longest(function);
            delays.functions.insert(&function.name, longest);
        }
        delays
    }

    fn longest(&self, function: &Function) -> f64 {
        let mut at: HashMap<ValueId, f64> = HashMap::new();
        let mut longest = 0.0_f64;
        let width = |v: ValueId| match function.values[v.0 as usize].ty {
            Type::Word(width) => width,
            _ => 1,
        };
        for op in &function.body.ops {
            let mut arrival = 0.0_f64;
            program::walk::uses(&op.kind, &mut |v| arrival = arrival.max(at.get(&v).copied().unwrap_or(0.0)));
            arrival += self.of(op, &width);
            longest = longest.max(arrival);
            at.extend(op.results.iter().map(|&r| (r, arrival)));
        }
        longest
    }

    /// The delay of an operation; `width` gives that of a value.
    pub fn of(&self, op: &Op, width: &dyn Fn(ValueId) -> u8) -> f64 {
        let result = op.results.first().map_or(1, |&r| width(r));
        let stages = |bits: u8| f64::from(bits.max(2)).log2().ceil();
        let addition = |bits: u8| XOR * stages(bits) + XOR;
        match &op.kind {
            OpKind::Binary(Binary::Add | Binary::Sub, ..) => addition(result),
            OpKind::Binary(Binary::Mul, ..) => MULTIPLICATION_IN_ADDITIONS * addition(result),
            OpKind::Binary(Binary::And | Binary::Or, ..) => GATE,
            OpKind::Binary(Binary::Xor, ..) | OpKind::Select(..) => XOR,
            OpKind::Shift(_, _, Operand::Value(amount)) => XOR * f64::from(width(*amount)).min(stages(result)),
            OpKind::Compare(_, Operand::Value(v), _) | OpKind::Compare(_, _, Operand::Value(v)) => {
                XOR + stages(width(*v))
            }
            OpKind::Lookup(table, _) => {
                let entries = self.program.tables[table.0 as usize].data.len().max(2) as f64;
                PER_ADDRESS_BIT * entries.log2().ceil()
            }
            OpKind::Linear(matrix, _) => XOR * widest_sum(&self.program.matrices[matrix.0 as usize]).log2().ceil(),
            OpKind::Bitsliced(..) => BOX,
            OpKind::Call(callee, _) => self.functions.get(callee.as_str()).copied().unwrap_or(0.0),
            _ => 0.0,
        }
    }
}

/// The most input bits that an output bit of a matrix is the sum of.
fn widest_sum(matrix: &Matrix) -> f64 {
    let bits = 63 - matrix.polynomial.leading_zeros();
    let terms = |row: &Vec<u64>, bit: u32| -> u32 {
        let of = |&c: &u64| {
            (0..bits).filter(|b| field_multiply(matrix.polynomial, c, 1 << b) >> bit & 1 == 1).count() as u32
        };
        row.iter().map(of).sum()
    };
    let most = matrix.rows.iter().flat_map(|row| (0..bits).map(move |bit| terms(row, bit))).max();
    f64::from(most.unwrap_or(1).max(1))
}
