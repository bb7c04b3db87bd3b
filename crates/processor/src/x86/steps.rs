//! Steps: instructions before they have an order and registers.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use program::Diagnostic;
use serde::Serialize;

use super::code::{Item, PlacedItem};
use super::decode::Table;
use super::graph::Places;
use super::instruction::{Instruction, Memory, Opcode, Operand, COUNTER};
use crate::micro_ops::fit::{self, Place, PlacedInstruction, Problem, Use};

/// Registers that can be given out: all but the stack's.
pub const ANY: u8 = 0b1110_1111;
/// Those that have bytes.
pub const BYTES: u8 = 0b0000_1111;
/// The one that counts in shifts.
pub const COUNT: u8 = 0b0000_0010;
/// Iterations of a loop that a search simulates.
pub const REPEATED: u32 = 4;

/// An instruction before it has registers: register [`fit::OPERAND`] + k stands for operand k.
#[derive(Clone, Debug)]
pub struct Step {
    /// Values, how they are used, the registers that they can be in.
    pub operands: Vec<fit::Operand>,
    /// The instruction.
    pub plain: Instruction,
    /// For the case that it is the first that changes its first operand.
    pub first: Option<Instruction>,
    /// The last operand is in memory.
    pub folded: Option<Instruction>,
    /// Both.
    pub first_folded: Option<Instruction>,
    /// What it loads, if it can be done again instead of keeping what it makes.
    pub again: Option<Operand>,
    /// The byte of a word between regions that it accesses.
    pub cell: Option<u64>,
    /// Steps that cannot be done again behind it: it writes what they load.
    pub overwrites: Vec<u32>,
    /// Where in the author's text it comes from.
    pub places: Places,
}

impl Step {
    /// A step of one form.
    #[must_use]
    pub fn new(operands: Vec<fit::Operand>, plain: Instruction) -> Step {
        Step {
            operands,
            plain,
            first: None,
            folded: None,
            first_folded: None,
            again: None,
            cell: None,
            overwrites: Vec::new(),
            places: Places::from([]),
        }
    }
}

/// Steps in a legal order, and pairs that keep their order.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// In a legal order.
    pub list: Vec<Step>,
    /// Pairs of steps: the first one comes first.
    pub before: BTreeSet<(u32, u32)>,
}

/// The loop whose whole body steps are: registers that they may use, what the counter changes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// Bits of registers.
    pub registers: u8,
    /// What is added to the counter.
    pub step: i64,
}

impl Steps {
    /// The steps as micro-operations that want an order and registers, for a latency of loads.
    ///
    /// # Errors
    /// X201: the table has no such instruction.
    pub fn problem(&self, table: &Table, load: u32, body: Option<Body>) -> Result<Problem, Diagnostic> {
        let decode = |one: &Instruction| table.decode(one, load, false);
        let maybe = |one: &Option<Instruction>| one.as_ref().map(decode).transpose();
        let step = |step: &Step| {
            Ok(fit::Step {
                operands: step.operands.clone(),
                plain: decode(&step.plain)?,
                first: maybe(&step.first)?,
                folded: maybe(&step.folded)?,
                first_folded: maybe(&step.first_folded)?,
                again: step.again.is_some(),
                cell: step.cell,
                overwrites: step.overwrites.clone(),
            })
        };
        let tail = body.map_or_else(Vec::new, |body| tail(&Operand::register(COUNTER), body.step, "loop").to_vec());
        let (to, from) = (Operand::register(fit::OPERAND), Operand::register(fit::OPERAND + 1));
        let mov = |to: &Operand, from: &Operand| decode(&Instruction::new(Opcode::Mov, [to.clone(), from.clone()]));
        Ok(Problem {
            steps: self.list.iter().map(step).collect::<Result<_, Diagnostic>>()?,
            before: self.before.iter().copied().collect(),
            registers: body.map_or(ANY, |body| body.registers),
            load: mov(&to, &Operand::Folded)?,
            store: mov(&Operand::Folded, &to)?,
            copy: mov(&to, &from)?,
            iterations: if body.is_some() { REPEATED } else { 0 },
            tail: tail.iter().map(|one| table.decode(one, load, true)).collect::<Result<_, _>>()?,
        })
    }

    /// An order in which few values are alive: what ends most goes first, then what comes first.
    ///
    /// # Panics
    /// If steps wait for each other.
    #[must_use]
    pub fn greedy(&self) -> Vec<u32> {
        let n = self.list.len();
        let (mut after, mut waits) = (vec![Vec::new(); n], vec![0; n]);
        for &(a, b) in &self.before {
            after[a as usize].push(b);
            waits[b as usize] += 1;
        }
        let mut live = Live::new(self);
        // What a step adds only falls while it waits: it is pushed again whenever that may be.
        let ready = (0..n as u32).filter(|&k| waits[k as usize] == 0);
        let mut heap: BinaryHeap<_> = ready.map(|k| Reverse((live.grows(k), k))).collect();
        let (mut order, mut done) = (Vec::with_capacity(n), vec![false; n]);
        while let Some(Reverse((_, best))) = heap.pop() {
            if std::mem::replace(&mut done[best as usize], true) {
                continue;
            }
            order.push(best);
            let mut again = live.take(best);
            for &b in &after[best as usize] {
                waits[b as usize] -= 1;
                again.insert(b);
            }
            let again = again.into_iter().filter(|&k| waits[k as usize] == 0 && !done[k as usize]);
            heap.extend(again.map(|k| Reverse((live.grows(k), k))));
        }
        assert_eq!(order.len(), n, "steps wait for each other");
        order
    }

    /// The instructions that were placed, with registers, and the bytes of spilled values; `spill` is their object. What
    /// moves operands of a step comes from where the step does.
    #[must_use]
    pub fn written(&self, placed: &[PlacedInstruction], spill: &str) -> (Vec<PlacedItem>, u32) {
        let mut slots = 0;
        let mut place = |place: &Place| match place {
            Place::Of(step) => self.list[*step as usize].again.clone().unwrap_or(Operand::Folded),
            Place::Slot(slot) => {
                slots = slots.max(slot + 1);
                let (symbol, offset) = (Some(spill.into()), 4 * i64::from(*slot));
                Operand::Memory(Memory { symbol, offset, ..Memory::default() })
            }
        };
        let register = |number: &u8| Operand::register(*number);
        let mut code = Vec::with_capacity(placed.len());
        for one in placed {
            let item = Item::Instruction(match one {
                PlacedInstruction::Load(to, from) => Instruction::new(Opcode::Mov, [register(to), place(from)]),
                PlacedInstruction::Store(from, slot) => {
                    Instruction::new(Opcode::Mov, [place(&Place::Slot(*slot)), register(from)])
                }
                PlacedInstruction::Copy(to, from) => Instruction::new(Opcode::Mov, [register(to), register(from)]),
                PlacedInstruction::Step(number, first, folded, registers) => {
                    let step = &self.list[*number as usize];
                    let form = match (first, folded) {
                        (false, None) => Some(&step.plain),
                        (true, None) => step.first.as_ref(),
                        (false, Some(_)) => step.folded.as_ref(),
                        (true, Some(_)) => step.first_folded.as_ref(),
                    };
                    let folded = folded.as_ref().map(&mut place);
                    form.unwrap_or(&step.plain).with(registers, folded.as_ref())
                }
            });
            code.push(PlacedItem { item, places: Places::from([]) });
        }
        let mut places = Places::from([]);
        for (line, one) in code.iter_mut().zip(placed).rev() {
            if let PlacedInstruction::Step(number, ..) = one {
                places = self.list[*number as usize].places.clone();
            }
            line.places = places.clone();
        }
        (code, 4 * slots)
    }
}

/// The instructions that end an iteration: its counter is added to, and it branches back.
#[must_use]
pub fn tail(counter: &Operand, step: i64, label: &str) -> [Instruction; 2] {
    [Instruction::new(Opcode::Add, [counter.clone(), Operand::Immediate(step)]), Instruction::branch(label)]
}

/// The text of steps whose hash names the order kept for them: JSON as Python writes it.
///
/// # Panics
/// Never: no map of the structure has keys other than text.
#[must_use]
pub fn identity(problem: &Problem) -> String {
    let mut out = Vec::new();
    problem
        .serialize(&mut serde_json::Serializer::with_formatter(&mut out, SpacedFormatter))
        .expect("all keys are text");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// JSON with a space behind each comma and colon.
struct SpacedFormatter;

impl serde_json::ser::Formatter for SpacedFormatter {
    fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W, first: bool) -> std::io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, out: &mut W, first: bool) -> std::io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b": ")
    }
}

/// Which values are alive.
struct Live<'a> {
    steps: &'a [Step],
    users: Vec<Vec<u32>>,
    left: Vec<usize>,
    begun: Vec<bool>,
}

impl Live<'_> {
    fn new(steps: &Steps) -> Live<'_> {
        let values = steps.list.iter().flat_map(|step| &step.operands).map(|o| o.value as usize + 1).max();
        let mut users = vec![Vec::new(); values.unwrap_or(0)];
        for (k, step) in (0..).zip(&steps.list) {
            for operand in &step.operands {
                users[operand.value as usize].push(k);
            }
        }
        let left = users.iter().map(Vec::len).collect();
        Live { steps: &steps.list, begun: vec![false; users.len()], users, left }
    }

    /// By how many values more are alive behind a step.
    fn grows(&self, step: u32) -> i64 {
        let of = |operand: &fit::Operand| {
            let value = operand.value as usize;
            i64::from(operand.access != Use::Read && !self.begun[value]) - i64::from(self.left[value] == 1)
        };
        self.steps[step as usize].operands.iter().map(of).sum()
    }

    /// Takes a step; returns those of which it may add less now.
    fn take(&mut self, step: u32) -> BTreeSet<u32> {
        let mut changed = BTreeSet::new();
        for operand in &self.steps[step as usize].operands {
            let value = operand.value as usize;
            self.left[value] -= 1;
            if self.left[value] == 1 || operand.access != Use::Read && !self.begun[value] {
                changed.extend(&self.users[value]);
            }
            self.begun[value] |= operand.access != Use::Read;
        }
        changed
    }
}
