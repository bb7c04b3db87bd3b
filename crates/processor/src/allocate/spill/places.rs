//! Places of spilled values that an instruction cannot reach: values that are not alive together share places.

use std::collections::BTreeMap;

use program::places::Places;

use super::NAME;
use crate::code::{Access, Code, CountedLoop, Op, Region, Use};
use crate::isa::{Isa, OperandKind};

/// A region and an operation in it.
type Time = (usize, usize);

/// Code in which spilled values share places, if an access to one of them is out of its instruction's reach; `None` if
/// none is, or if a place is not said by the accesses themselves. The places hold for schedules that keep the order of the
/// operations, or what depends on the new places.
pub fn shared(code: &Code, isa: &Isa) -> Option<Code> {
    let object = code.objects.iter().position(|o| o.name == NAME)?;
    let mut accesses = code.regions.iter().flat_map(Region::ops).filter(|op| place(op, object).is_some());
    if accesses.all(|op| reaches(op, object, isa)) {
        return None;
    }
    let word = i64::from(isa.word_bits / 8);
    let moved = places(&lifetimes(code, object)?, word);
    let mut code = code.clone();
    for region in &mut code.regions {
        let (Region::Straight(ops) | Region::Loop(CountedLoop { ops, .. })) = region;
        for op in ops {
            let Some(old) = place(op, object) else { continue };
            let new = moved[&old];
            op.uses.iter_mut().filter(|u| **u == Use::Immediate(old)).for_each(|u| *u = Use::Immediate(new));
            op.access = op.access.map(|access| Access { offset: Some((new, 0)), ..access });
        }
    }
    code.objects[object].bytes = moved.values().max().map_or(0, |last| (last + word) as u32);
    Some(code)
}

/// The place of the spilled value that an operation stores or loads.
fn place(op: &Op, object: usize) -> Option<i64> {
    op.access.filter(|a| a.object == object).and_then(|a| a.offset).map(|offset| offset.0)
}

/// Whether the instruction of an access reaches its place.
fn reaches(op: &Op, object: usize, isa: &Isa) -> bool {
    let kinds = isa.instructions[op.instruction as usize].uses.iter().map(|u| &u.kind);
    op.uses.iter().zip(kinds).all(|(used, kind)| match (used, kind) {
        (Use::Immediate(n), OperandKind::Immediate(low, high)) if Some(*n) == place(op, object) => {
            (low..=high).contains(&n)
        }
        _ => true,
    })
}

/// The first and the last access to each place; a loop needs what it accesses from its first operation to its last.
fn lifetimes(code: &Code, object: usize) -> Option<BTreeMap<i64, (Time, Time)>> {
    let mut found: BTreeMap<i64, (Time, Time)> = BTreeMap::new();
    for (number, region) in code.regions.iter().enumerate() {
        for (at, op) in region.ops().iter().enumerate() {
            let Some(access) = op.access.filter(|a| a.object == object) else { continue };
            let (place, step) = access.offset?;
            if step != 0 || !op.uses.contains(&Use::Immediate(place)) {
                return None;
            }
            let (first, last) = match region {
                Region::Straight(_) => (at, at),
                Region::Loop(_) => (0, usize::MAX),
            };
            let life = found.entry(place).or_insert(((number, first), (number, last)));
            life.1 = (number, last);
        }
    }
    Some(found)
}

/// A new place for each old one, the lowest that is free from its first access on.
fn places(lives: &BTreeMap<i64, (Time, Time)>, word: i64) -> BTreeMap<i64, i64> {
    let mut order: Vec<(&i64, &(Time, Time))> = lives.iter().collect();
    order.sort_by_key(|(&old, life)| (life.0, old));
    let mut slots = Places::default();
    let mut moved = BTreeMap::new();
    for (n, (&old, &(first, _))) in order.iter().enumerate() {
        let slot = slots.lowest(n, 1, |other| order[other].1 .1 >= first);
        moved.insert(old, i64::from(slot) * word);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_alive_together_share_a_place() {
        let lives = BTreeMap::from([
            (0, ((0, 0), (0, 9))),
            (4, ((0, 2), (0, 5))),
            (8, ((0, 5), (0, 6))),
            (12, ((0, 6), (1, 3))),
            (16, ((1, 0), (1, 1))),
        ]);
        // The third begins with the operation with which the second ends, so it does not take its place.
        assert_eq!(places(&lives, 4), BTreeMap::from([(0, 0), (4, 4), (8, 8), (12, 4), (16, 0)]));
    }
}
