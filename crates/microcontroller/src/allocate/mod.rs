//! Registers for code, from first to last instruction: what is used latest leaves first.
//!
//! Belady's rule, with homes for what a loop carries or reads: where values stand at the head of a loop is restored at its
//! end. A value from outside that would leave inside a loop leaves before it instead, and the loop is done again.
//! Constraints are the instructions' own: results tied to sources, registers that numbers reach, halves of words
//! ([`words`]). Where results are made in an accumulator, that is another problem ([`accumulator`]), which shares loops,
//! next uses and moves with this one.

mod accumulator;
mod in_place;
mod instruction;
mod loops;
mod memory;
mod pointers;
mod registers;
mod restore;
mod several;
mod state;
mod uses;
mod words;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use program::Diagnostic;

use crate::code::{Code, Instruction, Item, Line, Loop, Machine, Source, Value};
use crate::isa::{Isa, ACCUMULATOR};
use crate::operand::{Address, Expression, Operand, Register, View};
use crate::pairs::Pairs;
use accumulator::Accumulator;
use state::State;
use uses::Uses;

/// The first of the registers that are bytes of the block.
pub const BLOCK: Register = 30_000;
/// The number of those.
const BLOCK_BYTES: Register = 16;
/// Registers with names; bytes of memory come after them, where those are registers.
pub const NAMED: Register = 8;

/// The objects that registers in memory are bytes of, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// Values that found no register.
    pub values: Arc<str>,
    /// The same, out of the reach of short or direct addresses.
    pub far: Arc<str>,
    /// Those that have to leave internal memory.
    pub outside: Arc<str>,
    /// The block.
    pub block: Arc<str>,
    /// The key.
    pub key: Arc<str>,
    /// Bytes of `values` that short or direct addresses reach.
    pub near_bytes: u32,
    /// Bytes of internal memory besides, reached by pointers alone.
    pub far_bytes: u32,
}

impl Objects {
    /// The objects of the values of a function; the key's object is named as the block's.
    #[must_use]
    pub fn of(name: &str, block: &str, near_bytes: u32, far_bytes: u32) -> Self {
        Objects {
            values: format!("{name}_spill").into(),
            far: format!("{name}_spill_far").into(),
            outside: format!("{name}_spilled").into(),
            block: block.into(),
            key: block.strip_suffix("_block").map_or_else(|| block.to_owned(), |prefix| format!("{prefix}_key")).into(),
            near_bytes,
            far_bytes,
        }
    }
}

/// A function with registers.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Its lines.
    pub lines: Vec<Line>,
    /// Bytes of memory that values without registers take.
    pub slots: u32,
    /// Registers that it changes.
    pub used: BTreeSet<Register>,
    /// Iterations of the loop of each head.
    pub iterations: HashMap<u32, u64>,
}

/// Why an attempt ends.
#[derive(Debug)]
enum Stop {
    /// A value from outside of a loop left inside of it.
    Restart(usize, Source),
    /// An error, in a box: it is large.
    Refused(Box<Diagnostic>),
}

type AllocationResult<T> = Result<T, Stop>;

/// What an allocation does besides what it has to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preferences {
    /// What comes back to a register gives its slot away.
    pub frugal: bool,
    /// What an instruction with a number changes next goes into a register that numbers reach, while one is free; and a number that
    /// stands in a register is taken from there if that saves a copy.
    pub numbers: bool,
}

/// Gives code registers.
///
/// # Errors
/// `E114`: an instruction needs more registers than there are. `E116`: an access in a loop cannot be made.
pub fn allocate(
    isa: &Isa,
    code: &Code,
    objects: &Objects,
    pairs: Pairs,
    preferences: Preferences,
) -> Result<Allocation, Diagnostic> {
    let parts = Code { items: if isa.accumulator.is_some() { Vec::new() } else { apart(&code.items) }, ..code.clone() };
    let code = if isa.accumulator.is_some() { code } else { &parts };
    let mut allocator = Allocator::new(isa, code, objects, pairs, preferences);
    match allocator.run() {
        Ok(()) => Ok(Allocation {
            lines: allocator.lines,
            slots: allocator.slots,
            used: allocator.used,
            iterations: allocator.iterations,
        }),
        Err(Stop::Refused(error)) => Err(*error),
        Err(Stop::Restart(..)) => unreachable!("the loop of a value takes it"),
    }
}

/// Items with the parts of instructions in their stead.
fn apart(items: &[Item]) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Instruction(i) if i.parts.is_empty() => out.push(item.clone()),
            Item::Instruction(i) => out.extend(i.parts.iter().map(|part| {
                let origin = i.origin.clone();
                Item::Instruction(Arc::new(Instruction { origin, ..part.clone() }))
            })),
            Item::Loop(l) => out.push(Item::Loop(Arc::new(Loop { body: apart(&l.body), ..(**l).clone() }))),
        }
    }
    out
}

/// Registers for one function.
struct Allocator<'a> {
    isa: &'a Isa,
    code: &'a Code,
    objects: &'a Objects,
    preferences: Preferences,
    /// Values that instructions with numbers change next, and what those are changed from.
    numbered: HashSet<Value>,
    pairs: Pairs,
    /// Registers that the second of a pair would like.
    waiting: HashMap<Register, Value>,
    available: Vec<Register>,
    /// Slots that have been given out.
    slots: u32,
    state: State,
    lines: Vec<Line>,
    uses: Uses,
    hints: HashMap<Value, Register>,
    /// The loops around, with what is in registers there from outside.
    outside: Vec<(usize, HashSet<Source>)>,
    /// What is in memory at the heads of the loops around.
    held: Vec<HashSet<Value>>,
    evicted: HashMap<usize, BTreeSet<Source>>,
    position: u32,
    labels: u32,
    iterations: HashMap<u32, u64>,
    used: BTreeSet<Register>,
    /// Values in whose slots a loop carries values.
    kept: HashSet<Value>,
    /// The low half of the word that an instruction makes.
    low: Register,
    accumulator: Option<Accumulator>,
}

impl<'a> Allocator<'a> {
    fn new(isa: &'a Isa, code: &'a Code, objects: &'a Objects, pairs: Pairs, preferences: Preferences) -> Self {
        let mut new = Allocator {
            isa,
            code,
            objects,
            preferences,
            numbered: HashSet::new(),
            pairs,
            waiting: HashMap::new(),
            available: isa.registers.usable.iter().copied().filter(|r| !code.reserved.contains(r)).collect(),
            slots: 0,
            state: State::new(code.values),
            lines: Vec::new(),
            uses: Uses::new(code),
            hints: HashMap::new(),
            outside: Vec::new(),
            held: Vec::new(),
            evicted: HashMap::new(),
            position: 0,
            labels: 0,
            iterations: HashMap::new(),
            used: BTreeSet::new(),
            kept: HashSet::new(),
            low: 0,
            accumulator: None,
        };
        if isa.accumulator.is_some() {
            new.accumulate();
        }
        if preferences.numbers {
            new.find_numbered(&code.items);
        }
        new
    }

    /// Notes the values that instructions with numbers change next: those that nothing else reads.
    fn find_numbered(&mut self, items: &[Item]) {
        for item in items.iter().rev() {
            let i = match item {
                Item::Instruction(i) => i,
                Item::Loop(l) => {
                    self.find_numbered(&l.body);
                    continue;
                }
            };
            if let [(d, Source::Value(s))] = i.tied[..] {
                let wanted = i.immediate.is_some() || self.numbered.contains(&d);
                if wanted && self.uses.of(Source::Value(s)).len() == 1 {
                    self.numbered.insert(s);
                }
            }
        }
    }

    fn run(&mut self) -> AllocationResult<()> {
        if self.accumulator.is_some() {
            return self.run_accumulator();
        }
        self.items(&self.code.items)
    }

    fn items(&mut self, items: &[Item]) -> AllocationResult<()> {
        for (n, item) in items.iter().enumerate() {
            self.position += 1;
            let first = self.lines.len();
            match item {
                Item::Instruction(i) if self.accumulator.is_some() => {
                    self.accumulated_instruction(i, items.get(n + 1))?
                }
                Item::Instruction(i) => self.instruction(i)?,
                Item::Loop(l) => self.run_loop(l)?,
            }
            self.come_from(first, item);
        }
        Ok(())
    }

    /// Lines from a place on come from an item, unless they come from a part of it: what moves its operands, too.
    fn come_from(&mut self, first: usize, item: &Item) {
        let origin = match item {
            Item::Instruction(i) => &i.origin,
            Item::Loop(l) => &l.origin,
        };
        for line in &mut self.lines[first..] {
            if let Line::Machine(machine) = line {
                machine.origin.or(origin);
            }
        }
    }

    // Text.

    fn emit(&mut self, machine: Machine) {
        if self.accumulator.is_some() {
            self.emit_internal(machine);
        } else {
            self.lines.push(Line::Machine(machine));
        }
    }

    /// Appends a line with registers, or whatever else `named` says, in its places.
    fn emit_line(&mut self, line: &Line, named: &[Operand]) {
        match line {
            Line::Machine(machine) => self.emit(filled(machine, named)),
            other => self.lines.push(other.clone()),
        }
    }

    fn copy(&mut self, d: Register, s: Register) {
        self.emit(filled(&self.isa.moves.copy, &[Operand::Register(d), Operand::Register(s)]));
    }

    fn number(&mut self, d: Register, n: i32) {
        match &self.isa.moves.clear {
            Some(clear) if d == ACCUMULATOR && n == 0 => self.emit(clear.clone()),
            _ => self.emit(filled(&self.isa.moves.number, &[Operand::Register(d), Operand::number(n.into())])),
        }
    }

    fn fetch(&mut self, d: Register, slot: u32) {
        let load = self.isa.moves.load.as_ref().expect("only bytes of memory have no loads");
        self.emit(filled(load, &[Operand::Register(d), self.place(slot)]));
    }

    fn put(&mut self, slot: u32, s: Register) {
        let store = self.isa.moves.store.as_ref().expect("only bytes of memory have no stores");
        self.emit(filled(store, &[self.place(slot), Operand::Register(s)]));
    }

    /// The address of a slot; the first ones may be reached by short addresses.
    fn place(&self, slot: u32) -> Operand {
        let (object, at, bits) = match self.isa.moves.short {
            None => (&self.objects.values, slot, 0),
            Some(_) if slot < self.objects.near_bytes => (&self.objects.values, slot, 8),
            Some(_) => (&self.objects.far, slot - self.objects.near_bytes, 16),
        };
        Operand::Memory(Address { at: Expression::at(object, at.into()), bits })
    }
}

/// A machine instruction with operands in its places.
fn filled(machine: &Machine, named: &[Operand]) -> Machine {
    let operand = |o: &Operand| match o {
        Operand::Place(n, View::Byte) => named[usize::from(*n)].clone(),
        Operand::Place(n, View::Word) => match named[usize::from(*n)] {
            Operand::Register(r) => Operand::Word(r & !1),
            ref other => other.clone(),
        },
        other => other.clone(),
    };
    Machine::new(machine.opcode, machine.operands.iter().map(operand).collect())
}
