//! A key schedule and an operation as one function of key and block.

use std::collections::HashMap;

use crate::ir::{Function, Operand, ValueId};
use crate::walk::value_ids_mut;

/// One function of key and block: the key schedule, then an operation on its results. Nothing if a result is a number.
#[must_use]
pub fn composed(schedule: &Function, data: &Function) -> Option<Function> {
    let (mut made, mut rest) = (prefixed(schedule, "k_"), prefixed(data, "d_"));
    let before = made.values.len() as u32;
    let mut given: HashMap<ValueId, ValueId> = HashMap::new();
    for (param, output) in data.params.iter().zip(&schedule.body.outputs) {
        let Operand::Value(output) = output else { return None };
        given.insert(*param, *output);
    }
    given.remove(data.params.last()?);
    value_ids_mut(&mut rest, &mut |v| *v = given.get(v).copied().unwrap_or(ValueId(v.0 + before)));
    made.name = rest.name;
    made.params.extend(rest.params.last());
    made.results = rest.results;
    made.values.extend(rest.values);
    made.body.ops.extend(rest.body.ops);
    made.body.outputs = rest.body.outputs;
    Some(made)
}

fn prefixed(function: &Function, prefix: &str) -> Function {
    let mut function = function.clone();
    function.values.iter_mut().for_each(|value| value.name.insert_str(0, prefix));
    function
}
