//! Whether a table of 256 bytes is inversion in GF(2^8) between affine maps.

use super::tower;
use crate::semantics::field_multiply;

/// An affine map of eight bits: `columns[k]` is what bit k gives, `constant` is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    pub columns: [u64; 8],
    pub constant: u64,
}

impl Affine {
    /// The map of given columns without a constant.
    pub fn linear(columns: [u64; 8]) -> Self {
        Affine { columns, constant: 0 }
    }

    /// The map that has these values, if there is one.
    fn of(values: &dyn Fn(u64) -> u64) -> Option<Self> {
        let constant = values(0);
        let map = Affine { columns: std::array::from_fn(|k| values(1 << k) ^ constant), constant };
        (0..256).all(|x| map.at(x) == values(x)).then_some(map)
    }

    pub fn at(&self, x: u64) -> u64 {
        (0..8).filter(|k| x >> k & 1 == 1).fold(self.constant, |sum, k| sum ^ self.columns[k])
    }

    /// First this map, then another.
    pub fn then(&self, next: &Affine) -> Affine {
        let columns = self.columns.map(|c| next.at(c) ^ next.constant);
        Affine { columns, constant: next.at(self.constant) }
    }

    /// The opposite map of a one-to-one map.
    pub fn inverse(&self) -> Affine {
        let find = |y: u64| (0..256).find(|&x| self.at(x) == y).unwrap_or(0);
        let constant = find(0);
        Affine { columns: std::array::from_fn(|k| find(1 << k) ^ constant), constant }
    }

    /// Ones of its matrix: what it costs.
    pub fn ones(&self) -> u32 {
        self.columns.iter().map(|c| c.count_ones()).sum()
    }
}

/// A table as maps around inversion in the tower of fields: `factor * output(inverse(input(x))) + term` modulo 256.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub input: Affine,
    pub output: Affine,
    pub factor: u64,
    pub term: u64,
}

/// The form of a table, if it has one.
pub(super) fn form(table: &[u64]) -> Option<Form> {
    let mut opposite = [0; 256];
    for (x, &y) in table.iter().enumerate() {
        opposite[y as usize] = x as u64;
    }
    if table.iter().enumerate().any(|(x, &y)| opposite[y as usize] != x as u64) {
        return None;
    }
    let plain = |(polynomial, input, output)| in_tower(polynomial, &input, &output, 1, 0);
    // T(x) = A(1 / (x + a)), or else the opposite table has that form: T(x) = 1 / A'(x) + a.
    let behind = after_inversion(table).map(|(p, a, map)| (p, shifted(a), map));
    let before = || after_inversion(&opposite).map(|(p, a, map)| (p, map.inverse(), shifted(a)));
    behind.or_else(before).map(plain).or_else(|| by_arithmetic(table))
}

/// x -> x + a.
fn shifted(a: u64) -> Affine {
    Affine { columns: std::array::from_fn(|k| 1 << k), constant: a }
}

/// Polynomial, a, and the affine map A with `table[x] = A(1 / (x + a))`.
fn after_inversion(table: &[u64]) -> Option<(u64, u64, Affine)> {
    for polynomial in irreducible() {
        let inverse = inverses(polynomial);
        for a in 0..256 {
            let found = Affine::of(&|y| table[(inverse[y as usize] ^ a) as usize]);
            if let Some(map) = found {
                return Some((polynomial, a, map));
            }
        }
    }
    None
}

/// The form with a product and a sum modulo 256 at the end; bit 0 tells in advance whether the field may be right.
fn by_arithmetic(table: &[u64]) -> Option<Form> {
    for polynomial in irreducible() {
        let inverse = inverses(polynomial);
        let image = |y: u64| table[inverse[y as usize] as usize];
        if Affine::of(&|y| image(y) & 1).is_none() {
            continue;
        }
        for factor in (1..256).step_by(2) {
            let opposite = (1..256).step_by(2).find(|o| o * factor % 256 == 1).unwrap_or(1);
            for term in 0..256 {
                if let Some(map) = Affine::of(&|y| (image(y) + 256 - term) * opposite % 256) {
                    return Some(in_tower(polynomial, &shifted(0), &map, factor, term));
                }
            }
        }
    }
    None
}

/// The same with inversion in the tower; of the eight ways from field to field that with the smallest matrices.
fn in_tower(polynomial: u64, input: &Affine, output: &Affine, factor: u64, term: u64) -> Form {
    let forms = tower::isomorphisms(polynomial).into_iter().map(|map| {
        let map = Affine::linear(map);
        Form { input: input.then(&map), output: map.inverse().then(output), factor, term }
    });
    let cost = |form: &Form| form.input.ones() + form.output.ones();
    forms.min_by_key(cost).unwrap_or(Form { input: shifted(0), output: shifted(0), factor, term })
}

/// All irreducible polynomials of degree 8.
fn irreducible() -> Vec<u64> {
    let degree = |p: u64| 63 - p.leading_zeros();
    let divides = |d: u64, mut p: u64| {
        while p != 0 && degree(p) >= degree(d) {
            p ^= d << (degree(p) - degree(d));
        }
        p == 0
    };
    (0x101..0x200).filter(|&p| (2..32).all(|d| !divides(d, p))).collect()
}

/// 1 / x for every x, and 0 for 0.
fn inverses(polynomial: u64) -> Vec<u64> {
    let mut list = vec![0; 256];
    for x in 1..256u64 {
        if list[x as usize] == 0 {
            let y = (1..256).find(|&y| field_multiply(polynomial, x, y) == 1).unwrap_or(0);
            list[x as usize] = y;
            list[y as usize] = x;
        }
    }
    list
}
