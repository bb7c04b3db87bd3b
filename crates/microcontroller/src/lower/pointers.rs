//! Pointers that loops step through memory.

use std::sync::Arc;

use super::loops::Nest;
use super::objects::Terms;
use super::Lowering;
use crate::code::{Instruction, Line, Source, Value};
use crate::select::{sources, SelectResult};
use program::Diagnostic;

/// An address that a loop steps through.
#[derive(Clone, Debug)]
pub struct Pointer {
    /// The object, where pointers tell objects apart.
    pub object: Arc<str>,
    /// Coefficients and loops' indices.
    pub terms: Terms,
    /// The constant that it stands for.
    pub base: i64,
    /// The register that it is, by its place among those that can be.
    pub pin: Option<usize>,
    /// Bytes after which it wraps around; 0 if it does not.
    pub ring: i64,
    /// Its low byte.
    pub low: Value,
    /// Its high byte.
    pub high: Value,
}

impl Pointer {
    /// How far a loop moves it at the end of an iteration.
    pub fn step(&self, nest: &Nest) -> i64 {
        self.terms.iter().find(|(_, v)| *v == nest.index).map_or(0, |(c, _)| *c)
    }
}

/// An address in two values, the low byte first.
pub type Halves = [Value; 2];

impl Lowering<'_> {
    /// The pointer's register, as templates name it.
    fn pin(&self, p: &Pointer) -> Option<&crate::isa::Pin> {
        self.addresses().registers.as_ref()?.pins.get(p.pin?)
    }

    /// The lines that set a pinned pointer before a loop.
    pub(super) fn pin_set(&mut self, p: &Pointer) -> SelectResult<Vec<Line>> {
        self.of_pin(p, 0, |registers| registers.set.clone())
    }

    /// The lines that move a pinned pointer.
    pub(super) fn pin_stepped(&mut self, p: &Pointer, by: i64) -> SelectResult<Vec<Line>> {
        let Some(registers) = &self.addresses().registers else { return Ok(Vec::new()) };
        let steps = if by > 0 { &registers.forward } else { &registers.back };
        let mut left = by.abs();
        if left == 0 || left > registers.near || steps.is_empty() {
            return self.of_pin(p, by, |registers| registers.far.clone());
        }
        let mut lines = Vec::new();
        for step in steps {
            let size = step.by.unwrap_or(left);
            while left >= size && left > 0 {
                lines.extend(self.of_pin(p, size, |_| vec![step.line.clone()])?);
                left -= size;
            }
        }
        Ok(lines)
    }

    /// Lines about a pinned pointer, and how far it moves.
    fn of_pin(
        &mut self,
        p: &Pointer,
        by: i64,
        lines: impl Fn(&crate::isa::AddressRegisters) -> Vec<String>,
    ) -> SelectResult<Vec<Line>> {
        let (Some(registers), Some(pin)) = (&self.addresses().registers, self.pin(p).cloned()) else {
            return Ok(Vec::new());
        };
        let moved = Displacement::new(by);
        let base = p.base.to_string();
        let names = [("register", &*pin.register), ("low", &pin.low), ("high", &pin.high), ("base", &base)];
        let with = [&names[..], &[("object", &*p.object)], &moved.with()[..]].concat();
        self.selector.filled(&lines(registers), &with)
    }

    /// The lines that copy a pinned pointer into the register of addresses, if accesses cannot use it itself.
    pub(super) fn pin_named(&mut self, p: &Pointer) -> SelectResult<(Vec<Line>, Option<String>)> {
        let Some(pin) = self.pin(p).cloned() else { return Ok((Vec::new(), None)) };
        let lines = self.selector.filled(&pin.copied, &[])?;
        let register = if lines.is_empty() { Some(pin.register) } else { None };
        Ok((lines, register))
    }

    /// Copies a pinned pointer into values.
    pub(super) fn pin_copied(&mut self, p: &Pointer) -> SelectResult<Halves> {
        let (Some(registers), Some(pin)) = (&self.addresses().registers, self.pin(p).cloned()) else {
            return Ok([p.low, p.high]);
        };
        let made = self.selector.group(&registers.copy, &[], &[("low", &pin.low), ("high", &pin.high)])?;
        Ok([made[0], made[1]])
    }

    /// A pointer's start.
    pub(super) fn pointing(&mut self, p: &Pointer) -> SelectResult<Halves> {
        let base = p.base.to_string();
        let with = [("object", &*p.object), ("base", &base)];
        match self.addresses().registers.as_ref().map(|registers| &registers.start[..]) {
            Some([low, high]) => {
                Ok([self.selector.group(low, &[], &with)?[0], self.selector.group(high, &[], &with)?[0]])
            }
            _ => Ok([self.selector.number(p.base)?, self.selector.number(p.base >> 8)?]),
        }
    }

    /// An address a number of bytes further.
    pub(super) fn moved(&mut self, [low, high]: Halves, by: i64) -> SelectResult<Halves> {
        if by == 0 {
            return Ok([low, high]);
        }
        let Some(registers) = &self.addresses().registers else { return self.moved_in_parts([low, high], by) };
        let moved = Displacement::new(by);
        let made = self.selector.group(&registers.moved, &sources(&[low, high]), &moved.with())?;
        Ok([made[0], made[1]])
    }

    /// The same where an accumulator adds; the high byte is needed if objects cross pages.
    fn moved_in_parts(&mut self, halves: Halves, by: i64) -> SelectResult<Halves> {
        let sums = &self.selector.templates().sums;
        let count = if self.paged.values().all(|paged| *paged) { 1 } else { 2 };
        let mut made = halves;
        let mut parts = Vec::new();
        for (k, template) in [&sums.add, &sums.add_carry].into_iter().take(count).enumerate() {
            let number = self.selector.isa.syntax.number.replace("{}", &(by >> (8 * k) & 255).to_string());
            let lines = self.selector.filled(template, &[("from", &number)])?;
            made[k] = self.selector.fresh();
            let tied = vec![(made[k], Source::Value(halves[k]))];
            parts.push(Instruction { lines, tied, ..Instruction::default() });
        }
        self.selector.glued(parts);
        Ok(made)
    }

    /// A pointer that wraps around a number of bytes further.
    pub(super) fn moved_around(&mut self, p: &Pointer, step: i64) -> SelectResult<Halves> {
        let around = &self.addresses().around;
        let halves = [p.low, p.high];
        if around.tied == 1 && p.ring + step > 255 {
            let ring = p.ring;
            let what = format!("an address that wraps around after {ring} bytes in steps of {step} is not made yet");
            let help = "the two make 255 at most; `--unrolled` makes code without loops";
            return Err(Diagnostic::new("E115", what).help(help));
        }
        let (moved, size, back) = (Displacement::new(step), Displacement::new(p.ring), Displacement::new(-p.ring));
        let ring = p.ring.to_string();
        let sizes = [("size", &*ring), ("size_low", &size.low), ("size_high", &size.high)];
        let others = [("object", &*p.object), ("back_low", &back.low), ("back_high", &back.high)];
        let with = [&moved.with()[..], &sizes[..], &others[..]].concat();
        let made = self.selector.group(around, &sources(&halves[..around.tied]), &with)?;
        Ok([made[0], made.get(1).copied().unwrap_or(p.high)])
    }
}

/// How far something moves, as templates name it.
struct Displacement {
    by: String,
    minus: String,
    low: String,
    high: String,
}

impl Displacement {
    fn new(by: i64) -> Self {
        let (low, high) = ((by & 255).to_string(), (by >> 8 & 255).to_string());
        Displacement { by: by.abs().to_string(), minus: (-by).to_string(), low, high }
    }

    fn with(&self) -> [(&str, &str); 4] {
        [("by", &self.by), ("minus", &self.minus), ("low_by", &self.low), ("high_by", &self.high)]
    }
}
