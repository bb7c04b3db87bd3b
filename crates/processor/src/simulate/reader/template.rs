//! Assembly templates: text with `{operand}` places, matched against one operation of a text.

use std::collections::BTreeMap;

use crate::isa::{InstructionId, Isa};

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text that stands there as it is; without blanks.
    Literal(String),
    /// The place of an operand.
    Place(String),
}

/// A template ready for matching.
#[derive(Clone, Debug)]
pub struct Template {
    /// The instruction.
    pub instruction: InstructionId,
    /// As the instruction set writes it.
    pub text: String,
    parts: Vec<Part>,
}

/// The templates of an instruction set by their mnemonics.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    by_mnemonic: BTreeMap<String, Vec<Template>>,
}

impl Templates {
    /// The templates of an instruction set.
    #[must_use]
    pub fn new(isa: &Isa) -> Templates {
        let mut by_mnemonic: BTreeMap<String, Vec<Template>> = BTreeMap::new();
        for (n, instruction) in isa.instructions.iter().enumerate() {
            let text = instruction.assembly.trim().to_owned();
            let (mnemonic, operands) = split_mnemonic(&text);
            let template = Template { instruction: n as InstructionId, parts: parse(operands), text: text.clone() };
            by_mnemonic.entry(mnemonic.to_owned()).or_default().push(template);
        }
        Templates { by_mnemonic }
    }

    /// The templates with this mnemonic, in the order of the instruction set.
    #[must_use]
    pub fn of(&self, mnemonic: &str) -> &[Template] {
        self.by_mnemonic.get(mnemonic).map_or(&[], Vec::as_slice)
    }

    /// The known mnemonic with the fewest changed letters, if it is near.
    #[must_use]
    pub fn nearest(&self, mnemonic: &str) -> Option<&str> {
        let best = self.by_mnemonic.keys().map(|m| (distance(m, mnemonic), m)).min()?;
        (best.0 <= 2.max(mnemonic.len() / 3)).then_some(best.1.as_str())
    }
}

/// The mnemonic and the rest.
#[must_use]
pub fn split_mnemonic(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(mnemonic, rest)| (mnemonic, rest.trim()))
}

fn parse(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let open = rest.find('{').unwrap_or(rest.len());
        let literal: String = rest[..open].chars().filter(|c| !c.is_whitespace()).collect();
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        rest = &rest[open..];
        if let Some(close) = rest.find('}') {
            parts.push(Part::Place(rest[1..close].trim().to_owned()));
            rest = &rest[close + 1..];
        } else {
            break;
        }
    }
    parts
}

impl Template {
    /// The text of each place, if the operands (mnemonic removed) fit; a place that occurs twice must hold the same text twice.
    #[must_use]
    pub fn matches<'t>(&self, operands: &'t str) -> Option<Vec<(&str, &'t str)>> {
        let mut places: Vec<(&str, &str)> = Vec::new();
        let mut rest = operands.trim_start();
        for (n, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(literal) => rest = skip_literal(rest, literal)?,
                Part::Place(name) => {
                    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                    let end = end.checked_sub(self.suffix(n, &rest[..end])?)?;
                    let word = &rest[..end];
                    if word.is_empty() || places.iter().any(|p| p.0 == name && p.1 != word) {
                        return None;
                    }
                    places.push((name, word));
                    rest = rest[end..].trim_start();
                }
            }
        }
        rest.is_empty().then_some(places)
    }

    /// Letters of a word that the text behind a place claims: `{a}R`; `None` if they are not there.
    fn suffix(&self, place: usize, word: &str) -> Option<usize> {
        let Some(Part::Literal(next)) = self.parts.get(place + 1) else { return Some(0) };
        let claimed = &next[..next.find(|c: char| !is_word(c)).unwrap_or(next.len())];
        word.ends_with(claimed).then_some(claimed.len())
    }
}

/// Letters of a register, a number or a label.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '$' | '-' | '+' | '@')
}

fn skip_literal<'t>(text: &'t str, literal: &str) -> Option<&'t str> {
    let mut rest = text;
    for c in literal.chars() {
        rest = rest.trim_start().strip_prefix(c)?;
    }
    Some(rest.trim_start())
}

/// Letters to insert, delete or change to get from one word to the other.
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Template {
        Template { instruction: 0, text: text.to_owned(), parts: parse(split_mnemonic(text).1) }
    }

    #[test]
    fn places_are_found_with_any_blanks() {
        let t = template("extr.u {d} = {s}, {p}, {l}");
        let found = t.matches("r8=r9 ,  3,4").expect("it fits");
        assert_eq!(found, [("d", "r8"), ("s", "r9"), ("p", "3"), ("l", "4")]);
        assert!(t.matches("r8=r9,3").is_none());
        assert!(t.matches("r8=r9,3,4,5").is_none());
    }

    #[test]
    fn a_place_that_occurs_twice_holds_one_text() {
        let t = template("twice {a}, {a}");
        assert!(t.matches("r1, r1").is_some());
        assert!(t.matches("r1, r2").is_none());
    }

    #[test]
    fn a_place_with_letters_behind_it() {
        let t = template("xmpyu {a}L,{a}R,{d}");
        assert_eq!(t.matches("%fr4L,%fr4R,%fr5"), Some(vec![("a", "%fr4"), ("a", "%fr4"), ("d", "%fr5")]));
        assert!(t.matches("%fr4L,%fr5R,%fr6").is_none());
    }

    #[test]
    fn addresses_and_signed_numbers() {
        let t = template("ldw {offset}({base}), {d}");
        assert_eq!(t.matches("-4(%r26),%r3"), Some(vec![("offset", "-4"), ("base", "%r26"), ("d", "%r3")]));
    }

    #[test]
    fn distances() {
        assert_eq!(distance("extr.u", "extru"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("shl", "shr"), 1);
    }
}
