//! Products in GF(2^4) by nine products of bits.
//!
//! A form is `z -> tr(c z)`, named by `c`. The 15 forms fall into five classes `c GF(4)*`; the three forms of a class
//! are the sums of two bits of one GF(4)-linear map to GF(4). Karatsuba's method over GF(4), with three of the classes
//! for each factor, and again over GF(2) within each class, gives the nine products.

use super::field::{multiply, sixteen, trace_of_sixteen};

/// Nine pairs of forms whose products of bits give the product in GF(2^4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The classes used of the first factor, as bits.
    pub left: u8,
    /// The classes used of the second factor, as bits.
    pub right: u8,
    /// Exponents of the forms of the first and the second factor.
    pub pairs: [(u8, u8); 9],
    /// For each form `c` (by exponent) of the product: which pairs sum up to `tr(c a b)`.
    pub forms: [u16; 15],
}

const PERMUTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Every such set of nine pairs.
#[must_use]
pub fn products() -> Vec<Product> {
    let triples: Vec<[u8; 3]> =
        (0..5).flat_map(|i| (i + 1..5).flat_map(move |j| (j + 1..5).map(move |k| [i, j, k]))).collect();
    let targets: Vec<u16> = (0..15).map(target).collect();
    let values: [u16; 15] = std::array::from_fn(values);
    let mut found = Vec::new();
    for left in &triples {
        for right in &triples {
            for order in PERMUTATIONS {
                for turns in 0..216usize {
                    let turn = [turns % 6, turns / 6 % 6, turns / 36];
                    let pairs = pairs(left, right, order, turn);
                    if let Some(forms) = forms(&pairs, &values, &targets) {
                        let bits = |t: &[u8; 3]| t.iter().fold(0, |sum, c| sum | 1 << c);
                        found.push(Product { left: bits(left), right: bits(right), pairs, forms });
                    }
                }
            }
        }
    }
    found
}

fn pairs(left: &[u8; 3], right: &[u8; 3], order: [usize; 3], turn: [usize; 3]) -> [(u8, u8); 9] {
    let mut pairs = [(0, 0); 9];
    for n in 0..3 {
        for k in 0..3 {
            // Exponents of one class differ by multiples of 5.
            let form = left[n] + 5 * k as u8;
            let other = right[order[n]] + 5 * PERMUTATIONS[turn[n]][k] as u8;
            pairs[3 * n + k] = (form, other);
        }
    }
    pairs
}

/// Values of a form at a basis of the field, as bits.
fn values(exponent: usize) -> u16 {
    let z = sixteen();
    (0..4).filter(|&k| trace_of_sixteen(multiply(z[exponent], z[k]))).fold(0, |sum, k| sum | 1 << k)
}

/// `tr(c a b)` on pairs of basis elements, as bits.
fn target(exponent: usize) -> u16 {
    let z = sixteen();
    let value = |i: usize, j: usize| trace_of_sixteen(multiply(z[exponent], multiply(z[i], z[j])));
    (0..16).filter(|n| value(n / 4, n % 4)).fold(0, |sum, n| sum | 1 << n)
}

/// Solves for each target as a sum of the pairs' tensors.
fn forms(pairs: &[(u8, u8); 9], values: &[u16; 15], targets: &[u16]) -> Option<[u16; 15]> {
    let mut rows: Vec<(u16, u16)> = Vec::new();
    for (n, &(c, e)) in pairs.iter().enumerate() {
        let (a, b) = (values[usize::from(c)], values[usize::from(e)]);
        let tensor = (0..4).filter(|i| a >> i & 1 == 1).fold(0, |sum, i| sum | b << (4 * i));
        let (rest, mask) = reduce(&rows, tensor, 1 << n);
        if rest != 0 {
            rows.push((rest, mask));
        }
    }
    let mut forms = [0; 15];
    for (form, &t) in forms.iter_mut().zip(targets) {
        let (rest, mask) = reduce(&rows, t, 0);
        if rest != 0 {
            return None;
        }
        *form = mask;
    }
    Some(forms)
}

fn reduce(rows: &[(u16, u16)], mut rest: u16, mut mask: u16) -> (u16, u16) {
    for &(row, of) in rows {
        if rest & (1 << (15 - row.leading_zeros())) != 0 {
            rest ^= row;
            mask ^= of;
        }
    }
    (rest, mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_multiplies() {
        let all = products();
        assert_eq!(all.len(), 1350);
        let z = sixteen();
        let bit = |c: u8, a: u8| trace_of_sixteen(multiply(z[usize::from(c)], a));
        for product in all.iter().step_by(97) {
            for &a in &z {
                for &b in &z {
                    for (c, &mask) in product.forms.iter().enumerate() {
                        let sum = (0..9)
                            .filter(|n| mask >> n & 1 == 1)
                            .fold(false, |s, n| s ^ (bit(product.pairs[n].0, a) & bit(product.pairs[n].1, b)));
                        assert_eq!(sum, bit(c as u8, multiply(a, b)));
                    }
                }
            }
        }
    }
}
