//! C expressions of word operations.
//!
//! C computes with words narrower than `int` as `int`. An expression says whether its value still has that
//! type though the word is narrower ([`Expr::promoted`]): such a value is in range, but needs a cast where it is stored.

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::helpers::Helpers;
use super::types::{container, ctype, is_odd, is_promoted, literal, ones};

/// How tightly an expression binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A name, a call, an array element, anything in parentheses.
    Primary,
    /// A cast or a complement.
    Unary,
    /// A binary operation with this operator.
    Binary(&'static str),
}

/// A C expression that gives a word.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The text.
    pub text: String,
    /// How tightly it binds.
    pub level: Level,
    /// Its C type is `int`, and the word is narrower.
    pub promoted: bool,
    /// A number; its C type is that of the literal.
    pub constant: bool,
    /// The storages it reads.
    pub reads: BTreeSet<usize>,
}

impl Expr {
    /// A name, a call or an array element.
    #[must_use]
    pub fn primary(text: String) -> Self {
        Expr { text, level: Level::Primary, promoted: false, constant: false, reads: BTreeSet::new() }
    }

    /// A number of the given width.
    #[must_use]
    pub fn number(value: u64, width: u8) -> Self {
        Expr { constant: true, ..Expr::primary(literal(value, width)) }
    }

    fn with(mut self, level: Level, promoted: bool) -> Self {
        self.level = level;
        self.promoted = promoted;
        self
    }

    fn reading(mut self, operands: &[&Expr]) -> Self {
        for operand in operands {
            self.reads.extend(&operand.reads);
        }
        self
    }

    /// The text with parentheses unless it is primary.
    #[must_use]
    pub fn tight(&self) -> String {
        match self.level {
            Level::Primary => self.text.clone(),
            _ => format!("({})", self.text),
        }
    }

    fn unary(&self) -> String {
        match self.level {
            Level::Primary | Level::Unary => self.text.clone(),
            Level::Binary(_) => format!("({})", self.text),
        }
    }

    /// As an operand of a binary operator; `*` in `+ -` and chains of one associative operator need no parentheses.
    fn operand(&self, operator: &str, left: bool) -> String {
        match self.level {
            Level::Binary("*") if matches!(operator, "+" | "-") => self.text.clone(),
            Level::Binary(own) if own == operator && left && operator != "<<" && operator != ">>" => self.text.clone(),
            Level::Binary("<<") if operator == "|" => self.text.clone(),
            _ => self.unary(),
        }
    }

    /// Text to assign, pass or store as a word of the given width.
    #[must_use]
    pub fn stored(&self, width: u8) -> String {
        if self.promoted && is_promoted(width) {
            format!("({}){}", ctype(width), self.unary())
        } else {
            self.text.clone()
        }
    }

    /// As an unsigned number of any type: a rotation amount.
    fn amount(&self, width: u8) -> String {
        if self.promoted || width > 32 {
            format!("(unsigned){}", self.unary())
        } else {
            self.text.clone()
        }
    }

    /// Its C type made that of a word of the given width.
    #[must_use]
    pub fn cast(&self, width: u8) -> Expr {
        Expr::primary(format!("({}){}", ctype(width), self.unary())).with(Level::Unary, false).reading(&[self])
    }

    /// A sum of indices made a word.
    #[must_use]
    pub fn cast_index(&self, width: u8) -> Expr {
        let text = if self.text.contains(' ') { format!("({})", self.text) } else { self.text.clone() };
        Expr::primary(format!("({}){text}", ctype(width))).with(Level::Unary, false)
    }

    /// `a + b` and the like.
    #[must_use]
    pub fn binary(operation: Binary, a: &Expr, b: &Expr, width: u8) -> Expr {
        let operator = match operation {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
        };
        let dirty = matches!(operation, Binary::Add | Binary::Sub | Binary::Mul);
        let must_cast = a.constant && b.constant && !is_promoted(width);
        let overflows = operation == Binary::Mul && container(width) == 16;
        let left = if must_cast || overflows { a.cast(if overflows { 32 } else { width }) } else { a.clone() };
        let text = format!("{} {operator} {}", left.operand(operator, true), b.operand(operator, false));
        let joined = Expr::primary(text).with(Level::Binary(operator), is_promoted(width)).reading(&[a, b]);
        if dirty {
            joined.masked(width)
        } else {
            joined
        }
    }

    /// Brought back into range after an operation that may leave it.
    fn masked(self, width: u8) -> Expr {
        let kept = if is_odd(width) {
            let text = format!("{} & {}", self.operand("&", false), literal(ones(width), width));
            Expr { text, level: Level::Binary("&"), ..self }
        } else {
            self
        };
        if is_promoted(width) {
            kept.cast(width)
        } else {
            kept
        }
    }

    /// `~a`
    #[must_use]
    pub fn complement(&self, width: u8) -> Expr {
        let inner = if self.constant && !is_promoted(width) { self.cast(width) } else { self.clone() };
        Expr::primary(format!("~{}", inner.unary())).with(Level::Unary, false).reading(&[self]).masked(width)
    }

    /// A shift or rotation by a number.
    #[must_use]
    pub fn shift(&self, shift: Shift, amount: u64, width: u8, helpers: &mut Helpers) -> Expr {
        if amount == 0 || width == 1 {
            return self.clone();
        }
        let value = if self.constant { self.cast(width) } else { self.clone() };
        let infix = |operator: &'static str| {
            let text = format!("{} {operator} {amount}", value.operand(operator, true));
            Expr::primary(text).with(Level::Binary(operator), is_promoted(width)).reading(&[&value])
        };
        match shift {
            Shift::Shl => infix("<<").masked(width),
            Shift::Shr => infix(">>"),
            Shift::Rotl | Shift::Rotr => {
                let name = helpers.rotate(shift, width);
                Expr::primary(format!("{name}({}, {amount})", value.stored(width))).reading(&[self])
            }
        }
    }

    /// A shift or rotation by a word.
    #[must_use]
    pub fn shift_by(&self, shift: Shift, amount: &Expr, width: u8, amount_width: u8, helpers: &mut Helpers) -> Expr {
        if width == 1 && matches!(shift, Shift::Rotl | Shift::Rotr) {
            return self.clone();
        }
        let name = helpers.variable_shift(shift, width);
        let amount_text = match shift {
            Shift::Shl | Shift::Shr if amount.promoted => amount.cast(32).text,
            Shift::Shl | Shift::Shr => amount.text.clone(),
            _ if amount_width > 32 && !width.is_power_of_two() => format!("(unsigned)({} % {width})", amount.operand("%", true)),
            _ => amount.amount(amount_width),
        };
        Expr::primary(format!("{name}({}, {amount_text})", self.stored(width))).reading(&[self, amount])
    }

    /// `width` bits from `position` up, of a word `from` bits wide.
    #[must_use]
    pub fn extract(&self, position: u8, width: u8, from: u8) -> Expr {
        if position == 0 && width == from {
            return self.clone();
        }
        let shifted = if position == 0 {
            self.clone()
        } else {
            let text = format!("{} >> {position}", self.operand(">>", true));
            Expr { text, level: Level::Binary(">>"), ..self.clone() }
        };
        let needs_mask = is_odd(width) && position + width < from;
        let kept = if needs_mask {
            let text = format!("{} & {}", shifted.operand("&", true), literal(ones(width), from));
            Expr { text, level: Level::Binary("&"), ..shifted }
        } else {
            shifted
        };
        if container(width) == container(from) && !is_promoted(width) {
            kept
        } else {
            kept.cast(width)
        }
    }

    /// The same number in a wider word.
    #[must_use]
    pub fn extend(&self, width: u8, from: u8) -> Expr {
        if container(width) == container(from) {
            self.clone()
        } else {
            self.cast(width)
        }
    }

    /// Parts side by side, the least significant first; a part is an expression and its width.
    #[must_use]
    pub fn concat(parts: &[(Expr, u8)], width: u8) -> Expr {
        let mut texts = Vec::new();
        let mut position = 0;
        for (part, part_width) in parts {
            let piece = if is_promoted(width) { part.clone() } else { part.extend(width, *part_width) };
            texts.push(match position {
                0 => piece.operand("|", true),
                _ => format!("{} << {position}", piece.operand("<<", true)),
            });
            position += part_width;
        }
        let reads: Vec<&Expr> = parts.iter().map(|(e, _)| e).collect();
        let level = if texts.len() == 1 { Level::Unary } else { Level::Binary("|") };
        let joined = Expr::primary(texts.join(" | ")).with(level, is_promoted(width)).reading(&reads);
        if is_promoted(width) {
            joined.cast(width)
        } else {
            joined
        }
    }

    /// `a == b` as a word of one bit.
    #[must_use]
    pub fn compare(compare: Compare, a: &Expr, b: &Expr) -> Expr {
        let operator = match compare {
            Compare::Eq => "==",
            Compare::Ne => "!=",
            Compare::Ltu => "<",
        };
        let text = format!("{} {operator} {}", a.unary(), b.unary());
        Expr::primary(text).with(Level::Binary(operator), true).reading(&[a, b]).cast(1)
    }

    /// A call of a helper or function with these arguments.
    #[must_use]
    pub fn call(name: &str, arguments: &[(&Expr, u8)]) -> Expr {
        let texts: Vec<String> = arguments.iter().map(|(e, w)| e.stored(*w)).collect();
        let reads: Vec<&Expr> = arguments.iter().map(|(e, _)| *e).collect();
        Expr::primary(format!("{name}({})", texts.join(", "))).reading(&reads)
    }
}
