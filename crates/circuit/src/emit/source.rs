//! What is written: a circuit, its box's name, and what is known of it.

use crate::circuit::{Circuit, Wire};
use crate::function::Function;

/// A circuit with what its text's head says.
#[derive(Clone, Debug)]
pub struct Source {
    /// The box: `CIPHER.S3.inverse`.
    pub name: String,
    /// Its circuit.
    pub circuit: Circuit,
    /// What is known: pairs such as `metrics`, `gates=15 depth=8`.
    pub facts: Vec<(String, String)>,
}

/// One line of the text: a gate and the name of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The result.
    pub result: String,
    /// What it computes.
    pub function: Function,
    /// Names of the operands.
    pub operands: Vec<String>,
}

/// Words that name nothing in one of the languages.
const RESERVED: [&str; 74] = [
    "abstract",
    "and",
    "architecture",
    "array",
    "assign",
    "auto",
    "begin",
    "bit",
    "block",
    "bool",
    "box",
    "break",
    "buffer",
    "buf",
    "byte",
    "case",
    "char",
    "class",
    "component",
    "const",
    "do",
    "double",
    "else",
    "end",
    "entity",
    "enum",
    "file",
    "float",
    "fn",
    "for",
    "function",
    "if",
    "impl",
    "in",
    "initial",
    "inout",
    "input",
    "int",
    "is",
    "let",
    "long",
    "loop",
    "map",
    "module",
    "nand",
    "new",
    "nor",
    "not",
    "null",
    "or",
    "out",
    "output",
    "port",
    "private",
    "process",
    "public",
    "reg",
    "register",
    "return",
    "short",
    "signal",
    "static",
    "struct",
    "switch",
    "table",
    "task",
    "type",
    "use",
    "variable",
    "void",
    "while",
    "wire",
    "xnor",
    "xor",
];

impl Source {
    /// The box's name as an identifier of every language.
    #[must_use]
    pub fn identifier(&self) -> String {
        identifier(&self.name)
    }

    /// The head of the text, line by line, without comment signs: box, language, what is known.
    #[must_use]
    pub fn head(&self, circuit: &Circuit, what: &str) -> Vec<String> {
        let (inputs, outputs) = (circuit.inputs, circuit.outputs.len());
        let gates = self.circuit.gates.len();
        let plural = if gates == 1 { "gate" } else { "gates" };
        let mut lines = vec![
            format!("{}: {inputs} -> {outputs} bits, {gates} {plural}. {what}.", self.name),
            "Written by `assay circuit emit`.".to_owned(),
            String::new(),
        ];
        let data: Vec<String> = self.circuit.sbox().data.iter().map(u8::to_string).collect();
        let facts = self.facts.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let table = data.join(" ");
        for (key, value) in std::iter::once(("table", table.as_str())).chain(facts.filter(|(k, _)| *k != "table")) {
            lines.extend(wrapped(key, value));
        }
        lines
    }
}

/// A box's name as an identifier of every language: letters and digits, single underscores between.
#[must_use]
pub fn identifier(name: &str) -> String {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let name = words.join("_");
    let lower = name.to_lowercase();
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // One letter and a number would be a wire's name.
    let wire = lower.len() > 1 && "rtxy".contains(&lower[..1]) && lower[1..].chars().all(|c| c.is_ascii_digit());
    if plain && !wire && lower.len() > 1 && !RESERVED.contains(&lower.as_str()) {
        name
    } else {
        format!("sbox_{name}").trim_end_matches('_').to_owned()
    }
}

/// A fact in lines of at most 100 letters.
fn wrapped(key: &str, value: &str) -> Vec<String> {
    let mut lines = vec![format!("{key:<11}")];
    for word in value.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].trim_end().len() > 11 && lines[last].len() + 1 + word.len() > 100 {
            lines.push(format!("{:<11}{word}", ""));
            continue;
        }
        if lines[last].len() > 11 {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    lines
}

/// Names of the wires: inputs by `input`, gates that are outputs `y0` …, others `t1` … by their place.
pub struct Names {
    gates: Vec<String>,
    inputs: Vec<String>,
}

impl Names {
    /// The names for a circuit; `input` and `output` name the bits of the box.
    pub fn new(circuit: &Circuit, input: impl Fn(usize) -> String, output: impl Fn(usize) -> String) -> Self {
        let mut gates: Vec<String> = (1..=circuit.gates.len()).map(|n| format!("t{n}")).collect();
        for (k, wire) in circuit.outputs.iter().enumerate().rev() {
            if let Wire::Gate(n) = *wire {
                gates[n] = output(k);
            }
        }
        Names { gates, inputs: (0..usize::from(circuit.inputs)).map(input).collect() }
    }

    /// The name of a wire; `None` for a constant.
    #[must_use]
    pub fn of(&self, wire: Wire) -> Option<&str> {
        match wire {
            Wire::Input(k) => Some(&self.inputs[k]),
            Wire::Gate(n) => Some(&self.gates[n]),
            Wire::Constant(_) => None,
        }
    }

    /// The gates, one line each. The circuit must be a lowered one, whose gates read no constants.
    #[must_use]
    pub fn lines(&self, circuit: &Circuit) -> Vec<Line> {
        let name = |w: &Wire| self.of(*w).unwrap_or_default().to_owned();
        let line = |(n, gate): (usize, &crate::circuit::Gate)| Line {
            result: self.gates[n].clone(),
            function: gate.function,
            operands: gate.operands.iter().map(name).collect(),
        };
        circuit.gates.iter().enumerate().map(line).collect()
    }
}

/// The inputs that some gate or output reads.
#[must_use]
pub fn used_inputs(circuit: &Circuit) -> Vec<usize> {
    let read: Vec<&Wire> = circuit.gates.iter().flat_map(|g| &g.operands).chain(&circuit.outputs).collect();
    (0..usize::from(circuit.inputs)).filter(|&k| read.contains(&&Wire::Input(k))).collect()
}
