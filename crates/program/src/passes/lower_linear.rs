//! `lower-linear`: multiplication by a matrix over GF(2^n) becomes shifts and exclusive ors.
//!
//! Identity: `c * x` is the sum over the set bits `k` of `c` of `x * 2^k`, and
//! `x * 2 = (x << 1) ^ (polynomial if the top bit of x was set)`; the condition is made a mask, so the result is free of branches and look-ups.

use std::collections::HashMap;

use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Matrix, Op, OpKind, Operand, Program, Shift, Type};

/// See the module's text.
pub struct LowerLinear;

impl Pass for LowerLinear {
    fn name(&self) -> &'static str {
        "lower-linear"
    }

    fn description(&self) -> &'static str {
        "write matrices over GF(2^n) as shifts and exclusive ors"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        let matrices = program.matrices.clone();
        for function in &mut program.functions {
            rewrite(function, &mut |r, op| match &op.kind {
                OpKind::Linear(id, inputs) => {
                    let inputs = inputs.clone();
                    write(r, &matrices[id.0 as usize], &inputs, &op);
                }
                _ => r.keep(op),
            });
        }
        Ok(())
    }
}

fn write(r: &mut Rewriter<'_>, matrix: &Matrix, inputs: &[Operand], op: &Op) {
    let Type::Word(width) = *r.builder.ty(op.results[0]) else { return };
    let mut multiples = Multiples { width, polynomial: matrix.polynomial, known: HashMap::new() };
    for (row, &result) in matrix.rows.iter().zip(&op.results) {
        let mut terms = Vec::new();
        for (column, &factor) in row.iter().enumerate() {
            for bit in (0..width).filter(|&b| factor >> b & 1 == 1) {
                terms.push(multiples.get(r, column, inputs[column], bit));
            }
        }
        let sum = r.xor_all(&terms, width);
        r.stand(result, sum);
    }
}

/// `x * 2^k` for each input, made once.
struct Multiples {
    width: u8,
    polynomial: u64,
    known: HashMap<(usize, u8), Operand>,
}

impl Multiples {
    fn get(&mut self, r: &mut Rewriter<'_>, column: usize, input: Operand, power: u8) -> Operand {
        if power == 0 {
            return input;
        }
        if let Some(&known) = self.known.get(&(column, power)) {
            return known;
        }
        let half = self.get(r, column, input, power - 1);
        let double = self.doubled(r, half);
        self.known.insert((column, power), double);
        double
    }

    fn doubled(&self, r: &mut Rewriter<'_>, x: Operand) -> Operand {
        let width = self.width;
        let low = if width == 64 { self.polynomial } else { self.polynomial & ((1 << width) - 1) };
        if width == 1 {
            return r.word(1, OpKind::Binary(Binary::And, x, Operand::Const(low)));
        }
        let shifted = r.shift(Shift::Shl, x, 1, width);
        let top = r.shift(Shift::Shr, x, u64::from(width) - 1, width);
        let mask = r.word(width, OpKind::Binary(Binary::Sub, Operand::Const(0), top));
        let reduction = r.word(width, OpKind::Binary(Binary::And, mask, Operand::Const(low)));
        r.xor(shifted, reduction, width)
    }
}
