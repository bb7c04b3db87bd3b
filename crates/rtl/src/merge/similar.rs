//! How alike the surroundings of two operators are, to choose among pairs that save the same.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::graph::{Graph, Kind, Src};
use super::reach::Needs;

const LEVELS: usize = 8;

/// Labels of every operator: what it is made from and what is made from it, to a growing distance.
pub(super) struct Similarity {
    below: Vec<Vec<u64>>,
    above: Vec<Vec<u64>>,
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Similarity {
    pub fn new(graph: &Graph, needs: &Needs) -> Self {
        let mut below = vec![graph.nodes.iter().map(|n| hash(&(n.kind.class(), &n.results))).collect::<Vec<u64>>()];
        let mut above = vec![vec![0; graph.nodes.len()]];
        for level in 0..LEVELS {
            below.push(next_below(graph, &below[level]));
            above.push(next_above(graph, needs, &above[level], &below[level.min(1)]));
        }
        Similarity { below, above }
    }

    /// Number of labels that are equal.
    pub fn of(&self, a: u32, b: u32) -> usize {
        let equal = |levels: &[Vec<u64>]| levels.iter().filter(|l| l[a as usize] == l[b as usize]).count();
        equal(&self.below) + equal(&self.above)
    }
}

/// A label of a word; the operator `marked` stands out.
fn label(graph: &Graph, src: Src, labels: &[u64], marked: Option<u32>) -> u64 {
    match src {
        Src::Result(node, k) if Some(node) == marked => hash(&("this", k)),
        Src::Result(node, k) => hash(&(labels[node as usize], k)),
        Src::Wire(w) => {
            let wire = &graph.wires[w as usize];
            let from: Vec<u64> = wire.from.iter().map(|src| label(graph, *src, labels, marked)).collect();
            hash(&(&wire.kind, wire.width, from))
        }
        other => hash(&other),
    }
}

fn next_below(graph: &Graph, labels: &[u64]) -> Vec<u64> {
    let of = |n: &super::graph::Node| {
        // An operator that was merged into another has inputs no more.
        if n.modes == 0 {
            return 0;
        }
        let inputs = n.inputs.iter();
        let mut list: Vec<u64> = inputs
            .map(|c| c.iter().fold(0u64, |sum, (src, _)| sum.wrapping_add(label(graph, *src, labels, None))))
            .collect();
        if n.commutes() {
            list.sort_unstable();
        }
        hash(&(n.kind.class(), list))
    };
    graph.nodes.iter().map(of).collect()
}

fn next_above(graph: &Graph, needs: &Needs, labels: &[u64], below: &[u64]) -> Vec<u64> {
    let mut sums = vec![0u64; graph.nodes.len()];
    for (n, node) in graph.nodes.iter().enumerate().filter(|(_, n)| n.modes != 0) {
        for (at, choice) in node.inputs.iter().enumerate() {
            let at = if matches!(node.kind, Kind::Add { .. }) || node.commutes() { 0 } else { at };
            for &(src, _) in choice {
                for one in needs.of(src) {
                    let others: u64 = node
                        .inputs
                        .iter()
                        .flatten()
                        .fold(0, |sum, (src, _)| sum.wrapping_add(label(graph, *src, below, Some(one))));
                    let use_label = hash(&(node.kind.class(), at, others, labels[n]));
                    sums[one as usize] = sums[one as usize].wrapping_add(use_label);
                }
            }
        }
    }
    for (slot, (choice, _)) in graph.outputs.iter().enumerate() {
        for &(src, _) in choice {
            for one in needs.of(src) {
                let use_label = hash(&("result", slot, label(graph, src, below, Some(one))));
                sums[one as usize] = sums[one as usize].wrapping_add(use_label);
            }
        }
    }
    sums
}
