//! Contradictions in a model that can be loaded all the same.

mod instructions;
mod latencies;
mod registers;

use program::Diagnostic;

use super::chain::{chain, isa_file, Layer};
use super::file::{InstructionEntry, IsaFile};
use super::load::load;
use super::places::Source;
use super::Processor;
use crate::isa::Fact;

/// What is wrong with the files of a processor; empty if nothing is. An error of [`load`] ends the search.
#[must_use]
pub fn check(isas: &[(String, String)], processors: &[(String, String)], name: &str) -> Vec<Diagnostic> {
    match found(isas, processors, name) {
        Ok(found) => found,
        Err(error) => vec![error],
    }
}

fn found(
    isas: &[(String, String)],
    processors: &[(String, String)],
    name: &str,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let processor = load(isas, processors, name, &[])?;
    let base = if processor.infinite { name.trim_end_matches(super::load::INFINITE) } else { name };
    let chain = chain(processors, base)?;
    let (source, file) = isa_file(isas, &chain)?;
    let files = Files { isa: (source, file), chain: &chain };
    let mut found = Vec::new();
    registers::check(&processor, &files, &mut found);
    instructions::check(&processor, &files, &mut found);
    latencies::check(&processor, &files, &mut found);
    Ok(found)
}

/// The files of a processor.
struct Files<'a> {
    isa: (Source<'a>, IsaFile),
    chain: &'a [Layer<'a>],
}

impl Files<'_> {
    /// Every record of an instruction, with its file.
    fn instructions(&self) -> impl Iterator<Item = (&Source<'_>, &toml::Spanned<InstructionEntry>)> {
        let own = self.isa.1.instruction.iter().map(|entry| (&self.isa.0, entry));
        own.chain(self.chain.iter().flat_map(|(source, file)| file.instruction.iter().map(move |e| (source, e))))
    }

    /// An error about a class, at the last file that speaks of it.
    fn class_error(&self, name: &str, code: &'static str, message: String) -> Diagnostic {
        let entry =
            |layer: &Layer<'_>| layer.1.class.get(name).map(|e| layer.0.error(code, message.clone(), &e.span()));
        self.chain.iter().rev().find_map(entry).unwrap_or_else(|| Diagnostic::new(code, message))
    }
}

/// The error about an entry without a source.
fn unsourced(source: &Source<'_>, what: &str, fact: &Fact, span: &std::ops::Range<usize>) -> Option<Diagnostic> {
    fact.source.is_empty().then(|| {
        source.error("M032", format!("{what} has no source"), span).help(
            "add `source` and `confidence` (documented, inferred, assumed or hypothetical), here or for the whole file",
        )
    })
}

/// Whether a class of a processor has an instruction, also one of a feature that is switched off.
fn has_instruction(files: &Files<'_>, class: &str) -> bool {
    files.instructions().any(|(_, e)| e.get_ref().class.get_ref() == class)
}

/// The instructions of a processor whose class is one of these.
fn of_classes<'a>(
    processor: &'a Processor,
    classes: &'a [usize],
) -> impl Iterator<Item = &'a crate::isa::Instruction> + 'a {
    let within = |name: &str| classes.iter().any(|c| processor.classes[*c].name == name);
    processor.isa.instructions.iter().filter(move |i| within(&i.class))
}
