//! The dependences of one iteration as adjacency lists in a topological order.

use program::Diagnostic;

use crate::graph::{Graph, Resources};

/// The edges of distance 0 of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Dag {
    /// Operations, producers before consumers.
    pub order: Vec<usize>,
    /// Of each operation its producers and the latencies from them.
    pub before: Vec<Vec<(usize, i32)>>,
    /// Of each operation its consumers and the latencies to them.
    pub after: Vec<Vec<(usize, i32)>>,
}

impl Dag {
    /// The edges of distance 0; none if they form a cycle.
    pub fn new(graph: &Graph) -> Option<Dag> {
        let n = graph.classes.len();
        let (mut before, mut after) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for edge in graph.edges.iter().filter(|e| e.distance == 0) {
            before[edge.to as usize].push((edge.from as usize, edge.latency));
            after[edge.from as usize].push((edge.to as usize, edge.latency));
        }
        let order = topological(&before, &after)?;
        Some(Dag { order, before, after })
    }

    /// The same dependences seen from the end: cycles count backwards.
    pub fn reversed(&self) -> Dag {
        let order = self.order.iter().rev().copied().collect();
        Dag { order, before: self.after.clone(), after: self.before.clone() }
    }

    /// Of each operation the longest path of latencies to it, at least 0.
    pub fn longest(&self) -> Vec<i32> {
        let mut start = vec![0; self.order.len()];
        for &op in &self.order {
            start[op] = self.before[op].iter().map(|&(u, latency)| start[u] + latency).fold(0, i32::max);
        }
        start
    }
}

fn topological(before: &[Vec<(usize, i32)>], after: &[Vec<(usize, i32)>]) -> Option<Vec<usize>> {
    let mut waiting: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..before.len()).filter(|&op| waiting[op] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &(consumer, _) in &after[order[next]] {
            waiting[consumer] -= 1;
            if waiting[consumer] == 0 {
                order.push(consumer);
            }
        }
        next += 1;
    }
    (order.len() == before.len()).then_some(order)
}

/// Checks that a graph can be scheduled at all on some resources.
///
/// # Errors
/// M301: a class that does not exist. M308: an operation that does not exist. M302: dependences within one iteration form a cycle. M303: an operation that
/// never fits a cap. M304: a cap that does not say what each class takes.
pub fn verify(graph: &Graph, resources: &Resources) -> Result<(), Diagnostic> {
    let n = graph.classes.len();
    if let Some(cap) = resources.caps.iter().find(|c| c.takes.len() != resources.classes.len()) {
        let message =
            format!("the cap `{}` counts {} classes, of {}", cap.name, cap.takes.len(), resources.classes.len());
        return Err(Diagnostic::new("M304", message));
    }
    for (op, &class) in graph.classes.iter().enumerate() {
        if usize::from(class) >= resources.classes.len() {
            let message = format!("operation {op} has class {class}, of {} classes", resources.classes.len());
            return Err(Diagnostic::new("M301", message));
        }
        for cap in &resources.caps {
            let takes = cap.takes[usize::from(class)];
            if u32::from(takes) > cap.limit {
                let name = &resources.classes[usize::from(class)];
                let message = format!("operation {op} ({name}) never fits the cap `{}`", cap.name);
                return Err(Diagnostic::new("M303", message)
                    .note(format!("takes {takes} of {} slots per cycle", cap.limit))
                    .help("give the class a port in the processor's file, or select another instruction"));
            }
        }
    }
    if let Some(edge) = graph.edges.iter().find(|e| e.from as usize >= n || e.to as usize >= n) {
        let message = format!("an edge joins operations {} and {}, of {n}", edge.from, edge.to);
        return Err(Diagnostic::new("M308", message));
    }
    if Dag::new(graph).is_none() {
        return Err(Diagnostic::new("M302", "dependences within one iteration form a cycle")
            .help("a value that the next iteration uses is an edge of distance 1"));
    }
    Ok(())
}
