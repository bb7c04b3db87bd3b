//! Results in an accumulator, stored only if they are needed after the next ones.
//!
//! Bytes of internal memory are the registers: with the accumulator every operation takes either. The block and the key are
//! registers from the start, so loading them costs nothing; what is stored into the block is moved there at the end, or
//! made there. Pointers, the page and the data pointer are addresses that are remembered: one further is an increment
//! ([`super::memory`]). Which values the accumulator holds is known at every instruction and decides the next one: no
//! register of a class is like that, which is why this is a problem of its own.

use std::collections::HashSet;
use std::sync::Arc;

use super::memory::Pointers;
use super::state::KEY;
use super::{Allocator, Done, BLOCK, BLOCK_BYTES, NAMED};
use crate::code::{Access, Instruction, Item, Line, Loop, Machine, Source, Value};
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
    following: Option<Item>,
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

/// Registers in memory: more than any order holds values at once; an order whose values have room is chosen.
const MEMORY: Register = 800;

impl Allocator<'_> {
    pub(super) fn acc(&mut self) -> &mut Accumulator {
        self.accumulator.as_mut().expect("there is one")
    }

    fn in_accumulator(&self) -> Option<Source> {
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

    pub(super) fn run_accumulator(&mut self) -> Done<()> {
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

    /// A register; there are more than any order needs, or values leave to external memory.
    fn take_byte(&mut self, exclude: &[Register], hint: Option<Register>) -> Register {
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

    pub(super) fn accumulated_instruction(&mut self, i: &Arc<Instruction>, following: Option<&Item>) -> Done<()> {
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

    /// Changes the byte of an operand that is not needed again, if that takes fewer cycles.
    fn in_place(&mut self, i: &Instruction) -> bool {
        let ([Line::Machine(line)], [(d, s)], [b, ..]) = (&i.lines[..], &i.tied[..], &i.ins[..]) else { return false };
        if !self.changes_memory(line) {
            return false;
        }
        let (d, s, b) = (Source::Value(*d), *s, *b);
        let in_a = self.in_accumulator();
        let in_value = in_a.filter(|x| x.value().is_some());
        let reads_a = in_value.is_some_and(|x| x == s || x == b);
        let pending = in_value.is_some_and(|x| self.register(x).is_none());
        let continues = self.continues(d);
        let once = self.uses.of(d).len() == 1;
        let mut least = u32::from(!reads_a) + 1 + u32::from(!(continues && once));
        least += u32::from(pending && reads_a && in_a.is_some_and(|x| self.wanted(x, self.position)));
        let mut best: Option<(Source, Source, Register)> = None;
        for (x, y) in [(s, b), (b, s)] {
            let Some(p) = self.register(x).filter(|_| x.value().is_some() && x != y) else { continue };
            if p >= KEY || p == AUXILIARY || self.is_far(p) || self.wanted(x, self.position) {
                continue;
            }
            let operand = if y.value().is_none() { 2 } else { 1 + u32::from(in_a != Some(y)) };
            let hint = d.value().and_then(|v| self.hints.get(&v).copied()).unwrap_or(p);
            let cycles = operand + u32::from(continues) + 2 * u32::from(hint != p);
            if cycles < least || (cycles == least && !continues) {
                (least, best) = (cycles, Some((x, y, p)));
            }
        }
        let Some((x, y, p)) = best else { return false };
        match y {
            Source::Number(n) => {
                self.change(line, p, Operand::number(n.into()));
                if self.in_accumulator() == Some(x) {
                    self.forget_accumulator();
                }
            }
            Source::Value(_) => {
                self.bring_in(y);
                self.change(line, p, Operand::Register(ACCUMULATOR));
            }
        }
        self.state.drop(x);
        self.set(d, p);
        true
    }

    fn change(&mut self, line: &Machine, p: Register, operand: Operand) {
        self.emit(Machine { opcode: line.opcode, operands: vec![Operand::Register(p), operand] });
    }

    /// Whether an instruction on the accumulator has a form that changes memory.
    fn changes_memory(&self, line: &Machine) -> bool {
        let turned = Machine { operands: line.operands.iter().rev().cloned().collect(), ..line.clone() };
        line.operands.len() == 2 && self.isa.form(&turned).is_some()
    }

    /// Whether the next instruction takes a value from the accumulator.
    fn continues(&self, d: Source) -> bool {
        let known = self.accumulator.as_ref().expect("there is one");
        let Some(Item::Instruction(i)) = &known.following else { return false };
        if let Some(access) = &i.access {
            return i.outs.is_empty() && moved(i) == d && !access.direct;
        }
        let i = i.parts.first().unwrap_or(i);
        match &i.tied[..] {
            [(_, s)] if i.temps == 0 => *s == d || (i.commutative && i.ins[0] == d),
            _ => false,
        }
    }

    /// Makes several results in bytes of memory, or none; the accumulator, the auxiliary register and the data pointer are lost.
    fn general(&mut self, i: &Instruction) {
        if self.objects.far_bytes > 0 {
            self.before_general(i);
        }
        self.settle();
        let mut chosen: Vec<Register> = Vec::new();
        for (d, s) in &i.tied {
            let at = self.register(*s);
            let once = i.sources().filter(|x| x == s).count() == 1;
            let r = match at {
                Some(at) if at < KEY && once && !self.wanted(*s, self.position) => {
                    self.state.drop(*s);
                    at
                }
                _ => {
                    let r = self.take_byte(&chosen, self.hints.get(d).copied());
                    match s {
                        Source::Number(n) => self.number(r, *n),
                        Source::Value(_) => self.copy(r, at.expect("it is in a register")),
                    }
                    r
                }
            };
            self.set(Source::Value(*d), r);
            chosen.push(r);
        }
        for d in &i.outs {
            let r = self.take_byte(&chosen, self.hints.get(d).copied());
            self.set(Source::Value(*d), r);
            chosen.push(r);
        }
        let mut named: Vec<Operand> = chosen.iter().map(|r| Operand::Register(*r)).collect();
        named.extend(i.ins.iter().map(|s| self.operand(*s)));
        for _ in 0..i.temps {
            let r = self.take_byte(&chosen, None);
            chosen.push(r);
            self.used.insert(r);
            named.push(Operand::Register(r));
        }
        for line in &i.lines {
            self.emit_line(line, &named);
        }
        self.forget_accumulator();
        if i.lines.iter().any(|line| self.names_pointer(line)) {
            self.acc().pointers.forget_first();
        }
        self.acc().near = false;
    }

    fn names_pointer(&self, line: &Line) -> bool {
        matches!(line, Line::Machine(machine) if self.isa.named(machine).contains(&0))
    }

    /// What a loop carries leaves the key, which is only read.
    pub(super) fn before_loop(&mut self, l: &Loop) -> Done<()> {
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
    pub(super) fn before_moves(&mut self, wanted: &[(Register, Source)]) -> Done<()> {
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
