//! Instructions for operations on bytes and on words in bytes, the least significant first: templates of the file of the
//! instruction set, put together.

mod bits;
mod bytes;
mod chains;
mod sums;
mod template;
mod wide;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use program::Diagnostic;

use crate::assembly;
use crate::code::{Instruction, Item, Line, Origin, Source, Value};
use crate::isa::{Group, Isa, Selection};
pub use sums::sums_in_addresses;
use template::filled;
pub use wide::byte_products;
pub use words::in_words;

/// What selection makes, or why it cannot.
pub type SelectResult<T> = Result<T, Diagnostic>;

/// Sources of bytes, the least significant first.
pub type Bytes = Vec<Source>;

/// Appends instructions and hands out their results.
#[derive(Debug)]
pub struct Selector<'a> {
    /// The instruction set.
    pub isa: &'a Isa,
    /// What was made so far.
    pub out: Vec<Item>,
    /// Where the operation stands that instructions are selected for.
    pub origin: Origin,
    /// Tables that are read, in the order in which they were met.
    pub tables: Vec<(String, Vec<u8>)>,
    /// The instruction that loads a byte of a table.
    load: &'a str,
    values: Value,
    lines: HashMap<String, Line>,
    /// The cycles of rotations by bytes and bits to the left, as far as they were asked for.
    rotations: HashMap<(usize, u32), u64>,
}

impl<'a> Selector<'a> {
    /// A selector for tables in one of the memories of the instruction set, or in the only one.
    #[must_use]
    pub fn new(isa: &'a Isa, memory: &str) -> Self {
        let load = isa.selection.load.get(memory).map_or("", String::as_str);
        Selector {
            isa,
            out: Vec::new(),
            origin: Origin::default(),
            tables: Vec::new(),
            load,
            values: 0,
            lines: HashMap::new(),
            rotations: HashMap::new(),
        }
    }

    /// The templates.
    #[must_use]
    pub fn templates(&self) -> &'a Selection {
        &self.isa.selection
    }

    /// A new value.
    pub fn fresh(&mut self) -> Value {
        self.values += 1;
        self.values - 1
    }

    /// New values.
    pub fn several(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> Value {
        self.values
    }

    /// Hands out values from one on again: nothing that was made since is kept.
    fn forget(&mut self, values: Value) {
        self.values = values;
    }

    /// Registers of bytes that one instruction finds, beside those that hold addresses.
    fn registers_at_once(&self) -> usize {
        let addresses = &self.templates().addresses;
        let pins = addresses.registers.iter().flat_map(|registers| &registers.pins);
        let taken: Vec<&String> = pins.flat_map(|pin| [&pin.low, &pin.high]).chain(&addresses.reserved).collect();
        let names = &self.isa.registers.names;
        self.isa.registers.usable.iter().filter(|r| !taken.contains(&&names[usize::from(**r)])).count()
    }

    /// Makes a table known.
    pub fn table(&mut self, name: &str, data: impl FnOnce() -> Vec<u8>) {
        if self.tables.iter().all(|(known, _)| known != name) {
            self.tables.push((name.to_owned(), data()));
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// `E131`: no record fits it.
    pub fn line(&mut self, text: String) -> SelectResult<Line> {
        if let Some(known) = self.lines.get(&text) {
            return Ok(known.clone());
        }
        let line = assembly::read(self.isa, &text)?;
        self.lines.insert(text, line.clone());
        Ok(line)
    }

    /// Reads the lines of templates.
    ///
    /// # Errors
    /// `E131`: no record fits one of them.
    pub fn filled(&mut self, templates: &[String], with: &[(&str, &str)]) -> SelectResult<Vec<Line>> {
        templates.iter().map(|template| self.line(filled(template, with))).collect()
    }

    /// Appends an instruction.
    pub fn emit(&mut self, mut instruction: Instruction) {
        instruction.origin.or(&self.origin);
        self.out.push(Item::Instruction(Arc::new(instruction)));
    }

    /// Changes a byte in place.
    pub fn unary(&mut self, lines: Vec<Line>, a: Source, ins: Vec<Source>) -> Source {
        let d = self.fresh();
        self.emit(Instruction { lines, tied: vec![(d, a)], ins, ..Instruction::default() });
        Source::Value(d)
    }

    /// Appends what a template says; returns its results, the tied ones first.
    ///
    /// # Errors
    /// `E131`: no record fits a line of it.
    pub fn group(&mut self, group: &Group, sources: &[Source], with: &[(&str, &str)]) -> SelectResult<Vec<Value>> {
        let taken = |n| group.order.get(n).copied().unwrap_or(n);
        let sources: Bytes = (0..sources.len()).map(|n| sources[taken(n)]).collect();
        let numbers = group.numbers.iter().map(|number| filled(number, with).parse().map_or(0, |n: i32| n & 255));
        let lines = self.filled(&group.lines, with)?;
        let results = self.several(group.tied + group.outs);
        let (tied, outs) = results.split_at(group.tied);
        let ins: Bytes = sources[group.tied..].iter().copied().chain(numbers.map(Source::Number)).collect();
        let label = with.iter().find(|(name, _)| group.shared && *name == "label");
        self.emit(Instruction {
            lines,
            tied: tied.iter().copied().zip(sources.iter().copied()).collect(),
            outs: outs.to_vec(),
            temps: group.temps,
            upper: bits(&group.upper),
            early: group.early,
            commutative: group.commutative && self.exchangeable(&ins),
            word: group.word,
            setting: label.map(|(_, label)| Arc::from(*label)),
            ins,
            ..Instruction::default()
        });
        Ok(results)
    }

    /// Appends instructions that hand on the carry: nothing but copies comes between them.
    pub fn glued(&mut self, parts: Vec<Instruction>) {
        let mut ins: Bytes = Vec::new();
        for source in parts.iter().flat_map(Instruction::sources) {
            if !ins.contains(&source) {
                ins.push(source);
            }
        }
        let outs = parts.iter().flat_map(Instruction::results).collect();
        let lines = parts.iter().flat_map(|part| part.lines.iter().cloned()).collect();
        self.emit(Instruction { lines, outs, ins, parts, ..Instruction::default() });
    }

    /// Whether the first of the other sources may be a tied one: an accumulator is not given a number for a value.
    fn exchangeable(&self, ins: &[Source]) -> bool {
        self.isa.accumulator.is_none() || matches!(ins.first(), Some(Source::Value(_)))
    }
}

/// Places as bits.
fn bits(places: &[u32]) -> u32 {
    places.iter().fold(0, |bits, place| bits | 1 << place)
}

/// The bytes of a number.
#[must_use]
pub fn bytes_of(number: u64, count: usize) -> Bytes {
    (0..count).map(|k| Source::Number((number >> (8 * k) & 255) as i32)).collect()
}

/// The number that bytes are together, if all are known.
#[must_use]
pub fn number_of(bytes: &[Source]) -> Option<u64> {
    bytes.iter().enumerate().try_fold(0, |sum, (k, byte)| match byte {
        Source::Number(n) => Some(sum | (*n as u64) << (8 * k)),
        Source::Value(_) => None,
    })
}

/// Values as sources.
#[must_use]
pub fn sources(values: &[Value]) -> Bytes {
    values.iter().map(|v| Source::Value(*v)).collect()
}
