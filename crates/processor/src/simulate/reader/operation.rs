//! One operation of a text: which instruction it is, its registers and its steps.

use program::Diagnostic;

use super::builtin::{self, number, Target};
use super::template::{split_mnemonic, Template};
use super::Reader;
use crate::isa::{Control, Isa, Operand, OperandKind};
use crate::semantics::{Binding, CompiledInstruction, Expression, Function, Statement, JUMP};
use crate::simulate::listing::{Flow, TextOp};
use crate::simulate::slots::{Slot, ONE, ROOM, SINK};

/// Reads the text of an operation; the second result is the label that it may go to.
///
/// # Errors
/// M500: no such mnemonic; M501: no form of the mnemonic fits the operands.
pub fn read(reader: &mut Reader<'_>, line: u32, text: &str) -> Result<(TextOp, Target), Diagnostic> {
    let (guard, text) = split_guard(reader, line, text)?;
    let mut op = TextOp::new(line, text);
    op.guard = guard;
    let (mnemonic, operands) = split_mnemonic(text);
    let templates = reader.templates.clone();
    let candidates = templates.of(mnemonic);
    let mut reasons = Vec::new();
    for template in candidates {
        match try_template(reader, &mut op, template, operands) {
            Ok(target) => return Ok((op, target)),
            Err(reason) => reasons.push((template.text.clone(), reason)),
        }
    }
    if let Some(target) = builtin::read(reader, &mut op) {
        return Ok((op, target));
    }
    Err(unknown(reader, line, text, mnemonic, &reasons))
}

fn unknown(reader: &Reader<'_>, line: u32, text: &str, mnemonic: &str, reasons: &[(String, String)]) -> Diagnostic {
    if reasons.is_empty() {
        let error = reader.error("M500", line, format!("`{mnemonic}` is no instruction of {}", reader.isa.name));
        return match reader.templates.nearest(mnemonic) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("an instruction is one record of the instruction set's file"),
        };
    }
    let error = reader.error("M501", line, format!("the operands of `{text}` do not fit"));
    reasons.iter().fold(error, |error, (form, reason)| error.note(format!("expected `{form}`: {reason}")))
}

fn split_guard<'t>(reader: &mut Reader<'_>, line: u32, text: &'t str) -> Result<(Slot, &'t str), Diagnostic> {
    let Some(rest) = text.strip_prefix('(') else { return Ok((ONE, text)) };
    let (name, rest) = rest.split_once(')').unwrap_or((rest, ""));
    let name = name.trim();
    let class = reader.names.class_of(name).filter(|&class| reader.names.bits[class] == 1);
    let slot = class.and_then(|class| reader.names.read(class, name, &mut reader.pool));
    let slot = slot.ok_or_else(|| reader.error("M517", line, format!("`{name}` is no predicate register")))?;
    Ok((slot, rest.trim()))
}

/// Fits the operands into a template; the error says why they do not fit.
fn try_template(
    reader: &mut Reader<'_>,
    op: &mut TextOp,
    template: &Template,
    operands: &str,
) -> Result<Target, String> {
    let isa = reader.isa;
    let instruction = &isa.instructions[template.instruction as usize];
    let places = template.matches(operands).ok_or("other separators or another number of operands")?;
    let text_of = |name: &str| places.iter().find(|p| p.0 == name).map(|p| p.1);
    let mut binding = Binding { room: ROOM, ..Binding::default() };
    let (mut defines, mut uses) = (Vec::new(), Vec::new());
    for (n, operand) in instruction.uses.iter().enumerate() {
        match operand.kind {
            OperandKind::Register(class) => {
                let word =
                    text_of(&operand.name).or_else(|| only_register(isa, class)).ok_or_else(|| lacks(operand))?;
                let slot = reader.names.read(class, word, &mut reader.pool);
                let slot = slot.ok_or_else(|| reader.no_register(class, word))?;
                uses.push((slot, n as u8));
                binding.reads.push((&operand.name, slot));
            }
            OperandKind::Immediate(low, high) => {
                let word = text_of(&operand.name).ok_or_else(|| lacks(operand))?;
                binding.numbers.push((&operand.name, immediate(operand, word, low, high)?));
            }
        }
    }
    for (n, operand) in instruction.defines.iter().enumerate() {
        let OperandKind::Register(class) = operand.kind else { continue };
        let word = text_of(&operand.name).or_else(|| only_register(isa, class)).ok_or_else(|| lacks(operand))?;
        let slot = reader.names.write(class, word, &mut reader.pool).ok_or_else(|| reader.no_register(class, word))?;
        defines.push((slot, n as u8));
        binding.writes.push((&operand.name, slot, reader.names.bits[class]));
    }
    let known = |name: &str| instruction.uses.iter().chain(&instruction.defines).any(|o| o.name == name);
    let label = places.iter().find(|p| !known(p.0)).map(|p| p.1.to_owned());
    let condition = assigns_jump(&instruction.semantics).then(|| reader.pool.fresh());
    binding.jump = condition;
    op.flow = flow(instruction.control, condition);
    op.compiled = CompiledInstruction::new(&instruction.semantics, &binding);
    op.instruction = Some(template.instruction);
    op.nullifies = split_mnemonic(&template.text).0.ends_with(",n");
    op.nop = instruction.name.starts_with("nop");
    op.memory = memory_access(&instruction.semantics);
    op.defines = defines.into_iter().filter(|d| d.0 != SINK).collect();
    op.uses = uses;
    if instruction.semantics.is_empty() {
        // Frames, rotations and moves of all predicates at once are beyond the language of semantics.
        let _ = builtin::read(reader, op);
    }
    Ok(label)
}

/// The register of a class that has one only: it need not stand in the text.
fn only_register(isa: &Isa, class: usize) -> Option<&str> {
    let class = &isa.registers[class];
    (class.usable.len() + class.rotating.len() == 1).then(|| class.usable.first()).flatten().map(String::as_str)
}

fn lacks(operand: &Operand) -> String {
    format!("the template lacks `{}`", operand.name)
}

fn immediate(operand: &Operand, word: &str, low: i64, high: i64) -> Result<u64, String> {
    let value = number(word).ok_or_else(|| format!("`{word}` is no number"))?;
    if (value as i64) < low || (value as i64) > high {
        return Err(format!("`{}` is {word}, outside of {low} to {high}", operand.name));
    }
    Ok(value)
}

fn assigns_jump(statements: &[Statement]) -> bool {
    statements.iter().any(|s| matches!(s, Statement::Assign(name, _) if name == JUMP))
}

/// Where the operation goes on; the target is filled in later.
fn flow(control: Control, condition: Option<Slot>) -> Flow {
    match (control, condition) {
        (Control::Nullify, slot) => Flow::Nullify(slot.unwrap_or(ONE)),
        (Control::None, _) => Flow::Next,
        (Control::Return, _) => Flow::Return,
        (Control::Rotating, jump) => Flow::Rotating(0, jump),
        (_, Some(slot)) => Flow::Conditional(0, slot),
        (Control::Counted, None) => Flow::Counted(0),
        (Control::Conditional, None) => Flow::Jump(0),
    }
}

/// Bytes of the memory that statements touch, and whether they write it.
fn memory_access(statements: &[Statement]) -> Option<(u8, bool)> {
    statements.iter().find_map(|statement| match statement {
        Statement::Store(bits, ..) => Some((bits / 8, true)),
        Statement::Assign(_, e) => load_bits(e).map(|bits| (bits / 8, false)),
    })
}

fn load_bits(e: &Expression) -> Option<u8> {
    match e {
        Expression::Name(_) | Expression::Number(_) => None,
        Expression::Not(x) => load_bits(x),
        Expression::Binary(_, x, y) => load_bits(x).or_else(|| load_bits(y)),
        Expression::Select(c, x, y) => [c, x, y].into_iter().find_map(|e| load_bits(e)),
        Expression::Call(Function::Load(bits), _) => Some(*bits),
        Expression::Call(_, arguments) => arguments.iter().find_map(load_bits),
    }
}
