//! Small inline functions of the emitted C, written only where used: loads, stores, rotations, selection.

use std::collections::BTreeMap;

use program::ir::Shift;

use super::types::{is_narrow, literal, ones, value_bits, value_type};

/// Byte order of a word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Order {
    fn suffix(self) -> &'static str {
        match self {
            Order::Little => "le",
            Order::Big => "be",
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
    #[must_use]
    pub fn text(&self) -> String {
        self.texts.values().fold(String::new(), |all, one| all + one + "\n")
    }

    /// Names in use, which no other identifier may take.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.texts.keys()
    }

    fn add(&mut self, name: String, text: String) -> String {
        self.texts.entry(name.clone()).or_insert(text);
        name
    }

    /// Rotation of a word; the amount is taken modulo the width.
    pub fn rotate(&mut self, shift: Shift, width: u8) -> String {
        let (word, left) = (value_type(width), shift == Shift::Rotl);
        let name = format!("{}{width}", if left { "rotl" } else { "rotr" });
        let (there, back) = if left { ("<<", ">>") } else { (">>", "<<") };
        let value = if is_narrow(width) {
            let mask = literal(ones(width));
            format!("((x {there} (n % {width})) | (x {back} ({width} - n % {width}))) & {mask}")
        } else {
            let mask = width - 1;
            format!("(x {there} (n & {mask})) | (x {back} (({width} - n) & {mask}))")
        };
        let text = format!("static inline {word} {name}({word} x, uint32_t n)\n{{\n    return {value};\n}}\n");
        self.add(name, text)
    }

    /// Shift by a word (0 from the width on) or rotation by a word.
    pub fn variable_shift(&mut self, shift: Shift, width: u8) -> String {
        let operator = match shift {
            Shift::Shl => "<<",
            Shift::Shr => ">>",
            _ => return self.rotate(shift, width),
        };
        let (word, name) = (value_type(width), format!("{}{width}", if shift == Shift::Shl { "shl" } else { "shr" }));
        let limit = value_bits(width) - 1;
        let mask = if is_narrow(width) { format!(" & {}", literal(ones(width))) } else { String::new() };
        let text = format!(
            "static inline {word} {name}({word} x, uint64_t n)\n{{\n    return (x {operator} (n & {limit})) & (0 - ({word})(n < {width})){mask};\n}}\n"
        );
        self.add(name, text)
    }

    /// `a` if the condition is 1, else `b`, without a branch.
    pub fn select(&mut self, width: u8) -> String {
        let (word, name) = (value_type(width), format!("select{}", value_bits(width)));
        let text = format!(
            "static inline {word} {name}(uint32_t condition, {word} a, {word} b)\n{{\n    return ((a ^ b) & (0 - ({word})condition)) ^ b;\n}}\n"
        );
        let text = if word == "uint32_t" { text.replace("(uint32_t)condition", "condition") } else { text };
        self.add(name, text)
    }

    /// A word from bytes in memory.
    pub fn load(&mut self, width: u8, order: Order) -> String {
        let (word, name) = (value_type(width), format!("load{width}_{}", order.suffix()));
        let bytes: Vec<String> = (0..width / 8).map(|n| byte_in(n, width, order, word)).collect();
        let value = bytes.join(" | ");
        let text = format!("static inline {word} {name}(const uint8_t *p)\n{{\n    return {value};\n}}\n");
        self.add(name, wrapped(&text, " | "))
    }

    /// The bytes of a word to memory.
    pub fn store(&mut self, width: u8, order: Order) -> String {
        let (word, name) = (value_type(width), format!("store{width}_{}", order.suffix()));
        let statements: Vec<String> = (0..width / 8)
            .map(|n| match 8 * significance(n, width, order) {
                0 => format!("    p[{n}] = (uint8_t)x;\n"),
                shift => format!("    p[{n}] = (uint8_t)(x >> {shift});\n"),
            })
            .collect();
        let text = format!("static inline void {name}(uint8_t *p, {word} x)\n{{\n{}}}\n", statements.concat());
        self.add(name, text)
    }
}

fn significance(byte: u8, width: u8, order: Order) -> u8 {
    match order {
        Order::Little => byte,
        Order::Big => width / 8 - 1 - byte,
    }
}

fn byte_in(byte: u8, width: u8, order: Order, word: &str) -> String {
    let cast = format!("({word})");
    match 8 * significance(byte, width, order) {
        0 => format!("{cast}p[{byte}]"),
        shift => format!("{cast}p[{byte}] << {shift}"),
    }
}

/// Breaks lines longer than 110 columns at a separator.
fn wrapped(text: &str, separator: &str) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let mut column = 0;
        for (n, piece) in line.split(separator).enumerate() {
            if n > 0 {
                let fits = column + separator.len() + piece.len() <= 100;
                let joint = if fits { separator.to_owned() } else { format!("\n          {} ", separator.trim()) };
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
