//! What a function costs on a processor of bytes, about: weights of its operations, as often as they run.

use crate::ir::{Block, Function, OpKind, Operand, Program, Shift, ValueData};
use crate::passes::run_all;

/// After these the operations are those that are counted.
const PASSES: [&str; 5] = ["byte-exchanges", "merge-lookups:only=joined,fields=any", "fold", "cse", "dce"];
/// Of a look-up of a byte, a load, and of each bit that is put beside others.
const LOOK_UP: u64 = 4;
const LOAD: u64 = 2;
const BIT: u64 = 2;

/// The weights of all operations of a function, or more than any where the passes refuse it.
pub(super) fn cost(program: &Program, function: &Function) -> u64 {
    let mut alone = Program { functions: vec![function.clone()], ..program.clone() };
    match run_all(&mut alone, &PASSES, &[]) {
        Ok(()) => block_cost(&alone.functions[0].body, &alone.functions[0].values),
        Err(_) => u64::MAX,
    }
}

fn block_cost(block: &Block, values: &[ValueData]) -> u64 {
    block
        .ops
        .iter()
        .map(|op| {
            let width = |v: &crate::ir::ValueId| values[v.0 as usize].ty.width();
            let bytes: u64 = op.results.iter().map(|v| u64::from(width(v)).div_ceil(8)).sum();
            match &op.kind {
                OpKind::Loop(l) => {
                    let body = |(n, body)| l.iterations_of(n).len() as u64 * block_cost(body, values);
                    l.bodies.iter().enumerate().map(body).sum()
                }
                OpKind::Load(..) => LOAD * op.results.len() as u64 * u64::from(width(&op.results[0])).div_ceil(8),
                OpKind::Store(_, _, words) => LOAD * words.len() as u64,
                OpKind::Lookup(..) => LOOK_UP * bytes,
                OpKind::Shift(Shift::Rotl | Shift::Rotr, _, Operand::Const(4)) => bytes,
                OpKind::Shift(_, _, Operand::Const(n)) => bytes * (n % 8),
                OpKind::Extract(..) => bytes * u64::from(width(&op.results[0]) > 1 && width(&op.results[0]) < 8),
                OpKind::Concat(parts) if width(&op.results[0]) <= 8 => {
                    let bit = |v: &crate::ir::ValueId| width(v) == 1;
                    if parts.iter().any(bit) {
                        BIT * parts.len() as u64
                    } else {
                        parts.len() as u64
                    }
                }
                OpKind::Binary(..) | OpKind::Not(_) | OpKind::Select(..) | OpKind::Compare(..) => bytes,
                _ => 0,
            }
        })
        .sum()
}
