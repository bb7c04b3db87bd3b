//! The semantics as text, with no more parentheses than it needs.

use std::fmt;

use super::{Expression, Operator, Statement};

/// Binds tighter than every operator.
const TIGHTEST: u8 = 8;

impl Expression {
    fn precedence(&self) -> u8 {
        match self {
            Expression::Select(..) => 0,
            Expression::Binary(operator, ..) => operator.precedence(),
            _ => TIGHTEST,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.precedence() < least {
            return write!(f, "({self})");
        }
        write!(f, "{self}")
    }
}

/// The right operand of these needs no parentheses if it is of the same operator.
fn associative(operator: Operator) -> bool {
    matches!(operator, Operator::Add | Operator::Mul | Operator::And | Operator::Or | Operator::Xor)
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Name(name) => write!(f, "{name}"),
            Expression::Number(n) if *n > u64::from(u32::MAX) => write!(f, "{n:#x}"),
            Expression::Number(n) => write!(f, "{n}"),
            Expression::Not(x) => {
                write!(f, "~")?;
                x.write(f, TIGHTEST)
            }
            Expression::Binary(operator, x, y) => {
                let own = operator.precedence();
                // Mixed bit operations and shifts are hard to read without parentheses.
                let clear = |e: &Expression| match e {
                    Expression::Binary(o, ..) if o == operator && associative(*o) => own,
                    Expression::Binary(..) => TIGHTEST,
                    _ => own + 1,
                };
                x.write(f, if matches!(&**x, Expression::Binary(o, ..) if o == operator) { own } else { clear(x) })?;
                write!(f, " {} ", operator.symbol())?;
                // Trees keep their shape: `a + (b + c)` is not `a + b + c`.
                y.write(f, clear(y).max(own + 1))
            }
            Expression::Select(c, x, y) => {
                c.write(f, 1)?;
                write!(f, " ? ")?;
                x.write(f, 1)?;
                write!(f, " : ")?;
                y.write(f, 0)
            }
            Expression::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (n, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if n == 0 { "" } else { ", " })?;
                }
                write!(f, ")")
            }
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Assign(name, expression) => write!(f, "{name} = {expression}"),
            Statement::Store(bits, address, value) => write!(f, "store{bits}({address}, {value})"),
        }
    }
}

/// Statements as they are written in a file.
#[must_use]
pub fn text(statements: &[Statement]) -> String {
    statements.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
