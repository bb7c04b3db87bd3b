//! Sums of indices and addresses.

use super::checker::{CheckResult, Checker};
use super::constants::fits;
use crate::indices::Range;
use crate::ir::{Address, Affine, Op, Type, ValueId};

impl Checker<'_> {
    /// Invariants 12 and 14: a sum of indices only; gives its values.
    pub(super) fn index_sum(&self, op: &Op, affine: &Affine) -> CheckResult<Range> {
        let range = self.sum_with_words(op, affine)?;
        match affine.terms.iter().find(|(_, v)| *self.ty(*v) != Type::Index) {
            None => Ok(range),
            Some((_, v)) => {
                let message = format!("{} stands in `{}` but is no index", self.name(*v), op.kind.mnemonic());
                Err(self.error(op, "P112", message).note(format!("found {}", self.ty(*v))))
            }
        }
    }

    fn sum_with_words(&self, op: &Op, affine: &Affine) -> CheckResult<Range> {
        let error = |message: String| Err(self.error(op, "P112", message));
        let mut seen: Vec<ValueId> = Vec::new();
        for &(coefficient, v) in &affine.terms {
            let name = self.name(v);
            if coefficient == 0 {
                return error(format!("{name} has coefficient 0 in {}", self.sum(affine)));
            }
            if seen.contains(&v) {
                return error(format!("{name} stands twice in {}", self.sum(affine)));
            }
            if matches!(self.ty(v), Type::Array(_)) {
                return error(format!("{name} is an array and cannot stand in {}", self.sum(affine)));
            }
            seen.push(v);
        }
        let range = self.indices.range(affine);
        if range.fits() {
            return Ok(range);
        }
        Err(self.error(op, "P114", format!("{} does not fit 64 bits", self.sum(affine))))
    }

    /// Invariants 12 to 14 for the address along one dimension of `what`.
    pub(super) fn address(&self, op: &Op, address: &Address, extent: u64, what: &str) -> CheckResult {
        let affine = &address.affine;
        let words: Vec<_> = affine.terms.iter().filter(|(_, v)| matches!(self.ty(*v), Type::Word(_))).collect();
        let sound = match words[..] {
            [] => true,
            [&(1, v)] => *self.ty(v) != Type::Word(64),
            _ => false,
        };
        if !sound {
            return Err(self
                .error(op, "P112", format!("the address {} of {what} has a wrong form", self.sum(affine)))
                .note("expected indices and at most one word, of fewer than 64 bits, with coefficient 1"));
        }
        let range = self.sum_with_words(op, affine)?;
        if address.ring || range.within(extent) {
            return Ok(());
        }
        Err(self.outside(op, affine, range, extent, what))
    }

    fn outside(&self, op: &Op, affine: &Affine, range: Range, extent: u64, what: &str) -> crate::Diagnostic {
        let values =
            if range.min == range.max { range.min.to_string() } else { format!("{} to {}", range.min, range.max) };
        let found = match affine.terms.len() {
            0 => format!("found {values}"),
            _ => format!("found {}, {values}", self.sum(affine)),
        };
        let mut error = self
            .error(op, "P113", format!("an address of {what} lies outside"))
            .note(format!("expected 0 to {}", extent - 1))
            .note(found);
        for (_, v) in &affine.terms {
            if self.indices.is_counter(*v) {
                error = error.note(format!("{} counts the iterations of its loop from 0", self.name(*v)));
            }
        }
        error
    }

    /// Invariant 14 for `word`.
    pub(super) fn word_of(&self, op: &Op, affine: &Affine, width: u8) -> CheckResult {
        let range = self.index_sum(op, affine)?;
        if range.min >= 0 && fits(range.max as u64, width) {
            return Ok(());
        }
        let message = format!("{} does not fit u{width}", self.sum(affine));
        Err(self.error(op, "P114", message).note(format!("found {} to {}", range.min, range.max)))
    }

    /// Invariant 15.
    pub(super) fn divisor(&self, op: &Op, divisor: i64) -> CheckResult {
        if divisor > 0 {
            return Ok(());
        }
        Err(self.error(op, "P115", format!("`{}` by {divisor}: the divisor must be positive", op.kind.mnemonic())))
    }
}
