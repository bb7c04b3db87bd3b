//! Small functions beside the emitted ones (loads, stores, rotations, selection), written only where used.

use std::collections::BTreeMap;

/// Byte order of a word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Order {
    /// `le` or `be`, as helpers' names end.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Order::Little => "le",
            Order::Big => "be",
        }
    }

    /// How many bytes of a word are less significant than the one at a place in memory.
    #[must_use]
    pub fn significance(self, byte: u8, width: u8) -> u8 {
        match self {
            Order::Little => byte,
            Order::Big => width / 8 - 1 - byte,
        }
    }
}

/// The helpers used so far, by name.
#[derive(Debug, Default)]
pub struct Helpers {
    texts: BTreeMap<String, String>,
}

impl Helpers {
    /// All texts, in the order of their names.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        self.texts.values()
    }

    /// Names in use, which no other identifier may take.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.texts.keys()
    }

    /// Notes that a helper is used; gives its name back.
    pub fn add(&mut self, name: String, text: String) -> String {
        self.texts.entry(name.clone()).or_insert(text);
        name
    }
}

/// Names that helpers of any language may take.
pub fn reserved() -> impl Iterator<Item = String> {
    let sized = [8, 16, 32, 64].into_iter().flat_map(|width: u8| {
        ["load#_le", "load#_be", "store#_le", "store#_be", "select#"].map(|name| name.replace('#', &width.to_string()))
    });
    sized.chain((1..=64).flat_map(|width| ["rotl", "rotr", "shl", "shr"].map(|name| format!("{name}{width}"))))
}

/// Breaks lines longer than 110 columns at a separator.
#[must_use]
pub fn wrapped(text: &str, separator: &str, indent: &str) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let mut column = 0;
        for (n, piece) in line.split(separator).enumerate() {
            if n > 0 {
                let fits = column + separator.len() + piece.len() <= 100;
                let joint = if fits { separator.to_owned() } else { format!("\n{indent}{} ", separator.trim()) };
                column = if fits { column + separator.len() } else { 12 };
                result += &joint;
            }
            result += piece;
            column += piece.len();
        }
        result.push('\n');
    }
    result
}
