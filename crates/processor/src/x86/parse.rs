//! Assembly text (GNU as, AT&T) to instructions: what executes and simulates a kernel starts from its text.

use std::collections::HashSet;

use program::Diagnostic;

use super::code::{Code, Item};
use super::decode::{unknown, Table};
use super::instruction::{Byte, Instruction, Memory, Opcode, Operand, Register, NAMES};
use crate::micro_ops::fit::OPERAND;

/// Reads the lines of a text.
///
/// # Errors
/// X201: a line that is no instruction of the table. X203: a branch whose label does not stand before it.
pub fn code<'a>(lines: impl IntoIterator<Item = &'a str>, table: &Table) -> Result<Code, Diagnostic> {
    let mut labels = HashSet::new();
    let mut items = Vec::new();
    for (number, line) in (1..).zip(lines) {
        if let Some(name) = line.strip_suffix(':').filter(|name| is_symbol(name)) {
            labels.insert(name);
            items.push(Item::Label(name.into()));
            continue;
        }
        let one = instruction(line, table).map_err(|error| error.note(format!("assembly text, line {number}")))?;
        if one.target.as_ref().is_some_and(|target| !labels.contains(&**target)) {
            return Err(Diagnostic::new("X203", format!("`{line}` branches to no label before it")));
        }
        items.push(Item::Instruction(one));
    }
    Ok(Code { items })
}

/// Reads one instruction.
///
/// # Errors
/// X201: it is none of the table.
pub fn instruction(line: &str, table: &Table) -> Result<Instruction, Diagnostic> {
    read(line).filter(|one| table.knows(one)).ok_or_else(|| unknown(line))
}

fn read(line: &str) -> Option<Instruction> {
    let (mnemonic, rest) = line.split_once(char::is_whitespace)?;
    let opcode = Opcode::of_mnemonic(mnemonic)?;
    if opcode == Opcode::Jne {
        return is_symbol(rest.trim()).then(|| Instruction::branch(rest.trim()));
    }
    let mut operands = split(rest).map(|text| operand(text.trim())).collect::<Option<Vec<_>>>()?;
    operands.reverse();
    Some(Instruction::new(opcode, operands))
}

/// Splits at commas outside of parentheses.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    })
}

fn is_symbol(text: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '.';
    text.starts_with(first) && text.chars().all(|c| first(c) || c.is_ascii_digit())
}

fn operand(text: &str) -> Option<Operand> {
    if let Some(number) = text.strip_prefix('$') {
        return number.parse().ok().map(Operand::Immediate);
    }
    if text.starts_with('%') {
        return register(text).map(Operand::Register);
    }
    memory(text).map(Operand::Memory)
}

/// A register by its name, or an operand of a step: `%0`, `%1l`, `%1h`.
fn register(text: &str) -> Option<Register> {
    let name = text.strip_prefix('%')?;
    if let Some(number) = NAMES.iter().position(|known| *known == name) {
        return Some(Register { number: number as u8, byte: None });
    }
    if let Some(digit) = name.chars().next().and_then(|c| c.to_digit(10)) {
        let byte = match &name[1..] {
            "" => None,
            "l" => Some(Byte::Low),
            "h" => Some(Byte::High),
            _ => return None,
        };
        return Some(Register { number: OPERAND + digit as u8, byte });
    }
    let byte = |byte| (0..4).map(move |number| Register { number, byte: Some(byte) });
    byte(Byte::Low).chain(byte(Byte::High)).find(|one| one.to_string() == text)
}

fn memory(text: &str) -> Option<Memory> {
    let (place, registers) = match text.split_once('(') {
        Some((place, registers)) => (place.trim(), Some(registers.strip_suffix(')')?)),
        None => (text, None),
    };
    let at = place.find(|c: char| c == '+' || c == '-' || c.is_whitespace());
    let (symbol, offset) = match at.filter(|_| place.starts_with(|c: char| !c.is_ascii_digit())) {
        Some(at) => place.split_at(at),
        None if is_symbol(place) => (place, ""),
        None => ("", place),
    };
    let (symbol, offset) = (symbol.trim(), offset.trim().replace(' ', ""));
    if !symbol.is_empty() && !is_symbol(symbol) {
        return None;
    }
    let offset = if offset.is_empty() { 0 } else { offset.parse().ok()? };
    let symbol = (!symbol.is_empty()).then(|| symbol.into());
    let mut made = Memory { symbol, offset, scale: 1, ..Memory::default() };
    if let Some(registers) = registers {
        let mut parts = registers.split(',').map(str::trim);
        let whole = |text: &str| register(text).filter(|one| one.byte.is_none()).map(|one| one.number);
        let base = parts.next()?;
        made.base = if base.is_empty() { None } else { Some(whole(base)?) };
        if let Some(index) = parts.next() {
            made.index = Some(whole(index)?);
        }
        if let Some(scale) = parts.next() {
            made.scale = scale.parse().ok().filter(|scale| [1, 2, 4, 8].contains(scale))?;
        }
        if parts.next().is_some() {
            return None;
        }
    }
    Some(made)
}
