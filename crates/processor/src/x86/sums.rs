//! Steps of sums, products and shifts.

use super::graph::{Id, Kind};
use super::instruction::Byte;
use super::instruction::{Instruction, Memory, Opcode, Operand, Register};
use super::order::OrderedGraph;
use super::select::{operand, Selection, SHIFTED};
use super::steps::{Step, ANY, COUNT};
use crate::micro_ops::fit::{Use, OPERAND};

/// A term of a sum that an address can multiply.
pub(super) struct ScaledTerm {
    pub term: Id,
    /// What it multiplies.
    pub inner: Id,
}

/// The term of a sum that an address can multiply, if nothing else uses it.
pub(super) fn scaled(nodes: &OrderedGraph, sum: Id) -> Option<ScaledTerm> {
    if nodes.nodes[sum].shape.kind != Kind::Add {
        return None;
    }
    let fits = |&term: &Id| {
        let (inner, scale) = scaled_by(nodes, term);
        let loaded = matches!(nodes.nodes[inner].shape.kind, Kind::Leaf | Kind::Lookup | Kind::Number);
        // Users that are stores are among the stored ones.
        nodes.node_users(term).count() == 1 && !nodes.stored.contains(&term) && scale > 1 && !loaded
    };
    let term = nodes.nodes[sum].args.iter().copied().find(fits)?;
    Some(ScaledTerm { term, inner: scaled_by(nodes, term).0 })
}

/// What a node multiplies by 2, 4 or 8, and by which.
fn scaled_by(nodes: &OrderedGraph, id: Id) -> (Id, u8) {
    let node = &nodes.nodes[id];
    if node.shape.kind == Kind::Shl && node.args.len() == 1 && (1..=3).contains(&node.shape.number) {
        return (node.args[0], 1 << node.shape.number);
    }
    let is_scale = |&&arg: &&Id| {
        let shape = &nodes.nodes[arg].shape;
        shape.kind == Kind::Number && matches!(shape.number, 2 | 4 | 8)
    };
    match node.args.iter().find(is_scale) {
        Some(&scale) if node.shape.kind == Kind::Mul => {
            let inner = node.args.iter().copied().find(|&arg| arg != scale).unwrap_or(scale);
            (inner, nodes.nodes[scale].shape.number as u8)
        }
        _ => (id, 1),
    }
}

fn opcode_of(kind: Kind) -> Opcode {
    match kind {
        Kind::Xor => Opcode::Xor,
        Kind::And => Opcode::And,
        Kind::Or => Opcode::Or,
        Kind::Add => Opcode::Add,
        Kind::Sub => Opcode::Sub,
        Kind::Mul => Opcode::Imul,
        Kind::Not => Opcode::Not,
        Kind::Shl => Opcode::Shl,
        Kind::Shr => Opcode::Shr,
        Kind::Rol => Opcode::Rol,
        Kind::Ror => Opcode::Ror,
        Kind::Bswap => Opcode::Bswap,
        Kind::Leaf | Kind::Number | Kind::Field | Kind::Lookup | Kind::Index => Opcode::Mov,
    }
}

fn to_first(opcode: Opcode, from: Operand) -> Instruction {
    Instruction::new(opcode, [Operand::register(OPERAND), from])
}

impl Selection<'_> {
    pub(super) fn sum(&mut self, id: Id) {
        let args = self.node(id).args.clone();
        let term = self.scaled.get(&id).copied();
        let number = self.number_of(id);
        let tied = if term.is_some() { None } else { self.tied(id, &args) };
        let registers: Vec<Id> = args.iter().copied().filter(|arg| self.value.contains_key(arg)).collect();
        let pair = args.len() == 2 && registers.len() + usize::from(number.is_some()) == 2;
        if term.is_some() || self.kind(id) == Kind::Add && tied.is_none() && pair {
            self.scaled_sum(id, &args, term, &registers, number);
            return;
        }
        let value = self.begin(id, tied);
        let mut numbers = Vec::new();
        for arg in self.by_depth(&args) {
            if Some(arg) != tied {
                numbers.push(self.added(id, value, arg, tied.is_some()));
            }
        }
        for one in numbers {
            self.after_readers(tied, one);
        }
    }

    fn by_depth(&self, args: &[Id]) -> Vec<Id> {
        let mut sorted = args.to_vec();
        sorted.sort_by_key(|&arg| self.depth[arg]);
        sorted
    }

    /// Adds the step that combines a sum with one operand.
    fn added(&mut self, id: Id, value: u32, arg: Id, begun: bool) -> u32 {
        let (from, read) = self.source(arg);
        let opcode = opcode_of(self.kind(id));
        let mut operands = vec![operand(value, Use::Change, ANY)];
        operands.extend(read.iter().map(|&one| self.read(one)));
        let mut step = Step::new(operands, to_first(opcode, from.clone()));
        let in_register = self.value.contains_key(&arg);
        step.folded = in_register.then(|| to_first(opcode, Operand::Folded));
        if !begun {
            step.first = Some(to_first(Opcode::Mov, from));
            step.first_folded = in_register.then(|| to_first(Opcode::Mov, Operand::Folded));
        }
        self.step(Some(id), step, &read, Some(arg))
    }

    /// An operand as operand 1 of a step, a number or a value in memory, and what it depends on.
    fn source(&mut self, arg: Id) -> (Operand, Vec<Id>) {
        if self.value.contains_key(&arg) {
            (Operand::register(OPERAND + 1), vec![arg])
        } else if self.kind(arg) == Kind::Number {
            (Operand::Immediate(self.shape(arg).number), Vec::new())
        } else {
            self.memory(arg)
        }
    }

    /// A sum of two registers, one of them times 1, 2, 4 or 8, and a number; the rest is added to it.
    fn scaled_sum(&mut self, id: Id, args: &[Id], term: Option<Id>, registers: &[Id], number: Option<Id>) {
        let value = self.begin(id, None);
        let offset = number.map_or(0, |number| i64::from(self.shape(number).number as u32 as i32));
        let bases: Vec<Id> = registers.iter().copied().filter(|&one| Some(one) != term).collect();
        let (used, address) = match term {
            Some(term) => {
                let (inner, scale) = scaled_by(&self.nodes, term);
                let base = bases.first().copied();
                let used: Vec<Id> = base.into_iter().chain([inner]).collect();
                let index = Some(OPERAND + used.len() as u8);
                (used, Memory { offset, base: base.map(|_| OPERAND + 1), index, scale, symbol: None })
            }
            None => {
                let used = bases[..bases.len().min(2)].to_vec();
                let index = (used.len() == 2).then_some(OPERAND + 2);
                (used, Memory { offset, base: Some(OPERAND + 1), index, scale: 1, symbol: None })
            }
        };
        let mut operands = vec![operand(value, Use::Write, ANY)];
        operands.extend(used.iter().map(|&one| self.read(one)));
        let start = Step::new(operands, to_first(Opcode::Lea, Operand::Memory(address)));
        let start = self.step(Some(id), start, &used, None);
        let mut done: Vec<Id> = term.into_iter().chain(number).collect();
        done.extend(if term.is_some() { bases.first().copied().into_iter().collect() } else { used });
        for arg in self.by_depth(args) {
            if !done.contains(&arg) {
                let next = self.added(id, value, arg, true);
                self.out.before.insert((start, next));
            }
        }
    }

    pub(super) fn product(&mut self, id: Id) {
        let [mut a, mut b] = self.node(id).args[..] else { unreachable!("products and differences have two operands") };
        let is_product = self.kind(id) == Kind::Mul;
        if let Some(number) = self.number_of(id).filter(|_| is_product) {
            let x = if self.kind(a) == Kind::Number { b } else { a };
            let number = Operand::Immediate(self.shape(number).number);
            let value = self.begin(id, None);
            let operands = vec![operand(value, Use::Write, ANY), self.read(x)];
            let registers = [Operand::register(OPERAND), Operand::register(OPERAND + 1), number];
            self.step(Some(id), Step::new(operands, Instruction::new(Opcode::Imul, registers)), &[x], None);
            return;
        }
        let tied = if is_product { self.tied(id, &[a, b]) } else { self.tied(id, &[a]) };
        let known = |arg: &Id| self.value.contains_key(arg);
        if is_product && (tied == Some(b) || tied.is_none() && known(&a) && !known(&b)) {
            (a, b) = (b, a);
        }
        let value = self.begin(id, tied);
        let start = if tied.is_none() { Some(self.copied(id, value, a)) } else { None };
        let opcode = opcode_of(self.kind(id));
        let (from, read) = self.source(b);
        let mut operands = vec![operand(value, Use::Change, ANY)];
        operands.extend(read.iter().map(|&one| self.read(one)));
        let mut step = Step::new(operands, to_first(opcode, from));
        step.folded = self.value.contains_key(&b).then(|| to_first(opcode, Operand::Folded));
        let next = self.step(Some(id), step, &read, Some(b));
        self.after_readers(tied, next);
        self.out.before.extend(start.map(|start| (start, next)));
    }

    /// Adds the step that begins a value as a copy of an operand.
    fn copied(&mut self, id: Id, value: u32, x: Id) -> u32 {
        let number = self.added(id, value, x, false);
        let step = &mut self.out.list[number as usize];
        step.operands[0] = operand(value, Use::Write, ANY);
        step.plain = step.first.take().expect("a sum that has not begun has a form that begins it");
        step.folded = step.first_folded.take();
        number
    }

    pub(super) fn unary(&mut self, id: Id) {
        let (kind, by_number, args) = (self.kind(id), self.shape(id).number, self.node(id).args.clone());
        let (x, by) = (args[0], args.get(1).copied());
        let tied = self.tied(id, &[x]);
        let short = kind == Kind::Shl && by.is_none() && by_number <= 3;
        if tied.is_none() && short && self.value.contains_key(&x) {
            let value = self.begin(id, None);
            let operands = vec![operand(value, Use::Write, ANY), self.read(x)];
            let address = Memory { index: Some(OPERAND + 1), scale: 1 << by_number, ..Memory::default() };
            self.step(Some(id), Step::new(operands, to_first(Opcode::Lea, Operand::Memory(address))), &[x], None);
            return;
        }
        let value = self.begin(id, tied);
        let start = if tied.is_none() { Some(self.copied(id, value, x)) } else { None };
        let opcode = opcode_of(kind);
        let number = if let Some(by) = by {
            let operands = vec![operand(value, Use::Change, SHIFTED), operand(self.value[&by], Use::Read, COUNT)];
            let amount = Operand::Register(Register { number: OPERAND + 1, byte: Some(Byte::Low) });
            self.step(Some(id), Step::new(operands, to_first(opcode, amount)), &[by], None)
        } else {
            let plain = if opcode.is_shift() {
                to_first(opcode, Operand::Immediate(by_number))
            } else {
                Instruction::new(opcode, [Operand::register(OPERAND)])
            };
            self.step(Some(id), Step::new(vec![operand(value, Use::Change, ANY)], plain), &[], None)
        };
        self.after_readers(tied, number);
        self.out.before.extend(start.map(|start| (start, number)));
    }
}
