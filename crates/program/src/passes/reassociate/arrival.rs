//! When each value is there: cycles from the start of the function, if nothing but dependence delays it.

use std::collections::{HashMap, HashSet};

use crate::ir::{Address, Binary, Block, Function, Loop, Op, OpKind, Operand, Type, ValueData, ValueId};
use crate::walk::uses;

/// Iterations after which the times of carried values are taken as those of the steady state.
const ITERATIONS: usize = 4;

/// Cycles from operands to result.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// Addition, logic, shift.
    pub alu: u64,
    /// Multiplication.
    pub mul: u64,
    /// A look-up in a table or an array at an address that depends on data.
    pub load: u64,
}

/// Times of all values met so far.
#[derive(Clone, Debug)]
pub struct Times {
    /// See there.
    pub latencies: Latencies,
    known: HashMap<ValueId, u64>,
    /// Widths of the function's words; 0 for what is none.
    widths: Vec<u8>,
    /// What a multiple by 2, 4 or 8 is a multiple of.
    scaled: HashMap<ValueId, Operand>,
}

/// The logarithm of the multiple, if it is one that an address computation can make: 1 to 3.
#[must_use]
pub fn scale_of(kind: &OpKind) -> Option<(u8, Operand)> {
    match *kind {
        OpKind::Binary(Binary::Mul, x, Operand::Const(c)) | OpKind::Binary(Binary::Mul, Operand::Const(c), x) => {
            match c {
                2 => Some((1, x)),
                4 => Some((2, x)),
                8 => Some((3, x)),
                _ => None,
            }
        }
        OpKind::Shift(crate::ir::Shift::Shl, x, Operand::Const(n @ 1..=3)) => Some((n as u8, x)),
        _ => None,
    }
}

impl Times {
    /// Nothing met yet.
    #[must_use]
    pub fn new(latencies: Latencies, function: &Function) -> Self {
        let width = |v: &ValueData| if let Type::Word(width) = v.ty { width } else { 0 };
        let widths = function.values.iter().map(width).collect();
        Times { latencies, known: HashMap::new(), widths, scaled: HashMap::new() }
    }

    /// When an operand is there.
    #[must_use]
    pub fn of(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Value(v) => self.known.get(&v).copied().unwrap_or(0),
            Operand::Const(_) => 0,
        }
    }

    /// When an operand is there for a sum, which makes multiples by itself.
    fn in_sum(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Value(v) => self.scaled.get(&v).map_or_else(|| self.of(operand), |&x| self.of(x)),
            Operand::Const(_) => 0,
        }
    }

    /// Times of a block's operations, its loops in the steady state.
    pub fn block(&mut self, block: &Block) {
        block.ops.iter().for_each(|op| self.operation(op));
    }

    /// Times of an operation's results.
    pub fn operation(&mut self, op: &Op) {
        if let OpKind::Loop(l) = &op.kind {
            return self.iterations(l, op);
        }
        let time = self.finished(&op.kind) + self.shift_before(op);
        self.known.extend(op.results.iter().map(|&v| (v, time)));
        if let (Some((_, x)), Some(&v)) = (scale_of(&op.kind), op.results.first()) {
            self.scaled.insert(v, x);
        }
    }

    /// When the last output of a block is there.
    #[must_use]
    pub fn end(&self, block: &Block) -> u64 {
        block.outputs.iter().map(|&o| self.of(o)).max().unwrap_or(0)
    }

    /// The values of a block that would delay its last output if they were there later.
    #[must_use]
    pub fn critical(&self, block: &Block) -> HashSet<ValueId> {
        let mut deadlines: HashMap<ValueId, u64> = HashMap::new();
        let end = self.end(block);
        let outputs = block.outputs.iter().filter_map(|o| if let Operand::Value(v) = o { Some(*v) } else { None });
        deadlines.extend(outputs.map(|v| (v, end)));
        for op in block.ops.iter().rev() {
            let Some(deadline) = op.results.iter().filter_map(|r| deadlines.get(r)).min().copied() else { continue };
            let time = self.of(Operand::Value(op.results[0]));
            let own = if op.kind.as_loop().is_some() { deadline } else { time.saturating_sub(self.latest(&op.kind)) };
            uses(&op.kind, &mut |v| {
                let earlier = deadline.saturating_sub(own);
                deadlines.entry(v).and_modify(|d| *d = earlier.min(*d)).or_insert(earlier);
            });
        }
        deadlines.retain(|&v, deadline| *deadline <= self.of(Operand::Value(v)));
        deadlines.into_keys().collect()
    }

    fn iterations(&mut self, l: &Loop, op: &Op) {
        let mut carried: Vec<u64> = l.init.iter().map(|&o| self.of(o)).collect();
        let mut seen = vec![0; l.bodies.len()];
        for &body in &l.pattern {
            if seen[usize::from(body)] == ITERATIONS {
                continue;
            }
            seen[usize::from(body)] += 1;
            let body = &l.bodies[usize::from(body)];
            self.known.extend(body.params[1..].iter().copied().zip(carried.iter().copied()));
            self.block(body);
            carried = body.outputs.iter().map(|&o| self.of(o)).collect();
        }
        self.known.extend(op.results.iter().copied().zip(carried));
    }

    fn latest(&self, kind: &OpKind) -> u64 {
        let mut latest = 0;
        uses(kind, &mut |v| latest = latest.max(self.of(Operand::Value(v))));
        latest
    }

    /// When an operation on what was met is done.
    #[must_use]
    pub fn finished(&self, kind: &OpKind) -> u64 {
        let Latencies { alu, mul, load } = self.latencies;
        match kind {
            OpKind::Binary(Binary::Add | Binary::Sub, a, b) => self.in_sum(*a).max(self.in_sum(*b)) + alu,
            OpKind::Binary(Binary::Mul, ..) if scale_of(kind).is_none() => self.latest(kind) + mul,
            OpKind::Binary(..) | OpKind::Not(_) | OpKind::Shift(..) | OpKind::Compare(..) | OpKind::Select(..) => {
                self.latest(kind) + alu
            }
            OpKind::Extract(..) => self.latest(kind) + alu,
            OpKind::Lookup(_, address) => self.load(std::slice::from_ref(address), load),
            OpKind::Load(_, addresses) => self.load(addresses, load),
            OpKind::Concat(parts) => {
                let latest = self.latest(kind);
                if latest == 0 {
                    0
                } else {
                    latest + alu * u64::from(usize::BITS - parts.len().leading_zeros())
                }
            }
            OpKind::Linear(..) => self.latest(kind) + 6 * alu,
            OpKind::Bitsliced(..) => self.latest(kind) + 8 * alu,
            OpKind::Call(..) => self.latest(kind) + 4 * (mul + load),
            _ => self.latest(kind),
        }
    }

    /// A field from the middle of a word needs a shift before it is cut out; the lowest, the second byte and the highest do not.
    fn shift_before(&self, op: &Op) -> u64 {
        let OpKind::Extract(Operand::Value(word), position) = op.kind else { return 0 };
        let width = |v: ValueId| self.widths.get(v.0 as usize).copied().unwrap_or(0);
        let field = width(op.results[0]);
        let direct = position == 0 || (position, field) == (8, 8) || position + field == width(word);
        self.latencies.alu * u64::from(!direct)
    }

    /// A load whose address is known needs no waiting: what it reads was mostly stored long ago.
    fn load(&self, addresses: &[Address], load: u64) -> u64 {
        let words = addresses.iter().flat_map(|a| &a.affine.terms);
        let latest = words.map(|&(_, v)| self.of(Operand::Value(v))).max().unwrap_or(0);
        if latest == 0 {
            0
        } else {
            latest + load
        }
    }
}
