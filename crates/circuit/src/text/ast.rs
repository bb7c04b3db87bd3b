//! Equations as written: expressions over names, and assignments.

use std::fmt;

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
}

impl Operator {
    /// The value at two bits.
    #[must_use]
    pub fn value(self, a: bool, b: bool) -> bool {
        match self {
            Operator::And => a & b,
            Operator::Xor => a ^ b,
            Operator::Or => a | b,
        }
    }

    /// The character.
    #[must_use]
    pub fn symbol(self) -> char {
        match self {
            Operator::And => '&',
            Operator::Xor => '^',
            Operator::Or => '|',
        }
    }

    /// How strongly it binds, as in C: and before exclusive or before or.
    pub(super) fn strength(self) -> u8 {
        match self {
            Operator::And => 3,
            Operator::Xor => 2,
            Operator::Or => 1,
        }
    }
}

/// The right side of an equation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// All zeros or all ones.
    Constant(bool),
    /// The value that a name has here.
    Name(String),
    /// `~a`
    Not(Box<Expression>),
    /// `a & b`, `a ^ b`, `a | b`
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `lut(0x96, a, b, c)`: table with bit `a + 2 b + 4 c`.
    Lookup(u16, Vec<Expression>),
    /// `AOI21X1(a, b, c)`: an operation of the target, by name.
    Call(String, Vec<Expression>),
}

impl Expression {
    /// The value of a name.
    pub fn name(text: impl Into<String>) -> Self {
        Expression::Name(text.into())
    }

    /// The complement.
    #[must_use]
    pub fn complemented(self) -> Self {
        Expression::Not(Box::new(self))
    }

    /// Two expressions joined.
    #[must_use]
    pub fn binary(operator: Operator, a: Self, b: Self) -> Self {
        Expression::Binary(operator, Box::new(a), Box::new(b))
    }

    fn strength(&self) -> u8 {
        match self {
            Expression::Binary(operator, ..) => operator.strength(),
            Expression::Not(_) => 4,
            _ => 5,
        }
    }

    /// Whoever reads the text should not need to know which operator binds first, so that mixed ones are parenthesized.
    fn write_operand(&self, f: &mut fmt::Formatter<'_>, operator: Operator, left: bool) -> fmt::Result {
        let bare = match self {
            Expression::Binary(inner, ..) => left && *inner == operator,
            _ => true,
        };
        if bare {
            write!(f, "{self}")
        } else {
            write!(f, "({self})")
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, operands: &[Expression]| {
            operands
                .iter()
                .enumerate()
                .try_for_each(|(n, operand)| write!(f, "{}{operand}", if n == 0 { "" } else { ", " }))
        };
        match self {
            Expression::Constant(value) => write!(f, "{}", u8::from(*value)),
            Expression::Name(name) => write!(f, "{name}"),
            Expression::Not(inner) if inner.strength() < 4 => write!(f, "~({inner})"),
            Expression::Not(inner) => write!(f, "~{inner}"),
            Expression::Binary(operator, a, b) => {
                a.write_operand(f, *operator, true)?;
                write!(f, " {} ", operator.symbol())?;
                b.write_operand(f, *operator, false)
            }
            Expression::Lookup(table, operands) => {
                let digits = (1usize << operands.len()).div_ceil(4);
                write!(f, "lut(0x{table:0digits$x}, ")?;
                list(f, operands)?;
                write!(f, ")")
            }
            Expression::Call(name, operands) => {
                write!(f, "{name}(")?;
                list(f, operands)?;
                write!(f, ")")
            }
        }
    }
}

/// One equation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The name that gets the value.
    pub name: String,
    /// For `name ^= value`: the operator.
    pub compound: Option<Operator>,
    /// The right side.
    pub value: Expression,
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name)?;
        if let Some(operator) = self.compound {
            write!(f, "{}", operator.symbol())?;
        }
        write!(f, "= {}", self.value)
    }
}
