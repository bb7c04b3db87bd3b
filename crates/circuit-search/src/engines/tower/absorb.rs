//! The norm with as little linear work as can be.
//!
//! A gate of two bits `u`, `v` gives not only `u v` but as well `u v + u`, `u v + v` and `u v + u + v` (and-complements
//! and or, up to complements). The norm's bits are sums of products plus linear forms of the input; which of the four
//! each of the nine products is decides what is left of these forms. All choices are tried, half and half: those of
//! `u` and those of `v` are independent until the forms' cost is looked up.

use super::bilinear::Product;
use super::core::Question;
use super::layers::Frame;
use circuit::linear::vectors::NEVER;
use circuit::linear::{attempt, Matrix, Options};
use std::collections::BTreeMap;

/// One way to compute four bits of the norm.
#[derive(Clone, Debug)]
pub struct Norm {
    /// Its number among the products with the same classes.
    pub product: usize,
    /// Products to which the first factor is added, and to which the second is.
    pub added: [u16; 2],
    /// Exponents of the four forms of the norm.
    pub basis: [u8; 4],
    /// XORs: additions of linear forms and sums of products.
    pub cost: usize,
}

/// What every choice leaves of the linear parts of the 15 forms of the norm.
struct Rest {
    forms: [u8; 15],
    first: Vec<[u8; 15]>,
    second: Vec<[u8; 15]>,
    masks: [u16; 15],
}

impl Rest {
    fn new(frame: &Frame, product: &Product) -> Self {
        let norm: [(u8, usize); 15] = std::array::from_fn(|e| frame.norm(e));
        let masks = norm.map(|(_, e)| product.forms[e]);
        let sums = |factor: [u8; 9]| -> Vec<[u8; 15]> {
            let sum = |added: u16, mask: u16| {
                (0..9).filter(|n| added & mask & 1 << n != 0).fold(0, |sum, n: usize| sum ^ factor[n])
            };
            (0..512).map(|added| masks.map(|mask| sum(added, mask))).collect()
        };
        let first = sums(product.pairs.map(|p| frame.a[usize::from(p.0)]));
        let second = sums(product.pairs.map(|p| frame.b[usize::from(p.1)]));
        Rest { forms: norm.map(|n| n.0), first, second, masks }
    }

    fn costs(&self, added: [usize; 2], terms: &[u8; 256]) -> [u8; 15] {
        let (first, second) = (&self.first[added[0]], &self.second[added[1]]);
        std::array::from_fn(|e| terms[usize::from(self.forms[e] ^ first[e] ^ second[e])])
    }
}

/// The best ways, for each basis its best, cheapest first; `known` are the sums that the top layer computes anyway.
#[must_use]
pub fn norms(frame: &Frame, products: &[&Product], known: &[u128], most: usize) -> Vec<Norm> {
    let terms = terms(known);
    let rests: Vec<Rest> = products.iter().map(|p| Rest::new(frame, p)).collect();
    let mut least = 1000;
    let mut promising: Vec<(u32, usize, [usize; 2])> = Vec::new();
    for (n, rest) in rests.iter().enumerate() {
        for added in (0..512usize * 512).map(|i| [i / 512, i % 512]) {
            let bound = four_least(&rest.costs(added, &terms));
            if bound <= least + 1 {
                promising.push((bound, n, added));
                least = least.min(bound);
            }
        }
    }
    promising.sort_unstable();
    promising.truncate(600);
    let bases = bases();
    let mut sums: BTreeMap<[u16; 4], usize> = BTreeMap::new();
    let mut best: BTreeMap<[u8; 4], Norm> = BTreeMap::new();
    for (_, n, added) in promising {
        let rest = &rests[n];
        let costs = rest.costs(added, &terms);
        for &basis in &bases {
            let forms: usize = basis.iter().map(|&e| usize::from(costs[usize::from(e)])).sum();
            if best.get(&basis).map_or(true, |b| forms + 6 <= b.cost) {
                let masks = basis.map(|e| rest.masks[usize::from(e)]);
                let cost = forms + *sums.entry(masks).or_insert_with(|| sum_cost(masks));
                if best.get(&basis).map_or(true, |b| cost < b.cost) {
                    best.insert(basis, Norm { product: n, added: added.map(|a| a as u16), basis, cost });
                }
            }
        }
    }
    let mut all: Vec<Norm> = best.into_values().collect();
    all.sort_by_key(|n| (n.cost, n.basis));
    all.truncate(most);
    all
}

/// The least number of known wires that add up to each sum of the eight inputs.
fn terms(known: &[u128]) -> [u8; 256] {
    let mut terms = [u8::MAX / 2; 256];
    terms[0] = 0;
    for sum in (0..8).map(|k| 1usize << k).chain(known.iter().map(|&s| s as usize)) {
        let before = terms;
        for x in 0..256 {
            terms[x] = before[x].min(before[x ^ sum] + 1);
        }
    }
    terms
}

fn four_least(costs: &[u8; 15]) -> u32 {
    let mut count = [0u32; 4];
    costs.iter().filter(|&&c| c < 4).for_each(|&c| count[usize::from(c)] += 1);
    let (mut left, mut total) = (4, 0);
    for (cost, &n) in count.iter().enumerate() {
        total += cost as u32 * n.min(left);
        left -= n.min(left);
    }
    total + 4 * left
}

/// XORs that sum up the products for four bits of the norm.
fn sum_cost(masks: [u16; 4]) -> usize {
    let matrix = Matrix { inputs: 9, rows: masks.iter().map(|&m| u128::from(m)).collect() };
    let options = Options { patience: 0, ..Options::default() };
    attempt(&matrix, &options, 0, &|| false).map_or(usize::MAX / 2, |p| p.steps.len())
}

/// Every set of four independent forms.
#[must_use]
pub fn bases() -> Vec<[u8; 4]> {
    let mut bases = Vec::new();
    for set in (0u16..1 << 15).filter(|s| s.count_ones() == 4) {
        let mut basis = [0; 4];
        basis.iter_mut().zip((0..15).filter(|e| set >> e & 1 == 1)).for_each(|(place, e)| *place = e);
        let question = Question { basis, classes: 7, arrival: [0; 4], limit: NEVER - 1 };
        if question.is_basis() {
            bases.push(basis);
        }
    }
    bases
}
