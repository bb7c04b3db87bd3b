//! Functions as the exchange search handles them: truth tables with the value 0 at input 0.

use std::hash::Hash;

use circuit::table::Table;

/// A truth table in normal form: a function and its complement are one, the one that is 0 at input 0.
pub trait Truth: Copy + Eq + Ord + Hash {
    /// Sum.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Product.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The constant 0.
    fn zero() -> Self;

    /// Product with the complement of `other`.
    #[must_use]
    fn without(self, other: Self) -> Self {
        self.xor(self.and(other))
    }

    /// The two-input gates that keep 0 at input 0: and, two and-complements, or, xor.
    #[must_use]
    fn gates(self, other: Self) -> [Self; 5] {
        let both = self.and(other);
        let sum = self.xor(other);
        [sum, both, self.xor(both), other.xor(both), sum.xor(both)]
    }
}

impl Truth for u16 {
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    fn and(self, other: Self) -> Self {
        self & other
    }

    fn zero() -> Self {
        0
    }
}

/// A table of up to eight inputs.
pub type Wide = [u64; 4];

impl Truth for Wide {
    fn xor(self, other: Self) -> Self {
        [self[0] ^ other[0], self[1] ^ other[1], self[2] ^ other[2], self[3] ^ other[3]]
    }

    fn and(self, other: Self) -> Self {
        [self[0] & other[0], self[1] & other[1], self[2] & other[2], self[3] & other[3]]
    }

    fn zero() -> Self {
        [0; 4]
    }
}

/// The normal form of a table and whether it was complemented.
#[must_use]
pub fn normal(table: &Table) -> (Wide, bool) {
    if table.bit(0) {
        (table.complement().words, true)
    } else {
        (table.words, false)
    }
}
