//! Records of instructions: form, assembly text and semantics speak of the same operands.

use std::collections::BTreeMap;
use std::ops::Range;

use program::Diagnostic;

use super::{unsourced, Files, Processor};
use crate::isa::{range_text, Control, Instruction, OperandKind, RegisterClass};
use crate::model::instructions::instruction;
use crate::model::places::Source;
use crate::semantics::{Statement, JUMP};

pub fn check(processor: &Processor, files: &Files<'_>, found: &mut Vec<Diagnostic>) {
    let registers = &processor.isa.registers;
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut mnemonics: Vec<String> = Vec::new();
    for (source, entry) in files.instructions() {
        let own =
            files.chain.iter().find(|(s, _)| s.file == source.file).map(|(_, f)| (f.source.as_ref(), f.confidence));
        let own = own.unwrap_or((files.isa.1.source.as_ref(), files.isa.1.confidence));
        let Ok(i) = instruction(source, entry, registers, own) else { continue };
        let mut record = Record { source, span: entry.span(), registers, found };
        record.assembly(&i);
        record.semantics(&i);
        record.condition(&i);
        record.control(&i);
        record.expansion(&i, &mnemonics);
        mnemonics.push(mnemonic(&i.assembly).to_owned());
        let text = with_kinds(&i, registers);
        if let Some(other) = texts.get(&text) {
            record.say("M040", format!("`{}` is written as `{other}`, operands and all", i.name));
        }
        texts.insert(text, i.name.clone());
        found.extend(unsourced(source, &format!("the instruction `{}`", i.name), &i.fact, &entry.span()));
    }
}

struct Record<'a, 'b> {
    source: &'a Source<'a>,
    span: Range<usize>,
    registers: &'a [RegisterClass],
    found: &'b mut Vec<Diagnostic>,
}

impl Record<'_, '_> {
    fn say(&mut self, code: &'static str, message: String) {
        self.found.push(self.source.error(code, message, &self.span));
    }

    fn assembly(&mut self, i: &Instruction) {
        let named = braces(&i.assembly);
        for operand in i.defines.iter().chain(&i.uses) {
            let alone = matches!(operand.kind, OperandKind::Register(c) if self.registers[c].usable.len() == 1);
            if !alone && !named.contains(&operand.name.as_str()) {
                let message = format!("the assembly text of `{}` lacks the operand `{}`", i.name, operand.name);
                self.say("M041", message);
            }
        }
        for name in named {
            let known = i.defines.iter().chain(&i.uses).any(|o| o.name == name);
            if !known && (name != "target" || i.control == Control::None) {
                self.say("M063", format!("the assembly text of `{}` has `{{{name}}}`, which is no operand", i.name));
            }
        }
    }

    fn semantics(&mut self, i: &Instruction) {
        if i.semantics.is_empty() {
            return;
        }
        let mut read: Vec<&str> = Vec::new();
        let mut written: Vec<&str> = Vec::new();
        for statement in &i.semantics {
            match statement {
                Statement::Assign(name, expression) => {
                    if written.contains(&name.as_str()) {
                        self.say("M042", format!("the semantics of `{}` assigns `{name}` twice", i.name));
                    }
                    written.push(name);
                    expression.names(&mut |n| read.push(n));
                }
                Statement::Store(_, address, value) => {
                    address.names(&mut |n| read.push(n));
                    value.names(&mut |n| read.push(n));
                }
            }
        }
        self.names(i, &read, &written);
    }

    fn names(&mut self, i: &Instruction, read: &[&str], written: &[&str]) {
        for operand in &i.uses {
            if !read.contains(&operand.name.as_str()) {
                self.say("M064", format!("the semantics of `{}` does not read the operand `{}`", i.name, operand.name));
            }
        }
        for operand in &i.defines {
            if !written.contains(&operand.name.as_str()) {
                self.say(
                    "M065",
                    format!("the semantics of `{}` does not assign the operand `{}`", i.name, operand.name),
                );
            }
        }
        let mut strangers: Vec<&str> = read.iter().copied().filter(|n| !i.uses.iter().any(|o| o.name == *n)).collect();
        strangers.dedup();
        for name in strangers {
            self.say("M066", format!("the semantics of `{}` reads `{name}`, which is no operand that is read", i.name));
        }
        for name in written.iter().filter(|n| **n != JUMP && !i.defines.iter().any(|o| o.name == **n)) {
            self.say(
                "M067",
                format!("the semantics of `{}` assigns `{name}`, which is no operand that is written", i.name),
            );
        }
    }

    fn condition(&mut self, i: &Instruction) {
        let Some(condition) = &i.condition else { return };
        let is_number =
            |name: &str| i.uses.iter().any(|o| o.name == name && matches!(o.kind, OperandKind::Immediate(..)));
        let mut strangers: Vec<&str> = Vec::new();
        condition.names(&mut |name| {
            if !is_number(name) {
                strangers.push(name);
            }
        });
        for name in strangers {
            self.say("M091", format!("the condition of `{}` reads `{name}`, which is no number of its form", i.name));
        }
    }

    fn control(&mut self, i: &Instruction) {
        let jump = i.semantics.iter().any(|s| matches!(s, Statement::Assign(name, _) if name == JUMP));
        let needs = matches!(i.control, Control::Counted | Control::Rotating | Control::Nullify);
        if jump && matches!(i.control, Control::None | Control::Return) {
            self.say(
                "M043",
                format!("the semantics of `{}` assigns `jump`, but its control is `{}`", i.name, i.control.name()),
            );
        }
        if needs && !jump {
            self.say(
                "M068",
                format!(
                    "the control of `{}` is `{}`, but its semantics does not assign `jump`",
                    i.name,
                    i.control.name()
                ),
            );
        }
        let target = braces(&i.assembly).contains(&"target");
        if !target && matches!(i.control, Control::Counted | Control::Rotating | Control::Conditional) {
            self.say("M069", format!("the assembly text of the branch `{}` has no `{{target}}`", i.name));
        }
        if i.slots == 0 {
            self.say("M070", format!("the instruction `{}` has size 0", i.name));
        }
    }

    fn expansion(&mut self, i: &Instruction, mnemonics: &[String]) {
        let Some(expansion) = &i.expansion else { return };
        for part in expansion.split(';').map(str::trim).filter(|p| !p.is_empty()) {
            if !mnemonics.iter().any(|m| m == mnemonic(part)) {
                let message =
                    format!("the expansion of `{}` uses `{}`, which is no instruction", i.name, mnemonic(part));
                self.say("M044", message);
            }
        }
    }
}

fn mnemonic(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// The names in braces.
fn braces(text: &str) -> Vec<&str> {
    text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name)).collect()
}

/// The assembly text with what may stand in each operand in the place of its name; equal operands stay equal.
fn with_kinds(i: &Instruction, registers: &[RegisterClass]) -> String {
    let mut text = i.assembly.clone();
    let order = braces(&i.assembly);
    for operand in i.defines.iter().chain(&i.uses) {
        let n = order.iter().position(|name| *name == operand.name).unwrap_or(0);
        let kind = match &operand.kind {
            OperandKind::Register(_) => range_text(&operand.kind, registers),
            OperandKind::Immediate(..) => "number".to_owned(),
        };
        text = text.replace(&format!("{{{}}}", operand.name), &format!("<{n} {kind}>"));
    }
    text
}
