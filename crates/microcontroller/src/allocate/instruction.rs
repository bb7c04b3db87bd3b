//! Instructions: sources are brought into registers, results made there.

use super::{AllocationResult, Allocator};
use crate::code::{Instruction, Source, Value};
use crate::operand::{Operand, Register};

impl Allocator<'_> {
    pub(super) fn instruction(&mut self, i: &Instruction) -> AllocationResult<()> {
        let words = self.word_stored(i);
        let i = words.as_ref().unwrap_or(i);
        let exchanged = self.exchanged(i);
        let i = exchanged.as_ref().unwrap_or(i);
        if self.by_immediate(i)? {
            return Ok(());
        }
        let sources = self.load_sources(i)?;
        let tied = self.tied(i, &sources)?;
        let mut taken = if i.early { [&tied[..], &sources].concat() } else { tied.clone() };
        if !i.early {
            self.finish_sources(i);
            for r in &tied {
                if self.state.holds(*r).is_none() {
                    self.state.hold(*r, Source::Number(-1));
                }
            }
        }
        let mut outs = Vec::new();
        for (k, d) in i.outs.iter().enumerate() {
            let r = self.out(*d, &taken, i, k)?;
            self.set(Source::Value(*d), r);
            outs.push(r);
            taken.push(r);
        }
        let mut named = [&tied[..], &outs, &sources].concat();
        for _ in 0..i.temps {
            let r = self.take(&named, false, None)?;
            self.used.insert(r);
            named.push(r);
        }
        if i.early {
            self.finish_sources(i);
        }
        self.write(i, &named);
        for ((d, _), r) in i.tied.iter().zip(&tied) {
            self.set(Source::Value(*d), *r);
        }
        for d in i.results() {
            self.release(Source::Value(d));
        }
        Ok(())
    }

    fn write(&mut self, i: &Instruction, named: &[Register]) {
        let named: Vec<Operand> = named.iter().map(|r| Operand::Register(*r)).collect();
        for line in &i.lines {
            self.emit_line(line, &named);
        }
    }

    fn load_sources(&mut self, i: &Instruction) -> AllocationResult<Vec<Register>> {
        let (mut busy, mut sources) = (Vec::new(), Vec::new());
        for (k, s) in i.ins.iter().enumerate() {
            busy.extend(self.registers(i.sources()));
            let r = self.load(*s, &[&busy[..], &sources].concat(), needs_upper(i, i.tied.len() + i.outs.len() + k))?;
            sources.push(r);
        }
        Ok(sources)
    }

    /// The instruction with operands exchanged, if that saves a copy.
    fn exchanged(&self, i: &Instruction) -> Option<Instruction> {
        if i.word && i.ins.len() == 2 && !i.outs.is_empty() {
            return self.exchanged_factors(i);
        }
        let b @ Source::Value(_) = *i.ins.first()? else { return None };
        if !i.commutative {
            return None;
        }
        let (d, a) = i.tied[0];
        let dies = [a, b].map(|s| s.value().is_some() && self.dead(s, self.position));
        let wished = self.hints.get(&d);
        let good =
            (dies[1] && !dies[0]) || (dies == [true, true] && wished.is_some() && self.register(b).as_ref() == wished);
        good.then(|| Instruction {
            lines: i.lines.clone(),
            tied: vec![(d, b)],
            ins: vec![a],
            commutative: true,
            ..Instruction::default()
        })
    }

    /// Takes the form with a number, if there is one and a register for it.
    fn by_immediate(&mut self, i: &Instruction) -> AllocationResult<bool> {
        let (Some(line), [(d, a @ Source::Value(_))]) = (&i.immediate, &i.tied[..]) else { return Ok(false) };
        let at = self.register(*a);
        let in_place = at.is_some_and(|r| self.isa.upper(r)) && self.dead(*a, self.position);
        if !in_place && self.free(true, &[]).is_empty() {
            return Ok(false);
        }
        let number_at = i.ins.first().and_then(|n| self.register(*n));
        if self.preferences.numbers && !in_place && at.is_some() && number_at.is_some() && self.dead(*a, self.position)
        {
            return Ok(false);
        }
        let alone = Instruction { tied: vec![(*d, *a)], upper: 1, ..Instruction::default() };
        let r = self.tied(&alone, &[])?[0];
        self.emit_line(line, &[Operand::Register(r)]);
        self.finish_sources(i);
        self.set(Source::Value(*d), r);
        self.release(Source::Value(*d));
        Ok(true)
    }

    /// The registers of the tied results; copies are made where a source is needed again.
    fn tied(&mut self, i: &Instruction, sources: &[Register]) -> AllocationResult<Vec<Register>> {
        let mut chosen: Vec<Register> = Vec::new();
        for (k, (d, s)) in i.tied.iter().enumerate() {
            let mut busy = [sources, &chosen].concat();
            busy.extend(self.registers(i.sources()));
            let upper = needs_upper(i, k);
            let hint = self.hints.get(d).copied();
            let r = match s {
                Source::Number(n) => {
                    let r = self.take(&busy, true, hint)?;
                    self.number(r, *n);
                    self.state.hold(r, Source::Value(*d));
                    r
                }
                Source::Value(_) => {
                    let at = self.load(*s, &busy, upper && self.register(*s).is_none())?;
                    if self.ends_in(i, *d, *s, at, upper) {
                        at
                    } else {
                        busy.push(at);
                        let r = self.take_for(*d, &busy, upper, hint)?;
                        self.copy(r, at);
                        self.state.hold(r, Source::Value(*d));
                        r
                    }
                }
            };
            chosen.push(r);
        }
        Ok(chosen)
    }

    /// Whether a result may take the register of its source.
    fn ends_in(&self, i: &Instruction, d: Value, s: Source, at: Register, upper: bool) -> bool {
        let shared = i.sources().filter(|x| *x == s).count() > 1 && i.lines.len() > 1;
        let twice =
            i.tied.iter().filter(|(x, _)| *x == d).count() > 1 || i.tied.iter().filter(|(_, x)| *x == s).count() > 1;
        self.dead(s, self.position) && (!upper || self.isa.upper(at)) && !shared && !twice
    }

    fn finish_sources(&mut self, i: &Instruction) {
        for s in i.sources() {
            self.release(s);
        }
    }

    /// A register for a result that is not tied.
    fn out(&mut self, d: Value, exclude: &[Register], i: &Instruction, k: usize) -> AllocationResult<Register> {
        if i.word {
            return self.word_half(exclude, i, k);
        }
        let upper = needs_upper(i, i.tied.len() + k);
        let free = self.free(upper, exclude);
        let mut hint = self.hints.get(&d).copied();
        if self.pairs.contains_key(&d) {
            hint = self.beside(d, &free);
        } else if i.outs.len() > 1 && k % 2 == 0 {
            hint = free.iter().copied().find(|r| r % 2 == 0 && free.contains(&(r + 1))).or(hint);
        } else if i.outs.len() > 1 {
            let before = self.register(Source::Value(i.outs[k - 1]));
            hint = before.filter(|r| r % 2 == 0 && free.contains(&(r + 1))).map(|r| r + 1).or(hint);
        }
        self.take_for(d, exclude, upper, hint)
    }

    /// The register of a value that wants to stand beside another.
    fn beside(&mut self, d: Value, free: &[Register]) -> Option<Register> {
        let (other, place) = self.pairs[&d];
        self.waiting.retain(|_, v| *v != d);
        if let Some(at) = self.register(Source::Value(other)) {
            let r = at ^ 1;
            return (free.contains(&r) && r % 2 == place).then_some(r);
        }
        let alone = |r: &Register| {
            let beside = r ^ 1;
            r % 2 == place && free.contains(&beside) && ![*r, beside].iter().any(|r| self.waiting.contains_key(r))
        };
        let r = free.iter().copied().find(alone)?;
        self.waiting.insert(r ^ 1, other);
        Some(r)
    }
}

fn needs_upper(i: &Instruction, place: usize) -> bool {
    i.upper >> place & 1 == 1
}
