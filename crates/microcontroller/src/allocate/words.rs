//! Words: of two bytes beside each other the even register is the high half, the next one the low half.

use super::{AllocationResult, Allocator};
use crate::code::{Instruction, Line, Machine, Source};
use crate::operand::{Operand, Register, View};

impl Allocator<'_> {
    /// The register of a half of the word that an instruction makes; the first one chooses for both.
    pub(super) fn word_half(&mut self, exclude: &[Register], i: &Instruction, k: usize) -> AllocationResult<Register> {
        if k == 1 {
            return Ok(self.low);
        }
        let high = self.word(i, exclude)?;
        self.low = high + 1;
        Ok(high)
    }

    /// The high half of a word whose halves are free, if need be after making them so.
    fn word(&mut self, i: &Instruction, exclude: &[Register]) -> AllocationResult<Register> {
        if let Some(high) = self.upon(i, exclude) {
            return Ok(high);
        }
        let mut free = self.free(false, exclude);
        while free.len() < 2 {
            let r = self.take(&[exclude, &free].concat(), false, None)?;
            free.push(r);
        }
        let whole: Vec<Register> = free.iter().copied().filter(|r| r % 2 == 0 && free.contains(&(r + 1))).collect();
        if let Some(first) = whole.first() {
            let hint = |k: usize| self.hints.get(&i.outs[k]).copied();
            let wished = whole.iter().find(|r| hint(0) == Some(**r) || hint(1) == Some(**r + 1));
            return Ok(*wished.unwrap_or(first));
        }
        for r in free.iter().copied() {
            if self.state.holds(r ^ 1).is_some() && !exclude.contains(&(r ^ 1)) {
                let to = free.iter().copied().find(|f| *f != r).expect("two are free");
                self.move_to(r ^ 1, to);
                return Ok(r & !1);
            }
        }
        let usable = |r: Register| self.available.contains(&r) && !exclude.contains(&r);
        let high = self.available.iter().copied().find(|r| r % 2 == 0 && usable(*r) && usable(r + 1));
        let high = high.ok_or_else(|| self.too_many())?;
        for (r, to) in [high, high + 1].into_iter().zip(free) {
            self.move_to(r, to);
        }
        Ok(high)
    }

    /// The word whose low half holds a product's first operand, if that is not needed again.
    fn upon(&mut self, i: &Instruction, exclude: &[Register]) -> Option<Register> {
        let s @ Source::Value(_) = *i.ins.first()? else { return None };
        let low = self.register(s).filter(|r| r % 2 == 1 && self.available.contains(&(r - 1)))?;
        if !self.dead(s, self.position) || i.ins.iter().filter(|x| **x == s).count() != 1 {
            return None;
        }
        if self.state.holds(low - 1).is_some() {
            let to = *self.free(false, exclude).first()?;
            if exclude.contains(&(low - 1)) {
                return None;
            }
            self.move_to(low - 1, to);
        }
        self.state.drop(s);
        Some(low - 1)
    }

    fn move_to(&mut self, r: Register, to: Register) {
        let s = self.state.holds(r).expect("it holds something");
        self.copy(to, r);
        self.state.drop(s);
        self.set(s, to);
    }

    /// A product with its factors exchanged, if only the second one can be made a word upon.
    pub(super) fn exchanged_factors(&self, i: &Instruction) -> Option<Instruction> {
        let good =
            |s: Source| s.value().is_some() && self.dead(s, self.position) && self.register(s).unwrap_or(0) % 2 == 1;
        (good(i.ins[1]) && !good(i.ins[0])).then(|| Instruction { ins: vec![i.ins[1], i.ins[0]], ..i.clone() })
    }

    /// A store of two bytes as one of a word if the bytes are in one, or one copy away.
    pub(super) fn word_stored(&self, i: &Instruction) -> Option<Instruction> {
        if !i.word || !i.outs.is_empty() {
            return None;
        }
        let [Line::Machine(first), _] = &i.lines[..] else { return None };
        let (high, low) = (self.register(i.ins[0])?, self.register(i.ins[1])?);
        let with = |lines| Some(Instruction { lines, ..i.clone() });
        if high % 2 == 0 && low == high + 1 {
            return with(vec![self.of_word(first, 0)]);
        }
        if matches!(&first.operands[1], Operand::Memory(a) if a.bits == 8) {
            return None;
        }
        let free = self.free(false, &[]);
        let copied = |to, place| {
            let operands = [Operand::Register(to), Operand::Place(place, View::Byte)];
            Line::Machine(super::filled(&self.isa.moves.copy, &operands))
        };
        if high % 2 == 0 && free.contains(&(high + 1)) {
            return with(vec![copied(high + 1, 1), self.of_word(first, 0)]);
        }
        if low % 2 == 1 && free.contains(&(low - 1)) {
            return with(vec![copied(low - 1, 0), self.of_word(first, 1)]);
        }
        None
    }

    /// A store of a byte as one of the word of which the value of a place is half. Words have long addresses.
    fn of_word(&self, store: &Machine, place: u8) -> Line {
        let mut operands = vec![Operand::Place(place, View::Word), store.operands[1].clone()];
        if let Operand::Memory(address) = &mut operands[1] {
            address.bits = 16;
        }
        let opcode = self.isa.moves.word.expect("where words are stored there is an instruction for it");
        Line::Machine(Machine::new(opcode, operands))
    }
}
