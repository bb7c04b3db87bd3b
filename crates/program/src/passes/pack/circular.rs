//! Groups that would have to be ready before themselves.
//!
//! A word is made in one go, so everything that any of its lanes needs must be there before every lane; where one lane
//! needs another of the same word (perhaps through other words), the group has to be given up.

use std::collections::{HashMap, HashSet};

use super::facts::{all_uses, Facts};
use super::groups::Groups;
use crate::ir::{Block, OpKind, ValueId};
use crate::walk::for_each_block;

/// The lowest bytes of groups to give up so that no circle is left that this look finds.
pub fn groups_in_circles(facts: &Facts<'_>, groups: &Groups) -> HashSet<ValueId> {
    let mut found = HashSet::new();
    for_each_block(&facts.function.body, &mut |block| {
        if let Some(first) = Graph::new(facts, groups, block).circle() {
            found.insert(first);
        }
    });
    found
}

/// Operations of a block, those of a group being one node; edges lead to what a node needs.
struct Graph {
    edges: Vec<Vec<usize>>,
    group_of: Vec<Option<ValueId>>,
}

impl Graph {
    fn new(facts: &Facts<'_>, groups: &Groups, block: &Block) -> Self {
        let (mut node_of, mut group_node) = (HashMap::new(), HashMap::new());
        let mut graph = Graph { edges: Vec::new(), group_of: Vec::new() };
        for op in &block.ops {
            let home = groups.home.get(&op.results[0]).filter(|_| facts.bitwise(op.results[0]).is_some());
            let node = match home {
                Some(&(group, _)) => {
                    *group_node.entry(group).or_insert_with(|| graph.node(Some(groups.list[group][0])))
                }
                None => graph.node(None),
            };
            node_of.extend(op.results.iter().map(|&r| (r, node)));
        }
        for op in &block.ops {
            let node = node_of[&op.results[0]];
            all_uses(op, &mut |v| {
                if let Some(&needed) = node_of.get(&v) {
                    let itself = needed == node && matches!(op.kind, OpKind::Loop(_));
                    if !itself {
                        graph.edges[node].push(needed);
                    }
                }
            });
        }
        graph
    }

    fn node(&mut self, group: Option<ValueId>) -> usize {
        self.edges.push(Vec::new());
        self.group_of.push(group);
        self.edges.len() - 1
    }

    /// A group on some circle.
    fn circle(&self) -> Option<ValueId> {
        let mut state = vec![0u8; self.edges.len()];
        for start in 0..self.edges.len() {
            if state[start] != 0 {
                continue;
            }
            let mut path = vec![(start, 0)];
            state[start] = 1;
            while let Some((node, next)) = path.last_mut() {
                let Some(&needed) = self.edges[*node].get(*next) else {
                    state[*node] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[needed] {
                    0 => {
                        state[needed] = 1;
                        path.push((needed, 0));
                    }
                    1 => return self.last_group(&path, needed),
                    _ => {}
                }
            }
        }
        None
    }

    fn last_group(&self, path: &[(usize, usize)], back_to: usize) -> Option<ValueId> {
        let start = path.iter().position(|&(node, _)| node == back_to)?;
        path[start..].iter().rev().find_map(|&(node, _)| self.group_of[node])
    }
}
