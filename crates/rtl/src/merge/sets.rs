//! Operators that play the same part in several alternatives, merged together.
//!
//! Pair by pair, merging stops where the multiplexers of one pair cost more than its operators: what both give to the next pair
//! counts only when that is merged too. So whole sets are tried: all operators of some modes against those of others that serve the
//! results in the same way, from the most to the least; a set stays merged where the graph got smaller.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use program::ir::Program;

use super::cost;
use super::graph::{Graph, Kind, Modes, Src};
use super::greedy::{State, LEAST};
use super::reach::{needs, Needs};

const LEVELS: usize = 16;
/// Operators beyond which sets are not tried: every try looks at all of them.
const MOST: usize = 1500;

/// Merges sets while that saves gates.
pub(super) fn merge(program: &Program, graph: &mut Graph) {
    if graph.nodes.iter().filter(|n| n.modes != 0).count() > MOST {
        return;
    }
    let parts = parts(graph);
    let mut refused: BTreeSet<(Modes, Modes)> = BTreeSet::new();
    let mut before = total(program, graph);
    // Ends: each iteration but the last saves at least `LEAST` gates.
    'again: loop {
        for (modes, pairs) in candidates(graph, &parts) {
            if refused.contains(&modes) {
                continue;
            }
            let mut tried = graph.clone();
            apply(program, &mut tried, &pairs);
            let after = total(program, &tried);
            if before - after >= LEAST {
                (*graph, before) = (tried, after);
                continue 'again;
            }
            refused.insert(modes);
        }
        return;
    }
}

/// Gates of all operators and of what chooses words.
pub(super) fn total(program: &Program, graph: &Graph) -> f64 {
    let nodes = graph.nodes.iter().filter(|n| n.modes != 0);
    let mut list = Vec::new();
    let mut gates = 0.0;
    for node in nodes {
        gates += cost::operator(program, node);
        node.inputs.iter().zip(&node.widths).for_each(|(choice, width)| cost::bases(graph, choice, *width, &mut list));
    }
    graph.outputs.iter().for_each(|(choice, width)| cost::bases(graph, choice, *width, &mut list));
    let mut known = BTreeSet::new();
    list.retain(|(choice, _)| known.insert(choice.clone()));
    gates + list.iter().map(|(choice, width)| cost::choice(choice, *width)).sum::<f64>()
}

/// Merges what is still two operators, neither of which depends on the other.
fn apply(program: &Program, graph: &mut Graph, pairs: &[(u32, u32)]) {
    for &(a, b) in pairs {
        if graph.nodes[a as usize].modes == 0 || graph.nodes[b as usize].modes == 0 {
            continue;
        }
        let found = State::new(program, graph).pair(a, b);
        if let Some((_, exchanged)) = found {
            graph.merge(a, b, exchanged);
            graph.close();
        }
    }
}

/// Two sets of modes, and operators of one with those of the other.
type Candidate = ((Modes, Modes), Vec<(u32, u32)>);

/// Per two disjoint sets of modes, the operators of one with those of the other that play the same part; most pairs first.
fn candidates(graph: &Graph, parts: &[u64]) -> Vec<Candidate> {
    let mut of_modes: BTreeMap<Modes, BTreeMap<u64, Vec<u32>>> = BTreeMap::new();
    for (n, node) in graph.nodes.iter().enumerate().filter(|(_, n)| n.modes != 0) {
        of_modes.entry(node.modes).or_default().entry(parts[n]).or_default().push(n as u32);
    }
    let mut list = Vec::new();
    for (at, (a, first)) in of_modes.iter().enumerate() {
        for (b, second) in of_modes.iter().skip(at + 1).filter(|(b, _)| a & *b == 0) {
            let same = |(part, nodes): (&u64, &Vec<u32>)| {
                let others = second.get(part).filter(|others| others.len() == nodes.len())?;
                Some(nodes.iter().copied().zip(others.iter().copied()).collect::<Vec<_>>())
            };
            let mut pairs: Vec<(u32, u32)> = first.iter().filter_map(same).flatten().collect();
            pairs.sort_unstable();
            if pairs.len() > 1 {
                list.push(((*a, *b), pairs));
            }
        }
    }
    list.sort_by_key(|(_, pairs)| std::cmp::Reverse(pairs.len()));
    list
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Per operator a label of what it is and how the results come from it.
fn parts(graph: &Graph) -> Vec<u64> {
    let needs = needs(graph);
    let of = |n: &super::graph::Node| hash(&(n.kind.class(), &n.widths, &n.results));
    let kinds: Vec<u64> = graph.nodes.iter().map(of).collect();
    let mut labels = kinds.clone();
    for _ in 0..LEVELS {
        labels = next(graph, &needs, &kinds, &labels);
    }
    labels
}

fn next(graph: &Graph, needs: &Needs, kinds: &[u64], labels: &[u64]) -> Vec<u64> {
    let mut sums = vec![0u64; graph.nodes.len()];
    let mut add = |src: Src, user: u64| {
        for one in needs.of(src) {
            let label = hash(&(user, way(graph, src, one)));
            sums[one as usize] = sums[one as usize].wrapping_add(label);
        }
    };
    for (n, node) in graph.nodes.iter().enumerate().filter(|(_, n)| n.modes != 0) {
        for (at, choice) in node.inputs.iter().enumerate() {
            let at = if matches!(node.kind, Kind::Add { .. }) || node.commutes() { 0 } else { at };
            choice.iter().for_each(|(src, _)| add(*src, hash(&(at, labels[n]))));
        }
    }
    for (slot, (choice, _)) in graph.outputs.iter().enumerate() {
        choice.iter().for_each(|(src, _)| add(*src, hash(&("result", slot))));
    }
    kinds.iter().zip(sums).map(|(kind, sum)| hash(&(kind, sum))).collect()
}

/// The wires between an operator and a word.
fn way(graph: &Graph, src: Src, from: u32) -> u64 {
    match src {
        Src::Result(node, k) if node == from => hash(&("this", k)),
        Src::Wire(w) => {
            let wire = &graph.wires[w as usize];
            let list: Vec<u64> = wire.from.iter().map(|src| way(graph, *src, from)).collect();
            hash(&(&wire.kind, wire.width, list))
        }
        _ => 0,
    }
}
