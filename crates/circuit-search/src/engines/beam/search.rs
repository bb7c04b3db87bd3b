//! The beam itself: level by level, the most promising sets of functions in normal form.
//!
//! A state is a set of functions that holds the inputs; it grows by one function made of two of its own. An output
//! that one gate reaches is taken at once: it must be made somewhere, and one gate is the least it can cost. A level
//! therefore counts the gates that are no outputs, and a state without missing outputs is a circuit.

use super::score::{Rating, Scorer, Weights};
use super::selection::{Candidate, Hashes, Selection, RATINGS};
use super::word::Word;
use circuit::random::mix;

/// How to search.
#[derive(Clone, Debug)]
pub struct Plan {
    /// States kept at each level.
    pub width: usize,
    /// Random part of a state's rating, from 0 to this.
    pub noise: u32,
    /// Seed of the random part.
    pub seed: u64,
    /// Whether exclusive or is available.
    pub xor: bool,
    /// Most gates; states that would need more are dropped.
    pub limit: usize,
    /// Most sets to collect at one level.
    pub most: usize,
    /// What counts how much.
    pub weights: Weights,
}

/// One level's states, in arrays of their own parts.
struct Level<W> {
    stride: usize,
    functions: Vec<W>,
    sizes: Vec<usize>,
    missing: Vec<u8>,
    hashes: Vec<u64>,
}

impl<W: Word> Level<W> {
    fn new(stride: usize) -> Self {
        Level { stride, functions: Vec::new(), sizes: Vec::new(), missing: Vec::new(), hashes: Vec::new() }
    }

    fn set(&self, n: usize) -> &[W] {
        &self.functions[n * self.stride..n * self.stride + self.sizes[n]]
    }

    fn push(&mut self, set: &[W], missing: u8, hash: u64) {
        self.functions.extend_from_slice(set);
        self.sizes.push(set.len());
        self.functions.resize(self.sizes.len() * self.stride, W::default());
        self.missing.push(missing);
        self.hashes.push(hash);
    }
}

/// A search under way.
pub struct Beam<'a, W> {
    plan: &'a Plan,
    outputs: &'a [W],
    level: Level<W>,
    selection: Selection<W>,
    scorer: Scorer<W>,
    probe: Scorer<W>,
    grown: Vec<W>,
    /// Sets that hold every output, in the order in which they were found; functions in order of computation.
    pub solutions: Vec<Vec<W>>,
    solved: Hashes,
}

impl<'a, W: Word> Beam<'a, W> {
    /// A search from the inputs for the outputs: at most eight, different, in normal form, no inputs and no constants.
    pub fn new(plan: &'a Plan, inputs: &[W], outputs: &'a [W]) -> Self {
        let scorer = || Scorer::new(plan.weights, plan.xor, inputs.len() as u8);
        let mut beam = Beam {
            plan,
            outputs,
            level: Level::new(inputs.len() + plan.limit),
            selection: Selection::new(plan.width),
            scorer: scorer(),
            probe: scorer(),
            grown: inputs.to_vec(),
            solutions: Vec::new(),
            solved: Hashes::new(),
        };
        let all = ((1u32 << outputs.len()) - 1) as u8;
        let (missing, hash) = close(&mut beam.grown, outputs, all, 1, plan.xor);
        if missing == 0 {
            beam.solutions.push(beam.grown.clone());
        } else if beam.grown.len() + missing.count_ones() as usize <= beam.level.stride {
            beam.level.push(&beam.grown, missing, hash);
        }
        beam
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.level.sizes.len()
    }

    /// Searches one level; false if it was stopped or nothing is left.
    pub fn step(&mut self, stopped: &dyn Fn() -> bool) -> bool {
        self.selection.clear();
        for parent in 0..self.states() {
            if parent % 64 == 0 && stopped() {
                return false;
            }
            self.expand(parent);
        }
        let mut next = Level::new(self.level.stride);
        for kept in self.selection.best() {
            let parent = kept.parent as usize;
            self.grown.clear();
            self.grown.extend_from_slice(self.level.set(parent));
            self.grown.push(kept.gate);
            let hash = self.level.hashes[parent] ^ kept.gate.mixed();
            let (missing, hash) = close(&mut self.grown, self.outputs, self.level.missing[parent], hash, self.plan.xor);
            next.push(&self.grown, missing, hash);
        }
        self.level = next;
        self.states() > 0
    }

    fn expand(&mut self, parent: usize) {
        let (missing, hash) = (self.level.missing[parent], self.level.hashes[parent]);
        let set = self.level.set(parent);
        let room = self.level.stride - set.len();
        if room < 1 + missing.count_ones() as usize {
            return;
        }
        self.scorer.prepare(set, self.outputs, missing);
        for n in 0..self.scorer.reach.len() {
            let gate = self.scorer.reach[n];
            let hash = hash ^ gate.mixed();
            let (worth, hash) = match self.scorer.rate(gate) {
                Rating::Open(worth) => (worth, hash),
                Rating::Closes => {
                    self.grown.clear();
                    self.grown.extend_from_slice(set);
                    self.grown.push(gate);
                    let (left, hash) = close(&mut self.grown, self.outputs, missing, hash, self.plan.xor);
                    if left == 0 {
                        if self.solutions.len() < self.plan.most && self.solved.add(hash) {
                            self.solutions.push(self.grown.clone());
                        }
                        continue;
                    }
                    self.probe.prepare(&self.grown, self.outputs, left);
                    (self.probe.rate_set(), hash)
                }
            };
            let noise = (mix(hash ^ self.plan.seed) >> 40) as u32 % (self.plan.noise + 1);
            let rating = (RATINGS as i32 / 2 - worth).clamp(0, RATINGS as i32 - 1) as u32 + noise;
            let rating = rating.min(RATINGS as u32 - 1);
            self.selection.offer(Candidate { rating, hash, parent: parent as u32, gate });
        }
    }
}

/// Adds every missing output that one gate reaches, again and again; the outputs still missing and the new hash.
fn close<W: Word>(set: &mut Vec<W>, outputs: &[W], missing: u8, hash: u64, xor: bool) -> (u8, u64) {
    let (mut missing, mut hash) = (missing, hash);
    while let Some(k) = (0..outputs.len()).find(|&k| missing >> k & 1 == 1 && reachable(set, outputs[k], xor)) {
        missing &= !(1 << k);
        hash ^= outputs[k].mixed();
        set.push(outputs[k]);
    }
    (missing, hash)
}

fn reachable<W: Word>(set: &[W], t: W, xor: bool) -> bool {
    set.iter().enumerate().any(|(n, &a)| set[..n].iter().any(|&b| makes(a, b, t, xor)))
}

/// Whether one gate of two functions makes a third, all in normal form.
pub fn makes<W: Word>(a: W, b: W, t: W, xor: bool) -> bool {
    a & b == t || a | b == t || (xor && a ^ b == t) || a & !b == t || b & !a == t
}
