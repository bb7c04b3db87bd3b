//! C expressions of word operations.
//!
//! Words are held in `uint32_t` or `uint64_t`. An element of an array or table of narrower words has the type of C's integer
//! promotions, `int`, until it meets another operand: [`Expr::promoted`].

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::helpers;
use super::types::{ctype, literal, value_type};
use crate::writer::expr::{concat as side_by_side, operator, Expr, Level};
use crate::writer::helpers::Helpers;
use crate::writer::words::{container, is_narrow, ones, value_bits};

/// An element of an array or table of words of the given width.
pub fn element(text: String, width: u8, reads: BTreeSet<usize>) -> Expr {
    Expr { promoted: container(width) < 32, reads, ..Expr::primary(text) }
}

/// A number.
pub fn number(value: u64) -> Expr {
    Expr { constant: Some(value), ..Expr::primary(literal(value)) }
}

/// Text to store in memory as a word of the given width.
pub fn stored(e: &Expr, width: u8) -> String {
    if container(width) < 32 && !untyped(e) {
        format!("({}){}", ctype(width), e.unary())
    } else {
        e.text.clone()
    }
}

/// Its C type made that of a variable for a word of the given width.
pub fn cast(e: &Expr, width: u8) -> Expr {
    Expr::new(format!("({}){}", value_type(width), e.unary()), Level::Unary, &[e])
}

/// An `int`, or a literal.
fn untyped(e: &Expr) -> bool {
    e.promoted || e.constant.is_some()
}

fn settled(e: &Expr, width: u8) -> Expr {
    if untyped(e) {
        cast(e, width)
    } else {
        e.clone()
    }
}

/// A sum of indices made a word.
pub fn cast_index(sum: &str, width: u8) -> Expr {
    let text = if sum.contains(' ') { format!("({sum})") } else { sum.to_owned() };
    Expr::new(format!("({}){text}", value_type(width)), Level::Unary, &[])
}

/// `a + b` and the like.
pub fn binary(operation: Binary, a: &Expr, b: &Expr, width: u8) -> Expr {
    let operator = operator(operation);
    let left = if untyped(a) && untyped(b) { cast(a, width) } else { a.clone() };
    let text = format!("{} {operator} {}", left.operand(operator, true), b.operand(operator, false));
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
    let text = format!("{} & {}", e.operand("&", false), literal(ones(width)));
    Expr { text, level: Level::Binary("&"), ..e }
}

/// `~a`
pub fn complement(e: &Expr, width: u8) -> Expr {
    let inner = settled(e, width);
    masked(Expr::new(format!("~{}", inner.unary()), Level::Unary, &[e]), width)
}

/// A shift or rotation by a number.
pub fn shift(e: &Expr, shift: Shift, amount: u64, width: u8, used: &mut Helpers) -> Expr {
    if amount == 0 || width == 1 {
        return e.clone();
    }
    let value = settled(e, width);
    match shift {
        Shift::Shl => masked(value.by("<<", amount), width),
        Shift::Shr => value.by(">>", amount),
        Shift::Rotl | Shift::Rotr => {
            let name = helpers::rotate(used, shift, width);
            Expr::new(format!("{name}({}, {amount})", e.text), Level::Primary, &[e])
        }
    }
}

/// A shift or rotation by a word.
pub fn shift_by(e: &Expr, shift: Shift, amount: &Expr, width: u8, amount_width: u8, used: &mut Helpers) -> Expr {
    let rotates = matches!(shift, Shift::Rotl | Shift::Rotr);
    if width == 1 && rotates {
        return e.clone();
    }
    let name = helpers::variable_shift(used, shift, width);
    let text = match (rotates, amount_width > 32) {
        (true, true) if !width.is_power_of_two() => format!("(uint32_t)({} % {width})", amount.operand("%", true)),
        (true, true) => format!("(uint32_t){}", amount.unary()),
        _ => amount.text.clone(),
    };
    Expr::new(format!("{name}({}, {text})", e.text), Level::Primary, &[e, amount])
}

/// `width` bits from `position` up, of a word `from` bits wide.
pub fn extract(e: &Expr, position: u8, width: u8, from: u8) -> Expr {
    if position == 0 && width == from {
        return e.clone();
    }
    let value = settled(e, from);
    let shifted = if position == 0 { value } else { value.by(">>", position.into()) };
    let narrowed = if value_bits(width) < value_bits(from) { cast(&shifted, width) } else { shifted };
    if position + width < from {
        masked(narrowed, width)
    } else {
        narrowed
    }
}

/// The same number in a wider word.
pub fn extend(e: &Expr, width: u8, from: u8) -> Expr {
    if value_bits(width) == value_bits(from) {
        e.clone()
    } else {
        cast(e, width)
    }
}

/// Parts side by side, the least significant first; a part is an expression and its width.
pub fn concat(parts: &[(Expr, u8)], width: u8) -> Expr {
    let word = side_by_side(parts, |part, from| settled(&extend(part, width, from), width));
    Expr { index: index_of_pair(parts, width), ..word }
}

/// A number below a word, as an index: a sum in `size_t`, whose number compilers put into the address of the array.
fn index_of_pair(parts: &[(Expr, u8)], width: u8) -> Option<String> {
    let [(low, below), (high, _)] = parts else { return None };
    let number = low.constant.filter(|_| high.constant.is_none() && width < 32)?;
    let multiple = format!("(size_t){} * {}", high.unary(), 1u64 << below);
    Some(if number == 0 { multiple } else { format!("{multiple} + {number}") })
}

/// `a == b` as a word of one bit.
pub fn compare(compare: Compare, a: &Expr, b: &Expr) -> Expr {
    let operator = match compare {
        Compare::Eq => "==",
        Compare::Ne => "!=",
        Compare::Ltu => "<",
    };
    let text = format!("{} {operator} {}", a.unary(), b.unary());
    cast(&Expr::new(text, Level::Binary(operator), &[a, b]), 1)
}
