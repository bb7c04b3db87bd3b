//! Whether everything that a function refers to exists; what follows may then look it up.

use super::{different_names, in_function};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Op, OpKind, Operand, Program, ValueId};
use crate::walk::{for_each_block, uses};

/// Invariants 1, 2 and 20 for one function.
pub(super) fn check(program: &Program, function: &Function) -> Result<(), Diagnostic> {
    let count = function.values.len();
    let mut defined = vec![false; count];
    let mut problem: Option<Diagnostic> = None;
    let mut define = |v: &ValueId, problem: &mut Option<Diagnostic>| {
        let message = match defined.get_mut(v.0 as usize) {
            Some(seen) if !*seen => {
                *seen = true;
                return;
            }
            Some(_) => format!("value `%{}` is defined twice", function.values[v.0 as usize].name),
            None => format!("value number {} does not exist", v.0),
        };
        problem.get_or_insert(Diagnostic::new("P102", message));
    };
    function.params.iter().for_each(|v| define(v, &mut problem));
    for_each_block(&function.body, &mut |block| {
        block.params.iter().for_each(|v| define(v, &mut problem));
        for op in &block.ops {
            op.results.iter().for_each(|v| define(v, &mut problem));
            if let Some(found) = missing(program, op, count).or_else(|| wrong_place(program, op)) {
                problem.get_or_insert(found);
            }
        }
        let outside = |o: &&Operand| matches!(o, Operand::Value(v) if v.0 as usize >= count);
        if block.outputs.iter().any(|o| outside(&o)) {
            problem.get_or_insert(Diagnostic::new("P102", "an output refers to a value that does not exist"));
        }
    });
    match problem {
        Some(problem) => Err(in_function(problem, function)),
        None => different_names("value", function.values.iter().map(|v| &v.name)).map_err(|d| in_function(d, function)),
    }
}

/// What an operation refers to but the program does not hold.
fn missing(program: &Program, op: &Op, values: usize) -> Option<Diagnostic> {
    let mut outside = None;
    uses(&op.kind, &mut |v| {
        if v.0 as usize >= values {
            outside = Some(v);
        }
    });
    let what = match &op.kind {
        _ if outside.is_some() => "a value",
        OpKind::Lookup(table, _) if table.0 as usize >= program.tables.len() => "a table",
        OpKind::Linear(matrix, _) if matrix.0 as usize >= program.matrices.len() => "a matrix",
        OpKind::Bitsliced(id, _) if id.0 as usize >= program.boxes.len() => "a box",
        _ => return None,
    };
    let message = format!("`{}` refers to {what} that does not exist", op.kind.mnemonic());
    Some(Diagnostic::new("P102", message).at(program, &op.places))
}

fn wrong_place(program: &Program, op: &Op) -> Option<Diagnostic> {
    let wrong = op.places.iter().find(|p| p.file as usize >= program.files.len() || p.line == 0 || p.column == 0)?;
    let message = format!("`{}` has a place that does not exist", op.kind.mnemonic());
    let files = program.files.len();
    let found = format!("found file {}, line {}, column {}", wrong.file, wrong.line, wrong.column);
    Some(
        Diagnostic::new("P120", message)
            .note(format!("expected one of {files} files, a line and a column from 1"))
            .note(found),
    )
}
