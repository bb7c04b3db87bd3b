//! Which operators depend on which.

use super::graph::{Graph, Src};

/// The operators behind every wire.
pub(super) struct Needs {
    wires: Vec<Vec<u32>>,
}

/// See [`Needs`].
pub(super) fn needs(graph: &Graph) -> Needs {
    let mut needs = Needs { wires: Vec::with_capacity(graph.wires.len()) };
    for wire in &graph.wires {
        let mut list: Vec<u32> = wire.from.iter().flat_map(|src| needs.of(*src)).collect();
        list.sort_unstable();
        list.dedup();
        needs.wires.push(list);
    }
    needs
}

impl Needs {
    /// The operators that a word comes from, through wires only.
    pub fn of(&self, src: Src) -> Vec<u32> {
        match src {
            Src::Result(node, _) => vec![node],
            Src::Wire(w) => self.wires[w as usize].clone(),
            Src::Number(_) | Src::Input(_) => Vec::new(),
        }
    }
}

/// For every operator all those it depends on, as bits.
pub(super) struct Reach {
    bits: Vec<Vec<u64>>,
}

impl Reach {
    pub fn new(graph: &Graph, needs: &Needs) -> Self {
        let count = graph.nodes.len();
        let mut reach = Reach { bits: vec![Vec::new(); count] };
        for n in 0..count as u32 {
            reach.visit(graph, needs, n);
        }
        reach
    }

    fn visit(&mut self, graph: &Graph, needs: &Needs, n: u32) {
        let node = &graph.nodes[n as usize];
        if node.modes == 0 || !self.bits[n as usize].is_empty() {
            return;
        }
        let mut bits = vec![0; graph.nodes.len().div_ceil(64)];
        let mut behind: Vec<u32> = node.inputs.iter().flatten().flat_map(|(src, _)| needs.of(*src)).collect();
        behind.sort_unstable();
        behind.dedup();
        for one in behind {
            self.visit(graph, needs, one);
            bits[one as usize / 64] |= 1 << (one % 64);
            bits.iter_mut().zip(&self.bits[one as usize]).for_each(|(b, below)| *b |= below);
        }
        self.bits[n as usize] = bits;
    }

    /// Whether the first depends on the second.
    pub fn depends(&self, first: u32, second: u32) -> bool {
        let bits = &self.bits[first as usize];
        bits.get(second as usize / 64).is_some_and(|b| b >> (second % 64) & 1 == 1)
    }
}
