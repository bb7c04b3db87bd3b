//! Writes what operations are made of: numbers, strings, lists, sums, iterations, places.

use std::fmt::{self, Display, Write};

use crate::ir::{Affine, Place, ValueId};

pub(super) fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// A bracketed list on one line if it is short, else `per_line` items a line.
pub(super) fn write_rows(f: &mut fmt::Formatter<'_>, items: &[String], per_line: usize) -> fmt::Result {
    if items.len() <= per_line {
        return writeln!(f, "[{}]", items.join(", "));
    }
    let lines: Vec<String> = items.chunks(per_line).map(|chunk| chunk.join(", ")).collect();
    writeln!(f, "[\n  {}\n]", lines.join(",\n  "))
}

/// A string literal of the text form.
pub struct QuotedText<'a>(pub &'a str);

impl Display for QuotedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                _ => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// A number as data: decimal below 10, else hexadecimal.
pub struct Number(pub u64);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 10 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:#x}", self.0)
        }
    }
}

/// Iteration numbers as the fewest arithmetic runs that a greedy scan finds: `0..2, 5, 9..21 by 4`.
#[must_use]
pub fn iterations_text(iterations: &[u32]) -> String {
    let mut parts = Vec::new();
    let mut rest = iterations;
    while let [first, tail @ ..] = rest {
        let step = tail.first().map_or(0, |t| t - first);
        let length = 1 + tail.iter().zip(rest).take_while(|(b, a)| *b - *a == step).count();
        let last = rest[length - 1];
        let (part, length) = match (length, step) {
            (2.., 1) => (format!("{first}..{last}"), length),
            (3.., _) => (format!("{first}..{last} by {step}"), length),
            _ => (first.to_string(), 1),
        };
        parts.push(part);
        rest = &rest[length..];
    }
    parts.join(", ")
}

/// `word list`, without a trailing space if the list is empty.
pub(super) fn with_list(word: &str, list: &str) -> String {
    if list.is_empty() {
        word.to_owned()
    } else {
        format!("{word} {list}")
    }
}

/// A sum as the text form writes it; `name` gives the name of a value.
#[must_use]
pub fn affine_text(affine: &Affine, name: impl Fn(ValueId) -> String) -> String {
    let mut text = String::new();
    let mut add = |negative: bool, part: &str| {
        let sign = match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        text.push_str(part);
    };
    for &(coefficient, value) in &affine.terms {
        let factor =
            if coefficient.unsigned_abs() == 1 { String::new() } else { format!("{}*", coefficient.unsigned_abs()) };
        add(coefficient < 0, &format!("{factor}{}", name(value)));
    }
    if affine.constant != 0 || affine.terms.is_empty() {
        add(affine.constant < 0, &affine.constant.unsigned_abs().to_string());
    }
    text
}

/// `  @23:13<1:40:7` after `pad` more spaces; nothing without places.
pub(super) fn places_text(places: &[Place], pad: usize) -> String {
    if places.is_empty() {
        return String::new();
    }
    let one = |p: &Place| match p.file {
        0 => format!("{}:{}", p.line, p.column),
        file => format!("{file}:{}:{}", p.line, p.column),
    };
    let chain: Vec<String> = places.iter().map(one).collect();
    format!("{:1$}@{2}", "", pad.max(2), chain.join("<"))
}
