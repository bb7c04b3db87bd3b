//! Latencies between the operations of a text, as a table of what writes and what reads.

use std::collections::BTreeMap;

use super::listing::Listing;
use super::slots::{Slot, ONE};
use crate::isa::InstructionId;
use crate::model::Processor;

/// A kind of output or of input of operations.
pub type Kind = u16;

/// The registers of an operation with the kinds of their outputs and inputs.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    /// What it reads, the guard first.
    pub reads: Vec<(Slot, Kind)>,
    /// What it writes.
    pub writes: Vec<(Slot, Kind)>,
    /// Cycles until its result is there, for the timeline, and from a store to a load of its place.
    pub latency: u32,
}

/// Latencies of a text on a processor.
#[derive(Clone, Debug)]
pub struct Latencies {
    /// Of each operation.
    pub ports: Vec<Ports>,
    table: Vec<u32>,
    inputs: usize,
}

type Output = (Option<InstructionId>, u8);
type Input = (Option<InstructionId>, Option<u8>);

impl Latencies {
    /// Reads the model for every pair of kinds in the text.
    #[must_use]
    pub fn new(listing: &Listing, processor: &Processor) -> Latencies {
        let (mut outputs, mut inputs) = (BTreeMap::<Output, Kind>::new(), BTreeMap::<Input, Kind>::new());
        let mut ports = Vec::new();
        for op in &listing.ops {
            let mut out = |k: u8| number(&mut outputs, (op.instruction, k));
            let writes = op.defines.iter().map(|&(slot, k)| (slot, 1 + out(k))).collect();
            let mut input = |k: Option<u8>| number(&mut inputs, (op.instruction, k));
            let guard = (op.guard != ONE).then(|| (op.guard, input(None)));
            let reads = guard.into_iter().chain(op.uses.iter().map(|&(slot, k)| (slot, input(Some(k))))).collect();
            let class = op.instruction.map(|i| &processor.classes[processor.class_of(i)]);
            ports.push(Ports { reads, writes, latency: class.map_or(1, |c| c.latency) });
        }
        let mut latencies = Latencies { ports, table: Vec::new(), inputs: inputs.len() };
        latencies.table = vec![0; (1 + outputs.len()) * inputs.len()];
        for (&output, &row) in &outputs {
            for (&input, &column) in &inputs {
                let at = (1 + usize::from(row)) * inputs.len() + usize::from(column);
                latencies.table[at] = between(processor, output, input);
            }
        }
        latencies
    }

    /// Cycles from the issue of a writer to the issue of a reader; kind 0 of writers: before the text began.
    #[inline]
    #[must_use]
    pub fn between(&self, output: Kind, input: Kind) -> u32 {
        self.table[usize::from(output) * self.inputs + usize::from(input)]
    }
}

fn number<K: Ord>(kinds: &mut BTreeMap<K, Kind>, key: K) -> Kind {
    let next = kinds.len() as Kind;
    *kinds.entry(key).or_insert(next)
}

/// What only the text has (`alloc`, `mov ar.lc`) gives its result in the next cycle.
fn between(processor: &Processor, output: Output, input: Input) -> u32 {
    let Some(from) = output.0 else { return 1 };
    let known = usize::from(output.1) < processor.isa.instructions[from as usize].defines.len();
    let Some(to) = input.0.filter(|_| known) else { return processor.classes[processor.class_of(from)].latency };
    let uses = processor.isa.instructions[to as usize].uses.len();
    let operand = input.1.map(usize::from).filter(|&k| k < uses);
    processor.latency(from, usize::from(output.1), to, operand)
}
