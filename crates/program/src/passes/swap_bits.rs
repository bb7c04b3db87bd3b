//! `swap-bits`: a word made of the bits of another in an order that permutes the digits of their numbers becomes exchanges of fields.
//!
//! Identity: let bit `i` of the result be bit `p(i) ^ c` of a word of 2^k bits, where `p` permutes the k binary digits of `i`. An
//! exchange of two digits `a < b` moves the bits whose number has digit `a` and not `b` by `2^b - 2^a`:
//! `t = (x >> s ^ x) & m; x ^ t ^ (t << s)`. The `p` is a product of exchanges, at most k - 1; each digit of `c` exchanges neighbouring fields of
//! `2^j` bits. Transpositions of matrices of bits are of this kind.
//! Words joined from fewer than 16 parts stay.

use std::collections::HashMap;

use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Op, OpKind, Operand, Program, Shift, ValueId};
use crate::semantics::mask;

/// See the module's text.
pub struct SwapBits;

/// Words of fewer parts are joined as they are.
const LEAST_PARTS: usize = 16;

impl Pass for SwapBits {
    fn name(&self) -> &'static str {
        "swap-bits"
    }

    fn description(&self) -> &'static str {
        "write permutations of the digits of bits' numbers as exchanges of fields"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in &mut program.functions {
            let mut fields: HashMap<ValueId, (ValueId, u8)> = HashMap::new();
            rewrite(function, &mut |r, op| visit(r, op, &mut fields));
            super::dce::clean(function);
        }
        Ok(())
    }
}

fn visit(r: &mut Rewriter<'_>, op: Op, fields: &mut HashMap<ValueId, (ValueId, u8)>) {
    if let OpKind::Extract(Operand::Value(word), position) = op.kind {
        fields.insert(op.results[0], (word, position));
    }
    let found = match &op.kind {
        OpKind::Concat(parts) if parts.len() >= LEAST_PARTS => permuted(r, parts, fields),
        _ => None,
    };
    let Some((word, digits)) = found else { return r.keep(op) };
    let value = digits.write(r, Operand::Value(word));
    r.stand(op.results[0], value);
}

/// The word whose bits are joined, and how; `None` where they are of several words or in another kind of order.
fn permuted(
    r: &Rewriter<'_>,
    parts: &[ValueId],
    fields: &HashMap<ValueId, (ValueId, u8)>,
) -> Option<(ValueId, Digits)> {
    let (word, _) = *fields.get(parts.first()?)?;
    let mut order = Vec::new();
    for part in parts {
        let &(_, start) = fields.get(part).filter(|(of, _)| *of == word)?;
        order.extend((start..start + r.builder.ty(*part).width()).map(u32::from));
    }
    let width = r.builder.ty(word).width();
    (order.len() == usize::from(width)).then(|| Digits::of(&order)).flatten().map(|digits| (word, digits))
}

/// Bit `i` is bit `p(i) ^ complement`, where digit `j` of `i` is digit `place[j]` of `p(i)`.
#[derive(Debug, PartialEq, Eq)]
struct Digits {
    place: Vec<u32>,
    complement: u32,
}

impl Digits {
    fn of(order: &[u32]) -> Option<Digits> {
        if !order.len().is_power_of_two() {
            return None;
        }
        let complement = order[0];
        let moved: Vec<u32> = (0..order.len().trailing_zeros()).map(|j| order[1 << j] ^ complement).collect();
        if !moved.iter().all(|m| m.is_power_of_two()) {
            return None;
        }
        let sum =
            |i: usize| moved.iter().enumerate().filter(|(j, _)| i >> j & 1 == 1).fold(complement, |s, (_, m)| s ^ m);
        let holds = order.iter().enumerate().all(|(i, &from)| sum(i) == from);
        let place: Vec<u32> = moved.iter().map(|m| m.trailing_zeros()).collect();
        let once = (0..place.len() as u32).all(|digit| place.contains(&digit));
        (holds && once).then_some(Digits { place, complement })
    }

    /// The exchanges of two digits whose product, the last applied first, is the permutation.
    fn exchanges(&self) -> Vec<(u32, u32)> {
        let mut place = self.place.clone();
        let mut found = Vec::new();
        for digit in 0..place.len() {
            let Some(other) = place.iter().position(|&p| p == digit as u32) else { continue };
            if other != digit {
                place.swap(digit, other);
                found.push((digit as u32, other as u32));
            }
        }
        found.reverse();
        found
    }

    fn write(&self, r: &mut Rewriter<'_>, word: Operand) -> Operand {
        let width = 1_u8 << self.place.len();
        let bytes = (u32::from(width) - 1) & !7;
        let at_end = self.complement_at_end();
        let ends = self.complement & bytes != bytes && at_end & bytes == bytes;
        let mut x = complemented(r, word, if ends { 0 } else { self.complement }, width);
        for (a, b) in self.exchanges() {
            x = digits_exchanged(r, x, (a.min(b), a.max(b)), width);
        }
        if ends {
            x = complemented(r, x, at_end & !bytes, width);
            x = complemented(r, x, bytes, width);
        }
        x
    }

    /// The complement that does after the exchanges what `complement` does before them.
    fn complement_at_end(&self) -> u32 {
        let set = self.place.iter().enumerate().filter(|(_, &digit)| self.complement >> digit & 1 == 1);
        set.fold(0, |all, (j, _)| all | 1 << j)
    }
}

/// Bit `i` becomes bit `i ^ complement`; where that turns round all bytes they are joined anew, so that those of memory are read in
/// the other order.
fn complemented(r: &mut Rewriter<'_>, mut x: Operand, mut complement: u32, width: u8) -> Operand {
    let bytes = (u32::from(width) - 1) & !7;
    if bytes != 0 && complement & bytes == bytes {
        let parts = (0..width / 8).rev().map(|n| r.word(8, OpKind::Extract(x, 8 * n))).collect::<Vec<_>>();
        let parts = parts.into_iter().map(|part| r.value(part, 8)).collect();
        x = r.word(width, OpKind::Concat(parts));
        complement &= !bytes;
    }
    for digit in (0..width.trailing_zeros()).filter(|j| complement >> j & 1 == 1) {
        x = halves_exchanged(r, x, digit, width);
    }
    x
}

/// The bits whose number has one digit set (if any) and another clear.
fn bits_with(set: Option<u32>, clear: u32, width: u8) -> u64 {
    let has = |i: &u32| set.map_or(true, |s| i >> s & 1 == 1) && i >> clear & 1 == 0;
    (0..u32::from(width)).filter(has).fold(0, |m, i| m | 1 << i) & mask(width)
}

fn and(r: &mut Rewriter<'_>, x: Operand, bits: u64, width: u8) -> Operand {
    r.word(width, OpKind::Binary(Binary::And, x, Operand::Const(bits)))
}

fn halves_exchanged(r: &mut Rewriter<'_>, x: Operand, digit: u32, width: u8) -> Operand {
    let by = 1_u64 << digit;
    if 2 * by == u64::from(width) {
        return r.shift(Shift::Rotl, x, by, width);
    }
    let low = bits_with(None, digit, width);
    let down = r.shift(Shift::Shr, x, by, width);
    let down = and(r, down, low, width);
    let up = and(r, x, low, width);
    let up = r.shift(Shift::Shl, up, by, width);
    r.word(width, OpKind::Binary(Binary::Or, down, up))
}

fn digits_exchanged(r: &mut Rewriter<'_>, x: Operand, (a, b): (u32, u32), width: u8) -> Operand {
    let by = (1_u64 << b) - (1 << a);
    let down = r.shift(Shift::Shr, x, by, width);
    let both = r.xor(down, x, width);
    let both = and(r, both, bits_with(Some(a), b, width), width);
    let up = r.shift(Shift::Shl, both, by, width);
    let low = r.xor(x, both, width);
    r.xor(low, up, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order that a sequence of exchanges gives, by moving the numbers of the bits.
    fn order(digits: &Digits) -> Vec<u32> {
        let count = 1_u32 << digits.place.len();
        let mut x: Vec<u32> = (0..count).map(|i| i ^ digits.complement).collect();
        for (a, b) in digits.exchanges() {
            let swapped = |i: u32| i & !(1 << a | 1 << b) | (i >> a & 1) << b | (i >> b & 1) << a;
            x = (0..count).map(|i| x[swapped(i) as usize]).collect();
        }
        x
    }

    #[test]
    fn exchanges_give_the_order() {
        for place in [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 0], vec![2, 1, 0], vec![1, 0, 2]] {
            for complement in 0..8 {
                let digits = Digits { place: place.clone(), complement };
                let found = order(&digits);
                let end = Digits { complement: digits.complement_at_end(), place: vec![0, 1, 2] };
                let without = order(&Digits { complement: 0, place: place.clone() });
                let moved: Vec<u32> = order(&end).iter().map(|&i| without[i as usize]).collect();
                assert_eq!(moved, found);
                assert_eq!(Digits::of(&found), Some(digits));
            }
        }
    }

    #[test]
    fn other_orders_are_none() {
        assert_eq!(Digits::of(&[0, 1, 3, 2]), None);
        assert_eq!(Digits::of(&[0, 0, 1, 1]), None);
        assert_eq!(Digits::of(&[0, 1, 2]), None);
    }
}
