//! A text as the simulators run it: operations with their registers, semantics, stops and places in bundles.

use super::reader::names::Names;
use super::slots::{Slot, ONE};
use crate::isa::InstructionId;
use crate::semantics::{CompiledInstruction, Step};

/// How a text is written and run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Bundles of three slots; `;;` ends a group.
    Bundles,
    /// One operation per line; `;;` ends a cycle.
    #[default]
    Groups,
    /// One operation per line, one after the other; branches have a delay slot.
    DelaySlots,
    /// One operation per line, one after the other.
    Lines,
}

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Listing {
    /// How it is written.
    pub style: Style,
    /// Its name in messages.
    pub file: String,
    /// Operations in order.
    pub ops: Vec<TextOp>,
    /// What running them needs, in the same order.
    pub fast: Vec<CompactOperation>,
    /// Steps of all operations, see [`CompactOperation::steps`].
    pub steps: Vec<Step>,
    /// Words of its file.
    pub slots: usize,
    /// Slots of the arguments.
    pub arguments: Vec<Slot>,
    /// Registers.
    pub names: Names,
    /// Slots of what controls loops.
    pub counters: Counters,
    /// Files of registers that rotate, as runs of slots; `None`: not used by the text.
    pub rotating: Vec<RotatingRegisters>,
}

/// Registers that rotate together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotatingRegisters {
    /// Slot of the first.
    pub first: Slot,
    /// How many.
    pub count: u16,
    /// Predicates: the first one gets the value for the new iteration.
    pub predicates: bool,
}

/// Slots of the registers that control loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// `ar.lc`
    pub iterations: Slot,
    /// `ar.ec`
    pub epilogue: Slot,
    /// How far the registers have rotated since `clrrrb`.
    pub rotations: Slot,
}

/// An operation, as small as can be: what the simulators look at in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactOperation {
    /// It runs if this slot is not 0.
    pub guard: Slot,
    /// Nothing happens.
    pub nop: bool,
    /// It has more than steps: a flow, or operations that it excludes.
    pub special: bool,
    /// First and last step (not included) in [`Listing::steps`].
    pub steps: (u32, u32),
}

/// The small forms of operations and their steps.
#[must_use]
pub fn compact(ops: &[TextOp]) -> (Vec<CompactOperation>, Vec<Step>) {
    let mut steps = Vec::new();
    let mut fast = Vec::with_capacity(ops.len());
    for op in ops {
        let first = steps.len() as u32;
        steps.extend(&op.compiled.steps);
        let special = op.flow != Flow::Next || !op.exclusive.is_empty();
        fast.push(CompactOperation { guard: op.guard, nop: op.nop, special, steps: (first, steps.len() as u32) });
    }
    (fast, steps)
}

/// An operation of the text.
#[derive(Clone, Debug)]
pub struct TextOp {
    /// Line in the text, from 1.
    pub line: u32,
    /// The text, without guard and comment.
    pub text: String,
    /// The instruction; `None`: one of those that only the text has (`nop`, `alloc`).
    pub instruction: Option<InstructionId>,
    /// Nothing happens.
    pub nop: bool,
    /// It runs if this slot is not 0.
    pub guard: Slot,
    /// What it writes: slot, and which of the instruction's outputs.
    pub defines: Vec<(Slot, u8)>,
    /// What it reads: slot, and which of the instruction's operands.
    pub uses: Vec<(Slot, u8)>,
    /// What it computes.
    pub compiled: CompiledInstruction,
    /// Where it goes on.
    pub flow: Flow,
    /// A branch `,n`: its delay slot does not run, of a conditional branch backwards when it is not taken.
    pub nullifies: bool,
    /// Loads and stores: bytes, and whether it stores.
    pub memory: Option<(u8, bool)>,
    /// Letter of its slot in the bundle.
    pub unit: Option<char>,
    /// Number of its bundle, and its slot there.
    pub bundle: (u32, u8),
    /// A group ends after it.
    pub stop: bool,
    /// Guards of earlier operations of its group that must be 0 when it runs, and those operations.
    pub exclusive: Vec<(Slot, u32)>,
}

impl TextOp {
    /// An operation without anything.
    #[must_use]
    pub fn new(line: u32, text: &str) -> TextOp {
        TextOp {
            line,
            text: text.to_owned(),
            instruction: None,
            nop: false,
            guard: ONE,
            defines: Vec::new(),
            uses: Vec::new(),
            compiled: CompiledInstruction::default(),
            flow: Flow::Next,
            nullifies: false,
            memory: None,
            unit: None,
            bundle: (0, 0),
            stop: false,
            exclusive: Vec::new(),
        }
    }
}

/// Where a text goes on after an operation; targets are indices into [`Listing::ops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next one.
    Next,
    /// Nowhere: the text ends.
    Return,
    /// There.
    Jump(u32),
    /// There while the loop counter is not 0.
    Counted(u32),
    /// There, with a rotation of the registers, if the slot is not 0; without a slot, as the loop counters say.
    Rotating(u32, Option<Slot>),
    /// There if the slot is not 0.
    Conditional(u32, Slot),
    /// The next one is skipped if the slot is not 0.
    Nullify(Slot),
    /// The registers rotate back to where they began.
    Clear,
}
