//! Expressions of the emitted language.

use std::collections::BTreeSet;

use program::ir::Binary;

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

/// An expression that gives a word.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The text.
    pub text: String,
    /// How tightly it binds.
    pub level: Level,
    /// An element of an array of narrow words: C makes it an `int`.
    pub promoted: bool,
    /// The number that it is, if it is one; its type is that of the literal.
    pub constant: Option<u64>,
    /// The storages it reads.
    pub reads: BTreeSet<usize>,
    /// Its text where it is an index, if that differs.
    pub index: Option<String>,
}

impl Expr {
    /// A name, a call or an array element.
    #[must_use]
    pub fn primary(text: String) -> Self {
        Expr { text, level: Level::Primary, promoted: false, constant: None, reads: BTreeSet::new(), index: None }
    }

    /// An expression of these operands.
    #[must_use]
    pub fn new(text: String, level: Level, operands: &[&Expr]) -> Self {
        let reads = operands.iter().flat_map(|o| o.reads.iter().copied()).collect();
        Expr { level, reads, ..Expr::primary(text) }
    }

    /// A call with these arguments.
    #[must_use]
    pub fn call(name: &str, arguments: &[&Expr]) -> Expr {
        let texts: Vec<&str> = arguments.iter().map(|e| e.text.as_str()).collect();
        Expr::new(format!("{name}({})", texts.join(", ")), Level::Primary, arguments)
    }

    /// It, an operator and a number.
    #[must_use]
    pub fn by(&self, operator: &'static str, amount: u64) -> Expr {
        Expr::new(format!("{} {operator} {amount}", self.operand(operator, true)), Level::Binary(operator), &[self])
    }

    /// The text with parentheses unless it is primary.
    #[must_use]
    pub fn tight(&self) -> String {
        match self.level {
            Level::Primary => self.text.clone(),
            _ => format!("({})", self.text),
        }
    }

    /// As an operand of a unary operator.
    #[must_use]
    pub fn unary(&self) -> String {
        match self.level {
            Level::Primary | Level::Unary => self.text.clone(),
            Level::Binary(_) => format!("({})", self.text),
        }
    }

    /// As an operand of a binary operator; `*` in `+ -` and chains of one associative operator need no parentheses.
    #[must_use]
    pub fn operand(&self, operator: &str, left: bool) -> String {
        match self.level {
            Level::Binary("*") if matches!(operator, "+" | "-") => self.text.clone(),
            Level::Binary(own) if own == operator && left && !operator.contains(['<', '>']) => self.text.clone(),
            Level::Binary("<<") if operator == "|" => self.text.clone(),
            _ => self.unary(),
        }
    }
}

/// The operator of a binary operation.
#[must_use]
pub fn operator(operation: Binary) -> &'static str {
    match operation {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
    }
}

/// Parts side by side, the least significant first; a part is an expression and its width, and `extended` makes it a word of the whole.
#[must_use]
pub fn concat(parts: &[(Expr, u8)], extended: impl Fn(&Expr, u8) -> Expr) -> Expr {
    let mut texts = Vec::new();
    let mut position = 0;
    for (part, width) in parts {
        let piece = extended(part, *width);
        texts.push(match position {
            0 => piece.operand("|", true),
            _ => piece.by("<<", position).text,
        });
        position += u64::from(*width);
    }
    let reads: Vec<&Expr> = parts.iter().map(|(e, _)| e).collect();
    let level = if texts.len() == 1 { Level::Unary } else { Level::Binary("|") };
    Expr::new(texts.join(" | "), level, &reads)
}
