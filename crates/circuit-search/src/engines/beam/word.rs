//! Truth tables as machine words: the beam works on words, one type for each size of table.

use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use circuit::random::mix;
use circuit::table::Table;

/// A truth table in a word; bits beyond the table are zero.
pub trait Word:
    Copy
    + Default
    + Eq
    + Ord
    + Hash
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Whether [`Word::slot`] differs for any two functions in normal form.
    const EXACT: bool;

    /// Number of bits that are one.
    fn weight(self) -> u32;

    /// A well mixed value of the word.
    fn mixed(self) -> u64;

    /// Where [`super::marks::Marks`] keeps the function: below 32 768.
    fn slot(self) -> usize;

    /// The words that agree with this one outside `free`, called one after the other; only where [`Word::EXACT`].
    fn variants(self, free: Self, each: impl FnMut(Self));

    /// The low bits of a table.
    fn from_table(table: &Table) -> Self;

    /// The table of `inputs` inputs that the word holds.
    fn table(self, inputs: u8) -> Table;
}

impl Word for u16 {
    const EXACT: bool = true;

    #[inline(always)]
    fn weight(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn mixed(self) -> u64 {
        mix(u64::from(self))
    }

    /// Normal form has a zero as lowest bit.
    #[inline(always)]
    fn slot(self) -> usize {
        usize::from(self >> 1)
    }

    fn variants(self, free: Self, mut each: impl FnMut(Self)) {
        let (rest, mut part) = (self & !free, 0u16);
        loop {
            each(rest | part);
            part = part.wrapping_sub(free) & free;
            if part == 0 {
                return;
            }
        }
    }

    fn from_table(table: &Table) -> Self {
        table.low16()
    }

    fn table(self, inputs: u8) -> Table {
        from_words(inputs, [u64::from(self), 0, 0, 0])
    }
}

impl Word for u64 {
    const EXACT: bool = false;

    #[inline(always)]
    fn weight(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn mixed(self) -> u64 {
        mix(self)
    }

    #[inline(always)]
    fn slot(self) -> usize {
        (self.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 49) as usize
    }

    fn variants(self, _free: Self, _each: impl FnMut(Self)) {}

    fn from_table(table: &Table) -> Self {
        table.words[0]
    }

    fn table(self, inputs: u8) -> Table {
        from_words(inputs, [self, 0, 0, 0])
    }
}

/// A table of seven or eight inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wide([u64; 4]);

impl BitAnd for Wide {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Wide(std::array::from_fn(|n| self.0[n] & other.0[n]))
    }
}

impl BitOr for Wide {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Wide(std::array::from_fn(|n| self.0[n] | other.0[n]))
    }
}

impl BitXor for Wide {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Wide(std::array::from_fn(|n| self.0[n] ^ other.0[n]))
    }
}

impl Not for Wide {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Wide(self.0.map(|w| !w))
    }
}

impl Word for Wide {
    const EXACT: bool = false;

    #[inline(always)]
    fn weight(self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    #[inline(always)]
    fn mixed(self) -> u64 {
        self.0.iter().fold(0, |sum, &w| mix(sum ^ w))
    }

    #[inline(always)]
    fn slot(self) -> usize {
        (self.mixed() >> 49) as usize
    }

    fn variants(self, _free: Self, _each: impl FnMut(Self)) {}

    fn from_table(table: &Table) -> Self {
        Wide(table.words)
    }

    fn table(self, inputs: u8) -> Table {
        from_words(inputs, self.0)
    }
}

fn from_words(inputs: u8, words: [u64; 4]) -> Table {
    Table::from_fn(inputs, |v| words[v / 64] >> (v % 64) & 1 == 1)
}
