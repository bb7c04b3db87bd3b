//! Java expressions of word operations.
//!
//! Words are held in `int` or `long`, which have a sign that nothing here looks at: narrow words stand in them with zeros above,
//! shifts to the right are `>>>`, comparisons unsigned, and what comes from arrays of bytes or shorts is masked.

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::helpers;
use super::types::{literal, memory_type, value_class};
use crate::writer::expr::{concat as side_by_side, operator, Expr, Level};
use crate::writer::helpers::Helpers;
use crate::writer::words::{container, is_narrow, ones, value_bits};

/// What takes the sign from a word of a narrow array.
fn sign_mask(width: u8) -> Option<&'static str> {
    match width {
        8 => Some(" & 0xff"),
        16 => Some(" & 0xffff"),
        _ => None,
    }
}

/// An element of an array or table of words of the given width.
pub fn element(text: String, width: u8, reads: BTreeSet<usize>) -> Expr {
    match sign_mask(width) {
        Some(mask) => {
            Expr { promoted: true, level: Level::Binary("&"), reads, ..Expr::primary(format!("{text}{mask}")) }
        }
        None => Expr { reads, ..Expr::primary(text) },
    }
}

/// A number; its type is settled where it is used.
pub fn number(value: u64) -> Expr {
    let width = if value > u64::from(u32::MAX) { 64 } else { 32 };
    Expr { constant: Some(value), ..Expr::primary(literal(value, width)) }
}

/// A number with the type of words of the width; anything else has it already.
pub fn typed(e: &Expr, width: u8) -> Expr {
    match e.constant {
        Some(value) => Expr { text: literal(value, width), ..e.clone() },
        None => e.clone(),
    }
}

/// Text to store in memory as a word of the given width.
pub fn stored(e: &Expr, width: u8) -> String {
    let held = typed(e, width);
    let fits = held.constant.is_some_and(|value| value < ones(container(width)) / 2);
    match sign_mask(width).filter(|_| e.promoted) {
        Some(mask) if e.text.ends_with(mask) => e.text[..e.text.len() - mask.len()].to_owned(),
        _ if container(width) < 32 && !fits => format!("({}) {}", memory_type(width), held.unary()),
        _ => held.text,
    }
}

fn cast(e: &Expr, to: &str) -> Expr {
    Expr::new(format!("({to}) {}", e.unary()), Level::Unary, &[e])
}

/// A sum of indices made a word.
pub fn cast_index(sum: &str, width: u8) -> Expr {
    let text = if sum.contains(' ') { format!("({sum})") } else { sum.to_owned() };
    match value_bits(width) {
        32 => Expr::primary(text),
        _ => Expr::new(format!("(long) {text}"), Level::Unary, &[]),
    }
}

/// `a + b` and the like.
pub fn binary(operation: Binary, a: &Expr, b: &Expr, width: u8) -> Expr {
    let operator = operator(operation);
    let (left, right) = (typed(a, width), typed(b, width));
    let text = format!("{} {operator} {}", left.operand(operator, true), right.operand(operator, false));
    let joined = Expr::new(text, Level::Binary(operator), &[a, b]);
    match operation {
        Binary::Add | Binary::Sub | Binary::Mul => masked(joined, width),
        Binary::And | Binary::Or | Binary::Xor => joined,
    }
}

/// Brought back into range after an operation that may leave it.
fn masked(e: Expr, width: u8) -> Expr {
    if !is_narrow(width) {
        return e;
    }
    let text = format!("{} & {}", e.operand("&", false), literal(ones(width), width));
    Expr { text, level: Level::Binary("&"), ..e }
}

/// `~a`
pub fn complement(e: &Expr, width: u8) -> Expr {
    masked(Expr::new(format!("~{}", typed(e, width).unary()), Level::Unary, &[e]), width)
}

/// A shift or rotation by a number.
pub fn shift(e: &Expr, shift: Shift, amount: u64, width: u8, used: &mut Helpers) -> Expr {
    if amount == 0 || width == 1 {
        return e.clone();
    }
    let value = typed(e, width);
    match shift {
        Shift::Shl => masked(value.by("<<", amount), width),
        Shift::Shr => value.by(">>>", amount),
        Shift::Rotl | Shift::Rotr => rotate(&value, shift, &amount.to_string(), width, &[e], used),
    }
}

fn rotate(value: &Expr, shift: Shift, amount: &str, width: u8, operands: &[&Expr], used: &mut Helpers) -> Expr {
    let name = match is_narrow(width) {
        true => helpers::rotate(used, shift, width),
        false => format!("{}.{}", value_class(width), if shift == Shift::Rotl { "rotateLeft" } else { "rotateRight" }),
    };
    Expr::new(format!("{name}({}, {amount})", value.text), Level::Primary, operands)
}

/// A rotation of 32 bits as two shifts of what the variable keeps: `(kept = x) << 3 | kept >>> 29`.
pub fn spelled_rotation(e: &Expr, shift: Shift, amount: u64, kept: &str) -> Expr {
    let (there, back) = if shift == Shift::Rotl { ("<<", ">>>") } else { (">>>", "<<") };
    let text = format!("({kept} = {}) {there} {amount} | {kept} {back} {}", typed(e, 32).text, 32 - amount);
    Expr::new(text, Level::Binary("|"), &[e])
}

/// A shift or rotation by a word.
pub fn shift_by(e: &Expr, shift: Shift, amount: &Expr, width: u8, amount_width: u8, used: &mut Helpers) -> Expr {
    let value = typed(e, width);
    if matches!(shift, Shift::Shl | Shift::Shr) {
        let name = helpers::variable_shift(used, shift, width);
        let amount_text = match amount_width {
            32 => format!("Integer.toUnsignedLong({})", amount.text),
            _ => amount.text.clone(),
        };
        return Expr::new(format!("{name}({}, {amount_text})", value.text), Level::Primary, &[e, amount]);
    }
    if width == 1 {
        return e.clone();
    }
    let text = match amount_width > 32 {
        true if !width.is_power_of_two() => format!("(int) Long.remainderUnsigned({}, {width})", amount.text),
        true => format!("(int) {}", amount.unary()),
        false => amount.text.clone(),
    };
    rotate(&value, shift, &text, width, &[e, amount], used)
}

/// `width` bits from `position` up, of a word `from` bits wide.
pub fn extract(e: &Expr, position: u8, width: u8, from: u8) -> Expr {
    if position == 0 && width == from {
        return e.clone();
    }
    let value = typed(e, from);
    let shifted = if position == 0 { value } else { value.by(">>>", position.into()) };
    let narrowed = if value_bits(width) < value_bits(from) { cast(&shifted, "int") } else { shifted };
    if position + width < from {
        masked(narrowed, width)
    } else {
        narrowed
    }
}

/// The same number in a wider word.
pub fn extend(e: &Expr, width: u8, from: u8) -> Expr {
    match (value_bits(width) == value_bits(from), from) {
        (true, _) => e.clone(),
        (false, 32) if e.constant.is_none() => {
            let text = format!("{} & 0xffffffffL", e.operand("&", true));
            Expr::new(text, Level::Binary("&"), &[e])
        }
        (false, _) if e.constant.is_some() => e.clone(),
        (false, _) => cast(e, "long"),
    }
}

/// Parts side by side, the least significant first; a part is an expression and its width.
pub fn concat(parts: &[(Expr, u8)], width: u8) -> Expr {
    side_by_side(parts, |part, from| typed(&extend(part, width, from), width))
}

/// `a == b` as a word of one bit.
pub fn compare(compare: Compare, a: &Expr, b: &Expr, width: u8) -> Expr {
    let (left, right) = (typed(a, width), typed(b, width));
    let text = match (compare, is_narrow(width)) {
        (Compare::Eq, _) => format!("{} == {}", left.unary(), right.unary()),
        (Compare::Ne, _) => format!("{} != {}", left.unary(), right.unary()),
        (Compare::Ltu, true) => format!("{} < {}", left.unary(), right.unary()),
        (Compare::Ltu, false) => {
            format!("{}.compareUnsigned({}, {}) < 0", value_class(width), left.text, right.text)
        }
    };
    Expr::new(format!("{text} ? 1 : 0"), Level::Binary("?"), &[a, b])
}
