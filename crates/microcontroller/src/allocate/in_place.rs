//! Results in memory beside an accumulator: an operand that is not needed again is changed in its place.

use super::accumulator::moved;
use super::state::KEY;
use super::Allocator;
use crate::code::{Instruction, Item, Line, Machine, Source};
use crate::isa::{ACCUMULATOR, AUXILIARY};
use crate::operand::{Operand, Register};

impl Allocator<'_> {
    /// Changes the byte of an operand that is not needed again, if that takes fewer cycles.
    pub(super) fn in_place(&mut self, i: &Instruction) -> bool {
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
        self.emit(Machine::new(line.opcode, vec![Operand::Register(p), operand]));
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
}
