//! The values that live in a region of some code.

use std::collections::{BTreeMap, HashMap};

use super::Builder;
use crate::code::{Code, CountedLoop, Op, Region, Use, ValueId};
use crate::model::Processor;
use crate::schedule::Lifetime;

/// The values that live in a region: those that it defines, and those from before that it or a later region uses.
///
/// A value that a loop hands on is one with what defines it, some iterations before.
///
/// # Panics
/// As [`super::graph`].
#[must_use]
pub fn lifetimes(code: &Code, region: usize, processor: &Processor) -> Vec<Lifetime> {
    let empty = CountedLoop::default();
    let (ops, counted) = match &code.regions[region] {
        Region::Straight(ops) => (ops.as_slice(), &empty),
        Region::Loop(counted) => (counted.ops.as_slice(), counted),
    };
    let builder = Builder::new(ops, &counted.carried, processor);
    let defined: HashMap<ValueId, u32> =
        ops.iter().enumerate().flat_map(|(k, op)| op.defines.iter().map(move |v| (*v, k as u32))).collect();
    let mut values: BTreeMap<ValueId, Lifetime> = BTreeMap::new();
    let new = |id: &ValueId| {
        let kind = code.values[*id as usize].class as u16;
        Lifetime { kind, from: defined.get(id).copied(), ..Lifetime::default() }
    };
    for (k, op) in ops.iter().enumerate() {
        for id in &op.defines {
            values.entry(*id).or_insert_with(|| new(id));
        }
        for id in used(op) {
            let source = builder.sources.get(&id).copied().filter(|s| s.distance > 0);
            let at = source.map_or(id, |s| ops[s.op].defines[s.output]);
            let iterations = source.map_or(0, |s| s.distance);
            values.entry(at).or_insert_with(|| new(&at)).to.push((k as u32, iterations));
        }
    }
    for id in later(code, region) {
        if defined.contains_key(&id) || before(code, region, id) {
            values.entry(id).or_insert_with(|| new(&id)).outlives = true;
        }
    }
    if matches!(code.regions[region], Region::Loop(_)) {
        // What a loop does not define must last for all of its iterations.
        values.values_mut().filter(|v| v.from.is_none()).for_each(|v| v.outlives = true);
    }
    values.into_values().collect()
}

fn used(op: &Op) -> impl Iterator<Item = ValueId> + '_ {
    let operands = op.uses.iter().filter_map(|u| match u {
        Use::Value(id) => Some(*id),
        _ => None,
    });
    operands.chain(op.guard)
}

/// Values that regions behind this one use; a loop's carried value is what defines it.
fn later(code: &Code, region: usize) -> Vec<ValueId> {
    let mut needed: Vec<ValueId> = Vec::new();
    for behind in &code.regions[region + 1..] {
        needed.extend(behind.ops().iter().flat_map(used));
        if let Region::Loop(counted) = behind {
            needed.extend(counted.carried.iter().map(|c| c.init));
        }
    }
    if let Region::Loop(counted) = &code.regions[region] {
        let handed: Vec<ValueId> =
            counted.carried.iter().filter(|c| needed.contains(&c.value)).map(|c| c.next).collect();
        needed.extend(handed);
    }
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// Whether a value is there when the region begins.
fn before(code: &Code, region: usize, id: ValueId) -> bool {
    let defines = |r: &Region| r.ops().iter().any(|op| op.defines.contains(&id));
    code.inputs.iter().any(|i| i.value == id) || code.regions[..region].iter().any(defines)
}
