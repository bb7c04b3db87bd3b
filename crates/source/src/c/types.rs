//! C types, literals and masks of words.

use program::ir::{ArrayType, Type};

/// Width of the C type that holds a word in memory: 8, 16, 32 or 64.
#[must_use]
pub fn container(width: u8) -> u8 {
    match width {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

/// Width of the C type that computes with a word: 32 or 64. Narrow words are held in `uint32_t`, since there a processor needs
/// no instruction to keep them in range after look-ups, exclusive ors, ands and ors.
#[must_use]
pub fn value_bits(width: u8) -> u8 {
    container(width).max(32)
}

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

/// Whether the word is narrower than the C type it is held in, so that results must be masked.
#[must_use]
pub fn is_narrow(width: u8) -> bool {
    value_bits(width) != width
}

/// All ones of a width.
#[must_use]
pub fn ones(width: u8) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
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

/// Width of a word type; 0 for what is no word.
#[must_use]
pub fn width_of(ty: &Type) -> u8 {
    match ty {
        Type::Word(w) => *w,
        Type::Array(a) => a.width,
        Type::Index => 0,
    }
}

/// The array type, if it is one.
#[must_use]
pub fn array_of(ty: &Type) -> Option<&ArrayType> {
    match ty {
        Type::Array(a) => Some(a),
        _ => None,
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

    #[test]
    fn containers() {
        assert_eq!([1, 8, 9, 16, 17, 32, 33, 64].map(container), [8, 8, 16, 16, 32, 32, 64, 64]);
        assert_eq!([1, 8, 9, 31, 32, 33, 64].map(is_narrow), [true, true, true, true, false, true, false]);
        assert_eq!(ones(64), u64::MAX);
        assert_eq!(ones(5), 31);
    }
}
