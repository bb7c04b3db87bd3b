//! Truth tables as machine words: 16 bits for up to four inputs, 32 for five.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use circuit::table::Table;

/// A truth table of up to four or five inputs; bits beyond the table are zero.
pub(super) trait Word:
    Copy
    + Ord
    + Default
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// The low bits of a table.
    fn of(table: &Table) -> Self;
    /// All bits if true, none if false.
    fn fill(value: bool) -> Self;
    /// The value at one input value.
    fn bit(self, place: usize) -> bool;
    /// A place in a bitmap of 65536 bits; different words may share one.
    fn slot(self) -> usize;
    /// The bits in the low end of a 64-bit word.
    fn wide(self) -> u64;
}

macro_rules! word {
    ($type:ty, $slot:expr) => {
        impl Word for $type {
            fn of(table: &Table) -> Self {
                (table.words[0] & u64::from(<$type>::MAX)) as $type
            }
            fn fill(value: bool) -> Self {
                if value {
                    <$type>::MAX
                } else {
                    0
                }
            }
            fn bit(self, place: usize) -> bool {
                self >> place & 1 == 1
            }
            fn slot(self) -> usize {
                let slot: fn($type) -> usize = $slot;
                slot(self)
            }
            fn wide(self) -> u64 {
                u64::from(self)
            }
        }
    };
}

word!(u16, |word| usize::from(word));
word!(u32, |word| (word.wrapping_mul(0x9e37_79b1) >> 16) as usize);

/// A set of words by their slots: never says that a word is absent that is there.
pub(super) struct Marks {
    bits: Vec<u64>,
}

impl Marks {
    pub(super) fn new() -> Self {
        Marks { bits: vec![0; 1024] }
    }

    pub(super) fn set<W: Word>(&mut self, word: W) {
        self.bits[word.slot() >> 6 & 1023] |= 1 << (word.slot() & 63);
    }

    pub(super) fn clear<W: Word>(&mut self, word: W) {
        self.bits[word.slot() >> 6 & 1023] = 0;
    }

    pub(super) fn has<W: Word>(&self, word: W) -> bool {
        self.bits[word.slot() >> 6 & 1023] >> (word.slot() & 63) & 1 == 1
    }
}
