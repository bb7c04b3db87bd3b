//! Rotating registers for software-pipelined loops.

use program::Diagnostic;

use super::plan::{Plan, Shape};

pub(super) fn prepare(plan: &mut Plan) -> Result<(), Diagnostic> {
    if plan.parts.iter().any(|p| matches!(p.shape, Shape::Pipelined { .. })) {
        return Err(Diagnostic::new("M404", format!("`{}` has a software-pipelined loop", plan.code.name)));
    }
    Ok(())
}

/// How many registers of each class rotate.
pub(super) fn counts(plan: &Plan) -> Vec<usize> {
    vec![0; plan.isa().registers.len()]
}

/// The registers of a class for values that do not rotate, in the order in which they are given out.
pub(super) fn usable(plan: &Plan, class: usize) -> Vec<String> {
    let class = &plan.isa().registers[class];
    let stacked = class.rotating.iter().filter(|r| !class.usable.contains(r));
    class.usable.iter().chain(stacked).cloned().collect()
}
