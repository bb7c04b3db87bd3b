//! C types and literals of words.

use crate::writer::words::{container, value_bits};

/// The C type of a word in a variable: `uint32_t` or `uint64_t`.
#[must_use]
pub fn value_type(width: u8) -> &'static str {
    ctype(value_bits(width))
}

/// The C type of a word in memory: `uint8_t`.
#[must_use]
pub fn ctype(width: u8) -> &'static str {
    match container(width) {
        8 => "uint8_t",
        16 => "uint16_t",
        32 => "uint32_t",
        _ => "uint64_t",
    }
}

/// A number as an operand.
#[must_use]
pub fn literal(value: u64) -> String {
    match value {
        0..=9 => value.to_string(),
        10..=0xffff_ffff => format!("0x{value:x}u"),
        _ => format!("UINT64_C(0x{value:x})"),
    }
}

/// A table entry or array initializer: all digits, so that columns line up.
#[must_use]
pub fn table_entry(value: u64, width: u8) -> String {
    match container(width) {
        8 => format!("0x{value:02x}"),
        16 => format!("0x{value:04x}"),
        32 => format!("0x{value:08x}u"),
        _ => format!("UINT64_C(0x{value:016x})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_type_they_need() {
        assert_eq!(literal(9), "9");
        assert_eq!(literal(10), "0xau");
        assert_eq!(literal(0xb7e1_5163), "0xb7e15163u");
        assert_eq!(literal(0x1_0000_0000), "UINT64_C(0x100000000)");
    }
}
