//! The field GF(2^n).

use super::Matrix;

/// 1/x.
#[must_use]
pub fn half(polynomial: u64) -> u64 {
    polynomial >> 1
}

/// A product in the field.
#[must_use]
pub fn product(mut coefficient: u64, mut x: u64, polynomial: u64) -> u64 {
    let mut result = 0;
    while coefficient > 0 {
        if coefficient & 1 == 1 {
            result ^= x;
        }
        x <<= 1;
        if x >> degree(polynomial) & 1 == 1 {
            x ^= polynomial;
        }
        coefficient >>= 1;
    }
    result
}

/// The degree of the field's polynomial.
pub(super) fn degree(polynomial: u64) -> u32 {
    polynomial.ilog2()
}

/// A matrix whose coefficients are those of powers of 1/x where those of the other one are of powers of x.
///
/// What is c0 + c1/x + c2/x^2 + … is a polynomial of the same coefficients in 1/x; times x^(n-1) they stand in the usual order.
#[must_use]
pub fn turned(polynomial: u64, rows: &Matrix) -> Matrix {
    let degree = degree(polynomial);
    let one = |e: &u64| {
        let e = product(1 << (degree - 1), *e, polynomial);
        (0..degree).map(|k| (e >> k & 1) << (degree - 1 - k)).sum()
    };
    rows.iter().map(|row| row.iter().map(one).collect()).collect()
}
