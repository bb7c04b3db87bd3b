//! Invertible matrices of zeros and ones, applied without copies.

use program::generate::Random;

use super::Matrix;

/// How often it is tried.
const ATTEMPTS: usize = 100;

/// Which input each result begins as, then pairs (i, j): result i is added to by result j.
pub type Additions = (Vec<usize>, Vec<(usize, usize)>);

/// How an invertible matrix of zeros and ones is applied without copies, or nothing for others.
///
/// Rows are added to each other until each has one entry, as in the circuits of CNOT gates of linear maps: always what leaves
/// the fewest entries in the matrix and its inverse together, ties by lot; the best of many attempts.
#[must_use]
pub fn in_place(rows: &Matrix) -> Option<Additions> {
    let n = rows.len();
    if rows.iter().any(|row| row.len() != n || row.iter().any(|e| *e > 1)) {
        return None;
    }
    let matrix: Vec<u128> =
        rows.iter().map(|row| row.iter().enumerate().map(|(j, e)| u128::from(*e) << j).sum()).collect();
    let inverse = inverted(&matrix)?;
    let mut lots = Random::new(0);
    let found = (0..ATTEMPTS).filter_map(|_| reduced(&matrix, &inverse, &mut lots));
    let (mut steps, rest) = found.min_by_key(|(steps, _)| steps.len())?;
    steps.reverse();
    Some((rest.iter().map(|row| row.ilog2() as usize).collect(), steps))
}

/// Additions of rows, and what they leave.
type Reduction = (Vec<(usize, usize)>, Vec<u128>);

fn inverted(matrix: &[u128]) -> Option<Vec<u128>> {
    let n = matrix.len();
    let mut rows: Vec<u128> = matrix.iter().enumerate().map(|(k, row)| row | 1 << (n + k)).collect();
    for c in 0..n {
        let pivot = (c..n).find(|r| rows[*r] >> c & 1 == 1)?;
        rows.swap(c, pivot);
        let pivot = rows[c];
        for (r, row) in rows.iter_mut().enumerate() {
            if r != c && *row >> c & 1 == 1 {
                *row ^= pivot;
            }
        }
    }
    Some(rows.into_iter().map(|row| row >> n).collect())
}

/// Additions of rows that leave a permutation, and that.
fn reduced(matrix: &[u128], inverse: &[u128], lots: &mut Random) -> Option<Reduction> {
    let n = matrix.len();
    let mut rows = matrix.to_vec();
    let column = |k: usize| inverse.iter().enumerate().map(|(r, row)| (row >> k & 1) << r).sum();
    let mut columns: Vec<u128> = (0..n).map(column).collect();
    let mut steps = Vec::new();
    while rows.iter().map(|row| row.count_ones() as usize).sum::<usize>() > n {
        // Adding row j to row i adds column i of the inverse to column j.
        let gain = |i: usize, j: usize| {
            (rows[i] ^ rows[j]).count_ones() as i32 - rows[i].count_ones() as i32
                + (columns[j] ^ columns[i]).count_ones() as i32
                - columns[j].count_ones() as i32
        };
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let gains: Vec<_> = pairs.map(|(i, j)| (gain(i, j), (i, j))).collect();
        let least = gains.iter().map(|(gain, _)| *gain).min()?;
        if least >= 0 {
            return None;
        }
        let tied: Vec<(usize, usize)> = gains.iter().filter(|(g, _)| *g == least).map(|(_, step)| *step).collect();
        let (i, j) = lots.pick(&tied);
        rows[i] ^= rows[j];
        columns[j] ^= columns[i];
        steps.push((i, j));
    }
    Some((steps, rows))
}
