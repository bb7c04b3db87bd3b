//! Operators with chosen inputs, and the wires between them.

use std::collections::HashMap;

use program::ir::{BoxId, Compare, MatrixId, Shift, TableId};

/// A set of modes (alternatives), one bit each.
pub(super) type Modes = u64;

/// Where a word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Src {
    Number(u64),
    Input(u32),
    /// Operator and number of its result.
    Result(u32, u32),
    Wire(u32),
}

/// What costs nothing, or next to nothing: moved bits, inverted bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum WireKind {
    Shift(Shift, u64),
    Extract(u8),
    Concat,
    Zext,
    Not,
    And(u64),
    Or(u64),
    Xor(u64),
}

/// Bits moved from other words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wire {
    pub kind: WireKind,
    pub width: u8,
    pub from: Vec<Src>,
    pub widths: Vec<u8>,
}

/// What an operator does. Modes in which an adder subtracts or a rotation goes to the right are told by masks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Add { subtracts: Modes },
    Mul,
    Xor,
    And,
    Or,
    Rotate { right: Modes },
    Shift(Shift),
    Compare(Compare),
    Select,
    Lookup(TableId),
    Linear(MatrixId),
    Bitsliced(BoxId),
    Call(String),
}

impl Kind {
    /// The kind without its masks: only operators equal in this are merged.
    pub fn class(&self) -> Kind {
        match self {
            Kind::Add { .. } => Kind::Add { subtracts: 0 },
            Kind::Rotate { .. } => Kind::Rotate { right: 0 },
            other => other.clone(),
        }
    }
}

/// The sources of an input, each with the modes in which it counts, in the order of the sources.
pub(super) type Choice = Vec<(Src, Modes)>;

/// An operator.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub inputs: Vec<Choice>,
    pub widths: Vec<u8>,
    pub results: Vec<u8>,
    /// The modes in which somebody looks at it; none for an operator that was merged into another.
    pub modes: Modes,
    /// The author's name of its first result.
    pub name: String,
}

impl Node {
    /// Whether its first two inputs may be exchanged.
    pub fn commutes(&self) -> bool {
        match self.kind {
            Kind::Add { subtracts } => subtracts & self.modes == 0,
            Kind::Mul | Kind::Xor | Kind::And | Kind::Or => true,
            _ => false,
        }
    }
}

/// All modes in one.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub modes: usize,
    pub inputs: Vec<(String, u8)>,
    pub wires: Vec<Wire>,
    pub nodes: Vec<Node>,
    pub outputs: Vec<(Choice, u8)>,
    known: HashMap<Wire, u32>,
}

impl Graph {
    pub fn new(modes: usize, inputs: &[(String, u8)]) -> Self {
        Graph { modes, inputs: inputs.to_vec(), ..Graph::default() }
    }

    pub fn wire(&mut self, wire: Wire) -> Src {
        let next = self.wires.len() as u32;
        let id = *self.known.entry(wire.clone()).or_insert(next);
        if id == next {
            self.wires.push(wire);
        }
        Src::Wire(id)
    }

    /// Forgets operators that no output needs.
    pub fn drop_unused(&mut self) {
        let needs = super::reach::needs(self);
        let mut wanted: Vec<u32> = Vec::new();
        for (choice, _) in &self.outputs {
            wanted.extend(choice.iter().flat_map(|(src, _)| needs.of(*src)));
        }
        let mut used = vec![false; self.nodes.len()];
        while let Some(node) = wanted.pop() {
            if !std::mem::replace(&mut used[node as usize], true) {
                wanted.extend(self.nodes[node as usize].inputs.iter().flatten().flat_map(|(src, _)| needs.of(*src)));
            }
        }
        for (node, used) in self.nodes.iter_mut().zip(used) {
            if !used {
                node.modes = 0;
            }
        }
    }

    /// Merges an operator into another with equal class; with `exchanged` its first two inputs change places.
    pub fn merge(&mut self, into: u32, from: u32, exchanged: bool) {
        let gone = self.nodes[from as usize].clone();
        self.nodes[from as usize].modes = 0;
        let node = &mut self.nodes[into as usize];
        node.inputs = merged_inputs(node, &gone, exchanged);
        node.kind = merged_kind(node, &gone);
        node.modes |= gone.modes;
        let mut forward: Vec<u32> = (0..self.nodes.len() as u32).collect();
        forward[from as usize] = into;
        self.rebuild(&forward);
    }

    /// Merges operators that are equal, again and again, and gives those that took up another.
    pub fn close(&mut self) -> Vec<u32> {
        let mut changed = Vec::new();
        // Ends: each iteration but the last removes an operator.
        loop {
            let mut forward: Vec<u32> = (0..self.nodes.len() as u32).collect();
            let mut known: HashMap<Key, u32> = HashMap::new();
            let mut any = false;
            for (n, forward) in forward.iter_mut().enumerate() {
                if self.nodes[n].modes == 0 {
                    continue;
                }
                let first = *known.entry(key(&self.nodes[n])).or_insert(n as u32);
                if first == n as u32 {
                    continue;
                }
                any = true;
                changed.push(first);
                *forward = first;
                let gone = self.nodes[n].clone();
                self.nodes[n].modes = 0;
                let node = &mut self.nodes[first as usize];
                let exchanged = node.commutes() && gone.commutes() && node.inputs[0][0].0 != gone.inputs[0][0].0;
                node.inputs = merged_inputs(node, &gone, exchanged);
                node.kind = merged_kind(node, &gone);
                node.modes |= gone.modes;
            }
            if !any {
                return changed;
            }
            self.rebuild(&forward);
        }
    }

    /// Wires and inputs again, after operators were merged into others.
    fn rebuild(&mut self, forward: &[u32]) {
        let old = std::mem::take(&mut self.wires);
        self.known.clear();
        let mut wires: Vec<Src> = Vec::with_capacity(old.len());
        for mut wire in old {
            wire.from.iter_mut().for_each(|src| *src = moved(*src, forward, &wires));
            let src = self.wire(wire);
            wires.push(src);
        }
        for node in self.nodes.iter_mut().filter(|n| n.modes != 0) {
            for choice in &mut node.inputs {
                *choice = grouped(choice.iter().map(|&(src, modes)| (moved(src, forward, &wires), modes)));
            }
        }
        for (choice, _) in &mut self.outputs {
            *choice = grouped(choice.iter().map(|&(src, modes)| (moved(src, forward, &wires), modes)));
        }
    }
}

fn moved(src: Src, forward: &[u32], wires: &[Src]) -> Src {
    match src {
        Src::Result(node, k) => Src::Result(forward[node as usize], k),
        Src::Wire(w) => wires[w as usize],
        other => other,
    }
}

/// See [`key`].
type Key = (Kind, Vec<u8>, Vec<u8>, Vec<Choice>);

/// What makes two operators equal: kind, widths, and inputs; the modes of an input count only where there is a choice.
fn key(node: &Node) -> Key {
    let pure = |mask: Modes| match mask & node.modes {
        0 => 0,
        m if m == node.modes => u64::MAX,
        m => m,
    };
    let kind = match node.kind {
        Kind::Add { subtracts } => Kind::Add { subtracts: pure(subtracts) },
        Kind::Rotate { right } => Kind::Rotate { right: pure(right) },
        ref other => other.clone(),
    };
    let plain = |c: &Choice| if c.len() == 1 { vec![(c[0].0, 0)] } else { c.clone() };
    let mut inputs: Vec<Choice> = node.inputs.iter().map(plain).collect();
    if node.commutes() {
        inputs[..2].sort();
    }
    (kind, node.widths.clone(), node.results.clone(), inputs)
}

/// Equal sources once, in order.
pub(super) fn grouped(list: impl Iterator<Item = (Src, Modes)>) -> Choice {
    let mut choice: Choice = Vec::new();
    for (src, modes) in list {
        match choice.iter_mut().find(|(known, _)| *known == src) {
            Some((_, known)) => *known |= modes,
            None => choice.push((src, modes)),
        }
    }
    choice.sort_unstable();
    choice
}

/// The inputs of two operators as those of one.
pub(super) fn merged_inputs(a: &Node, b: &Node, exchanged: bool) -> Vec<Choice> {
    let at = |n: usize| if exchanged && n < 2 { 1 - n } else { n };
    (0..a.inputs.len()).map(|n| grouped(a.inputs[n].iter().chain(&b.inputs[at(n)]).copied())).collect()
}

fn merged_kind(a: &Node, b: &Node) -> Kind {
    match (&a.kind, &b.kind) {
        (Kind::Add { subtracts: x }, Kind::Add { subtracts: y }) => Kind::Add { subtracts: x & a.modes | y & b.modes },
        (Kind::Rotate { right: x }, Kind::Rotate { right: y }) => Kind::Rotate { right: x & a.modes | y & b.modes },
        (kind, _) => kind.clone(),
    }
}
