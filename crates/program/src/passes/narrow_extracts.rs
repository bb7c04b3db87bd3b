//! `narrow-extracts`: a field of a moved word is taken before the move.
//!
//! Identities used, for a word `x` of width W and a field of w bits at p: the field of `rotl(x, n)` is the field of `x` at
//! `p - n` modulo W where that does not wrap; of `x << n` at `p - n`, or 0; of `x >> n` at `p + n`, or 0; of `zext(x)` at p, or 0; of
//! `x ^ c`, `x | c` and `x & c` the field of `x`, or a number, where the field of the constant `c` leaves no other choice; of a `concat` and of
//! a field, the field of what it was made of. A `concat` of neighbouring fields of one word, going round at most once, is that word, a field
//! of it or a rotation. Two rotations or two shifts the same way are one.
//!
//! Every result then depends on fewer operations; those that nothing reads any more are removed. A field that would take one operation more
//! at its new place (a byte that no longer begins at a byte) stays; with `fields=any`, for processors that take out any field by one
//! instruction, it goes, too.

use std::collections::HashMap;

use super::only::FunctionFilter;
use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Op, OpKind, Operand, Program, Shift, Type, ValueId};
use crate::semantics::mask;

/// See the module's text.
pub struct NarrowExtracts;

impl Pass for NarrowExtracts {
    fn name(&self) -> &'static str {
        "narrow-extracts"
    }

    fn description(&self) -> &'static str {
        "take fields of a word before it is rotated, shifted or joined"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "fields"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let any = settings.choice("fields", &["bytes", "any"])? == "any";
        for function in FunctionFilter::of(settings, program)?.functions(program) {
            let mut fields = Fields { any, ..Fields::default() };
            rewrite(function, &mut |r, op| fields.visit(r, op));
            super::dce::clean(function);
        }
        Ok(())
    }
}

/// What a field, or a whole word, is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldSource {
    Number(u64),
    /// Bits of a value from a position up.
    Part(ValueId, u8),
}

/// What the words met so far are made by.
#[derive(Default)]
struct Fields {
    /// Every field costs the same.
    any: bool,
    made: HashMap<ValueId, OpKind>,
}

fn width_of(r: &Rewriter<'_>, v: ValueId) -> u8 {
    match r.builder.ty(v) {
        Type::Word(width) => *width,
        _ => 0,
    }
}

impl Fields {
    fn visit(&mut self, r: &mut Rewriter<'_>, mut op: Op) {
        let (Some(&result), Some(&Type::Word(width))) =
            (op.results.first(), op.results.first().map(|&v| r.builder.ty(v)))
        else {
            return r.keep(op);
        };
        let better = match &op.kind {
            OpKind::Extract(Operand::Value(v), position) => self.extract(r, (*v, *position), width),
            OpKind::Concat(parts) => self.concat(r, parts, width),
            OpKind::Shift(shift, Operand::Value(v), Operand::Const(n)) => self.shifted_twice(*shift, *v, *n, width),
            _ => None,
        };
        match better {
            Some(OpKind::Zext(v)) if width_of(r, v) == width => return r.stand(result, Operand::Value(v)),
            Some(OpKind::Const(number)) => return r.stand(result, Operand::Const(number)),
            Some(kind) => op.kind = kind,
            None => {}
        }
        if op.results.len() == 1 {
            self.made.insert(result, op.kind.clone());
        }
        r.keep(op);
    }

    /// A field in terms of an earlier word; a whole word is given as its zero-extension to its own width.
    fn extract(&self, r: &Rewriter<'_>, (v, position): (ValueId, u8), width: u8) -> Option<OpKind> {
        match self.origin(r, v, position, width) {
            FieldSource::Number(number) => Some(OpKind::Const(number)),
            FieldSource::Part(word, 0) if width_of(r, word) == width => Some(OpKind::Zext(word)),
            FieldSource::Part(word, at) if (word, at) != (v, position) => {
                let (now, then) =
                    (operations(width_of(r, v), position, width), operations(width_of(r, word), at, width));
                (self.any || then <= now || at % 8 == 0).then_some(OpKind::Extract(Operand::Value(word), at))
            }
            FieldSource::Part(..) => None,
        }
    }

    /// Follows a field back through all that only moves it.
    fn origin(&self, r: &Rewriter<'_>, mut v: ValueId, mut position: u8, width: u8) -> FieldSource {
        // Ends: each step goes to a value that is defined earlier.
        loop {
            match self.step(r, v, position, width) {
                Some(FieldSource::Part(word, at)) => (v, position) = (word, at),
                Some(number) => return number,
                None => return FieldSource::Part(v, position),
            }
        }
    }

    fn step(&self, r: &Rewriter<'_>, v: ValueId, position: u8, width: u8) -> Option<FieldSource> {
        let whole = width_of(r, v);
        let end = u64::from(position) + u64::from(width);
        let part = |operand: Operand, at: u64| match operand {
            Operand::Value(word) => FieldSource::Part(word, at as u8),
            Operand::Const(number) => FieldSource::Number(number >> at & mask(width)),
        };
        let at = u64::from(position);
        match *self.made.get(&v)? {
            OpKind::Const(number) => Some(FieldSource::Number(number >> at & mask(width))),
            OpKind::Extract(inner, from) => Some(part(inner, u64::from(from) + at)),
            OpKind::Zext(inner) if end <= width_of(r, inner).into() => Some(FieldSource::Part(inner, position)),
            OpKind::Zext(inner) if position >= width_of(r, inner) => Some(FieldSource::Number(0)),
            OpKind::Shift(shift, inner, Operand::Const(n)) => {
                let from = source(shift, n, at, end, whole.into())?;
                Some(from.map_or(FieldSource::Number(0), |from| part(inner, from)))
            }
            OpKind::Binary(which, Operand::Value(inner), Operand::Const(c))
            | OpKind::Binary(which, Operand::Const(c), Operand::Value(inner)) => {
                beside_constant(which, c >> at & mask(width), width, FieldSource::Part(inner, position))
            }
            OpKind::Concat(ref parts) => {
                let (part, start) = part_that_holds(r, parts, position, width)?;
                Some(FieldSource::Part(part, position - start))
            }
            _ => None,
        }
    }

    /// A word made of neighbouring fields of one word.
    fn concat(&self, r: &Rewriter<'_>, parts: &[ValueId], width: u8) -> Option<OpKind> {
        let mut origins = parts.iter().map(|&p| (self.origin(r, p, 0, width_of(r, p)), width_of(r, p)));
        let (FieldSource::Part(word, first), mut end) = origins.next()? else { return None };
        let whole = width_of(r, word);
        end += first;
        for (origin, part_width) in origins {
            match origin {
                FieldSource::Part(w, at) if w == word && at == end % whole && end <= whole => {
                    end = if end == whole { 0 } else { end };
                    end += part_width;
                }
                _ => return None,
            }
        }
        match first {
            0 if whole == width => Some(OpKind::Zext(word)),
            _ if first.checked_add(width).is_some_and(|sum| sum <= whole) => {
                Some(OpKind::Extract(Operand::Value(word), first))
            }
            _ if whole == width => Some(OpKind::Shift(Shift::Rotr, Operand::Value(word), Operand::Const(first.into()))),
            _ => None,
        }
    }

    fn shifted_twice(&self, shift: Shift, v: ValueId, n: u64, width: u8) -> Option<OpKind> {
        let OpKind::Shift(inner, word, Operand::Const(m)) = *self.made.get(&v)? else { return None };
        let whole = u64::from(width);
        let left = |shift: Shift, n: u64| if shift == Shift::Rotl { n % whole } else { (whole - n % whole) % whole };
        match (shift, inner) {
            (Shift::Rotl | Shift::Rotr, Shift::Rotl | Shift::Rotr) => {
                let sum = (left(shift, n) + left(inner, m)) % whole;
                match (sum, word) {
                    (0, Operand::Value(word)) => Some(OpKind::Zext(word)),
                    _ => Some(OpKind::Shift(Shift::Rotl, word, Operand::Const(sum))),
                }
            }
            (Shift::Shl, Shift::Shl) | (Shift::Shr, Shift::Shr) => match n + m {
                sum if sum >= whole => Some(OpKind::Const(0)),
                sum => Some(OpKind::Shift(shift, word, Operand::Const(sum))),
            },
            _ => None,
        }
    }
}

/// Machine operations that take out a field: the lowest or second byte and the highest bits one, others a shift and a mask.
fn operations(whole: u8, position: u8, width: u8) -> u8 {
    match (position, width) {
        (0, _) | (8, 8) => 1,
        _ if position + width == whole => 1,
        _ => 2,
    }
}

/// Where bits `at .. end` of a word shifted by n were before: `Some(None)` if they are zeros, `None` if they come from two places.
fn source(shift: Shift, n: u64, at: u64, end: u64, whole: u64) -> Option<Option<u64>> {
    match shift {
        Shift::Shl if at >= n => Some(Some(at - n)),
        Shift::Shl if end <= n => Some(None),
        Shift::Shr if end + n <= whole => Some(Some(at + n)),
        Shift::Shr if at + n >= whole => Some(None),
        Shift::Shl | Shift::Shr => None,
        Shift::Rotl | Shift::Rotr => {
            let right = if shift == Shift::Rotr { n % whole } else { whole - n % whole };
            let from = (at + right) % whole;
            (from + end - at <= whole).then_some(Some(from))
        }
    }
}

/// A field beside the field of a constant, if only one of the two counts.
fn beside_constant(which: Binary, constant: u64, width: u8, field: FieldSource) -> Option<FieldSource> {
    match (which, constant) {
        (Binary::Xor | Binary::Or, 0) => Some(field),
        (Binary::And, 0) => Some(FieldSource::Number(0)),
        (Binary::And, ones) if ones == mask(width) => Some(field),
        (Binary::Or, ones) if ones == mask(width) => Some(FieldSource::Number(ones)),
        _ => None,
    }
}

/// The part of a `concat` that holds a whole field, and where it starts.
fn part_that_holds(r: &Rewriter<'_>, parts: &[ValueId], position: u8, width: u8) -> Option<(ValueId, u8)> {
    let mut start = 0;
    for &part in parts {
        let end = start + width_of(r, part);
        if position >= start && position + width <= end {
            return Some((part, start));
        }
        start = end;
    }
    None
}

#[cfg(test)]
#[path = "narrow_extracts_tests.rs"]
mod tests;
