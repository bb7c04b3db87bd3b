//! Choices that pay off only together: all users of a group of classes take them at once, if that makes the whole cheaper.

use super::cover::{Aims, Cover};
use super::terms::ClassId;

impl Cover {
    /// Lets the users of each group take it, where that lowers the cost of the whole and does not lengthen its longest way;
    /// for groups that are wanted in any case.
    pub(super) fn together(&mut self, groups: &[(Vec<ClassId>, bool)], roots: &[ClassId], aims: Aims<'_>) {
        let mut best = self.recount(roots, aims);
        let users = if groups.is_empty() { Vec::new() } else { self.users() };
        for (members, wanted) in groups {
            let before = self.chosen.clone();
            self.turn_to(members, &users);
            self.recount(roots, aims);
            self.improve_beside(&before, &users, aims);
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

    /// Of each class those that have a match on it, each once, in order.
    fn users(&self) -> Vec<Vec<usize>> {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.matches.len()];
        for (class, matches) in self.matches.iter().enumerate() {
            for &leaf in matches.iter().flat_map(|m| &m.leaves) {
                if users[leaf as usize].last() != Some(&class) {
                    users[leaf as usize].push(class);
                }
            }
        }
        users
    }

    /// Every class that a member can give takes its cheapest match on a member.
    fn turn_to(&mut self, members: &[ClassId], users: &[Vec<usize>]) {
        let mut is_member = vec![false; self.matches.len()];
        members.iter().for_each(|&m| is_member[m as usize] = true);
        for &class in members.iter().flat_map(|&m| &users[m as usize]) {
            if is_member[class] {
                continue;
            }
            let matches = self.matches[class].iter().enumerate();
            let on_member = matches.filter(|(_, m)| m.leaves.iter().any(|&l| is_member[l as usize]));
            let best = on_member.min_by_key(|(k, m)| (self.prices.of(m), *k)).map(|(k, _)| k);
            self.chosen[class] = best.or(self.chosen[class]);
        }
    }

    /// Lets the classes that may use what has changed choose anew.
    fn improve_beside(&mut self, before: &[Option<usize>], users: &[Vec<usize>], aims: Aims<'_>) {
        let changed: Vec<bool> = self.chosen.iter().zip(before).map(|(a, b)| a != b).collect();
        let mut beside = vec![false; changed.len()];
        for class in (0..changed.len()).filter(|&c| changed[c]) {
            users[class].iter().for_each(|&user| beside[user] = true);
        }
        for class in (0..changed.len()).filter(|&c| beside[c] && !changed[c]) {
            self.improve(class, aims);
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
