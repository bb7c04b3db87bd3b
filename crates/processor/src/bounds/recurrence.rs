//! Bounds on the initiation interval of a loop.

use super::{busiest, words, Bound, Kind};
use crate::graph::{Graph, Resources};

/// The smallest initiation interval that any software pipeline may have: the larger of recurrence and resource bound.
#[must_use]
pub fn interval(graph: &Graph, resources: &Resources) -> Bound {
    let (chain, caps) = (recurrence(graph), resource(graph, resources));
    if chain.cycles > caps.cycles {
        chain
    } else {
        caps
    }
}

/// The resource bound: what the operations of one iteration take and hold of each cap, divided by its slots; at least 1.
#[must_use]
pub fn resource(graph: &Graph, resources: &Resources) -> Bound {
    let busiest = busiest(graph, resources, &|_| 0);
    Bound { cycles: busiest.cycles.max(1), kind: Kind::Resource, why: busiest.why }
}

/// The recurrence bound, exact: the smallest interval at which no recurrence needs more cycles than it has.
///
/// Binary search over the interval; each is tried by Bellman and Ford's longest paths.
#[must_use]
pub fn recurrence(graph: &Graph) -> Bound {
    let longest: i64 = graph.edges.iter().map(|e| i64::from(e.latency.max(0))).sum();
    let (mut low, mut high) = (0, longest.max(0));
    let mut chain = Vec::new();
    while low < high {
        let middle = low + (high - low) / 2;
        match positive_cycle(graph, middle) {
            Some(found) => (low, chain) = (middle + 1, found),
            None => high = middle,
        }
    }
    let why = if chain.is_empty() {
        "no recurrence".into()
    } else {
        let latency: i64 = chain.iter().map(|&e| i64::from(graph.edges[e].latency)).sum();
        let iterations: u64 = chain.iter().map(|&e| u64::from(graph.edges[e].distance)).sum();
        let ops: Vec<usize> = chain.iter().map(|&e| graph.edges[e].from as usize).collect();
        let iterations = if iterations == 1 { "one iteration".into() } else { format!("{iterations} iterations") };
        format!("a recurrence of {latency} cycles in {iterations}: operations {}", words::list(&ops))
    };
    Bound { cycles: low.max(1) as u32, kind: Kind::Recurrence, why }
}

/// A dependence cycle whose latencies exceed its distances times the interval, as indices of edges; none if there is none.
fn positive_cycle(graph: &Graph, interval: i64) -> Option<Vec<usize>> {
    let n = graph.classes.len();
    let mut start = vec![0_i64; n];
    let mut by = vec![usize::MAX; n];
    let mut raised = 0;
    for _ in 0..=n {
        raised = usize::MAX;
        for (k, edge) in graph.edges.iter().enumerate() {
            let (from, to) = (edge.from as usize, edge.to as usize);
            let value = start[from] + i64::from(edge.latency) - interval * i64::from(edge.distance);
            if value > start[to] {
                (start[to], by[to], raised) = (value, k, to);
            }
        }
        if raised == usize::MAX {
            return None;
        }
    }
    let mut at = raised;
    for _ in 0..n {
        at = graph.edges[by[at]].from as usize;
    }
    let (first, mut chain) = (at, Vec::new());
    loop {
        chain.push(by[at]);
        at = graph.edges[by[at]].from as usize;
        if at == first {
            break;
        }
    }
    chain.reverse();
    Some(chain)
}
