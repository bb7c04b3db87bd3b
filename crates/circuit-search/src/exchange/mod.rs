//! Improvement of circuits of two-input gates by local search over the set of functions they compute.
//!
//! What [`circuit::linear::walk`] does for sums: a circuit is the set of its gates' functions, valid if every target can
//! be derived inside the set, each member by one two-input gate from two others, in time. A step takes a member out
//! and, if that breaks a target, tries to mend it by one other function of two members.

pub mod circuit;
pub mod truth;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use ::circuit::linear::vectors::{Multiply, NEVER};
use ::circuit::random::Random;
use truth::Truth;

/// Member `to` is a gate of members `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// First operand.
    pub a: u16,
    /// Second operand.
    pub b: u16,
    /// The gate.
    pub to: u16,
}

/// A walk over sets of functions.
pub struct Exchange<T: Truth> {
    inputs: usize,
    arrival: Vec<u32>,
    values: Vec<T>,
    index: HashMap<T, u16, BuildHasherDefault<Multiply>>,
    /// Latest level of each member that is a target; `None` for the others.
    limits: Vec<Option<u32>>,
    derivations: Vec<Derivation>,
    levels: Vec<u32>,
}

impl<T: Truth> Exchange<T> {
    /// Starts from inputs with their levels, the functions of a circuit's gates, and targets with their latest levels.
    #[must_use]
    pub fn new(inputs: &[(T, u32)], gates: &[T], targets: &[(T, u32)]) -> Self {
        let mut exchange = Exchange {
            inputs: inputs.len(),
            arrival: inputs.iter().map(|i| i.1).collect(),
            values: Vec::new(),
            index: HashMap::default(),
            limits: Vec::new(),
            derivations: Vec::new(),
            levels: Vec::new(),
        };
        for value in inputs.iter().map(|i| i.0).chain(gates.iter().copied()) {
            if value != T::zero() && !exchange.index.contains_key(&value) {
                exchange.push(value);
            }
        }
        for &(target, limit) in targets {
            if let Some(n) = exchange.find(target).filter(|&n| n >= exchange.inputs) {
                exchange.limits[n] = Some(exchange.limits[n].map_or(limit, |l| l.min(limit)));
            }
        }
        exchange.derivations = exchange.all_derivations();
        exchange
    }

    /// Number of gates now.
    #[must_use]
    pub fn cost(&self) -> usize {
        self.values.len() - self.inputs
    }

    /// Whether every target is derived in time.
    pub fn in_time(&mut self) -> bool {
        self.derive(NEVER as usize, &[]);
        (0..self.values.len()).all(|m| self.limits[m].is_none() || !self.is_late(m))
    }

    /// The functions of the gates now.
    #[must_use]
    pub fn gates(&self) -> Vec<T> {
        self.values[self.inputs..].to_vec()
    }

    /// Walks until `patience` steps bring nothing or `stopped` says so; returns the best set of functions met.
    pub fn run(&mut self, patience: u64, slack: usize, random: &mut Random, stopped: &dyn Fn() -> bool) -> Vec<T> {
        let mut best = self.gates();
        let mut idle = 0;
        while idle < patience && self.cost() > 0 {
            idle += 1;
            if idle % 16 == 0 && stopped() {
                break;
            }
            self.step(random);
            if self.cost() < best.len() {
                best = self.gates();
                idle = 0;
            } else if self.cost() < best.len() + slack && random.below(300) == 0 {
                self.widen(random);
            }
        }
        best
    }

    /// Every way to derive a member from two others.
    #[must_use]
    pub fn all_derivations(&self) -> Vec<Derivation> {
        let mut found = Vec::new();
        for a in 0..self.values.len() {
            for b in a + 1..self.values.len() {
                self.derived_by(a, b, &mut found);
            }
        }
        found
    }

    fn derived_by(&self, a: usize, b: usize, found: &mut Vec<Derivation>) {
        for gate in self.values[a].gates(self.values[b]) {
            if let Some(to) = self.find(gate).filter(|&to| to >= self.inputs && to != a && to != b) {
                found.push(Derivation { a: a as u16, b: b as u16, to: to as u16 });
            }
        }
    }

    fn find(&self, value: T) -> Option<usize> {
        self.index.get(&value).map(|&n| usize::from(n))
    }

    fn push(&mut self, value: T) {
        self.index.insert(value, self.values.len() as u16);
        self.values.push(value);
        self.limits.push(None);
        self.levels.push(NEVER);
    }

    /// Takes a member out, or changes one, if the targets stay derived.
    fn step(&mut self, random: &mut Random) {
        let n = self.inputs + random.below(self.cost());
        if self.limits[n].is_some() {
            return;
        }
        self.derive(n, &[]);
        let late: Vec<usize> = (0..self.values.len()).filter(|&m| m != n && self.is_late(m)).collect();
        if !late.iter().any(|&m| self.limits[m].is_some()) {
            self.remove(n);
            return;
        }
        let wanted = random.pick(&late);
        let mut menders = self.menders(n, wanted);
        for _ in 0..menders.len().min(4) {
            let (value, a, b) = menders.swap_remove(random.below(menders.len()));
            let old = self.swap(n, value);
            let mut extra = vec![Derivation { a, b, to: n as u16 }];
            for other in (0..self.values.len()).filter(|&m| m != n) {
                self.derived_by(other, n, &mut extra);
            }
            self.derive(n, &extra);
            if (0..self.values.len()).all(|m| self.limits[m].is_none() || !self.is_late(m)) {
                self.refresh(n);
                return;
            }
            self.swap(n, old);
            self.derive(n, &[]);
        }
    }

    /// Adds a function with which two members are derived in a new way, if there is one at the first tries.
    fn widen(&mut self, random: &mut Random) {
        for _ in 0..200 {
            let [a, b] = [0; 2].map(|_| random.below(self.values.len()));
            let value = self.values[a].gates(self.values[b])[random.below(5)];
            if a == b || value == T::zero() || self.find(value).is_some() {
                continue;
            }
            let uses = self.values.iter().filter(|&&v| self.find(v.xor(value)).is_some()).count();
            if uses >= 4 || (uses >= 2 && random.below(4) == 0) {
                self.push(value);
                self.refresh(self.values.len() - 1);
                return;
            }
        }
    }

    fn remove(&mut self, n: usize) {
        let last = self.values.len() - 1;
        self.derivations.retain(|d| [d.a, d.b, d.to].iter().all(|&m| usize::from(m) != n));
        for d in &mut self.derivations {
            for m in [&mut d.a, &mut d.b, &mut d.to] {
                if usize::from(*m) == last {
                    *m = n as u16;
                }
            }
        }
        self.index.remove(&self.values[n]);
        self.values.swap_remove(n);
        self.limits.swap_remove(n);
        self.levels.swap_remove(n);
        if n < self.values.len() {
            self.index.insert(self.values[n], n as u16);
        }
    }

    fn swap(&mut self, n: usize, value: T) -> T {
        let old = std::mem::replace(&mut self.values[n], value);
        self.index.remove(&old);
        self.index.insert(value, n as u16);
        old
    }

    /// Brings the derivations up to date after member `n` changed.
    fn refresh(&mut self, n: usize) {
        let mut list = std::mem::take(&mut self.derivations);
        list.retain(|d| [d.a, d.b, d.to].iter().all(|&m| usize::from(m) != n));
        let value = self.values[n];
        for a in (0..self.values.len()).filter(|&a| a != n) {
            self.derived_by(a, n, &mut list);
            for b in (a + 1..self.values.len()).filter(|&b| b != n) {
                if self.values[a].gates(self.values[b]).contains(&value) {
                    list.push(Derivation { a: a as u16, b: b as u16, to: n as u16 });
                }
            }
        }
        self.derivations = list;
    }

    fn is_late(&self, m: usize) -> bool {
        self.levels[m] > self.limits[m].unwrap_or(NEVER - 1)
    }

    /// Functions of two derived members from which, with a third one, `wanted` is derived; member `n` is out.
    fn menders(&self, n: usize, wanted: usize) -> Vec<(T, u16, u16)> {
        let derived: Vec<usize> =
            (0..self.values.len()).filter(|&m| m != n && m != wanted && self.levels[m] != NEVER).collect();
        let target = self.values[wanted];
        let is_derived = |m: usize| m != n && m != wanted && self.levels[m] != NEVER;
        // Products are tried exhaustively only where that is quick.
        let thorough = self.values.len() < 48;
        let mut found = Vec::new();
        for (i, &a) in derived.iter().enumerate() {
            for &b in &derived[i + 1..] {
                for value in self.values[a].gates(self.values[b]) {
                    let by_sum = self.find(value.xor(target)).is_some_and(is_derived);
                    if (by_sum || thorough && self.by_product(&derived, value, target))
                        && value != T::zero()
                        && self.find(value).is_none()
                    {
                        found.push((value, a as u16, b as u16));
                    }
                }
            }
        }
        found
    }

    fn by_product(&self, derived: &[usize], value: T, target: T) -> bool {
        let (inside, outside) = (target.without(value), value.without(target));
        if inside != T::zero() && outside != T::zero() {
            // Neither contains the other: only `s & ~value` is left, which needs target and value apart.
            return target.and(value) == T::zero() && derived.iter().any(|&s| self.values[s].without(value) == target);
        }
        derived.iter().any(|&s| self.values[s].gates(value)[1..].contains(&target))
    }

    /// The level of every member, with member `n` derived only by `extra`.
    fn derive(&mut self, n: usize, extra: &[Derivation]) {
        self.levels.fill(NEVER);
        self.levels[..self.inputs].copy_from_slice(&self.arrival);
        // Ends: levels only fall.
        let mut changed = true;
        while changed {
            changed = false;
            let old = self.derivations.iter().filter(|d| [d.a, d.b, d.to].iter().all(|&m| usize::from(m) != n));
            for d in old.chain(extra) {
                let level = self.levels[usize::from(d.a)].max(self.levels[usize::from(d.b)]).saturating_add(1);
                if level < self.levels[usize::from(d.to)] {
                    self.levels[usize::from(d.to)] = level;
                    changed = true;
                }
            }
        }
    }
}
