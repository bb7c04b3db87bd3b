//! Sets of sums with fast membership, and what can be derived inside them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A level that is never reached.
pub const NEVER: u32 = u32::MAX;

/// Sums of up to this many inputs are looked up in a plain array.
const DENSE_INPUTS: usize = 20;

/// Hashes one 128-bit number by multiplication.
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
            self.write_u64(word);
        }
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }

    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }
}

#[derive(Clone, Debug)]
enum Index {
    Dense(Vec<u16>),
    Hashed(HashMap<u128, u16, BuildHasherDefault<Multiply>>),
}

/// A set of sums of inputs; the first `inputs` are the inputs themselves.
#[derive(Clone, Debug)]
pub struct Vectors {
    /// Number of inputs.
    pub inputs: usize,
    values: Vec<u128>,
    index: Index,
}

impl Vectors {
    /// The inputs and some sums; zero, inputs and repetitions among the sums are dropped.
    #[must_use]
    pub fn new(inputs: usize, sums: &[u128]) -> Self {
        let index =
            if inputs <= DENSE_INPUTS { Index::Dense(vec![0; 1 << inputs]) } else { Index::Hashed(HashMap::default()) };
        let mut vectors = Vectors { inputs, values: Vec::new(), index };
        (0..inputs).for_each(|k| vectors.push(1 << k));
        sums.iter().for_each(|&sum| {
            if sum != 0 && vectors.find(sum).is_none() {
                vectors.push(sum);
            }
        });
        vectors
    }

    /// Number of members, inputs included.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // Never empty: there is at least one input.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The members.
    #[must_use]
    pub fn values(&self) -> &[u128] {
        &self.values
    }

    /// The place of a sum.
    #[inline]
    #[must_use]
    pub fn find(&self, sum: u128) -> Option<usize> {
        let found = match &self.index {
            Index::Dense(table) => table[sum as usize],
            Index::Hashed(map) => map.get(&sum).copied().unwrap_or(0),
        };
        (found != 0).then(|| usize::from(found) - 1)
    }

    /// Adds a sum that is not there.
    pub fn push(&mut self, sum: u128) {
        self.values.push(sum);
        self.set(sum, self.values.len() as u16);
    }

    /// Takes a member out; the last one takes its place.
    pub fn remove(&mut self, n: usize) {
        self.set(self.values[n], 0);
        self.values.swap_remove(n);
        if n < self.values.len() {
            self.set(self.values[n], n as u16 + 1);
        }
    }

    /// Puts a sum that is not there in place of a member.
    pub fn replace(&mut self, n: usize, sum: u128) {
        self.set(self.values[n], 0);
        self.values[n] = sum;
        self.set(sum, n as u16 + 1);
    }

    fn set(&mut self, sum: u128, mark: u16) {
        match &mut self.index {
            Index::Dense(table) => table[sum as usize] = mark,
            Index::Hashed(map) if mark == 0 => {
                map.remove(&sum);
            }
            Index::Hashed(map) => {
                map.insert(sum, mark);
            }
        }
    }

    /// Every three members of which each is the sum of the other two.
    #[must_use]
    pub fn triples(&self) -> Vec<[u16; 3]> {
        let mut triples = Vec::new();
        for i in 0..self.values.len() {
            for j in i + 1..self.values.len() {
                if let Some(k) = self.find(self.values[i] ^ self.values[j]).filter(|&k| k > j) {
                    triples.push([i as u16, j as u16, k as u16]);
                }
            }
        }
        triples
    }

    /// The least level of each member and the two members it is then the sum of.
    #[must_use]
    pub fn derivations(&self, arrival: &[u32]) -> (Vec<u32>, Vec<Option<(usize, usize)>>) {
        let mut levels = vec![NEVER; self.len()];
        let mut parents = vec![None; self.len()];
        for (k, level) in levels.iter_mut().enumerate().take(self.inputs) {
            *level = arrival.get(k).copied().unwrap_or(0);
        }
        let triples = self.triples();
        // Ends: levels only fall.
        let mut changed = true;
        while changed {
            changed = false;
            for t in &triples {
                for (a, b, c) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
                    let [a, b, c] = [t[a], t[b], t[c]].map(usize::from);
                    let level = levels[a].max(levels[b]).saturating_add(1);
                    if level < levels[c] && c >= self.inputs {
                        levels[c] = level;
                        parents[c] = Some((a, b));
                        changed = true;
                    }
                }
            }
        }
        (levels, parents)
    }
}
