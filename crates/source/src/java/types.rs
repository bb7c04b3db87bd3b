//! Java types and literals of words.

use crate::writer::words::{container, value_bits};

/// The Java type of a word in a variable: `int` or `long`.
#[must_use]
pub fn value_type(width: u8) -> &'static str {
    memory_type(value_bits(width))
}

/// The Java type of a word in memory: `byte`.
#[must_use]
pub fn memory_type(width: u8) -> &'static str {
    match container(width) {
        8 => "byte",
        16 => "short",
        32 => "int",
        _ => "long",
    }
}

/// The class that has functions of a word in a variable: `Integer` or `Long`.
#[must_use]
pub fn value_class(width: u8) -> &'static str {
    match value_bits(width) {
        32 => "Integer",
        _ => "Long",
    }
}

/// A number as an operand of words of a width: an `int` or a `long`.
#[must_use]
pub fn literal(value: u64, width: u8) -> String {
    let suffix = if value_bits(width) == 64 { "L" } else { "" };
    match value {
        0..=9 => format!("{value}{suffix}"),
        _ => format!("0x{value:x}{suffix}"),
    }
}

/// An entry of a short table: all digits, so that columns line up, and a cast where the type is too small for the literal.
#[must_use]
pub fn table_entry(value: u64, width: u8) -> String {
    match container(width) {
        8 if value > 0x7f => format!("(byte) 0x{value:02x}"),
        8 => format!("0x{value:02x}"),
        16 if value > 0x7fff => format!("(short) 0x{value:04x}"),
        16 => format!("0x{value:04x}"),
        32 => format!("0x{value:08x}"),
        _ => format!("0x{value:016x}L"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_type_they_need() {
        assert_eq!([literal(9, 32), literal(9, 64)], ["9", "9L"]);
        assert_eq!(literal(0xb7e1_5163, 32), "0xb7e15163");
        assert_eq!(literal(0xb7e1_5163, 33), "0xb7e15163L");
        assert_eq!(table_entry(0x80, 8), "(byte) 0x80");
        assert_eq!(table_entry(0x7f, 8), "0x7f");
    }
}
