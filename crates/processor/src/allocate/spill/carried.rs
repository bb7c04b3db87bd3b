//! What a loop carries from one iteration to the next, in memory instead of a register: stored before the loop, loaded near
//! its uses in every iteration, and stored again once the next value is there and the last one is no longer needed.

use super::access::Way;
use super::rewrite::{replace, Rewriter};
use crate::code::{Access, CarriedValue, Op, Region, Use, ValueId};

/// A place in memory, and how it is stored and loaded.
struct Place {
    store: Way,
    load: Way,
    pointer: ValueId,
    access: Access,
}

impl Place {
    fn loads(&self, rewriter: &mut Rewriter<'_>, value: ValueId) -> Vec<Op> {
        let address = rewriter.address(self.pointer, self.load.computes(self.offset()));
        self.load.operations(self.pointer, address, value, Access { store: false, ..self.access })
    }

    fn stores(&self, rewriter: &mut Rewriter<'_>, value: ValueId) -> Vec<Op> {
        let address = rewriter.address(self.pointer, self.store.computes(self.offset()));
        self.store.operations(self.pointer, address, value, Access { store: true, ..self.access })
    }

    fn offset(&self) -> i64 {
        self.access.offset.map_or(0, |o| o.0)
    }

    fn is_loaded_by(&self, op: &Op) -> bool {
        op.access == Some(Access { store: false, ..self.access })
    }
}

impl Rewriter<'_> {
    /// Moves what a loop carries by a value to memory; says whether that was possible.
    pub(super) fn carried_through_memory(&mut self, region: usize, value: ValueId) -> bool {
        let Region::Loop(counted) = &self.code.regions[region] else { return false };
        let Some(carried) = counted.carried.iter().find(|c| c.value == value).copied() else { return false };
        let class = self.code.values[value as usize].class;
        let ways = (Way::to_store(self.isa, class), Way::to_load(self.isa, class));
        let (Some(store), Some(load)) = ways else { return false };
        let Some((object, pointer, offset)) = self.room() else { return false };
        let access = Access { object, offset: Some((offset, 0)), bytes: self.isa.word_bits / 8, store: false };
        let place = Place { store, load, pointer, access };
        self.in_iterations(region, carried, &place);
        self.behind(region, carried, &place);
        self.before(region, carried.init, &place);
        true
    }

    fn in_iterations(&mut self, region: usize, carried: CarriedValue, place: &Place) {
        let loads = place.loads(self, carried.value);
        let uses = self.uses_in(region, carried.value);
        self.again_at(carried.value, region, &uses, &loads);
        let Region::Loop(counted) = &mut self.code.regions[region] else { return };
        counted.carried.retain(|c| c.value != carried.value);
        if counted.carried.iter().any(|c| c.next == carried.value) {
            let end = counted.ops.len();
            let (last, ops) = self.copied(&loads);
            self.insert(region, end, ops);
            let Region::Loop(counted) = &mut self.code.regions[region] else { return };
            counted.carried.iter_mut().filter(|c| c.next == carried.value).for_each(|c| c.next = last);
        }
        if carried.next != carried.value {
            let stores = place.stores(self, carried.next);
            let before = |op: &Op| op.defines.contains(&carried.next) || place.is_loaded_by(op);
            let at = self.code.regions[region].ops().iter().rposition(before).map_or(0, |last| last + 1);
            self.insert(region, at, stores);
        }
    }

    /// What uses the value of the last iteration loads it: near the use, or before a loop.
    fn behind(&mut self, region: usize, carried: CarriedValue, place: &Place) {
        for k in region + 1..self.code.regions.len() {
            let loads = place.loads(self, carried.next);
            let uses = self.uses_in(k, carried.next);
            let Region::Loop(counted) = &self.code.regions[k] else {
                self.again_at(carried.next, k, &uses, &loads);
                continue;
            };
            if uses.is_empty() && !counted.carried.iter().any(|c| c.init == carried.next || c.next == carried.next) {
                continue;
            }
            let end = self.code.regions[k - 1].ops().len();
            let (new, ops) = self.copied(&loads);
            self.insert(k - 1, end, ops);
            let Region::Loop(counted) = &mut self.code.regions[k] else { continue };
            counted.ops.iter_mut().for_each(|op| replace(op, carried.next, new));
            for c in &mut counted.carried {
                c.init = if c.init == carried.next { new } else { c.init };
                c.next = if c.next == carried.next { new } else { c.next };
            }
        }
    }

    /// The value of the first iteration is stored as soon as it is there, but not in a loop.
    fn before(&mut self, region: usize, init: ValueId, place: &Place) {
        let stores = place.stores(self, init);
        let defines = |op: &Op| op.defines.contains(&init);
        let mut before = self.code.regions[..region].iter().enumerate().rev();
        let made = before.find_map(|(k, r)| Some((k, r.ops().iter().rposition(defines)?)));
        let (region, at) = match made {
            Some((k, at)) if matches!(self.code.regions[k], Region::Straight(_)) => (k, at + 1),
            Some((k, _)) if matches!(self.code.regions[k + 1], Region::Straight(_)) => (k + 1, 0),
            _ => (region - 1, 0),
        };
        self.insert(region, at, stores);
    }

    /// Where operations of a region that use a value stand now.
    fn uses_in(&self, region: usize, value: ValueId) -> Vec<usize> {
        let uses = |op: &Op| op.uses.contains(&Use::Value(value)) || op.guard == Some(value);
        let ops = self.code.regions[region].ops().iter().enumerate();
        ops.filter(|(_, op)| uses(op)).map(|(n, _)| n).collect()
    }
}
