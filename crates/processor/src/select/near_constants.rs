//! Constants near to one another: where an instruction of more than one slot makes a constant, one of a single slot that adds a
//! small number to an earlier constant, or combines it otherwise, may make the same.

use crate::code::{Code, Op, Region, Use, ValueId};
use crate::isa::{execute, Control, Instruction, InstructionId, Isa, OperandKind};
use crate::semantics::NoMemory;

/// The name under which options leave this out.
pub const NEAR_CONSTANTS: &str = "near constants";

/// Derives constants from earlier ones of the same region where that takes fewer slots; returns how many.
pub fn derive(code: &mut Code, isa: &Isa) -> usize {
    let derivers = derivers(isa);
    let mut count = 0;
    for region in &mut code.regions {
        let Region::Straight(ops) = region else { continue };
        let mut bases: Vec<(ValueId, u64)> = Vec::new();
        for op in ops {
            let Some(number) = made_by(isa, op) else { continue };
            let slots = isa.instructions[op.instruction as usize].slots;
            let class = code.values[op.defines[0] as usize].class;
            let near = bases.iter().rev().filter(|(base, _)| code.values[*base as usize].class == class);
            let mut ways = near.filter_map(|&(base, from)| {
                derivers.iter().filter(|d| d.slots < slots).find_map(|d| d.operation(isa, class, (base, from), number))
            });
            let way = ways.next();
            if let Some((instruction, uses)) = way {
                (op.instruction, op.uses) = (instruction, uses);
                count += 1;
            } else if slots > 1 {
                bases.push((op.defines[0], number));
            }
        }
    }
    count
}

/// The constant that an operation makes from numbers alone.
fn made_by(isa: &Isa, op: &Op) -> Option<u64> {
    let instruction = &isa.instructions[op.instruction as usize];
    let numbers: Option<Vec<u64>> = op.uses.iter().map(number).collect();
    let alone = op.defines.len() == 1 && op.access.is_none() && op.guard.is_none() && !instruction.semantics.is_empty();
    if !alone || instruction.control != Control::None {
        return None;
    }
    execute(isa, instruction, &numbers?, &mut NoMemory).ok()?.first().copied()
}

fn number(used: &Use) -> Option<u64> {
    match used {
        Use::Immediate(n) => Some(*n as u64),
        Use::Zero => Some(0),
        Use::Value(_) => None,
    }
}

/// An instruction of a register and a number.
struct Deriver<'a> {
    id: InstructionId,
    instruction: &'a Instruction,
    slots: u8,
    register: usize,
    number: usize,
}

fn derivers(isa: &Isa) -> Vec<Deriver<'_>> {
    let found = isa.instructions.iter().enumerate().filter_map(|(k, instruction)| {
        if instruction.uses.len() != 2 || instruction.defines.len() != 1 || instruction.semantics.len() != 1 {
            return None;
        }
        let plain = instruction.selectable && instruction.control == Control::None && instruction.expansion.is_none();
        let is_number = |o: &crate::isa::Operand| matches!(o.kind, OperandKind::Immediate(..));
        let number = instruction.uses.iter().position(is_number)?;
        let register = instruction.uses.iter().position(|o| !is_number(o))?;
        let tied = instruction.uses[register].name == instruction.defines[0].name;
        let same = instruction.uses[register].kind == instruction.defines[0].kind;
        (plain && same && !tied).then_some(Deriver {
            id: k as InstructionId,
            instruction,
            slots: instruction.slots,
            register,
            number,
        })
    });
    found.collect()
}

impl Deriver<'_> {
    /// The operands that make a number from a base, if there are some; tried on the semantics.
    fn operation(
        &self,
        isa: &Isa,
        class: usize,
        (base, from): (ValueId, u64),
        wanted: u64,
    ) -> Option<(InstructionId, Vec<Use>)> {
        if self.instruction.defines[0].kind != OperandKind::Register(class) {
            return None;
        }
        let OperandKind::Immediate(low, high) = self.instruction.uses[self.number].kind else { return None };
        let distances = [wanted.wrapping_sub(from), wanted ^ from].map(|d| d as i64);
        let right = |&distance: &i64| {
            let mut uses = [0; 2];
            (uses[self.register], uses[self.number]) = (from, distance as u64);
            let gives = execute(isa, self.instruction, &uses, &mut NoMemory);
            (low..=high).contains(&distance) && gives.is_ok_and(|list| list.first() == Some(&wanted))
        };
        let distance = distances.into_iter().find(right)?;
        let mut uses = vec![Use::Value(base); 2];
        uses[self.number] = Use::Immediate(distance);
        Some((self.id, uses))
    }
}
