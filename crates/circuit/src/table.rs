//! Truth tables over up to eight inputs.

use crate::function::Function;

/// A truth table: bit `v` is the value at input value `v` (input 0 is the least significant bit of `v`).
///
/// Tables of up to six inputs lie in the first word; bits beyond `1 << inputs` are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// Number of inputs, 1 to 8.
    pub inputs: u8,
    /// The bits, 64 to a word.
    pub words: [u64; 4],
}

const LOW: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Table {
    /// The constant zero or one.
    #[must_use]
    pub fn constant(inputs: u8, value: bool) -> Self {
        let words = if value { [u64::MAX; 4] } else { [0; 4] };
        Table { inputs, words }.masked()
    }

    /// The table of input `k`.
    #[must_use]
    pub fn input(inputs: u8, k: usize) -> Self {
        let words = match k {
            0..=5 => [LOW[k]; 4],
            6 => [0, u64::MAX, 0, u64::MAX],
            _ => [0, 0, u64::MAX, u64::MAX],
        };
        Table { inputs, words }.masked()
    }

    /// The table of a predicate on input values.
    pub fn from_fn(inputs: u8, mut value: impl FnMut(usize) -> bool) -> Self {
        let mut table = Table::constant(inputs, false);
        for v in 0..1usize << inputs {
            table.words[v / 64] |= u64::from(value(v)) << (v % 64);
        }
        table
    }

    /// The value at an input value.
    #[must_use]
    pub fn bit(&self, v: usize) -> bool {
        self.words[v / 64] >> (v % 64) & 1 == 1
    }

    /// The complement.
    #[must_use]
    pub fn complement(self) -> Self {
        Table { inputs: self.inputs, words: self.words.map(|w| !w) }.masked()
    }

    /// The table of a gate whose operands have the given tables.
    #[must_use]
    pub fn apply(function: Function, operands: &[Table]) -> Self {
        let inputs = operands[0].inputs;
        let mut words = [0; 4];
        for (w, word) in words.iter_mut().enumerate() {
            for index in (0..1usize << function.arity).filter(|&i| function.value(i)) {
                let term = operands.iter().enumerate().fold(u64::MAX, |term, (n, operand)| {
                    term & if index >> n & 1 == 1 { operand.words[w] } else { !operand.words[w] }
                });
                *word |= term;
            }
        }
        Table { inputs, words }.masked()
    }

    /// The first 16 bits: the whole table of up to four inputs.
    #[must_use]
    pub fn low16(&self) -> u16 {
        (self.words[0] & 0xffff) as u16
    }

    fn masked(mut self) -> Self {
        if self.inputs < 6 {
            self.words[0] &= (1 << (1 << self.inputs)) - 1;
        }
        for word in &mut self.words[(1usize << self.inputs).div_ceil(64)..] {
            *word = 0;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_gates_agree_with_their_values_bit_by_bit() {
        for inputs in 1..=8u8 {
            let x: Vec<Table> = (0..usize::from(inputs)).map(|k| Table::input(inputs, k)).collect();
            for v in 0..1usize << inputs {
                assert!(x.iter().enumerate().all(|(k, t)| t.bit(v) == (v >> k & 1 == 1)));
            }
            let last = x.len() - 1;
            let gate = Table::apply(Function::ANDNOT, &[x[0], x[last]]);
            assert_eq!(gate, Table::from_fn(inputs, |v| v & 1 == 1 && v >> last & 1 == 0));
            assert_eq!(gate.complement().complement(), gate);
        }
    }
}
