//! Where values are used.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::state::State;
use crate::code::{Code, Instruction, Item, Loop, Source, Value};

/// The position of a use that does not come.
pub const NEVER: u64 = 1 << 60;

/// The positions at which sources are read, and where loops begin and end.
#[derive(Debug)]
pub struct Uses {
    values: Value,
    at: Vec<Vec<u32>>,
    spans: HashMap<usize, (u32, u32)>,
    /// The position of the last instruction.
    pub last: u32,
}

impl Uses {
    pub fn new(code: &Code) -> Self {
        let mut new = Uses {
            values: code.values,
            at: vec![Vec::new(); State::index(code.values, Source::Number(255)) + 1],
            spans: HashMap::new(),
            last: 0,
        };
        new.number(&code.items);
        new
    }

    /// Numbers the instructions; returns what is used from outside of these items.
    fn number(&mut self, items: &[Item]) -> BTreeSet<Source> {
        let mut seen = UseSets::default();
        for item in items {
            match item {
                Item::Instruction(i) => self.number_one(i, &mut seen),
                Item::Loop(l) => self.number_loop(l, &mut seen),
            }
        }
        seen.needed.retain(|s| s.value().map_or(true, |v| !seen.made.contains(&v)));
        seen.needed
    }

    fn number_one(&mut self, i: &Instruction, seen: &mut UseSets) {
        self.last += 1;
        for s in i.sources() {
            self.read(s, seen);
        }
        seen.made.extend(i.results());
    }

    fn number_loop(&mut self, l: &Loop, seen: &mut UseSets) {
        self.last += 1;
        for (_, init, _) in &l.carried {
            self.read(*init, seen);
        }
        self.read(Source::Value(l.counter), seen);
        let start = self.last;
        let params: HashSet<Value> = l.carried.iter().map(|(p, _, _)| *p).collect();
        let mut below = self.number(&l.body);
        self.last += 1;
        for (_, _, out) in &l.carried {
            self.read(*out, seen);
        }
        below.retain(|s| s.value().map_or(true, |v| !params.contains(&v)));
        below.insert(Source::Value(l.counter));
        for s in below {
            self.read(s, seen);
        }
        self.spans.insert(l.id, (start, self.last));
        seen.made.extend(&l.results);
        seen.made.extend(&params);
        seen.needed.retain(|s| s.value().map_or(true, |v| !params.contains(&v)));
    }

    fn read(&mut self, s: Source, seen: &mut UseSets) {
        self.add(s, self.last);
        if s.value().map_or(true, |v| !seen.made.contains(&v)) {
            seen.needed.insert(s);
        }
    }

    /// Adds a use behind all others.
    pub fn add(&mut self, s: Source, position: u32) {
        self.at[State::index(self.values, s)].push(position);
    }

    /// Where a source is used.
    pub fn of(&self, s: Source) -> &[u32] {
        &self.at[State::index(self.values, s)]
    }

    /// The position of the next use after a position, or [`NEVER`].
    pub fn next(&self, s: Source, after: u32) -> u64 {
        let uses = self.of(s);
        uses.get(uses.partition_point(|at| *at <= after)).map_or(NEVER, |at| u64::from(*at))
    }

    /// Where a loop begins and ends.
    pub fn span(&self, l: &Loop) -> (u32, u32) {
        self.spans[&l.id]
    }

    /// The numbers that are used within a span, ascending.
    pub fn numbers_within(&self, (start, end): (u32, u32)) -> Vec<i32> {
        (0..=255).filter(|n| self.of(Source::Number(*n)).iter().any(|at| start < *at && *at <= end)).collect()
    }
}

#[derive(Default)]
struct UseSets {
    made: HashSet<Value>,
    needed: BTreeSet<Source>,
}
