//! Pairs by greed (Paar 1997) for matrices of any width: layers of hundreds of bits.
//!
//! For each wire the rows that hold it are a set of bits, so that the rows that hold two wires are counted at once. The
//! pair that most rows hold is added first; of equal ones the first. Nothing cancels.

/// Exclusive ors, two wires each, and the wire of each row; wires are columns, then steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    /// The exclusive ors.
    pub steps: Vec<(usize, usize)>,
    /// The wire of each row; `None` is zero.
    pub outputs: Vec<Option<usize>>,
}

/// A short program for a matrix given by the columns of each row; `None` if it was stopped.
#[must_use]
pub fn wide(columns: usize, rows: &[Vec<usize>], stopped: &dyn Fn() -> bool) -> Option<Wide> {
    let mut run = Run::new(columns, rows);
    while let Some((a, b)) = run.most() {
        if stopped() {
            return None;
        }
        run.join(a, b);
    }
    Some(run.finish(columns, rows.len()))
}

struct Run {
    /// For each wire the rows that hold it.
    rows: Vec<Vec<u64>>,
    /// For each wire the rows that it shares with the wire behind it that it shares most with, and that wire.
    best: Vec<(u32, usize)>,
    steps: Vec<(usize, usize)>,
}

impl Run {
    fn new(columns: usize, rows: &[Vec<usize>]) -> Self {
        let mut held = vec![vec![0u64; rows.len().div_ceil(64)]; columns];
        for (n, row) in rows.iter().enumerate() {
            row.iter().for_each(|&c| held[c][n / 64] ^= 1 << (n % 64));
        }
        let mut run = Run { rows: held, best: vec![(0, 0); columns], steps: Vec::new() };
        (0..columns).for_each(|w| run.settle(w));
        run
    }

    fn shared(&self, a: usize, b: usize) -> u32 {
        self.rows[a].iter().zip(&self.rows[b]).map(|(x, y)| (x & y).count_ones()).sum()
    }

    /// Finds the wire that one shares most rows with.
    fn settle(&mut self, w: usize) {
        let mut best = (0, 0);
        if self.rows[w].iter().any(|&r| r != 0) {
            for other in (0..self.rows.len()).filter(|&o| o != w) {
                let count = self.shared(w, other);
                if count > best.0 {
                    best = (count, other);
                }
            }
        }
        self.best[w] = best;
    }

    /// The pair that most rows hold, two at least.
    fn most(&self) -> Option<(usize, usize)> {
        let mut most = (1, 0, 0);
        for (w, &(count, other)) in self.best.iter().enumerate() {
            if count > most.0 {
                most = (count, w, other);
            }
        }
        (most.0 > 1).then_some((most.1, most.2))
    }

    fn join(&mut self, a: usize, b: usize) {
        let both: Vec<u64> = self.rows[a].iter().zip(&self.rows[b]).map(|(x, y)| x & y).collect();
        for wire in [a, b] {
            self.rows[wire].iter_mut().zip(&both).for_each(|(r, j)| *r &= !j);
        }
        let new = self.rows.len();
        self.steps.push((a.min(b), a.max(b)));
        self.rows.push(both);
        self.best.push((0, 0));
        for w in 0..new {
            let (count, other) = self.best[w];
            if w == a || w == b || other == a || other == b {
                self.settle(w);
            } else if count > 0 {
                let with_new = self.shared(w, new);
                if with_new > count {
                    self.best[w] = (with_new, new);
                }
            }
        }
        self.settle(new);
    }

    /// Adds what is left of each row, one wire after another.
    fn finish(mut self, columns: usize, count: usize) -> Wide {
        let mut outputs = vec![None; count];
        for w in 0..self.rows.len() {
            for (n, output) in outputs.iter_mut().enumerate() {
                if self.rows[w][n / 64] >> (n % 64) & 1 == 1 {
                    *output = Some(match *output {
                        None => w,
                        Some(sum) => {
                            self.steps.push((sum, w));
                            columns + self.steps.len() - 1
                        }
                    });
                }
            }
        }
        Wide { steps: self.steps, outputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiplied(columns: usize, program: &Wide) -> Vec<Vec<usize>> {
        let mut wires: Vec<Vec<bool>> = (0..columns).map(|c| (0..columns).map(|k| k == c).collect()).collect();
        for &(a, b) in &program.steps {
            let sum = (0..columns).map(|k| wires[a][k] != wires[b][k]).collect();
            wires.push(sum);
        }
        let row = |o: &Option<usize>| o.map_or(Vec::new(), |w| (0..columns).filter(|&k| wires[w][k]).collect());
        program.outputs.iter().map(row).collect()
    }

    #[test]
    fn a_sum_of_a_circulant_is_shared_and_the_program_multiplies_out() {
        let rows: Vec<Vec<usize>> = (0..200)
            .map(|n| {
                let mut row = vec![n, (n + 1) % 200, (n + 2) % 200, (n + 70) % 200];
                row.sort_unstable();
                row
            })
            .collect();
        let program = wide(200, &rows, &|| false).unwrap();
        assert_eq!(multiplied(200, &program), rows);
        assert!(program.steps.len() < 3 * 200);
    }

    #[test]
    fn a_permutation_and_a_row_of_nothing_take_no_exclusive_or() {
        let program = wide(3, &[vec![2], vec![], vec![0]], &|| false).unwrap();
        assert_eq!((program.steps.len(), program.outputs), (0, vec![Some(2), None, Some(0)]));
        assert_eq!(wide(2, &[vec![0, 1], vec![0, 1]], &|| true), None);
    }
}
