//! Which bytes are kept together in a word.
//!
//! A group is an ordered list of byte values that one word stands for; lane 0 is the lowest byte. Groups begin where words come
//! from (rows of retyped arrays, results of a matrix, bytes carried by a loop) and spread through bitwise operations
//! both of whose sides are words already. A byte is in one group at most.

use std::collections::{HashMap, HashSet};

use super::facts::{byte_runs, Facts};
use super::shape::shape_quality;
use crate::ir::{Binary, Block, Loop, Op, OpKind, Operand, ValueId};

/// Groups of one function.
#[derive(Debug, Default)]
pub struct Groups {
    /// The lanes of each group.
    pub list: Vec<Vec<ValueId>>,
    /// Group and lane of a byte.
    pub home: HashMap<ValueId, (usize, usize)>,
    /// For each loop (named by its first result), the runs of carried bytes that become words: start and length.
    pub carried: HashMap<ValueId, Vec<(usize, usize)>>,
}

/// What has been tried and did not work out: groups by their lowest byte.
pub type RefusedGroups = HashSet<ValueId>;

/// Finds the groups of a function.
pub fn find(facts: &Facts<'_>, tables: &[crate::ir::Table], most: usize) -> Groups {
    let mut refused = RefusedGroups::new();
    loop {
        let mut finder = Finder { facts, most, refused: &refused, groups: Groups::default() };
        finder.block(&facts.function.body);
        let groups = finder.groups;
        let worse = not_worth_carrying(facts, &groups, tables, &facts.function.body);
        let circular = super::circular::groups_in_circles(facts, &groups);
        if worse.is_empty() && circular.is_empty() {
            return groups;
        }
        // Ends: each iteration refuses a value that was not refused, and there are so many values.
        let before = refused.len();
        refused.extend(worse);
        refused.extend(circular);
        assert!(refused.len() > before, "groups of bytes were refused before");
    }
}

struct Finder<'a> {
    facts: &'a Facts<'a>,
    most: usize,
    refused: &'a RefusedGroups,
    groups: Groups,
}

impl Finder<'_> {
    fn add(&mut self, lanes: Vec<ValueId>) {
        let number = self.groups.list.len();
        for (lane, &v) in lanes.iter().enumerate() {
            self.groups.home.insert(v, (number, lane));
        }
        self.groups.list.push(lanes);
    }

    /// Cuts a run into groups of the most bytes, then of four; the rest stay single.
    fn add_run(&mut self, run: &[ValueId]) {
        for (start, count) in pieces(run.len(), self.most) {
            self.add(run[start..start + count].to_vec());
        }
    }

    fn block(&mut self, block: &Block) {
        for op in &block.ops {
            match &op.kind {
                OpKind::Load(array, addresses) if addresses.len() == 1 => {
                    if let Some(&lanes) = self.facts.rows.get(array) {
                        op.results.chunks(lanes).for_each(|chunk| self.add(chunk.to_vec()));
                    }
                }
                OpKind::Linear(..) if self.facts.is_byte(op.results[0]) => self.add_run(&op.results),
                OpKind::Loop(l) => self.carried(op, l),
                _ => self.bitwise(op),
            }
        }
    }

    fn carried(&mut self, op: &Op, l: &Loop) {
        let mut accepted = Vec::new();
        for (start, count) in byte_runs(self.facts, op, l) {
            for (offset, lanes) in pieces(count, self.most) {
                if !self.refused.contains(&op.results[start + offset]) {
                    accepted.push((start + offset, lanes));
                }
            }
        }
        for body in &l.bodies {
            for &(start, lanes) in &accepted {
                self.add(body.params[start + 1..=start + lanes].to_vec());
            }
            self.block(body);
        }
        for &(start, lanes) in &accepted {
            self.add(op.results[start..start + lanes].to_vec());
        }
        self.groups.carried.insert(op.results[0], accepted);
    }

    /// Tries to make a group of bitwise operations, this one being its lane 0.
    fn bitwise(&mut self, op: &Op) {
        let first = op.results[0];
        if self.groups.home.contains_key(&first) || self.refused.contains(&first) {
            return;
        }
        let Some((kind, a, b)) = self.facts.bitwise(first) else { return };
        for (side, other) in [(a, b), (b, a)] {
            let Operand::Value(v) = side else { continue };
            let Some(&(group, 0)) = self.groups.home.get(&v) else { continue };
            if let Some(lanes) = self.lanes_beside(first, kind, group, other) {
                self.add(lanes);
                return;
            }
        }
    }

    fn lanes_beside(&self, first: ValueId, kind: Binary, group: usize, other: Operand) -> Option<Vec<ValueId>> {
        let mut lanes = vec![first];
        let members = &self.groups.list[group];
        for (n, &member) in members.iter().enumerate().skip(1) {
            let next = self.partner(first, kind, member, &lanes, &|o| self.follows(other, o, n, members.len()))?;
            lanes.push(next);
        }
        Some(lanes)
    }

    /// A result of the same kind of operation on `member`, in the same block, whose other operand is as wanted.
    fn partner(
        &self,
        first: ValueId,
        kind: Binary,
        member: ValueId,
        taken: &[ValueId],
        wanted: &dyn Fn(Operand) -> bool,
    ) -> Option<ValueId> {
        let block = self.facts.def(first).block;
        for &(user, number) in self.facts.users(member) {
            let v = user.results[0];
            let Some((found, a, b)) = self.facts.bitwise(v) else { continue };
            let other = if a == Operand::Value(member) { b } else { a };
            let free = number == block && !self.groups.home.contains_key(&v) && !taken.contains(&v);
            if found == kind && free && wanted(other) {
                return Some(v);
            }
        }
        None
    }

    /// Whether an operand stands `n` lanes after another in a word (or both are numbers, or bytes in a row in memory).
    fn follows(&self, first: Operand, then: Operand, n: usize, count: usize) -> bool {
        let (Operand::Value(a), Operand::Value(b)) = (first, then) else {
            return matches!((first, then), (Operand::Const(_), Operand::Const(_)));
        };
        if let (Some(&(g, x)), Some(&(h, y))) = (self.groups.home.get(&a), self.groups.home.get(&b)) {
            let size = self.groups.list[g].len();
            return g == h && size == count && (x + n) % size == y;
        }
        if let (Some((w, x)), Some((u, y))) = (self.facts.byte_of_word(a), self.facts.byte_of_word(b)) {
            return w == u && self.facts.word_bytes(w) == Some(count) && (x + n) % count == y;
        }
        match (self.facts.byte_load(a), self.facts.byte_load(b)) {
            (Some((p, x)), Some((q, y))) => p == q && x + n as i64 == y,
            _ => false,
        }
    }
}

/// Cuts a run of bytes into words of `most` bytes, then of four.
pub fn pieces(count: usize, most: usize) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut start = 0;
    for size in [most, 4] {
        while size <= most && count - start >= size {
            list.push((start, size));
            start += size;
        }
    }
    list
}

/// Carried groups whose next words would only be put together from single bytes.
fn not_worth_carrying(facts: &Facts<'_>, groups: &Groups, tables: &[crate::ir::Table], block: &Block) -> Vec<ValueId> {
    let mut worse = Vec::new();
    for op in &block.ops {
        let OpKind::Loop(l) = &op.kind else { continue };
        for &(start, lanes) in &groups.carried[&op.results[0]] {
            let good = |body: &Block| {
                let next = &body.outputs[start..start + lanes];
                shape_quality(facts, groups, tables, next, facts.body_number(body))
            };
            if !l.bodies.iter().all(good) {
                worse.push(op.results[start]);
            }
        }
        l.bodies.iter().for_each(|body| worse.extend(not_worth_carrying(facts, groups, tables, body)));
    }
    worse
}
