//! Results in an accumulator, stored only if they are needed after the next ones.
//!
//! Bytes of internal memory are the registers: with the accumulator every operation takes either. The block and the key are
//! registers from the start, so loading them costs nothing; what is stored into the block is moved there at the end, or
//! made there. Pointers, the page and the data pointer are addresses that are remembered: one further is an increment
//! ([`super::memory`]). Which values the accumulator holds is known at every instruction and decides the next one: no
//! register of a class is like that, which is why this is a problem of its own.

use std::collections::HashSet;
use std::sync::Arc;

use super::pointers::Pointers;
use super::state::KEY;
use super::{AllocationResult, Allocator, BLOCK, BLOCK_BYTES, NAMED};
use crate::code::{Access, Instruction, Item, Line, Loop, Source, Value};
use crate::isa::{ACCUMULATOR, AUXILIARY};
use crate::operand::{Operand, Register};

/// What is known beyond registers.
#[derive(Debug, Default)]
pub struct Accumulator {
    /// What the accumulator holds.
    pub held: Option<Source>,
    /// What the instruction reads, and what its further parts read.
    pub reads: Vec<Source>,
    soon: Vec<Source>,
    pub following: Option<Item>,
    /// Where the block's bytes begin, and what they are at the end.
    starts: Vec<(Value, Register)>,
    ends: Vec<(Register, Source)>,
    /// Accesses to the block outside of loops, which need no lines.
    outer: HashSet<*const Instruction>,
    /// Addresses in registers.
    pub pointers: Pointers,
    /// Registers have to be reached by direct addresses.
    pub near: bool,
}

/// Registers in memory at the beginning; an order that holds more values at once gets more. One whose values have room is chosen.
const MEMORY: Register = 800;

impl Allocator<'_> {
    pub(super) fn acc(&mut self) -> &mut Accumulator {
        self.accumulator.as_mut().expect("there is one")
    }

    pub(super) fn in_accumulator(&self) -> Option<Source> {
        self.accumulator.as_ref().and_then(|known| known.held)
    }

    /// Prepares for an accumulator: the block's bytes are registers.
    pub(super) fn accumulate(&mut self) {
        let mut known = Accumulator::default();
        let first_far = Register::try_from(u32::from(NAMED) + self.objects.near_bytes + self.objects.far_bytes);
        self.available.extend(NAMED..NAMED + MEMORY);
        if let (Ok(most), true) = (first_far, self.objects.far_bytes > 0) {
            self.available.retain(|r| *r < most);
        }
        for item in &self.code.items {
            let Item::Instruction(i) = item else { continue };
            let Some(access) = i.access.as_ref().filter(|a| self.is_block(a) && a.index.is_empty()) else { continue };
            known.outer.insert(Arc::as_ptr(i));
            let r = BLOCK + access.at as Register;
            match i.outs.first() {
                Some(d) => known.starts.push((*d, r)),
                None => set(&mut known.ends, r, moved(i)),
            }
        }
        for (r, s) in &known.ends {
            if let Source::Value(v) = s {
                self.uses.add(*s, self.uses.last + 1);
                self.hints.entry(*v).or_insert(*r);
            }
        }
        if !known.starts.is_empty() || !known.ends.is_empty() {
            self.available.extend(BLOCK..BLOCK + BLOCK_BYTES);
        }
        self.accumulator = Some(known);
    }

    fn is_block(&self, access: &Access) -> bool {
        access.object == self.objects.block
    }

    pub(super) fn run_accumulator(&mut self) -> AllocationResult<()> {
        for (v, r) in self.acc().starts.clone() {
            if !self.uses.of(Source::Value(v)).is_empty() {
                self.set(Source::Value(v), r);
            }
        }
        self.items(&self.code.items)?;
        self.position += 1;
        self.settle();
        let ends = self.acc().ends.clone();
        self.move_all(&ends)
    }

    /// Knows nothing of the accumulator and of addresses.
    pub(super) fn forget(&mut self) {
        let known = self.acc();
        known.held = None;
        known.pointers = Pointers::default();
    }

    /// Stores what the accumulator and the auxiliary register hold alone.
    pub(super) fn settle(&mut self) {
        self.save();
        self.leave_auxiliary();
    }

    pub(super) fn forget_accumulator(&mut self) {
        self.acc().held = None;
    }

    pub(super) fn wanted(&self, s: Source, after: u32) -> bool {
        let soon = self.accumulator.as_ref().is_some_and(|known| known.soon.contains(&s));
        s.value().is_some() && (!self.dead(s, after) || soon)
    }

    /// Stores what is in the accumulator alone and still needed.
    pub(super) fn save(&mut self) {
        let Some(s @ Source::Value(v)) = self.in_accumulator() else { return };
        let outside = self.objects.far_bytes > 0 && self.state.slot(v).is_some();
        if !outside && self.register(s).is_none() && self.wanted(s, self.position - 1) {
            self.store(v);
        }
    }

    /// Stores the accumulator, which holds a value, in a byte that is free.
    pub(super) fn store(&mut self, v: Value) {
        let r = self.take_byte(&[], self.hints.get(&v).copied());
        self.copy(r, ACCUMULATOR);
        self.set(Source::Value(v), r);
    }

    /// A register; there are as many as an order needs, or values leave to external memory.
    pub(super) fn take_byte(&mut self, exclude: &[Register], hint: Option<Register>) -> Register {
        self.take(exclude, false, hint).expect("bytes of memory are enough")
    }

    /// Moves a value that is still needed out of the auxiliary register.
    pub(super) fn leave_auxiliary(&mut self) {
        let Some(s) = self.state.holds(AUXILIARY) else { return };
        if self.wanted(s, self.position - 1) {
            let hint = s.value().and_then(|v| self.hints.get(&v).copied());
            let r = self.take_byte(&[], hint);
            self.copy(r, AUXILIARY);
            self.state.drop(s);
            self.set(s, r);
        } else {
            self.state.drop(s);
        }
    }

    /// Brings a source into the accumulator.
    pub(super) fn bring_in(&mut self, s: Source) {
        if self.objects.far_bytes > 0 && self.absent(s) {
            self.bring_back(s);
            return;
        }
        if let (true, Source::Value(v)) = (self.in_accumulator() == Some(s), s) {
            let often = self.acc().reads.iter().filter(|x| **x == s).count() > 1;
            if (self.wanted(s, self.position) || often) && self.register(s).is_none() {
                self.store(v);
            }
            return;
        }
        self.save();
        match s {
            Source::Number(n) => self.number(ACCUMULATOR, n),
            Source::Value(_) => {
                let r = self.register(s).expect("it is in a register");
                self.copy(ACCUMULATOR, r);
            }
        }
        self.acc().held = Some(s);
    }

    pub(super) fn operand(&self, s: Source) -> Operand {
        match s {
            Source::Number(n) => Operand::number(n.into()),
            Source::Value(_) => Operand::Register(self.register(s).expect("it is in a register")),
        }
    }

    // Instructions.

    pub(super) fn accumulated_instruction(
        &mut self,
        i: &Arc<Instruction>,
        following: Option<&Item>,
    ) -> AllocationResult<()> {
        let known = self.acc();
        known.following = following.cloned();
        known.reads = i.sources().collect();
        if let Some(access) = &i.access {
            let outer = known.outer.contains(&Arc::as_ptr(i));
            self.access(i, access, outer)?;
        } else if !i.parts.is_empty() {
            self.glued(i);
        } else if i.tied.len() > 1 || i.temps > 0 || i.results().next().is_none() {
            self.general(i);
        } else if !self.in_place(i) {
            self.accumulated(i);
        }
        for s in i.sources() {
            self.release(s);
        }
        for d in i.results().map(Source::Value) {
            if self.in_accumulator() != Some(d) {
                self.release(d);
            }
        }
        Ok(())
    }

    fn glued(&mut self, i: &Instruction) {
        for (n, part) in i.parts.iter().enumerate() {
            self.acc().soon = i.parts[n + 1..].iter().flat_map(Instruction::sources).collect();
            self.acc().reads = part.sources().collect();
            self.accumulated(part);
        }
        self.acc().soon.clear();
    }

    /// Makes a result in the accumulator; of the other results of products the upper byte is in the auxiliary register.
    fn accumulated(&mut self, i: &Instruction) {
        let mut sources: Vec<Source> = i.sources().collect();
        if self.objects.far_bytes > 0 && sources.len() > 1 {
            self.keep(&sources);
            self.back(&sources[usize::from(!i.commutative && !i.tied.is_empty())..]);
        }
        if i.commutative && self.in_accumulator() == Some(sources[1]) && sources[1] != sources[0] {
            sources.reverse();
        }
        if let Some(table) = &i.setting {
            self.set_table(table);
        }
        if i.tied.is_empty() {
            self.save();
        } else {
            self.bring_in(sources[0]);
        }
        if i.lines.iter().any(|line| self.writes(line, AUXILIARY)) {
            self.leave_auxiliary();
        }
        if i.lines.iter().any(|line| self.writes_data_pointer(line)) {
            self.acc().pointers.forget_data();
        }
        let mut named = vec![Operand::Register(ACCUMULATOR); i.tied.len() + i.outs.len()];
        named.extend(sources[i.tied.len()..].iter().map(|s| self.operand(*s)));
        for line in &i.lines {
            self.emit_line(line, &named);
        }
        let mut made = i.results().map(Source::Value);
        self.acc().held = made.next();
        if let Some(upper) = made.next() {
            self.set(upper, AUXILIARY);
        }
    }

    fn writes(&self, line: &Line, r: Register) -> bool {
        matches!(line, Line::Machine(machine) if self.isa.written(machine).contains(&r))
    }

    fn writes_data_pointer(&self, line: &Line) -> bool {
        let named = |o: &Operand| o.expression().is_some_and(|e| e.names("dph"));
        matches!(line, Line::Machine(machine) if machine.operands.first().is_some_and(named))
    }

    /// What a loop carries leaves the key, which is only read.
    pub(super) fn before_loop(&mut self, l: &Loop) -> AllocationResult<()> {
        self.settle();
        self.forget_accumulator();
        for (_, init, _) in &l.carried {
            if let Some(at) = self.register(*init).filter(|r| *r >= KEY) {
                let r = self.take_byte(&[], None);
                self.copy(r, at);
                self.state.drop(*init);
                self.set(*init, r);
            }
        }
        Ok(())
    }

    /// What is moved has to be in internal memory.
    pub(super) fn before_moves(&mut self, wanted: &[(Register, Source)]) -> AllocationResult<()> {
        if self.objects.far_bytes > 0 {
            let sources: Vec<Source> = wanted.iter().map(|(_, s)| *s).collect();
            self.acc().reads.clone_from(&sources);
            self.keep(&sources);
            self.back(&sources);
        }
        Ok(())
    }
}

/// What an access stores.
pub(super) fn moved(i: &Instruction) -> Source {
    i.outs.first().map_or_else(|| *i.ins.last().expect("a store has a source"), |d| Source::Value(*d))
}

fn set(ends: &mut Vec<(Register, Source)>, r: Register, s: Source) {
    match ends.iter_mut().find(|(known, _)| *known == r) {
        Some((_, old)) => *old = s,
        None => ends.push((r, s)),
    }
}
