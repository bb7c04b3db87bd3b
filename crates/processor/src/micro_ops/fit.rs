//! Registers for code of two operands: steps in an order, each with one of several forms, values spilled where registers run out.
//!
//! Values may change: a step reads, writes or changes them. A sum is changed by steps in any order, of which the first that comes takes
//! the form that begins it. Belady's rule: what is used latest leaves first.

use serde::Serialize;

use super::{Instruction, Machine, Model};

/// Registers of the machine.
pub const COUNT: usize = 8;
/// In the templates of forms: operand `k` of the step is register `OPERAND + k`.
pub const OPERAND: u8 = 64;
const NEVER: u32 = u32::MAX;
/// Where spilled values and cells are taken to lie; other accesses lie apart from each other.
const SPILLS: u64 = 1 << 20;
const ELSEWHERE: u64 = 1 << 24;
const CELLS: u64 = 1 << 32;
/// A spilled value that is used again so soon is loaded into a free register.
const SOON: u32 = 24;

/// How a step uses a value.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// It stays.
    Read,
    /// It begins.
    Write,
    /// It becomes another, or begins if the step is the first that changes it and has such a form.
    Change,
}

/// An operand of a step.
#[derive(Clone, Debug, Serialize)]
pub struct Operand {
    /// The value's number.
    pub value: u32,
    /// What is done with it.
    pub access: Use,
    /// Bits of the registers that it can be in.
    pub class: u8,
}

/// A step: its first operand is what it makes, if it makes anything.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What it uses.
    pub operands: Vec<Operand>,
    /// The instruction.
    pub plain: Instruction,
    /// The same where the first operand begins.
    pub first: Option<Instruction>,
    /// The last operand is in memory.
    pub folded: Option<Instruction>,
    /// Both.
    pub first_folded: Option<Instruction>,
    /// It can be done again instead of keeping what it makes: it reads nothing but memory, which stays until a step overwrites it.
    pub again: bool,
    /// The place in memory, in bytes, that it accesses, if other steps access it as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u64>,
    /// Steps that cannot be done again behind it: it writes what they read.
    // Not in the text, by whose hash kept orders are found: it changes no legal order.
    #[serde(skip)]
    pub overwrites: Vec<u32>,
}

/// Steps, and what must come before what.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// In a legal order.
    pub steps: Vec<Step>,
    /// Pairs of steps that keep their order.
    pub before: Vec<(u32, u32)>,
    /// Bits of the registers that can be given out.
    pub registers: u8,
    /// Loads a spilled value (operand 0 from memory), stores one, copies operand 1 to operand 0.
    pub load: Instruction,
    /// See `load`.
    pub store: Instruction,
    /// See `load`.
    pub copy: Instruction,
    /// How often the steps run one after the other where that is a part of a loop, else 0 or 1.
    // The old name stays in the text: kept orders are found by its hash.
    #[serde(rename = "trips", skip_serializing_if = "is_zero")]
    pub iterations: u32,
    /// What ends each iteration: the index and the branch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<Instruction>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde asks for a reference.
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An instruction with registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacedInstruction {
    /// A step: its number, whether its first operand begins, where its last operand is in memory, registers of the operands.
    Step(u32, bool, Option<Place>, Vec<u8>),
    /// A register from memory.
    Load(u8, Place),
    /// A register to a slot.
    Store(u8, u32),
    /// A register to another: to, from.
    Copy(u8, u8),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slot for spilled values.
    Slot(u32),
    /// What a step that can be done again reads.
    Of(u32),
}

/// What does not change with the order.
#[derive(Debug)]
pub struct Fitter {
    problem: Problem,
    /// Of each value all registers that some step wants it in.
    wanted: Vec<u8>,
    /// Of each value the only step that makes it, if that can be done again.
    origin: Vec<Option<u32>>,
}

impl Fitter {
    /// Prepares steps.
    #[must_use]
    pub fn new(problem: Problem) -> Fitter {
        let values = problem.steps.iter().flat_map(|s| &s.operands).map(|o| o.value as usize + 1).max().unwrap_or(0);
        let (mut wanted, mut origin, mut makers) =
            (vec![problem.registers; values], vec![None; values], vec![0; values]);
        for (number, step) in problem.steps.iter().enumerate() {
            for operand in &step.operands {
                let value = operand.value as usize;
                if wanted[value] & operand.class != 0 {
                    wanted[value] &= operand.class;
                }
                if operand.access != Use::Read {
                    makers[value] += 1;
                    origin[value] = (makers[value] == 1 && step.again).then_some(number as u32);
                }
            }
        }
        Fitter { problem, wanted, origin }
    }

    /// The steps.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the instructions of the steps in an order.
    #[must_use]
    pub fn fit(&self, order: &[u32]) -> Vec<PlacedInstruction> {
        let mut state = State::new(self, order);
        for (at, &step) in order.iter().enumerate() {
            state.step(step, at as u32);
        }
        state.out
    }

    /// Returns the cycles of instructions, and how many micro-operations they are.
    #[must_use]
    pub fn cycles(&self, placed: &[PlacedInstruction], model: &Model) -> (u64, u64) {
        let mut code = Vec::with_capacity(placed.len());
        let mut addresses = Vec::with_capacity(placed.len());
        for one in placed {
            let apart = ELSEWHERE + 64 * addresses.len() as u64;
            let (instruction, address) = self.instruction(one, apart);
            code.push(instruction);
            addresses.push(address);
        }
        code.extend_from_slice(&self.problem.tail);
        addresses.resize(code.len(), ELSEWHERE);
        let iterations = self.problem.iterations.max(1) as usize;
        let order: Vec<u32> = (0..iterations).flat_map(|_| 0..code.len() as u32).collect();
        let addresses = addresses.repeat(iterations);
        let mut model = model.clone();
        (model.cache, model.instruction_cache) = (None, None);
        let run = Machine::trusted(model, code).run(&order, &[addresses])[0];
        (run.cycles, run.operations)
    }

    /// Of each value the step that can be done again wherever the value is used: nothing overwrites before what it reads.
    fn repeatable(&self, order: &[u32], uses: &[Vec<u32>]) -> Vec<Option<u32>> {
        let mut origin = self.origin.clone();
        for (at, &step) in order.iter().enumerate() {
            for &overwritten in &self.problem.steps[step as usize].overwrites {
                let value = self.problem.steps[overwritten as usize].operands[0].value as usize;
                if uses[value].first().is_some_and(|&last| last > at as u32) {
                    origin[value] = None;
                }
            }
        }
        origin
    }

    fn instruction(&self, placed: &PlacedInstruction, apart: u64) -> (Instruction, u64) {
        let cell = |step: u32| self.problem.steps[step as usize].cell.map_or(apart, |cell| CELLS + cell);
        let slot = |place: &Place| match place {
            Place::Slot(slot) => SPILLS + 4 * u64::from(*slot),
            Place::Of(step) => cell(*step),
        };
        match placed {
            PlacedInstruction::Load(register, place) => (named(&self.problem.load, &[*register]), slot(place)),
            PlacedInstruction::Store(register, at) => {
                (named(&self.problem.store, &[*register]), slot(&Place::Slot(*at)))
            }
            PlacedInstruction::Copy(to, from) => (named(&self.problem.copy, &[*to, *from]), apart),
            PlacedInstruction::Step(number, first, folded, registers) => {
                let form = self.form(*number, *first, folded.is_some());
                (named(form, registers), folded.as_ref().map_or_else(|| cell(*number), slot))
            }
        }
    }

    fn form(&self, number: u32, first: bool, folded: bool) -> &Instruction {
        let step = &self.problem.steps[number as usize];
        let chosen = match (first, folded) {
            (false, false) => Some(&step.plain),
            (true, false) => step.first.as_ref(),
            (false, true) => step.folded.as_ref(),
            (true, true) => step.first_folded.as_ref(),
        };
        chosen.unwrap_or(&step.plain)
    }
}

/// A template with the registers of operands.
fn named(template: &Instruction, registers: &[u8]) -> Instruction {
    let mut instruction = template.clone();
    for op in &mut instruction.operations {
        for register in op.reads.iter_mut().chain(&mut op.writes) {
            if *register >= OPERAND {
                *register = registers[usize::from(*register - OPERAND)];
            }
        }
    }
    instruction
}

/// What stands where while steps are done.
struct State<'a> {
    fitter: &'a Fitter,
    /// Of each value the step that is done again instead of a load from a slot.
    origin: Vec<Option<u32>>,
    /// Of each value the places in the order where it is used, last first: the next use is at the end.
    uses: Vec<Vec<u32>>,
    begun: Vec<bool>,
    register: Vec<u8>,
    /// Slot that holds the value as it is.
    slot: Vec<u32>,
    holds: [u32; COUNT],
    free_slots: Vec<u32>,
    slots: u32,
    out: Vec<PlacedInstruction>,
}

const NOWHERE: u8 = u8::MAX;

impl<'a> State<'a> {
    fn new(fitter: &'a Fitter, order: &[u32]) -> State<'a> {
        let values = fitter.wanted.len();
        let mut uses = vec![Vec::new(); values];
        for (at, &step) in order.iter().enumerate().rev() {
            for operand in &fitter.problem.steps[step as usize].operands {
                uses[operand.value as usize].push(at as u32);
            }
        }
        State {
            origin: fitter.repeatable(order, &uses),
            fitter,
            uses,
            begun: vec![false; values],
            register: vec![NOWHERE; values],
            slot: vec![NEVER; values],
            holds: [NEVER; COUNT],
            free_slots: Vec::new(),
            slots: 0,
            out: Vec::with_capacity(order.len() * 5 / 4),
        }
    }

    fn step(&mut self, number: u32, at: u32) {
        let fitter = self.fitter;
        let step = &fitter.problem.steps[number as usize];
        for operand in &step.operands {
            let uses = &mut self.uses[operand.value as usize];
            while uses.last().is_some_and(|&use_| use_ <= at) {
                uses.pop();
            }
        }
        let mut registers = vec![NOWHERE; step.operands.len()];
        let mut pinned = 0u8;
        let head = step.operands.first();
        let first =
            step.first.is_some() && head.is_some_and(|o| o.access == Use::Change && !self.begun[o.value as usize]);
        let last = step.operands.len().wrapping_sub(1);
        let may_fold = if first { step.first_folded.is_some() } else { step.folded.is_some() };
        let mut folded = None;
        for operand in &step.operands {
            let register = self.register[operand.value as usize];
            if register != NOWHERE {
                pinned |= 1 << register;
            }
        }
        for (k, operand) in step.operands.iter().enumerate() {
            if operand.access == Use::Write || k == 0 && first {
                continue;
            }
            let value = operand.value;
            let now = self.register[value as usize];
            if k == last && k > 0 && may_fold && now == NOWHERE && !self.wants_back(value, at) {
                folded = Some(self.home(value));
                continue;
            }
            registers[k] = self.bring(value, operand.class, pinned, at);
            if now != NOWHERE {
                pinned &= !(1 << now);
            }
            pinned |= 1 << registers[k];
        }
        let read = registers.iter().filter(|&&r| r != NOWHERE).fold(0u8, |mask, &r| mask | 1 << r);
        for operand in &step.operands {
            self.leave_if_dead(operand.value, operand.access);
        }
        let mut kept = 0u8;
        for (k, operand) in step.operands.iter().enumerate() {
            if registers[k] != NOWHERE && self.holds[usize::from(registers[k])] == operand.value {
                kept |= 1 << registers[k];
            }
        }
        for (k, operand) in step.operands.iter().enumerate() {
            if operand.access == Use::Write || k == 0 && first {
                let class = self.preferred(operand.value, operand.class, kept);
                registers[k] = self.take(class, kept, read, at);
                self.put(operand.value, registers[k]);
                kept |= 1 << registers[k];
            }
            if operand.access != Use::Read {
                self.begun[operand.value as usize] = true;
                self.forget_slot(operand.value);
            }
        }
        self.out.push(PlacedInstruction::Step(number, first, folded, registers));
        for operand in &step.operands {
            if self.uses[operand.value as usize].is_empty() {
                self.leave(operand.value);
            }
        }
    }

    /// Whether a spilled value is used again soon, and a register is free for it.
    fn wants_back(&self, value: u32, at: u32) -> bool {
        let next = self.uses[value as usize].last().copied().unwrap_or(NEVER);
        let free = (0..COUNT).any(|r| self.fitter.problem.registers >> r & 1 == 1 && self.holds[r] == NEVER);
        free && next.saturating_sub(at) < SOON
    }

    fn home(&self, value: u32) -> Place {
        match self.origin[value as usize] {
            Some(step) => Place::Of(step),
            None => Place::Slot(self.slot[value as usize]),
        }
    }

    /// Brings a value into a register of a class.
    fn bring(&mut self, value: u32, class: u8, pinned: u8, at: u32) -> u8 {
        let now = self.register[value as usize];
        if now != NOWHERE && class >> now & 1 == 1 {
            return now;
        }
        if now != NOWHERE {
            let to = self.take(class, pinned, 0, at);
            self.out.push(PlacedInstruction::Copy(to, now));
            self.holds[usize::from(now)] = NEVER;
            self.put(value, to);
            return to;
        }
        let to = self.take(self.preferred(value, class, pinned), pinned, 0, at);
        self.out.push(PlacedInstruction::Load(to, self.home(value)));
        self.put(value, to);
        to
    }

    /// The registers of a class that all uses of a value want, or the class if those are pinned.
    fn preferred(&self, value: u32, class: u8, pinned: u8) -> u8 {
        let wanted = class & self.fitter.wanted[value as usize];
        if wanted & self.fitter.problem.registers & !pinned == 0 {
            class
        } else {
            wanted
        }
    }

    fn put(&mut self, value: u32, register: u8) {
        self.register[value as usize] = register;
        self.holds[usize::from(register)] = value;
    }

    /// A dying value's register may be taken by what the step makes, unless the step changes it; a place in memory that
    /// the step itself reads not before it is done.
    fn leave_if_dead(&mut self, value: u32, access: Use) {
        let index = value as usize;
        if access == Use::Read && self.uses[index].is_empty() && self.register[index] != NOWHERE {
            self.leave(value);
        }
    }

    fn leave(&mut self, value: u32) {
        let register = self.register[value as usize];
        if register != NOWHERE {
            self.holds[usize::from(register)] = NEVER;
            self.register[value as usize] = NOWHERE;
        }
        self.forget_slot(value);
    }

    fn forget_slot(&mut self, value: u32) {
        let slot = std::mem::replace(&mut self.slot[value as usize], NEVER);
        if slot != NEVER {
            self.free_slots.push(slot);
        }
    }

    /// A register of a class, made free if need be; what is moved away for it does not go to those that are still `read`.
    fn take(&mut self, class: u8, pinned: u8, read: u8, at: u32) -> u8 {
        let all = self.fitter.problem.registers;
        let free = |state: &State<'_>, mask: u8| {
            (0..COUNT as u8).rev().find(|&r| mask >> r & 1 == 1 && state.holds[usize::from(r)] == NEVER)
        };
        let open = class & all & !pinned;
        // The last registers have the fewest uses: what wants no others goes there.
        if let Some(register) = free(self, open) {
            return register;
        }
        let victim = (0..COUNT as u8)
            .filter(|&r| open >> r & 1 == 1)
            .max_by_key(|&r| (self.distance(self.holds[usize::from(r)], at), r))
            .expect("some register is not pinned");
        let other = self.holds[usize::from(victim)];
        let elsewhere = free(self, all & !pinned & !read & !class);
        match elsewhere {
            Some(to) if !self.uses[other as usize].is_empty() => {
                self.out.push(PlacedInstruction::Copy(to, victim));
                self.holds[usize::from(victim)] = NEVER;
                self.put(other, to);
            }
            _ => self.spill(other, victim),
        }
        victim
    }

    /// How long a value will not be needed; what is in memory anyway costs less to bring back.
    fn distance(&self, value: u32, at: u32) -> u64 {
        let next = self.uses[value as usize].last().copied().unwrap_or(NEVER);
        let kept = self.slot[value as usize] != NEVER || self.origin[value as usize].is_some();
        u64::from(next.saturating_sub(at)) * if kept { 3 } else { 2 }
    }

    fn spill(&mut self, value: u32, register: u8) {
        let index = value as usize;
        if !self.uses[index].is_empty() && self.slot[index] == NEVER && self.origin[index].is_none() {
            let slot = self.free_slots.pop().unwrap_or_else(|| {
                self.slots += 1;
                self.slots - 1
            });
            self.slot[index] = slot;
            self.out.push(PlacedInstruction::Store(register, slot));
        }
        self.holds[usize::from(register)] = NEVER;
        self.register[index] = NOWHERE;
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
