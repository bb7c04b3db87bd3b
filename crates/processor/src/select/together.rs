//! Choices that pay off only together: all users of a group of classes take them at once, if that makes the whole cheaper.

use std::collections::HashSet;

use super::cover::{Aims, Cover};
use super::terms::ClassId;

impl Cover {
    /// Lets the users of each group take it, where that lowers the cost of the whole and does not lengthen its longest way;
    /// for groups that are wanted in any case.
    pub(super) fn together(&mut self, groups: &[(Vec<ClassId>, bool)], roots: &[ClassId], aims: Aims<'_>) {
        let mut best = self.recount(roots, aims);
        for (members, wanted) in groups {
            let before = self.chosen.clone();
            self.turn_to(&members.iter().copied().collect());
            self.recount(roots, aims);
            self.improve_beside(&before, aims);
            let found = self.recount(roots, aims);
            let in_time = aims.depth.is_none() || found.1 <= best.1;
            if *wanted || (found.0 < best.0 && in_time) {
                best = found;
            } else {
                self.chosen = before;
            }
        }
        self.recount(roots, aims);
    }

    /// Every class that a member can give takes its cheapest match on a member.
    fn turn_to(&mut self, members: &HashSet<ClassId>) {
        for class in 0..self.matches.len() {
            if members.contains(&(class as ClassId)) {
                continue;
            }
            let matches = self.matches[class].iter().enumerate();
            let on_member = matches.filter(|(_, m)| m.leaves.iter().any(|l| members.contains(l)));
            let best = on_member.min_by_key(|(k, m)| (self.prices.of(m), *k)).map(|(k, _)| k);
            self.chosen[class] = best.or(self.chosen[class]);
        }
    }

    /// Lets the classes that may use what has changed choose anew.
    fn improve_beside(&mut self, before: &[Option<usize>], aims: Aims<'_>) {
        let changed: Vec<bool> = self.chosen.iter().zip(before).map(|(a, b)| a != b).collect();
        for class in 0..self.matches.len() {
            if !changed[class] && self.matches[class].iter().flat_map(|m| &m.leaves).any(|&l| changed[l as usize]) {
                self.improve(class, aims);
            }
        }
    }

    /// Counts uses anew; gives the cost of the whole and when the last root is there.
    fn recount(&mut self, roots: &[ClassId], aims: Aims<'_>) -> (u64, u32) {
        self.uses.fill(0);
        self.prices.forget_load();
        let cost = roots.iter().map(|&root| self.take(root)).sum();
        (0..self.matches.len()).for_each(|class| self.time(class, aims.timing));
        (cost, roots.iter().map(|&r| self.ready[r as usize].0).max().unwrap_or(0))
    }
}
