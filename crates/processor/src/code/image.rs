//! The memory of a kernel: where its objects lie, and how the arrays of the program stand in them.

use super::{Code, Object, Packing, Role};
use crate::semantics::{Fault, Memory};

/// First address; nothing lies at 0.
const START: u64 = 0x1_0000;

/// Bytes between objects that lie anywhere, so that an access beyond an end is a fault.
const GAP: u64 = 64;

/// Memory with the objects of a kernel.
#[derive(Clone, Debug)]
pub struct Image {
    /// Address of the first byte.
    pub start: u64,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Address of each object.
    pub addresses: Vec<u64>,
    /// Order of the bytes of a word.
    pub big_endian: bool,
    inside: Vec<bool>,
}

impl Image {
    /// Places the objects; tables are filled, all else is 0.
    #[must_use]
    pub fn new(code: &Code, big_endian: bool) -> Self {
        let mut addresses = vec![0; code.objects.len()];
        let mut end = START;
        for (k, object) in code.objects.iter().enumerate() {
            if object.base.is_none() {
                let alignment = u64::from(object.alignment.max(16));
                addresses[k] = end.div_ceil(alignment) * alignment;
                end = addresses[k] + extent(code, k) + GAP;
            }
        }
        for (k, object) in code.objects.iter().enumerate() {
            if let Some((base, distance)) = object.base {
                addresses[k] = addresses[base].wrapping_add(distance as u64);
            }
        }
        let size = (end - START) as usize;
        let mut image = Image { start: START, bytes: vec![0; size], addresses, big_endian, inside: vec![false; size] };
        for (k, object) in code.objects.iter().enumerate() {
            for element in 0..count(object) {
                let at = image.addresses[k] + element * u64::from(object.stride) - START;
                image.inside[at as usize..at as usize + usize::from(object.element)].fill(true);
            }
            if let Role::Table(data) = &object.role {
                image.fill(code, k, data);
            }
        }
        image
    }

    /// Writes the elements of a program's array into an object.
    pub fn fill(&mut self, code: &Code, object: usize, elements: &[u64]) {
        let data = &code.objects[object];
        for (k, word) in packed(elements, data.packing).into_iter().enumerate() {
            let at = self.addresses[object] + k as u64 * u64::from(data.stride);
            self.write(at, data.element, word);
        }
    }

    /// The elements of a program's array that stand in an object.
    #[must_use]
    pub fn elements(&self, code: &Code, object: usize) -> Vec<u64> {
        let data = &code.objects[object];
        let word = |k: u64| self.read(self.addresses[object] + k * u64::from(data.stride), data.element);
        let words: Vec<u64> = (0..count(data)).map(word).collect();
        match data.packing {
            Packing::None => words,
            Packing::Little => words.iter().flat_map(|w| [0, 8, 16, 24].map(|n| w >> n & 0xff)).collect(),
            Packing::Big => words.iter().flat_map(|w| [24, 16, 8, 0].map(|n| w >> n & 0xff)).collect(),
        }
    }

    fn read(&self, address: u64, bytes: u8) -> u64 {
        let at = (address - self.start) as usize;
        let part = &self.bytes[at..at + usize::from(bytes)];
        let join = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
        if self.big_endian {
            part.iter().fold(0, join)
        } else {
            part.iter().rev().fold(0, join)
        }
    }

    fn write(&mut self, address: u64, bytes: u8, value: u64) {
        let at = (address - self.start) as usize;
        for k in 0..bytes {
            let place = if self.big_endian { bytes - 1 - k } else { k };
            self.bytes[at + usize::from(place)] = (value >> (8 * k)) as u8;
        }
    }

    fn has(&self, address: u64, bytes: u8) -> bool {
        let at = address.wrapping_sub(self.start) as usize;
        let end = at.saturating_add(bytes.into());
        end <= self.bytes.len() && self.inside[at..end].iter().all(|&i| i) && address % u64::from(bytes) == 0
    }
}

impl Memory for Image {
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        if !self.has(address, bytes) {
            return Err(Fault { address, bytes, store: false });
        }
        Ok(self.read(address, bytes))
    }

    fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        if !self.has(address, bytes) {
            return Err(Fault { address, bytes, store: true });
        }
        self.write(address, bytes, value);
        Ok(())
    }
}

/// Elements of an object.
#[must_use]
pub fn count(object: &Object) -> u64 {
    u64::from(object.bytes.div_ceil(object.stride.max(1)))
}

/// Bytes from the start of an object to the end of the last that lies at a known distance from it.
#[must_use]
pub fn extent(code: &Code, object: usize) -> u64 {
    let with = code.objects.iter().filter_map(|o| match o.base {
        Some((base, distance)) if base == object => Some(distance as u64 + u64::from(o.bytes)),
        _ => None,
    });
    with.chain([u64::from(code.objects[object].bytes)]).max().unwrap_or(0)
}

/// The words that bytes of the program make.
#[must_use]
pub fn packed(elements: &[u64], packing: Packing) -> Vec<u64> {
    let join = |word: u64, byte: &u64| word << 8 | byte;
    match packing {
        Packing::None => elements.to_vec(),
        Packing::Little => elements.chunks(4).map(|b| b.iter().rev().fold(0, join)).collect(),
        Packing::Big => elements.chunks(4).map(|b| b.iter().fold(0, join)).collect(),
    }
}
