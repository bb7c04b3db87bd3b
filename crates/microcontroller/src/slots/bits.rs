//! Sets of small numbers.

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The empty set, with room for numbers below a count.
    pub fn new(count: usize) -> Self {
        Bits(vec![0; count / 64 + 1])
    }

    /// Adds a number.
    pub fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    /// Takes a number out.
    pub fn remove(&mut self, n: usize) {
        self.0[n / 64] &= !(1 << (n % 64));
    }

    /// Whether it has a number.
    pub fn contains(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    /// Adds all numbers of another set.
    pub fn add(&mut self, others: &Bits) {
        self.0.iter_mut().zip(&others.0).for_each(|(a, b)| *a |= b);
    }

    /// How many numbers it has.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Its numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|n| self.contains(*n))
    }
}
