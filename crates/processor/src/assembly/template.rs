//! Text of one operation, from the template of its instruction.

use crate::allocate::Line;
use crate::isa::{Instruction, Isa};

/// Fills the template: `extr.u {d}={s},{p},{l}`. `{target}` is the target of a branch.
pub(super) fn fill(isa: &Isa, line: &Line, label: &str) -> String {
    let instruction = &isa.instructions[line.instruction as usize];
    let mut text = String::new();
    let mut rest = instruction.assembly.as_str();
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let close = rest[open..].find('}').map_or(rest.len(), |k| open + k);
        text.push_str(operand(instruction, line, &rest[open + 1..close]).unwrap_or(label));
        rest = rest.get(close + 1..).unwrap_or("");
    }
    text.push_str(rest);
    text
}

fn operand<'a>(instruction: &Instruction, line: &'a Line, name: &str) -> Option<&'a str> {
    let defined = instruction.defines.iter().position(|o| o.name == name).map(|k| line.defines[k].as_str());
    defined.or_else(|| instruction.uses.iter().position(|o| o.name == name).map(|k| line.uses[k].as_str()))
}
