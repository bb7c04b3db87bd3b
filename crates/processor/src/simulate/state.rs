//! What a running text works on: registers and memory.

use super::cache::Contents;
use super::listing::Listing;
use super::slots::{Slot, ONE};
use crate::semantics::{self, Fault};

/// Memory: bytes from a base address on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Address of the first byte.
    pub base: u64,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Order of the bytes of a word.
    pub big_endian: bool,
    /// Address of the last access.
    pub touched: u64,
    /// Bits of an address; the sum of a base and an index may have more.
    pub mask: u64,
}

impl Memory {
    #[inline]
    fn place(&mut self, address: u64, bytes: u8, store: bool) -> Result<usize, Fault> {
        let address = address & self.mask;
        self.touched = address;
        let offset = address.wrapping_sub(self.base);
        let size = self.bytes.len() as u64;
        let bad = offset >= size || size - offset < u64::from(bytes) || address & (u64::from(bytes) - 1) != 0;
        if bad {
            return Err(Fault { address, bytes, store });
        }
        Ok(offset as usize)
    }

    #[inline]
    fn read<const N: usize>(&self, at: usize) -> u64 {
        let mut buffer = [0u8; 8];
        if self.big_endian {
            buffer[8 - N..].copy_from_slice(&self.bytes[at..at + N]);
            u64::from_be_bytes(buffer)
        } else {
            buffer[..N].copy_from_slice(&self.bytes[at..at + N]);
            u64::from_le_bytes(buffer)
        }
    }

    #[inline]
    fn write<const N: usize>(&mut self, at: usize, value: u64) {
        if self.big_endian {
            self.bytes[at..at + N].copy_from_slice(&value.to_be_bytes()[8 - N..]);
        } else {
            self.bytes[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
        }
    }
}

impl semantics::Memory for Memory {
    #[inline]
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        let at = self.place(address, bytes, false)?;
        Ok(match bytes {
            1 => self.read::<1>(at),
            2 => self.read::<2>(at),
            4 => self.read::<4>(at),
            _ => self.read::<8>(at),
        })
    }

    #[inline]
    fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        let at = self.place(address, bytes, true)?;
        match bytes {
            1 => self.write::<1>(at, value),
            2 => self.write::<2>(at, value),
            4 => self.write::<4>(at, value),
            _ => self.write::<8>(at, value),
        }
        Ok(())
    }
}

/// Registers and memory of a running text.
#[derive(Clone, Debug)]
pub struct State {
    /// The file of words.
    pub file: Vec<u64>,
    /// Memory.
    pub memory: Memory,
    /// The data cache before it; `None`: every access hits.
    pub cache: Option<Contents>,
}

impl State {
    /// Registers as they are at entry: 0 but for the arguments.
    #[must_use]
    pub fn new(listing: &Listing, arguments: &[u64], memory: Memory) -> State {
        let mut state = State { file: vec![0; listing.slots], memory, cache: None };
        state.restart(listing, arguments);
        state
    }

    /// Registers as they are at entry.
    pub fn restart(&mut self, listing: &Listing, arguments: &[u64]) {
        self.file.fill(0);
        self.cache.iter_mut().for_each(Contents::settle);
        self.set(ONE, 1);
        for (&slot, &value) in listing.arguments.iter().zip(arguments) {
            self.set(slot, value);
        }
    }

    /// The value of a slot.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: Slot) -> u64 {
        self.file[usize::from(slot)]
    }

    /// Sets a slot.
    #[inline]
    pub fn set(&mut self, slot: Slot, value: u64) {
        self.file[usize::from(slot)] = value;
    }
}
