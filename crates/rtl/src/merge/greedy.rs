//! The search: the pair of operators that saves most is merged, until nothing is saved any more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::ir::Program;

use super::cost;
use super::graph::{merged_inputs, Choice, Graph, Kind, Node, Src};
use super::reach::{needs, Needs, Reach};
use super::similar::Similarity;

/// Savings below this are not worth a multiplexer's delay.
pub(super) const LEAST: f64 = 1.0;

/// Merges operators while that saves gates.
pub(super) fn merge(program: &Program, graph: &mut Graph) {
    let similar = Similarity::new(graph, &needs(graph));
    let mut known: BTreeMap<(u32, u32), (f64, bool)> = BTreeMap::new();
    let mut dirty: BTreeSet<u32> = (0..graph.nodes.len() as u32).collect();
    // Ends: each iteration removes an operator.
    loop {
        let state = State::new(program, graph);
        state.renew(&mut known, &dirty);
        let score = |(&(a, b), &(saving, _)): (&(u32, u32), &(f64, bool))| saving + similar.of(a, b) as f64;
        let best = known
            .iter()
            .filter(|(&(a, b), _)| !state.ordered(a, b))
            .max_by(|x, y| score((x.0, x.1)).total_cmp(&score((y.0, y.1))).then(y.0.cmp(x.0)));
        let Some((&(into, from), &(_, exchanged))) = best else { return };
        let mut changed: BTreeSet<u32> = [into, from].into();
        dirty = state.near(&changed);
        graph.merge(into, from, exchanged);
        changed.extend(graph.close());
        let needs = needs(graph);
        dirty.extend(Users::new(graph, &needs).near(graph, &needs, &changed));
        dirty.extend(changed);
        known.retain(|(a, b), _| graph.nodes[*a as usize].modes != 0 && graph.nodes[*b as usize].modes != 0);
    }
}

/// Operators that may be one: kind, widths of inputs and results.
type Class<'a> = (Kind, &'a [u8], &'a [u8]);

/// An input of an operator, or an output of the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Input(u32, usize),
    Output(usize),
}

/// Who looks at an operator, through wires.
struct Users {
    lists: Vec<Vec<Use>>,
}

impl Users {
    fn new(graph: &Graph, needs: &Needs) -> Self {
        let mut lists: Vec<Vec<Use>> = vec![Vec::new(); graph.nodes.len()];
        let mut add = |choice: &Choice, user: Use| {
            for one in choice.iter().flat_map(|(src, _)| needs.of(*src)) {
                if lists[one as usize].last() != Some(&user) {
                    lists[one as usize].push(user);
                }
            }
        };
        for (n, node) in graph.nodes.iter().enumerate().filter(|(_, n)| n.modes != 0) {
            for (at, choice) in node.inputs.iter().enumerate() {
                add(choice, Use::Input(n as u32, at));
            }
        }
        for (n, (choice, _)) in graph.outputs.iter().enumerate() {
            add(choice, Use::Output(n));
        }
        Users { lists }
    }

    /// The operators beside some: what they look at, what looks at them, and what else that looks at.
    fn near(&self, graph: &Graph, needs: &Needs, of: &BTreeSet<u32>) -> BTreeSet<u32> {
        let behind = |n: u32| graph.nodes[n as usize].inputs.iter().flatten().flat_map(|(src, _)| needs.of(*src));
        let mut near = BTreeSet::new();
        // What was merged into another has no inputs any more.
        for &n in of.iter().filter(|n| graph.nodes[**n as usize].modes != 0) {
            near.extend(behind(n));
            for user in &self.lists[n as usize] {
                match *user {
                    Use::Input(m, _) => {
                        near.insert(m);
                        near.extend(behind(m));
                    }
                    Use::Output(at) => {
                        near.extend(graph.outputs[at].0.iter().flat_map(|(src, _)| needs.of(*src)));
                    }
                }
            }
        }
        near
    }
}

/// The graph at one moment, with what is asked of it often.
pub(super) struct State<'a> {
    program: &'a Program,
    graph: &'a Graph,
    needs: Needs,
    reach: Reach,
    users: Users,
    /// How often each word is chosen.
    chosen: HashMap<Choice, u32>,
}

impl<'a> State<'a> {
    pub fn new(program: &'a Program, graph: &'a Graph) -> Self {
        let needs = needs(graph);
        let reach = Reach::new(graph, &needs);
        let users = Users::new(graph, &needs);
        let mut list = Vec::new();
        for node in graph.nodes.iter().filter(|n| n.modes != 0) {
            list.extend(bases(graph, &node.inputs, &node.widths));
        }
        for (choice, width) in &graph.outputs {
            cost::bases(graph, choice, *width, &mut list);
        }
        let mut chosen = HashMap::new();
        for (choice, _) in list {
            *chosen.entry(choice).or_insert(0) += 1;
        }
        State { program, graph, needs, reach, users, chosen }
    }

    fn near(&self, of: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.users.near(self.graph, &self.needs, of)
    }

    /// Whether one depends on the other.
    fn ordered(&self, a: u32, b: u32) -> bool {
        self.reach.depends(a, b) || self.reach.depends(b, a)
    }

    /// Savings of all pairs with a member that changed, where they are worth a merger.
    fn renew(&self, known: &mut BTreeMap<(u32, u32), (f64, bool)>, dirty: &BTreeSet<u32>) {
        let mut classes: Vec<(Class<'_>, Vec<u32>)> = Vec::new();
        for (n, node) in self.graph.nodes.iter().enumerate().filter(|(_, n)| n.modes != 0) {
            let class = (node.kind.class(), &node.widths[..], &node.results[..]);
            match classes.iter_mut().find(|c| c.0 == class) {
                Some(found) => found.1.push(n as u32),
                None => classes.push((class, vec![n as u32])),
            }
        }
        for (_, members) in &classes {
            for &changed in members.iter().filter(|n| dirty.contains(n)) {
                // A pair of two that changed is looked at with the first of them.
                let others = members.iter().filter(|n| **n != changed && !(**n < changed && dirty.contains(n)));
                for &other in others {
                    let (a, b) = (changed.min(other), changed.max(other));
                    match self.pair(a, b).filter(|(saving, _)| *saving >= LEAST) {
                        Some(found) => known.insert((a, b), found),
                        None => known.remove(&(a, b)),
                    };
                }
            }
        }
    }

    /// What merging two operators saves, and whether inputs of the second are to be exchanged for that.
    pub fn pair(&self, a: u32, b: u32) -> Option<(f64, bool)> {
        let (x, y) = (&self.graph.nodes[a as usize], &self.graph.nodes[b as usize]);
        // A carry takes one more bit than the words have.
        let wide = matches!(x.kind, Kind::Add { .. }) && x.results[0] > 63;
        if x.modes & y.modes != 0 || wide || self.ordered(a, b) {
            return None;
        }
        let straight = self.inputs_saved(x, y, false);
        let crossed = y.commutes().then(|| self.inputs_saved(x, y, true));
        let exchanged = crossed.is_some_and(|c| c > straight);
        let saved = crossed.map_or(straight, |c| c.max(straight));
        Some((saved + self.outputs_saved(a, b), exchanged))
    }

    /// Gates saved in the operators and in choosing their inputs.
    fn inputs_saved(&self, x: &Node, y: &Node, exchanged: bool) -> f64 {
        let mut both = x.clone();
        both.inputs = merged_inputs(x, y, exchanged);
        both.modes |= y.modes;
        both.kind = match (&x.kind, &y.kind) {
            (Kind::Add { subtracts: p }, Kind::Add { subtracts: q }) => Kind::Add { subtracts: p | q },
            (Kind::Rotate { right: p }, Kind::Rotate { right: q }) => Kind::Rotate { right: p | q },
            (kind, _) => kind.clone(),
        };
        let gates = |node: &Node| cost::operator(self.program, node);
        let mut own: BTreeMap<(Choice, u8), u32> = BTreeMap::new();
        for node in [x, y] {
            for base in bases(self.graph, &node.inputs, &node.widths) {
                *own.entry(base).or_insert(0) += 1;
            }
        }
        let after: BTreeSet<(Choice, u8)> = bases(self.graph, &both.inputs, &both.widths).into_iter().collect();
        let elsewhere =
            |base: &(Choice, u8)| self.chosen.get(&base.0).copied().unwrap_or(0) > own.get(base).copied().unwrap_or(0);
        let cost = |base: &(Choice, u8)| if elsewhere(base) { 0.0 } else { cost::choice(&base.0, base.1) };
        let (before, after): (f64, f64) = (own.keys().map(cost).sum(), after.iter().map(cost).sum());
        gates(x) + gates(y) - gates(&both) + before - after
    }

    /// Gates saved behind them: words that need no choice any more, operators that become equal.
    fn outputs_saved(&self, a: u32, b: u32) -> f64 {
        let mut saved = 0.0;
        for user in &self.users.lists[a as usize] {
            if self.users.lists[b as usize].contains(user) {
                let (choice, width) = match *user {
                    Use::Input(n, at) => {
                        let node = &self.graph.nodes[n as usize];
                        (&node.inputs[at], node.widths[at])
                    }
                    Use::Output(n) => (&self.graph.outputs[n].0, self.graph.outputs[n].1),
                };
                let mut kept: Choice = Vec::new();
                for &(src, modes) in choice {
                    if !kept.iter().any(|(known, _)| self.same(*known, src, (a, b))) {
                        kept.push((src, modes));
                    }
                }
                saved += cost::choice(choice, width) - cost::choice(&kept, width);
            }
            for other in &self.users.lists[b as usize] {
                if let (Use::Input(m, _), Use::Input(n, _)) = (*user, *other) {
                    if m != n && self.become_equal(m, n, (a, b)) {
                        saved += cost::operator(self.program, &self.graph.nodes[n as usize]);
                    }
                }
            }
        }
        saved
    }

    fn become_equal(&self, m: u32, n: u32, pair: (u32, u32)) -> bool {
        let (x, y) = (&self.graph.nodes[m as usize], &self.graph.nodes[n as usize]);
        if x.kind.class() != y.kind.class() || x.widths != y.widths || x.commutes() != y.commutes() {
            return false;
        }
        let equal = |p: &Choice, q: &Choice| match (&p[..], &q[..]) {
            ([(p, _)], [(q, _)]) => self.same(*p, *q, pair),
            _ => false,
        };
        let straight = x.inputs.iter().zip(&y.inputs).all(|(p, q)| equal(p, q));
        straight || x.commutes() && equal(&x.inputs[0], &y.inputs[1]) && equal(&x.inputs[1], &y.inputs[0])
    }

    /// Whether two words are equal once a pair of operators is one.
    fn same(&self, p: Src, q: Src, pair: (u32, u32)) -> bool {
        match (p, q) {
            _ if p == q => true,
            (Src::Result(m, j), Src::Result(n, k)) => j == k && ((m, n) == pair || (n, m) == pair),
            (Src::Wire(v), Src::Wire(w)) => {
                let (v, w) = (&self.graph.wires[v as usize], &self.graph.wires[w as usize]);
                v.kind == w.kind
                    && v.widths == w.widths
                    && v.width == w.width
                    && v.from.iter().zip(&w.from).all(|(p, q)| self.same(*p, *q, pair))
            }
            _ => false,
        }
    }
}

fn bases(graph: &Graph, inputs: &[Choice], widths: &[u8]) -> Vec<(Choice, u8)> {
    let mut list = Vec::new();
    for (choice, width) in inputs.iter().zip(widths) {
        cost::bases(graph, choice, *width, &mut list);
    }
    list
}
