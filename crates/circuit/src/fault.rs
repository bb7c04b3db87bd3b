//! What is wrong with a circuit, a target or a question about them.

use std::fmt;

/// An error: code, sentence, line of the text (0 if none), facts, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `C` and three digits: 0xx text form, 1xx circuit and table, 2xx target, 3xx search and proof.
    pub code: &'static str,
    /// What is wrong: one sentence, lower case, no full stop.
    pub message: String,
    /// Line of the text from 1; 0 where no text is at hand.
    pub line: u32,
    /// Facts: expected and found.
    pub notes: Vec<String>,
    /// How to mend it; may be empty.
    pub help: String,
}

impl Fault {
    /// An error without a line.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Fault { code, message: message.into(), line: 0, notes: Vec::new(), help: String::new() }
    }

    /// Says which line of the text it is about.
    #[must_use]
    pub fn at(mut self, line: u32) -> Self {
        self.line = line;
        self
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
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)?;
        for note in &self.notes {
            write!(f, "\n   = {note}")?;
        }
        if !self.help.is_empty() {
            write!(f, "\n   = help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
