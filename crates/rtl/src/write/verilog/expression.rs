//! Expressions in Verilog. Every operand has the width of its operation, so that no context widens one.

use program::ir::Compare;

use crate::write::expression::{digits, Amount, Expr, Operator};

/// The text of an expression.
pub(super) fn text(expr: &Expr) -> String {
    match expr {
        Expr::Name { name, .. } => name.clone(),
        Expr::Const { value, width } => number(*value, *width),
        Expr::Part { name, low, width: 1, .. } => format!("{name}[{low}]"),
        Expr::Part { name, low, width, .. } => format!("{name}[{}:{low}]", low + width - 1),
        Expr::Word { store, address, .. } => format!("{store}[{}]", index(address)),
        Expr::Binary(operator, a, b) => binary(*operator, a, b),
        Expr::Not(a) => format!("~{}", closed(a)),
        Expr::Shift { left, value, amount } => {
            let amount = match amount {
                Amount::Const(n) => n.to_string(),
                Amount::Word(n) => closed(n),
            };
            format!("{} {} {amount}", closed(value), if *left { "<<" } else { ">>" })
        }
        Expr::Concat(parts) => format!("{{{}}}", parts.iter().map(text).collect::<Vec<_>>().join(", ")),
        Expr::Compare(which, a, b) => {
            let sign = match which {
                Compare::Eq => "==",
                Compare::Ne => "!=",
                Compare::Ltu => "<",
            };
            format!("{} {sign} {}", closed(a), closed(b))
        }
        Expr::Select(condition, a, b) => {
            let condition = if condition.is_simple() { text(condition) } else { format!("({})", text(condition)) };
            format!("{condition} ? {} : {}", closed(a), text(b))
        }
        Expr::Choice { .. } => unreachable!("a choice is a statement"),
        Expr::Parity { name, chosen } => format!("^({name} & {}'h{})", chosen.len(), digits(chosen)),
        Expr::Remainder(a, n) => format!("{} % {}", closed(a), number(*n, a.width())),
    }
}

/// The address of a word.
fn index(address: &Expr) -> String {
    match address {
        Expr::Const { value, .. } => value.to_string(),
        other => text(other),
    }
}

/// An expression that is one operand.
pub(super) fn closed(expr: &Expr) -> String {
    match expr {
        Expr::Binary(..) | Expr::Shift { .. } | Expr::Compare(..) | Expr::Select(..) | Expr::Remainder(..) => {
            format!("({})", text(expr))
        }
        _ => text(expr),
    }
}

fn binary(operator: Operator, a: &Expr, b: &Expr) -> String {
    let sign = match operator {
        Operator::And => "&",
        Operator::Or => "|",
        Operator::Xor => "^",
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::Mul => "*",
    };
    // A chain of one operator needs no parentheses on its left; sums may go on with differences.
    let chain = match (a, operator) {
        (Expr::Binary(Operator::Add, ..), Operator::Sub) => true,
        (Expr::Binary(inner, ..), _) => *inner == operator && operator != Operator::Mul,
        _ => false,
    };
    let left = if chain { text(a) } else { closed(a) };
    format!("{left} {sign} {}", closed(b))
}

/// A number with its width.
pub(super) fn number(value: u64, width: u32) -> String {
    match width {
        1 => format!("1'b{value}"),
        _ if value < 10 => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}
