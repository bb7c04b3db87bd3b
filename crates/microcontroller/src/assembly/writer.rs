//! Lines as text.

use crate::code::{Line, Machine};
use crate::isa::{Isa, Kind, ACCUMULATOR};
use crate::operand::{Address, Expression, Label, Operand, Pointer, Step, View};

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
