//! An out-of-order processor of the P6 family: instructions are decoded in order into micro-operations, which are renamed
//! in order, execute when their operands and a port are there, and retire in order.
//!
//! The simulator gets instructions as micro-operations and the order in which they run; what an instruction does, and where
//! it accesses memory, its caller knows. [`search`] looks for an order that takes fewer cycles.

pub mod fit;
mod flight;
mod front;
pub mod search;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

pub use flight::{Run, Stalls};

/// Registers, temporary ones among them.
pub const REGISTERS: usize = 32;
/// The registers from this one on are temporary: they connect the micro-operations of an instruction.
pub const TEMPORARY: u8 = 16;

/// What limits the processor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Micro-operations of an instruction that each decoder takes at most, in order.
    pub decoders: Vec<u32>,
    /// Bytes of an instruction that the decoders but the first take at most.
    pub simple_bytes: u32,
    /// Bytes of an aligned block of the text, one of which is fetched per cycle.
    pub fetch: u64,
    /// Micro-operations that wait between decoders and renaming.
    pub queue: usize,
    /// Micro-operations that are renamed in a cycle.
    pub rename: usize,
    /// Registers read in a cycle of renaming whose values have been written already.
    pub permanent_reads: usize,
    /// Entries of the reorder buffer.
    pub reorder: usize,
    /// Entries of the reservation station.
    pub stations: usize,
    /// Micro-operations that retire in a cycle.
    pub retire: usize,
    /// Cycles of a load whose value an older store has not yet brought into the cache.
    pub forward: u32,
    /// Whether a register that was written in part can be read as a whole only when the writer has retired.
    pub partial: bool,
    /// The first-level data cache; every access hits where there is none.
    #[serde(default)]
    pub cache: Option<Cache>,
    /// The first-level instruction cache; the text is in it where there is none.
    #[serde(default)]
    pub instruction_cache: Option<Cache>,
    /// What branches cost; nothing where this is not said.
    #[serde(default)]
    pub branches: Option<Branches>,
}

/// What branches cost: all are predicted to be taken.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branches {
    /// Cycles that the block branched to is fetched later.
    pub taken: u32,
    /// Cycles from the execution of one that was not taken until the block behind it is fetched.
    pub mispredicted: u32,
}

/// A first-level cache.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// All of it.
    pub bytes: u32,
    /// Of a line.
    pub line: u32,
    /// Lines of a set; the one used longest ago gives way.
    pub ways: u32,
    /// Cycles of a load that misses; for text cycles that a block comes later.
    pub miss: u32,
}

/// What a micro-operation does with memory.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Reads.
    Load,
    /// The address of a store.
    Address,
    /// The data of a store.
    Data,
}

/// A micro-operation.
#[derive(Clone, Debug)]
pub struct MicroOp {
    /// Bits of the ports that it can take.
    pub ports: u8,
    /// Cycles from its start to that of a consumer.
    pub latency: u32,
    /// Registers that it reads.
    pub reads: Vec<u8>,
    /// Registers that it writes.
    pub writes: Vec<u8>,
    /// It writes only a part of its registers.
    pub part: bool,
    /// It reads only the part that was written last.
    pub narrow: bool,
    /// Memory.
    pub access: Option<Access>,
}

impl Serialize for MicroOp {
    /// As it is read, without what is not so; a store writes no register.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut one = serializer.serialize_struct("MicroOp", 7)?;
        one.serialize_field("ports", &self.ports)?;
        one.serialize_field("latency", &self.latency)?;
        one.serialize_field("reads", &self.reads)?;
        if !matches!(self.access, Some(Access::Address | Access::Data)) {
            one.serialize_field("writes", &self.writes)?;
        }
        for (name, so) in [("part", self.part), ("narrow", self.narrow)] {
            if so {
                one.serialize_field(name, &so)?;
            }
        }
        if let Some(access) = self.access {
            one.serialize_field("access", &access)?;
        }
        one.end()
    }
}

/// An instruction.
#[derive(Clone, Debug, Serialize)]
pub struct Instruction {
    /// Of its encoding.
    pub bytes: u32,
    /// What it is decoded into.
    pub operations: Vec<MicroOp>,
    /// Bytes of its access to memory.
    pub size: u32,
    /// It may be branched from: what runs next, if it lies behind it, was mispredicted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub branch: bool,
}

/// Instructions on a processor.
#[derive(Clone, Debug)]
pub struct Machine {
    model: Model,
    code: Vec<Instruction>,
}

/// What an instruction takes of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// How often it runs.
    pub runs: u64,
    /// Its share of the cycles.
    pub cycles: f64,
    /// The cycle at whose end its first micro-operation retired first; none: it never ran.
    pub retired: Option<u64>,
}

impl Machine {
    /// Prepares instructions.
    ///
    /// # Errors
    /// In words, if an instruction has no micro-operation, one of them no port or a register that there is not, or the first
    /// decoder cannot take it.
    pub fn new(model: Model, code: Vec<Instruction>) -> Result<Machine, String> {
        let first = model.decoders.first().copied().unwrap_or(0) as usize;
        for (number, one) in code.iter().enumerate() {
            let count = one.operations.len();
            if count == 0 || count > first {
                return Err(format!("instruction {number} has {count} micro-operations, not 1 to {first}"));
            }
            let known = |r: &u8| usize::from(*r) < REGISTERS;
            if !one.operations.iter().all(|op| op.ports > 0 && op.reads.iter().chain(&op.writes).all(known)) {
                return Err(format!("instruction {number} has no port, or a register that there is not"));
            }
        }
        Ok(Machine { model, code })
    }

    /// The same for instructions that are known to be such.
    pub(crate) fn trusted(model: Model, code: Vec<Instruction>) -> Machine {
        Machine { model, code }
    }

    /// The instructions.
    #[must_use]
    pub fn code(&self) -> &[Instruction] {
        &self.code
    }

    /// Runs instructions in an order, in which one may stand several times; `addresses` of their accesses by place in the
    /// order, none if all accesses are to be taken as different and in the cache. Several runs follow each other with the caches left as they were.
    #[must_use]
    pub fn run(&self, order: &[u32], runs: &[Vec<u64>]) -> Vec<Run> {
        let path = front::Path::new(&self.model, &self.code, order);
        let mut caches = self.caches();
        let nothing = [Vec::new()];
        let runs = if runs.is_empty() { &nothing[..] } else { runs };
        let job = |addresses| flight::Job { model: &self.model, code: &self.code, order, path: &path, addresses };
        runs.iter().map(|addresses| flight::run(job(addresses), &mut caches)).collect()
    }

    /// Caches as a run finds them.
    fn caches(&self) -> flight::Caches {
        let warm = |cache: &Option<Cache>| cache.as_ref().map(flight::warm);
        flight::Caches { data: warm(&self.model.cache), text: warm(&self.model.instruction_cache) }
    }

    /// What each instruction takes of one run: a cycle, and those before it in which nothing retired, is divided among the
    /// micro-operations that retire in it, so that the shares of all make up the run's cycles.
    #[must_use]
    pub fn profile(&self, order: &[u32], addresses: &[u64]) -> Vec<Share> {
        let path = front::Path::new(&self.model, &self.code, order);
        let job = flight::Job { model: &self.model, code: &self.code, order, path: &path, addresses };
        let (_, retired) = flight::traced(job, &mut self.caches());
        let mut shares = vec![Share::default(); self.code.len()];
        let owners =
            order.iter().flat_map(|&one| std::iter::repeat(one).take(self.code[one as usize].operations.len()));
        let owners: Vec<u32> = owners.collect();
        let (mut begin, mut before) = (0, 0);
        while begin < retired.len() {
            let together = retired[begin..].iter().take_while(|&&at| at == retired[begin]).count();
            let each = (retired[begin] - before) as f64 / together as f64;
            for &owner in &owners[begin..begin + together] {
                shares[owner as usize].cycles += each;
                shares[owner as usize].retired.get_or_insert(retired[begin]);
            }
            before = retired[begin];
            begin += together;
        }
        order.iter().for_each(|&one| shares[one as usize].runs += 1);
        shares
    }
}

#[cfg(test)]
mod tests;
