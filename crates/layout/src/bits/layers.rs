//! The layers of a walked block: the sums that operations of one depth enter before what is not linear comes next.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::Function;

use super::document::{BitLayer, Group, Place, Row};
use super::graph::{Held, Kind, Node};
use super::walk::Walk;

/// The columns that a layer is asked for.
struct Columns {
    kind: &'static str,
    depth: u32,
    groups: Vec<usize>,
}

/// A row over the columns, still numbered as sources.
struct Sum {
    node: u32,
    at: Held,
    sink: usize,
    sources: Vec<u32>,
}

/// The layers of a block, each with those beside it that are the same.
#[must_use]
pub fn layers(walk: &Walk<'_>, function: &Function, block: usize) -> Vec<BitLayer> {
    let mut found: Vec<BitLayer> = Vec::new();
    for columns in asked(walk) {
        let mut here: Vec<BitLayer> = Vec::new();
        for part in parts(walk, &columns) {
            let layer = layer(walk, function, block, &columns, &part);
            match here.iter_mut().find(|l| l.is_same(&layer)) {
                Some(known) => known.count += 1,
                None => here.push(layer),
            }
        }
        found.append(&mut here);
    }
    found
}

/// The S-boxes of each depth; what a loop carries; other operations of each depth; all of these together.
fn asked(walk: &Walk<'_>) -> Vec<Columns> {
    let groups = &walk.graph.groups;
    let of = |kind: &'static str, depth: u32, is: &dyn Fn(Kind) -> bool| {
        let groups = (0..groups.len()).filter(|&g| groups[g].depth == depth && is(groups[g].kind)).collect();
        Columns { kind, depth, groups }
    };
    let deepest = groups.iter().map(|g| g.depth).max().unwrap_or(0);
    let is_operation = |kind: Kind| matches!(kind, Kind::Operation(name) if name != "rounds" && name != "steps");
    let mut found: Vec<Columns> = (1..=deepest).map(|d| of("boxes", d, &|k| k == Kind::Box)).collect();
    found.push(of("state", 0, &|k| k == Kind::State));
    found.extend((1..=deepest).map(|d| of("operations", d, &is_operation)));
    let is_any = |kind: Kind| matches!(kind, Kind::State | Kind::Box) || is_operation(kind);
    let all = (0..groups.len()).filter(|&g| is_any(groups[g].kind));
    found.push(Columns { kind: "all", depth: 0, groups: all.collect() });
    found.retain(|c| !c.groups.is_empty());
    found
}

/// The rows of some columns, each sum once.
fn rows(walk: &Walk<'_>, columns: &Columns) -> Vec<Sum> {
    let graph = &walk.graph;
    let wanted: BTreeSet<usize> = columns.groups.iter().copied().collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    // What the block gives comes last among the sinks, and first here: its words are the widest.
    let order = (walk.first_output..walk.sinks.len()).chain(0..walk.first_output);
    for number in order {
        let sink = &walk.sinks[number];
        for (bit, b) in sink.bits.iter().enumerate() {
            let of = |s: &&u32| wanted.contains(&graph.sources[**s as usize].group);
            let sources: Vec<u32> = graph.sums[b.node as usize].iter().filter(of).copied().collect();
            if !sources.is_empty() && seen.insert(sources.clone()) {
                let at = Held { value: sink.value, element: sink.element, bit: bit as u8 };
                found.push(Sum { node: b.node, at, sink: number, sources });
            }
        }
    }
    found
}

/// Rows that share no column with others, apart; all that add nothing stay together.
fn parts(walk: &Walk<'_>, columns: &Columns) -> Vec<Vec<Sum>> {
    let rows = rows(walk, columns);
    let group = |s: u32| walk.graph.sources[s as usize].group;
    let mut parent: BTreeMap<usize, usize> = columns.groups.iter().map(|&g| (g, g)).collect();
    fn root(parent: &BTreeMap<usize, usize>, mut g: usize) -> usize {
        while parent[&g] != g {
            g = parent[&g];
        }
        g
    }
    for row in &rows {
        let first = root(&parent, group(row.sources[0]));
        for &source in &row.sources[1..] {
            let other = root(&parent, group(source));
            parent.insert(other, first);
        }
    }
    let sums: BTreeSet<usize> =
        rows.iter().filter(|r| r.sources.len() > 1).map(|r| root(&parent, group(r.sources[0]))).collect();
    let mut found: BTreeMap<Option<usize>, Vec<Sum>> = BTreeMap::new();
    let mut order = Vec::new();
    for row in rows {
        let place = root(&parent, group(row.sources[0]));
        let key = sums.contains(&place).then_some(place);
        if !order.contains(&key) {
            order.push(key);
        }
        found.entry(key).or_default().push(row);
    }
    order.iter().filter_map(|key| found.remove(key)).collect()
}

fn layer(walk: &Walk<'_>, function: &Function, block: usize, columns: &Columns, rows: &[Sum]) -> BitLayer {
    let graph = &walk.graph;
    let used: BTreeSet<usize> =
        rows.iter().flat_map(|r| &r.sources).map(|&s| graph.sources[s as usize].group).collect();
    let place = |held: &Held| Place {
        value: function.values[held.value.0 as usize].name.clone(),
        element: held.element,
        bit: held.bit,
    };
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    let mut groups = Vec::new();
    for &g in &used {
        let group = &graph.groups[g];
        for &source in &group.sources {
            numbers.insert(source, numbers.len());
        }
        let kind = match group.kind {
            Kind::Operation(name) => name,
            Kind::State => "state",
            Kind::Box => "box",
            Kind::Outside => "outside",
        };
        let bits = group.sources.iter().map(|&s| place(&graph.sources[s as usize].held)).collect();
        let (table, outputs) = group.table.clone().unwrap_or_default();
        groups.push(Group { kind, name: group.name.clone(), bits, table, outputs });
    }
    let mut written = Written { nodes: &graph.nodes, numbers: &numbers, wires: BTreeMap::new(), steps: Vec::new() };
    let rows: Vec<Row> = rows
        .iter()
        .map(|row| Row {
            at: place(&row.at),
            sink: row.sink,
            columns: row.sources.iter().map(|s| numbers[s]).collect(),
            wire: written.wire(row.node).expect("a row is no empty sum"),
        })
        .collect();
    let steps = written.steps;
    let (name, kind, depth) = (function.name.clone(), columns.kind, columns.depth);
    BitLayer { function: name, block, kind, depth, groups, rows, steps, count: 1 }
}

/// The exclusive ors as the program writes them, of the columns alone.
struct Written<'a> {
    nodes: &'a [Node],
    numbers: &'a BTreeMap<u32, usize>,
    wires: BTreeMap<u32, Option<usize>>,
    steps: Vec<(usize, usize)>,
}

impl Written<'_> {
    fn wire(&mut self, node: u32) -> Option<usize> {
        // Nodes stand behind those that they add, so that a list takes the place of deep recursion.
        let mut waiting = vec![node];
        while let Some(&next) = waiting.last() {
            if self.wires.contains_key(&next) {
                waiting.pop();
                continue;
            }
            let wire = match self.nodes[next as usize] {
                Node::Zero => None,
                Node::Source(source) => self.numbers.get(&source).copied(),
                Node::Xor(a, b) => match (self.wires.get(&a).copied(), self.wires.get(&b).copied()) {
                    (Some(x), Some(y)) => self.sum(x, y),
                    _ => {
                        waiting.extend([a, b]);
                        continue;
                    }
                },
            };
            self.wires.insert(next, wire);
        }
        self.wires[&node]
    }

    fn sum(&mut self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        let (Some(x), Some(y)) = (a, b) else { return a.or(b) };
        if x == y {
            return None;
        }
        let pair = (x.min(y), x.max(y));
        let place = self.steps.iter().position(|&s| s == pair).unwrap_or_else(|| {
            self.steps.push(pair);
            self.steps.len() - 1
        });
        Some(self.numbers.len() + place)
    }
}
