//! IA-64 assembler: instruction groups, one to a cycle.

use super::lower::{lower, Basis};
use super::machine::registers::Pool;
use super::machine::{counted, ordered, Stream};
use super::source::{Line, Source};
use super::{Choice, Language, Options};
use crate::fault::Fault;

/// An IA-64 instruction stream.
pub struct Ia64;

const WIDTH: usize = 6;

impl Language for Ia64 {
    fn name(&self) -> &'static str {
        "ia64"
    }

    fn title(&self) -> &'static str {
        "IA-64 instruction groups for GNU as"
    }

    fn suffix(&self) -> &'static str {
        "s"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice { name: "width", values: &[], purpose: "operations of a cycle, 6 unless given" }]
    }

    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault> {
        let width = options.number("width").unwrap_or(WIDTH);
        let circuit = lower(&source.circuit, &Basis::AND_COMPLEMENT);
        let stream = Stream::new(circuit, width, &pool())?;
        let mut head = source.head(&stream.circuit, "IA-64 instruction groups");
        let count = stream.circuit.gates.len();
        let (inputs, outputs) = stream.places("r0");
        head.push(format!("{:<11}{} of up to {width} operations", "written as", counted(count, stream.cycles.len())));
        head.extend([String::new(), format!("{:<11}{inputs}", "inputs"), format!("{:<11}{outputs}", "outputs")]);
        let mut text: String = head.iter().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect();
        text.push_str(&format!("        .text\n{}:\n", source.identifier()));
        for cycle in stream.lines("//", instruction) {
            text.push_str(&(cycle.join("\n") + "\n        ;;\n"));
        }
        Ok(text)
    }
}

/// Inputs in the registers of arguments; results in scratch registers, then in stacked ones.
fn pool() -> Pool {
    let names = |numbers: std::ops::Range<usize>| numbers.map(|n| format!("r{n}"));
    let first = names(14..32).chain(names(8..12)).chain(names(2..4));
    Pool { machine: "IA-64", inputs: names(32..40).collect(), registers: first.chain(names(32..128)).collect() }
}

fn instruction(line: &Line) -> String {
    let result = &line.result;
    match ordered(line) {
        // The first operand may be a number of eight bits: all ones without the bits of the second.
        ("not", a, _) => format!("{:<8}{result} = -1, {a}", "andcm"),
        (name, a, b) => format!("{name:<8}{result} = {a}, {b}"),
    }
}
