//! Gates to equations.

use super::ast::{Assignment, Expression, Operator};
use super::elaborate::NAMED;
use crate::circuit::{Circuit, Gate, Wire};
use crate::function::Function;
use crate::target::Target;

/// One equation for each gate (`t1`, `t2`, …) and each output (`y0`, …).
///
/// A gate that is a cell of the target is written by the cell's name, one of two operands by operators, any other by
/// its table.
#[must_use]
pub fn equations(circuit: &Circuit, target: Option<&Target>) -> Vec<Assignment> {
    let plain = |name: String, value| Assignment { name, compound: None, value };
    let gates = circuit.gates.iter().enumerate().map(|(n, g)| plain(format!("t{}", n + 1), expression(g, target)));
    let outputs = circuit.outputs.iter().enumerate().map(|(k, w)| plain(format!("y{k}"), operand(*w)));
    gates.chain(outputs).collect()
}

fn operand(wire: Wire) -> Expression {
    match wire {
        Wire::Input(k) => Expression::Name(format!("x{k}")),
        Wire::Gate(n) => Expression::Name(format!("t{}", n + 1)),
        Wire::Constant(value) => Expression::Constant(value),
    }
}

fn expression(gate: &Gate, target: Option<&Target>) -> Expression {
    let operands: Vec<Expression> = gate.operands.iter().map(|&w| operand(w)).collect();
    let cell = target.and_then(|t| t.operation(gate.function)).filter(|operation| {
        let usual = ["ternary", "move"].into_iter().chain(NAMED.iter().map(|(n, _)| *n));
        operation.table.is_some() && !usual.into_iter().any(|n| n == operation.name)
    });
    if let Some(operation) = cell {
        return Expression::Call(operation.name.clone(), operands);
    }
    by_operators(gate.function, &operands).unwrap_or(Expression::Lookup(gate.function.table, operands))
}

/// The usual spelling of a function of one or two operands.
fn by_operators(function: Function, operands: &[Expression]) -> Option<Expression> {
    if function == Function::NOT {
        return Some(operands[0].clone().complemented());
    }
    let [a, b] = operands else { return None };
    let of = |operator, a: &Expression, b: Expression| Expression::binary(operator, a.clone(), b);
    Some(match function {
        Function::AND => of(Operator::And, a, b.clone()),
        Function::OR => of(Operator::Or, a, b.clone()),
        Function::XOR => of(Operator::Xor, a, b.clone()),
        Function::ANDNOT => of(Operator::And, a, b.clone().complemented()),
        Function::ORNOT => of(Operator::Or, a, b.clone().complemented()),
        Function::NAND => of(Operator::And, a, b.clone()).complemented(),
        Function::NOR => of(Operator::Or, a, b.clone()).complemented(),
        Function::XNOR => of(Operator::Xor, a, b.clone()).complemented(),
        _ if function.reordered(&[1, 0]) == Function::ANDNOT => of(Operator::And, &a.clone().complemented(), b.clone()),
        _ if function.reordered(&[1, 0]) == Function::ORNOT => of(Operator::Or, &a.clone().complemented(), b.clone()),
        _ => return None,
    })
}
