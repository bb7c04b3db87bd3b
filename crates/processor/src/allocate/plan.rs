//! A schedule that operations can be added to.

use program::Diagnostic;

use crate::code::{CarriedValue, Code, Op, Region, Use, Value, ValueId};
use crate::graph::Schedule;
use crate::isa::{Control, InstructionId, Isa, OperandKind};
use crate::model::Processor;
use crate::semantics::{Expression, Statement};

/// How a block runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Once.
    #[default]
    Straight,
    /// So many times, one iteration after the other.
    Loop {
        /// Iterations.
        iterations: u32,
    },
    /// So many times, an iteration starting every `interval` cycles.
    Pipelined {
        /// Iterations.
        iterations: u32,
        /// Cycles between two starts.
        interval: u32,
        /// Intervals that an iteration takes.
        stages: u32,
    },
}

/// A part of the allocated kernel.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// How it runs.
    pub shape: Shape,
    /// Cycles that it waits at its start for results of what ran before.
    pub wait: u32,
    /// Its operations in the order of issue.
    pub lines: Vec<Line>,
}

/// An operation with registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Cycle of issue from the block's start; in a software-pipelined loop, in the kernel.
    pub cycle: u32,
    /// Stage of a software-pipelined loop, else 0.
    pub stage: u32,
    /// The instruction.
    pub instruction: InstructionId,
    /// What it writes, as it stands in the text.
    pub defines: Vec<String>,
    /// What it reads, as it stands in the text.
    pub uses: Vec<String>,
    /// The predicate.
    pub guard: Option<String>,
    /// Region and operation of the code that it is; `None`: added here.
    pub origin: Option<(usize, usize)>,
    /// Number of the block that it stands in.
    pub block: u32,
}

/// An operation that has a cycle, but no registers yet.
#[derive(Clone, Debug)]
pub(super) struct ScheduledOp {
    pub op: Op,
    pub cycle: u32,
    pub origin: Option<(usize, usize)>,
}

/// A region whose operations have cycles; they stand in the order of issue.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The region that it is; `None`: it was added.
    pub region: Option<usize>,
    pub shape: Shape,
    pub carried: Vec<CarriedValue>,
    pub ops: Vec<ScheduledOp>,
    /// Cycle of the branch that closes a loop, if the schedule says one.
    pub branch: Option<u32>,
    /// Cycles that it waits at its start for results of earlier parts.
    pub wait: u32,
}

/// Scheduled code that copies can be added to.
#[derive(Clone)]
pub(super) struct Plan<'a> {
    pub code: Code,
    pub processor: &'a Processor,
    pub parts: Vec<Part>,
    pub copies: usize,
    pub rotation: super::rotating::Rotation,
}

impl<'a> Plan<'a> {
    pub fn new(code: &Code, schedules: &[Schedule], processor: &'a Processor) -> Result<Plan<'a>, Diagnostic> {
        if code.regions.len() != schedules.len() {
            let (regions, given) = (code.regions.len(), schedules.len());
            return Err(Diagnostic::new("M403", format!("{given} schedules for {regions} regions of `{}`", code.name)));
        }
        let parts: Result<Vec<Part>, Diagnostic> =
            code.regions.iter().zip(schedules).enumerate().map(|(k, (r, s))| part(&code.name, k, r, s)).collect();
        Ok(Plan { code: code.clone(), processor, parts: parts?, copies: 0, rotation: Default::default() })
    }

    pub fn isa(&self) -> &Isa {
        &self.processor.isa
    }

    /// Whether operations of one cycle read before any of them writes, so that their order does not matter.
    pub fn parallel(&self) -> bool {
        in_groups(self.isa())
    }

    pub fn new_value(&mut self, name: String, class: usize) -> ValueId {
        self.code.values.push(Value { name, class });
        u32::try_from(self.code.values.len() - 1).expect("fewer values than 2^32")
    }

    /// The copy instruction of a register class.
    pub fn copy_of(&self, class: usize) -> Result<InstructionId, Diagnostic> {
        find_copy(self.isa(), class).ok_or_else(|| {
            let name = &self.isa().registers[class].name;
            Diagnostic::new(
                "M407",
                format!("`{}` has no instruction that copies a register of class `{name}`", self.isa().name),
            )
            .help("add one whose semantics are `d = a`")
        })
    }

    /// Adds an operation to a part, in the first cycle from `earliest` on that has room (also beyond the end); returns the cycle.
    pub fn insert(&mut self, part: usize, op: Op, earliest: u32) -> u32 {
        let cycle = (earliest..).find(|&c| self.has_room(part, c, op.instruction)).expect("an empty cycle has room");
        self.place(part, op, cycle);
        cycle
    }

    /// Adds an operation to a part in a given cycle, behind those of that cycle.
    pub fn place(&mut self, part: usize, op: Op, cycle: u32) {
        let ops = &mut self.parts[part].ops;
        let at = ops.partition_point(|p| p.cycle <= cycle);
        ops.insert(at, ScheduledOp { op, cycle, origin: None });
    }

    /// Whether one more instruction may issue in a cycle (of a pipelined loop: in its row of the kernel).
    pub fn has_room(&self, part: usize, cycle: u32, instruction: InstructionId) -> bool {
        let resources = &self.processor.resources;
        // How many cycles behind one the other is; in a pipelined loop, in its rows.
        let behind = |from: u32, to: u32| match self.parts[part].shape {
            Shape::Pipelined { interval, .. } => {
                (i64::from(to) - i64::from(from)).rem_euclid(i64::from(interval)).try_into().ok()
            }
            _ => to.checked_sub(from),
        };
        let class = self.processor.class_of(instruction);
        let others: Vec<(u32, usize)> =
            self.parts[part].ops.iter().map(|p| (p.cycle, self.processor.class_of(p.op.instruction))).collect();
        (0..resources.held(class)).all(|after| {
            let at = cycle + after;
            let there = || others.iter().filter_map(|&(from, class)| Some((class, behind(from, at)?)));
            resources.caps.iter().all(|cap| {
                let taken: u32 = there().map(|(class, after)| cap.slots(class, after)).sum();
                taken + cap.slots(class, after) <= cap.limit
            })
        })
    }

    /// First cycle in which what an operation defines can be read by an instruction; 0 for what is there at the part's start.
    pub fn ready(&self, part: usize, value: ValueId, reader: InstructionId) -> u32 {
        let found = self.parts[part].ops.iter().find_map(|p| {
            let output = p.op.defines.iter().position(|&d| d == value)?;
            Some(p.cycle + self.processor.latency(p.op.instruction, output, reader, Some(0)).max(1))
        });
        found.unwrap_or(0)
    }

    /// Cycles from the first of a part to its last.
    pub fn length(&self, part: usize) -> u32 {
        self.parts[part].ops.iter().map(|p| p.cycle + 1).max().unwrap_or(0)
    }

    /// A tied operand's old value must not be needed behind the operation.
    pub fn check_ties(&self, live: &super::live::Live) -> Result<(), Diagnostic> {
        // In a pipelined loop iterations overlap, and the scheduler keeps the order of reading and changing in place.
        for part in self.parts.iter().filter(|p| !matches!(p.shape, Shape::Pipelined { .. })) {
            for planned in &part.ops {
                for (old, new) in ties(self.isa(), &planned.op) {
                    if !exclude(part, old, planned) {
                        live.check_tie(self, old, new, planned)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether an operation changes what another one of its cycle gives, and never both take effect: their predicates are the two
/// results of one comparison.
fn exclude(part: &Part, old: ValueId, planned: &ScheduledOp) -> bool {
    let compared = |guard: Option<ValueId>| {
        let guard = guard?;
        part.ops.iter().position(|p| p.op.defines.contains(&guard)).map(|k| (k, guard))
    };
    let other = part.ops.iter().find(|p| p.cycle == planned.cycle && p.op.defines.contains(&old));
    match (compared(planned.op.guard), other.and_then(|p| compared(p.op.guard))) {
        (Some((k, one)), Some((n, other))) => k == n && one != other,
        _ => false,
    }
}

/// Whether the operations of one cycle are one group, in which nothing reads what another one of them wrote.
pub(crate) fn in_groups(isa: &Isa) -> bool {
    isa.instruction_bytes.is_none() || isa.predicated
}

/// The pairs (old value, new value) that share a register in an operation.
pub(super) fn ties(isa: &Isa, op: &Op) -> Vec<(ValueId, ValueId)> {
    let instruction = &isa.instructions[op.instruction as usize];
    let mut found = Vec::new();
    for (define, &new) in instruction.defines.iter().zip(&op.defines) {
        for (operand, used) in instruction.uses.iter().zip(&op.uses) {
            if let (true, Use::Value(old)) = (operand.name == define.name, used) {
                found.push((*old, new));
            }
        }
    }
    found
}

/// The first instruction whose semantics are a copy within a class.
pub(crate) fn find_copy(isa: &Isa, class: usize) -> Option<InstructionId> {
    mover(isa, class, class)
}

/// The first instruction that copies a register of one class into one of another.
pub(crate) fn mover(isa: &Isa, from: usize, to: usize) -> Option<InstructionId> {
    let copies = |i: &crate::isa::Instruction| {
        let ([d], [a]) = (i.defines.as_slice(), i.uses.as_slice()) else { return false };
        d.kind == OperandKind::Register(to)
            && a.kind == OperandKind::Register(from)
            && i.control == Control::None
            && i.expansion.is_none()
            && i.semantics == [Statement::Assign(d.name.clone(), Expression::Name(a.name.clone()))]
    };
    isa.instructions.iter().position(copies).map(|k| k as InstructionId)
}

fn part(name: &str, number: usize, region: &Region, schedule: &Schedule) -> Result<Part, Diagnostic> {
    let (ops, carried, shape) = match region {
        Region::Straight(ops) => (ops, Vec::new(), Shape::Straight),
        Region::Loop(l) => (&l.ops, l.carried.clone(), loop_shape(l.iterations, schedule)),
    };
    // The schedule of a loop has one more: the branch.
    let branch = usize::from(matches!(region, Region::Loop(_)));
    if ops.len() != schedule.cycles.len() && ops.len() + branch != schedule.cycles.len() {
        let message =
            format!("region {number} of `{name}` has {} operations, its schedule {}", ops.len(), schedule.cycles.len());
        return Err(Diagnostic::new("M411", message));
    }
    let mut planned: Vec<ScheduledOp> = ops
        .iter()
        .zip(&schedule.cycles)
        .enumerate()
        .map(|(k, (op, &cycle))| ScheduledOp { op: op.clone(), cycle, origin: Some((number, k)) })
        .collect();
    planned.sort_by_key(|p| p.cycle);
    let branch = schedule.cycles.get(ops.len()).copied();
    Ok(Part { region: Some(number), shape, carried, ops: planned, branch, wait: 0 })
}

fn loop_shape(iterations: u32, schedule: &Schedule) -> Shape {
    match schedule.interval {
        Some(interval) if interval > 0 => {
            Shape::Pipelined { iterations, interval, stages: schedule.length().div_ceil(interval).max(1) }
        }
        _ => Shape::Loop { iterations },
    }
}

impl Block {
    /// The operations of each cycle that has some, in order.
    pub fn groups(&self) -> impl Iterator<Item = &[Line]> + '_ {
        let mut rest = self.lines.as_slice();
        std::iter::from_fn(move || {
            let first = rest.first()?.cycle;
            let (group, after) = rest.split_at(rest.iter().take_while(|l| l.cycle == first).count());
            rest = after;
            Some(group)
        })
    }

    /// Cycles from what ran before to its last issue, every iteration counted.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        let length = u64::from(self.lines.iter().map(|l| l.cycle + 1).max().unwrap_or(0));
        let running = match self.shape {
            Shape::Straight => length,
            Shape::Loop { iterations } => length * u64::from(iterations),
            Shape::Pipelined { iterations, interval, stages } => {
                u64::from(interval) * u64::from(iterations + stages - 1)
            }
        };
        u64::from(self.wait) + running
    }
}
