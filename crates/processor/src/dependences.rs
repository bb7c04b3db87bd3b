//! From machine code to the graph that is scheduled.
//!
//! Values are defined once, so only true dependences, the order of memory accesses and that of tied operands count;
//! registers are given out after scheduling.
//!
//! The graph of a straight-line region has one operation for each of the code, in its order. That of a loop has one more at
//! its end, the branch, if the instruction set can close a counted loop: it issues in the last cycle of the iteration, and takes
//! a slot there.

mod lifetimes;
mod memory;
mod spans;
#[cfg(test)]
mod tests;

pub use lifetimes::lifetimes;
pub(crate) use memory::store_to_load;
pub use spans::{spans, Span};

use std::collections::{BTreeMap, HashMap};

use crate::code::{CarriedValue, Code, Op, Region, Use, ValueId};
use crate::graph::{Edge, Graph};
use crate::isa::{Control, InstructionId};
use crate::model::Processor;

/// The graph of one region of some code on a processor.
///
/// # Panics
/// If the code was not verified, or has no such region.
#[must_use]
pub fn graph(code: &Code, region: usize, processor: &Processor) -> Graph {
    let (ops, carried, iterations) = match &code.regions[region] {
        Region::Straight(ops) => (ops.as_slice(), [].as_slice(), 1),
        Region::Loop(counted) => (counted.ops.as_slice(), counted.carried.as_slice(), counted.iterations),
    };
    let mut builder = Builder::new(ops, carried, processor);
    for to in 0..ops.len() {
        builder.values(to);
    }
    builder.tied();
    memory::order(ops, iterations, processor, &mut |edge| builder.edge(edge));
    let mut classes: Vec<u16> = ops.iter().map(|op| builder.class(op.instruction)).collect();
    if matches!(code.regions[region], Region::Loop(_)) {
        if let Some(branch) = branch(processor) {
            classes.push(builder.class(branch));
            let to = ops.len() as u32;
            (0..to).for_each(|from| builder.edge(Edge { from, to, latency: 0, distance: 0 }));
        }
    }
    Graph { classes, edges: builder.edges() }
}

/// The instruction that closes a counted loop, a rotating one rather than another.
#[must_use]
pub fn branch(processor: &Processor) -> Option<InstructionId> {
    let with = |control| processor.isa.instructions.iter().position(|i| i.control == control);
    with(Control::Rotating).or_else(|| with(Control::Counted)).map(|k| k as InstructionId)
}

/// Where a value comes from.
#[derive(Clone, Copy)]
struct Source {
    op: usize,
    output: usize,
    distance: u32,
}

struct Builder<'a> {
    ops: &'a [Op],
    processor: &'a Processor,
    sources: HashMap<ValueId, Source>,
    latencies: HashMap<(InstructionId, usize, InstructionId, Option<usize>), i32>,
    /// Largest latency of each (from, to, distance).
    found: BTreeMap<(u32, u32, u32), i32>,
}

impl<'a> Builder<'a> {
    fn new(ops: &'a [Op], carried: &[CarriedValue], processor: &'a Processor) -> Self {
        let mut sources = HashMap::new();
        for (op, operation) in ops.iter().enumerate() {
            for (output, &value) in operation.defines.iter().enumerate() {
                sources.insert(value, Source { op, output, distance: 0 });
            }
        }
        let next: HashMap<ValueId, ValueId> = carried.iter().map(|c| (c.value, c.next)).collect();
        for carry in carried {
            let (mut at, mut distance) = (carry.value, 0);
            // A value may be handed on through several carried values; a circle of them never changes.
            while let Some(&before) = next.get(&at).filter(|_| distance <= carried.len() as u32) {
                (at, distance) = (before, distance + 1);
            }
            if let Some(&Source { op, output, distance: 0 }) = sources.get(&at) {
                sources.insert(carry.value, Source { op, output, distance });
            }
        }
        Builder { ops, processor, sources, latencies: HashMap::new(), found: BTreeMap::new() }
    }

    fn class(&self, instruction: InstructionId) -> u16 {
        self.processor.class_of(instruction) as u16
    }

    fn edge(&mut self, edge: Edge) {
        let latency = self.found.entry((edge.from, edge.to, edge.distance)).or_insert(edge.latency);
        *latency = (*latency).max(edge.latency);
    }

    fn edges(self) -> Vec<Edge> {
        let edge = |((from, to, distance), latency)| Edge { from, to, latency, distance };
        self.found.into_iter().map(edge).collect()
    }

    fn latency(&mut self, source: Source, to: usize, operand: Option<usize>) -> i32 {
        let (from, into) = (self.ops[source.op].instruction, self.ops[to].instruction);
        let processor = self.processor;
        let latency = || processor.latency(from, source.output, into, operand) as i32;
        *self.latencies.entry((from, source.output, into, operand)).or_insert_with(latency)
    }

    /// The dependences of one operation on values.
    fn values(&mut self, to: usize) {
        let ops = self.ops;
        for (operand, used) in ops[to].uses.iter().enumerate() {
            if let Use::Value(value) = *used {
                self.value(value, to, Some(operand));
            }
        }
        if let Some(guard) = ops[to].guard {
            self.value(guard, to, None);
        }
    }

    fn value(&mut self, value: ValueId, to: usize, operand: Option<usize>) {
        let Some(&source) = self.sources.get(&value) else { return };
        let mut latency = self.latency(source, to, operand);
        if operand.is_some_and(|k| self.is_tied(to, k)) && self.exclude(source.op, to) && source.distance == 0 {
            latency = 0;
        }
        self.edge(Edge { from: source.op as u32, to: to as u32, latency, distance: source.distance });
        // What an operation leaves as it was comes from the one before it, which may have issued in the same cycle.
        if let Some((old, _)) = self.replaced(source) {
            let latency = self.latency(old, to, operand);
            let distance = source.distance + old.distance;
            self.edge(Edge { from: old.op as u32, to: to as u32, latency, distance });
        }
    }

    /// The exclusive operation whose result the source replaces, and the operand where it stands.
    fn replaced(&self, source: Source) -> Option<(Source, usize)> {
        let op = &self.ops[source.op];
        let instruction = &self.processor.isa.instructions[op.instruction as usize];
        let name = &instruction.defines.get(source.output)?.name;
        let operand = instruction.uses.iter().position(|u| &u.name == name)?;
        let Use::Value(value) = op.uses[operand] else { return None };
        let old = *self.sources.get(&value)?;
        (old.distance == 0 && self.exclude(old.op, source.op)).then_some((old, operand))
    }

    fn is_tied(&self, op: usize, operand: usize) -> bool {
        let instruction = &self.processor.isa.instructions[self.ops[op].instruction as usize];
        instruction.uses.get(operand).is_some_and(|u| instruction.defines.iter().any(|d| d.name == u.name))
    }

    /// Two operations never take effect both: their guards are the two results of one comparison.
    fn exclude(&self, one: usize, other: usize) -> bool {
        let guard = |op: usize| self.ops[op].guard.and_then(|g| self.sources.get(&g));
        match (guard(one), guard(other)) {
            (Some(a), Some(b)) => a.op == b.op && a.output != b.output && a.distance == b.distance,
            _ => false,
        }
    }

    /// What reads a register must do so before a tied operation changes it: in the same cycle at the latest.
    fn tied(&mut self) {
        let mut readers: HashMap<ValueId, Vec<usize>> = HashMap::new();
        for (op, operation) in self.ops.iter().enumerate() {
            for (operand, used) in operation.uses.iter().enumerate() {
                let Use::Value(value) = *used else { continue };
                if self.is_tied(op, operand) {
                    for &reader in readers.get(&value).into_iter().flatten().filter(|r| **r != op) {
                        let edge = Edge { from: reader as u32, to: op as u32, latency: 0, distance: 0 };
                        let latency = self.found.entry((edge.from, edge.to, 0)).or_insert(0);
                        *latency = (*latency).max(0);
                    }
                }
                readers.entry(value).or_default().push(op);
            }
        }
    }
}
