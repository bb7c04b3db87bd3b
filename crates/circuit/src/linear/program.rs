//! Straight-line programs of XORs.

use crate::fault::Fault;
use crate::linear::matrix::Matrix;
use crate::linear::vectors::Vectors;

/// XORs in order, each of two earlier wires: wires `0..inputs` are the inputs, wire `inputs + n` is step `n`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct XorProgram {
    /// Number of inputs.
    pub inputs: usize,
    /// The two operands of each XOR.
    pub steps: Vec<(usize, usize)>,
    /// The wire of each output; `None` is the constant zero.
    pub outputs: Vec<Option<usize>>,
}

impl XorProgram {
    /// The program that computes a set of sums, as shallow as the set allows; `None` if a row cannot be reached.
    #[must_use]
    pub fn of_sums(matrix: &Matrix, sums: &[u128], arrival: &[u32]) -> Option<Self> {
        let vectors = Vectors::new(matrix.inputs, sums);
        let (levels, parents) = vectors.derivations(arrival);
        let mut order: Vec<usize> = (matrix.inputs..vectors.len()).filter(|&n| parents[n].is_some()).collect();
        order.sort_by_key(|&n| (levels[n], n));
        let mut program = XorProgram { inputs: matrix.inputs, ..Self::default() };
        let mut place: Vec<usize> = (0..vectors.len()).collect();
        for n in order {
            let (a, b) = parents[n]?;
            place[n] = matrix.inputs + program.steps.len();
            program.steps.push((place[a], place[b]));
        }
        for &row in &matrix.rows {
            let wire = match vectors.find(row) {
                _ if row == 0 => None,
                Some(n) if n < matrix.inputs || parents[n].is_some() => Some(place[n]),
                _ => return None,
            };
            program.outputs.push(wire);
        }
        Some(program.pruned())
    }

    /// The sum of inputs that each wire is.
    #[must_use]
    pub fn sums(&self) -> Vec<u128> {
        let mut sums: Vec<u128> = (0..self.inputs).map(|k| 1 << k).collect();
        for &(a, b) in &self.steps {
            sums.push(sums[a] ^ sums[b]);
        }
        sums
    }

    /// When each wire is there, given when the inputs are (absent: 0).
    #[must_use]
    pub fn levels(&self, arrival: &[u32]) -> Vec<u32> {
        let mut levels: Vec<u32> = (0..self.inputs).map(|k| arrival.get(k).copied().unwrap_or(0)).collect();
        for &(a, b) in &self.steps {
            levels.push(levels[a].max(levels[b]) + 1);
        }
        levels
    }

    /// The latest output.
    #[must_use]
    pub fn depth(&self, arrival: &[u32]) -> u32 {
        let levels = self.levels(arrival);
        self.outputs.iter().flatten().map(|&w| levels[w]).max().unwrap_or(0)
    }

    /// Multiplies the program out on unit vectors, one input at a time, and compares it with the matrix.
    ///
    /// # Errors
    /// `C117` for another shape; `C112` names the first wrong output.
    pub fn check(&self, matrix: &Matrix) -> Result<(), Fault> {
        if self.outputs.len() != matrix.rows.len() || self.inputs != matrix.inputs {
            return Err(Fault::new("C117", "the program has not the matrix's shape"));
        }
        for input in 0..self.inputs {
            let mut bits: Vec<bool> = (0..self.inputs).map(|k| k == input).collect();
            for &(a, b) in &self.steps {
                bits.push(bits[a] != bits[b]);
            }
            for (n, wire) in self.outputs.iter().enumerate() {
                let found = wire.is_some_and(|w| bits[w]);
                if found != (matrix.rows[n] >> input & 1 == 1) {
                    return Err(Fault::new("C112", format!("output {n} has a wrong coefficient of input {input}")));
                }
            }
        }
        Ok(())
    }

    fn pruned(&self) -> Self {
        let mut needed = vec![false; self.inputs + self.steps.len()];
        self.outputs.iter().flatten().for_each(|&w| needed[w] = true);
        for n in (0..self.steps.len()).rev() {
            if needed[self.inputs + n] {
                needed[self.steps[n].0] = true;
                needed[self.steps[n].1] = true;
            }
        }
        let mut place: Vec<usize> = (0..needed.len()).collect();
        let mut kept = XorProgram { inputs: self.inputs, ..Self::default() };
        for (n, &(a, b)) in self.steps.iter().enumerate().filter(|(n, _)| needed[self.inputs + n]) {
            place[self.inputs + n] = self.inputs + kept.steps.len();
            kept.steps.push((place[a], place[b]));
        }
        kept.outputs = self.outputs.iter().map(|w| w.map(|w| place[w])).collect();
        kept
    }
}
