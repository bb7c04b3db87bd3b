//! One instruction on numbers.

use super::{Instruction, Isa, OperandKind};
use crate::semantics::{self, ones, Fault, Memory};

/// Runs an instruction: `uses` in the order of its operands, the result in the order of its `defines`, each cut to the
/// width of its register class. What the semantics does not assign is 0.
///
/// # Errors
/// [`Fault`] of the memory.
pub fn execute(isa: &Isa, instruction: &Instruction, uses: &[u64], memory: &mut dyn Memory) -> Result<Vec<u64>, Fault> {
    let read = |name: &str| {
        let operand = instruction.uses.iter().position(|o| o.name == name);
        operand.and_then(|k| uses.get(k)).copied().unwrap_or(0)
    };
    let assigned = semantics::execute(&instruction.semantics, &read, memory)?;
    let value = |name: &str| assigned.iter().find(|(n, _)| n == name).map_or(0, |(_, value)| *value);
    Ok(instruction
        .defines
        .iter()
        .map(|o| match o.kind {
            OperandKind::Register(class) => value(&o.name) & ones(u64::from(isa.registers[class].bits)),
            OperandKind::Immediate(..) => 0,
        })
        .collect())
}
