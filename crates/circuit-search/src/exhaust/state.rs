//! A set of functions at hand, what one gate makes of them, and whether so many more gates complete the outputs.

use std::cell::RefCell;

use super::orbits::{gates, Normal, INPUTS};

/// Outputs that are still to be computed, at most eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingOutputs {
    items: [Normal; 8],
    len: usize,
}

impl MissingOutputs {
    /// The given outputs.
    #[must_use]
    pub fn new(outputs: &[Normal]) -> Self {
        let mut items = [0; 8];
        items[..outputs.len()].copy_from_slice(outputs);
        MissingOutputs { items, len: outputs.len() }
    }

    /// As a slice.
    #[must_use]
    pub fn get(&self) -> &[Normal] {
        &self.items[..self.len]
    }

    /// Without one.
    #[must_use]
    pub fn without(&self, gone: Normal) -> Self {
        let mut rest = MissingOutputs { items: [0; 8], len: 0 };
        for &y in self.get().iter().filter(|&&y| y != gone) {
            rest.items[rest.len] = y;
            rest.len += 1;
        }
        rest
    }
}

/// More functions than any circuit here has inputs and gates.
const BLOCK: usize = 32;

/// Functions at hand and the candidates that one gate makes of them, grown and shrunk as a stack.
pub struct State {
    nodes: Vec<Normal>,
    /// The same, in a block of fixed size, which a few vector instructions compare; unused places are 0.
    block: [Normal; BLOCK],
    candidates: Vec<Normal>,
    lengths: Vec<usize>,
    seen: Vec<u64>,
    hits: Vec<Vec<Normal>>,
    found: RefCell<Vec<Normal>>,
    /// How many sets were looked at.
    pub visited: u64,
}

impl State {
    /// The inputs alone.
    #[must_use]
    pub fn new() -> Self {
        let mut state = State {
            nodes: Vec::new(),
            block: [0; BLOCK],
            candidates: Vec::new(),
            lengths: Vec::new(),
            seen: vec![0; 512],
            hits: vec![Vec::new(); 8],
            found: RefCell::default(),
            visited: 0,
        };
        state.mark(0);
        for f in INPUTS {
            state.mark(f);
            state.push(f);
        }
        state
    }

    /// The gates of the last circuit found.
    #[must_use]
    pub fn found(&self) -> Vec<Normal> {
        self.found.borrow().clone()
    }

    /// The functions at hand, the inputs first.
    #[must_use]
    pub fn nodes(&self) -> &[Normal] {
        &self.nodes
    }

    /// What one gate makes of them.
    #[must_use]
    pub fn candidates(&self) -> &[Normal] {
        &self.candidates
    }

    /// Whether a function is at hand or one gate away.
    #[must_use]
    pub fn near(&self, f: Normal) -> bool {
        self.seen[usize::from(f >> 7)] >> (f >> 1 & 63) & 1 == 1
    }

    fn mark(&mut self, f: Normal) -> bool {
        let word = &mut self.seen[usize::from(f >> 7)];
        let bit = 1 << (f >> 1 & 63);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes a function in hand.
    pub fn push(&mut self, f: Normal) {
        self.lengths.push(self.candidates.len());
        for n in 0..self.nodes.len() {
            for g in gates(f, self.nodes[n]) {
                if self.mark(g) {
                    self.candidates.push(g);
                }
            }
        }
        self.block[self.nodes.len()] = f;
        self.nodes.push(f);
    }

    /// Gives the last function back.
    pub fn pop(&mut self) {
        self.nodes.pop();
        self.block[self.nodes.len()] = 0;
        let length = self.lengths.pop().unwrap_or(0);
        for n in length..self.candidates.len() {
            let f = self.candidates[n];
            self.seen[usize::from(f >> 7)] &= !(1 << (f >> 1 & 63));
        }
        self.candidates.truncate(length);
    }

    /// Whether the outputs can be completed with `free` gates beside them, those before candidate `from` left out.
    ///
    /// An output that is one gate away is taken at once: its gate has to be paid for anyway.
    pub fn complete(&mut self, missing: MissingOutputs, free: usize, from: usize) -> bool {
        let (mut missing, mut taken) = (missing, 0);
        while let Some(&y) = missing.get().iter().find(|&&y| self.near(y)) {
            self.push(y);
            taken += 1;
            missing = missing.without(y);
        }
        self.visited += 1;
        let found = match free {
            _ if missing.get().is_empty() => self.record(&[]),
            0 => false,
            1 => self.last(missing),
            2 => self.last_two(missing),
            _ => self.branch(missing, free, from),
        };
        (0..taken).for_each(|_| self.pop());
        found
    }

    fn branch(&mut self, missing: MissingOutputs, free: usize, from: usize) -> bool {
        (from..self.candidates.len()).any(|n| {
            self.push(self.candidates[n]);
            let found = self.complete(missing, free - 1, n + 1);
            self.pop();
            found
        })
    }

    /// One free gate `g`: the next output is `g` and one function at hand.
    fn last(&mut self, missing: MissingOutputs) -> bool {
        let mut hits = std::mem::take(&mut self.hits[0]);
        let found = missing.get().iter().any(|&y| {
            hits.clear();
            self.enabling(y, &mut hits);
            hits.iter().any(|&g| self.finishes(&[g, y], missing.without(y)))
        });
        self.hits[0] = hits;
        found
    }

    /// Two free gates: either one of them alone lets an output be computed, or the next output needs both.
    fn last_two(&mut self, missing: MissingOutputs) -> bool {
        let mut hits = std::mem::take(&mut self.hits[1]);
        hits.clear();
        for &y in missing.get() {
            self.enabling(y, &mut hits);
        }
        hits.sort_unstable();
        hits.dedup();
        let found = hits.iter().any(|&g| {
            self.push(g);
            let found = self.complete(missing, 1, 0);
            self.pop();
            found
        });
        self.hits[1] = hits;
        found || missing.get().iter().any(|&y| self.of_two(y, missing) || self.of_a_chain(y, missing))
    }

    /// Candidates `g` such that `y` is a gate of `g` and a function at hand.
    fn enabling(&self, y: Normal, hits: &mut Vec<Normal>) {
        hits.extend(self.nodes.iter().map(|&x| y ^ x).filter(|&g| self.near(g)));
        // One pass without branches tells that no function at hand can make y by and or or: the usual case.
        let related = self.nodes.iter().fold(false, |any, &x| any | (y & !x == 0) | (y & x == 0) | (x & !y == 0));
        if related {
            for (mask, value) in self.nodes.iter().flat_map(|&x| demands(y, x)) {
                scan(&self.candidates, mask, value, hits);
            }
        }
    }

    /// `y` is a gate of two candidates.
    fn of_two(&mut self, y: Normal, missing: MissingOutputs) -> bool {
        let rest = missing.without(y);
        let mut taken = [2, 3, 4].map(|n| std::mem::take(&mut self.hits[n]));
        taken.iter_mut().for_each(Vec::clear);
        let [above, below, apart] = &mut taken;
        scan(&self.candidates, y, y, above);
        scan(&self.candidates, !y, 0, below);
        scan(&self.candidates, y, 0, apart);
        let pair = |a: Normal, b: Normal| self.finishes(&[a, b, y], rest);
        let found = self.candidates.iter().any(|&g| self.near(y ^ g) && y ^ g > g && pair(g, y ^ g))
            || above.iter().any(|&a| above.iter().any(|&b| a & b == y && pair(a, b)))
            || above.iter().any(|&a| apart.iter().any(|&b| a & !b == y && pair(a, b)))
            || below.iter().any(|&a| below.iter().any(|&b| a | b == y && pair(a, b)));
        for (n, list) in taken.into_iter().enumerate() {
            self.hits[2 + n] = list;
        }
        found
    }

    /// `y` is a gate of `z` and `h`, `h` a gate of `x` and a candidate; `x` and `z` at hand.
    fn of_a_chain(&mut self, y: Normal, missing: MissingOutputs) -> bool {
        let rest = missing.without(y);
        let mut hits = std::mem::take(&mut self.hits[5]);
        let found = self.nodes.iter().any(|&z| {
            hits.clear();
            self.enabling(y ^ z, &mut hits);
            let exact = hits.iter().any(|&g| self.finishes(&[g, y ^ z, y], rest));
            exact || self.related(y, z) && self.of_a_loose_chain(y, z, rest, &mut hits)
        });
        self.hits[5] = hits;
        found
    }

    fn of_a_loose_chain(&self, y: Normal, z: Normal, rest: MissingOutputs, hits: &mut Vec<Normal>) -> bool {
        demands(y, z).any(|(mask, value)| {
            self.nodes.iter().filter(|&&x| x != z).any(|&x| {
                hits.clear();
                self.partial(mask, value, x, hits);
                // Which gate of the candidate and x it is, is found by trying them: hits are few.
                hits.iter().any(|&g| gates(g, x).iter().any(|&h| h & mask == value && self.finishes(&[g, h, y], rest)))
            })
        })
    }

    fn related(&self, y: Normal, x: Normal) -> bool {
        y & !x == 0 || y & x == 0 || x & !y == 0
    }

    /// Candidates of which, with `x`, a gate makes a function with the given bits under the mask.
    fn partial(&self, mask: Normal, value: Normal, x: Normal, hits: &mut Vec<Normal>) {
        let list = &self.candidates;
        scan(list, mask, value ^ (x & mask), hits);
        if value & !x == 0 {
            scan(list, mask & x, value, hits);
            scan(list, mask & x, (x & mask) ^ value, hits);
        }
        if value & x == 0 {
            scan(list, mask & !x, value, hits);
        }
        if x & mask & !value == 0 {
            scan(list, mask & !x, value & !x, hits);
        }
    }

    /// Whether outputs alone complete the circuit once some functions are taken in hand too.
    pub fn finishes(&self, taken: &[Normal], missing: MissingOutputs) -> bool {
        let mut new = [0; 16];
        new[..taken.len()].copy_from_slice(taken);
        let (mut len, mut missing) = (taken.len(), missing);
        while !missing.get().is_empty() {
            let next = missing.get().iter().find(|&&y| self.near(y) || self.made(y, &new[..len]));
            let Some(&y) = next else { return false };
            new[len] = y;
            len += 1;
            missing = missing.without(y);
        }
        self.record(&new[..len])
    }

    /// Whether `y` is a gate of one of the new functions and another.
    fn made(&self, y: Normal, new: &[Normal]) -> bool {
        new.iter().any(|&g| one_gate(y, g, &self.block))
            || new.iter().enumerate().any(|(n, &g)| new[..n].iter().any(|&h| gates(g, h).contains(&y)))
    }

    fn record(&self, extra: &[Normal]) -> bool {
        *self.found.borrow_mut() = self.nodes[4..].iter().chain(extra).copied().collect();
        true
    }
}

impl Default for State {
    fn default() -> Self {
        State::new()
    }
}

/// Masks and values that a function must have under them for a gate of it and `x`, other than exclusive or, to be `y`.
fn demands(y: Normal, x: Normal) -> impl Iterator<Item = (Normal, Normal)> {
    let inside = y & !x == 0;
    let outside = y & x == 0;
    let over = x & !y == 0;
    [(inside, x, y), (inside, x, y ^ x), (outside, !x, y), (over, !x, y & !x)]
        .into_iter()
        .filter(|d| d.0)
        .map(|(_, mask, value)| (mask, value))
}

fn scan(list: &[Normal], mask: Normal, value: Normal, hits: &mut Vec<Normal>) {
    for block in list.chunks(32) {
        // Counted first, without a branch, so that blocks without a hit, nearly all, go by in a few instructions.
        if block.iter().fold(0u16, |n, &g| n | u16::from(g & mask == value)) != 0 {
            hits.extend(block.iter().filter(|&&g| g & mask == value));
        }
    }
}

/// Whether `y` is a gate of `g` and one of the nodes, or `g` itself.
fn one_gate(y: Normal, g: Normal, nodes: &[Normal; BLOCK]) -> bool {
    // Sums of comparisons, not `any`: without branches the block is compared in a few vector instructions.
    let mut equal = 0u16;
    for &x in nodes {
        equal |= u16::from(g & x == y) | u16::from(g & !x == y) | u16::from(x & !g == y);
        equal |= u16::from(g | x == y) | u16::from(g ^ x == y);
    }
    equal != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries every candidate and every output in every order.
    fn plainly(state: &mut State, missing: MissingOutputs, free: usize) -> bool {
        let tried = |state: &mut State, f: Normal, missing: MissingOutputs, free: usize| {
            state.push(f);
            let found = plainly(state, missing, free);
            state.pop();
            found
        };
        if let Some(&y) = missing.get().iter().find(|&&y| state.near(y)) {
            return tried(state, y, missing.without(y), free);
        }
        missing.get().is_empty()
            || (free > 0 && (0..state.candidates.len()).any(|n| tried(state, state.candidates[n], missing, free - 1)))
    }

    #[test]
    fn the_last_two_gates_are_found_exactly_when_trying_all_finds_them() {
        let mut seed = 7u64;
        let mut random = move |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        let mut counts = [0; 2];
        for round in 0..2000 {
            let mut state = State::new();
            for _ in 0..random(4) {
                state.push(state.candidates[random(state.candidates.len())]);
            }
            let depth = state.nodes.len();
            let free = 1 + round % 2;
            // Outputs some gates beyond what is at hand, so that both answers occur.
            let mut outputs = Vec::new();
            let between = free + random(2);
            for n in 0..between + 2 + random(2) {
                let y = state.candidates[random(state.candidates.len())];
                state.push(y);
                if n >= between {
                    outputs.push(y);
                }
            }
            (depth..state.nodes.len()).for_each(|_| state.pop());
            let missing = MissingOutputs::new(&outputs);
            let expected = plainly(&mut state, missing, free);
            assert_eq!(state.complete(missing, free, 0), expected, "round {round}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().all(|&n| n > 30), "{counts:?}");
    }
}
