//! Lower bounds: no schedule is shorter, whoever made it.

mod dag;
mod flow;
mod langevin_cerny;
mod matching;
mod recurrence;
mod slots;
#[cfg(test)]
mod tests;
mod words;

pub use dag::verify;
pub(crate) use dag::Dag;
pub use recurrence::{interval, recurrence, resource};

use crate::graph::{Cap, Graph, Resources};
use langevin_cerny::Direction;

/// A number of cycles that no schedule goes below.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Bound {
    /// Cycles: of straight-line code its length, of a loop the initiation interval.
    pub cycles: u32,
    /// The argument.
    pub kind: Kind,
    /// The argument in words: the path with its operations, or the cap and its window.
    pub why: String,
}

/// The argument of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The longest path of latencies.
    CriticalPath,
    /// Operations of a cap divided by its slots.
    Cap,
    /// The recursive bound of Langevin and Cerny.
    LangevinCerny,
    /// No matching of operations with slots under all caps at once, in the windows that the recursive bound leaves.
    Matching,
    /// A loop: a cycle of dependences from iteration to iteration.
    Recurrence,
    /// A loop: operations of a cap in one iteration divided by its slots.
    Resource,
}

/// Of each operation, bounds that hold in every schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// No schedule issues it before this cycle.
    pub earliest: Vec<i32>,
    /// At least so many cycles lie between its issue and the last issue.
    pub tail: Vec<i32>,
}

/// The bounds of each operation by the argument of Langevin and Cerny, from the start and from the end.
///
/// # Panics
/// If the graph was not checked by [`verify`]; so do all functions of this module.
#[must_use]
pub fn windows(graph: &Graph, resources: &Resources) -> Windows {
    let dag = Dag::new(graph).expect("the graph was verified");
    Windows {
        earliest: langevin_cerny::earliest(&dag, graph, resources, Direction::Forward),
        tail: langevin_cerny::earliest(&dag.reversed(), graph, resources, Direction::Backward),
    }
}

/// The bounds of the operations of a graph, and the best bound on its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// Of each operation.
    pub windows: Windows,
    /// Of the whole.
    pub bound: Bound,
}

impl Bounded {
    /// Finds them.
    #[must_use]
    pub fn new(graph: &Graph, resources: &Resources) -> Bounded {
        let windows = windows(graph, resources);
        let bound = lower_bound_of(graph, resources, &windows);
        Bounded { windows, bound }
    }
}

/// The longest path of latencies through one iteration.
#[must_use]
pub fn critical_path(graph: &Graph) -> Bound {
    let dag = Dag::new(graph).expect("the graph was verified");
    let start = dag.longest();
    let cycles = start.iter().max().map_or(0, |last| *last as u32 + 1);
    Bound { cycles, kind: Kind::CriticalPath, why: words::path(&dag, &start) }
}

/// The busiest cap. What is held beyond the last issue is not counted.
#[must_use]
pub fn busiest_cap(graph: &Graph, resources: &Resources) -> Bound {
    busiest(graph, resources, &|cap| cap.longest() - 1)
}

/// The busiest cap, of whose slots so many cycles are left out as lie beyond the end.
fn busiest(graph: &Graph, resources: &Resources, beyond: &dyn Fn(&Cap) -> u32) -> Bound {
    let counted = |cap: &Cap, cycles: u32, count: u32, what: &str| {
        (cycles, format!("{count} {what} under the cap `{}` of {} per cycle", cap.name, cap.limit))
    };
    let of = |cap: &Cap| {
        let sum = |after: u32| -> u32 { graph.classes.iter().map(|&c| cap.slots(usize::from(c), after)).sum() };
        let (issued, held) = (sum(0), (0..cap.longest()).map(sum).sum::<u32>());
        let limit = cap.limit.max(1);
        let plain = counted(cap, issued.div_ceil(limit), issued, "operations");
        let cycles = held.div_ceil(limit).saturating_sub(beyond(cap));
        let longer = counted(cap, cycles, held, "cycles that operations hold units");
        if longer.0 > plain.0 {
            longer
        } else {
            plain
        }
    };
    let (cycles, why) = resources.caps.iter().map(of).max_by_key(|c| c.0).unwrap_or((0, "no cap".into()));
    Bound { cycles, kind: Kind::Cap, why }
}

/// Lengths that are tried for a matching; it gains a cycle or two at most.
const MATCHINGS: u32 = 4;

/// The best bound on the length of one iteration; of equal ones the simplest argument.
#[must_use]
pub fn lower_bound(graph: &Graph, resources: &Resources) -> Bound {
    Bounded::new(graph, resources).bound
}

fn lower_bound_of(graph: &Graph, resources: &Resources, windows: &Windows) -> Bound {
    let simple = [critical_path(graph), busiest_cap(graph, resources)];
    let recursive = words::recursive(graph, resources, windows);
    let best = simple.into_iter().chain([recursive]).reduce(|a, b| if b.cycles > a.cycles { b } else { a });
    let mut best = best.expect("three bounds");
    for _ in 0..MATCHINGS {
        let Some(excess) = matching::excess(graph, resources, windows, best.cycles) else { break };
        let why = words::matching(&excess, best.cycles);
        best = Bound { cycles: best.cycles + 1, kind: Kind::Matching, why };
    }
    best
}
