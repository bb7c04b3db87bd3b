//! Stores to arrays as late as they can be.
//!
//! A store that comes before a read of the array as it was needs a copy of the whole array. Nothing but reads of the new array
//! depends on the store, so it moves behind the last read of the old one where that is before the first use of the new one.

use std::borrow::Cow;
use std::collections::HashMap;

use program::ir::{Block, Function, Op, OpKind, Operand, ValueId};
use program::walk::{for_each_block, for_each_block_mut, for_each_op, uses};

/// Where an operation stands: behind an operation of the block, then in the order of the text.
type Place = (usize, bool, usize);

/// The function with its stores behind the reads of the arrays that they change.
#[must_use]
pub fn late(function: &Function) -> Cow<'_, Function> {
    let mut early = false;
    for_each_block(&function.body, &mut |block| early |= places(block).is_some());
    if !early {
        return Cow::Borrowed(function);
    }
    let mut function = function.clone();
    for_each_block_mut(&mut function.body, &mut |block| {
        if let Some(places) = places(block) {
            let mut ops: Vec<(Place, Op)> = places.into_iter().zip(std::mem::take(&mut block.ops)).collect();
            ops.sort_by_key(|(place, _)| *place);
            block.ops = ops.into_iter().map(|(_, op)| op).collect();
        }
    });
    Cow::Owned(function)
}

/// Where each operation of a block goes; `None` if all stay.
fn places(block: &Block) -> Option<Vec<Place>> {
    let stored: HashMap<ValueId, ValueId> = block.ops.iter().filter_map(store).collect();
    if stored.is_empty() {
        return None;
    }
    let uses = uses_of(block);
    let mut places: Vec<Place> = (0..block.ops.len()).map(|n| (n, false, n)).collect();
    let mut changed = false;
    for (n, op) in block.ops.iter().enumerate().rev() {
        let Some((new, mut old)) = store(op) else { continue };
        let at = |v: &ValueId| uses.get(v).map_or(&[][..], Vec::as_slice);
        let is_read = |&&user: &&usize| user > n && block.ops.get(user).map_or(true, |op| store(op).is_none());
        let is_behind = |&user: &usize, place: Place| places.get(user).map_or(true, |&first| place < first);
        let mut last = at(&old).iter().filter(is_read).max();
        while let Some(&before) = stored.get(&old) {
            last = last.max(at(&before).iter().filter(is_read).max());
            old = before;
        }
        let Some(&last) = last.filter(|&&last| last < block.ops.len()) else { continue };
        let place = (last, true, n);
        if at(&new).iter().all(|user| is_behind(user, place)) {
            places[n] = place;
            changed = true;
        }
    }
    changed.then_some(places)
}

/// The new array of a store and the old one.
fn store(op: &Op) -> Option<(ValueId, ValueId)> {
    match op.kind {
        OpKind::Store(old, ..) => Some((op.results[0], old)),
        _ => None,
    }
}

/// The operations of a block that use each value, also in loops; what the block gives is used behind all of them.
fn uses_of(block: &Block) -> HashMap<ValueId, Vec<usize>> {
    let mut found: HashMap<ValueId, Vec<usize>> = HashMap::new();
    for (n, op) in block.ops.iter().enumerate() {
        let mut mark = |v: ValueId| found.entry(v).or_default().push(n);
        uses(&op.kind, &mut mark);
        if let OpKind::Loop(l) = &op.kind {
            for body in &l.bodies {
                for_each_op(body, &mut |op| uses(&op.kind, &mut mark));
                for_each_block(body, &mut |block| outputs(block, &mut mark));
            }
        }
    }
    outputs(block, &mut |v| found.entry(v).or_default().push(block.ops.len()));
    found
}

fn outputs(block: &Block, f: &mut dyn FnMut(ValueId)) {
    for output in &block.outputs {
        if let Operand::Value(v) = output {
            f(*v);
        }
    }
}
