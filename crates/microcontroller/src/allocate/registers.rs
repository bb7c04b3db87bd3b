//! Values in registers: brought there, taken out, stored where they are needed again.

use std::collections::BTreeSet;

use program::Diagnostic;

use super::{filled, state, uses, AllocationResult, Allocator, Stop, BLOCK, NAMED};
use crate::code::{Source, Value};
use crate::operand::{Operand, Register};

impl Allocator<'_> {
    pub(super) fn next_use(&self, s: Source, after: u32) -> u64 {
        self.uses.next(s, after)
    }

    /// Whether nothing uses a source after a position.
    pub(super) fn dead(&self, s: Source, after: u32) -> bool {
        self.next_use(s, after) == uses::NEVER
    }

    pub(super) fn register(&self, s: Source) -> Option<Register> {
        self.state.register(s)
    }

    /// The registers of those sources that are in registers.
    pub(super) fn registers(&self, sources: impl Iterator<Item = Source>) -> Vec<Register> {
        sources.filter_map(|s| self.register(s)).collect()
    }

    pub(super) fn free(&self, upper: bool, exclude: &[Register]) -> Vec<Register> {
        let is_free =
            |r: &&Register| self.state.holds(**r).is_none() && !exclude.contains(r) && (!upper || self.isa.upper(**r));
        self.available.iter().filter(is_free).copied().collect()
    }

    pub(super) fn set(&mut self, s: Source, r: Register) {
        self.state.place(s, r);
        if r < state::KEY {
            self.used.insert(r);
        }
    }

    /// A register that holds nothing, if need be after making one free.
    pub(super) fn take(
        &mut self,
        exclude: &[Register],
        upper: bool,
        hint: Option<Register>,
    ) -> AllocationResult<Register> {
        if self.accumulator.is_some() && self.objects.far_bytes > 0 {
            return Ok(self.take_internal(exclude, hint));
        }
        let free = self.free(upper, exclude);
        if let Some(hint) = hint.filter(|r| free.contains(r)) {
            return Ok(hint);
        }
        let hinted = self.hinted();
        if let Some(r) = free.iter().copied().min_by_key(|r| (hinted.contains(r), *r)) {
            return Ok(r);
        }
        if self.accumulator.is_some() {
            return self.another_byte();
        }
        self.make_free(exclude, upper)
    }

    /// The same for a value, which an instruction with a number may change next.
    pub(super) fn take_for(
        &mut self,
        d: Value,
        exclude: &[Register],
        upper: bool,
        hint: Option<Register>,
    ) -> AllocationResult<Register> {
        let wishes = self.numbered.contains(&d) && hint.is_none() && !self.free(true, exclude).is_empty();
        self.take(exclude, upper || wishes, hint)
    }

    /// One more byte of memory, of those that are registers.
    fn another_byte(&mut self) -> AllocationResult<Register> {
        let r = self.available.iter().filter(|r| **r < BLOCK).max().map_or(NAMED, |r| r + 1);
        if r == BLOCK {
            return Err(self.too_many());
        }
        self.available.push(r);
        Ok(r)
    }

    /// The registers that something that comes later would like.
    pub(super) fn hinted(&self) -> BTreeSet<Register> {
        self.waiting.keys().chain(self.hints.values()).copied().collect()
    }

    pub(super) fn make_free(&mut self, exclude: &[Register], upper: bool) -> AllocationResult<Register> {
        let low = if upper { self.free(false, exclude) } else { Vec::new() };
        let fits = |r: Register| !exclude.contains(&r) && (!upper || self.isa.upper(r));
        let candidates = self.state.held().filter(|(r, _)| fits(*r));
        let Some((victim, value)) = candidates.max_by_key(|(r, s)| (self.distance(*s), std::cmp::Reverse(*r))) else {
            return Err(self.too_many());
        };
        match (low.first(), value) {
            (Some(to), Source::Value(_)) if !self.dead(value, self.position - 1) => {
                self.state.drop(value);
                self.set(value, *to);
                self.copy(*to, victim);
            }
            _ => self.evict(value)?,
        }
        Ok(victim)
    }

    pub(super) fn too_many(&self) -> Stop {
        let message = format!("an instruction of `{}` needs more registers at once than there are", self.code.name);
        let help = "operations on narrower words need fewer; `assay emit c` has no such limit";
        Stop::Refused(Box::new(Diagnostic::new("E114", message).help(help)))
    }

    /// How good it is to take a source's register, in halves of positions: numbers are loaded again, what is in memory
    /// already is not stored again.
    pub(super) fn distance(&self, s: Source) -> i64 {
        let distance = self.next_use(s, self.position - 1) as i64 - i64::from(self.position);
        match s {
            Source::Number(_) => distance * 4 + 6,
            Source::Value(v) if self.state.slot(v).is_some() => distance * 3,
            Source::Value(_) => distance * 2,
        }
    }

    /// Takes a source out of its register; it is stored if it is needed again and not in memory.
    pub(super) fn evict(&mut self, s: Source) -> AllocationResult<()> {
        if let Some((id, _)) = self.outside.iter().find(|(_, known)| known.contains(&s)) {
            return Err(Stop::Restart(*id, s));
        }
        if let Source::Value(v) = s {
            if self.state.slot(v).is_none() && !self.dead(s, self.position - 1) {
                let slot = self.new_slot();
                self.state.set_slot(v, slot);
                let r = self.register(s).expect("it is in a register");
                self.put(slot, r);
            }
        }
        self.state.drop(s);
        Ok(())
    }

    pub(super) fn new_slot(&mut self) -> u32 {
        if !self.state.free_slots.is_empty() {
            return self.state.free_slots.remove(0);
        }
        self.slots += 1;
        self.slots - 1
    }

    /// Forgets a value that nothing uses any more.
    pub(super) fn release(&mut self, s: Source) {
        let Source::Value(v) = s else { return };
        if self.dead(s, self.position) {
            self.state.drop(s);
            if !self.kept.contains(&v) {
                let slot = self.state.take_slot(v);
                self.state.free_slots.extend(slot);
            }
        }
    }

    /// The register of a source; it may be one that it was brought into.
    pub(super) fn load(&mut self, s: Source, exclude: &[Register], upper: bool) -> AllocationResult<Register> {
        if let Some(r) = self.register(s) {
            if !upper || self.isa.upper(r) {
                return Ok(r);
            }
            let new = self.take(&[exclude, &[r]].concat(), true, None)?;
            self.copy(new, r);
            self.state.drop(s);
            self.set(s, new);
            return Ok(new);
        }
        let r = match s {
            Source::Number(n) => self.load_number(n, exclude, upper)?,
            Source::Value(v) => self.load_value(v, exclude, upper)?,
        };
        self.set(s, r);
        Ok(r)
    }

    pub(super) fn load_number(&mut self, n: i32, exclude: &[Register], upper: bool) -> AllocationResult<Register> {
        if n == 0 && !upper && self.free(true, exclude).is_empty() {
            if let (Some(clear), Some(low)) = (&self.isa.moves.clear, self.free(false, exclude).first()) {
                self.emit(filled(clear, &[Operand::Register(*low)]));
                return Ok(*low);
            }
        }
        let r = self.take(exclude, true, None)?;
        self.number(r, n);
        Ok(r)
    }

    pub(super) fn load_value(&mut self, v: Value, exclude: &[Register], upper: bool) -> AllocationResult<Register> {
        let r = self.take(exclude, upper, self.hints.get(&v).copied())?;
        let slot = self.state.slot(v).expect("a value is in a register or in memory");
        self.fetch(r, slot);
        if self.preferences.frugal && !self.kept.contains(&v) && !self.held.iter().any(|held| held.contains(&v)) {
            self.state.take_slot(v);
            self.state.free_slots.push(slot);
        }
        Ok(r)
    }
}
