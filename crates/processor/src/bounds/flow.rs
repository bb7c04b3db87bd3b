//! Largest flows (Dinic 1970).

use std::collections::VecDeque;

/// A network with capacities.
pub(super) struct Network {
    /// Of each node its arcs, as indices.
    arcs: Vec<Vec<u32>>,
    /// Target and what still fits, of each arc; its reverse is the arc whose index differs in the lowest bit.
    ends: Vec<(u32, u32)>,
    level: Vec<u32>,
    next: Vec<usize>,
}

impl Network {
    pub fn new(nodes: usize) -> Network {
        Network { arcs: vec![Vec::new(); nodes], ends: Vec::new(), level: Vec::new(), next: Vec::new() }
    }

    pub fn arc(&mut self, from: usize, to: usize, capacity: u32) {
        self.arcs[from].push(self.ends.len() as u32);
        self.ends.push((to as u32, capacity));
        self.arcs[to].push(self.ends.len() as u32);
        self.ends.push((from as u32, 0));
    }

    /// The largest flow from one node to another.
    pub fn largest(&mut self, source: usize, sink: usize) -> u32 {
        let mut flow = 0;
        // Ends: each iteration but the last makes the shortest path longer, each inner one fills an arc.
        loop {
            self.measure(source);
            if self.level[sink] == u32::MAX {
                return flow;
            }
            self.next = vec![0; self.arcs.len()];
            loop {
                let more = self.push(source, sink);
                if more == 0 {
                    break;
                }
                flow += more;
            }
        }
    }

    /// The nodes that can be reached with what still fits.
    pub fn reached(&mut self, source: usize) -> Vec<bool> {
        self.measure(source);
        self.level.iter().map(|level| *level != u32::MAX).collect()
    }

    fn measure(&mut self, source: usize) {
        self.level = vec![u32::MAX; self.arcs.len()];
        self.level[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.arcs[node] {
                let (to, fits) = self.ends[arc as usize];
                if fits > 0 && self.level[to as usize] == u32::MAX {
                    self.level[to as usize] = self.level[node] + 1;
                    queue.push_back(to as usize);
                }
            }
        }
    }

    /// Sends what fits along one path of rising levels; 0 if there is none left.
    fn push(&mut self, source: usize, sink: usize) -> u32 {
        let mut path: Vec<u32> = Vec::new();
        let mut at = source;
        while at != sink {
            let arcs = &self.arcs[at];
            let ahead = (self.next[at]..arcs.len()).find(|&k| {
                let (to, fits) = self.ends[arcs[k] as usize];
                fits > 0 && self.level[to as usize] == self.level[at] + 1
            });
            if let Some(k) = ahead {
                self.next[at] = k;
                path.push(self.arcs[at][k]);
                at = self.ends[path[path.len() - 1] as usize].0 as usize;
                continue;
            }
            self.next[at] = self.arcs[at].len();
            let Some(back) = path.pop() else { return 0 };
            at = self.ends[back as usize ^ 1].0 as usize;
            self.next[at] += 1;
        }
        let sent = path.iter().map(|&arc| self.ends[arc as usize].1).min().unwrap_or(0);
        for &arc in &path {
            self.ends[arc as usize].1 -= sent;
            self.ends[arc as usize ^ 1].1 += sent;
        }
        sent
    }
}
