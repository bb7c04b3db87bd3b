//! Instructions executed: registers, memory, the addresses of accesses.
//!
//! It starts from the text that [`super::parse`] reads, so that it checks all that makes a text.

use std::collections::HashMap;

use program::Diagnostic;

use super::code::{Code, Item};
use super::instruction::{Byte, Instruction, Memory, Opcode, Operand, Register, NAMES};

/// What lies where before the first instruction.
#[derive(Clone, Debug)]
pub struct Start {
    /// Addresses of symbols.
    pub symbols: HashMap<String, u32>,
    /// The address of the first byte of the memory.
    pub base: u32,
}

/// What executions of one text did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The place of each instruction that ran, the same for all.
    pub order: Vec<u32>,
    /// Of each execution the address of each access, 0 where there is none.
    pub addresses: Vec<Vec<u64>>,
}

/// Executes a text for each of several memories, which it changes.
///
/// # Errors
/// X202: an access outside of the memory. X204: a branch that the memories take differently. X205: an unknown symbol.
pub fn execute(code: &Code, start: &Start, memories: &mut [Vec<u8>]) -> Result<Trace, Diagnostic> {
    let lines: Vec<usize> =
        code.items.iter().enumerate().filter(|(_, item)| is_instruction(item)).map(|i| i.0).collect();
    let text = Text { code: code.instructions().collect(), lines, labels: code.labels().collect() };
    let mut trace = Trace::default();
    for (number, memory) in memories.iter_mut().enumerate() {
        let mut machine = Machine { start, memory, registers: [0; 8], result: 1 };
        let known = (number > 0).then_some(&trace.order[..]);
        let (order, addresses) = machine.run(&text, known)?;
        if number == 0 {
            trace.order = order;
        }
        trace.addresses.push(addresses);
    }
    Ok(trace)
}

fn is_instruction(item: &Item) -> bool {
    matches!(item, Item::Instruction(_))
}

struct Text<'a> {
    code: Vec<&'a Instruction>,
    /// Of each instruction its line, from 0.
    lines: Vec<usize>,
    labels: HashMap<&'a std::sync::Arc<str>, usize>,
}

impl Text<'_> {
    fn error(&self, code: &'static str, place: usize, what: &str) -> Diagnostic {
        Diagnostic::new(code, format!("`{}` in line {} {what}", self.code[place], self.lines[place] + 1))
    }
}

struct Machine<'a> {
    start: &'a Start,
    memory: &'a mut [u8],
    registers: [u32; NAMES.len()],
    /// Of the last arithmetic: the flag of zero is all that branches read.
    result: u32,
}

impl Machine<'_> {
    /// Runs a text, along the way of an earlier run if there was one.
    fn run(&mut self, text: &Text<'_>, known: Option<&[u32]>) -> Result<(Vec<u32>, Vec<u64>), Diagnostic> {
        let (mut order, mut addresses) = (Vec::new(), Vec::new());
        let mut place = 0;
        while place < text.code.len() {
            let one = text.code[place];
            order.push(place as u32);
            if let Some(target) = &one.target {
                addresses.push(0);
                let next = if self.result == 0 { place + 1 } else { text.labels[target] };
                let parts = known
                    .is_some_and(|known| known.get(order.len()).map_or(text.code.len(), |&at| at as usize) != next);
                if parts {
                    return Err(text.error("X204", place, "depends on the input"));
                }
                place = next;
                continue;
            }
            let at = match one.memory() {
                Some(memory) => self.address(&memory).map_err(|symbol| {
                    text.error("X205", place, &format!("names `{symbol}`, which is no object of the memory"))
                })?,
                None => 0,
            };
            let accesses = one.memory().is_some() && one.opcode != Opcode::Lea;
            if accesses {
                let place_in_memory = at.checked_sub(self.start.base).map_or(usize::MAX, |place| place as usize);
                if place_in_memory.saturating_add(one.access_size() as usize) > self.memory.len() {
                    let what = format!("accesses address {at:#x}, outside of the memory");
                    return Err(text.error("X202", place, &what));
                }
            }
            self.execute(one, at);
            addresses.push(if accesses { u64::from(at) } else { 0 });
            place += 1;
        }
        Ok((order, addresses))
    }

    fn address(&self, memory: &Memory) -> Result<u32, String> {
        let symbol = match &memory.symbol {
            Some(symbol) => *self.start.symbols.get(&**symbol).ok_or_else(|| symbol.to_string())?,
            None => 0,
        };
        let register = |number: Option<u8>| number.map_or(0, |number| self.registers[usize::from(number)]);
        let index = register(memory.index).wrapping_mul(u32::from(memory.scale));
        Ok(symbol.wrapping_add(memory.offset as u32).wrapping_add(register(memory.base)).wrapping_add(index))
    }

    fn bytes(&mut self, at: u32, size: u32) -> &mut [u8] {
        let place = (at - self.start.base) as usize;
        &mut self.memory[place..place + size as usize]
    }

    fn value(&mut self, operand: &Operand, size: u32, at: u32) -> u32 {
        match operand {
            Operand::Register(Register { number, byte }) => {
                let whole = self.registers[usize::from(*number)];
                match byte {
                    None => whole,
                    Some(Byte::Low) => whole & 255,
                    Some(Byte::High) => whole >> 8 & 255,
                }
            }
            Operand::Immediate(number) => *number as u32,
            Operand::Memory(_) | Operand::Folded => {
                self.bytes(at, size).iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
            }
        }
    }

    fn execute(&mut self, one: &Instruction, at: u32) {
        let size = one.access_size();
        let value = if one.opcode == Opcode::Lea {
            at
        } else {
            let operands: Vec<u32> = one.operands.iter().map(|operand| self.value(operand, size, at)).collect();
            meaning(one.opcode, &operands)
        };
        if one.opcode.is_arithmetic() {
            self.result = value;
        }
        match &one.operands[0] {
            Operand::Register(register) => self.registers[usize::from(register.number)] = value,
            _ => self.bytes(at, size).copy_from_slice(&value.to_le_bytes()[..size as usize]),
        }
    }
}

/// What an instruction makes of its operands; shifts and rotations take their amounts modulo 32.
fn meaning(opcode: Opcode, operands: &[u32]) -> u32 {
    let (first, last) = (operands[0], operands[operands.len() - 1]);
    match opcode {
        Opcode::Add => first.wrapping_add(last),
        Opcode::Sub => first.wrapping_sub(last),
        Opcode::And => first & last,
        Opcode::Or => first | last,
        Opcode::Xor => first ^ last,
        Opcode::Shl => first.wrapping_shl(last),
        Opcode::Shr => first.wrapping_shr(last),
        Opcode::Rol => first.rotate_left(last & 31),
        Opcode::Ror => first.rotate_right(last & 31),
        Opcode::Mov | Opcode::Lea | Opcode::Jne => last,
        Opcode::MovByte | Opcode::MovZeroByte => last & 255,
        Opcode::Imul => operands[operands.len() - 2].wrapping_mul(last),
        Opcode::Not => !first,
        Opcode::Neg => first.wrapping_neg(),
        Opcode::Bswap => first.swap_bytes(),
    }
}
