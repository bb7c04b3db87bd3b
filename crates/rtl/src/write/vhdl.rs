//! Modules in VHDL-2008.

mod clocked;
mod expression;
mod parts;

use program::ir::Program;

use super::expression::{is_rows, Expr};
use super::head::wrapped;
use super::library::Part;
use super::module::{Instance, Item, Module};
use super::Language;
use expression::{closed, text};

/// VHDL-2008 with `unsigned` words.
pub(super) struct Vhdl;

impl Language for Vhdl {
    const ENDING: &'static str = ".vhd";

    fn module(module: &Module) -> String {
        let mut lines = vec![format!("entity {} is", module.name), "  port (".to_owned()];
        lines.extend(ports(module));
        lines.extend(["  );".to_owned(), "end entity;".to_owned(), String::new()]);
        lines.push(format!("architecture rtl of {} is", module.name));
        lines.extend(clocked::declarations(module));
        lines.extend(module.wires().iter().map(|(name, width)| format!("  signal {name} : {};", type_text(*width))));
        lines.push("begin".to_owned());
        lines.extend(items(module));
        let clock = clocked::clock(module);
        if !clock.is_empty() {
            lines.push(String::new());
            lines.extend(clock);
        }
        lines.push("end architecture;".to_owned());
        let lines: String = lines.iter().map(|line| wrapped(line, "--") + "\n").collect();
        heading(&module.head) + &lines
    }

    fn part(program: &Program, part: &Part, name: &str, head: &[String]) -> Option<String> {
        match part {
            Part::Table(n) => Some(parts::table(&program.tables[*n as usize], name, head)),
            Part::Box(n, width) => Some(parts::sbox(&program.boxes[*n as usize], *width, name, head)),
            _ => None,
        }
    }
}

/// The head as comments, then the packages.
fn heading(head: &[String]) -> String {
    let head: String = head.iter().map(|line| wrapped(&format!("-- {line}"), "--") + "\n").collect();
    head + "\nlibrary ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n\n"
}

fn type_text(width: u32) -> String {
    if width == 1 {
        "std_logic".to_owned()
    } else {
        format!("unsigned({} downto 0)", width - 1)
    }
}

/// The pins of the device are plain vectors.
fn port_type(module: &Module, width: u32) -> String {
    let text = type_text(width);
    if module.pins {
        text.replace("unsigned", "std_logic_vector")
    } else {
        text
    }
}

fn ports(module: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    for (n, port) in module.ports.iter().enumerate() {
        let end = if n + 1 < module.ports.len() { ";" } else { "" };
        let direction = if port.input { "in " } else { "out" };
        let mut line = format!("    {} : {direction} {}{end}", port.name, port_type(module, port.width));
        if !port.doc.is_empty() {
            line += &format!("  -- {}", port.doc);
        }
        lines.push(line);
    }
    lines
}

fn items(module: &Module) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in &module.items {
        match item {
            Item::Comment(text) => {
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                if !text.is_empty() {
                    lines.push(format!("  -- {text}"));
                }
            }
            Item::Signal { .. } => {}
            Item::Assign { target, value: Expr::Concat(bits), .. } if is_rows(bits) => {
                lines.push(format!("  {} <=", text(target)));
                for (n, bit) in bits.iter().enumerate() {
                    lines.push(format!("    {}{}", closed(bit), if n + 1 < bits.len() { " &" } else { ";" }));
                }
            }
            Item::Assign { target, value: Expr::Choice { address, words }, .. } => {
                lines.extend(expression::choice(&text(target), address, words));
            }
            Item::Assign { target, value, .. } => {
                let value = match (module.pins, value.width()) {
                    (true, 2..) => format!("std_logic_vector({})", text(value)),
                    _ => text(value),
                };
                lines.push(format!("  {} <= {value};", text(target)));
            }
            Item::Instance(found) => lines.extend(instance(module, found)),
        }
    }
    lines
}

fn instance(module: &Module, found: &Instance) -> Vec<String> {
    let actual = |value: &Expr| match value {
        Expr::Name { name, width: 2.. } if module.pins && module.ports.iter().any(|p| p.name == *name) => {
            format!("unsigned({name})")
        }
        _ => text(value),
    };
    let inputs = found.inputs.iter().map(|(port, value)| format!("{port} => {}", actual(value)));
    let outputs = found.outputs.iter().map(|(port, wire, ..)| format!("{port} => {wire}"));
    let ports: Vec<String> = inputs.chain(outputs).collect();
    let line = format!("  {} : entity work.{} port map ({});", found.label, found.module, ports.join(", "));
    if line.len() <= 110 {
        return vec![line];
    }
    let mut lines = vec![format!("  {} : entity work.{}", found.label, found.module), "    port map (".to_owned()];
    for (n, port) in ports.iter().enumerate() {
        lines.push(format!("      {port}{}", if n + 1 < ports.len() { "," } else { "" }));
    }
    lines.push("    );".to_owned());
    lines
}
