//! Improvement of a program by local search over the set of its sums.
//!
//! A program is seen as the set of sums it computes: it is valid if every target can be derived inside the set, each
//! member as the sum of two others, in time. A step takes one member out. If the targets are still derived, a XOR is
//! saved; if not, one other sum of two members is looked for that mends what broke, and the walk goes on from there at
//! equal size. Programs of equal size that compute other sums are so connected, which re-synthesis of a fixed graph
//! (as in Lin, Xiang, Zeng, Zhang 2021) does in single places.

use crate::linear::matrix::Matrix;
use crate::linear::vectors::{Vectors, NEVER};
use crate::random::Random;

/// How long a walk goes on.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps tried since the last improvement.
    pub patience: u64,
    /// Sums more than the best set that the walk may hold for a while.
    pub slack: usize,
}

/// A walk over sets of sums.
pub struct Walk<'a> {
    arrival: &'a [u32],
    set: Vectors,
    /// Latest level of each member that is a target; `None` for the others.
    limits: Vec<Option<u32>>,
    triples: Vec<[u16; 3]>,
    levels: Vec<u32>,
}

impl<'a> Walk<'a> {
    /// Starts from the sums of a program; `limits` has the latest level of each row, or is empty.
    #[must_use]
    pub fn new(matrix: &Matrix, sums: &[u128], arrival: &'a [u32], limits: &[u32]) -> Self {
        let set = Vectors::new(matrix.inputs, sums);
        let mut latest: Vec<Option<u32>> = vec![None; set.len()];
        for (n, &row) in matrix.rows.iter().enumerate().filter(|(_, r)| r.count_ones() > 1) {
            if let Some(place) = set.find(row) {
                let limit = limits.get(n).copied().unwrap_or(NEVER - 1);
                latest[place] = Some(latest[place].map_or(limit, |l: u32| l.min(limit)));
            }
        }
        let triples = set.triples();
        Walk { arrival, levels: vec![0; set.len()], set, limits: latest, triples }
    }

    /// Number of XORs now.
    #[must_use]
    pub fn cost(&self) -> usize {
        self.set.len() - self.set.inputs
    }

    /// Walks until patience ends or `stopped` says so; returns the best set of sums met.
    pub fn run(&mut self, effort: Effort, random: &mut Random, stopped: &dyn Fn() -> bool) -> Vec<u128> {
        let mut best = self.sums();
        let mut idle = 0;
        while idle < effort.patience && self.cost() > 0 {
            idle += 1;
            if idle % 256 == 0 && stopped() {
                break;
            }
            self.step(random);
            if self.cost() < best.len() {
                best = self.sums();
                idle = 0;
            } else if self.cost() < best.len() + effort.slack && random.below(400) == 0 {
                self.widen(random);
            }
        }
        best
    }

    fn sums(&self) -> Vec<u128> {
        self.set.values()[self.set.inputs..].to_vec()
    }

    /// Takes a member out, or changes one, if the targets stay derived.
    fn step(&mut self, random: &mut Random) {
        let n = self.set.inputs + random.below(self.cost());
        if self.limits[n].is_some() {
            return;
        }
        self.derive(n, None);
        let broken: Vec<usize> = (0..self.set.len()).filter(|&m| m != n && self.is_late(m)).collect();
        if !broken.iter().any(|&m| self.limits[m].is_some()) {
            self.remove(n);
            return;
        }
        let wanted = self.set.values()[random.pick(&broken)];
        let mut menders = self.menders(n, wanted);
        for _ in 0..menders.len().min(6) {
            let sum = menders.swap_remove(random.below(menders.len()));
            self.derive(n, Some(sum));
            if (0..self.set.len()).all(|m| m == n || self.limits[m].is_none() || !self.is_late(m)) {
                self.set.replace(n, sum);
                self.triples = self.set.triples();
                return;
            }
        }
    }

    /// Adds a sum that is derived in two ways, if there is one at the first tries.
    fn widen(&mut self, random: &mut Random) {
        for _ in 0..200 {
            let [a, b] = [0; 2].map(|_| random.below(self.set.len()));
            let sum = self.set.values()[a] ^ self.set.values()[b];
            if sum == 0 || self.set.find(sum).is_some() {
                continue;
            }
            let ways = self.set.values().iter().filter(|&&v| self.set.find(v ^ sum).is_some()).count();
            if ways >= 4 {
                self.set.push(sum);
                self.limits.push(None);
                self.levels.push(0);
                self.triples = self.set.triples();
                return;
            }
        }
    }

    fn remove(&mut self, n: usize) {
        self.set.remove(n);
        self.limits.swap_remove(n);
        self.levels.pop();
        self.triples = self.set.triples();
    }

    fn is_late(&self, m: usize) -> bool {
        self.levels[m] > self.limits[m].unwrap_or(NEVER - 1)
    }

    /// Sums of two derived members with which a third derived member gives `wanted`, member `n` being out.
    fn menders(&self, n: usize, wanted: u128) -> Vec<u128> {
        let values = self.set.values();
        let is_derived = |m: usize| m != n && self.levels[m] != NEVER;
        let derived: Vec<u128> = (0..values.len()).filter(|&m| is_derived(m)).map(|m| values[m]).collect();
        let mut found = Vec::new();
        for (i, &a) in derived.iter().enumerate() {
            for &b in &derived[i + 1..] {
                let third = self.set.find(wanted ^ a ^ b).filter(|&m| is_derived(m));
                if third.is_some() && self.set.find(a ^ b).is_none() {
                    found.push(a ^ b);
                }
            }
        }
        found
    }

    /// The level of every member with member `n` out, or with `sum` in its place.
    fn derive(&mut self, n: usize, sum: Option<u128>) {
        self.levels.fill(NEVER);
        for k in 0..self.set.inputs {
            self.levels[k] = self.arrival.get(k).copied().unwrap_or(0);
        }
        let extra: Vec<[u16; 3]> = sum.map_or_else(Vec::new, |sum| self.triples_with(n, sum));
        // Ends: levels only fall.
        let mut changed = true;
        while changed {
            changed = false;
            let old = self.triples.iter().filter(|t| t.iter().all(|&m| usize::from(m) != n));
            for t in old.chain(&extra) {
                let [a, b, c] = t.map(usize::from);
                let [x, y, z] = [self.levels[a], self.levels[b], self.levels[c]];
                let (to, level) = match (x.max(y), x.max(z), y.max(z)) {
                    (xy, _, _) if xy < z.saturating_sub(1) => (c, xy + 1),
                    (_, xz, _) if xz < y.saturating_sub(1) => (b, xz + 1),
                    (_, _, yz) if yz < x.saturating_sub(1) => (a, yz + 1),
                    _ => continue,
                };
                if to >= self.set.inputs {
                    self.levels[to] = level;
                    changed = true;
                }
            }
        }
    }

    fn triples_with(&self, n: usize, sum: u128) -> Vec<[u16; 3]> {
        let values = self.set.values();
        let mut triples = Vec::new();
        for (i, &v) in values.iter().enumerate().filter(|(i, _)| *i != n) {
            if let Some(j) = self.set.find(v ^ sum).filter(|&j| j > i && j != n) {
                triples.push([i as u16, j as u16, n as u16]);
            }
        }
        triples
    }
}
