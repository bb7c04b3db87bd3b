//! Objects: all values that stores and loops make from one array are one, which one of these values stands for.

use std::collections::HashMap;

use crate::ir::{Function, OpKind, Operand, Type, ValueId};
use crate::walk::for_each_op;

/// All values: parameters, then of each operation its results and the parameters of its bodies before what stands in these.
pub(super) fn definitions(function: &Function) -> Vec<ValueId> {
    let mut found = function.params.clone();
    for_each_op(&function.body, &mut |op| {
        found.extend(&op.results);
        op.kind.as_loop().iter().flat_map(|l| &l.bodies).for_each(|body| found.extend(&body.params));
    });
    found
}

/// The object of each array.
pub(super) fn roots(function: &Function) -> HashMap<ValueId, ValueId> {
    let is_array = |v: ValueId| matches!(function.values[v.0 as usize].ty, Type::Array(_));
    let mut parent: HashMap<ValueId, ValueId> =
        definitions(function).into_iter().filter(|v| is_array(*v)).map(|v| (v, v)).collect();
    let mut join = |one: ValueId, other: ValueId| {
        let (one, other) = (find(&parent, one), find(&parent, other));
        parent.insert(one, other);
    };
    for_each_op(&function.body, &mut |op| match &op.kind {
        OpKind::Store(array, ..) => join(op.results[0], *array),
        OpKind::Loop(l) => {
            for body in &l.bodies {
                for (k, result) in op.results.iter().enumerate().filter(|(_, r)| is_array(**r)) {
                    for other in [l.init[k], Operand::Value(body.params[k + 1]), body.outputs[k]] {
                        if let Operand::Value(other) = other {
                            join(other, *result);
                        }
                    }
                }
            }
        }
        _ => {}
    });
    parent.keys().map(|v| (*v, find(&parent, *v))).collect()
}

fn find(parent: &HashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&next) = parent.get(&value).filter(|next| **next != value) {
        value = next;
    }
    value
}
