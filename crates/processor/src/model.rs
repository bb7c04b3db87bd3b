//! A processor: ports, latencies and limits of an implementation of an instruction set, as read from `processors/*.toml`.

mod caps;
mod chain;
mod check;
mod features;
mod file;
mod instructions;
mod json;
mod latencies;
mod load;
mod parameters;
mod places;
mod ports;
mod recipes;
mod registers;

pub use check::check;
pub use json::document;
pub use load::{load, names};

use std::sync::OnceLock;

use crate::graph::Resources;
use crate::isa::{Fact, Instruction, InstructionId, Isa};

/// A processor model.
#[derive(Clone, Debug, Default)]
pub struct Processor {
    /// Name of the file: `mckinley`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The processor whose file it builds on.
    pub inherits: Option<String>,
    /// Where the model as a whole comes from.
    pub fact: Fact,
    /// Its instruction set, with the instructions that the processor itself adds.
    pub isa: Isa,
    /// Names of the ports.
    pub ports: Vec<String>,
    /// Where the ports come from.
    pub ports_fact: Fact,
    /// No limit on ports and issue: `NAME-infinite`. Then there are no caps, and every mask of ports is 0.
    pub infinite: bool,
    /// Operations that issue in one cycle; 0 without limit.
    pub issue: u32,
    /// Where the issue width comes from.
    pub issue_fact: Fact,
    /// Settings of the file, with the values of this processor.
    pub parameters: Vec<Parameter>,
    /// Classes of instructions; `resources.classes` has the same names in the same order.
    pub classes: Vec<Class>,
    /// Of each instruction the number of its class.
    pub class_numbers: ClassNumbers,
    /// Ports and issue width as caps.
    pub resources: Resources,
    /// Exceptions to the latencies of the classes; the last that matches holds.
    pub bypasses: Vec<Bypass>,
    /// Out-of-order execution; `None`: in order.
    pub out_of_order: Option<OutOfOrder>,
    /// Bytes of a bank of the data cache, and how many there are; two accesses of one cycle to one bank conflict. `None`: no conflicts.
    pub banks: Option<(u32, u32)>,
    /// Where the banks come from.
    pub banks_fact: Fact,
    /// The first-level data cache; `None`: every access hits.
    pub cache: Option<Cache>,
    /// Cycles per second, in millions, and where that comes from.
    pub clock: Option<(u32, Fact)>,
    /// Instructions of an aligned block in the text, beyond which none issues in the same cycle; 0: there are no blocks.
    pub block: u32,
}

/// A setting of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// `width`.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// Its value here.
    pub value: String,
    /// What it is if nobody says.
    pub default: String,
    /// What it may be.
    pub values: Vec<String>,
    /// The published cycles that the default was chosen to meet.
    pub fitted: Vec<FittingData>,
    /// Where the default comes from.
    pub fact: Fact,
}

/// Published cycles that a parameter was fitted on: to meet them is no validation of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittingData {
    /// Id of the published data.
    pub paper: String,
    /// The paper's machine; none: all of them.
    pub target: Option<String>,
    /// Of which ciphers; empty: of all.
    pub ciphers: Vec<String>,
    /// Of which operations; empty: of all.
    pub operations: Vec<String>,
}

/// A class of instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// `ISHF`.
    pub name: String,
    /// Ports that can take it, as bits over [`Processor::ports`].
    pub ports: u64,
    /// Sets of ports of each of which it takes one besides; empty if it takes one port only.
    pub second_ports: Vec<u64>,
    /// Cycles for which it holds the second ports: more than 1 for a unit that is not pipelined.
    pub held: u32,
    /// Issue slots that it takes.
    pub slots: u8,
    /// Cycles from its issue to the earliest issue of a consumer.
    pub latency: u32,
    /// For people.
    pub meaning: String,
    /// Where this comes from.
    pub fact: Fact,
}

/// A latency that differs from its class's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bypass {
    /// Classes of the producer.
    pub from: Vec<usize>,
    /// The output of the producer that it is about (`a` of a post-increment); `None`: every one.
    pub output: Option<String>,
    /// Classes of the consumer.
    pub to: Vec<usize>,
    /// The operand of the consumer that it is about, `guard` for its predicate; `None`: every one.
    pub operand: Option<String>,
    /// Cycles.
    pub latency: u32,
    /// Where this comes from.
    pub fact: Fact,
}

/// A first-level data cache. A store writes its line only if it is there, and waits for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// All of it.
    pub bytes: u32,
    /// Of a line.
    pub line: u32,
    /// Lines of a set; of them the one that was used longest ago gives way.
    pub ways: u32,
    /// Cycles from the issue of a load that misses to the earliest issue of a consumer.
    pub miss: u32,
    /// A store that misses brings its line in.
    pub allocates: bool,
    /// Where this comes from.
    pub fact: Fact,
}

/// Limits of an out-of-order processor (PA-8000 family): two queues, in-order insertion and retirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutOfOrder {
    /// Instructions inserted per cycle.
    pub insert: u32,
    /// Entries of the queue of arithmetic and of the queue of memory instructions.
    pub entries: (u32, u32),
    /// Launched per cycle from each queue.
    pub launch: (u32, u32),
    /// Retired per cycle from each queue.
    pub retire: (u32, u32),
    /// Stores retired per cycle.
    pub stores: u32,
    /// Cycles from a store to a load of the same place.
    pub store_to_load: u32,
    /// Where this comes from.
    pub fact: Fact,
}

/// Numbers of classes by instruction, looked up by name when the first is asked for. A copy of a processor, which may be
/// changed, looks them up anew.
#[derive(Debug, Default)]
pub struct ClassNumbers(OnceLock<Vec<usize>>);

impl Clone for ClassNumbers {
    fn clone(&self) -> Self {
        ClassNumbers::default()
    }
}

impl Class {
    /// The sets of ports of each of which it takes one.
    pub fn masks(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.ports).chain(self.second_ports.iter().copied())
    }
}

impl Processor {
    /// The class of an instruction.
    ///
    /// # Panics
    /// If the model was not checked: the loader refuses a class that the processor does not know.
    #[must_use]
    pub fn class_of(&self, instruction: InstructionId) -> usize {
        let found = |class: &String| self.classes.iter().position(|c| &c.name == class);
        let number = |i: &Instruction| found(&i.class).expect("the loader checked every class");
        let numbers = self.class_numbers.0.get_or_init(|| self.isa.instructions.iter().map(number).collect());
        numbers[instruction as usize]
    }

    /// Cycles from the issue of a producer to the earliest issue of a consumer.
    ///
    /// `output` indexes the producer's `defines`, `operand` the consumer's `uses`; `operand` is `None` for the guard.
    #[must_use]
    pub fn latency(&self, from: InstructionId, output: usize, to: InstructionId, operand: Option<usize>) -> u32 {
        let (producer, consumer) = (self.class_of(from), self.class_of(to));
        let output = &self.isa.instructions[from as usize].defines[output].name;
        let operand = operand.map_or("guard", |k| self.isa.instructions[to as usize].uses[k].name.as_str());
        let holds = |b: &&Bypass| {
            b.from.contains(&producer)
                && b.to.contains(&consumer)
                && b.output.as_ref().map_or(true, |o| o == output)
                && b.operand.as_ref().map_or(true, |o| o == operand)
        };
        self.bypasses.iter().rev().find(holds).map_or(self.classes[producer].latency, |b| b.latency)
    }
}
