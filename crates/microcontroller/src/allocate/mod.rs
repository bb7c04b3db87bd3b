//! Registers for code, from first to last instruction: what is used latest leaves first.
//!
//! Belady's rule, with homes for what a loop carries or reads: where values stand at the head of a loop is restored at its
//! end. A value from outside that would leave inside a loop leaves before it instead, and the loop is done again.
//! Constraints are the instructions' own: results tied to sources, registers that numbers reach, halves of words
//! ([`words`]). Where results are made in an accumulator, that is another problem ([`accumulator`]), which shares loops,
//! next uses and moves with this one.

mod accumulator;
mod instruction;
mod loops;
mod memory;
mod state;
mod uses;
mod words;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use program::Diagnostic;

use crate::code::{Code, Item, Line, Loop, Machine, Source, Value};
use crate::isa::{Isa, ACCUMULATOR};
use crate::operand::{Address, Expression, Operand, Register, View};
use crate::pairs::Pairs;
use accumulator::Accumulator;
use state::State;
use uses::Uses;

/// The first of the registers that are bytes of the block.
pub const BLOCK: Register = 1000;
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
    pub trips: HashMap<u32, u64>,
}

/// Why an attempt ends.
#[derive(Debug)]
enum Stop {
    /// A value from outside of a loop left inside of it.
    Restart(usize, Source),
    /// An error, in a box: it is large.
    Refused(Box<Diagnostic>),
}

type Done<T> = Result<T, Stop>;

/// Gives code registers. `frugal`: what comes back to a register gives its slot away.
///
/// # Errors
/// `E114`: an instruction needs more registers than there are. `E109`: an access in a loop cannot be made.
pub fn allocate(
    isa: &Isa,
    code: &Code,
    objects: &Objects,
    pairs: Pairs,
    frugal: bool,
) -> Result<Allocation, Diagnostic> {
    let parts = Code { items: if isa.accumulator.is_some() { Vec::new() } else { apart(&code.items) }, ..code.clone() };
    let code = if isa.accumulator.is_some() { code } else { &parts };
    let mut allocator = Allocator::new(isa, code, objects, pairs, frugal);
    match allocator.run() {
        Ok(()) => Ok(Allocation {
            lines: allocator.lines,
            slots: allocator.slots,
            used: allocator.used,
            trips: allocator.trips,
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
            Item::Instruction(i) => out.extend(i.parts.iter().map(|part| Item::Instruction(Arc::new(part.clone())))),
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
    frugal: bool,
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
    trips: HashMap<u32, u64>,
    used: BTreeSet<Register>,
    /// Values in whose slots a loop carries values.
    kept: HashSet<Value>,
    /// The low half of the word that an instruction makes.
    low: Register,
    accumulator: Option<Accumulator>,
}

impl<'a> Allocator<'a> {
    fn new(isa: &'a Isa, code: &'a Code, objects: &'a Objects, pairs: Pairs, frugal: bool) -> Self {
        let mut new = Allocator {
            isa,
            code,
            objects,
            frugal,
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
            trips: HashMap::new(),
            used: BTreeSet::new(),
            kept: HashSet::new(),
            low: 0,
            accumulator: None,
        };
        if isa.accumulator.is_some() {
            new.accumulate();
        }
        new
    }

    fn run(&mut self) -> Done<()> {
        if self.accumulator.is_some() {
            return self.run_accumulator();
        }
        self.items(&self.code.items)
    }

    fn items(&mut self, items: &[Item]) -> Done<()> {
        for (n, item) in items.iter().enumerate() {
            self.position += 1;
            match item {
                Item::Instruction(i) if self.accumulator.is_some() => {
                    self.accumulated_instruction(i, items.get(n + 1))?
                }
                Item::Instruction(i) => self.instruction(i)?,
                Item::Loop(l) => self.run_loop(l)?,
            }
        }
        Ok(())
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

    // Values in registers.

    fn next_use(&self, s: Source, after: u32) -> u64 {
        self.uses.next(s, after)
    }

    /// Whether nothing uses a source after a position.
    fn dead(&self, s: Source, after: u32) -> bool {
        self.next_use(s, after) == uses::NEVER
    }

    fn register(&self, s: Source) -> Option<Register> {
        self.state.register(s)
    }

    /// The registers of those sources that are in registers.
    fn registers(&self, sources: impl Iterator<Item = Source>) -> Vec<Register> {
        sources.filter_map(|s| self.register(s)).collect()
    }

    fn free(&self, upper: bool, exclude: &[Register]) -> Vec<Register> {
        let is_free =
            |r: &&Register| self.state.holds(**r).is_none() && !exclude.contains(r) && (!upper || self.isa.upper(**r));
        self.available.iter().filter(is_free).copied().collect()
    }

    fn set(&mut self, s: Source, r: Register) {
        self.state.place(s, r);
        if r < state::KEY {
            self.used.insert(r);
        }
    }

    /// A register that holds nothing, if need be after making one free.
    fn take(&mut self, exclude: &[Register], upper: bool, hint: Option<Register>) -> Done<Register> {
        if self.accumulator.is_some() && self.objects.far_bytes > 0 {
            return Ok(self.take_internal(exclude, hint));
        }
        let free = self.free(upper, exclude);
        if let Some(hint) = hint.filter(|r| free.contains(r)) {
            return Ok(hint);
        }
        let hinted = self.hinted();
        if let Some(r) = free.iter().copied().min_by_key(|r| (hinted.contains(r), *r)) {
            return Ok(r);
        }
        self.make_free(exclude, upper)
    }

    /// The registers that something that comes later would like.
    fn hinted(&self) -> BTreeSet<Register> {
        self.waiting.keys().chain(self.hints.values()).copied().collect()
    }

    fn make_free(&mut self, exclude: &[Register], upper: bool) -> Done<Register> {
        let low = if upper { self.free(false, exclude) } else { Vec::new() };
        let fits = |r: Register| !exclude.contains(&r) && (!upper || self.isa.upper(r));
        let candidates = self.state.held().filter(|(r, _)| fits(*r));
        let Some((victim, value)) = candidates.max_by_key(|(r, s)| (self.distance(*s), std::cmp::Reverse(*r))) else {
            return Err(self.too_many());
        };
        match (low.first(), value) {
            (Some(to), Source::Value(_)) if !self.dead(value, self.position - 1) => {
                self.state.drop(value);
                self.set(value, *to);
                self.copy(*to, victim);
            }
            _ => self.evict(value)?,
        }
        Ok(victim)
    }

    fn too_many(&self) -> Stop {
        let message = format!("an instruction of `{}` needs more registers at once than there are", self.code.name);
        let help = "operations on narrower words need fewer; `assay emit c` has no such limit";
        Stop::Refused(Box::new(Diagnostic::new("E114", message).help(help)))
    }

    /// How good it is to take a source's register, in halves of positions: numbers are loaded again, what is in memory
    /// already is not stored again.
    fn distance(&self, s: Source) -> i64 {
        let distance = self.next_use(s, self.position - 1) as i64 - i64::from(self.position);
        match s {
            Source::Number(_) => distance * 4 + 6,
            Source::Value(v) if self.state.slot(v).is_some() => distance * 3,
            Source::Value(_) => distance * 2,
        }
    }

    /// Takes a source out of its register; it is stored if it is needed again and not in memory.
    fn evict(&mut self, s: Source) -> Done<()> {
        if let Some((id, _)) = self.outside.iter().find(|(_, known)| known.contains(&s)) {
            return Err(Stop::Restart(*id, s));
        }
        if let Source::Value(v) = s {
            if self.state.slot(v).is_none() && !self.dead(s, self.position - 1) {
                let slot = self.new_slot();
                self.state.set_slot(v, slot);
                let r = self.register(s).expect("it is in a register");
                self.put(slot, r);
            }
        }
        self.state.drop(s);
        Ok(())
    }

    fn new_slot(&mut self) -> u32 {
        if !self.state.free_slots.is_empty() {
            return self.state.free_slots.remove(0);
        }
        self.slots += 1;
        self.slots - 1
    }

    /// Forgets a value that nothing uses any more.
    fn release(&mut self, s: Source) {
        let Source::Value(v) = s else { return };
        if self.dead(s, self.position) {
            self.state.drop(s);
            if !self.kept.contains(&v) {
                let slot = self.state.take_slot(v);
                self.state.free_slots.extend(slot);
            }
        }
    }

    /// The register of a source; it may be one that it was brought into.
    fn load(&mut self, s: Source, exclude: &[Register], upper: bool) -> Done<Register> {
        if let Some(r) = self.register(s) {
            if !upper || self.isa.upper(r) {
                return Ok(r);
            }
            let new = self.take(&[exclude, &[r]].concat(), true, None)?;
            self.copy(new, r);
            self.state.drop(s);
            self.set(s, new);
            return Ok(new);
        }
        let r = match s {
            Source::Number(n) => self.load_number(n, exclude, upper)?,
            Source::Value(v) => self.load_value(v, exclude, upper)?,
        };
        self.set(s, r);
        Ok(r)
    }

    fn load_number(&mut self, n: i32, exclude: &[Register], upper: bool) -> Done<Register> {
        if n == 0 && !upper && self.free(true, exclude).is_empty() {
            if let (Some(clear), Some(low)) = (&self.isa.moves.clear, self.free(false, exclude).first()) {
                self.emit(filled(clear, &[Operand::Register(*low)]));
                return Ok(*low);
            }
        }
        let r = self.take(exclude, true, None)?;
        self.number(r, n);
        Ok(r)
    }

    fn load_value(&mut self, v: Value, exclude: &[Register], upper: bool) -> Done<Register> {
        let r = self.take(exclude, upper, self.hints.get(&v).copied())?;
        let slot = self.state.slot(v).expect("a value is in a register or in memory");
        self.fetch(r, slot);
        if self.frugal && !self.kept.contains(&v) && !self.held.iter().any(|held| held.contains(&v)) {
            self.state.take_slot(v);
            self.state.free_slots.push(slot);
        }
        Ok(r)
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
    Machine { opcode: machine.opcode, operands: machine.operands.iter().map(operand).collect() }
}
