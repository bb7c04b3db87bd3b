//! Where something stands in a file, and errors that say so.

use std::ops::Range;

use program::diagnostic::SourcePlace;
use program::Diagnostic;
use serde::de::DeserializeOwned;

use crate::isa::{Confidence, Fact};

/// A file that is being read.
pub struct Source<'a> {
    /// `processors/mckinley.toml`.
    pub file: String,
    /// Its text.
    pub text: &'a str,
}

impl Source<'_> {
    /// The place of a byte.
    pub fn place(&self, at: usize) -> SourcePlace {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) as u32 + 1;
        SourcePlace { file: self.file.clone(), line, column }
    }

    /// An error at a place.
    pub fn error(&self, code: &'static str, message: impl Into<String>, span: &Range<usize>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(code, message);
        diagnostic.places.push(self.place(span.start));
        diagnostic
    }

    /// The whole file.
    ///
    /// # Errors
    /// `M001` where it is not TOML, a field is unknown, missing or of another type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Diagnostic> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().trim().replace('\n', " ");
            let message = message.strip_suffix('.').unwrap_or(&message);
            self.error("M001", format!("the file cannot be read: {message}"), &span)
        })
    }
}

/// The source and confidence of an entry; the file's where it has none of its own.
pub fn fact(
    source: Option<&String>,
    confidence: Option<Confidence>,
    file: (Option<&String>, Option<Confidence>),
) -> Fact {
    Fact {
        source: source.or(file.0).cloned().unwrap_or_default(),
        confidence: confidence.or(file.1).unwrap_or_default(),
    }
}

/// `did you mean …` and what is known.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let list = known.join(", ");
    let close =
        known.iter().map(|k| (distance(name, k), *k)).min().filter(|(d, _)| *d * 2 <= name.chars().count().max(1));
    match close {
        Some((_, close)) => format!("did you mean `{close}`? (known: {list})"),
        None if known.is_empty() => "none is known".to_owned(),
        None => format!("known: {list}"),
    }
}

/// Edits between two words, upper and lower case alike.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let best = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}
