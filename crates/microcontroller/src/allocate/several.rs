//! Several results beside an accumulator: bytes of memory hold them.

use super::state::KEY;
use super::Allocator;
use crate::code::{Instruction, Line, Source};
use crate::operand::{Operand, Register};

impl Allocator<'_> {
    /// Makes several results in bytes of memory, or none; the accumulator, the auxiliary register and the data pointer are lost.
    pub(super) fn general(&mut self, i: &Instruction) {
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
}
