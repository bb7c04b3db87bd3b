//! Graphs for tests: the papers' kernels by hand, random ones, and the best schedule of tiny ones by trying all.

use program::generate::Random;

use crate::graph::{Cap, Edge, Graph, Resources};

/// Classes of [`mckinley`].
pub const A: u16 = 0;
pub const LOAD: u16 = 1;
pub const STORE: u16 = 2;
pub const SHIFT: u16 = 3;
pub const MULTIMEDIA: u16 = 5;

/// The ports that matter to integer code: two bundles; `shifters` of the I ports shift.
pub fn mckinley(shifters: u32) -> Resources {
    let cap = |name: &str, takes: [u8; 6], limit| Cap {
        name: name.into(),
        takes: takes.to_vec(),
        limit,
        holds: vec![],
        keeps: vec![],
    };
    Resources {
        classes: ["A", "LD", "ST", "ISHF", "I", "MM"].map(String::from).to_vec(),
        caps: vec![
            cap("issue", [1; 6], 6),
            cap("M0 M1", [0, 1, 0, 0, 0, 0], 2),
            cap("M2 M3", [0, 0, 1, 0, 0, 0], 2),
            cap("I0", [0, 0, 0, u8::from(shifters == 1), 0, 0], 1),
            cap("I0 I1", [0, 0, 0, 1, 1, 1], 2),
        ],
    }
}

/// A graph under construction.
#[derive(Default)]
pub struct Builder {
    pub graph: Graph,
    /// Cycles from an arithmetic result to a multimedia operation.
    pub to_multimedia: i32,
}

impl Builder {
    pub fn op(&mut self, class: u16, from: &[usize]) -> usize {
        let to = self.graph.classes.len();
        self.graph.classes.push(class);
        for &producer in from {
            let latency = match (self.graph.classes[producer], class) {
                (MULTIMEDIA, MULTIMEDIA) => 2,
                (MULTIMEDIA, _) => 3,
                (LOAD, LOAD | STORE) => 2,
                (_, MULTIMEDIA) => self.to_multimedia,
                _ => 1,
            };
            self.graph.edges.push(Edge { from: producer as u32, to: to as u32, latency, distance: 0 });
        }
        to
    }

    fn xor_keyed(&mut self, key: usize, late: &[usize]) -> usize {
        let (left, right) = (self.op(A, &[late[0], key]), self.op(A, &[late[1], late[2]]));
        let most = self.op(A, &[left, right]);
        self.op(A, &[most, late[3]])
    }
}

/// A cipher of four tables, ten rounds, straight: 696 operations.
pub fn four_tables() -> Graph {
    let mut b = Builder::default();
    let key = |b: &mut Builder| b.op(LOAD, &[]);
    let mut state: Vec<usize> = Vec::new();
    for _ in 0..4 {
        let (word, key) = (b.op(LOAD, &[]), key(&mut b));
        state.push(b.op(A, &[word, key]));
    }
    for _ in 0..10 {
        let mut looked = Vec::new();
        for &word in &state {
            for byte in 0..4 {
                let index = b.op(if byte == 0 { A } else { SHIFT }, &[word]);
                let address = b.op(A, &[index]);
                looked.push(b.op(LOAD, &[address]));
            }
        }
        let column = |b: &mut Builder, c: usize| {
            let late: Vec<usize> = (0..4).map(|byte| looked[(c + byte) % 4 * 4 + byte]).collect();
            let key = key(b);
            b.xor_keyed(key, &late)
        };
        state = (0..4).map(|c| column(&mut b, c)).collect();
    }
    for word in state {
        b.op(STORE, &[word]);
    }
    b.graph
}

/// One round of that cipher as a loop, with a pointer for the round keys and the branch at its end: 69 operations.
pub fn four_tables_round() -> Graph {
    let mut b = Builder::default();
    let mut looked = Vec::new();
    let mut first = Vec::new();
    for _ in 0..4 {
        for byte in 0..4 {
            let index = b.op(if byte == 0 { A } else { SHIFT }, &[]);
            let address = b.op(A, &[index]);
            looked.push(b.op(LOAD, &[address]));
            first.push(index);
        }
    }
    let mut keys = Vec::new();
    for c in 0..4 {
        let late: Vec<usize> = (0..4).map(|byte| looked[(c + byte) % 4 * 4 + byte]).collect();
        keys.push(b.op(LOAD, &[]));
        let word = b.xor_keyed(keys[c], &late) as u32;
        let again = first[4 * c..4 * c + 4].iter();
        b.graph.edges.extend(again.map(|&to| Edge { from: word, to: to as u32, latency: 1, distance: 1 }));
    }
    for (k, &key) in keys.iter().enumerate() {
        let (to, distance) = (keys[(k + 1) % 4] as u32, u32::from(k == 3));
        b.graph.edges.push(Edge { from: key as u32, to, latency: 1, distance });
    }
    let branch = b.op(STORE, &[]) as u32;
    let last = (0..branch).map(|from| Edge { from, to: branch, latency: 0, distance: 0 });
    b.graph.edges.extend(last);
    b.graph
}

/// A random graph of [`mckinley`]'s classes; with `looped`, also edges from iteration to iteration.
pub fn random(random: &mut Random, ops: usize, looped: bool) -> Graph {
    let classes = (0..ops).map(|_| random.below(6) as u16).collect();
    let mut edges = Vec::new();
    for to in 1..ops {
        for _ in 0..random.below(3) {
            let latency = random.from_to(0, 3) as i32;
            edges.push(Edge { from: random.below(to) as u32, to: to as u32, latency, distance: 0 });
        }
    }
    for _ in 0..if looped { 1 + random.below(3) } else { 0 } {
        let (from, to) = (random.below(ops) as u32, random.below(ops) as u32);
        edges.push(Edge { from, to, latency: random.from_to(1, 4) as i32, distance: 1 + random.below(2) as u32 });
    }
    Graph { classes, edges }
}

/// Random resources for [`mckinley`]'s classes: narrow, so that they bind tiny graphs.
pub fn narrow(random: &mut Random) -> Resources {
    let mut resources = mckinley(1);
    resources.caps.iter_mut().for_each(|cap| cap.limit = 1 + random.below(2) as u32);
    if random.chance(30) {
        resources.caps[0].limit = 2;
        resources.caps[0].takes[4] = 2;
    }
    resources
}

/// The fewest cycles in which a graph fits; with an interval, whether it does within so many cycles.
pub fn shortest(graph: &Graph, resources: &Resources, interval: Option<u32>, most: u32) -> Option<u32> {
    (0..=most).find(|&length| {
        let mut start = vec![0; graph.classes.len()];
        place(graph, resources, interval, length, 0, &mut start)
    })
}

fn place(
    graph: &Graph,
    resources: &Resources,
    interval: Option<u32>,
    length: u32,
    op: usize,
    start: &mut [u32],
) -> bool {
    if op == start.len() {
        return true;
    }
    (0..length).any(|cycle| {
        start[op] = cycle;
        legal(graph, resources, interval, op, start) && place(graph, resources, interval, length, op + 1, start)
    })
}

/// Whether the operations up to `op` are placed legally.
fn legal(graph: &Graph, resources: &Resources, interval: Option<u32>, op: usize, start: &[u32]) -> bool {
    let row = |k: usize| interval.map_or(start[k], |i| start[k] % i);
    let fits = resources.caps.iter().all(|cap| {
        let same = (0..=op).filter(|&k| row(k) == row(op));
        same.map(|k| u32::from(cap.takes[usize::from(graph.classes[k])])).sum::<u32>() <= cap.limit
    });
    fits && graph.edges.iter().filter(|e| e.from.max(e.to) as usize <= op).all(|e| {
        let ahead = i64::from(e.distance) * i64::from(interval.unwrap_or(0));
        (e.distance > 0 && interval.is_none())
            || i64::from(start[e.to as usize]) + ahead >= i64::from(start[e.from as usize]) + i64::from(e.latency)
    })
}
