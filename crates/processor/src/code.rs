//! Machine code before it has registers: operations on values, in straight-line regions and counted loops.

mod evaluate;
mod image;
mod text;
mod verify;

pub use evaluate::{evaluate, run};
pub use image::{count, extent, packed, Image};
pub use text::text;
pub use verify::verify;

use program::ir::Place;

use crate::isa::InstructionId;

/// A kernel in the instructions of one instruction set.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Cipher and operation: `NAME encrypt`.
    pub name: String,
    /// Memory that it reads and writes.
    pub objects: Vec<Object>,
    /// Values; each is defined once (a tied operand defines a new value).
    pub values: Vec<Value>,
    /// Values that are there at entry, in the order of the arguments.
    pub inputs: Vec<Input>,
    /// What runs, one region after the other.
    pub regions: Vec<Region>,
}

/// An index into [`Code::values`].
pub type ValueId = u32;

/// A virtual register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// For people: the name of the program's value, or what it is for.
    pub name: String,
    /// Register class, an index into [`crate::isa::Isa::registers`].
    pub class: usize,
}

/// A value that the kernel is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The value.
    pub value: ValueId,
    /// The object it points to.
    pub object: usize,
    /// Bytes from the object's start.
    pub offset: i64,
}

/// A piece of memory. Blocks and keys are words in the byte order of the processor, as in the papers' counts; [`Packing`] says which bytes make a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// `plaintext`, `S`, `@T0`.
    pub name: String,
    /// Size.
    pub bytes: u32,
    /// Alignment in bytes, a power of two.
    pub alignment: u32,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub element: u8,
    /// Distance of two elements in bytes; more than `element` where tables are interleaved.
    pub stride: u32,
    /// How bytes of the program (`u8[16]`) become elements of more bytes here; the caller converts.
    pub packing: Packing,
    /// The object that it lies at a known distance from, and that distance in bytes between their starts: tables that
    /// share one pointer, or are interleaved. `None`: it lies anywhere.
    pub base: Option<(usize, i64)>,
    /// Who writes it.
    pub role: Role,
}

impl Object {
    /// Whether it holds at least two words of 32 bits that only the caller writes, one behind the other.
    #[must_use]
    pub fn holds_pairs(&self) -> bool {
        let words = self.element == 4 && self.stride == 4 && self.bytes >= 8;
        words && matches!(self.role, Role::Parameter(_))
    }
}

/// How consecutive bytes of the program's array make one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// The elements are the program's.
    #[default]
    None,
    /// The first byte is the least significant.
    Little,
    /// The first byte is the most significant.
    Big,
}

/// What an object is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read only; filled by the caller (parameter number of the program's function).
    Parameter(usize),
    /// Written by the kernel (result number of the program's function); may be read again.
    Result(usize),
    /// A constant table: its elements.
    Table(Vec<u64>),
    /// Room for spilled or intermediate values.
    Scratch,
}

/// A part of a kernel.
#[derive(Clone, Debug)]
pub enum Region {
    /// Runs once.
    Straight(Vec<Op>),
    /// Runs a fixed number of times.
    Loop(CountedLoop),
}

impl Region {
    /// Its operations; of a loop those of one iteration.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        match self {
            Region::Straight(ops) => ops,
            Region::Loop(counted) => &counted.ops,
        }
    }

    /// How often it runs.
    #[must_use]
    pub fn iterations(&self) -> u32 {
        match self {
            Region::Straight(_) => 1,
            Region::Loop(counted) => counted.iterations,
        }
    }
}

/// A counted loop.
#[derive(Clone, Debug, Default)]
pub struct CountedLoop {
    /// Iterations, at least 1.
    pub iterations: u32,
    /// Values that one iteration hands to the next.
    pub carried: Vec<CarriedValue>,
    /// The operations of one iteration, without the branch.
    pub ops: Vec<Op>,
}

/// A value carried from iteration to iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedValue {
    /// The value inside of the loop.
    pub value: ValueId,
    /// What it is in the first iteration.
    pub init: ValueId,
    /// What it is in the next iteration; after the loop, this value holds what the last iteration gave.
    pub next: ValueId,
}

/// A machine operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// The instruction.
    pub instruction: InstructionId,
    /// What it defines, in the order of the instruction's `defines`.
    pub defines: Vec<ValueId>,
    /// What it uses, in the order of the instruction's `uses`.
    pub uses: Vec<Use>,
    /// The predicate that must be 1.
    pub guard: Option<ValueId>,
    /// The memory that it touches.
    pub access: Option<Access>,
    /// Where in the cipher's file it comes from, innermost first.
    pub places: Vec<Place>,
}

/// What stands in an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// A value.
    Value(ValueId),
    /// The zero register of the operand's class.
    Zero,
    /// A number.
    Immediate(i64),
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Index into [`Code::objects`].
    pub object: usize,
    /// First byte from the object's start in iteration 0, and how far it moves per iteration; `None`: depends on data.
    pub offset: Option<(i64, i64)>,
    /// Bytes.
    pub bytes: u8,
    /// Writes.
    pub store: bool,
}
