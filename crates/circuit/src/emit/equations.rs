//! The project's own text form of circuits.

use super::lower::{lower, Basis};
use super::source::Source;
use super::{Language, Options};
use crate::fault::Fault;
use crate::text::Document;

/// Equations, one gate a line.
pub struct Equations;

impl Language for Equations {
    fn name(&self) -> &'static str {
        "equations"
    }

    fn title(&self) -> &'static str {
        "equations, the text form of circuits"
    }

    fn suffix(&self) -> &'static str {
        "txt"
    }

    fn write(&self, source: &Source, _: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::ANY);
        let data: Vec<String> = circuit.sbox().data.iter().map(u8::to_string).collect();
        let mut fields = vec![("table".to_owned(), data.join(" "))];
        fields.extend(source.facts.iter().filter(|(key, _)| key != "table").cloned());
        Ok(Document::new(&source.name, fields, &circuit, None)?.to_string())
    }
}
