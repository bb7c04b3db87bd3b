//! When the old array of a `store` is not needed any more, so that the new one can take its place.

use std::collections::{HashMap, HashSet};

use crate::ir::{Block, Loop, OpKind, Operand, Type, ValueData, ValueId};
use crate::walk::{for_each_op, uses};

/// The arrays that a block defines, with the number of the last operation that uses each (outputs count as one more).
#[derive(Debug, Default)]
pub(super) struct LastUses(HashMap<ValueId, usize>);

impl LastUses {
    /// Looks at a block and all that stands inside it. The parameters of a function are left out: they stay as they were given.
    pub(super) fn of(block: &Block, values: &[ValueData]) -> Self {
        let is_array = |v: &ValueId| matches!(values[v.0 as usize].ty, Type::Array(_));
        let mut last = HashMap::new();
        for (n, op) in block.ops.iter().enumerate() {
            let mut used = |v: ValueId| {
                if is_array(&v) {
                    last.insert(v, n);
                }
            };
            uses(&op.kind, &mut used);
            if let OpKind::Loop(l) = &op.kind {
                inner_uses(l, &mut used);
            }
        }
        for output in &block.outputs {
            if let Operand::Value(v) = output {
                last.insert(*v, block.ops.len());
            }
        }
        let own: HashSet<_> = block
            .params
            .iter()
            .chain(block.ops.iter().flat_map(|op| &op.results))
            .copied()
            .filter(|v| is_array(v))
            .collect();
        last.retain(|v, _| own.contains(v));
        LastUses(last)
    }

    /// Whether operation `n` is the last to use an array of this block.
    pub(super) fn ends_at(&self, v: ValueId, n: usize) -> bool {
        self.0.get(&v) == Some(&n)
    }
}

/// Every value that the bodies of a loop use.
pub(super) fn inner_uses(l: &Loop, f: &mut dyn FnMut(ValueId)) {
    for body in &l.bodies {
        for_each_op(body, &mut |op| uses(&op.kind, f));
        crate::walk::for_each_block(body, &mut |block| {
            for output in &block.outputs {
                if let Operand::Value(v) = output {
                    f(*v);
                }
            }
        });
    }
}
