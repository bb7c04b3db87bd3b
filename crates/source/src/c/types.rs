//! C types, literals and masks of words.

use program::ir::{ArrayType, Type};

/// Width of the C type that holds a word: 8, 16, 32 or 64.
#[must_use]
pub fn container(width: u8) -> u8 {
    match width {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

/// The C type of a word: `uint32_t`.
#[must_use]
pub fn ctype(width: u8) -> &'static str {
    match container(width) {
        8 => "uint8_t",
        16 => "uint16_t",
        32 => "uint32_t",
        _ => "uint64_t",
    }
}

/// Whether the word is narrower than its C type, so that results must be masked.
#[must_use]
pub fn is_odd(width: u8) -> bool {
    container(width) != width
}

/// Whether C computes with the word as an `int`.
#[must_use]
pub fn is_promoted(width: u8) -> bool {
    container(width) < 32
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

/// A number as an operand of a word of the given width.
#[must_use]
pub fn literal(value: u64, width: u8) -> String {
    match value {
        0..=9 => value.to_string(),
        _ if is_promoted(width) => format!("0x{value:x}"),
        0..=0xffff_ffff => format!("0x{value:x}u"),
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
        assert_eq!(literal(9, 32), "9");
        assert_eq!(literal(10, 8), "0xa");
        assert_eq!(literal(0xb7e1_5163, 32), "0xb7e15163u");
        assert_eq!(literal(0x1_0000_0000, 64), "UINT64_C(0x100000000)");
    }

    #[test]
    fn containers() {
        assert_eq!([1, 8, 9, 16, 17, 32, 33, 64].map(container), [8, 8, 16, 16, 32, 32, 64, 64]);
        assert_eq!(ones(64), u64::MAX);
        assert_eq!(ones(5), 31);
    }
}
