//! What is wrong with a program, where, and how to mend it.

use std::fmt;

use crate::ir::{Place, Program};

/// A place as the user reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// File name as the program holds it; `program text` for the text form itself.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The name that stands for the file in errors about the text form itself.
pub const PROGRAM_TEXT: &str = "program text";

/// An error: printed like every error of the project (`error[P101]: …`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// `P` and three digits: 0xx text form, 1xx verifier, 2xx evaluator.
    pub code: &'static str,
    /// What is wrong: one sentence, lower case, no full stop.
    pub message: String,
    /// Where, innermost first; the rest are the callers.
    pub places: Vec<SourcePlace>,
    /// Facts: expected and found.
    pub notes: Vec<String>,
    /// How to mend it; may be empty.
    pub help: String,
}

impl Diagnostic {
    /// An error without a place yet.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { code, message: message.into(), places: Vec::new(), notes: Vec::new(), help: String::new() }
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says how to mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds the places of an operation.
    #[must_use]
    pub fn at(mut self, program: &Program, places: &[Place]) -> Self {
        self.places.extend(places.iter().map(|&p| resolve(program, p)));
        self
    }

    /// Adds a place in the text form.
    #[must_use]
    pub fn at_text(mut self, line: u32, column: u32) -> Self {
        self.places.push(SourcePlace { file: PROGRAM_TEXT.to_owned(), line, column });
        self
    }
}

/// The place with its file name.
#[must_use]
pub fn resolve(program: &Program, place: Place) -> SourcePlace {
    let file = program.files.get(place.file as usize).cloned();
    SourcePlace { file: file.unwrap_or_else(|| format!("file {}", place.file)), line: place.line, column: place.column }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)?;
        for (n, place) in self.places.iter().enumerate() {
            write!(f, "\n  {} {place}", if n == 0 { "-->" } else { "via" })?;
        }
        for note in &self.notes {
            write!(f, "\n   = {note}")?;
        }
        if !self.help.is_empty() {
            write!(f, "\n   = help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
