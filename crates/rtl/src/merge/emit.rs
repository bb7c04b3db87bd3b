//! From operators with chosen inputs to a function.

use std::collections::HashMap;

use program::ir::{Address, Affine, Binary, Function, OpKind, Operand, Shift};
use program::semantics::mask;

use super::cost::{bases, below};
use super::graph::{Choice, Graph, Kind, Modes, Node, Src, WireKind};
use crate::logic::Logic;

/// The function: what says which mode runs, then the inputs.
pub(super) fn function(graph: &Graph, name: &str) -> Function {
    let mut logic = Logic::new(name);
    let selectors: Vec<Operand> = match graph.modes {
        2 => vec![logic.param("second", 1)],
        n => (1..=n).map(|k| logic.param(&format!("mode_{k}"), 1)).collect(),
    };
    let inputs = graph.inputs.iter().map(|(name, width)| logic.param(name, *width)).collect();
    let mut writer = Writer {
        graph,
        logic,
        selectors,
        inputs,
        nodes: vec![None; graph.nodes.len()],
        wires: vec![None; graph.wires.len()],
        widened: widened(graph),
    };
    let results: Vec<(Operand, u8)> =
        graph.outputs.iter().map(|(choice, width)| (writer.choose(choice, *width), *width)).collect();
    writer.logic.finish(&results)
}

/// Per choice the modes of its sources, with those of equal choices that are made in other modes: one multiplexer serves them all.
fn widened(graph: &Graph) -> HashMap<Choice, Choice> {
    let mut list = Vec::new();
    for node in graph.nodes.iter().filter(|n| n.modes != 0) {
        node.inputs.iter().zip(&node.widths).for_each(|(choice, width)| bases(graph, choice, *width, &mut list));
    }
    graph.outputs.iter().for_each(|(choice, width)| bases(graph, choice, *width, &mut list));
    let sources = |c: &Choice| c.iter().map(|s| s.0).collect::<Vec<Src>>();
    let mut wide: Vec<Choice> = Vec::new();
    let mut numbers: HashMap<Choice, usize> = HashMap::new();
    let mut same: HashMap<Vec<Src>, Vec<usize>> = HashMap::new();
    for (choice, _) in list {
        if numbers.contains_key(&choice) {
            continue;
        }
        let group = same.entry(sources(&choice)).or_default();
        let fits = |n: &&usize| {
            let known: &Choice = &wide[**n];
            let clash = |i: usize, j: usize| i != j && known[i].1 & choice[j].1 != 0;
            (0..choice.len()).all(|i| (0..choice.len()).all(|j| !clash(i, j)))
        };
        let at = match group.iter().find(fits) {
            Some(&n) => {
                wide[n].iter_mut().zip(&choice).for_each(|(known, new)| known.1 |= new.1);
                n
            }
            None => {
                wide.push(choice.clone());
                group.push(wide.len() - 1);
                wide.len() - 1
            }
        };
        numbers.insert(choice, at);
    }
    numbers.into_iter().map(|(choice, n)| (choice, wide[n].clone())).collect()
}

struct Writer<'a> {
    graph: &'a Graph,
    logic: Logic,
    selectors: Vec<Operand>,
    inputs: Vec<Operand>,
    nodes: Vec<Option<Vec<Operand>>>,
    wires: Vec<Option<Operand>>,
    widened: HashMap<Choice, Choice>,
}

impl Writer<'_> {
    fn word(&mut self, src: Src) -> Operand {
        match src {
            Src::Number(n) => Operand::Const(n),
            Src::Input(n) => self.inputs[n as usize],
            Src::Result(node, k) => {
                if self.nodes[node as usize].is_none() {
                    let made = self.node(node as usize);
                    self.nodes[node as usize] = Some(made);
                }
                self.nodes[node as usize].as_ref().map_or(Operand::Const(0), |list| list[k as usize])
            }
            Src::Wire(w) => {
                if let Some(known) = self.wires[w as usize] {
                    return known;
                }
                let graph = self.graph;
                let from: Vec<Operand> = graph.wires[w as usize].from.iter().map(|src| self.word(*src)).collect();
                let made = self.wire(w, &from);
                self.wires[w as usize] = Some(made);
                made
            }
        }
    }

    fn wire(&mut self, number: u32, from: &[Operand]) -> Operand {
        let wire = &self.graph.wires[number as usize];
        let width = wire.width;
        let kind = match wire.kind {
            WireKind::Shift(which, n) => OpKind::Shift(which, from[0], Operand::Const(n)),
            WireKind::Extract(at) => return self.logic.extract(width, from[0], at),
            WireKind::Concat => {
                let words: Vec<(Operand, u8)> = from.iter().copied().zip(wire.widths.iter().copied()).collect();
                return self.logic.concat("", &words);
            }
            WireKind::Zext => OpKind::Zext(self.logic.value(from[0], wire.widths[0])),
            WireKind::Not => OpKind::Not(from[0]),
            WireKind::And(c) => OpKind::Binary(Binary::And, from[0], Operand::Const(c)),
            WireKind::Or(c) => OpKind::Binary(Binary::Or, from[0], Operand::Const(c)),
            WireKind::Xor(c) => OpKind::Binary(Binary::Xor, from[0], Operand::Const(c)),
        };
        self.logic.op("", width, kind)
    }

    /// A word chosen by the mode.
    fn choose(&mut self, choice: &Choice, width: u8) -> Operand {
        if let [(src, _)] = choice[..] {
            return self.word(src);
        }
        if let Some(list) = below(self.graph, choice) {
            let from: Vec<Operand> = list.iter().map(|(choice, width)| self.choose(choice, *width)).collect();
            let Src::Wire(first) = choice[0].0 else { return Operand::Const(0) };
            return self.wire(first, &from);
        }
        let choice = self.widened.get(choice).unwrap_or(choice).clone();
        self.tree(&choice, width)
    }

    /// One of two by a multiplexer, one of more by gates: of the modes one runs.
    fn tree(&mut self, list: &[(Src, Modes)], width: u8) -> Operand {
        if let [(src, _)] = list {
            return self.word(*src);
        }
        if list.len() > 2 {
            let words: Vec<(Operand, Operand)> =
                list.iter().map(|&(src, modes)| (self.mode(modes), self.word(src))).collect();
            return self.logic.one_of(width, &words);
        }
        let (left, right) = list.split_at(list.len() / 2);
        let modes = |list: &[(Src, Modes)]| list.iter().fold(0, |sum, (_, modes)| sum | modes);
        let (in_left, in_right) = (modes(left), modes(right));
        let (a, b) = (self.tree(left, width), self.tree(right, width));
        let first = match self.graph.modes {
            2 => in_left == 2,
            _ => in_left.count_ones() <= in_right.count_ones(),
        };
        let (condition, a, b) = if first { (in_left, a, b) } else { (in_right, b, a) };
        let condition = self.mode(condition);
        self.logic.select("", width, condition, a, b)
    }

    /// Whether one of some modes runs.
    fn mode(&mut self, modes: Modes) -> Operand {
        if self.graph.modes == 2 {
            return if modes == 2 { self.selectors[0] } else { self.logic.not(self.selectors[0]) };
        }
        let bits = (0..self.graph.modes).filter(|n| modes >> n & 1 == 1).map(|n| self.selectors[n]);
        let bits: Vec<Operand> = bits.collect();
        self.any(&bits)
    }

    /// Disjunction as a tree, which is shorter than a chain.
    fn any(&mut self, bits: &[Operand]) -> Operand {
        match bits {
            [] => Operand::Const(0),
            [one] => *one,
            _ => {
                let (left, right) = bits.split_at(bits.len().next_power_of_two() / 2);
                let (left, right) = (self.any(left), self.any(right));
                self.logic.binary("", 1, Binary::Or, left, right)
            }
        }
    }

    fn node(&mut self, number: usize) -> Vec<Operand> {
        let graph = self.graph;
        let node = &graph.nodes[number];
        let inputs: Vec<Operand> =
            node.inputs.iter().zip(&node.widths).map(|(choice, width)| self.choose(choice, *width)).collect();
        let binary = |which| OpKind::Binary(which, inputs[0], inputs[1]);
        let kind = match &node.kind {
            Kind::Add { subtracts } => match subtracts & node.modes {
                0 => binary(Binary::Add),
                m if m == node.modes => binary(Binary::Sub),
                m => return vec![self.adder(node, m, inputs[0], inputs[1])],
            },
            Kind::Rotate { right } => match right & node.modes {
                0 => OpKind::Shift(Shift::Rotl, inputs[0], inputs[1]),
                m if m == node.modes => OpKind::Shift(Shift::Rotr, inputs[0], inputs[1]),
                m => OpKind::Shift(Shift::Rotl, inputs[0], self.turned(node.widths[1], m, inputs[1])),
            },
            Kind::Mul => binary(Binary::Mul),
            Kind::Xor => binary(Binary::Xor),
            Kind::And => binary(Binary::And),
            Kind::Or => binary(Binary::Or),
            Kind::Shift(which) => OpKind::Shift(*which, inputs[0], inputs[1]),
            Kind::Compare(which) => OpKind::Compare(*which, inputs[0], inputs[1]),
            Kind::Select => OpKind::Select(inputs[0], inputs[1], inputs[2]),
            Kind::Lookup(table) => {
                let address = self.logic.value(inputs[0], node.widths[0]);
                let affine = Affine { terms: vec![(1, address)], constant: 0 };
                OpKind::Lookup(*table, Address { affine, ring: false })
            }
            Kind::Linear(matrix) => OpKind::Linear(*matrix, inputs),
            Kind::Bitsliced(sbox) => OpKind::Bitsliced(*sbox, inputs),
            Kind::Call(callee) => OpKind::Call(callee.clone(), inputs),
        };
        self.logic.many(&node.name, &node.results, kind)
    }

    /// One adder for sums and differences: the second operand inverted and a carry, which enters by way of one more bit below.
    fn adder(&mut self, node: &Node, subtracts: Modes, a: Operand, b: Operand) -> Operand {
        let width = node.results[0];
        let minus = self.mode(subtracts);
        let inverted = match b {
            Operand::Const(c) => Operand::Const(!c & mask(width)),
            Operand::Value(_) => self.logic.op("", width, OpKind::Not(b)),
        };
        let b = self.logic.select("", width, minus, inverted, b);
        let a = self.logic.concat("", &[(Operand::Const(1), 1), (a, width)]);
        let b = self.logic.concat("", &[(minus, 1), (b, width)]);
        let sum = self.logic.binary(&node.name, width + 1, Binary::Add, a, b);
        self.logic.extract(width, sum, 1)
    }

    /// Amount of a rotation to the left that goes to the right in some modes.
    fn turned(&mut self, width: u8, right: Modes, amount: Operand) -> Operand {
        let opposite = self.logic.binary("", width, Binary::Sub, Operand::Const(0), amount);
        let right = self.mode(right);
        self.logic.select("", width, right, opposite, amount)
    }
}
