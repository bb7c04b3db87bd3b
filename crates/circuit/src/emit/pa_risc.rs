//! PA-RISC assembler: two independent instructions to a cycle.

use super::lower::{lower, Basis};
use super::machine::registers::Pool;
use super::machine::{counted, ordered, Stream};
use super::source::{Line, Source};
use super::{Choice, Language, Options};
use crate::fault::Fault;

/// A PA-RISC instruction stream.
pub struct PaRisc;

const WIDTH: usize = 2;

impl Language for PaRisc {
    fn name(&self) -> &'static str {
        "pa-risc"
    }

    fn title(&self) -> &'static str {
        "PA-RISC instructions for GNU as, in pairs"
    }

    fn suffix(&self) -> &'static str {
        "s"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice { name: "width", values: &[], purpose: "operations of a cycle, 2 unless given" }]
    }

    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault> {
        let width = options.number("width").unwrap_or(WIDTH);
        let circuit = lower(&source.circuit, &Basis::AND_COMPLEMENT);
        let stream = Stream::new(circuit, width, &pool())?;
        let mut head = source.head(&stream.circuit, "PA-RISC instructions");
        let count = stream.circuit.gates.len();
        let (inputs, outputs) = stream.places("%r0");
        head.push(format!("{:<11}{} of up to {width} operations", "written as", counted(count, stream.cycles.len())));
        head.extend([String::new(), format!("{:<11}{inputs}", "inputs"), format!("{:<11}{outputs}", "outputs")]);
        let mut text: String = head.iter().map(|line| format!("; {line}").trim_end().to_owned() + "\n").collect();
        text.push_str(&format!("        .text\n{}:\n", source.identifier()));
        for (n, cycle) in stream.lines(";", instruction).iter().enumerate() {
            text.push_str(&format!("; cycle {}\n{}\n", n + 1, cycle.join("\n")));
        }
        Ok(text)
    }
}

/// Inputs in the registers of arguments and the scratch registers beside them; those that a function must save last.
fn pool() -> Pool {
    let name = |n: usize| format!("%r{n}");
    let scratch = [1, 31, 29, 28].into_iter().chain((19..27).rev()).chain(3..19);
    let inputs = (19..27).rev().map(name).collect();
    Pool { machine: "PA-RISC", inputs, registers: scratch.map(name).collect() }
}

fn instruction(line: &Line) -> String {
    let result = &line.result;
    match ordered(line) {
        // UADDCM adds the one's complement of its second operand to its first, here the zero register.
        ("not", a, _) => format!("{:<8}%r0,{a},{result}", "uaddcm"),
        (name, a, b) => format!("{name:<8}{a},{b},{result}"),
    }
}
