//! All caps at once: whether every operation finds a slot within its window.
//!
//! With a length given, each operation has a window of cycles: from its earliest one to the last that leaves its tail.
//! Caps that contain one another or have no class in common form a forest in each cycle, so that operations, windows and
//! caps make a network whose largest flow says whether all operations fit. If they do not, no schedule has that length.
//! Precedence is not looked at again, caps that cross others are left out, and an operation of several slots takes one:
//! all of this only makes more lengths possible.

use std::collections::BTreeMap;

use super::flow::Network;
use super::Windows;
use crate::graph::{Graph, Resources};

/// Networks with more arcs than this are not built: the bound then stays as it is.
const MOST_ARCS: usize = 3_000_000;

/// Operations that do not fit: how many, and the slots that there are for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    pub operations: u32,
    pub slots: u32,
}

/// Tries one length; none if all operations fit, or if the network would be too large.
pub(super) fn excess(graph: &Graph, resources: &Resources, windows: &Windows, length: u32) -> Option<Excess> {
    let forest = Forest::new(resources);
    let mut groups: BTreeMap<(usize, i32, i32), u32> = BTreeMap::new();
    for (op, &class) in graph.classes.iter().enumerate() {
        let Some(leaf) = forest.leaf[usize::from(class)] else { continue };
        let last = length as i32 - 1 - windows.tail[op];
        *groups.entry((leaf, windows.earliest[op], last)).or_default() += 1;
    }
    let arcs: i64 = groups.keys().map(|&(_, first, last)| i64::from((last - first + 1).max(0))).sum();
    if arcs as usize > MOST_ARCS {
        return None;
    }
    let (source, sink) = (0, 1);
    let node = |cap: usize, cycle: i32| 2 + cap + forest.caps.len() * cycle as usize;
    let first_group = node(0, length as i32);
    let mut network = Network::new(first_group + groups.len());
    for cycle in 0..length as i32 {
        for (cap, &(limit, parent)) in forest.caps.iter().enumerate() {
            network.arc(node(cap, cycle), parent.map_or(sink, |up| node(up, cycle)), limit);
        }
    }
    let mut wanted = 0;
    for (k, (&(leaf, first, last), &count)) in groups.iter().enumerate() {
        network.arc(source, first_group + k, count);
        (first..=last).for_each(|cycle| network.arc(first_group + k, node(leaf, cycle), count));
        wanted += count;
    }
    let flow = network.largest(source, sink);
    if flow == wanted {
        return None;
    }
    let stuck = network.reached(source);
    let counts = groups.values().enumerate().filter(|(k, _)| stuck[first_group + k]).map(|(_, count)| *count);
    let operations: u32 = counts.sum();
    Some(Excess { operations, slots: flow - (wanted - operations) })
}

/// Caps of which any two contain one another or have no class in common.
struct Forest {
    /// Limit and the smallest cap that contains it.
    caps: Vec<(u32, Option<usize>)>,
    /// Of each class the smallest cap that counts it.
    leaf: Vec<Option<usize>>,
}

impl Forest {
    /// Takes caps in their order as long as they do not cross.
    fn new(resources: &Resources) -> Forest {
        let mut kept: Vec<(u32, Vec<bool>)> = Vec::new();
        for cap in &resources.caps {
            let counts: Vec<bool> = cap.takes.iter().map(|t| *t > 0).collect();
            let crosses = kept.iter().any(|(_, other)| {
                let both = counts.iter().zip(other).any(|(a, b)| *a && *b);
                both && !within(&counts, other) && !within(other, &counts)
            });
            if !crosses && kept.iter().all(|(_, other)| *other != counts) {
                kept.push((cap.limit, counts));
            }
        }
        // Smaller caps first, so that the first one that contains a set is the smallest.
        kept.sort_by_key(|(_, counts)| counts.iter().filter(|c| **c).count());
        let parent = |k: usize| (k + 1..kept.len()).find(|&up| within(&kept[k].1, &kept[up].1));
        let caps = (0..kept.len()).map(|k| (kept[k].0, parent(k))).collect();
        let leaf = |class: usize| kept.iter().position(|(_, counts)| counts[class]);
        Forest { caps, leaf: (0..resources.classes.len()).map(leaf).collect() }
    }
}

fn within(inner: &[bool], outer: &[bool]) -> bool {
    inner.iter().zip(outer).all(|(a, b)| !a || *b)
}
