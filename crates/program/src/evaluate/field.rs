//! Matrices over GF(2^n).

use super::code::{Factor, Multiplier};
use crate::ir::Matrix;
use crate::semantics::field_multiply;

impl Multiplier {
    /// Prepares a matrix: tables of products for small fields.
    pub(super) fn new(matrix: &Matrix) -> Self {
        let polynomial = matrix.polynomial;
        let small = matrix.degree() <= 8;
        let mut tabled: Vec<u64> = Vec::new();
        let mut rows = Vec::new();
        for entries in &matrix.rows {
            let mut row = Vec::new();
            for (column, &entry) in entries.iter().enumerate().filter(|(_, &entry)| entry != 0) {
                let column = column as u32;
                row.push(match entry {
                    1 => Factor::One { column },
                    _ if small => Factor::Small { column, products: position_of(&mut tabled, entry) },
                    _ => Factor::Large { column, entry },
                });
            }
            rows.push(row);
        }
        let size = 1u64 << matrix.degree().min(8);
        let product = |entry: &u64| (0..size).map(|x| field_multiply(polynomial, x, *entry) as u8).collect();
        Multiplier { rows, polynomial, products: tabled.iter().map(product).collect() }
    }

    /// The product of a row and a column of operands.
    pub(super) fn row(&self, row: usize, operand: impl Fn(u32) -> u64) -> u64 {
        self.rows[row].iter().fold(0, |sum, factor| {
            sum ^ match *factor {
                Factor::One { column } => operand(column),
                Factor::Small { column, products } => self.products[products as usize][operand(column) as usize].into(),
                Factor::Large { column, entry } => field_multiply(self.polynomial, operand(column), entry),
            }
        })
    }
}

fn position_of(list: &mut Vec<u64>, entry: u64) -> u32 {
    let found = list.iter().position(|&e| e == entry);
    found.unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    }) as u32
}
