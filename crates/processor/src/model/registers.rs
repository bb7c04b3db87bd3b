//! Register classes from a file: ranges of names become names.

use program::Diagnostic;
use toml::Spanned;

use super::file::{IsaFile, RegistersEntry};
use super::places::{fact, Source};
use crate::isa::RegisterClass;

/// The register classes in the order of the file.
pub fn register_classes(source: &Source<'_>, file: &IsaFile) -> Result<Vec<RegisterClass>, Diagnostic> {
    let mut entries: Vec<_> = file.registers.iter().collect();
    entries.sort_by_key(|(_, entry)| entry.span().start);
    entries.into_iter().map(|(name, entry)| register_class(source, file, name, entry)).collect()
}

fn register_class(
    source: &Source<'_>,
    file: &IsaFile,
    name: &str,
    entry: &Spanned<RegistersEntry>,
) -> Result<RegisterClass, Diagnostic> {
    let (span, entry) = (entry.span(), entry.get_ref());
    if !(1..=64).contains(&entry.bits) {
        let message = format!("the register class `{name}` has {} bits, possible are 1 to 64", entry.bits);
        return Err(source.error("M010", message, &span));
    }
    Ok(RegisterClass {
        name: name.to_owned(),
        bits: entry.bits,
        usable: names(source, &entry.usable)?,
        rotating: names(source, &entry.rotating)?,
        saved: names(source, &entry.saved)?,
        zero: entry.zero.clone(),
        fact: fact(entry.source.as_ref(), entry.confidence, (file.source.as_ref(), file.confidence)),
    })
}

fn names(source: &Source<'_>, ranges: &[Spanned<String>]) -> Result<Vec<String>, Diagnostic> {
    let mut names: Vec<String> = Vec::new();
    for range in ranges {
        let Some(members) = members(range.get_ref()) else {
            let message = format!("`{}` is not a register or a range of registers", range.get_ref());
            return Err(source.error("M031", message, &range.span()).help("write \"r8\" or \"r14-r31\""));
        };
        if let Some(twice) = members.iter().find(|m| names.contains(m)) {
            return Err(source.error("M046", format!("the register `{twice}` is listed twice"), &range.span()));
        }
        names.extend(members);
    }
    Ok(names)
}

/// `r14-r16` is r14, r15, r16; any other text is one name.
fn members(range: &str) -> Option<Vec<String>> {
    let Some((first, last)) = range.split_once('-') else {
        return (!range.is_empty()).then(|| vec![range.to_owned()]);
    };
    let ((prefix, from, suffix), (prefix_2, to, suffix_2)) = (parts(first)?, parts(last)?);
    let fits = prefix == prefix_2 && suffix == suffix_2 && from <= to;
    fits.then(|| (from..=to).map(|n| format!("{prefix}{n}{suffix}")).collect())
}

/// What stands before the number, the number, what stands after it.
fn parts(name: &str) -> Option<(&str, u32, &str)> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let rest = &name[start..];
    let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Some((&name[..start], rest[..length].parse().ok()?, &rest[length..]))
}
