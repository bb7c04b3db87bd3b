//! Instructions of machines whose result replaces the first operand.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Metrics;
use crate::circuit::{Circuit, Wire};
use crate::function::Function;
use crate::target::Target;
use crate::text::{Assignment, Document, Expression, Operator};

/// A sequence counted as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// Instructions, moves among them.
    pub instructions: usize,
    /// Moves.
    pub moves: usize,
    /// Registers that are written or hold an input.
    pub registers: usize,
}

/// Instructions for the gates in the order written: a move before a gate whose replaceable operands all live on.
///
/// The operand of a NOT, either operand of a symmetric gate and the first of any other can be replaced.
pub fn of_order(circuit: &Circuit, target: &Target, metrics: &mut Metrics) {
    if !target.two_operand {
        metrics.count("instructions", circuit.gates.len());
        return;
    }
    let (moves, registers) = moves_in_order(circuit);
    metrics.count("moves", moves);
    if target.registers.map_or(true, |limit| registers <= limit as usize) {
        metrics.count("instructions", circuit.gates.len() + moves);
    } else {
        let limit = target.registers.unwrap_or(0);
        metrics.remarks.push(format!("instructions: the order written needs {registers} registers, not {limit}"));
    }
    match least_moves(circuit, target.registers.map_or(usize::MAX, |limit| limit as usize)) {
        Some(Some(moves)) => metrics.count("instructions_least", circuit.gates.len() + moves),
        Some(None) => metrics.remarks.push("instructions_least: no order fits in the registers".to_owned()),
        None => metrics.remarks.push("instructions_least: too many orders to try".to_owned()),
    }
}

/// More sets of gates than this are not tried.
const MOST_SETS: usize = 200_000;

/// Fewest moves over all orders of the gates: the fewest for each set of gates that can be done first, set by set.
/// Nothing if there are too many sets; nothing inside if no order fits in the registers.
fn least_moves(circuit: &Circuit, limit: usize) -> Option<Option<usize>> {
    let count = circuit.gates.len();
    if count > 100 {
        return None;
    }
    let end = 1u128 << count;
    let readers = |wire: Wire| {
        let gates = (0..count).filter(|&n| circuit.gates[n].operands.contains(&wire));
        gates.fold(if circuit.outputs.contains(&wire) { end } else { 0 }, |sum, n| sum | 1 << n)
    };
    let inputs: Vec<u128> = (0..circuit.inputs.into()).map(|k| readers(Wire::Input(k))).collect();
    let gates: Vec<u128> = (0..count).map(|n| readers(Wire::Gate(n))).collect();
    let alive = |done: u128| {
        let held = inputs.iter().filter(|r| **r & !done != 0).count();
        held + (0..count).filter(|&n| done >> n & 1 == 1 && gates[n] & !done != 0).count()
    };
    let mut layer: BTreeMap<u128, usize> = BTreeMap::from([(0, 0)]);
    let mut tried = 0;
    for _ in 0..count {
        let mut next: BTreeMap<u128, usize> = BTreeMap::new();
        for (&done, &moves) in &layer {
            let held = alive(done);
            for (n, gate) in circuit.gates.iter().enumerate().filter(|(n, _)| done >> n & 1 == 0) {
                if gate.operands.iter().any(|w| matches!(w, Wire::Gate(m) if done >> m & 1 == 0)) {
                    continue;
                }
                let after = done | 1 << n;
                let dies = |wire: Wire| match wire {
                    Wire::Input(k) => inputs[k] & !after == 0,
                    Wire::Gate(m) => gates[m] & !after == 0,
                    Wire::Constant(_) => false,
                };
                let moved = !replaceable(gate.function).into_iter().any(|place| dies(gate.operands[place]));
                if held + usize::from(moved) <= limit {
                    let best = next.entry(after).or_insert(usize::MAX);
                    *best = (*best).min(moves + usize::from(moved));
                }
            }
        }
        tried += next.len();
        if tried > MOST_SETS {
            return None;
        }
        layer = next;
    }
    Some(layer.into_values().next())
}

fn last_uses(circuit: &Circuit) -> impl Fn(Wire) -> usize + '_ {
    move |wire: Wire| {
        if circuit.outputs.contains(&wire) {
            return usize::MAX;
        }
        (0..circuit.gates.len()).rev().find(|&n| circuit.gates[n].operands.contains(&wire)).unwrap_or(0)
    }
}

fn replaceable(function: Function) -> Vec<usize> {
    let symmetric = function.arity == 2 && function.reordered(&[1, 0]) == function;
    if symmetric {
        vec![0, 1]
    } else {
        vec![0]
    }
}

/// Moves, and registers that are in use at once.
fn moves_in_order(circuit: &Circuit) -> (usize, usize) {
    let last = last_uses(circuit);
    let outputs: HashSet<Wire> = circuit.outputs.iter().copied().collect();
    let mut alive: BTreeSet<Wire> = (0..circuit.inputs.into()).map(Wire::Input).collect();
    alive.retain(|w| outputs.contains(w) || circuit.gates.iter().any(|g| g.operands.contains(w)));
    let (mut moves, mut most) = (0, alive.len());
    for (n, gate) in circuit.gates.iter().enumerate() {
        let dies = |wire: Wire| !matches!(wire, Wire::Constant(_)) && last(wire) == n;
        let replaced = replaceable(gate.function).into_iter().any(|place| dies(gate.operands[place]));
        // A move needs a register while all operands are still held.
        moves += usize::from(!replaced);
        most = most.max(alive.len() + usize::from(!replaced));
        alive.retain(|&w| last(w) != n);
        alive.insert(Wire::Gate(n));
    }
    (moves, most)
}

/// Counts a sequence of instructions as written, in place of the order of its gates.
pub fn of_sequence(document: &Document, target: &Target, metrics: &mut Metrics) {
    metrics.values.remove("instructions");
    metrics.values.remove("moves");
    metrics.remarks.retain(|r| !r.starts_with("instructions"));
    match sequence(document, target) {
        Ok(found) => {
            metrics.count("instructions", found.instructions);
            metrics.count("moves", found.moves);
            metrics.count("registers", found.registers);
        }
        Err(remark) => metrics.remarks.push(format!("instructions: {remark}")),
    }
}

fn sequence(document: &Document, target: &Target) -> Result<Sequence, String> {
    let registers: BTreeSet<&str> = document.field("registers").unwrap_or("").split_whitespace().collect();
    let mut found = Sequence { registers: registers.len(), ..Sequence::default() };
    for equation in &document.equations {
        if !registers.contains(equation.name.as_str()) {
            // What the outputs are called at the end is no instruction.
            match &equation.value {
                Expression::Name(name) if registers.contains(name.as_str()) => continue,
                _ => return Err(format!("`{equation}` writes no register of the line `registers`")),
            }
        }
        if is_move(equation, &registers) {
            found.moves += 1;
        } else if !is_instruction(equation, &registers, target) {
            return Err(format!("`{equation}` is no instruction of the target"));
        }
        found.instructions += 1;
    }
    match target.registers {
        Some(limit) if found.registers > limit as usize => {
            Err(format!("the sequence uses {} registers, not {limit}", found.registers))
        }
        _ => Ok(found),
    }
}

fn is_move(equation: &Assignment, registers: &BTreeSet<&str>) -> bool {
    let from_register = matches!(&equation.value, Expression::Name(name) if registers.contains(name.as_str()));
    equation.compound.is_none() && from_register
}

/// `r ^= s`, `r &= ~s` where the target has it, `r = r ^ s`, `r = ~r`.
fn is_instruction(equation: &Assignment, registers: &BTreeSet<&str>, target: &Target) -> bool {
    let whole = match equation.compound {
        None => equation.value.clone(),
        Some(operator) => Expression::binary(operator, Expression::name(&equation.name), equation.value.clone()),
    };
    let is = |expression: &Expression, name: &str| matches!(expression, Expression::Name(n) if n == name);
    let register = |expression: &Expression| match expression {
        Expression::Name(name) if registers.contains(name.as_str()) => Some(false),
        Expression::Not(inner) if matches!(&**inner, Expression::Name(n) if registers.contains(n.as_str())) => {
            Some(true)
        }
        _ => None,
    };
    match &whole {
        Expression::Not(inner) => is(inner, &equation.name) && target.has(Function::NOT),
        Expression::Binary(operator, a, b) => {
            let own = is(a, &equation.name) || (is(b, &equation.name) && register(a) == Some(false));
            let complemented = match (register(a), register(b)) {
                (Some(false), Some(c)) => c,
                _ => return false,
            };
            let function = match (operator, complemented) {
                (Operator::And, false) => Function::AND,
                (Operator::Or, false) => Function::OR,
                (Operator::Xor, false) => Function::XOR,
                (Operator::And, true) => Function::ANDNOT,
                (Operator::Or, true) => Function::ORNOT,
                (Operator::Xor, true) => Function::XNOR,
            };
            own && target.has(function)
        }
        _ => false,
    }
}
