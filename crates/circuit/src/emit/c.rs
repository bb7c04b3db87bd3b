//! C11 on words of 32 or 64 bits: as many boxes at once as a word has bits.

use super::expression::C_LIKE;
use super::lower::{lower, Basis};
use super::source::{used_inputs, Names, Source};
use super::{Choice, Language, Options};
use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;

/// Portable C.
pub struct C;

impl Language for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn title(&self) -> &'static str {
        "C11, a function over bit-sliced words"
    }

    fn suffix(&self) -> &'static str {
        "c"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice { name: "word", values: &["64", "32"], purpose: "bits of a word" }]
    }

    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::ANY);
        let word = format!("uint{}_t", options.word("word"));
        let mut head = source.head(&circuit, "Bit-sliced C");
        head.extend(sliced(&word, options.word("word")));
        let body = Body { word: &word, ones: "" };
        let mut text = comment(&head);
        text.push_str("#include <stdint.h>\n\n");
        let name = source.identifier();
        text.push_str(&body.function(&name, &circuit, |line| C_LIKE.expression(line)));
        Ok(text)
    }
}

/// What the words mean, for the head.
pub fn sliced(word: &str, bits: &str) -> Vec<String> {
    vec![
        String::new(),
        format!(
            "One call computes {bits} boxes: bit k of x[i] is input bit i of box k, bit k of y[j] its output bit j"
        ),
        format!("(bit 0 is the least significant one of the box). x and y, arrays of {word}, may be the same."),
    ]
}

/// A comment of C.
pub fn comment(lines: &[String]) -> String {
    let mut text = String::from("/*");
    for (n, line) in lines.iter().enumerate() {
        let start = if n == 0 { " " } else { "\n * " };
        text.push_str(format!("{start}{line}").trim_end());
    }
    text + "\n */\n"
}

/// A function of C over arrays of words.
pub struct Body<'a> {
    /// The type.
    pub word: &'a str,
    /// How a word of ones is written where `~` does not apply to the type; else empty.
    pub ones: &'a str,
}

impl Body<'_> {
    /// The function; `expression` writes the right side of a gate.
    pub fn function(
        &self,
        name: &str,
        circuit: &Circuit,
        expression: impl Fn(&super::source::Line) -> String,
    ) -> String {
        let (word, inputs, outputs) = (self.word, circuit.inputs, circuit.outputs.len());
        let names = Names::new(circuit, |k| format!("x{k}"), |k| format!("y{k}"));
        let mut text = format!("void {name}(const {word} x[{inputs}], {word} y[{outputs}])\n{{\n");
        let used = used_inputs(circuit);
        if !used.is_empty() {
            let loads: Vec<String> = used.iter().map(|k| format!("x{k} = x[{k}]")).collect();
            text.push_str(&format!("    const {word} {};\n", loads.join(", ")));
        } else {
            text.push_str("    (void)x;\n");
        }
        let lines = names.lines(circuit);
        text.push('\n');
        for line in &lines {
            text.push_str(&format!("    const {word} {} = {};\n", line.result, expression(line)));
        }
        if !lines.is_empty() {
            text.push('\n');
        }
        for (k, wire) in circuit.outputs.iter().enumerate() {
            text.push_str(&format!("    y[{k}] = {};\n", self.output(*wire, &names)));
        }
        text + "}\n"
    }

    fn output(&self, wire: Wire, names: &Names) -> String {
        match (wire, names.of(wire)) {
            (_, Some(name)) => name.to_owned(),
            (Wire::Constant(true), _) if self.ones.is_empty() => format!("~({})0", self.word),
            (Wire::Constant(true), _) => self.ones.to_owned(),
            _ if self.ones.is_empty() => "0".to_owned(),
            _ => format!("{} ^ {}", self.ones, self.ones),
        }
    }
}
