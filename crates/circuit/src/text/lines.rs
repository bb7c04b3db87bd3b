//! A text to its documents: heads, header lines, and the lines of equations without comments.

use super::FIELDS;
use crate::fault::Fault;

/// One document before its equations are read.
#[derive(Clone, Debug, Default)]
pub struct RawDocument {
    /// Line of the head, or of the first line that is not empty.
    pub line: u32,
    /// From the head `circuit NAME: 4 -> 4`; absent where the text is bare equations.
    pub head: Option<Head>,
    /// Header lines in order, with their line.
    pub fields: Vec<(u32, String, String)>,
    /// Lines of equations.
    pub equations: Vec<(u32, String)>,
}

/// `circuit NAME: 4 -> 4`
#[derive(Clone, Debug)]
pub struct Head {
    /// Name.
    pub name: String,
    /// Input bits.
    pub inputs: u8,
    /// Output bits.
    pub outputs: u8,
}

/// Splits a text at its heads.
///
/// # Errors
/// `C004` for a head that is none, `C009` for equations before the first head.
pub fn documents(text: &str) -> Result<Vec<RawDocument>, Fault> {
    let mut found: Vec<RawDocument> = Vec::new();
    let mut in_comment = false;
    for (n, line) in text.lines().enumerate() {
        let number = n as u32 + 1;
        if !in_comment {
            let plain = without_hash(line).trim();
            if let Some(rest) = plain.strip_prefix("circuit ").filter(|rest| !rest.trim_start().starts_with('=')) {
                if found.iter().any(|raw| raw.head.is_none()) {
                    return Err(stray(found[0].line));
                }
                found.push(RawDocument { line: number, head: Some(head(number, rest)?), ..RawDocument::default() });
                continue;
            }
            if let Some((key, value)) = field(plain) {
                current(&mut found, number).fields.push((number, key.to_owned(), value.to_owned()));
                continue;
            }
        }
        let code = without_comments(line, &mut in_comment);
        if !code.trim().is_empty() {
            current(&mut found, number).equations.push((number, code));
        }
    }
    Ok(found)
}

fn current(found: &mut Vec<RawDocument>, line: u32) -> &mut RawDocument {
    if found.is_empty() {
        found.push(RawDocument { line, ..RawDocument::default() });
    }
    let last = found.len() - 1;
    &mut found[last]
}

fn stray(line: u32) -> Fault {
    Fault::new("C009", "these lines stand before the first circuit of the text")
        .at(line)
        .help("a circuit begins with `circuit NAME: 4 -> 4`")
}

fn head(line: u32, text: &str) -> Result<Head, Fault> {
    let wrong = || {
        Fault::new("C004", format!("`circuit {}` is no head of a circuit", text.trim()))
            .at(line)
            .help("a circuit begins with `circuit NAME: 4 -> 4` (input and output bits, 1 to 8)")
    };
    let (name, shape) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (inputs, outputs) = shape.split_once("->").ok_or_else(wrong)?;
    let bits = |text: &str| text.trim().parse().ok().filter(|n| (1..=8).contains(n));
    let (inputs, outputs) = (bits(inputs).ok_or_else(wrong)?, bits(outputs).ok_or_else(wrong)?);
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(wrong());
    }
    Ok(Head { name: name.to_owned(), inputs, outputs })
}

/// A header line: a known word, and then no assignment.
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(char::is_whitespace)?;
    let value = value.trim();
    let assigned = value.strip_prefix(['&', '^', '|']).unwrap_or(value).starts_with('=');
    (FIELDS.contains(&key) && !assigned).then_some((key, value))
}

/// `#` begins a comment at the start of a line and after a space (an address may contain one).
fn without_hash(line: &str) -> &str {
    let begins = |(n, _): &(usize, &str)| *n == 0 || line[..*n].ends_with(char::is_whitespace);
    line.match_indices('#').find(begins).map_or(line, |(n, _)| &line[..n])
}

fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut code = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else { return code };
            *in_comment = false;
            rest = &rest[end + 2..];
            code.push(' ');
            continue;
        }
        let cut = [rest.find("//"), rest.find('#')].into_iter().flatten().min().unwrap_or(rest.len());
        match rest.find("/*").filter(|&n| n < cut) {
            Some(start) => {
                code.push_str(&rest[..start]);
                *in_comment = true;
                rest = &rest[start + 2..];
            }
            None => {
                code.push_str(&rest[..cut]);
                return code;
            }
        }
    }
}
