//! From functions to operators and wires.

use std::collections::{BTreeMap, HashMap};

use program::ir::{Binary, Function, OpKind, Operand, Program, Shift, TableId, Type, ValueId};
use program::semantics::mask;

use super::graph::{grouped, Graph, Kind, Modes, Node, Src, Wire, WireKind};
use super::{Alternative, ResultSource, Source};
use crate::logic::width_of;

/// All alternatives in one graph; equal operators are one at once.
pub(super) fn graph(
    program: &Program,
    inputs: &[(String, u8)],
    results: &[u8],
    alternatives: &[Alternative<'_>],
) -> Option<Graph> {
    let mut graph = Graph::new(alternatives.len(), inputs);
    let halves = halves(program, alternatives);
    let mut outputs = vec![Vec::new(); results.len()];
    for (mode, alternative) in alternatives.iter().enumerate() {
        let of = |source: &Source| match *source {
            Source::Input(n) => Src::Input(n as u32),
            Source::Number(n) => Src::Number(n),
        };
        let arguments: Vec<Src> = alternative.arguments.iter().map(of).collect();
        let builder = Builder::new(&mut graph, alternative.function, 1 << mode, &halves);
        let given = builder.build(&arguments)?;
        for (output, result) in outputs.iter_mut().zip(&alternative.results) {
            match result {
                ResultSource::Result(n) => output.push((given[*n], 1 << mode)),
                ResultSource::Source(source) => output.push((of(source), 1 << mode)),
                ResultSource::Nothing => {}
            }
        }
    }
    let grouped = |o: Vec<(Src, Modes)>| if o.is_empty() { vec![(Src::Number(0), 0)] } else { grouped(o.into_iter()) };
    graph.outputs = outputs.into_iter().map(grouped).zip(results.iter().copied()).collect();
    graph.drop_unused();
    graph.close();
    Some(graph)
}

/// Operators of one function by kind.
pub(super) fn operators(program: &Program, function: &Function) -> BTreeMap<String, usize> {
    let mut graph = Graph::new(1, &[]);
    let mut counts = BTreeMap::new();
    let arguments: Vec<Src> = (0..function.params.len() as u32).map(Src::Input).collect();
    let halves = BTreeMap::new();
    if Builder::new(&mut graph, function, 1, &halves).build(&arguments).is_some() {
        for node in &graph.nodes {
            let name = match &node.kind {
                Kind::Lookup(table) => format!("lookup {}", program.tables[table.0 as usize].name),
                Kind::Bitsliced(sbox) => format!("bitsliced {}", program.boxes[sbox.0 as usize].name),
                Kind::Linear(matrix) => format!("linear {}", program.matrices[matrix.0 as usize].name),
                Kind::Call(name) => format!("call {name}"),
                other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_lowercase(),
            };
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    counts
}

/// Per table the tables that are its halves, and the bits of their addresses.
type Halves = BTreeMap<TableId, (TableId, TableId, u8)>;

/// Tables whose two halves are looked up as tables of their own.
fn halves(program: &Program, alternatives: &[Alternative<'_>]) -> Halves {
    let mut used: Vec<TableId> = Vec::new();
    for op in alternatives.iter().flat_map(|a| &a.function.body.ops) {
        match op.kind {
            OpKind::Lookup(table, _) if !used.contains(&table) => used.push(table),
            _ => {}
        }
    }
    let part = |width: u8, data: &[u64]| {
        used.iter().copied().find(|t| {
            let table = &program.tables[t.0 as usize];
            table.width == width && table.data == data
        })
    };
    let mut found = BTreeMap::new();
    for &whole in &used {
        let table = &program.tables[whole.0 as usize];
        if table.data.len() > 2 && table.data.len().is_power_of_two() {
            let half = table.data.len().trailing_zeros() as u8 - 1;
            let (low, high) = table.data.split_at(1 << half);
            if let (Some(low), Some(high)) = (part(table.width, low), part(table.width, high)) {
                found.insert(whole, (low, high, half));
            }
        }
    }
    found
}

struct Builder<'a> {
    graph: &'a mut Graph,
    function: &'a Function,
    modes: Modes,
    halves: &'a Halves,
    values: HashMap<ValueId, Src>,
}

impl<'a> Builder<'a> {
    fn new(graph: &'a mut Graph, function: &'a Function, modes: Modes, halves: &'a Halves) -> Self {
        Builder { graph, function, modes, halves, values: HashMap::new() }
    }

    /// Adds the function's operators; gives its results.
    fn build(mut self, arguments: &[Src]) -> Option<Vec<Src>> {
        let function = self.function;
        self.values.extend(function.params.iter().copied().zip(arguments.iter().copied()));
        for op in &function.body.ops {
            let widths: Vec<u8> = op.results.iter().map(|&v| self.width(v)).collect();
            let made = self.operation(&op.kind, &widths, &function.values[op.results[0].0 as usize].name)?;
            self.values.extend(op.results.iter().copied().zip(made));
        }
        Some(function.body.outputs.iter().map(|o| self.src(*o)).collect())
    }

    fn width(&self, value: ValueId) -> u8 {
        width_of(&self.function.values[value.0 as usize].ty)
    }

    fn src(&self, operand: Operand) -> Src {
        match operand {
            Operand::Value(v) => self.values.get(&v).copied().unwrap_or(Src::Number(0)),
            Operand::Const(c) => Src::Number(c),
        }
    }

    fn wire(&mut self, kind: WireKind, width: u8, from: &[(Src, u8)]) -> Vec<Src> {
        let (from, widths) = from.iter().copied().unzip();
        vec![self.graph.wire(Wire { kind, width, from, widths })]
    }

    fn node(&mut self, kind: Kind, results: &[u8], inputs: &[(Src, u8)], name: &str) -> Vec<Src> {
        let number = self.graph.nodes.len() as u32;
        self.graph.nodes.push(Node {
            kind,
            inputs: inputs.iter().map(|i| vec![(i.0, self.modes)]).collect(),
            widths: inputs.iter().map(|i| i.1).collect(),
            results: results.to_vec(),
            modes: self.modes,
            name: program::builder::author_name(name).to_owned(),
        });
        (0..results.len() as u32).map(|k| Src::Result(number, k)).collect()
    }

    fn operation(&mut self, kind: &OpKind, widths: &[u8], name: &str) -> Option<Vec<Src>> {
        let width = *widths.first()?;
        let of = |this: &Self, list: &[Operand], width: u8| -> Vec<(Src, u8)> {
            list.iter().map(|o| (this.src(*o), width)).collect()
        };
        Some(match kind {
            OpKind::Const(c) => vec![Src::Number(*c)],
            OpKind::Binary(which, a, b) => self.binary(*which, width, self.src(*a), self.src(*b), name),
            OpKind::Not(a) => self.wire(WireKind::Not, width, &of(self, &[*a], width)),
            OpKind::Shift(which, a, Operand::Const(n)) => {
                let (which, n) = match which {
                    Shift::Rotr => (Shift::Rotl, (u64::from(width) - n) % u64::from(width)),
                    other => (*other, *n),
                };
                match n {
                    0 => vec![self.src(*a)],
                    _ => self.wire(WireKind::Shift(which, n), width, &of(self, &[*a], width)),
                }
            }
            // The opposite of an amount is counted modulo a power of two.
            OpKind::Shift(Shift::Rotl | Shift::Rotr, ..) if !width.is_power_of_two() => return None,
            OpKind::Shift(which, a, Operand::Value(n)) => self.variable_shift(*which, width, *a, *n, name),
            OpKind::Extract(Operand::Value(v), from) => {
                let word = (self.src(Operand::Value(*v)), self.width(*v));
                match word.1 == width {
                    true => vec![word.0],
                    false => self.wire(WireKind::Extract(*from), width, &[word]),
                }
            }
            OpKind::Concat(values) => {
                let words: Vec<(Src, u8)> =
                    values.iter().map(|&v| (self.src(Operand::Value(v)), self.width(v))).collect();
                self.wire(WireKind::Concat, width, &words)
            }
            OpKind::Zext(v) => self.wire(WireKind::Zext, width, &[(self.src(Operand::Value(*v)), self.width(*v))]),
            OpKind::Compare(which, a, b) => {
                let compared = [a, b].into_iter().find_map(|o| match o {
                    Operand::Value(v) => Some(self.width(*v)),
                    Operand::Const(_) => None,
                })?;
                self.node(Kind::Compare(*which), widths, &of(self, &[*a, *b], compared), name)
            }
            OpKind::Select(c, a, b) => {
                let mut inputs = of(self, &[*c], 1);
                inputs.extend(of(self, &[*a, *b], width));
                self.node(Kind::Select, widths, &inputs, name)
            }
            OpKind::Lookup(table, address) => {
                let [(1, value)] = address.affine.terms[..] else { return None };
                if address.affine.constant != 0 || !matches!(self.function.values[value.0 as usize].ty, Type::Word(_)) {
                    return None;
                }
                self.lookup(*table, width, (self.src(Operand::Value(value)), self.width(value)), name)
            }
            OpKind::Linear(matrix, list) => self.node(Kind::Linear(*matrix), widths, &of(self, list, width), name),
            OpKind::Bitsliced(sbox, list) => self.node(Kind::Bitsliced(*sbox), widths, &of(self, list, width), name),
            OpKind::Call(callee, list) => {
                let word = |o: &Operand| match o {
                    Operand::Value(v) => Some((self.src(*o), self.width(*v))),
                    Operand::Const(_) => None,
                };
                let words: Option<Vec<(Src, u8)>> = list.iter().map(word).collect();
                self.node(Kind::Call(callee.clone()), widths, &words?, name)
            }
            _ => return None,
        })
    }

    fn binary(&mut self, which: Binary, width: u8, a: Src, b: Src, name: &str) -> Vec<Src> {
        let (a, b, which) = match (which, a, b) {
            (Binary::Sub, a, Src::Number(c)) => (a, Src::Number(c.wrapping_neg() & mask(width)), Binary::Add),
            (Binary::Sub, a, b) => (a, b, which),
            (_, Src::Number(c), b) => (b, Src::Number(c), which),
            _ => (a, b, which),
        };
        let word = [(a, width)];
        let both = [(a, width), (b, width)];
        match (which, b) {
            (Binary::And, Src::Number(c)) => self.wire(WireKind::And(c), width, &word),
            (Binary::Or, Src::Number(c)) => self.wire(WireKind::Or(c), width, &word),
            (Binary::Xor, Src::Number(c)) => self.wire(WireKind::Xor(c), width, &word),
            (Binary::Mul, Src::Number(c)) if c.is_power_of_two() => match c.trailing_zeros() {
                0 => vec![a],
                n => self.wire(WireKind::Shift(Shift::Shl, n.into()), width, &word),
            },
            // Nothing carries where all bits of the number lie below those of the word.
            (Binary::Add, Src::Number(c)) if self.zeros_below(a) >= 64 - c.leading_zeros() => {
                self.wire(WireKind::Or(c), width, &word)
            }
            (Binary::Add, _) => self.node(Kind::Add { subtracts: 0 }, &[width], &both, name),
            (Binary::Sub, _) => self.node(Kind::Add { subtracts: self.modes }, &[width], &both, name),
            (Binary::Mul, _) => self.node(Kind::Mul, &[width], &both, name),
            (Binary::And, _) => self.node(Kind::And, &[width], &both, name),
            (Binary::Or, _) => self.node(Kind::Or, &[width], &both, name),
            (Binary::Xor, _) => self.node(Kind::Xor, &[width], &both, name),
        }
    }

    /// Low bits of a word that are surely 0.
    fn zeros_below(&self, src: Src) -> u32 {
        match src {
            Src::Wire(w) => match self.graph.wires[w as usize].kind {
                WireKind::Shift(Shift::Shl, n) => n as u32,
                _ => 0,
            },
            _ => 0,
        }
    }

    fn variable_shift(&mut self, which: Shift, width: u8, a: Operand, n: ValueId, name: &str) -> Vec<Src> {
        let mut amount = (self.src(Operand::Value(n)), self.width(n));
        let rotates = matches!(which, Shift::Rotl | Shift::Rotr);
        let bits = width.trailing_zeros() as u8;
        if rotates && width > 1 && amount.1 > bits {
            amount = (self.wire(WireKind::Extract(0), bits, &[amount])[0], bits);
        }
        let kind = match which {
            Shift::Rotl => Kind::Rotate { right: 0 },
            Shift::Rotr => Kind::Rotate { right: self.modes },
            other => Kind::Shift(other),
        };
        self.node(kind, &[width], &[(self.src(a), width), amount], name)
    }

    /// A look-up; a table whose halves are tables of their own is looked up in both, and the highest bit of the address chooses.
    fn lookup(&mut self, table: TableId, width: u8, address: (Src, u8), name: &str) -> Vec<Src> {
        let bits = address.1 - 1;
        let (low, high) = match self.halves.get(&table) {
            Some(&(low, high, half)) if half == bits => (low, high),
            _ => return self.node(Kind::Lookup(table), &[width], &[address], name),
        };
        let low_address = (self.wire(WireKind::Extract(0), bits, &[address])[0], bits);
        let top = (self.wire(WireKind::Extract(bits), 1, &[address])[0], 1);
        let first = self.lookup(low, width, low_address, name)[0];
        let second = self.lookup(high, width, low_address, name)[0];
        self.node(Kind::Select, &[width], &[top, (second, width), (first, width)], name)
    }
}
