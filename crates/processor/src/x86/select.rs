//! Steps of two operands from a graph: what changes in place, what stays in memory, what comes first.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use program::Diagnostic;

use super::graph::{Graph, Id, Kind, Node, Object, Shape, StoredValue, User};
use super::instruction::{Byte, Instruction, Memory, Opcode, Operand, Register, COUNTER};
use super::order::OrderedGraph;
use super::region::Place;
use super::steps::{Step, Steps, ANY, BYTES, COUNT};
use super::sums::scaled;
use crate::micro_ops::fit::{self, Use, OPERAND};

/// Where things lie for the code of a region.
pub(super) struct Surroundings<'a> {
    /// Where each object lies.
    pub places: &'a HashMap<Object, Place>,
    /// Results that lie where a parameter does.
    pub same: HashMap<Object, Object>,
    /// Registers that hold cells.
    pub fixed: BTreeMap<i64, u8>,
}

/// Selects the steps of a graph; adds the objects that they access to `accessed`.
///
/// # Errors
/// X101: a field that there is no way for.
pub(super) fn select(
    graph: &Graph,
    surroundings: &Surroundings<'_>,
    accessed: &mut BTreeSet<Object>,
) -> Result<Steps, Diagnostic> {
    let mut selection = Selection::new(graph, surroundings, accessed);
    let parts: HashSet<Id> = selection.nodes.order.iter().filter_map(|id| selection.scaled.get(id).copied()).collect();
    for id in selection.nodes.order.clone() {
        if !parts.contains(&id) && !selection.stays(id) {
            selection.make(id)?;
        }
    }
    for (number, one) in graph.stores.iter().enumerate() {
        selection.store(number, one)?;
    }
    for (one, other) in &graph.order {
        let none = Vec::new();
        let of = |user| selection.accesses.get(user).unwrap_or(&none);
        let pairs = of(one).iter().flat_map(|&a| of(other).iter().map(move |&b| (a, b)));
        let pairs: Vec<_> = pairs.collect();
        selection.out.before.extend(pairs);
    }
    Ok(selection.out)
}

pub(super) struct Selection<'a> {
    surroundings: &'a Surroundings<'a>,
    accessed: &'a mut BTreeSet<Object>,
    pub nodes: OrderedGraph,
    pub out: Steps,
    /// The numbers of values.
    pub value: HashMap<Id, u32>,
    values: u32,
    /// Of sums the term that an address multiplies: it is not made by itself.
    pub scaled: HashMap<Id, Id>,
    /// Latency from memory to a node.
    pub depth: Vec<u32>,
    /// The user that may change a value in place.
    destroyer: HashMap<Id, Id>,
    makers: HashMap<Id, Vec<u32>>,
    readers: HashMap<Id, Vec<u32>>,
    /// Steps that load from an object.
    loads: HashMap<Object, Vec<u32>>,
    accesses: HashMap<User, Vec<u32>>,
    ordered: HashSet<User>,
    /// Loads before a store on which another load waits: those must not wait for these ones' users.
    apart: HashSet<Id>,
}

impl<'a> Selection<'a> {
    fn new(graph: &Graph, surroundings: &'a Surroundings<'a>, accessed: &'a mut BTreeSet<Object>) -> Selection<'a> {
        let mut nodes = OrderedGraph::new(graph);
        let is_node = |user: &User| matches!(user, User::Node(_));
        let first: HashSet<User> =
            graph.order.iter().filter(|(a, b)| !is_node(a) && is_node(b)).map(|pair| pair.0).collect();
        let apart = graph.order.iter().filter_map(|(a, b)| match a {
            User::Node(id) if first.contains(b) => Some(*id),
            _ => None,
        });
        let apart = apart.collect();
        let mut terms = HashMap::new();
        for id in nodes.order.clone() {
            if let Some(part) = scaled(&nodes, id) {
                terms.insert(id, part.term);
                // The sum's address multiplies: it reads what the term multiplies, and nothing makes the term itself.
                if let Some(user) = nodes.users[part.inner].iter_mut().find(|user| **user == User::Node(part.term)) {
                    *user = User::Node(id);
                }
            }
        }
        let depth = depths(&nodes);
        let destroyer = destroyers(&nodes);
        Selection {
            surroundings,
            accessed,
            nodes,
            out: Steps::default(),
            value: HashMap::new(),
            values: 0,
            scaled: terms,
            depth,
            destroyer,
            makers: HashMap::new(),
            readers: HashMap::new(),
            loads: HashMap::new(),
            accesses: HashMap::new(),
            ordered: graph.order.iter().flat_map(|&(a, b)| [a, b]).collect(),
            apart,
        }
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes.nodes[id]
    }

    pub fn shape(&self, id: Id) -> &Shape {
        &self.nodes.nodes[id].shape
    }

    pub fn kind(&self, id: Id) -> Kind {
        self.shape(id).kind
    }

    // Operands.

    /// Whether a value is read from memory by the instruction that uses it.
    fn stays(&self, id: Id) -> bool {
        let users = &self.nodes.users[id];
        let all = |fits: &dyn Fn(Id) -> bool| {
            users.iter().all(|user| match user {
                User::Node(user) => fits(*user),
                User::Store(_) => false,
            })
        };
        let computes = |user: Id| self.kind(user).is_sum() || matches!(self.kind(user), Kind::Mul | Kind::Sub);
        match self.kind(id) {
            Kind::Number => all(&computes),
            Kind::Leaf | Kind::Lookup if self.shape(id).bits == 32 && !self.apart.contains(&id) => {
                let once = self.kind(id) == Kind::Leaf || users.len() <= 1;
                let takes = |user: Id| computes(user) || self.kind(user) == Kind::Bswap;
                once && all(&|user| takes(user) && self.takes_memory(user))
            }
            _ => false,
        }
    }

    fn takes_memory(&self, user: Id) -> bool {
        let by_number = self.kind(user) == Kind::Mul && self.number_of(user).is_some();
        self.scaled.contains_key(&user) || !by_number
    }

    /// The first number among what a node is made from.
    pub fn number_of(&self, id: Id) -> Option<Id> {
        self.node(id).args.iter().copied().find(|&arg| self.kind(arg) == Kind::Number)
    }

    /// A value in memory, whose index is operand 1, and what its address depends on.
    pub fn memory(&mut self, id: Id) -> (Operand, Vec<Id>) {
        let Node { shape, args, .. } = self.node(id).clone();
        let object = shape.object.expect("leaves and look-ups have objects");
        if shape.kind == Kind::Leaf {
            return (self.at(object, shape.number, shape.scale), Vec::new());
        }
        self.accessed.insert(object);
        (indexed(self.at(object, shape.number, 0), shape.bits, OPERAND + 1), args)
    }

    /// A byte of an object, and so many times the counter behind it.
    fn at(&self, object: Object, offset: i64, scale: i64) -> Operand {
        if let Some(&register) = self.surroundings.fixed.get(&offset).filter(|_| object == Object::Cells) {
            return Operand::register(register);
        }
        let (symbol, start) = &self.surroundings.places[&object];
        let memory = Memory { symbol: Some(symbol.clone()), offset: start + offset, ..Memory::default() };
        Operand::Memory(match scale {
            0 => memory,
            1 => Memory { base: Some(COUNTER), ..memory },
            _ => Memory { index: Some(COUNTER), scale: scale as u8, ..memory },
        })
    }

    /// The byte of a word between regions, nothing if a register holds the word.
    fn cell(&self, object: Object, offset: i64) -> Option<u64> {
        let in_memory = object == Object::Cells && !self.surroundings.fixed.contains_key(&offset);
        in_memory.then_some(offset as u64)
    }

    pub fn read(&self, id: Id) -> fit::Operand {
        operand(self.value[&id], Use::Read, ANY)
    }

    // Steps.

    /// Adds a step; `leaf` is the operand that it combines its node with, or loads if that is one from memory.
    pub fn step(&mut self, node: Option<Id>, mut step: Step, reads: &[Id], leaf: Option<Id>) -> u32 {
        let number = self.out.list.len() as u32;
        for read in reads {
            let makers = self.makers.get(read).into_iter().flatten();
            self.out.before.extend(makers.map(|&maker| (maker, number)));
            self.readers.entry(*read).or_default().push(number);
        }
        if let Some(node) = node {
            step.places = self.nodes.places(node, leaf);
            self.makers.entry(node).or_default().push(number);
        }
        if let Some(leaf) = leaf.filter(|&leaf| matches!(self.kind(leaf), Kind::Leaf | Kind::Lookup)) {
            let Shape { kind, object, number: offset, .. } = *self.shape(leaf);
            let object = object.expect("leaves and look-ups have objects");
            if kind == Kind::Leaf {
                self.loads.entry(object).or_default().push(number);
                self.accessed.insert(object);
            }
            self.accesses.entry(User::Node(leaf)).or_default().push(number);
            if self.ordered.contains(&User::Node(leaf)) {
                step.cell = self.cell(object, offset);
            }
        }
        self.out.list.push(step);
        number
    }

    /// The operand that a node is made in the place of.
    pub fn tied(&self, node: Id, candidates: &[Id]) -> Option<Id> {
        let fits = |arg: &Id| self.value.contains_key(arg) && self.destroyer.get(arg) == Some(&node);
        let key = |arg: Id| (self.makers[&arg].len() > 1, std::cmp::Reverse(self.depth[arg]));
        let fit = candidates.iter().copied().filter(fits);
        fit.reduce(|best, arg| if key(arg) > key(best) { arg } else { best })
    }

    /// Gives a node its value: a new one or that of the operand which it destroys.
    pub fn begin(&mut self, node: Id, tied: Option<Id>) -> u32 {
        let value = match tied {
            Some(tied) => self.value[&tied],
            None => {
                self.values += 1;
                self.values - 1
            }
        };
        self.value.insert(node, value);
        self.makers.insert(node, Vec::new());
        value
    }

    /// A step that changes an operand in place comes after what made and what reads that.
    pub fn after_readers(&mut self, tied: Option<Id>, number: u32) {
        let Some(tied) = tied else { return };
        let of = |steps: &HashMap<Id, Vec<u32>>| steps.get(&tied).cloned().unwrap_or_default();
        let first = [of(&self.makers), of(&self.readers)].concat();
        self.out.before.extend(first.into_iter().map(|one| (one, number)));
    }

    fn make(&mut self, id: Id) -> Result<(), Diagnostic> {
        match self.kind(id) {
            kind if kind.is_sum() => self.sum(id),
            Kind::Leaf | Kind::Lookup => self.loaded(id),
            Kind::Number => {
                let number = Operand::Immediate(self.shape(id).number);
                let value = self.begin(id, None);
                let mut step = Step::new(
                    vec![operand(value, Use::Write, ANY)],
                    Instruction::new(Opcode::Mov, [Operand::register(OPERAND), number.clone()]),
                );
                step.again = Some(number);
                self.step(Some(id), step, &[], None);
            }
            Kind::Field => self.field(id)?,
            Kind::Index => self.counted(id),
            Kind::Sub | Kind::Mul => self.product(id),
            _ => self.unary(id),
        }
        Ok(())
    }

    fn loaded(&mut self, id: Id) {
        let (from, reads) = self.memory(id);
        let whole = self.shape(id).bits == 32;
        let opcode = if whole { Opcode::Mov } else { Opcode::MovZeroByte };
        let value = self.begin(id, None);
        let mut operands = vec![operand(value, Use::Write, ANY)];
        operands.extend(reads.iter().map(|&read| self.read(read)));
        let in_memory = matches!(from, Operand::Memory(_));
        let again = reads.is_empty() && whole && !self.ordered.contains(&User::Node(id)) && in_memory;
        let mut step = Step::new(operands, Instruction::new(opcode, [Operand::register(OPERAND), from.clone()]));
        step.again = again.then_some(from);
        self.step(Some(id), step, &reads, Some(id));
    }

    fn field(&mut self, id: Id) -> Result<(), Diagnostic> {
        let (Shape { bits, number, .. }, x) = (self.shape(id).clone(), self.node(id).args[0]);
        let byte = match (bits, number) {
            (8, 0) => Byte::Low,
            (8, 8) => Byte::High,
            _ => {
                let message = format!("code for x86-32 has no way yet for {bits} bits at {number} of a word");
                return Err(Diagnostic::new("X101", message));
            }
        };
        let value = self.begin(id, None);
        let operands = vec![operand(value, Use::Write, ANY), operand(self.value[&x], Use::Read, BYTES)];
        let from = Operand::Register(Register { number: OPERAND + 1, byte: Some(byte) });
        let step = Step::new(operands, Instruction::new(Opcode::MovZeroByte, [Operand::register(OPERAND), from]));
        self.step(Some(id), step, &[x], None);
        Ok(())
    }

    fn counted(&mut self, id: Id) {
        let Shape { number, scale, .. } = *self.shape(id);
        let address = match scale {
            1 => Memory { offset: number, base: Some(COUNTER), ..Memory::default() },
            _ => Memory { offset: number, index: Some(COUNTER), scale: scale as u8, ..Memory::default() },
        };
        let (opcode, from) = match (scale, number) {
            (1, 0) => (Opcode::Mov, Operand::register(COUNTER)),
            _ => (Opcode::Lea, Operand::Memory(address)),
        };
        let value = self.begin(id, None);
        let step = Instruction::new(opcode, [Operand::register(OPERAND), from]);
        self.step(Some(id), Step::new(vec![operand(value, Use::Write, ANY)], step), &[], None);
    }

    fn store(&mut self, number: usize, stored: &StoredValue) -> Result<(), Diagnostic> {
        for one in [Some(stored.value), stored.address].into_iter().flatten() {
            if !self.value.contains_key(&one) {
                self.make(one)?;
            }
        }
        let mut to = self.at(stored.object, stored.offset, stored.scale);
        let (opcode, byte, class) = match stored.bits {
            32 => (Opcode::Mov, None, ANY),
            _ => (Opcode::MovByte, Some(Byte::Low), BYTES),
        };
        let mut operands = vec![operand(self.value[&stored.value], Use::Read, class)];
        let mut reads = vec![stored.value];
        if let Some(address) = stored.address {
            to = indexed(to, stored.bits, OPERAND + 1);
            operands.push(self.read(address));
            reads.push(address);
        }
        let from = Operand::Register(Register { number: OPERAND, byte });
        let mut step = Step::new(operands, Instruction::new(opcode, [to.clone(), from]));
        step.cell = self.cell(stored.object, stored.offset);
        step.overwrites = self.overwritten(stored, &to);
        step.places = stored.places.clone();
        let at = self.step(None, step, &reads, None);
        self.accesses.entry(User::Store(number)).or_default().push(at);
        let loads = self.surroundings.same.get(&stored.object).and_then(|object| self.loads.get(object));
        let loads: Vec<u32> = loads.into_iter().flatten().copied().collect();
        self.out.before.extend(loads.into_iter().map(|load| (load, at)));
        Ok(())
    }

    /// Steps that load again what a store writes.
    fn overwritten(&self, stored: &StoredValue, to: &Operand) -> Vec<u32> {
        let meets = |step: &Step| step.again.as_ref().is_some_and(|from| meet(from, stored.bits, to));
        (0..).zip(&self.out.list).filter(|(_, step)| meets(step)).map(|(number, _)| number).collect()
    }
}

/// Whether a load of a word and an access of so many bits, by an index or not, may meet.
fn meet(load: &Operand, bits: u8, to: &Operand) -> bool {
    let (Operand::Memory(load), Operand::Memory(to)) = (load, to) else { return false };
    let apart = load.offset + 4 <= to.offset || to.offset + i64::from(bits / 8) <= load.offset;
    let indexed = load.registers().chain(to.registers()).next().is_some();
    load.symbol == to.symbol && (indexed || !apart)
}

pub(super) fn operand(value: u32, access: Use, class: u8) -> fit::Operand {
    fit::Operand { value, access, class }
}

/// The class of what a shift changes whose amount is in the register that counts.
pub(super) const SHIFTED: u8 = ANY & !COUNT;

/// An address with entries of so many bits whose number is in a register.
fn indexed(at: Operand, bits: u8, register: u8) -> Operand {
    match at {
        Operand::Memory(memory) if bits == 8 => Operand::Memory(Memory { base: Some(register), ..memory }),
        Operand::Memory(memory) => Operand::Memory(Memory { index: Some(register), scale: bits / 8, ..memory }),
        other => other,
    }
}

fn depths(nodes: &OrderedGraph) -> Vec<u32> {
    let mut depth = vec![0; nodes.nodes.len()];
    for &id in &nodes.order {
        let Node { shape, args, .. } = &nodes.nodes[id];
        let latency = match shape.kind {
            Kind::Leaf | Kind::Lookup => 3,
            Kind::Mul => 4,
            Kind::Bswap => 2,
            _ => 1,
        };
        depth[id] = args.iter().map(|&arg| depth[arg]).max().unwrap_or(0) + latency;
    }
    depth
}

/// The users that may change values in place: the last one, so that no other depends on it.
fn destroyers(nodes: &OrderedGraph) -> HashMap<Id, Id> {
    let mut position = vec![0; nodes.nodes.len()];
    for (at, &id) in nodes.order.iter().enumerate() {
        position[id] = at;
    }
    let of = |x: Id| {
        let users = &nodes.users[x];
        let stored = users.iter().any(|user| matches!(user, User::Store(_)));
        if stored || matches!(nodes.nodes[x].shape.kind, Kind::Leaf | Kind::Number) {
            return None;
        }
        let last = nodes.node_users(x).max_by_key(|&user| position[user])?;
        let once = nodes.node_users(x).filter(|&user| user == last).count() == 1;
        (once && can_tie(nodes, last, x)).then_some(last)
    };
    nodes.order.iter().filter_map(|&x| Some((x, of(x)?))).collect()
}

fn can_tie(nodes: &OrderedGraph, user: Id, x: Id) -> bool {
    let Node { shape, args, .. } = &nodes.nodes[user];
    match shape.kind {
        kind if kind.is_sum() => true,
        Kind::Mul => !args.iter().any(|&arg| nodes.nodes[arg].shape.kind == Kind::Number),
        Kind::Sub | Kind::Not | Kind::Shl | Kind::Shr | Kind::Rol | Kind::Ror | Kind::Bswap => args[0] == x,
        _ => false,
    }
}
