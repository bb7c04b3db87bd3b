//! Lines of assembly text: read by the records of an instruction set, and written.

mod writer;

use std::sync::Arc;

use program::Diagnostic;

use crate::code::{Line, Machine};
use crate::isa::{Isa, Kind, ACCUMULATOR, AUXILIARY};
use crate::operand::{Address, Expression, Label, Operand, Pointer, Step, View};
pub use writer::Writer;

/// Reads a line: `{0}` is the place 0.
///
/// # Errors
/// `E131`: no record fits it.
pub fn read(isa: &Isa, line: &str) -> Result<Line, Diagnostic> {
    if line.starts_with('.') && !line.ends_with(':') {
        return Ok(Line::Directive(line.to_owned()));
    }
    if let Some(name) = line.strip_suffix("::").or_else(|| line.strip_suffix(':')) {
        let mut digits = name.bytes().filter(u8::is_ascii_digit);
        return Ok(Line::Label(match (name.len(), digits.next()) {
            (1, Some(digit)) => Label::Local { digit: digit - b'0', forward: false },
            _ => Label::Named(Arc::from(line)),
        }));
    }
    let found = machine(isa, line);
    found.map(Line::Machine).ok_or_else(|| Diagnostic::new("E131", format!("no instruction is known for `{line}`")))
}

/// An expression as the assembly language takes it: without spaces, where operands of an accumulator are.
pub(crate) fn compact(isa: &Isa, expression: &str) -> String {
    if isa.accumulator.is_some() {
        expression.replace(' ', "")
    } else {
        expression.to_owned()
    }
}

fn machine(isa: &Isa, line: &str) -> Option<Machine> {
    let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
    let opcode = isa.opcode(mnemonic)?;
    let texts = split(rest);
    isa.forms[usize::from(opcode)].iter().find_map(|form| {
        if form.operands.len() != texts.len() {
            return None;
        }
        let operands = form.operands.iter().zip(&texts).map(|((kind, _), text)| operand(isa, *kind, text));
        Some(Machine::new(opcode, operands.collect::<Option<_>>()?))
    })
}

/// The operands of a line: what stands between commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (n, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..n].trim());
                start = n + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        found.push(text[start..].trim());
    }
    found
}

fn operand(isa: &Isa, kind: Kind, text: &str) -> Option<Operand> {
    if let Some(place) = place(text) {
        let fits = matches!(place, Operand::Place(_, View::Word)) == (kind == Kind::Word);
        return (fits && !matches!(kind, Kind::Exactly(_) | Kind::Named(_))).then_some(place);
    }
    match kind {
        Kind::Register | Kind::Pair => named(isa, text),
        Kind::Exactly(r) => (isa.name(r) == text).then_some(Operand::Register(r)),
        Kind::Word => word(isa, text).map(Operand::Word),
        Kind::Number => expression(isa, inside(&isa.syntax.number, text)?).map(Operand::Number),
        Kind::Memory(bits) => memory(isa, bits, text),
        Kind::Pointer(step, displaced) => pointer(isa, step, displaced, text),
        Kind::Label => label(text),
        Kind::Target => inside(&isa.syntax.memory, text).and_then(|text| place(text).or_else(|| label(text))),
        Kind::Named(n) => (isa.words[usize::from(n)] == text).then_some(Operand::Named(n)),
    }
}

/// A place: `{0}`, or `{0.word}` for the word that it is half of.
fn place(text: &str) -> Option<Operand> {
    let (number, view) = match text.strip_prefix('{')?.strip_suffix('}')? {
        text if text.ends_with(".word") => (text.strip_suffix(".word")?, View::Word),
        text => (text, View::Byte),
    };
    Some(Operand::Place(number.parse().ok()?, view))
}

fn named(isa: &Isa, text: &str) -> Option<Operand> {
    isa.registers.names.iter().position(|name| name == text).map(|r| Operand::Register(r as u16))
}

fn word(isa: &Isa, text: &str) -> Option<u16> {
    isa.registers.words.iter().find(|(_, name)| name == text).map(|(r, _)| *r)
}

/// What stands in the place `{}` of a pattern.
fn inside<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    let (before, after) = pattern.split_once("{}")?;
    text.strip_prefix(before)?.strip_suffix(after)
}

fn memory(isa: &Isa, bits: u8, text: &str) -> Option<Operand> {
    if !isa.registers.direct.is_empty() {
        if text == isa.name(AUXILIARY) {
            return Some(Operand::Register(AUXILIARY));
        }
        let known = isa.registers.names.iter().any(|n| n == text) || isa.words.iter().any(|w| w == text);
        if known || text == isa.name(ACCUMULATOR) {
            return None;
        }
        if let Some(r) = inside(&isa.registers.direct, text).and_then(|n| n.parse().ok()) {
            return Some(Operand::Register(r));
        }
    }
    address(isa, bits, inside(&isa.syntax.memory, text)?).map(Operand::Memory)
}

fn address(isa: &Isa, bits: u8, text: &str) -> Option<Address> {
    let text = if bits > 0 { text.strip_suffix(&isa.syntax.bits.replace("{}", &bits.to_string()))? } else { text };
    if text.contains(':') || text.starts_with('@') {
        return None;
    }
    Some(Address { at: expression(isa, text)?, bits })
}

fn pointer(isa: &Isa, step: Step, displaced: bool, text: &str) -> Option<Operand> {
    let single = |name: &str| {
        let of_pair = word(isa, name);
        of_pair.or_else(|| isa.registers.names.iter().position(|n| n == name).map(|r| r as u16))
    };
    let (name, displacement) = if displaced {
        displacement(isa, text)?
    } else {
        let inner = inside(&isa.syntax.pointer, text)?;
        let name = match step {
            Step::None => inner,
            Step::Increment => inner.strip_suffix('+')?,
            Step::Decrement => inner.strip_prefix('-')?,
        };
        (name, None)
    };
    Some(Operand::Pointer(Pointer { base: single(name)?, step, displacement }))
}

/// The register and the distance of an operand with both: `Z+3`, `@(x+3:16,r6)`.
fn displacement<'a>(isa: &Isa, text: &'a str) -> Option<(&'a str, Option<Address>)> {
    let (before, rest) = isa.syntax.displaced.split_once("{}")?;
    let (between, after) = rest.split_once("{}")?;
    let inner = text.strip_prefix(before)?.strip_suffix(after)?;
    let (first, second) = inner.split_once(between)?;
    if isa.syntax.bits.is_empty() {
        return Some((first, Some(address(isa, 0, second)?)));
    }
    Some((second, Some(address(isa, 16, first)?)))
}

fn label(text: &str) -> Option<Operand> {
    let local = |digit: &str, forward| Some(Label::Local { digit: digit.parse().ok()?, forward });
    let found = match text {
        ".+2" => Some(Label::Skip),
        _ if text.len() == 2 && text.ends_with('f') => local(&text[..1], true),
        _ if text.len() == 2 && text.ends_with('b') => local(&text[..1], false),
        _ => None,
    };
    Some(Operand::Label(found.unwrap_or_else(|| Label::Named(Arc::from(text)))))
}

fn expression(isa: &Isa, text: &str) -> Option<Expression> {
    let mut parts = isa.syntax.parts.iter().enumerate().cycle().skip(1).take(isa.syntax.parts.len());
    parts.find_map(|(n, part)| {
        let (symbol, distance) = sum(isa, inside(part, text)?)?;
        Some(Expression { part: n as u8, symbol, distance })
    })
}

type Sum = (Option<Arc<str>>, Option<i64>);

/// A number, a symbol, or both; of `x + 16 + 3` the symbol is `x + 16`.
fn sum(isa: &Isa, text: &str) -> Option<Sum> {
    if let Ok(number) = text.parse() {
        return Some((None, Some(number)));
    }
    let symbol = |text: &str| {
        let start = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.'));
        (start && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"_. +".contains(&c))).then(|| Arc::from(text))
    };
    if let Some((before, number)) = text.rsplit_once(&isa.syntax.plus) {
        if let Ok(number) = number.parse() {
            return Some((Some(symbol(before)?), Some(number)));
        }
    }
    Some((Some(symbol(text)?), None))
}
