//! Addresses in memory beside an accumulator: pointers that are remembered, loads and stores by them.

use std::sync::Arc;

use program::Diagnostic;

use super::accumulator::moved;
use super::state::KEY;
use super::{AllocationResult, Allocator, Stop};
use crate::code::{Access, Instruction, Line, Machine, Source};
use crate::isa::{AccumulatorMode, Opcode, ACCUMULATOR};
use crate::operand::{Address, Expression, Operand, Pointer, Register, Step};

/// How far an address is moved by increments.
const NEAR: i64 = 3;

/// An object with an index, and the distance.
type IndexedObject = (Arc<str>, Vec<Source>, i64);

/// Addresses in registers.
#[derive(Debug, Default)]
pub struct Pointers {
    /// The two registers of short addresses, and the one to be set next.
    known: [Option<IndexedObject>; 2],
    pub turn: usize,
    /// One that an instruction still needs.
    pub locked: Option<usize>,
    page: Option<Arc<str>>,
    table: Option<Arc<str>>,
    data: Option<IndexedObject>,
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
    pub fn reaching(
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

    pub fn set(&mut self, r: usize, object: &Arc<str>, index: &[Source], at: i64) {
        self.turn = 1 - r;
        self.known[r] = Some((Arc::clone(object), index.to_vec(), at));
    }
}

impl Allocator<'_> {
    pub(super) fn mode(&self) -> &AccumulatorMode {
        self.isa.accumulator.as_ref().expect("there is one")
    }

    /// An address as a number: a part of the place of an object, 0 all of it, 1 the low byte, 2 the high one.
    pub(super) fn part(&self, part: usize, object: &Arc<str>, at: Option<i64>) -> Operand {
        let part = self.mode().parts[part];
        Operand::Number(Expression { part, symbol: Some(Arc::clone(object)), distance: at })
    }

    pub(super) fn push(&mut self, opcode: Opcode, operands: Vec<Operand>) {
        self.lines.push(Line::Machine(Machine::new(opcode, operands)));
    }

    pub(super) fn mov(&mut self, d: Operand, s: Operand) {
        self.push(self.isa.moves.copy.opcode, vec![d, s]);
    }

    pub(super) fn move_pointer(&mut self, r: usize, by: i64) {
        let opcode = if by > 0 { self.mode().increment } else { self.mode().decrement };
        for _ in 0..by.abs() {
            self.push(opcode, vec![Operand::Register(r as Register)]);
        }
    }

    pub(super) fn access(&mut self, i: &Instruction, access: &Access, outer: bool) -> AllocationResult<()> {
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
        self.emit(Machine::new(self.isa.moves.copy.opcode, vec![at, operand]));
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

    /// Lets the upper byte of short addresses be that of an object.
    pub(super) fn set_page(&mut self, object: &Arc<str>) {
        if self.acc().pointers.page.as_ref() != Some(object) {
            let page = Expression { part: 0, symbol: Some(Arc::clone(&self.mode().page)), distance: None };
            let upper = self.part(2, object, None);
            self.mov(Operand::Memory(Address { at: page, bits: 0 }), upper);
            self.acc().pointers.page = Some(Arc::clone(object));
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

pub(super) fn pointer(r: usize) -> Operand {
    Operand::Pointer(Pointer { base: r as Register, step: Step::None, displacement: None })
}

fn in_a_loop() -> Stop {
    let help = "load the block before the loop, or make code without loops: --unrolled".to_owned();
    Stop::Refused(Box::new(Diagnostic::new("E116", "an access to the block in a loop is not made yet").help(help)))
}
