//! Words and the sizes in which languages hold them.

use program::ir::{ArrayType, Type};

/// Width of the type that holds a word in memory: 8, 16, 32 or 64.
#[must_use]
pub fn container(width: u8) -> u8 {
    match width {
        0..=8 => 8,
        9..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

/// Width of the type that computes with a word: 32 or 64. Narrow words are held in 32 bits, since there a processor needs
/// no instruction to keep them in range after look-ups, exclusive ors, ands and ors.
#[must_use]
pub fn value_bits(width: u8) -> u8 {
    container(width).max(32)
}

/// Whether the word is narrower than the type it is held in, so that results must be masked.
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
    fn containers() {
        assert_eq!([1, 8, 9, 16, 17, 32, 33, 64].map(container), [8, 8, 16, 16, 32, 32, 64, 64]);
        assert_eq!([1, 8, 9, 31, 32, 33, 64].map(is_narrow), [true, true, true, true, false, true, false]);
        assert_eq!(ones(64), u64::MAX);
        assert_eq!(ones(5), 31);
    }
}
