//! How promising a set of functions is.
//!
//! What tells sets on the way to small circuits from others was measured on sets of the same size along circuits of
//! 4-bit boxes: outputs that one gate more would put within reach; sums of two missing outputs within reach; outputs
//! in the linear span of the set; balanced functions rather than others; many functions within reach; a small span.
//! How many values the nearest function within reach has wrong tells nothing.

use super::marks::Marks;
use super::word::Word;

/// What each observation counts.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// An output found.
    pub found: i32,
    /// An output that one gate more puts within reach.
    pub near: i32,
    /// An output that is a sum of functions of the set.
    pub spanned: i32,
    /// The sum of two missing outputs within reach, the first time and each further time.
    pub pair: [i32; 2],
    /// A function that is one for half of all inputs.
    pub balanced: i32,
    /// A function within reach.
    pub reached: i32,
    /// Each dimension of the span.
    pub dimension: i32,
}

/// The weights that did best for eight boxes of 4 bits.
pub const WEIGHTS: Weights =
    Weights { found: 100, near: 60, spanned: 40, pair: [40, 0], balanced: 10, reached: 1, dimension: -10 };

/// What adding a gate leads to.
pub enum Rating {
    /// The rating: large is promising.
    Open(i32),
    /// An output is then within reach of one gate.
    Closes,
}

const REACHED: u16 = 1 << 15;
const OUTPUTS: u16 = 0xff;
const PAIRS: u16 = 0x7f00;

/// Rates the children of one parent after another.
pub struct Scorer<W> {
    /// Functions that one gate makes of the parent's and that are none of them.
    pub reach: Vec<W>,
    weights: Weights,
    xor: bool,
    full: W,
    half: u32,
    set: Vec<W>,
    missing: Vec<(u16, W, W)>,
    separated: Vec<(u16, W, W)>,
    fresh: Vec<W>,
    marks: Marks<W>,
    basis: Vec<W>,
    hits: u16,
    found: i32,
    balanced: i32,
}

impl<W: Word> Scorer<W> {
    /// For functions of `inputs` inputs, with or without exclusive or.
    pub fn new(weights: Weights, xor: bool, inputs: u8) -> Self {
        Scorer {
            reach: Vec::new(),
            weights,
            xor,
            full: W::from_table(&circuit::table::Table::constant(inputs, true)),
            half: 1 << (inputs - 1),
            set: Vec::new(),
            missing: Vec::new(),
            separated: Vec::new(),
            fresh: Vec::new(),
            marks: Marks::new(),
            basis: Vec::new(),
            hits: 0,
            found: 0,
            balanced: 0,
        }
    }

    /// Takes a parent: bit `k` of `missing` says that output `k` is not in the set.
    pub fn prepare(&mut self, set: &[W], outputs: &[W], missing: u8) {
        self.set.clear();
        self.set.extend_from_slice(set);
        self.fresh.resize(5 * set.len(), W::default());
        self.found = (outputs.len() as u32 - missing.count_ones()) as i32;
        self.balanced = set.iter().filter(|f| f.weight() == self.half).count() as i32;
        self.span(set);
        self.fill_reach(set);
        self.missing.clear();
        for k in (0..outputs.len()).filter(|k| missing >> k & 1 == 1) {
            self.missing.push((1 << k, outputs[k], reduced(&self.basis, outputs[k])));
        }
        self.mark_outputs();
        self.hits = self.reach.iter().chain(set).fold(0, |hits, &f| hits | self.marks.get(f));
        for n in 0..self.separated.len() {
            let (bit, t, care) = self.separated[n];
            if self.reach.iter().any(|&f| agrees(f, t, care)) {
                self.hits |= bit;
            }
        }
    }

    fn span(&mut self, set: &[W]) {
        self.basis.clear();
        for &f in set {
            let rest = reduced(&self.basis, f);
            if rest != W::default() {
                self.basis.iter_mut().for_each(|b| *b = (*b).min(*b ^ rest));
                self.basis.push(rest);
            }
        }
    }

    fn fill_reach(&mut self, set: &[W]) {
        self.marks.clear();
        self.marks.add(W::default(), REACHED);
        for &f in set {
            self.marks.add(f, REACHED);
        }
        self.reach.clear();
        for (n, &a) in set.iter().enumerate() {
            for &b in &set[..n] {
                let made = [a & b, a & !b, b & !a, a | b, a ^ b];
                for &f in &made[..if self.xor { 5 } else { 4 }] {
                    if self.marks.add(f, REACHED) == 0 {
                        self.reach.push(f);
                    }
                }
            }
        }
    }

    /// Marks the functions that, once reached, leave a missing output within reach of one gate.
    fn mark_outputs(&mut self) {
        self.separated.clear();
        for n in 0..self.missing.len() {
            let (bit, t, _) = self.missing[n];
            for &a in &self.set {
                if self.xor {
                    self.marks.add(t ^ a, bit);
                }
                for care in [a, !a & self.full].into_iter().filter(|&care| separates(t, care, self.full)) {
                    if W::EXACT {
                        mark_agreeing(&mut self.marks, t, care, self.full, bit);
                    } else {
                        self.separated.push((bit, t, care));
                    }
                }
            }
            for m in 0..n {
                self.marks.add(t ^ self.missing[m].1, 1 << (8 + (n * (n - 1) / 2 + m) % 7));
            }
        }
    }

    /// Rates the parent with one function more, which must be one of [`Scorer::reach`].
    #[inline]
    pub fn rate(&mut self, gate: W) -> Rating {
        if self.marks.get(gate) & OUTPUTS != 0 {
            return Rating::Closes;
        }
        let made = combine(gate, &self.set, self.xor, &mut self.fresh);
        let (mut hits, mut new) = (self.hits, 0);
        for &f in &self.fresh[..made] {
            let marks = self.marks.get(f);
            hits |= marks;
            new += i32::from(marks < REACHED);
        }
        let rest = reduced(&self.basis, gate);
        let mut spanned = 0;
        for &(bit, t, residue) in &self.missing {
            spanned += i32::from(residue == W::default() || residue == rest);
            if hits & bit == 0 && self.partner(gate, t, made) {
                hits |= bit;
            }
        }
        for &(bit, t, care) in &self.separated {
            if hits & bit == 0 && self.fresh[..made].iter().any(|&f| agrees(f, t, care)) {
                hits |= bit;
            }
        }
        let balanced = self.balanced + i32::from(gate.weight() == self.half);
        let dimension = self.basis.len() as i32 + i32::from(rest != W::default());
        Rating::Open(self.total(hits, spanned, balanced, self.reach.len() as i32 + new, dimension))
    }

    /// Whether the gate and a function within reach make the output.
    #[inline]
    fn partner(&self, gate: W, t: W, made: usize) -> bool {
        if self.xor && self.marks.get(t ^ gate) & REACHED != 0 {
            return true;
        }
        [gate, !gate & self.full]
            .into_iter()
            .filter(|&care| separates(t, care, self.full))
            .any(|care| self.reach.iter().chain(&self.fresh[..made]).any(|&f| agrees(f, t, care)))
    }

    /// Rates the set given to [`Scorer::prepare`].
    pub fn rate_set(&self) -> i32 {
        let spanned = self.missing.iter().filter(|(_, _, residue)| *residue == W::default()).count() as i32;
        self.total(self.hits, spanned, self.balanced, self.reach.len() as i32, self.basis.len() as i32)
    }

    fn total(&self, hits: u16, spanned: i32, balanced: i32, reached: i32, dimension: i32) -> i32 {
        let w = &self.weights;
        let near = (hits & OUTPUTS).count_ones() as i32;
        let pairs = (hits & PAIRS).count_ones() as i32;
        self.found * (w.found + w.near + w.spanned)
            + near * w.near
            + spanned * w.spanned
            + i32::from(pairs > 0) * (w.pair[0] + (pairs - 1) * w.pair[1])
            + balanced * w.balanced
            + reached * w.reached
            + dimension * w.dimension
    }
}

/// Whether two functions in normal form, or one of them and the other's complement, are equal where `care` is one.
#[inline(always)]
fn agrees<W: Word>(f: W, t: W, care: W) -> bool {
    let differing = (f ^ t) & care;
    differing == W::default() || differing == care
}

/// Whether `t` is constant where `care` is zero.
#[inline(always)]
fn separates<W: Word>(t: W, care: W, full: W) -> bool {
    let outside = !care & full;
    t & outside == W::default() || t & outside == outside
}

fn mark_agreeing<W: Word>(marks: &mut Marks<W>, t: W, care: W, full: W, bit: u16) {
    // The lowest bit of every function in normal form is zero: it is never free, and decides between t and ~t.
    let lowest = W::from_table(&circuit::table::Table::from_fn(4, |v| v == 0));
    let free = !care & full & !lowest;
    for on_care in [t & care, !t & care] {
        if on_care & lowest == W::default() {
            on_care.variants(free, |f| {
                marks.add(f, bit);
            });
        }
    }
}

/// What is left of a function when the basis is subtracted as far as it goes; the basis is fully reduced.
#[inline(always)]
fn reduced<W: Word>(basis: &[W], f: W) -> W {
    basis.iter().fold(f, |rest, &b| rest.min(rest ^ b))
}

/// Writes the functions of the gate with each function of the set; their number.
#[inline(always)]
fn combine<W: Word>(gate: W, set: &[W], xor: bool, into: &mut [W]) -> usize {
    let n = set.len();
    let (ands, rest) = into.split_at_mut(n);
    let (without, rest) = rest.split_at_mut(n);
    let (others, rest) = rest.split_at_mut(n);
    let (ors, sums) = rest.split_at_mut(n);
    for (k, &a) in set.iter().enumerate() {
        ands[k] = gate & a;
        without[k] = gate & !a;
        others[k] = a & !gate;
        ors[k] = gate | a;
        sums[k] = gate ^ a;
    }
    if xor {
        5 * n
    } else {
        4 * n
    }
}
