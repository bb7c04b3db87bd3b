//! Every named value in the order in which it is computed.

use super::code::Code;
use super::machine::{Memory, Observer};
use super::{Evaluator, Value};
use crate::diagnostic::{resolve, Diagnostic, SourcePlace};
use crate::ir::Program;

/// A named value that was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The function that computes it.
    pub function: String,
    /// The author's name.
    pub name: String,
    /// Iteration numbers of the loops around it, outermost first, those of callers before.
    pub iterations: Vec<u64>,
    /// What it is.
    pub value: RecordedValue,
    /// Where it is computed, innermost first, the places of calls after.
    pub places: Vec<SourcePlace>,
}

/// A value that may have unwritten cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedValue {
    /// A word.
    Word(u64),
    /// Each cell of an array, `None` where unwritten.
    Array(Vec<Option<u64>>),
}

struct Recorder<'a> {
    program: &'a Program,
    events: Vec<Event>,
    /// Iterations and places of the calls that are going on.
    calls: Vec<(Vec<u64>, Vec<SourcePlace>)>,
}

impl Recorder<'_> {
    fn around(&self, memory: &Memory, code: &Code, origin: u32) -> (Vec<u64>, Vec<SourcePlace>) {
        let origin = &code.origins[origin as usize];
        let (mut iterations, outer) = self.calls.last().cloned().unwrap_or_default();
        iterations.extend(origin.iterations.iter().map(|&slot| memory.words[slot as usize]));
        let mut places: Vec<_> = origin.places.iter().map(|&p| resolve(self.program, p)).collect();
        places.extend(outer);
        (iterations, places)
    }
}

impl Observer for Recorder<'_> {
    fn note(&mut self, memory: &Memory, code: &Code, note: u32) {
        let note = &code.notes[note as usize];
        let (iterations, places) = self.around(memory, code, note.origin);
        let start = note.slot as usize;
        let value = match note.elements {
            None => RecordedValue::Word(memory.words[start]),
            Some(count) => {
                let cell = |slot: usize| memory.written[slot].then_some(memory.words[slot]);
                RecordedValue::Array((start..start + count as usize).map(cell).collect())
            }
        };
        self.events.push(Event { function: code.name.clone(), name: note.name.clone(), iterations, value, places });
    }

    fn enter(&mut self, memory: &Memory, code: &Code, origin: u32) {
        let around = self.around(memory, code, origin);
        self.calls.push(around);
    }

    fn leave(&mut self) {
        self.calls.pop();
    }
}

/// Runs a function and records every value whose name the author gave.
///
/// # Errors
/// As [`Evaluator::evaluate`].
pub fn trace(program: &Program, function: &str, arguments: &[Value]) -> Result<Vec<Event>, Diagnostic> {
    let mut evaluator = Evaluator::compiled(program, true)?;
    let number = evaluator.find(function)?;
    evaluator.set_arguments(number, arguments)?;
    let mut recorder = Recorder { program, events: Vec::new(), calls: Vec::new() };
    evaluator.run(number, &mut recorder)?;
    Ok(recorder.events)
}
