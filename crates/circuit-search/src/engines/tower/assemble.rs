//! From choices in every layer to the set of functions that the gates compute.

use super::absorb::Norm;
use super::bilinear::Product;
use super::core::Question;
use super::equivalence::apply;
use super::equivalence::Inversion;
use super::field::{coordinates, inverse, multiply, power, sixteen, trace_of_sixteen};
use super::layers::Frame;
use crate::exchange::truth::{normal, Wide};
use circuit::linear::{attempt, Matrix, Options};
use circuit::table::Table;

/// The latest level of each layer's results.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// Forms of `a` and `b`.
    pub top: u32,
    /// The four bits of the norm.
    pub norm: u32,
    /// The nine forms of its inverse.
    pub core: u32,
    /// The outputs.
    pub last: u32,
}

impl Levels {
    /// No limits; the numbers only keep the layers in order.
    pub const FREE: Levels = Levels { top: 1000, norm: 2000, core: 3000, last: 4000 };
    /// Depth 16: three levels of sums, a product, three levels, four for the inverse, a product, four levels of sums.
    pub const SIXTEEN: Levels = Levels { top: 3, norm: 7, core: 11, last: 16 };

    /// Whether they are limits.
    #[must_use]
    pub fn bounded(&self) -> bool {
        self.top < Levels::FREE.top
    }
}

/// A full set of choices.
pub struct Plan<'a> {
    /// The box as inversion between affine maps.
    pub inversion: &'a Inversion,
    /// Basis of the field over GF(2^4).
    pub frame: &'a Frame,
    /// The product `a b`.
    pub product: &'a Product,
    /// How the norm is computed.
    pub norm: &'a Norm,
    /// From norm to forms of its inverse.
    pub question: &'a Question,
    /// Functions of four bits for that.
    pub core: &'a [u16],
    /// The products `a d` and `b d`.
    pub outer: [&'a Product; 2],
    /// Sums of the eighteen products.
    pub bottom: &'a [u128],
    /// Seeds and patience for the layer of the norm.
    pub options: &'a Options,
    /// When each layer has to be done.
    pub levels: &'a Levels,
}

impl Plan<'_> {
    /// The functions of all gates, in normal form.
    #[must_use]
    pub fn gates(&self) -> Vec<Wide> {
        let mut gates: Vec<Table> = Vec::new();
        self.top(&mut gates);
        self.middle(&mut gates);
        let last = self.last_products();
        gates.extend(&last);
        for &sum in self.bottom {
            gates.push(self.table(|x| {
                let v = usize::from(x);
                last.iter().enumerate().filter(|(n, _)| sum >> n & 1 == 1).fold(false, |s, (_, t)| s ^ t.bit(v))
            }));
        }
        gates.iter().map(|t| normal(t).0).collect()
    }

    fn table(&self, mut value: impl FnMut(u8) -> bool) -> Table {
        Table::from_fn(8, |v| value(v as u8))
    }

    /// `x` before inversion, with the constant.
    fn inner(&self, x: u8) -> u8 {
        apply(&self.inversion.before, x) ^ self.inversion.inner
    }

    fn factors(&self, x: u8) -> (u8, u8) {
        coordinates(self.inner(x), self.frame.v, self.frame.w)
    }

    /// The forms of `a` and `b`, the nine products and the four bits of the norm as one linear problem: the products
    /// are inputs that come after all forms.
    fn top(&self, gates: &mut Vec<Table>) {
        let forms = self.frame.top(self.product).rows;
        let bits = self.norm.basis.map(|e| {
            let (form, mixed) = self.frame.norm(usize::from(e));
            let mask = self.product.forms[mixed];
            let part = |added: u16, forms: &[u128]| {
                (0..9).filter(|n| added & mask & 1 << n != 0).fold(0, |sum, n: usize| sum ^ forms[n])
            };
            let rest = u128::from(form) ^ part(self.norm.added[0], &forms) ^ part(self.norm.added[1], &forms[9..]);
            rest | u128::from(mask) << 8
        });
        let mut rows = forms.clone();
        rows.extend(bits);
        let matrix = Matrix { inputs: 17, rows };
        let products: Vec<Table> = (0..9).map(|n| self.first_product(n)).collect();
        for sum in best_sums(&matrix, self.options, self.levels) {
            gates.push(self.table(|x| {
                let linear = (sum as u8 & x).count_ones() % 2 == 1;
                let chosen = products.iter().enumerate().filter(|(n, _)| sum >> (8 + n) & 1 == 1);
                chosen.fold(linear, |s, (_, t)| s ^ t.bit(usize::from(x)))
            }));
        }
        gates.extend(products);
    }

    fn first_product(&self, n: usize) -> Table {
        let z = sixteen();
        let (c, e) = self.product.pairs[n];
        let added = self.norm.added.map(|a| a >> n & 1 == 1);
        self.table(|x| {
            let (a, b) = self.factors(x);
            let u = trace_of_sixteen(multiply(z[usize::from(c)], a));
            let v = trace_of_sixteen(multiply(z[usize::from(e)], b));
            (u & v) ^ (added[0] & u) ^ (added[1] & v)
        })
    }

    fn middle(&self, gates: &mut Vec<Table>) {
        let z = sixteen();
        for &function in self.core {
            gates.push(self.table(|x| {
                let norm = power(self.inner(x), 17);
                let bit = |e: u8| trace_of_sixteen(multiply(z[usize::from(e)], norm));
                let index = (0..4).filter(|&k| bit(self.question.basis[k])).fold(0, |i, k| i | 1 << k);
                function >> index & 1 == 1
            }));
        }
    }

    fn last_products(&self) -> Vec<Table> {
        let z = sixteen();
        let bit = |c: u8, y: u8| trace_of_sixteen(multiply(z[usize::from(c)], y));
        let mut tables = Vec::new();
        for (second, product) in self.outer.iter().enumerate() {
            for &(c, e) in &product.pairs {
                tables.push(self.table(|x| {
                    let (a, b) = self.factors(x);
                    let d = inverse(power(self.inner(x), 17));
                    bit(c, if second == 1 { b } else { a }) & bit(e, d)
                }));
            }
        }
        tables
    }
}

/// The sums of the shortest program of a few starts.
fn best_sums(matrix: &Matrix, options: &Options, levels: &Levels) -> Vec<u128> {
    let arrival: Vec<u32> = (0..17).map(|k| if k < 8 { 0 } else { levels.top + 1 }).collect();
    let limits = (0..matrix.rows.len()).map(|n| if n < 18 { levels.top } else { levels.norm }).collect();
    let options = Options { arrival, limits, ..options.clone() };
    let programs = (0..options.starts).filter_map(|start| attempt(matrix, &options, start, &|| false));
    programs.min_by_key(|p| p.steps.len()).map_or_else(Vec::new, |p| p.sums()[17..].to_vec())
}
