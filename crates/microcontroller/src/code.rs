//! Code: before registers are given, instructions on values with counted loops; afterwards lines.

use std::collections::HashSet;
use std::sync::Arc;

use program::ir::Place;

use crate::isa::Opcode;
use crate::operand::{Label, Operand, Register};

/// A byte that is computed once; each has a number of its own.
pub type Value = u32;

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A value.
    Value(Value),
    /// A number, for which a register may be loaded.
    Number(i32),
}

impl Source {
    /// The value, if it is one.
    #[must_use]
    pub fn value(self) -> Option<Value> {
        match self {
            Source::Value(v) => Some(v),
            Source::Number(_) => None,
        }
    }
}

/// Where in the author's text code comes from, innermost first; nowhere: it was added. Code is the same wherever it comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin(Option<Arc<[Place]>>);

impl Origin {
    /// Of an operation at these places.
    #[must_use]
    pub fn of(places: &[Place]) -> Self {
        Origin((!places.is_empty()).then(|| places.into()))
    }

    /// The places.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Becomes another one if it is nowhere.
    pub fn or(&mut self, other: &Origin) {
        if self.0.is_none() {
            self.0.clone_from(&other.0);
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

/// A machine instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its mnemonic.
    pub opcode: Opcode,
    /// Its operands in the order of the text.
    pub operands: Vec<Operand>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Machine {
    /// An instruction that comes from nowhere yet.
    #[must_use]
    pub fn new(opcode: Opcode, operands: Vec<Operand>) -> Self {
        Machine { opcode, operands, origin: Origin::default() }
    }
}

/// A line of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A machine instruction.
    Machine(Machine),
    /// A label.
    Label(Label),
    /// What the assembler does.
    Directive(String),
}

/// Machine instructions that stay together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// What is written. Places number the registers of `tied`, `outs`, `ins` and `temps`, in this order.
    pub lines: Vec<Line>,
    /// Results that are made in the register of a source.
    pub tied: Vec<(Value, Source)>,
    /// Other results.
    pub outs: Vec<Value>,
    /// Other sources. Unless `early`, results may lie where sources lay.
    pub ins: Vec<Source>,
    /// How many registers it needs besides.
    pub temps: usize,
    /// Places that need registers which instructions with numbers reach, as bits.
    pub upper: u32,
    /// Results are made before the last source is read.
    pub early: bool,
    /// The first tied source and the first other source may change places.
    pub commutative: bool,
    /// Stands for `lines` if the first other source is a number and the register one that numbers reach.
    pub immediate: Option<Line>,
    /// What it does with memory.
    pub memory: Option<Memory>,
    /// Two results, or two values that are stored, that want to be the halves of a word.
    pub word: bool,
    /// What stands in a register that such instructions share, a table's address.
    pub setting: Option<Arc<str>>,
    /// What stands for it when registers are given: nothing but copies may come between them.
    pub parts: Vec<Instruction>,
    /// A load or a store whose address the allocator makes.
    pub access: Option<Access>,
    /// Where it comes from.
    pub origin: Origin,
}

/// What an instruction does with memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// It stores, or else loads.
    pub stores: bool,
    /// The object.
    pub object: Arc<str>,
    /// Where: a register (or none), an object, a constant; unknown where it depends on more.
    pub place: Option<(Arc<str>, Arc<str>, i64)>,
    /// The register of the place moves by odd numbers of bytes.
    pub odd: bool,
}

/// A load or a store of a byte at an object, a constant and perhaps an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The object.
    pub object: Arc<str>,
    /// The constant.
    pub at: i64,
    /// The low byte of the index and, for objects that cross pages of 256 bytes, the high one.
    pub index: Vec<Source>,
    /// Direct addresses reach it.
    pub direct: bool,
    /// Memory outside of the processor.
    pub external: bool,
    /// The object lies in one page of 256 bytes.
    pub paged: bool,
}

/// A counted loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop {
    /// Its number among the loops of the code.
    pub id: usize,
    /// Iterations.
    pub iterations: u64,
    /// Holds the iterations that are left and is counted down at the end of each.
    pub counter: Value,
    /// Values from iteration to iteration: in the body, before the first, at the end of each.
    pub carried: Vec<(Value, Source, Source)>,
    /// What they are behind the loop.
    pub results: Vec<Value>,
    /// The body.
    pub body: Vec<Item>,
    /// Run once before the first iteration.
    pub pinned: Vec<Line>,
    /// Run at the end of each iteration.
    pub stepped: Vec<Line>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A part of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An instruction.
    Instruction(Arc<Instruction>),
    /// A loop.
    Loop(Arc<Loop>),
}

/// A function before registers are given.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its name.
    pub name: Arc<str>,
    /// Its parts, in order.
    pub items: Vec<Item>,
    /// Registers that no value may have.
    pub reserved: HashSet<Register>,
    /// How many values there are.
    pub values: Value,
}

impl Instruction {
    /// Everything that is read.
    pub fn sources(&self) -> impl Iterator<Item = Source> + '_ {
        self.tied.iter().map(|(_, s)| *s).chain(self.ins.iter().copied())
    }

    /// The values that are read.
    pub fn read(&self) -> impl Iterator<Item = Value> + '_ {
        self.sources().filter_map(Source::value)
    }

    /// Everything that is made.
    pub fn results(&self) -> impl Iterator<Item = Value> + '_ {
        self.tied.iter().map(|(d, _)| *d).chain(self.outs.iter().copied())
    }

    /// Whether it loads from (or stores to) an object.
    #[must_use]
    pub fn accesses(&self, stores: bool, object: &str) -> bool {
        self.memory.as_ref().is_some_and(|m| m.stores == stores && &*m.object == object)
    }
}

impl Loop {
    /// The values that instructions of the body make; not those of loops in it.
    #[must_use]
    pub fn made(&self) -> HashSet<Value> {
        let instructions = self.body.iter().filter_map(|item| match item {
            Item::Instruction(i) => Some(i),
            Item::Loop(_) => None,
        });
        instructions.flat_map(|i| i.results()).collect()
    }

    /// The values that are read in it but come from outside.
    #[must_use]
    pub fn needed(&self) -> HashSet<Value> {
        let made = self.made();
        let carried: HashSet<Value> = self.carried.iter().map(|(p, _, _)| *p).collect();
        let mut found = read(&self.body);
        found.retain(|v| !made.contains(v) && !carried.contains(v));
        found
    }

    /// The values that an iteration hands on.
    #[must_use]
    pub fn ends(&self) -> HashSet<Value> {
        self.carried.iter().filter_map(|(_, _, out)| out.value()).collect()
    }
}

/// The values that items read.
#[must_use]
pub fn read(items: &[Item]) -> HashSet<Value> {
    let mut found = HashSet::new();
    add_read(items, &mut found);
    found
}

fn add_read(items: &[Item], found: &mut HashSet<Value>) {
    for item in items {
        match item {
            Item::Instruction(i) => found.extend(i.read()),
            Item::Loop(l) => {
                found.extend(l.carried.iter().flat_map(|(_, i, o)| [*i, *o]).filter_map(Source::value));
                found.insert(l.counter);
                add_read(&l.body, found);
            }
        }
    }
}
