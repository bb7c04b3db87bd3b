//! The inverse of a body with respect to its oldest words: what it made and its other words give them back.

use std::collections::{BTreeMap, BTreeSet};

use program::diagnostic::Diagnostic;
use program::ir::{Binary, Function, Op, OpKind, Operand, Program, Shift, ValueId};
use program::walk::{renumber, use_counts, uses};

/// Operations from an output down to a parameter, each with the operand that goes on.
type Path = Vec<(usize, ValueId)>;

/// Combines two words before an old one: what the function and its inverse combine first is then the same, and where both stand at the
/// same registers it is one operator.
pub(super) fn combined(function: &mut Function, old: &[usize]) {
    let counts = use_counts(function);
    let params = function.params.clone();
    let is_old = |o: &Operand| value_of(*o).is_some_and(|v| old.iter().any(|&n| params[n] == v));
    let is_other = |o: &Operand| value_of(*o).is_some_and(|v| params.contains(&v)) && !is_old(o);
    for n in 0..function.body.ops.len() {
        let OpKind::Binary(Binary::Xor, p, q) = function.body.ops[n].kind else { continue };
        let (word, first) = if is_old(&p) { (p, q) } else { (q, p) };
        let result = function.body.ops[n].results[0];
        if !is_old(&word) || !is_other(&first) || counts[result.0 as usize] != 1 {
            continue;
        }
        let between = Operand::Value(result);
        for m in n + 1..function.body.ops.len() {
            let OpKind::Binary(Binary::Xor, a, b) = function.body.ops[m].kind else { continue };
            let second = if a == between { b } else { a };
            if (a == between || b == between) && is_other(&second) {
                function.body.ops[n].kind = OpKind::Binary(Binary::Xor, first, second);
                function.body.ops[m].kind = OpKind::Binary(Binary::Xor, word, between);
                break;
            }
        }
    }
}

/// Turns a function into its inverse: the parameters numbered `old`, one for each output in some order, become those outputs, and
/// the results are the old parameters, in the order of `old`.
/// Gives it with, per entry of `old`, the output that takes its place.
///
/// # Errors
/// H310 with the line of the operation that loses what the old word was.
pub(super) fn inverse(
    program: &Program,
    function: &Function,
    old: &[usize],
) -> Result<(Function, Vec<usize>), Diagnostic> {
    let sought: BTreeMap<ValueId, usize> = old.iter().enumerate().map(|(n, &p)| (function.params[p], n)).collect();
    let counts = use_counts(function);
    let mut paths: Vec<Option<(usize, Path)>> = vec![None; old.len()];
    let mut on_path: BTreeSet<usize> = BTreeSet::new();
    for (number, output) in function.body.outputs.iter().enumerate() {
        let path = path(program, function, *output, &sought, &counts)?;
        let end = path.last().map_or(*output, |p| Operand::Value(p.1));
        let Some(&which) = value_of(end).and_then(|v| sought.get(&v)) else { continue };
        on_path.extend(path.iter().map(|p| p.0));
        paths[which] = Some((number, path));
    }
    let mut result = function.clone();
    result.body.ops =
        (0..function.body.ops.len()).filter(|n| !on_path.contains(n)).map(|n| function.body.ops[n].clone()).collect();
    let (mut outputs, mut taken) = (Vec::new(), Vec::new());
    for (which, found) in paths.iter().enumerate() {
        let Some((number, path)) = found else {
            let name = &function.values[function.params[old[which]].0 as usize].name;
            return Err(Diagnostic::new("H310", format!("no output gives `{name}` back")));
        };
        taken.push(*number);
        outputs.push(peeled(function, path, function.params[old[which]], &mut result.body.ops));
    }
    result.body.outputs = outputs;
    result.results = old.iter().map(|&p| function.values[function.params[p].0 as usize].ty.clone()).collect();
    renumber(&mut result);
    Ok((result, taken))
}

fn value_of(operand: Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(v) => Some(v),
        Operand::Const(_) => None,
    }
}

/// The operations from an output down to a sought parameter; none where it needs no such one.
fn path(
    program: &Program,
    function: &Function,
    output: Operand,
    sought: &BTreeMap<ValueId, usize>,
    counts: &[u32],
) -> Result<Path, Diagnostic> {
    let mut list = Vec::new();
    let Some(mut at) = value_of(output) else { return Ok(list) };
    if !depends(function, at, sought) {
        return Ok(list);
    }
    while !sought.contains_key(&at) {
        let Some(number) = function.body.ops.iter().position(|op| op.results.contains(&at)) else { return Ok(list) };
        let op = &function.body.ops[number];
        let mut below = Vec::new();
        uses(&op.kind, &mut |v| below.push(v));
        below.retain(|v| depends(function, *v, sought));
        if below.len() != 1 || !invertible(&op.kind) || counts[below[0].0 as usize] != 1 {
            let message = format!("`{}` cannot be run backwards", function.name);
            return Err(Diagnostic::new("H310", message)
                .help("the oldest word must reach one output through xor, add, sub, not and rotations only; use stored keys")
                .at(program, &op.places));
        }
        at = below[0];
        list.push((number, at));
    }
    Ok(list)
}

fn depends(function: &Function, value: ValueId, sought: &BTreeMap<ValueId, usize>) -> bool {
    let mut wanted = BTreeSet::from([value]);
    for op in function.body.ops.iter().rev() {
        if op.results.iter().any(|r| wanted.contains(r)) {
            uses(&op.kind, &mut |v| {
                wanted.insert(v);
            });
        }
    }
    wanted.iter().any(|v| sought.contains_key(v))
}

fn invertible(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(Binary::Xor | Binary::Add | Binary::Sub, ..) | OpKind::Not(_))
        || matches!(kind, OpKind::Shift(Shift::Rotl | Shift::Rotr, _, Operand::Const(_)))
}

/// Appends the inverse of a path; its names are those of the path, so that what is its own inverse stays the same function.
fn peeled(function: &Function, path: &[(usize, ValueId)], old: ValueId, ops: &mut Vec<Op>) -> Operand {
    let mut now = old;
    for (n, &(number, below)) in path.iter().enumerate() {
        let op = &function.body.ops[number];
        let this = Operand::Value(now);
        let is_below = |o: &Operand| *o == Operand::Value(below);
        let kind = match &op.kind {
            OpKind::Binary(Binary::Add, a, b) => OpKind::Binary(Binary::Sub, this, if is_below(a) { *b } else { *a }),
            OpKind::Binary(Binary::Sub, a, b) if is_below(a) => OpKind::Binary(Binary::Add, this, *b),
            OpKind::Binary(which, a, b) if is_below(a) => OpKind::Binary(*which, this, *b),
            OpKind::Binary(which, a, _) => OpKind::Binary(*which, *a, this),
            OpKind::Shift(Shift::Rotl, _, by) => OpKind::Shift(Shift::Rotr, this, *by),
            OpKind::Shift(_, _, by) => OpKind::Shift(Shift::Rotl, this, *by),
            _ => OpKind::Not(this),
        };
        let last = n + 1 == path.len();
        let result = if last { function.body.ops[path[0].0].results[0] } else { below };
        ops.push(Op { kind, results: vec![result], places: op.places.clone() });
        now = result;
    }
    Operand::Value(now)
}
