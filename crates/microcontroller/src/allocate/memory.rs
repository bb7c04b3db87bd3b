//! Values in upper internal and in external memory, beside an accumulator.
//!
//! A byte of upper internal memory is an operand like others, a cycle dearer. What has no room there goes to external
//! memory and comes back before it is used. Only code without loops is made so.

use std::cmp::Reverse;
use std::sync::Arc;

use super::pointers::pointer;
use super::state::KEY;
use super::{Allocator, BLOCK, NAMED};
use crate::code::{Instruction, Line, Machine, Source, Value};
use crate::isa::{ACCUMULATOR, AUXILIARY};
use crate::operand::{Address, Expression, Operand, Register};

impl Allocator<'_> {
    /// Whether only pointers reach a register.
    pub(super) fn is_far(&self, r: Register) -> bool {
        let from = u32::from(NAMED) + self.objects.near_bytes;
        (from..from + self.objects.far_bytes).contains(&r.into())
    }

    /// Appends a line; registers in memory become addresses. What only pointers reach needs one before.
    pub(super) fn emit_internal(&mut self, mut machine: Machine) {
        if let Some(n) = machine.operands.iter().position(|o| matches!(o, Operand::Register(r) if self.is_far(*r))) {
            let Operand::Register(r) = machine.operands[n] else { unreachable!("it is one") };
            let at = i64::from(r) - i64::from(NAMED) - i64::from(self.objects.near_bytes);
            let object = Arc::clone(&self.objects.far);
            machine.operands[n] = self.pointed(&object, at, 0);
        }
        for operand in &mut machine.operands {
            let byte =
                |object, at: Register| Operand::Memory(Address { at: Expression::at(object, at.into()), bits: 0 });
            if let Operand::Register(r) = *operand {
                *operand = match r {
                    ACCUMULATOR | AUXILIARY => continue,
                    r if r < NAMED => continue,
                    KEY.. => byte(&self.objects.key, r - KEY),
                    BLOCK.. => byte(&self.objects.block, r - BLOCK),
                    _ => byte(&self.objects.values, r - NAMED),
                };
            }
        }
        self.lines.push(Line::Machine(machine));
    }

    /// A pointer to a byte: the one that holds its address or the next one, or else the one set longer ago.
    fn pointed(&mut self, object: &Arc<str>, at: i64, part: usize) -> Operand {
        let known = &self.acc().pointers;
        let locked = known.locked;
        let r = match known.reaching(object, &[], at, |r| i64::from(Some(r) != locked)) {
            Some((r, by)) => {
                self.move_pointer(r, by);
                r
            }
            None => {
                let r = if locked == Some(known.turn) { 1 - known.turn } else { known.turn };
                let address = self.part(part, object, Some(at));
                self.mov(Operand::Register(r as Register), address);
                r
            }
        };
        self.acc().pointers.set(r, object, &[], at);
        pointer(r)
    }

    /// A register that holds nothing; if need be a value makes room, the one used latest.
    pub(super) fn take_internal(&mut self, exclude: &[Register], hint: Option<Register>) -> Register {
        let near = self.acc().near;
        let fits = |r: &Register| !(near && self.is_far(*r));
        let free: Vec<Register> = self.free(false, exclude).into_iter().filter(fits).collect();
        if let Some(hint) = hint.filter(|r| free.contains(r)) {
            return hint;
        }
        let hinted = self.hinted();
        if let Some(r) = free.into_iter().min_by_key(|r| (hinted.contains(r), self.is_far(*r), *r)) {
            return r;
        }
        let held = self.state.held().filter(|(r, _)| !exclude.contains(r) && *r != AUXILIARY && fits(r));
        let held: Vec<(Register, Source)> = held.collect();
        let reads = &self.accumulator.as_ref().expect("there is one").reads;
        let unread: Vec<_> = held.iter().copied().filter(|(_, s)| !reads.contains(s)).collect();
        let held = if unread.is_empty() { held } else { unread };
        let latest = |(r, s): &(Register, Source)| (self.next_use(*s, self.position - 1), Reverse(*r));
        let victim = held.into_iter().max_by_key(latest).expect("registers hold values").0;
        self.leave_internal(victim);
        victim
    }

    /// Makes a register free: its value moves to upper internal memory, or outside. The accumulator stays.
    fn leave_internal(&mut self, r: Register) {
        let s = self.state.holds(r).expect("it holds something");
        if !self.is_far(r) {
            if let Some(to) = self.free(false, &[]).into_iter().find(|f| self.is_far(*f)) {
                self.copy(to, r);
                self.state.drop(s);
                self.set(s, to);
                return;
            }
        }
        if let Some(v) = s.value().filter(|v| self.state.slot(*v).is_none()) {
            let slot = self.new_slot();
            self.state.set_slot(v, slot);
            let exchange = self.mode().exchange;
            let exchanged = |r| Machine::new(exchange, vec![Operand::Register(ACCUMULATOR), Operand::Register(r)]);
            self.emit(exchanged(r));
            let far = self.is_far(r);
            let known = &mut self.acc().pointers;
            if far {
                known.locked = Some(1 - known.turn);
            }
            let at = self.external(slot);
            self.push(self.mode().external, vec![at, Operand::Register(ACCUMULATOR)]);
            self.acc().pointers.locked = None;
            self.emit(exchanged(r));
        }
        self.state.drop(s);
    }

    /// A pointer to a slot in external memory.
    fn external(&mut self, slot: u32) -> Operand {
        let object = Arc::clone(&self.objects.outside);
        self.set_page(&object);
        self.pointed(&object, slot.into(), 1)
    }

    /// Whether a source is in external memory alone.
    pub(super) fn absent(&self, s: Source) -> bool {
        let held = self.accumulator.as_ref().and_then(|known| known.held);
        s.value().is_some() && self.register(s).is_none() && held != Some(s)
    }

    /// Brings a value from external memory into the accumulator.
    pub(super) fn bring_back(&mut self, s: Source) {
        self.save();
        let slot = s.value().and_then(|v| self.state.slot(v)).expect("it is in external memory");
        let at = self.external(slot);
        self.push(self.mode().external, vec![Operand::Register(ACCUMULATOR), at]);
        self.acc().held = Some(s);
    }

    /// Brings a value into internal memory.
    pub(super) fn present(&mut self, v: Value) {
        self.bring_in(Source::Value(v));
        if self.register(Source::Value(v)).is_none() {
            self.store(v);
        }
    }

    /// Stores what is in the accumulator if it is one of several sources and came from outside.
    pub(super) fn keep(&mut self, sources: &[Source]) {
        let held = self.acc().held;
        if let Some(v) = held.filter(|s| sources.contains(s)).and_then(Source::value) {
            if self.state.slot(v).is_some() {
                self.present(v);
            }
        }
    }

    /// Brings back what is in external memory alone.
    pub(super) fn back(&mut self, sources: &[Source]) {
        for s in sources {
            if let Source::Value(v) = s {
                if self.absent(*s) {
                    self.present(*v);
                }
            }
        }
    }

    /// Brings the sources of an instruction to where direct addresses reach them.
    pub(super) fn before_general(&mut self, i: &Instruction) {
        self.settle();
        self.acc().near = true;
        let sources: Vec<Source> = i.sources().collect();
        self.keep(&sources);
        self.back(&sources);
        for s in sources {
            if let Some(r) = self.register(s).filter(|r| self.is_far(*r)) {
                let to = self.take_internal(&[], None);
                self.copy(to, r);
                self.state.drop(s);
                self.set(s, to);
            }
        }
    }
}
