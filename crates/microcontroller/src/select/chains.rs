//! Chains of carries: sums of words, and shifts and rotations by single bits.
//!
//! Either a word is changed by one instruction, whose results are made where its bytes were; or by parts that copies may come
//! between, which hand on the carry, so that the bytes get their registers one after the other.

use program::ir::Binary;

use super::template::place;
use super::wide::negated;
use super::{sources, Bytes, SelectResult, Selector};
use crate::code::{Instruction, Source};
use crate::isa::Turn;

use Source::Number;

/// Bytes of words for whose sums there is room in any case.
const NARROW: usize = 4;

impl Selector<'_> {
    /// A sum or a difference of words.
    pub(super) fn wide_sum(&mut self, kind: Binary, a: Bytes, b: Bytes) -> SelectResult<Bytes> {
        if self.is_joined(&a) {
            return self.joined_sum(kind, a, b);
        }
        match negated(&b) {
            Some(b) if kind == Binary::Sub => self.total(a, b),
            _ if kind == Binary::Sub => self.parts_sum(kind, a, b),
            _ => self.total(a, b),
        }
    }

    /// A sum of words.
    pub(super) fn total(&mut self, a: Bytes, b: Bytes) -> SelectResult<Bytes> {
        if self.is_joined(&a) {
            return self.joined_sum(Binary::Add, a, b);
        }
        let second = |(x, y): (Source, Source)| if x.value().is_none() { (y, x) } else { (x, y) };
        let (mut a, mut b): (Bytes, Bytes) = a.into_iter().zip(b).map(second).unzip();
        if b.first() != Some(&Number(0)) {
            return self.parts_sum(Binary::Add, a, b);
        }
        let (high, more) = (a.split_off(1), b.split_off(1));
        if !high.is_empty() {
            a.extend(self.total(high, more)?);
        }
        Ok(a)
    }

    /// Whether a sum is one instruction: both operands, and one of them anew, are in registers at once then. Numbers in the first
    /// one need registers that numbers reach, which the operands may have.
    fn is_joined(&self, a: &[Source]) -> bool {
        let fits = || 3 * a.len() <= self.registers_at_once() && a.iter().all(|x| x.value().is_some());
        self.templates().joined && (a.len() <= NARROW || fits())
    }

    fn parts_sum(&mut self, kind: Binary, a: Bytes, b: Bytes) -> SelectResult<Bytes> {
        let sums = &self.templates().sums;
        let add = kind == Binary::Add;
        let results = self.several(a.len());
        let mut parts = Vec::with_capacity(a.len());
        for (k, (x, y)) in a.into_iter().zip(b).enumerate() {
            let (template, with_number) = match (k == 0, add) {
                (true, true) => (&sums.add, &sums.add_number),
                (true, false) => (&sums.sub, &None),
                (false, true) => (&sums.add_carry, &sums.add_number_carry),
                (false, false) => (&sums.sub_carry, &sums.sub_number_carry),
            };
            let tied = vec![(results[k], x)];
            let part = match (y, with_number) {
                (Number(number), Some(template)) => {
                    let lines = self.filled(template, &[("to", "{0}"), ("number", &number.to_string())])?;
                    Instruction { lines, tied, ..Instruction::default() }
                }
                _ => {
                    let lines = self.filled(template, &[("to", "{0}"), ("from", "{1}")])?;
                    let commutative = add && y.value().is_some();
                    Instruction { lines, tied, ins: vec![y], commutative, ..Instruction::default() }
                }
            };
            parts.push(part);
        }
        self.glued(parts);
        Ok(sources(&results))
    }

    /// Sums with numbers are differences; what a number's lowest bytes leave as it is, stays.
    fn joined_sum(&mut self, kind: Binary, a: Bytes, b: Bytes) -> SelectResult<Bytes> {
        let (a, b) = if kind == Binary::Add && negated(&a).is_some() { (b, a) } else { (a, b) };
        let Some(less) = negated(&b) else { return self.joined_chain(kind, a, b) };
        let b = if kind == Binary::Add { less } else { b };
        let low = b.iter().position(|x| *x != Number(0)).unwrap_or(b.len());
        let (mut kept, a, b) = (a[..low].to_vec(), a[low..].to_vec(), b[low..].to_vec());
        if b.len() > self.templates().sums.numbers {
            kept.extend(self.less_number(a, b)?);
        } else if !b.is_empty() {
            kept.extend(self.joined_chain(Binary::Sub, a, b)?);
        }
        Ok(kept)
    }

    fn joined_chain(&mut self, kind: Binary, a: Bytes, b: Bytes) -> SelectResult<Bytes> {
        let sums = &self.templates().sums;
        let (first, next) =
            if kind == Binary::Add { (&sums.add, &sums.add_carry) } else { (&sums.sub, &sums.sub_carry) };
        let n = a.len();
        let mut lines = Vec::new();
        for k in 0..n {
            let with = [("to", &*place(k)), ("from", &*place(n + k))];
            lines.extend(self.filled(if k == 0 { first } else { next }, &with)?);
        }
        self.in_place(lines, a, b, 0)
    }

    /// Less the bytes of a long number, which take turns in one register; making them leaves the carry.
    fn less_number(&mut self, a: Bytes, b: Bytes) -> SelectResult<Bytes> {
        let sums = &self.templates().sums;
        let n = a.len();
        let register = place(n);
        let made = |this: &mut Self, number: Source| {
            let Number(number) = number else { return Ok(Vec::new()) };
            let with = [("to", &*register), ("number", &*number.to_string())];
            this.filled(std::slice::from_ref(&sums.number), &with)
        };
        let mut lines = Vec::new();
        for k in 0..n {
            if k > 0 && b[k] != b[k - 1] {
                lines.extend(made(self, b[k])?);
            }
            let template = if k == 0 { &sums.sub } else { &sums.sub_carry };
            lines.extend(self.filled(template, &[("to", &place(k)), ("from", &register)])?);
        }
        if b[n - 1] != b[0] {
            lines.extend(made(self, b[0])?);
        }
        self.in_place(lines, a, vec![b[0]], 1 << n)
    }

    /// An instruction that changes every byte of a word.
    fn in_place(&mut self, lines: Vec<crate::code::Line>, a: Bytes, ins: Bytes, upper: u32) -> SelectResult<Bytes> {
        let results = self.several(a.len());
        let tied = results.iter().copied().zip(a).collect();
        self.emit(Instruction { lines, tied, ins, upper, ..Instruction::default() });
        Ok(sources(&results))
    }

    /// Shifts or rotates a word by some bits, one after the other.
    pub(super) fn through_carry(&mut self, mut a: Bytes, bits: u32, left: bool, around: bool) -> SelectResult<Bytes> {
        let turns = &self.templates().turns;
        let turn = if left { &turns.left } else { &turns.right };
        if a.is_empty() || bits == 0 {
            return Ok(a);
        }
        if self.templates().joined {
            return self.joined_turns(turn, a, bits, left, around);
        }
        for _ in 0..bits {
            a = self.parts_turned(turn, a, left, around)?;
        }
        Ok(a)
    }

    fn joined_turns(&mut self, turn: &Turn, a: Bytes, bits: u32, left: bool, around: bool) -> SelectResult<Bytes> {
        let order = order(a.len(), left);
        let (first, last, zero) = (place(order[0]), place(order[a.len() - 1]), place(a.len()));
        let mut lines = Vec::new();
        if around {
            lines.extend(self.filled(&turn.open, &[("to", &last)])?);
        }
        for (n, k) in order.into_iter().enumerate() {
            lines.extend(self.filled(if n == 0 { &turn.first } else { &turn.next }, &[("to", &place(k))])?);
        }
        if around {
            lines.extend(self.filled(&turn.close, &[("to", &first), ("zero", &zero)])?);
        }
        let reads_zero = around && turn.close.iter().any(|line| line.contains("$zero"));
        let every = lines.iter().cloned().cycle().take(lines.len() * bits as usize).collect();
        self.in_place(every, a, if reads_zero { vec![Number(0)] } else { Vec::new() }, 0)
    }

    /// The carry begins as the bit that the last byte shifts out (`around`), or as zero.
    fn parts_turned(&mut self, turn: &Turn, a: Bytes, left: bool, around: bool) -> SelectResult<Bytes> {
        let order = order(a.len(), left);
        let mut parts = Vec::new();
        if around {
            let lines = self.filled(&turn.open, &[("to", "{0}")])?;
            let last = a[order[a.len() - 1]];
            // An accumulator has to shift the byte itself.
            let tied = if self.isa.accumulator.is_some() { vec![(self.fresh(), last)] } else { Vec::new() };
            let ins = if tied.is_empty() { vec![last] } else { Vec::new() };
            parts.push(Instruction { lines, tied, ins, ..Instruction::default() });
        }
        let results = self.several(a.len());
        for (n, k) in order.into_iter().enumerate() {
            let template = if n == 0 && !around { &turn.first } else { &turn.next };
            let lines = self.filled(template, &[("to", "{0}")])?;
            parts.push(Instruction { lines, tied: vec![(results[k], a[k])], ..Instruction::default() });
        }
        self.glued(parts);
        Ok(sources(&results))
    }
}

/// The bytes in the order in which the carry goes through them.
fn order(count: usize, left: bool) -> Vec<usize> {
    if left {
        (0..count).collect()
    } else {
        (0..count).rev().collect()
    }
}
