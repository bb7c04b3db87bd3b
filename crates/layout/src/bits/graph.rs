//! Bits of a block as sums: each is a source, or the exclusive or of two others, with a constant added.

use std::collections::BTreeMap;

use program::ir::ValueId;

/// A bit: a node of the graph, complemented or not; node 0 is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// The node.
    pub node: u32,
    /// Whether one is added.
    pub one: bool,
}

/// The bit that is always 0.
pub const ZERO: Bit = Bit { node: 0, one: false };

impl Bit {
    /// Its value, if that is a constant.
    #[must_use]
    pub fn constant(self) -> Option<bool> {
        (self.node == 0).then_some(self.one)
    }
}

/// A constant bit.
#[must_use]
pub fn constant(one: bool) -> Bit {
    Bit { node: 0, one }
}

/// Where a bit is held: a value, the element if that is an array, and the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The value.
    pub value: ValueId,
    /// The element of an array.
    pub element: Option<usize>,
    /// The place in the word.
    pub bit: u8,
}

/// What a word of sources is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Known only outside: keys, inputs, constants of a round.
    Outside,
    /// A value that the loop carries.
    State,
    /// An S-box.
    Box,
    /// Another operation that is not linear over GF(2), by its word in the text form.
    Operation(&'static str),
}

/// Sources that one operation gives.
#[derive(Clone, Debug)]
pub struct Group {
    /// What gives them.
    pub kind: Kind,
    /// Name of the S-box.
    pub name: String,
    /// How many operations that are not linear lie one behind another up to here, this among them.
    pub depth: u32,
    /// The sources.
    pub sources: Vec<u32>,
    /// Truth table and output bits, of an S-box.
    pub table: Option<(Vec<u64>, u8)>,
}

/// A bit that is no sum of others.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its group.
    pub group: usize,
    /// Where it is held.
    pub held: Held,
}

/// A node that is no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// Zero.
    Zero,
    /// A source, by its number.
    Source(u32),
    /// The sum of two nodes.
    Xor(u32, u32),
}

/// All bits of a block.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The sources that each node is the sum of, ascending.
    pub sums: Vec<Vec<u32>>,
    /// The sources.
    pub sources: Vec<Source>,
    /// Their groups.
    pub groups: Vec<Group>,
    known: BTreeMap<(u32, u32), u32>,
}

impl Graph {
    /// A graph without sources.
    #[must_use]
    pub fn new() -> Self {
        let (nodes, sums) = (vec![Node::Zero], vec![Vec::new()]);
        Graph { nodes, sums, sources: Vec::new(), groups: Vec::new(), known: BTreeMap::new() }
    }

    /// A new group without sources.
    pub fn group(&mut self, kind: Kind, name: &str, depth: u32, table: Option<(Vec<u64>, u8)>) -> usize {
        self.groups.push(Group { kind, name: name.to_owned(), depth, sources: Vec::new(), table });
        self.groups.len() - 1
    }

    /// A new source.
    pub fn source(&mut self, group: usize, held: Held) -> Bit {
        let number = self.sources.len() as u32;
        self.sources.push(Source { group, held });
        self.groups[group].sources.push(number);
        self.push(Node::Source(number), vec![number])
    }

    fn push(&mut self, node: Node, sum: Vec<u32>) -> Bit {
        self.nodes.push(node);
        self.sums.push(sum);
        Bit { node: self.nodes.len() as u32 - 1, one: false }
    }

    /// The sum of two bits.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let one = a.one != b.one;
        let (low, high) = (a.node.min(b.node), a.node.max(b.node));
        if low == high {
            return constant(one);
        }
        if low == 0 {
            return Bit { node: high, one };
        }
        if let Some(&node) = self.known.get(&(low, high)) {
            return Bit { node, one };
        }
        let sum = difference(&self.sums[low as usize], &self.sums[high as usize]);
        let node = if sum.is_empty() { 0 } else { self.push(Node::Xor(low, high), sum).node };
        self.known.insert((low, high), node);
        Bit { node, one }
    }

    /// The largest depth among the sources of bits.
    #[must_use]
    pub fn depth(&self, bits: &[Bit]) -> u32 {
        let groups = bits.iter().flat_map(|b| &self.sums[b.node as usize]).map(|&s| self.sources[s as usize].group);
        groups.map(|g| self.groups[g].depth).max().unwrap_or(0)
    }
}

/// What stands in one of two ascending lists.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut found = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut k) = (0, 0);
    while i < a.len() || k < b.len() {
        if k == b.len() || (i < a.len() && a[i] < b[k]) {
            found.push(a[i]);
            i += 1;
        } else if i == a.len() || b[k] < a[i] {
            found.push(b[k]);
            k += 1;
        } else {
            i += 1;
            k += 1;
        }
    }
    found
}
