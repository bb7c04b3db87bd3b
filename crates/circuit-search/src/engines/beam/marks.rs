//! Marks on functions: which are reached, and which would complete an output.

use super::word::Word;

/// Number of places; a function in normal form of four inputs has one of its own.
const PLACES: usize = 1 << 15;

/// Bits for each function; all functions begin without any.
pub struct Marks<W> {
    bits: Vec<u16>,
    keys: Vec<W>,
    used: Vec<u16>,
}

impl<W: Word> Marks<W> {
    /// No marks.
    #[must_use]
    pub fn new() -> Self {
        Marks { bits: vec![0; PLACES], keys: vec![W::default(); if W::EXACT { 0 } else { PLACES }], used: Vec::new() }
    }

    /// Takes all marks away.
    pub fn clear(&mut self) {
        if W::EXACT {
            self.bits.fill(0);
        } else {
            for place in self.used.drain(..) {
                self.bits[usize::from(place)] = 0;
            }
        }
    }

    #[inline(always)]
    fn place(&self, function: W) -> usize {
        let mut place = function.slot();
        if !W::EXACT {
            while self.bits[place] != 0 && self.keys[place] != function {
                place = (place + 1) & (PLACES - 1);
            }
        }
        place
    }

    /// The function's marks.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, function: W) -> u16 {
        self.bits[self.place(function)]
    }

    /// Adds marks; those that the function had. A crowded table takes no more functions.
    #[inline(always)]
    pub fn add(&mut self, function: W, marks: u16) -> u16 {
        let place = self.place(function);
        let had = self.bits[place];
        if !W::EXACT && had == 0 {
            if self.used.len() >= PLACES / 4 * 3 {
                return marks;
            }
            self.keys[place] = function;
            self.used.push(place as u16);
        }
        self.bits[place] = had | marks;
        had
    }
}
