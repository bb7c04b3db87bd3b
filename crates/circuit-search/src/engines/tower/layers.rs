//! The two linear layers of inversion over a tower of fields.
//!
//! With `x = a v + b w`, `a` and `b` in GF(2^4), the inverse of `x` is `x^16 / N` with the norm
//! `N = x^17 = v^17 a^2 + (v w^16 + v^16 w) a b + w^17 b^2` in GF(2^4), so it is `v^16 a d + w^16 b d` with `d = 1 / N`.
//! The top layer gives the nine forms of `a` and of `b` that the products need, the bottom layer the outputs as sums of
//! the eighteen products of bits of `a d` and `b d`.

use super::bilinear::Product;
use super::equivalence::{apply, Inversion};
use super::field::{coordinates, lines, multiply, power, sixteen, trace_of_sixteen};
use circuit::linear::Matrix;

/// A choice of `v` and `w`, and what follows for a box.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The first basis element.
    pub v: u8,
    /// The second basis element.
    pub w: u8,
    /// Form `tr(c a)` of the box's input bits, by the exponent of `c`.
    pub a: [u8; 15],
    /// Form `tr(c b)`.
    pub b: [u8; 15],
    /// Images of unit vectors under the map after inversion.
    after: [u8; 8],
}

/// Number of frames of a box.
pub const FRAMES: u64 = 17 * 16 / 2;

impl Frame {
    /// Frame number `n`, below [`FRAMES`]: the unordered pairs of lines.
    #[must_use]
    pub fn number(inversion: &Inversion, n: u64) -> Self {
        let pairs = (0..17).flat_map(|i| (i + 1..17).map(move |j| (i, j)));
        let (i, j) = pairs.clone().nth((n % FRAMES) as usize).unwrap_or((0, 1));
        let (v, w) = (lines()[i], lines()[j]);
        let points = inversion.before.map(|x| coordinates(x, v, w));
        let z = sixteen();
        let form = |e: usize, second: bool| {
            let bit = |p: (u8, u8)| trace_of_sixteen(multiply(z[e], if second { p.1 } else { p.0 }));
            (0..8).filter(|&k| bit(points[k])).fold(0, |sum, k| sum | 1 << k)
        };
        let (a, b) = (std::array::from_fn(|e| form(e, false)), std::array::from_fn(|e| form(e, true)));
        Frame { v, w, a, b, after: inversion.after }
    }

    /// The matrix of the forms of `a` and `b` that a product `a b` uses.
    #[must_use]
    pub fn top(&self, product: &Product) -> Matrix {
        let left = product.pairs.iter().map(|p| u128::from(self.a[usize::from(p.0)]));
        let right = product.pairs.iter().map(|p| u128::from(self.b[usize::from(p.1)]));
        Matrix { inputs: 8, rows: left.chain(right).collect() }
    }

    /// The matrix from the nine products of `a d` and the nine of `b d` to the outputs.
    #[must_use]
    pub fn bottom(&self, first: &Product, second: &Product) -> Matrix {
        let image = |gamma: u8, v: u8| apply(&self.after, multiply(gamma, power(v, 16)));
        let columns: Vec<u8> = (first.weights().into_iter().map(|g| image(g, self.v)))
            .chain(second.weights().into_iter().map(|g| image(g, self.w)))
            .collect();
        let row = |k: usize| {
            columns.iter().enumerate().filter(|(_, c)| *c >> k & 1 == 1).fold(0, |row, (n, _)| row | 1u128 << n)
        };
        Matrix { inputs: 18, rows: (0..8).map(row).collect() }
    }

    /// `tr(c N)` for `c` of exponent `e`: a form of the input bits plus `tr(c' a b)`; returns the form and the exponent
    /// of `c'`.
    #[must_use]
    pub fn norm(&self, e: usize) -> (u8, usize) {
        let z = sixteen();
        let exponent = |value: u8| z.iter().position(|&y| y == value).unwrap_or(0);
        // tr(c n a^2) = tr(sqrt(c n) a), and the square root is the power 2^7.
        let root = |n: u8| exponent(power(multiply(z[e], n), 128));
        let mixed = multiply(self.v, power(self.w, 16)) ^ multiply(power(self.v, 16), self.w);
        let form = self.a[root(power(self.v, 17))] ^ self.b[root(power(self.w, 17))];
        (form, (e + exponent(mixed)) % 15)
    }
}

impl Product {
    /// The element of GF(2^4) by which each of the nine products of bits enters the product.
    #[must_use]
    pub fn weights(&self) -> [u8; 9] {
        let z = sixteen();
        std::array::from_fn(|n| {
            let fits =
                |g: &&u8| (0..15).all(|c| trace_of_sixteen(multiply(z[c], **g)) == (self.forms[c] >> n & 1 == 1));
            z.iter().find(fits).copied().unwrap_or(0)
        })
    }
}
