//! The text form of circuits.
//!
//! A text holds one or more circuits:
//! ```text
//! # comment
//! circuit CIPHER.S0: 4 -> 4
//! table 3 8 15 1 10 6 5 11 14 13 4 2 7 0 9 12
//! origin own search
//! t1 = x3 | x0
//! t2 = ~(t1 ^ x1)
//! t3 = lut(0x96, t1, t2, x2)
//! y0 = t3
//! …
//! ```
//! A head; header lines (a word of [`FIELDS`] and its text, kept in order); equations. Inputs are `x0` … (bit 0 first)
//! or the names of a line `inputs a b c d`; with a line `registers r0 r1 …` the first registers hold them too.
//! Outputs are `y0` …, or the names of a line `outputs a b c d`, or are found by the truth table. Equations may also be
//! written as in C: `;`, `//` and `/* */` comments, types before a name, `^=`, reassignment, nested expressions. A text
//! without a head is one circuit.

pub mod ast;
mod elaborate;
mod from_circuit;
mod lexer;
mod lines;
mod nearest;
mod parser;
#[cfg(test)]
mod tests;

use std::fmt;

pub use ast::{Assignment, Expression, Operator};
pub use elaborate::NAMED;
pub use nearest::nearest;

use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use crate::sbox::SBox;
use crate::target::Target;
use elaborate::Elaboration;
use lines::RawDocument;

/// The words that begin a header line.
pub const FIELDS: [&str; 14] = [
    "table",
    "target",
    "objective",
    "metrics",
    "proof",
    "effort",
    "published",
    "origin",
    "source",
    "note",
    "registers",
    "inputs",
    "outputs",
    "variant",
];

/// The name of a circuit whose text has no head.
pub const UNNAMED: &str = "circuit";

/// A circuit with what its text says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// `CIPHER.S3`
    pub name: String,
    /// Header lines in order: word and text.
    pub fields: Vec<(String, String)>,
    /// The equations as written.
    pub equations: Vec<Assignment>,
    /// The gates that the equations mean for the target they were read for.
    pub circuit: Circuit,
    /// The name under which the equations have each gate; empty for one inside an expression.
    pub names: Vec<String>,
}

impl Document {
    /// A document for a circuit, with equations written for it.
    ///
    /// # Errors
    /// Those of reading its own text: a target without the gates of the circuit is none of them.
    pub fn new(
        name: &str,
        fields: Vec<(String, String)>,
        circuit: &Circuit,
        target: Option<&Target>,
    ) -> Result<Self, Fault> {
        let equations = from_circuit::equations(circuit, target);
        let numbered = equations.into_iter().map(|e| (0, e)).collect();
        let shape = Shape { inputs: circuit.inputs, outputs: Some(circuit.outputs.len()) };
        document(name.to_owned(), fields, numbered, shape, target, None)
    }

    /// A document with its equations read again from their text, one to an element.
    ///
    /// # Errors
    /// Those of [`parse`]; lines count the equations from 1.
    pub fn from_equations(
        name: &str,
        fields: Vec<(String, String)>,
        shape: (u8, usize),
        lines: &[String],
        target: Option<&Target>,
    ) -> Result<Self, Fault> {
        let mut tokens = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            tokens.extend(lexer::tokens(n as u32 + 1, line)?);
        }
        let shape = Shape { inputs: shape.0, outputs: Some(shape.1) };
        document(name.to_owned(), fields, parser::equations(tokens)?, shape, target, None)
    }

    /// The text of the first header line of a word.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// The box of the header lines `table`; absent if there is none.
    ///
    /// # Errors
    /// `C008` for what is no number, `C106` and `C102` for what is no box.
    pub fn sbox(&self) -> Result<Option<SBox>, Fault> {
        table(self.fields.iter().map(|(k, v)| (0, k.as_str(), v.as_str())), Some(self.circuit.outputs.len()))
    }
}

/// The box of header lines `table`, each with its line.
fn table<'a>(
    fields: impl Iterator<Item = (u32, &'a str, &'a str)>,
    outputs: Option<usize>,
) -> Result<Option<SBox>, Fault> {
    let mut data: Vec<u8> = Vec::new();
    let mut first = None;
    for (line, _, text) in fields.filter(|(_, key, _)| *key == "table") {
        first = first.or(Some(line));
        for number in text.split([' ', '\t', ',']).filter(|n| !n.is_empty()) {
            let value = match number.strip_prefix("0x") {
                Some(digits) => u8::from_str_radix(digits, 16),
                None => number.parse(),
            };
            data.push(value.map_err(|_| {
                Fault::new("C008", format!("`{number}` is no value of a box")).at(line).help("values are 0 to 255")
            })?);
        }
    }
    let Some(line) = first else { return Ok(None) };
    let needed = data.iter().map(|y| 8 - y.leading_zeros()).max().unwrap_or(0).max(1);
    let outputs = outputs.unwrap_or(needed as usize);
    SBox::new(outputs as u8, data).map(Some).map_err(|fault| fault.at(line))
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "circuit {}: {} -> {}", self.name, self.circuit.inputs, self.circuit.outputs.len())?;
        self.fields.iter().try_for_each(|(key, value)| writeln!(f, "{}", format!("{key} {value}").trim_end()))?;
        self.equations.iter().try_for_each(|equation| writeln!(f, "{equation}"))
    }
}

/// The text of documents, with an empty line between them.
#[must_use]
pub fn print(documents: &[Document]) -> String {
    let texts: Vec<String> = documents.iter().map(Document::to_string).collect();
    texts.join("\n")
}

/// Reads the circuits of a text, for a target if one is given.
///
/// Outputs without a name are found by the truth table: that of the text or else `sbox`. No circuit is checked
/// against it here ([`Circuit::check`] does that).
///
/// # Errors
/// `C001` to `C012`, each with its line; `C101` and `C102` for a table that is no box.
pub fn parse(text: &str, target: Option<&Target>, sbox: Option<&SBox>) -> Result<Vec<Document>, Fault> {
    let raw = lines::documents(text)?;
    if raw.is_empty() {
        return Err(Fault::new("C010", "the text holds no circuit").at(1).help("an equation is `t1 = x0 & ~x1`"));
    }
    raw.into_iter().map(|raw| read(raw, target, sbox)).collect()
}

/// Numbers of bits; without outputs, those that the text or the box has.
#[derive(Clone, Copy)]
struct Shape {
    inputs: u8,
    outputs: Option<usize>,
}

fn read(raw: RawDocument, target: Option<&Target>, sbox: Option<&SBox>) -> Result<Document, Fault> {
    let mut tokens = Vec::new();
    for (line, text) in &raw.equations {
        tokens.extend(lexer::tokens(*line, text)?);
    }
    let equations = parser::equations(tokens)?;
    let outputs = raw.head.as_ref().map(|head| usize::from(head.outputs));
    let own = table(raw.fields.iter().map(|(line, k, v)| (*line, k.as_str(), v.as_str())), outputs)?;
    let sbox = own.as_ref().or(sbox);
    let shape = match &raw.head {
        Some(head) => Shape { inputs: head.inputs, outputs },
        None => Shape { inputs: inferred_inputs(&raw, &equations, sbox), outputs: sbox.map(|b| b.outputs.into()) },
    };
    let name = raw.head.map_or_else(|| UNNAMED.to_owned(), |head| head.name);
    let fields = raw.fields.into_iter().map(|(_, key, value)| (key, value)).collect();
    document(name, fields, equations, shape, target, sbox).map_err(|fault| {
        let line = if fault.line == 0 { raw.line } else { fault.line };
        fault.at(line)
    })
}

/// Without a head: the line `inputs`, or the box, or the highest of x0 to x7 that occurs.
fn inferred_inputs(raw: &RawDocument, equations: &[(u32, Assignment)], sbox: Option<&SBox>) -> u8 {
    if let Some((_, _, names)) = raw.fields.iter().find(|(_, key, _)| key == "inputs") {
        return names.split_whitespace().count() as u8;
    }
    if let Some(sbox) = sbox {
        return sbox.inputs;
    }
    let used = |name: &str| equations.iter().any(|(_, e)| mentions(&e.value, name));
    (0..8u8).rev().find(|k| used(&format!("x{k}"))).map_or(1, |k| k + 1)
}

fn mentions(expression: &Expression, wanted: &str) -> bool {
    match expression {
        Expression::Constant(_) => false,
        Expression::Name(name) => name == wanted,
        Expression::Not(a) => mentions(a, wanted),
        Expression::Binary(_, a, b) => mentions(a, wanted) || mentions(b, wanted),
        Expression::Lookup(_, all) | Expression::Call(_, all) => all.iter().any(|e| mentions(e, wanted)),
    }
}

fn document(
    name: String,
    mut fields: Vec<(String, String)>,
    equations: Vec<(u32, Assignment)>,
    shape: Shape,
    target: Option<&Target>,
    sbox: Option<&SBox>,
) -> Result<Document, Fault> {
    let listed = |fields: &[(String, String)], key: &str| -> Option<Vec<String>> {
        let text = fields.iter().find(|(k, _)| k == key).map(|(_, v)| v)?;
        Some(text.split([' ', '\t', ',']).filter(|n| !n.is_empty()).map(str::to_owned).collect())
    };
    let count = usize::from(shape.inputs);
    let inputs = listed(&fields, "inputs").unwrap_or_else(|| (0..count).map(|k| format!("x{k}")).collect());
    if inputs.len() != count || !(1..=8).contains(&count) {
        return Err(Fault::new("C011", format!("the line `inputs` names {} inputs, not {count}", inputs.len()))
            .help("a circuit has 1 to 8 inputs"));
    }
    let mut registers = listed(&fields, "registers").unwrap_or_default();
    registers.truncate(count);
    let mut made = Elaboration::new(&inputs, &registers, target);
    for (line, equation) in &equations {
        made.assign(*line, equation)?;
    }
    let last = equations.last().map_or(0, |(line, _)| *line);
    made.circuit.outputs = match listed(&fields, "outputs") {
        Some(names) => named_outputs(&made, &names, shape.outputs, last)?,
        None => match own_outputs(&made, shape.outputs, sbox)? {
            Outputs::Assigned(wires) => wires,
            Outputs::Found(names, wires) => {
                fields.push(("outputs".to_owned(), names.join(" ")));
                wires
            }
        },
    };
    let equations = equations.into_iter().map(|(_, e)| e).collect();
    Ok(Document { name, fields, equations, circuit: made.circuit, names: made.names })
}

fn named_outputs(
    made: &Elaboration<'_>,
    names: &[String],
    count: Option<usize>,
    line: u32,
) -> Result<Vec<Wire>, Fault> {
    if count.is_some_and(|count| count != names.len()) || names.is_empty() || names.len() > 8 {
        let expected = count.map_or_else(|| "1 to 8".to_owned(), |count| count.to_string());
        let message = format!("the line `outputs` names {} outputs, not {expected}", names.len());
        return Err(Fault::new("C011", message));
    }
    names.iter().map(|name| made.wire(name, line)).collect()
}

enum Outputs {
    /// As `y0` …
    Assigned(Vec<Wire>),
    /// By the truth table: names and wires.
    Found(Vec<String>, Vec<Wire>),
}

fn own_outputs(made: &Elaboration<'_>, count: Option<usize>, sbox: Option<&SBox>) -> Result<Outputs, Fault> {
    let wire = |k: usize| made.wires.get(&format!("y{k}")).copied();
    let count = count.unwrap_or_else(|| (0..8).take_while(|&k| wire(k).is_some()).count());
    let assigned: Option<Vec<Wire>> = (0..count).map(wire).collect();
    if let Some(wires) = assigned.filter(|wires| !wires.is_empty()) {
        return Ok(Outputs::Assigned(wires));
    }
    let missing = (0..count).find(|&k| wire(k).is_none()).unwrap_or(0);
    // One output named and another not is a slip; none named is equations from elsewhere.
    let slip = (0..count).any(|k| wire(k).is_some());
    let Some(sbox) = sbox.filter(|b| !slip && b.inputs == made.circuit.inputs && usize::from(b.outputs) == count)
    else {
        return Err(Fault::new("C005", format!("the output `y{missing}` gets no value"))
            .help("name the outputs: `y0 = t5`, or a line `outputs a b c d`; or give the table, to find them by it"));
    };
    by_table(made, sbox)
}

/// The names whose last values are the box's outputs.
fn by_table(made: &Elaboration<'_>, sbox: &SBox) -> Result<Outputs, Fault> {
    let tables = made.circuit.tables();
    let mut names: Vec<(&String, Wire)> = made.wires.iter().map(|(name, wire)| (name, *wire)).collect();
    names.sort();
    let mut found = (Vec::new(), Vec::new());
    for k in 0..usize::from(sbox.outputs) {
        let wanted = sbox.output(k);
        let fitting = names.iter().find(|(_, wire)| made.circuit.table_of(*wire, &tables) == wanted);
        let Some((name, wire)) = fitting else {
            let complement = names.iter().find(|(_, w)| made.circuit.table_of(*w, &tables) == wanted.complement());
            let fault = Fault::new("C012", format!("no name of the equations ends with output bit {k} of the box"));
            return Err(match complement {
                Some((name, _)) => fault.note(format!("`{name}` ends with its complement")),
                None => fault,
            }
            .help("are the inputs in order, least significant bit first? a line `inputs a b c d` names them"));
        };
        found.0.push((*name).clone());
        found.1.push(*wire);
    }
    Ok(Outputs::Found(found.0, found.1))
}
