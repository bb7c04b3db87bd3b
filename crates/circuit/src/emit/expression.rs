//! Gates as expressions of a language with infix operators.

use super::lower::chain;
use super::source::Line;
use crate::function::Function;

/// How a language writes operators.
pub struct Operators {
    /// Between operands: ` & `.
    pub and: &'static str,
    /// Between operands.
    pub or: &'static str,
    /// Between operands.
    pub xor: &'static str,
    /// Before its operand: `~`.
    pub not: &'static str,
    /// Complemented operators where the language has them (`nand`, `nor`, `xnor`).
    pub complemented: Option<[&'static str; 3]>,
}

/// As in C, Verilog and the project's own equations.
pub const C_LIKE: Operators = Operators { and: " & ", or: " | ", xor: " ^ ", not: "~", complemented: None };

enum Expression {
    Name(String),
    Not(Box<Expression>),
    Joined(&'static str, Box<Expression>, Box<Expression>),
}

impl Operators {
    /// The right side of a line.
    #[must_use]
    pub fn expression(&self, line: &Line) -> String {
        self.of(line.function, &line.operands).text(self, None)
    }

    fn of(&self, function: Function, names: &[String]) -> Expression {
        let mut values: Vec<String> = names.to_vec();
        match function.arity {
            1 => Expression::Not(Box::new(Expression::Name(values.remove(0)))),
            2 => self.joined(function, Expression::Name(values[0].clone()), Expression::Name(values[1].clone())),
            _ => {
                let steps = chain(function);
                self.inlined(&steps, names, names.len() + steps.len() - 1)
            }
        }
    }

    fn inlined(&self, steps: &[super::lower::Step], names: &[String], n: usize) -> Expression {
        if n < names.len() {
            return Expression::Name(names[n].clone());
        }
        let step = &steps[n - names.len()];
        let [a, b] = step.operands.map(|operand| self.inlined(steps, names, operand));
        self.joined(step.function, a, b)
    }

    fn joined(&self, function: Function, a: Expression, b: Expression) -> Expression {
        let join = |operator, a, b| match (&a, &b) {
            // The longer part first, as one reads it.
            (Expression::Name(_), Expression::Joined(..)) => Expression::Joined(operator, Box::new(b), Box::new(a)),
            _ => Expression::Joined(operator, Box::new(a), Box::new(b)),
        };
        let not = |e| Expression::Not(Box::new(e));
        let complemented = |n: usize, plain, a, b| match self.complemented {
            Some(words) => join(words[n], a, b),
            None => not(join(plain, a, b)),
        };
        match function.table {
            0b1000 => join(self.and, a, b),
            0b1110 => join(self.or, a, b),
            0b0110 => join(self.xor, a, b),
            0b0010 => join(self.and, a, not(b)),
            0b0100 => join(self.and, b, not(a)),
            0b1011 => join(self.or, a, not(b)),
            0b1101 => join(self.or, b, not(a)),
            0b0111 => complemented(0, self.and, a, b),
            0b0001 => complemented(1, self.or, a, b),
            _ => complemented(2, self.xor, a, b),
        }
    }
}

impl Expression {
    fn text(&self, operators: &Operators, around: Option<&str>) -> String {
        match self {
            Expression::Name(name) => name.clone(),
            Expression::Not(inner) => format!("{}{}", operators.not, inner.text(operators, Some(operators.not))),
            Expression::Joined(operator, a, b) => {
                let inner = Some(*operator);
                let text = format!("{}{operator}{}", a.text(operators, inner), b.text(operators, inner));
                let associative = [operators.and, operators.or, operators.xor].contains(operator);
                if around.is_none() || associative && around == inner {
                    text
                } else {
                    format!("({text})")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(function: Function, names: &[&str]) -> String {
        let operands = names.iter().map(|&n| n.to_owned()).collect();
        C_LIKE.expression(&Line { result: "t".into(), function, operands })
    }

    #[test]
    fn gates_read_as_one_would_write_them() {
        assert_eq!(written(Function::NOT, &["a"]), "~a");
        assert_eq!(written(Function::ANDNOT, &["a", "b"]), "a & ~b");
        assert_eq!(written(Function::NAND, &["a", "b"]), "~(a & b)");
        assert_eq!(written(Function::ORNOT.reordered(&[1, 0]), &["a", "b"]), "b | ~a");
        assert_eq!(written(Function::new(3, 0x96), &["a", "b", "c"]), "a ^ b ^ c");
        assert_eq!(written(Function::new(4, 0x0777), &["a", "b", "c", "d"]), "~((a & b) | (c & d))");
    }
}
