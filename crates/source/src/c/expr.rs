//! C expressions of word operations.
//!
//! Words are held in `uint32_t` or `uint64_t`. An element of an array or table of narrower words has the type of C's integer
//! promotions, `int`, until it meets another operand: [`Expr::promoted`].

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::helpers::Helpers;
use super::types::{container, ctype, is_narrow, literal, ones, value_bits, value_type};

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
    /// An element of an array of narrow words: C makes it an `int`.
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

    /// An element of an array or table of words of the given width.
    #[must_use]
    pub fn element(text: String, width: u8, reads: BTreeSet<usize>) -> Self {
        Expr { promoted: container(width) < 32, reads, ..Expr::primary(text) }
    }

    /// A number.
    #[must_use]
    pub fn number(value: u64) -> Self {
        Expr { constant: true, ..Expr::primary(literal(value)) }
    }

    fn new(text: String, level: Level, operands: &[&Expr]) -> Self {
        let reads = operands.iter().flat_map(|o| o.reads.iter().copied()).collect();
        Expr { level, reads, ..Expr::primary(text) }
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

    /// Text to store in memory as a word of the given width.
    #[must_use]
    pub fn stored(&self, width: u8) -> String {
        if container(width) < 32 && !self.promoted && !self.constant {
            format!("({}){}", ctype(width), self.unary())
        } else {
            self.text.clone()
        }
    }

    /// Its C type made that of a variable for a word of the given width.
    #[must_use]
    pub fn cast(&self, width: u8) -> Expr {
        Expr::new(format!("({}){}", value_type(width), self.unary()), Level::Unary, &[self])
    }

    /// Not an `int`, nor a literal.
    fn settled(&self, width: u8) -> Expr {
        if self.promoted || self.constant {
            self.cast(width)
        } else {
            self.clone()
        }
    }

    /// A sum of indices made a word.
    #[must_use]
    pub fn cast_index(&self, width: u8) -> Expr {
        let text = if self.text.contains(' ') { format!("({})", self.text) } else { self.text.clone() };
        Expr::new(format!("({}){text}", value_type(width)), Level::Unary, &[self])
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
        let untyped = |e: &Expr| e.promoted || e.constant;
        let left = if untyped(a) && untyped(b) { a.cast(width) } else { a.clone() };
        let text = format!("{} {operator} {}", left.operand(operator, true), b.operand(operator, false));
        let joined = Expr::new(text, Level::Binary(operator), &[a, b]);
        match operation {
            Binary::Add | Binary::Sub | Binary::Mul => joined.masked(width),
            Binary::And | Binary::Or | Binary::Xor => joined,
        }
    }

    /// Brought back into range after an operation that may leave it.
    fn masked(self, width: u8) -> Expr {
        if !is_narrow(width) {
            return self;
        }
        let text = format!("{} & {}", self.operand("&", false), literal(ones(width)));
        Expr { text, level: Level::Binary("&"), ..self }
    }

    /// `~a`
    #[must_use]
    pub fn complement(&self, width: u8) -> Expr {
        let inner = self.settled(width);
        Expr::new(format!("~{}", inner.unary()), Level::Unary, &[self]).masked(width)
    }

    /// A shift or rotation by a number.
    #[must_use]
    pub fn shift(&self, shift: Shift, amount: u64, width: u8, helpers: &mut Helpers) -> Expr {
        if amount == 0 || width == 1 {
            return self.clone();
        }
        let value = self.settled(width);
        let infix = |operator: &'static str| {
            let text = format!("{} {operator} {amount}", value.operand(operator, true));
            Expr::new(text, Level::Binary(operator), &[&value])
        };
        match shift {
            Shift::Shl => infix("<<").masked(width),
            Shift::Shr => infix(">>"),
            Shift::Rotl | Shift::Rotr => {
                let name = helpers.rotate(shift, width);
                Expr::new(format!("{name}({}, {amount})", self.text), Level::Primary, &[self])
            }
        }
    }

    /// A shift or rotation by a word.
    #[must_use]
    pub fn shift_by(&self, shift: Shift, amount: &Expr, width: u8, amount_width: u8, helpers: &mut Helpers) -> Expr {
        let rotates = matches!(shift, Shift::Rotl | Shift::Rotr);
        if width == 1 && rotates {
            return self.clone();
        }
        let name = helpers.variable_shift(shift, width);
        let text = match (rotates, amount_width > 32) {
            (true, true) if !width.is_power_of_two() => format!("(uint32_t)({} % {width})", amount.operand("%", true)),
            (true, true) => format!("(uint32_t){}", amount.unary()),
            _ => amount.text.clone(),
        };
        Expr::new(format!("{name}({}, {text})", self.text), Level::Primary, &[self, amount])
    }

    /// `width` bits from `position` up, of a word `from` bits wide.
    #[must_use]
    pub fn extract(&self, position: u8, width: u8, from: u8) -> Expr {
        if position == 0 && width == from {
            return self.clone();
        }
        let value = self.settled(from);
        let shifted = if position == 0 {
            value
        } else {
            Expr::new(format!("{} >> {position}", value.operand(">>", true)), Level::Binary(">>"), &[&value])
        };
        let narrowed = if value_bits(width) < value_bits(from) { shifted.cast(width) } else { shifted };
        if position + width < from {
            narrowed.masked(width)
        } else {
            narrowed
        }
    }

    /// The same number in a wider word.
    #[must_use]
    pub fn extend(&self, width: u8, from: u8) -> Expr {
        if value_bits(width) == value_bits(from) {
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
            let piece = part.extend(width, *part_width).settled(width);
            texts.push(match position {
                0 => piece.operand("|", true),
                _ => format!("{} << {position}", piece.operand("<<", true)),
            });
            position += part_width;
        }
        let reads: Vec<&Expr> = parts.iter().map(|(e, _)| e).collect();
        let level = if texts.len() == 1 { Level::Unary } else { Level::Binary("|") };
        Expr::new(texts.join(" | "), level, &reads)
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
        Expr::new(text, Level::Binary(operator), &[a, b]).cast(1)
    }

    /// A call of a helper with these arguments.
    #[must_use]
    pub fn call(name: &str, arguments: &[&Expr]) -> Expr {
        let texts: Vec<&str> = arguments.iter().map(|e| e.text.as_str()).collect();
        Expr::new(format!("{name}({})", texts.join(", ")), Level::Primary, arguments)
    }
}
