//! What the tests share: the project's instruction sets, lines as text.

pub mod execute;

use std::sync::Arc;

use microcontroller::assembly::{read, Writer};
use microcontroller::code::{Code, Instruction, Item, Line, Source};
use microcontroller::isa::Isa;

/// The files of the instruction sets.
pub const FILES: [&str; 3] = ["avr/instructions.toml", "h8_300/instructions.toml", "mcs51/instructions.toml"];

pub fn records(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/cipherassay/embedded/processors");
    std::fs::read_to_string(format!("{folder}/{file}")).expect("the file is there")
}

pub fn isa(file: &str) -> Isa {
    Isa::read(&records(file), file).expect("it is right")
}

pub fn avr() -> Isa {
    isa(FILES[0])
}

pub fn h8() -> Isa {
    isa(FILES[1])
}

pub fn mcs51() -> Isa {
    isa(FILES[2])
}

/// Lines of a text; `.L1:` is the head of loop 1, and `.L1` where it is branched to.
pub fn lines(isa: &Isa, texts: &[&str]) -> Vec<Line> {
    use microcontroller::operand::{Label, Operand};
    let head = |name: &str| name.strip_prefix(".L").and_then(|n| n.trim_end_matches(':').parse().ok()).map(Label::Head);
    let one = |text: &&str| match read(isa, text).expect("it is an instruction") {
        Line::Label(Label::Named(name)) => Line::Label(head(&name).unwrap_or(Label::Named(name))),
        Line::Machine(mut machine) => {
            for operand in &mut machine.operands {
                if let Operand::Label(Label::Named(name)) = operand {
                    *operand = Operand::Label(head(name).unwrap_or(Label::Named(Arc::clone(name))));
                }
            }
            Line::Machine(machine)
        }
        other => other,
    };
    texts.iter().map(one).collect()
}

/// Lines as text; the function has no name.
pub fn text(isa: &Isa, lines: &[Line]) -> Vec<String> {
    let mut writer = Writer::new(isa, "");
    lines.iter().map(|line| writer.line(line).replace("_", "")).collect()
}

/// An instruction of lines.
pub fn instruction(isa: &Isa, texts: &[&str]) -> Instruction {
    Instruction { lines: lines(isa, texts), ..Instruction::default() }
}

pub fn value(n: u32) -> Source {
    Source::Value(n)
}

/// Code without loops.
pub fn code(isa: &Isa, instructions: Vec<Instruction>) -> Code {
    let values = instructions.iter().flat_map(|i| i.results().chain(i.read()).collect::<Vec<_>>()).max();
    let items = instructions.into_iter().map(|i| Item::Instruction(Arc::new(i))).collect();
    let pointers = if isa.registers.names.len() == 32 { vec![30, 31] } else { vec![] };
    Code { name: "f".into(), items, reserved: pointers.into_iter().collect(), values: values.map_or(0, |v| v + 1) }
}
