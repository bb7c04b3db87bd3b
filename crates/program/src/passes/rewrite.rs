//! Rewriting a function operation by operation, in the order of execution.

use crate::builder::{replaced, Builder, Replacements};
use crate::ir::{Binary, Block, Function, Op, OpKind, Operand, Place, Shift, Type, ValueId};
use crate::walk::for_each_block_mut;

/// Where a rewriting function puts what stands for an operation.
pub struct Rewriter<'a> {
    /// Makes values.
    pub builder: &'a mut Builder,
    /// The operations so far of the block being rewritten.
    pub out: &'a mut Vec<Op>,
    /// What stands for results that are gone.
    pub map: &'a mut Replacements,
    /// Places given to new operations.
    pub places: Vec<Place>,
}

impl Rewriter<'_> {
    /// Keeps an operation.
    pub fn keep(&mut self, op: Op) {
        self.out.push(op);
    }

    /// Lets an operand stand for a result of the operation being rewritten.
    pub fn stand(&mut self, result: ValueId, operand: Operand) {
        self.map.insert(result, operand);
    }

    /// A new operation with one result.
    pub fn op(&mut self, name: &str, ty: Type, kind: OpKind) -> ValueId {
        let places = std::mem::take(&mut self.places);
        let (op, value) = self.builder.op(name, ty, kind, &places);
        self.places = places;
        self.out.push(op);
        value
    }

    /// A new word.
    pub fn word(&mut self, width: u8, kind: OpKind) -> Operand {
        Operand::Value(self.op("", Type::Word(width), kind))
    }

    /// Exclusive or, without an operation where one side is 0.
    pub fn xor(&mut self, a: Operand, b: Operand, width: u8) -> Operand {
        match (a, b) {
            (Operand::Const(0), other) | (other, Operand::Const(0)) => other,
            (Operand::Const(x), Operand::Const(y)) => Operand::Const(x ^ y),
            _ => self.word(width, OpKind::Binary(Binary::Xor, a, b)),
        }
    }

    /// Exclusive or of many.
    pub fn xor_all(&mut self, list: &[Operand], width: u8) -> Operand {
        list.iter().fold(Operand::Const(0), |sum, &o| self.xor(sum, o, width))
    }

    /// A shift by a constant.
    pub fn shift(&mut self, shift: Shift, a: Operand, amount: u64, width: u8) -> Operand {
        match (a, amount) {
            (_, 0) => a,
            (Operand::Const(0), _) => a,
            _ => self.word(width, OpKind::Shift(shift, a, Operand::Const(amount))),
        }
    }

    /// A value for an operand, made by a `const` operation if it is a number.
    pub fn value(&mut self, operand: Operand, width: u8) -> ValueId {
        match operand {
            Operand::Value(v) => v,
            Operand::Const(c) => self.op("", Type::Word(width), OpKind::Const(c)),
        }
    }
}

/// Calls `f` for every operation that is no loop, with what it uses already replaced; `f` keeps it or puts others in its place.
pub fn rewrite(function: &mut Function, f: &mut dyn FnMut(&mut Rewriter<'_>, Op)) {
    let mut builder = Builder::new(function);
    let mut map = Replacements::new();
    rewrite_block(&mut builder, &mut function.body, &mut map, f);
    builder.finish(function);
}

/// See [`rewrite`].
pub fn rewrite_block(
    builder: &mut Builder,
    block: &mut Block,
    map: &mut Replacements,
    f: &mut dyn FnMut(&mut Rewriter<'_>, Op),
) {
    let mut out = Vec::with_capacity(block.ops.len());
    for mut op in std::mem::take(&mut block.ops) {
        if let OpKind::Loop(l) = &mut op.kind {
            l.init.iter_mut().for_each(|o| *o = replaced(*o, map));
            l.bodies.iter_mut().for_each(|body| rewrite_block(builder, body, map, f));
            out.push(op);
            continue;
        }
        let mut single = Block { ops: vec![op], ..Block::default() };
        builder.substitute(&mut single, map);
        let Some(op) = single.ops.pop() else { continue };
        out.append(&mut single.ops);
        let places = op.places.clone();
        f(&mut Rewriter { builder, out: &mut out, map, places }, op);
    }
    block.ops = out;
    block.outputs.iter_mut().for_each(|o| *o = replaced(*o, map));
}

/// Calls `f` for every loop, inner ones first, with what it uses already replaced; `f` puts it, or others in its place, behind the
/// operations so far, and tells what stands for results that are gone.
pub fn rewrite_loops(function: &mut Function, f: &mut LoopRewrite<'_>) {
    let mut builder = Builder::new(function);
    loops_of_block(&mut builder, &mut function.body, &mut Replacements::new(), f);
    builder.finish(function);
}

/// What [`rewrite_loops`] calls: with the loop, the operations before it in its block, and what stands for results that are gone.
pub type LoopRewrite<'a> = dyn FnMut(&mut Builder, Op, &mut Vec<Op>, &mut Replacements) + 'a;

fn loops_of_block(builder: &mut Builder, block: &mut Block, map: &mut Replacements, f: &mut LoopRewrite<'_>) {
    let mut out = Vec::with_capacity(block.ops.len());
    for op in std::mem::take(&mut block.ops) {
        let mut one = Block { ops: vec![op], ..Block::default() };
        builder.substitute(&mut one, map);
        let Some(mut op) = one.ops.pop() else { continue };
        out.append(&mut one.ops);
        let OpKind::Loop(l) = &mut op.kind else {
            out.push(op);
            continue;
        };
        l.bodies.iter_mut().for_each(|body| loops_of_block(builder, body, &mut Replacements::new(), f));
        f(builder, op, &mut out, map);
    }
    block.ops = out;
    block.outputs.iter_mut().for_each(|o| *o = replaced(*o, map));
}

/// A rotation amount that became a number is taken modulo the width, a shift that leaves nothing becomes 0, so that the number
/// is one that the verifier accepts.
#[must_use]
pub fn reduced_amount(kind: OpKind, width: u8) -> OpKind {
    let w = u64::from(width);
    match kind {
        OpKind::Shift(shift @ (Shift::Rotl | Shift::Rotr), a, Operand::Const(n)) => {
            OpKind::Shift(shift, a, Operand::Const(n % w))
        }
        OpKind::Shift(Shift::Shl | Shift::Shr, _, Operand::Const(n)) if n >= w => OpKind::Const(0),
        other => other,
    }
}

/// [`reduced_amount`] for all operations of a function, after numbers were put in the place of values.
pub fn reduce_amounts(function: &mut Function) {
    let widths: Vec<Option<u8>> = function
        .values
        .iter()
        .map(|v| match v.ty {
            Type::Word(w) => Some(w),
            _ => None,
        })
        .collect();
    for_each_block_mut(&mut function.body, &mut |block| {
        for op in &mut block.ops {
            if let (OpKind::Shift(..), Some(width)) = (&op.kind, widths[op.results[0].0 as usize]) {
                op.kind = reduced_amount(op.kind.clone(), width);
            }
        }
    });
}
