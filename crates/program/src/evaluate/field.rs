//! Matrices over GF(2^n), ready to multiply.

use crate::ir::Matrix;
use crate::semantics::field_multiply;

/// A matrix in the form that is fastest for its size.
#[derive(Clone, Debug)]
pub(super) enum Multiplier {
    /// At most 8 rows over at most 2^8 elements: for each column and each element the products with all rows, a byte each.
    Packed { columns: Vec<Vec<u64>>, rows: u32 },
    /// For each row the columns whose entry is not 0, with the entry.
    Rows { rows: Vec<Vec<(usize, u64)>>, polynomial: u64 },
}

impl Multiplier {
    pub(super) fn new(matrix: &Matrix) -> Self {
        let polynomial = matrix.polynomial;
        if matrix.degree() <= 8 && matrix.rows.len() <= 8 {
            let packed = |column: usize, x: u64| {
                let products = matrix.rows.iter().map(|row| field_multiply(polynomial, x, row[column]));
                products.enumerate().fold(0, |sum, (row, product)| sum | product << (8 * row))
            };
            let column = |column| (0..1 << matrix.degree()).map(|x| packed(column, x)).collect();
            let columns = (0..matrix.rows[0].len()).map(column).collect();
            return Multiplier::Packed { columns, rows: matrix.rows.len() as u32 };
        }
        let factors = |row: &Vec<u64>| row.iter().copied().enumerate().filter(|&(_, entry)| entry != 0).collect();
        Multiplier::Rows { rows: matrix.rows.iter().map(factors).collect(), polynomial }
    }
}
