//! Code in which a value that left its register is made again, or stored and loaded, for its later uses.

use super::access::Way;
use super::victims::Victim;
use super::{once, saves, AGAIN, NAME, NEAR};
use crate::code::{Access, Code, CountedLoop, Input, Object, Op, Packing, Region, Role, Use, Value, ValueId};
use crate::isa::Isa;

/// Operations in a row that make a value again: a constant takes two.
const DEPTH: usize = 2;

/// Code in which values leave their registers one after the other.
pub(super) struct Rewriter<'a> {
    pub code: Code,
    pub(super) isa: &'a Isa,
    /// Of each insertion so far its region, its place, and how many operations.
    inserted: Vec<(usize, usize, usize)>,
}

impl<'a> Rewriter<'a> {
    pub fn new(code: Code, isa: &'a Isa) -> Self {
        Rewriter { code, isa, inserted: Vec::new() }
    }

    /// Gives the later uses of a value new values; says whether that was possible. In loops, one load is preferred to two
    /// operations.
    pub fn remove(&mut self, victim: &Victim) -> bool {
        if let Some(region) = victim.carrier {
            return self.carried_through_memory(region, victim.value);
        }
        let repeated = |u: &(usize, Vec<usize>)| matches!(self.code.regions[u.0], Region::Loop(_));
        let repeated = victim.uses.iter().any(repeated);
        let made = self.maker(victim.value, DEPTH);
        match made {
            Some(made) if made.len() == 1 || !repeated => self.again(victim, &made),
            Some(made) => {
                if !self.through_memory(victim) {
                    self.again(victim, &made);
                }
            }
            None => return self.through_memory(victim),
        }
        true
    }

    /// The operations that make a value from numbers, pointers and memory that stays as it is; the last one defines it.
    fn maker(&self, value: ValueId, depth: usize) -> Option<Vec<Op>> {
        let ops = self.code.regions.iter().flat_map(Region::ops);
        let op = ops.into_iter().find(|op| op.defines == [value])?;
        if op.guard.is_some() || depth == 0 || !op.access.map_or(true, |access| self.stays(access)) {
            return None;
        }
        let mut made = Vec::new();
        for used in &op.uses {
            match *used {
                Use::Value(v) if self.code.inputs.iter().any(|i| i.value == v) => {}
                // A pointer that had to be made for an access would take a register of its own; that of what was spilled does
                // so anyway.
                Use::Value(v) if op.access.map_or(true, |a| self.code.objects[a.object].name == NAME) => {
                    made.extend(self.maker(v, depth - 1)?)
                }
                Use::Value(_) => return None,
                _ => {}
            }
        }
        made.push(op.clone());
        Some(made)
    }

    /// Nothing is stored where a load reads, or, for spilled values, only once.
    fn stays(&self, access: Access) -> bool {
        let object = &self.code.objects[access.object];
        let stored = |op: &Op| op.access.is_some_and(|a| a.store && a.object == access.object);
        if object.role == Role::Scratch && object.name == NAME {
            return !access.store && once(&self.code, access);
        }
        !access.store && !self.code.regions.iter().flat_map(Region::ops).any(stored)
    }

    fn through_memory(&mut self, victim: &Victim) -> bool {
        let class = self.code.values[victim.value as usize].class;
        let (Some(store), Some(load)) = (Way::to_store(self.isa, class), Way::to_load(self.isa, class)) else {
            return false;
        };
        let saved = self
            .code
            .regions
            .iter()
            .flat_map(Region::ops)
            .find(|op| op.uses.contains(&Use::Value(victim.value)) && saves(&self.code, op));
        let known = saved.and_then(|op| op.access).and_then(|a| Some((a.object, a.offset?.0)));
        let place = known.and_then(|(object, offset)| {
            let pointer = self.code.inputs.iter().find(|i| i.object == object)?.value;
            Some((object, pointer, offset))
        });
        let Some((object, pointer, offset)) = place.or_else(|| self.room()) else { return false };
        let bytes = self.isa.word_bits / 8;
        let access = |store| Access { object, offset: Some((offset, 0)), bytes, store };
        let address = self.address(pointer, load.computes(offset));
        self.again(victim, &load.operations(pointer, address, victim.value, access(false)));
        if known.is_none() {
            let address = self.address(pointer, store.computes(offset));
            let save = store.operations(pointer, address, victim.value, access(true));
            let defines = |op: &Op| op.defines.contains(&victim.value);
            let at = |r: &Region| r.ops().iter().position(defines);
            let mut found = self.code.regions.iter().enumerate().filter_map(|(k, r)| Some((k, at(r)?)));
            let Some((region, place)) = found.next() else { return false };
            if region < victim.here && matches!(self.code.regions[region], Region::Loop(_)) {
                self.insert(region + 1, 0, save);
            } else {
                self.insert(region, place + 1, save);
            }
        }
        true
    }

    /// A value for an address that is computed from a pointer; the pointer itself if none is.
    pub(super) fn address(&mut self, pointer: ValueId, computed: bool) -> ValueId {
        if !computed {
            return pointer;
        }
        let class = self.code.values[pointer as usize].class;
        self.code.values.push(Value { name: format!("{NAME}.address"), class });
        (self.code.values.len() - 1) as ValueId
    }

    pub(super) fn insert(&mut self, region: usize, at: usize, made: Vec<Op>) {
        let (Region::Straight(ops) | Region::Loop(CountedLoop { ops, .. })) = &mut self.code.regions[region];
        self.inserted.push((region, at, made.len()));
        ops.splice(at..at, made);
    }

    /// Where an operation stands now that stood at a number before all insertions.
    fn moved(&self, region: usize, number: usize) -> usize {
        let here = self.inserted.iter().filter(|i| i.0 == region);
        here.fold(number, |number, &(_, at, count)| if at <= number { number + count } else { number })
    }

    /// Puts operations that make the value again before its later uses, and before the loops that use it.
    fn again(&mut self, victim: &Victim, makers: &[Op]) {
        for (region, uses) in &victim.uses {
            self.again_in(victim.value, *region, uses, makers);
        }
        for &region in &victim.entries {
            let (new, ops) = self.copied(makers);
            let end = self.code.regions[region - 1].ops().len();
            self.insert(region - 1, end, ops);
            let Region::Loop(counted) = &mut self.code.regions[region] else { continue };
            counted.ops.iter_mut().for_each(|op| replace(op, victim.value, new));
            counted.carried.iter_mut().filter(|c| c.init == victim.value).for_each(|c| c.init = new);
        }
    }

    fn again_in(&mut self, value: ValueId, region: usize, uses: &[usize], makers: &[Op]) {
        let uses: Vec<usize> = uses.iter().map(|&n| self.moved(region, n)).collect();
        self.again_at(value, region, &uses, makers);
    }

    /// The same, where the uses stand now.
    pub(super) fn again_at(&mut self, value: ValueId, region: usize, uses: &[usize], makers: &[Op]) {
        let mut inserted: Vec<(usize, Vec<Op>)> = Vec::new();
        let mut current: Option<(usize, ValueId)> = None;
        for &number in uses {
            let near = current.filter(|c| number - c.0 <= NEAR).map(|c| c.1);
            let new = near.unwrap_or_else(|| {
                let (new, ops) = self.copied(makers);
                inserted.push((number, ops));
                new
            });
            current = Some((number, new));
            let (Region::Straight(ops) | Region::Loop(CountedLoop { ops, .. })) = &mut self.code.regions[region];
            replace(&mut ops[number], value, new);
        }
        for (at, made) in inserted.into_iter().rev() {
            self.insert(region, at, made);
        }
    }

    /// The same operations with new values; the last one defines the value that is returned.
    pub(super) fn copied(&mut self, makers: &[Op]) -> (ValueId, Vec<Op>) {
        let mut news: Vec<(ValueId, ValueId)> = Vec::new();
        let mut copies = Vec::new();
        for maker in makers {
            let old = maker.defines[0];
            let mut copy = maker.clone();
            for (from, to) in &news {
                copy.uses.iter_mut().filter(|u| **u == Use::Value(*from)).for_each(|u| *u = Use::Value(*to));
            }
            let value = self.code.values[old as usize].clone();
            self.code.values.push(Value { name: format!("{}{AGAIN}", value.name.trim_end_matches(AGAIN)), ..value });
            let new = (self.code.values.len() - 1) as ValueId;
            copy.defines = vec![new];
            news.push((old, new));
            copies.push(copy);
        }
        (news.last().map_or(0, |n| n.1), copies)
    }

    /// A new place in memory: its object, the pointer to it, and the bytes from there.
    pub(super) fn room(&mut self) -> Option<(usize, ValueId, i64)> {
        let word = u32::from(self.isa.word_bits / 8);
        let found = self.code.objects.iter().position(|o| o.role == Role::Scratch && o.name == NAME);
        let object = match found {
            Some(object) => object,
            None => {
                if self.code.inputs.len() >= self.isa.arguments.len() {
                    return None;
                }
                let general = self.isa.general();
                self.code.values.push(Value { name: NAME.into(), class: general });
                let object = self.code.objects.len();
                self.code.inputs.push(Input { value: (self.code.values.len() - 1) as ValueId, object, offset: 0 });
                self.code.objects.push(Object {
                    name: NAME.into(),
                    bytes: 0,
                    alignment: 16,
                    element: word as u8,
                    stride: word,
                    packing: Packing::None,
                    role: Role::Scratch,
                    base: None,
                });
                object
            }
        };
        let offset = i64::from(self.code.objects[object].bytes);
        self.code.objects[object].bytes += word;
        let pointer = self.code.inputs.iter().find(|i| i.object == object)?.value;
        Some((object, pointer, offset))
    }
}

pub(super) fn replace(op: &mut Op, old: ValueId, new: ValueId) {
    op.uses.iter_mut().filter(|u| **u == Use::Value(old)).for_each(|u| *u = Use::Value(new));
    op.guard = op.guard.map(|g| if g == old { new } else { g });
}
