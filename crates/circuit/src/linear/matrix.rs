//! GF(2) matrices.

use crate::fault::Fault;

/// A matrix over GF(2): each row says which inputs an output is the sum of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matrix {
    /// Number of inputs (columns), 1 to 128.
    pub inputs: usize,
    /// One per output; bit `k` is the coefficient of input `k`.
    pub rows: Vec<u128>,
}

impl Matrix {
    /// A matrix from its rows.
    ///
    /// # Errors
    /// `C110` for no input or more than 128, `C116` for a row that names an input that does not exist.
    pub fn new(inputs: usize, rows: Vec<u128>) -> Result<Self, Fault> {
        if !(1..=128).contains(&inputs) {
            return Err(Fault::new("C110", format!("a matrix of {inputs} columns cannot be served"))
                .help("from 1 to 128 columns are"));
        }
        if let Some(row) = rows.iter().position(|r| inputs < 128 && r >> inputs != 0) {
            return Err(Fault::new("C116", format!("row {row} is wider than the {inputs} columns of the matrix")));
        }
        Ok(Matrix { inputs, rows })
    }

    /// The distinct rows that have to be computed: neither zero nor an input.
    #[must_use]
    pub fn targets(&self) -> Vec<u128> {
        let mut targets: Vec<u128> = self.rows.iter().copied().filter(|r| r.count_ones() > 1).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// XORs of the plain program, one row after the other.
    #[must_use]
    pub fn naive_cost(&self) -> usize {
        self.rows.iter().map(|r| (r.count_ones() as usize).saturating_sub(1)).sum()
    }
}
