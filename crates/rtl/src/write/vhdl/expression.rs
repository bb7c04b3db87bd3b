//! Expressions in VHDL-2008: words are `unsigned`, single bits `std_logic`.

use program::ir::Compare;

use crate::write::expression::{digits, Amount, Expr, Operator};

/// The text of an expression whose type the context gives: the value of an assignment or of a port.
pub(super) fn text(expr: &Expr) -> String {
    match expr {
        Expr::Concat(parts) => parts.iter().map(closed).collect::<Vec<_>>().join(" & "),
        Expr::Select(condition, a, b) => {
            format!("{} when {} else {}", text(a), condition_text(condition), text(b))
        }
        _ => typed(expr),
    }
}

/// The statement that chooses one of many words.
pub(super) fn choice(target: &str, address: &Expr, words: &[Expr]) -> Vec<String> {
    let bits = address.width();
    let mut lines = vec![format!("  with {} select", typed(address)), format!("    {target} <=")];
    lines.extend(words.iter().enumerate().map(|(n, word)| match n + 1 == words.len() {
        true => format!("      {} when others;", text(word)),
        false => format!("      {} when {},", text(word), number(n as u64, bits)),
    }));
    lines
}

/// The text of an expression inside another one; it has its type by itself, but for numbers.
fn typed(expr: &Expr) -> String {
    match expr {
        Expr::Name { name, .. } => name.clone(),
        Expr::Const { value, width } => number(*value, *width),
        Expr::Part { name, low, width: 1, .. } => format!("{name}({low})"),
        Expr::Part { name, low, width, .. } => format!("{name}({} downto {low})", low + width - 1),
        Expr::Word { store, address, .. } => format!("{store}({})", index(address)),
        Expr::Binary(Operator::Mul, a, b) => format!("resize({} * {}, {})", closed(a), closed(b), expr.width()),
        Expr::Binary(operator, a, b) => binary(*operator, a, b),
        Expr::Not(a) => format!("not {}", closed(a)),
        Expr::Shift { left, value, amount } => {
            let amount = match amount {
                Amount::Const(n) => n.to_string(),
                Amount::Word(n) => index(n),
            };
            let function = if *left { "shift_left" } else { "shift_right" };
            format!("{function}({}, {amount})", qualified(value))
        }
        Expr::Concat(_) => format!("unsigned'({})", text(expr)),
        Expr::Compare(which, a, b) => {
            let sign = match which {
                Compare::Eq => "?=",
                Compare::Ne => "?/=",
                Compare::Ltu => "?<",
            };
            format!("{} {sign} {}", closed(a), closed(b))
        }
        Expr::Select(..) | Expr::Choice { .. } => unreachable!("a selection stands at the end of an assignment only"),
        Expr::Parity { name, chosen } => format!("xor ({name} and {}x\"{}\")", chosen.len(), digits(chosen)),
        Expr::Remainder(a, n) => format!("{} mod {n}", closed(&qualified_number(a))),
    }
}

/// A number needs its type said where the context does not give it.
fn qualified(expr: &Expr) -> String {
    match expr {
        Expr::Const { .. } => format!("unsigned'({})", typed(expr)),
        _ => typed(expr),
    }
}

fn qualified_number(expr: &Expr) -> Expr {
    match expr {
        Expr::Const { .. } => Expr::Concat(vec![expr.clone()]),
        other => other.clone(),
    }
}

/// A word as the number that an index or an amount is.
pub(super) fn index(address: &Expr) -> String {
    match address {
        Expr::Const { value, .. } => value.to_string(),
        other if other.width() == 1 => format!("to_integer(unsigned'(\"\" & {}))", closed(other)),
        other => format!("to_integer({})", typed(other)),
    }
}

/// A single bit as a condition.
pub(super) fn condition_text(condition: &Expr) -> String {
    match condition {
        Expr::Compare(which, a, b) => {
            let sign = match which {
                Compare::Eq => "=",
                Compare::Ne => "/=",
                Compare::Ltu => "<",
            };
            format!("{} {sign} {}", closed(a), closed(b))
        }
        Expr::Not(a) => format!("{} = '0'", closed(a)),
        other => format!("{} = '1'", closed(other)),
    }
}

/// An expression that is one operand.
pub(super) fn closed(expr: &Expr) -> String {
    match expr {
        Expr::Binary(Operator::Mul, ..) => typed(expr),
        Expr::Binary(..) | Expr::Not(_) | Expr::Compare(..) | Expr::Remainder(..) | Expr::Parity { .. } => {
            format!("({})", typed(expr))
        }
        _ => typed(expr),
    }
}

fn binary(operator: Operator, a: &Expr, b: &Expr) -> String {
    let word = match operator {
        Operator::And => "and",
        Operator::Or => "or",
        Operator::Xor => "xor",
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::Mul => "*",
    };
    let chain = match (a, operator) {
        (Expr::Binary(Operator::Add, ..), Operator::Sub) => true,
        (Expr::Binary(inner, ..), _) => *inner == operator,
        _ => false,
    };
    let left = if chain { typed(a) } else { closed(a) };
    format!("{left} {word} {}", closed(b))
}

/// A number with its width.
pub(super) fn number(value: u64, width: u32) -> String {
    match width {
        1 => format!("'{value}'"),
        _ => format!("{width}x\"{value:x}\""),
    }
}
