//! Modules in Verilog-2005.

mod clocked;
mod expression;
mod parts;

use std::collections::BTreeMap;

use program::ir::Program;

use super::expression::{is_rows, Expr};
use super::head::wrapped;
use super::library::Part;
use super::module::{Instance, Item, Module};
use super::Language;
use expression::text;

/// Verilog-2005, free of warnings of Verilator and Icarus.
pub(super) struct Verilog;

impl Language for Verilog {
    const ENDING: &'static str = ".v";

    fn module(module: &Module) -> String {
        let used = module.used_bits();
        let mut lines = vec![format!("module {} (", module.name)];
        lines.extend(ports(module, &used));
        lines.push(");".to_owned());
        lines.push(String::new());
        let body = [clocked::declarations(module, &used), items(module, &used), clocked::clock(module)];
        for part in body.into_iter().filter(|part| !part.is_empty()) {
            lines.extend(part);
            lines.push(String::new());
        }
        lines.push("endmodule".to_owned());
        let lines: String = lines.iter().map(|line| wrapped(line, "//") + "\n").collect();
        heading(&module.head) + &lines
    }

    fn part(program: &Program, part: &Part, name: &str, head: &[String]) -> Option<String> {
        match part {
            Part::Table(n) => Some(parts::table(&program.tables[*n as usize], name, head)),
            Part::Box(n, width) => Some(parts::sbox(&program.boxes[*n as usize], *width, name, head)),
            Part::Latch(width) => Some(parts::latch(*width, name, head)),
            _ => None,
        }
    }
}

type UsedBits = BTreeMap<String, Vec<bool>>;

/// The head as comments.
fn heading(head: &[String]) -> String {
    head.iter().map(|line| wrapped(&format!("// {line}"), "//") + "\n").collect::<String>() + "\n"
}

/// `[31:0] `; nothing for a single bit.
fn range(width: u32) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

fn all_used(used: &UsedBits, name: &str, width: u32) -> bool {
    used.get(name).is_some_and(|bits| bits.len() == width as usize && bits.iter().all(|b| *b))
}

/// A declaration; the linter is told where bits of it are not meant to be used.
fn declared(indent: &str, line: String, used: bool) -> Vec<String> {
    if used {
        return vec![format!("{indent}{line}")];
    }
    vec![
        format!("{indent}// verilator lint_off UNUSEDSIGNAL"),
        format!("{indent}{line}"),
        format!("{indent}// verilator lint_on UNUSEDSIGNAL"),
    ]
}

fn ports(module: &Module, used: &UsedBits) -> Vec<String> {
    let mut lines = Vec::new();
    for (n, port) in module.ports.iter().enumerate() {
        let comma = if n + 1 < module.ports.len() { "," } else { "" };
        let direction = if port.input { "input " } else { "output" };
        let mut line = format!("{direction} {}{}{comma}", range(port.width), port.name);
        if !port.doc.is_empty() {
            line += &format!("  // {}", port.doc);
        }
        let used = !port.input || all_used(used, &port.name, port.width);
        lines.extend(declared("    ", line, used));
    }
    lines
}

fn items(module: &Module, used: &UsedBits) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in &module.items {
        match item {
            Item::Comment(text) => {
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                if !text.is_empty() {
                    lines.push(format!("    // {text}"));
                }
            }
            Item::Signal { name, width } => {
                let line = format!("wire {}{name};", range(*width));
                lines.extend(declared("    ", line, all_used(used, name, *width)));
            }
            Item::Assign { target: Expr::Name { name, width }, value: Expr::Choice { address, words }, .. } => {
                let line = format!("reg {}{name};", range(*width));
                lines.extend(declared("    ", line, all_used(used, name, *width)));
                lines.extend(parts::choice(name, address, words));
            }
            Item::Assign { target: Expr::Name { name, width }, declare: true, value } => {
                let line = format!("wire {}{name} = {};", range(*width), text(value));
                lines.extend(declared("    ", line, all_used(used, name, *width)));
            }
            Item::Assign { target, value: Expr::Concat(bits), .. } if is_rows(bits) => {
                lines.push(format!("    assign {} = {{", text(target)));
                for (n, bit) in bits.iter().enumerate() {
                    lines.push(format!("        {}{}", text(bit), if n + 1 < bits.len() { "," } else { "" }));
                }
                lines.push("    };".to_owned());
            }
            Item::Assign { target, value, .. } => lines.push(format!("    assign {} = {};", text(target), text(value))),
            Item::Instance(found) => lines.extend(instance(found, used)),
        }
    }
    lines
}

fn instance(found: &Instance, used: &UsedBits) -> Vec<String> {
    let mut lines = Vec::new();
    for (_, wire, width, new) in &found.outputs {
        if *new {
            lines.extend(declared("    ", format!("wire {}{wire};", range(*width)), all_used(used, wire, *width)));
        }
    }
    let inputs = found.inputs.iter().map(|(port, value)| format!(".{port}({})", text(value)));
    let outputs = found.outputs.iter().map(|(port, wire, ..)| format!(".{port}({wire})"));
    let ports: Vec<String> = inputs.chain(outputs).collect();
    let line = format!("    {} {} ({});", found.module, found.label, ports.join(", "));
    if line.len() <= 110 {
        lines.push(line);
    } else {
        lines.push(format!("    {} {} (", found.module, found.label));
        for (n, port) in ports.iter().enumerate() {
            lines.push(format!("        {port}{}", if n + 1 < ports.len() { "," } else { "" }));
        }
        lines.push("    );".to_owned());
    }
    lines
}
