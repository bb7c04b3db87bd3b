//! The text form of programs: a function over words, with AND, OR, XOR and NOT.

use super::lower::{lower, Basis};
use super::source::{Names, Source};
use super::{Choice, Language, Options};
use crate::circuit::Wire;
use crate::fault::Fault;
use crate::function::Function;

/// A program of one function.
pub struct ProgramText;

impl Language for ProgramText {
    fn name(&self) -> &'static str {
        "program"
    }

    fn title(&self) -> &'static str {
        "the text form of programs, a function over words"
    }

    fn suffix(&self) -> &'static str {
        "program"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice { name: "word", values: &["64", "32", "16", "8", "1"], purpose: "bits of a word" }]
    }

    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::PLAIN);
        let names = Names::new(&circuit, |k| format!("%x{k}"), |k| format!("y{k}"));
        let word = format!("u{}", options.word("word"));
        let ones = if options.word("word") == "64" { u64::MAX } else { (1 << options.number("word").unwrap_or(1)) - 1 };
        let head = source.head(&circuit, "A function of words");
        let mut text: String = head.iter().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect();
        let operand = |name: &String| if name.starts_with('%') { name.clone() } else { format!("%{name}") };
        let parameters: Vec<String> = (0..circuit.inputs).map(|k| format!("%x{k}: {word}")).collect();
        let results = vec![word.as_str(); circuit.outputs.len()];
        text.push_str(&format!("program \"{}\" {{\n}}\n\n", source.name));
        text.push_str(&format!("func @{}(", source.identifier()));
        text.push_str(&format!("{}) -> ({}) {{\n", parameters.join(", "), results.join(", ")));
        for line in names.lines(&circuit) {
            let operation = match line.function {
                Function::NOT => "not",
                Function::AND => "and",
                Function::OR => "or",
                _ => "xor",
            };
            let operands: Vec<String> = line.operands.iter().map(operand).collect();
            text.push_str(&format!("  %{}: {word} = {operation} {}\n", line.result, operands.join(", ")));
        }
        let outputs = circuit.outputs.iter().map(|wire| match (wire, names.of(*wire)) {
            (_, Some(name)) => operand(&name.to_owned()),
            (Wire::Constant(true), _) => format!("{ones:#x}"),
            _ => "0".to_owned(),
        });
        text.push_str(&format!("  return {}\n}}\n", outputs.collect::<Vec<_>>().join(", ")));
        Ok(text)
    }
}
