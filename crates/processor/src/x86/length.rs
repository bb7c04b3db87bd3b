//! How long the machine code of instructions is.

use std::collections::HashMap;

use super::code::Code;
use super::instruction::{Byte, Instruction, Memory, Opcode, Operand, Register};

const EAX: u8 = 0;
const ESP: u8 = 4;
const EBP: u8 = 5;
const SHORT_BRANCH: u32 = 2;
const LONG_BRANCH: u32 = 6;

/// The bytes of each instruction of a text; a branch is short where it can be.
#[must_use]
pub fn lengths(code: &Code) -> Vec<u32> {
    let labels: HashMap<_, _> = code.labels().collect();
    let mut found: Vec<u32> = Vec::new();
    for one in code.instructions() {
        let place = one.target.as_ref().map(|target| labels[target]);
        let back = place.map(|place| found[place..].iter().sum::<u32>() + SHORT_BRANCH);
        found.push(match back {
            Some(bytes) if bytes > 128 => LONG_BRANCH,
            _ => length(one),
        });
    }
    found
}

/// The bytes of an instruction; of a branch those of a short one.
#[must_use]
pub fn length(one: &Instruction) -> u32 {
    if one.target.is_some() {
        return SHORT_BRANCH;
    }
    let memory = one.memory();
    let immediate = one.operands.iter().find_map(|operand| match operand {
        Operand::Immediate(number) => Some(*number as u32),
        _ => None,
    });
    let short = immediate.is_some_and(|number| (-128..128).contains(&(number as i32)));
    if one.opcode == Opcode::Mov && immediate.is_some() && memory.is_none() {
        return 5;
    }
    if moves_accumulator(one) && memory.as_ref().is_some_and(|m| m.registers().next().is_none()) {
        return 5;
    }
    let two_bytes = match one.opcode {
        Opcode::MovZeroByte => true,
        Opcode::Imul => immediate.is_none(),
        _ => false,
    };
    let mut size = 1 + u32::from(two_bytes);
    size += if one.opcode == Opcode::Bswap { 1 } else { mode(memory.as_ref()) };
    if one.opcode.is_arithmetic() && immediate.is_some() && !short {
        return if one.operands[0] == Operand::register(EAX) { 5 } else { size + 4 };
    }
    if one.opcode.is_shift() {
        return size + u32::from(!matches!(immediate, None | Some(1)));
    }
    size + match immediate {
        None => 0,
        Some(_) if one.opcode != Opcode::Mov && short => 1,
        Some(_) => 4,
    }
}

/// Whether it moves `%eax` or `%al`, for which there are shorter encodings.
fn moves_accumulator(one: &Instruction) -> bool {
    let byte = match one.opcode {
        Opcode::Mov => None,
        Opcode::MovByte => Some(Byte::Low),
        _ => return false,
    };
    one.operands.contains(&Operand::Register(Register { number: EAX, byte }))
}

/// The bytes that say where the operands are.
fn mode(memory: Option<&Memory>) -> u32 {
    let Some(memory) = memory else { return 1 };
    match (memory.base, memory.index) {
        (None, None) => 5,
        (None, Some(_)) => 6,
        (Some(base), index) => {
            let size = 1 + u32::from(index.is_some() || base == ESP);
            if memory.symbol.is_some() {
                return size + 4;
            }
            match memory.offset {
                0 if base != EBP => size,
                -128..=127 => size + 1,
                _ => size + 4,
            }
        }
    }
}
