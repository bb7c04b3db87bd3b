//! Addresses in memory beside an accumulator: pointers that are remembered, values in upper internal and in external memory.
//!
//! A byte of upper internal memory is an operand like others, a cycle dearer. What has no room there goes to external
//! memory and comes back before it is used. Only code without loops is made so.

use std::cmp::Reverse;
use std::sync::Arc;

use program::Diagnostic;

use super::accumulator::moved;
use super::state::KEY;
use super::{Allocator, Done, Stop, BLOCK, NAMED};
use crate::code::{Access, Instruction, Line, Machine, Source, Value};
use crate::isa::{AccumulatorMode, Opcode, ACCUMULATOR, AUXILIARY};
use crate::operand::{Address, Expression, Operand, Pointer, Register, Step};

/// How far an address is moved by increments.
const NEAR: i64 = 3;

/// An object with an index, and the distance.
type Known = (Arc<str>, Vec<Source>, i64);

/// Addresses in registers.
#[derive(Debug, Default)]
pub struct Pointers {
    /// The two registers of short addresses, and the one to be set next.
    known: [Option<Known>; 2],
    turn: usize,
    /// One that an instruction still needs.
    locked: Option<usize>,
    page: Option<Arc<str>>,
    table: Option<Arc<str>>,
    data: Option<Known>,
}

impl Pointers {
    /// The data pointer is lost.
    pub fn forget_data(&mut self) {
        (self.table, self.data) = (None, None);
    }

    /// The first short pointer is lost.
    pub fn forget_first(&mut self) {
        self.known[0] = None;
    }

    /// The register that points to a place, or near it, and how far from it.
    fn reaching(
        &self,
        object: &Arc<str>,
        index: &[Source],
        at: i64,
        reach: impl Fn(usize) -> i64,
    ) -> Option<(usize, i64)> {
        self.known.iter().enumerate().find_map(|(r, known)| {
            let (name, indices, before) = known.as_ref()?;
            let by = at - before;
            (name == object && indices == index && by.abs() <= reach(r)).then_some((r, by))
        })
    }

    fn set(&mut self, r: usize, object: &Arc<str>, index: &[Source], at: i64) {
        self.turn = 1 - r;
        self.known[r] = Some((Arc::clone(object), index.to_vec(), at));
    }
}

impl Allocator<'_> {
    fn mode(&self) -> &AccumulatorMode {
        self.isa.accumulator.as_ref().expect("there is one")
    }

    /// An address as a number: a part of the place of an object, 0 all of it, 1 the low byte, 2 the high one.
    fn part(&self, part: usize, object: &Arc<str>, at: Option<i64>) -> Operand {
        let part = self.mode().parts[part];
        Operand::Number(Expression { part, symbol: Some(Arc::clone(object)), distance: at })
    }

    fn push(&mut self, opcode: Opcode, operands: Vec<Operand>) {
        self.lines.push(Line::Machine(Machine { opcode, operands }));
    }

    fn mov(&mut self, d: Operand, s: Operand) {
        self.push(self.isa.moves.copy.opcode, vec![d, s]);
    }

    fn move_pointer(&mut self, r: usize, by: i64) {
        let opcode = if by > 0 { self.mode().increment } else { self.mode().decrement };
        for _ in 0..by.abs() {
            self.push(opcode, vec![Operand::Register(r as Register)]);
        }
    }

    // Bytes of internal memory as registers.

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
            let exchanged =
                |r| Machine { opcode: exchange, operands: vec![Operand::Register(ACCUMULATOR), Operand::Register(r)] };
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

    fn set_page(&mut self, object: &Arc<str>) {
        if self.acc().pointers.page.as_ref() != Some(object) {
            let page = Expression { part: 0, symbol: Some(Arc::clone(&self.mode().page)), distance: None };
            let upper = self.part(2, object, None);
            self.mov(Operand::Memory(Address { at: page, bits: 0 }), upper);
            self.acc().pointers.page = Some(Arc::clone(object));
        }
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
    fn present(&mut self, v: Value) {
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

    // Loads and stores.

    pub(super) fn access(&mut self, i: &Instruction, access: &Access, outer: bool) -> Done<()> {
        let far = self.objects.far_bytes > 0;
        if far && !access.index.is_empty() {
            self.save();
            for v in i.read() {
                if self.register(Source::Value(v)).is_none() {
                    self.present(v);
                }
            }
        }
        if access.object == self.objects.block {
            return if outer { Ok(()) } else { Err(in_a_loop()) };
        }
        match i.outs.first() {
            Some(d) if access.object == self.objects.key && access.index.is_empty() => {
                self.set(Source::Value(*d), KEY + access.at as Register);
            }
            Some(d) => {
                self.save();
                let at = self.address(access);
                let opcode = self.moving(access);
                self.push(opcode, vec![Operand::Register(ACCUMULATOR), at]);
                self.acc().held = Some(Source::Value(*d));
            }
            None if far => self.stored_by_accumulator(moved(i), access),
            None => self.stored(moved(i), access),
        }
        Ok(())
    }

    fn moving(&self, access: &Access) -> Opcode {
        if access.external {
            self.mode().external
        } else {
            self.isa.moves.copy.opcode
        }
    }

    fn stored(&mut self, s: Source, access: &Access) {
        let at = self.address(access);
        if access.external {
            self.bring_in(s);
            self.push(self.mode().external, vec![at, Operand::Register(ACCUMULATOR)]);
            return;
        }
        let operand = match s {
            Source::Value(_) if self.acc().held == Some(s) => Operand::Register(ACCUMULATOR),
            _ => self.operand(s),
        };
        self.emit(Machine { opcode: self.isa.moves.copy.opcode, operands: vec![at, operand] });
    }

    /// Stores by the accumulator alone: an address takes one of the pointers that far bytes need.
    fn stored_by_accumulator(&mut self, s: Source, access: &Access) {
        let number = s.value().is_none() && !access.external;
        let indexed = !access.index.is_empty();
        if !indexed && !number {
            self.bring_in(s);
        }
        let at = self.address(access);
        if number {
            let operand = self.operand(s);
            self.mov(at, operand);
            return;
        }
        if indexed {
            self.acc().pointers.locked = match &at {
                Operand::Pointer(p) => Some(usize::from(p.base)),
                _ => None,
            };
            self.bring_in(s);
            self.acc().pointers.locked = None;
        }
        let opcode = self.moving(access);
        self.push(opcode, vec![at, Operand::Register(ACCUMULATOR)]);
    }

    /// Makes an address.
    fn address(&mut self, access: &Access) -> Operand {
        let Access { object, at, index, external, paged, .. } = access;
        if !paged {
            return self.in_data_pointer(access);
        }
        if *external {
            self.set_page(object);
        }
        let reach = if index.is_empty() { 1 } else { NEAR };
        let known = &self.acc().pointers;
        let (turn, found) = (known.turn, known.reaching(object, index, *at, |_| reach));
        let r = found.map_or(turn, |(r, _)| r);
        match found {
            Some((_, by)) => self.move_pointer(r, by),
            None => self.set_pointer(r, access),
        }
        self.acc().pointers.set(r, object, index, *at);
        pointer(r)
    }

    fn set_pointer(&mut self, r: usize, access: &Access) {
        let low = self.part(usize::from(access.external), &access.object, Some(access.at));
        let register = Operand::Register(r as Register);
        match access.index.first() {
            None => self.mov(register, low),
            Some(index) => {
                self.bring_in(*index);
                self.push(self.mode().add, vec![Operand::Register(ACCUMULATOR), low]);
                self.mov(register, Operand::Register(ACCUMULATOR));
                self.forget_accumulator();
            }
        }
    }

    /// Makes an address of two bytes.
    fn in_data_pointer(&mut self, access: &Access) -> Operand {
        let Access { object, at, index, .. } = access;
        let (pointer, memory) = self.mode().data_pointer;
        let known = self.acc().pointers.data.as_ref();
        let by =
            known.filter(|(name, indices, _)| name == object && indices == index).map(|(_, _, before)| at - before);
        match by {
            Some(by @ 0..=1) => {
                for _ in 0..by {
                    self.push(self.mode().increment, vec![Operand::Named(pointer)]);
                }
            }
            _ if index.is_empty() => {
                let whole = self.part(0, object, Some(*at));
                self.mov(Operand::Named(pointer), whole);
            }
            _ => self.add_to_data_pointer(access),
        }
        let known = &mut self.acc().pointers;
        (known.table, known.data) = (None, Some((Arc::clone(object), index.clone(), *at)));
        Operand::Named(memory)
    }

    fn add_to_data_pointer(&mut self, access: &Access) {
        self.save();
        let halves = self.mode().data_pointer_halves.clone();
        let adding = [self.mode().add, self.mode().add_carry];
        for (n, (s, half)) in access.index.iter().zip(halves).enumerate() {
            self.bring_in(*s);
            let part = self.part(n + 1, &access.object, Some(access.at));
            self.push(adding[n], vec![Operand::Register(ACCUMULATOR), part]);
            let half = Address { at: Expression { part: 0, symbol: Some(half), distance: None }, bits: 0 };
            self.mov(Operand::Memory(half), Operand::Register(ACCUMULATOR));
            self.forget_accumulator();
        }
    }

    /// Lets the data pointer be a table's address.
    pub(super) fn set_table(&mut self, table: &Arc<str>) {
        if self.acc().pointers.table.as_ref() != Some(table) {
            let address = Expression { part: 0, symbol: Some(Arc::clone(table)), distance: None };
            let (pointer, _) = self.mode().data_pointer;
            self.mov(Operand::Named(pointer), Operand::Number(address));
            let known = &mut self.acc().pointers;
            (known.table, known.data) = (Some(Arc::clone(table)), None);
        }
    }
}

fn pointer(r: usize) -> Operand {
    Operand::Pointer(Pointer { base: r as Register, step: Step::None, displacement: None })
}

fn in_a_loop() -> Stop {
    Stop::Refused(Box::new(Diagnostic::new("E109", "an access to the block in a loop is not made yet")))
}
