//! Truth tables as machine words, and a small map from them.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use circuit::table::Table;

/// A truth table of up to four, five or six inputs in one word; shorter tables are repeated to fill it, so that
/// complements need no mask.
pub trait Word:
    Copy
    + Eq
    + Ord
    + std::hash::Hash
    + Default
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// All zeros.
    const ZERO: Self;

    /// Number of its bits.
    const BITS: u32;

    /// The word of a table.
    fn from_table(table: &Table) -> Self;

    /// The word as a number.
    fn number(self) -> u64;

    /// How many bits are one.
    fn weight(self) -> u32;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const ZERO: Self = 0;
            const BITS: u32 = <$type>::BITS;

            fn from_table(table: &Table) -> Self {
                let length = 1u32 << table.inputs;
                debug_assert!(length <= <$type>::BITS);
                (0..<$type>::BITS).filter(|v| table.bit((v % length) as usize)).fold(0, |word, v| word | 1 << v)
            }

            fn number(self) -> u64 {
                u64::from(self)
            }

            fn weight(self) -> u32 {
                self.count_ones()
            }
        }
    };
}

word!(u16);
word!(u32);
word!(u64);

/// A map from words to small numbers that is emptied in no time.
pub struct Marks<W> {
    places: Vec<(u32, u16, W)>,
    generation: u32,
    shift: u32,
    filled: usize,
}

impl<W: Word> Marks<W> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Marks { places: vec![(0, 0, W::ZERO); 1 << 12], generation: 1, shift: 64 - 12, filled: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.filled = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.places.iter_mut().for_each(|place| place.0 = 0);
            self.generation = 1;
        }
    }

    fn find(&self, word: W) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (word.number().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.places[at].0 == self.generation && self.places[at].2 != word {
            at = (at + 1) & mask;
        }
        at
    }

    /// The number of a word.
    #[must_use]
    #[inline]
    pub fn get(&self, word: W) -> Option<usize> {
        let place = &self.places[self.find(word)];
        (place.0 == self.generation).then_some(usize::from(place.1))
    }

    /// Gives a word a number.
    pub fn set(&mut self, word: W, number: usize) {
        if 2 * self.filled >= self.places.len() {
            self.grow();
        }
        let at = self.find(word);
        self.filled += usize::from(self.places[at].0 != self.generation);
        self.places[at] = (self.generation, number as u16, word);
    }

    fn grow(&mut self) {
        let length = 2 * self.places.len();
        let old = std::mem::replace(&mut self.places, vec![(0, 0, W::ZERO); length]);
        self.shift -= 1;
        for place in old.into_iter().filter(|place| place.0 == self.generation) {
            let at = self.find(place.2);
            self.places[at] = place;
        }
    }
}

impl<W: Word> Default for Marks<W> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tables_are_repeated() {
        assert_eq!(u16::from_table(&Table::input(3, 2)), 0xf0f0);
        assert_eq!(u32::from_table(&Table::input(3, 0)), 0xaaaa_aaaa);
        assert_eq!(!u64::from_table(&Table::input(6, 5)), 0x0000_0000_ffff_ffff);
    }

    #[test]
    fn marks_forget_grow_and_keep_the_last_number() {
        let mut marks = Marks::<u32>::new();
        marks.set(7, 1);
        marks.clear();
        assert_eq!(marks.get(7), None);
        (0..10_000u32).for_each(|word| marks.set(word, 1));
        (0..10_000u32).for_each(|word| marks.set(word, word as usize));
        assert!((0..10_000u32).all(|word| marks.get(word) == Some(word as usize)) && marks.get(10_000).is_none());
    }
}
