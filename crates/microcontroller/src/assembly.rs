//! Lines of assembly text: read by the records of an instruction set, and written.

use std::sync::Arc;

use program::Diagnostic;

use crate::code::{Line, Machine};
use crate::isa::{Isa, Kind, ACCUMULATOR, AUXILIARY};
use crate::operand::{Address, Expression, Label, Operand, Pointer, Step, View};

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

fn machine(isa: &Isa, line: &str) -> Option<Machine> {
    let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
    let opcode = isa.opcode(mnemonic)?;
    let texts = split(rest);
    isa.forms[usize::from(opcode)].iter().find_map(|form| {
        if form.operands.len() != texts.len() {
            return None;
        }
        let operands = form.operands.iter().zip(&texts).map(|((kind, _), text)| operand(isa, *kind, text));
        Some(Machine { opcode, operands: operands.collect::<Option<_>>()? })
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

/// Writes lines of one function.
pub struct Writer<'a> {
    isa: &'a Isa,
    name: &'a str,
    /// How often each local label has come, where such labels need names.
    seen: [u32; 10],
}

impl<'a> Writer<'a> {
    /// A writer for a function of a name.
    #[must_use]
    pub fn new(isa: &'a Isa, name: &'a str) -> Self {
        Writer { isa, name, seen: [0; 10] }
    }

    /// A line without indentation. Lines have to be written in their order.
    pub fn line(&mut self, line: &Line) -> String {
        match line {
            Line::Machine(machine) => self.machine(machine),
            Line::Directive(text) => text.clone(),
            Line::Label(Label::Named(text)) => text.to_string(),
            Line::Label(label) => {
                if let Label::Local { digit, .. } = label {
                    self.seen[usize::from(*digit)] += 1;
                }
                format!("{}:", self.label(label, 0))
            }
        }
    }

    /// An instruction.
    #[must_use]
    pub fn machine(&self, machine: &Machine) -> String {
        let mnemonic = &self.isa.mnemonics[usize::from(machine.opcode)];
        let form = self.isa.form(machine);
        let kind = |n: usize| form.map_or(Kind::Number, |form| form.operands[n].0);
        let operands: Vec<String> =
            machine.operands.iter().enumerate().map(|(n, o)| self.operand(kind(n), o)).collect();
        if operands.is_empty() {
            return mnemonic.clone();
        }
        format!("{mnemonic} {}", operands.join(&self.isa.syntax.comma))
    }

    fn operand(&self, kind: Kind, operand: &Operand) -> String {
        let syntax = &self.isa.syntax;
        match operand {
            Operand::Place(n, View::Byte) => format!("{{{n}}}"),
            Operand::Place(n, View::Word) => format!("{{{n}.word}}"),
            Operand::Register(r) if usize::from(*r) < self.isa.registers.names.len() => match kind {
                Kind::Memory(_) => {
                    syntax.memory.replace("{}", &self.isa.registers.direct.replace("{}", &r.to_string()))
                }
                _ => self.isa.registers.names[usize::from(*r)].clone(),
            },
            Operand::Register(r) => self.isa.name(*r),
            Operand::Word(r) => self.isa.word(*r),
            Operand::Number(e) => syntax.number.replace("{}", &self.expression(e)),
            Operand::Memory(a) => syntax.memory.replace("{}", &self.address(a)),
            Operand::Pointer(p) => self.pointer(p),
            Operand::Label(label) if kind == Kind::Target => syntax.memory.replace("{}", &self.label(label, 1)),
            Operand::Label(label) => self.label(label, 1),
            Operand::Named(n) => self.isa.words[usize::from(*n)].clone(),
        }
    }

    fn address(&self, address: &Address) -> String {
        let mut text = self.expression(&address.at);
        if address.bits > 0 {
            text += &self.isa.syntax.bits.replace("{}", &address.bits.to_string());
        }
        text
    }

    fn pointer(&self, p: &Pointer) -> String {
        let syntax = &self.isa.syntax;
        let base = self.isa.word(p.base);
        match (&p.displacement, p.step) {
            (Some(d), _) if syntax.bits.is_empty() => {
                syntax.displaced.replacen("{}", &base, 1).replacen("{}", &self.address(d), 1)
            }
            (Some(d), _) => syntax.displaced.replacen("{}", &self.address(d), 1).replacen("{}", &base, 1),
            (None, Step::None) => syntax.pointer.replace("{}", &base),
            (None, Step::Increment) => syntax.pointer.replace("{}", &format!("{base}+")),
            (None, Step::Decrement) => syntax.pointer.replace("{}", &format!("-{base}")),
        }
    }

    fn expression(&self, e: &Expression) -> String {
        let sum = match (&e.symbol, e.distance) {
            (Some(symbol), Some(distance)) => format!("{symbol}{}{distance}", self.isa.syntax.plus),
            (Some(symbol), None) => symbol.to_string(),
            (None, distance) => distance.unwrap_or(0).to_string(),
        };
        self.isa.syntax.parts[usize::from(e.part)].replace("{}", &sum)
    }

    /// A label's name; `ahead` is 1 where a local label is named, and 0 where it stands.
    fn label(&self, label: &Label, ahead: u32) -> String {
        match label {
            Label::Local { digit, forward } if self.isa.syntax.numeric_labels => match (ahead, forward) {
                (0, _) => digit.to_string(),
                (_, true) => format!("{digit}f"),
                (_, false) => format!("{digit}b"),
            },
            Label::Local { digit, forward } => {
                let next = ahead * u32::from(*forward);
                format!("{}_{digit}_{}", self.name, self.seen[usize::from(*digit)] + next)
            }
            Label::Head(n) => self.isa.syntax.loop_label.replace("{name}", self.name).replace("{n}", &n.to_string()),
            Label::Skip => ".+2".to_owned(),
            Label::Named(name) => name.to_string(),
        }
    }
}

impl Isa {
    /// The name of a register.
    #[must_use]
    pub fn name(&self, r: u16) -> String {
        let special = r.checked_sub(ACCUMULATOR).and_then(|n| self.accumulators.get(usize::from(n)));
        let known = self.registers.names.get(usize::from(r)).or(special);
        known.cloned().unwrap_or_else(|| format!("<{r}>"))
    }

    /// The name of a pair of registers, or else that of its first one.
    #[must_use]
    pub fn word(&self, r: u16) -> String {
        self.registers.words.iter().find(|(n, _)| *n == r).map_or_else(|| self.name(r), |(_, name)| name.clone())
    }
}
