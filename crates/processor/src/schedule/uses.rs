//! Which values each operation defines and uses.

use super::lifetimes::Lifetime;
use crate::graph::Graph;

/// The values of a region by operation, numbers into its lifetimes.
pub(super) struct Uses {
    /// Of each operation the values that it defines.
    pub defines: Vec<Vec<usize>>,
    /// Of each operation the values that it uses, each once.
    pub uses: Vec<Vec<usize>>,
    /// Of each value the operations that use it.
    pub users: Vec<Vec<u32>>,
}

impl Uses {
    pub fn new(graph: &Graph, values: &[Lifetime]) -> Uses {
        let n = graph.classes.len();
        let (mut defines, mut uses) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (k, value) in values.iter().enumerate() {
            value.from.iter().for_each(|&op| defines[op as usize].push(k));
            value.to.iter().for_each(|&(op, _)| uses[op as usize].push(k));
        }
        uses.iter_mut().for_each(Vec::dedup);
        let mut users = vec![Vec::new(); values.len()];
        for (op, of) in uses.iter().enumerate() {
            of.iter().for_each(|&k| users[k].push(op as u32));
        }
        Uses { defines, uses, users }
    }

    /// Of each value how many operations use it.
    pub fn count(&self) -> Vec<usize> {
        self.users.iter().map(Vec::len).collect()
    }
}
