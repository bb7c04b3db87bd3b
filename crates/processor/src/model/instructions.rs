//! Instructions from their records.

use std::ops::Range;

use program::Diagnostic;
use toml::Spanned;

use super::file::InstructionEntry;
use super::places::{fact, nearest, Source};
use crate::isa::{parse_form, Confidence, Control, Instruction, RegisterClass};
use crate::semantics::{self, parse_expression, Statement, SyntaxError};

/// The source and confidence of the file around an entry.
pub type FileFact<'a> = (Option<&'a String>, Option<Confidence>);

const CONTROLS: [Control; 6] =
    [Control::None, Control::Return, Control::Counted, Control::Rotating, Control::Conditional, Control::Nullify];

/// One record.
pub fn instruction(
    source: &Source<'_>,
    entry: &Spanned<InstructionEntry>,
    registers: &[RegisterClass],
    file: FileFact<'_>,
) -> Result<Instruction, Diagnostic> {
    let (span, entry) = (entry.span(), entry.get_ref());
    let form = entry.form.as_ref().map_or("", |f| f.get_ref().as_str());
    let form_span = entry.form.as_ref().map_or(span, Spanned::span);
    let (defines, uses) = parse_form(form, registers).map_err(|(message, help)| {
        source.error("M011", format!("the form of `{}` is wrong: {message}", entry.name), &form_span).help(help)
    })?;
    let control = control(source, entry)?;
    let statements = match &entry.semantics {
        Some(text) => parsed(source, &entry.name, text)?,
        None => Vec::new(),
    };
    let condition = entry.condition.as_ref().map(|text| {
        parse_expression(text.get_ref())
            .map_err(|e| syntax(source, &format!("the condition of `{}`", entry.name), &text.span(), &e))
    });
    Ok(Instruction {
        name: entry.name.clone(),
        class: entry.class.get_ref().clone(),
        defines,
        uses,
        assembly: entry.assembly.get_ref().clone(),
        selectable: entry.select.unwrap_or(control == Control::None && !statements.is_empty()),
        semantics: statements,
        condition: condition.transpose()?,
        control,
        slots: entry.size.unwrap_or(1),
        expansion: entry.expansion.clone(),
        fact: fact(entry.source.as_ref(), entry.confidence, file),
    })
}

fn control(source: &Source<'_>, entry: &InstructionEntry) -> Result<Control, Diagnostic> {
    let Some(word) = &entry.control else { return Ok(Control::None) };
    CONTROLS.into_iter().find(|c| c.name() == word.get_ref()).ok_or_else(|| {
        let message = format!("there is no flow of control `{}`", word.get_ref());
        source.error("M012", message, &word.span()).help(nearest(word.get_ref(), CONTROLS.map(Control::name)))
    })
}

fn parsed(source: &Source<'_>, name: &str, text: &Spanned<String>) -> Result<Vec<Statement>, Diagnostic> {
    semantics::parse(text.get_ref())
        .map_err(|e| syntax(source, &format!("the semantics of `{name}`"), &text.span(), &e))
}

/// An error in the semantics language, at its character in the file.
pub fn syntax(source: &Source<'_>, what: &str, span: &Range<usize>, error: &SyntaxError) -> Diagnostic {
    let raw = &source.text[span.clone()];
    let quotes = raw.len() - raw.trim_start_matches(['"', '\'']).len();
    let at = span.start + quotes + error.at;
    let place = at..at;
    source.error("M101", format!("{what} cannot be read: {}", error.message), &place).help(error.help.clone())
}
