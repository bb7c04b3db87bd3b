//! The part of a direction that computes what depends on the keys alone, storing it.

use std::collections::BTreeMap;

use super::layout::Layout;
use crate::builder::Builder;
use crate::ir::{Block, Function, Loop, Op, OpKind, Operand, Type, ValueId};

/// A function of the direction's parameters before the block that returns the arrays, in the order of their widths.
#[must_use]
pub fn storing(direction: &Function, layouts: &BTreeMap<u8, Layout>) -> Function {
    let mut function = direction.clone();
    let mut builder = Builder::new(&mut function);
    let mut out = Vec::new();
    let arrays = layouts.iter().map(|(&width, layout)| (width, empty(&mut builder, &direction.name, layout, &mut out)));
    let mut storer = Storer { layouts, arrays: arrays.collect(), builder: &mut builder };
    storer.block(&mut function.body);
    function.body.outputs = storer.arrays.values().map(|&v| Operand::Value(v)).collect();
    function.results = layouts.values().map(Layout::ty).collect();
    function.body.ops.splice(0..0, out);
    builder.finish(&mut function);
    super::super::dce::clean(&mut function);
    function.params.pop();
    function
}

/// The array before anything is stored; its gaps are zeros.
fn empty(builder: &mut Builder, direction: &str, layout: &Layout, out: &mut Vec<Op>) -> ValueId {
    let gaps = if layout.has_gaps { layout.length as usize } else { 0 };
    let kind = OpKind::Array(vec![Operand::Const(0); gaps]);
    let (op, array) = builder.op(&format!("prepared_{direction}"), layout.ty(), kind, &[]);
    out.push(op);
    array
}

struct Storer<'a> {
    layouts: &'a BTreeMap<u8, Layout>,
    /// The arrays as they are now.
    arrays: BTreeMap<u8, ValueId>,
    builder: &'a mut Builder,
}

impl Storer<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.ops.len());
        for mut op in std::mem::take(&mut block.ops) {
            if let OpKind::Loop(l) = &mut op.kind {
                let mut results = std::mem::take(&mut op.results);
                self.carry(l, &mut results);
                op.results = results;
            }
            let results = op.results.clone();
            out.push(op);
            results.into_iter().for_each(|v| self.store(v, &mut out));
        }
        block.ops = out;
    }

    /// Carries the arrays through a loop.
    fn carry(&mut self, l: &mut Loop, results: &mut Vec<ValueId>) {
        let before = self.arrays.clone();
        l.init.extend(before.values().map(|&v| Operand::Value(v)));
        for body in &mut l.bodies {
            self.arrays = before.iter().map(|(&width, &v)| (width, self.builder.like(v))).collect();
            body.params.extend(self.arrays.values());
            self.block(body);
            body.outputs.extend(self.arrays.values().map(|&v| Operand::Value(v)));
        }
        self.arrays = before.iter().map(|(&width, &v)| (width, self.builder.like(v))).collect();
        results.extend(self.arrays.values());
    }

    fn store(&mut self, value: ValueId, out: &mut Vec<Op>) {
        let Type::Word(width) = *self.builder.ty(value) else { return };
        let Some(address) = self.layouts.get(&width).and_then(|l| l.address(value)) else { return };
        let places = out.last().map_or_else(Vec::new, |op| op.places.clone());
        let array = self.arrays[&width];
        let kind = OpKind::Store(array, vec![address], vec![Operand::Value(value)]);
        let stored = self.builder.like(array);
        out.push(Op { kind, results: vec![stored], places });
        self.arrays.insert(width, stored);
    }
}
