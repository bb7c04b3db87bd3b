//! Latencies between the operations of a text, as a table of what writes and what reads.

use std::collections::BTreeMap;

use super::listing::Listing;
use super::slots::{Slot, ONE};
use crate::isa::InstructionId;
use crate::model::Processor;

/// A kind of output or of input of operations.
pub type Kind = u16;

/// What timing needs of an operation; reads and writes are runs of [`Latencies::reads`] and [`Latencies::writes`].
#[derive(Clone, Copy, Debug, Default)]
struct Ports {
    reads: (u32, u32),
    writes: (u32, u32),
    latency: u32,
    memory: Option<(u8, bool)>,
}

/// Latencies of a text on a processor.
#[derive(Clone, Debug)]
pub struct Latencies {
    ports: Vec<Ports>,
    reads: Vec<(Slot, Kind)>,
    writes: Vec<(Slot, Kind)>,
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
        let (mut ports, mut all_reads, mut all_writes) = (Vec::new(), Vec::new(), Vec::new());
        for op in &listing.ops {
            let (first_read, first_write) = (all_reads.len() as u32, all_writes.len() as u32);
            let mut out = |k: u8| number(&mut outputs, (op.instruction, k));
            all_writes.extend(op.defines.iter().map(|&(slot, k)| (slot, 1 + out(k))));
            let mut input = |k: Option<u8>| number(&mut inputs, (op.instruction, k));
            all_reads.extend((op.guard != ONE).then(|| (op.guard, input(None))));
            all_reads.extend(op.uses.iter().map(|&(slot, k)| (slot, input(Some(k)))));
            let class = op.instruction.map(|i| &processor.classes[processor.class_of(i)]);
            ports.push(Ports {
                reads: (first_read, all_reads.len() as u32),
                writes: (first_write, all_writes.len() as u32),
                latency: class.map_or(1, |c| c.latency),
                memory: op.memory,
            });
        }
        let inputs_count = inputs.len();
        let mut latencies =
            Latencies { ports, reads: all_reads, writes: all_writes, table: Vec::new(), inputs: inputs_count };
        latencies.table = vec![0; (1 + outputs.len()) * inputs.len()];
        for (&output, &row) in &outputs {
            for (&input, &column) in &inputs {
                let at = (1 + usize::from(row)) * inputs.len() + usize::from(column);
                latencies.table[at] = between(processor, output, input);
            }
        }
        latencies
    }

    /// What an operation reads, the guard first.
    #[inline]
    #[must_use]
    pub fn reads(&self, op: u32) -> &[(Slot, Kind)] {
        let (first, end) = self.ports[op as usize].reads;
        &self.reads[first as usize..end as usize]
    }

    /// What an operation writes.
    #[inline]
    #[must_use]
    pub fn writes(&self, op: u32) -> &[(Slot, Kind)] {
        let (first, end) = self.ports[op as usize].writes;
        &self.writes[first as usize..end as usize]
    }

    /// Cycles until the result of an operation is there, and from a store to a load of its place.
    #[inline]
    #[must_use]
    pub fn of(&self, op: u32) -> u32 {
        self.ports[op as usize].latency
    }

    /// Bytes of memory that an operation touches, and whether it stores.
    #[inline]
    #[must_use]
    pub fn memory(&self, op: u32) -> Option<(u8, bool)> {
        self.ports[op as usize].memory
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
