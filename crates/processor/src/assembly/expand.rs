//! Hypothetical instructions written as real ones, so that an emulator can run a kernel.
//!
//! Operations stand one behind the other, each in a group of its own: within a group of the kernel nothing reads what was
//! written there, and what overwrites a register stands behind what reads it, so that the order of the slots computes the same.

use std::fmt::Write;

use super::template::fill;
use crate::allocate::{Allocation, Line, Shape};
use crate::model::Processor;

/// Registers that kernels never use: `{gr0}` is `r4`, `{fr0}` is `f2`.
const FREE: [(&str, &str, u32); 2] = [("gr", "r", 4), ("fr", "f", 2)];

/// The text, if the kernel has a hypothetical instruction.
pub(super) fn write(name: &str, allocation: &Allocation, processor: &Processor) -> Option<String> {
    let instructions = &processor.isa.instructions;
    let hypothetical = |l: &Line| instructions[l.instruction as usize].expansion.is_some();
    if !allocation.blocks.iter().any(|b| b.lines.iter().any(hypothetical)) {
        return None;
    }
    let mut text = format!("// {name} for {}, hypothetical instructions as real ones\n", processor.name);
    text.push_str("\t.text\n\t.align 32\n\t.global kernel\n\t.proc kernel\nkernel:\n");
    for (k, block) in allocation.blocks.iter().enumerate() {
        let label = format!(".L{k}");
        if block.shape != Shape::Straight {
            let _ = writeln!(text, "{label}:");
        }
        for line in super::ia64::in_order(block, processor) {
            operation(&mut text, line, &label, processor);
        }
    }
    text.push_str("\t.endp kernel\n");
    Some(text)
}

fn operation(text: &mut String, line: &Line, label: &str, processor: &Processor) {
    let guard = line.guard.as_ref().map_or(String::new(), |g| format!("({g}) "));
    let instruction = &processor.isa.instructions[line.instruction as usize];
    let Some(expansion) = &instruction.expansion else {
        let _ = writeln!(text, "\t{guard}{} ;;", fill(&processor.isa, line, label));
        return;
    };
    for step in expansion.split(';').map(str::trim).filter(|s| !s.is_empty()) {
        let _ = writeln!(text, "\t{guard}{} ;;", filled(step, line, processor));
    }
}

fn filled(step: &str, line: &Line, processor: &Processor) -> String {
    let mut text = String::new();
    let mut rest = step;
    while let Some((before, behind)) = rest.split_once('{') {
        let (inside, behind) = behind.split_once('}').unwrap_or((behind, ""));
        text.push_str(before);
        text.push_str(&place(inside, line, processor));
        rest = behind;
    }
    text + rest
}

/// An operand, a free register, or a sum of numbers and operands.
fn place(inside: &str, line: &Line, processor: &Processor) -> String {
    let instruction = &processor.isa.instructions[line.instruction as usize];
    let operand = |name: &str| {
        let defined = instruction.defines.iter().position(|o| o.name == name).map(|k| line.defines[k].clone());
        defined.or_else(|| instruction.uses.iter().position(|o| o.name == name).map(|k| line.uses[k].clone()))
    };
    let free = FREE.iter().find_map(|(class, prefix, first)| {
        let number: u32 = inside.strip_prefix(class)?.parse().ok()?;
        Some(format!("{prefix}{}", first + number))
    });
    if let Some(found) = operand(inside).or(free) {
        return found;
    }
    let (mut sum, mut sign) = (0, 1);
    for word in inside.split_whitespace() {
        match word {
            "+" => sign = 1,
            "-" => sign = -1,
            _ => sum += sign * operand(word).unwrap_or_else(|| word.to_string()).parse::<i64>().unwrap_or(0),
        }
    }
    sum.to_string()
}
