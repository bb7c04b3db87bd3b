//! An instruction set: registers and instructions, as read from `isas/*.toml`.

use crate::semantics::Statement;

/// An instruction of an [`Isa`]: an index into [`Isa::instructions`].
pub type InstructionId = u32;

/// An instruction set.
#[derive(Clone, Debug, Default)]
pub struct Isa {
    /// Name of the file: `ia64`.
    pub name: String,
    /// Bits of a general register: 32 or 64.
    pub word_bits: u8,
    /// Order of the bytes of a word in memory.
    pub big_endian: bool,
    /// Every instruction may be guarded by a predicate.
    pub predicated: bool,
    /// Bytes of code that one instruction takes, for instruction sets of one length; `None` where bundles decide.
    pub instruction_bytes: Option<u8>,
    /// Registers that hold the inputs of a kernel, in order.
    pub arguments: Vec<String>,
    /// Register classes: general, floating-point, predicate, shift amount, loop counter …
    pub registers: Vec<RegisterClass>,
    /// Instructions.
    pub instructions: Vec<Instruction>,
    /// Ways to compute one operation of a program by several instructions.
    pub recipes: Vec<Recipe>,
}

/// A class of registers.
#[derive(Clone, Debug, Default)]
pub struct RegisterClass {
    /// `gr`, `fr`, `pr`.
    pub name: String,
    /// Width in bits.
    pub bits: u8,
    /// Registers that a kernel may use without saving them, in the order in which they are given out.
    pub usable: Vec<String>,
    /// Registers that rotate by one at every trip of a loop, in their order; empty where none do.
    pub rotating: Vec<String>,
    /// The register that is always 0.
    pub zero: Option<String>,
}

/// One instruction.
#[derive(Clone, Debug, Default)]
pub struct Instruction {
    /// Unique name, also its mnemonic in messages: `extr.u`.
    pub name: String,
    /// Class of ports and latency, a name that the processor knows: `ISHF`.
    pub class: String,
    /// What it writes: operand name and register class. An operand that is also used is tied: one register for both.
    pub defines: Vec<Operand>,
    /// What it reads, in the order of the assembly text.
    pub uses: Vec<Operand>,
    /// Assembly text with `{operand}` in the place of each operand.
    pub assembly: String,
    /// What it computes.
    pub semantics: Vec<Statement>,
    /// What it does to the flow of control.
    pub control: Control,
    /// Slots of a bundle that it takes (`movl`: 2).
    pub slots: u8,
    /// Instructions of the real instruction set that do the same, separated by `;`: for hypothetical instructions.
    pub expansion: Option<String>,
    /// Where it is documented.
    pub source: String,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its name in `assembly` and `semantics`.
    pub name: String,
    /// What may stand there.
    pub kind: OperandKind,
}

/// What an operand may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A register of a class, an index into [`Isa::registers`].
    Register(usize),
    /// A number, both ends included.
    Immediate(i64, i64),
}

/// What an instruction does to the flow of control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// Nothing.
    #[default]
    None,
    /// Ends the kernel.
    Return,
    /// Closes a counted loop.
    Counted,
    /// Closes a counted loop and rotates the registers.
    Rotating,
    /// Jumps if its condition holds.
    Conditional,
}

/// A way to compute one operation by instructions.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// Unique name: `rotate by dep.z and shrp`.
    pub name: String,
    /// The pattern that it computes, in the language of semantics: `rotl(x, n, 32)`. Its free names are operands.
    pub computes: String,
    /// Instructions in order: `t = dep.z x, 32, 32`; `result` is the last one's output.
    pub steps: Vec<String>,
    /// Where the recipe is described.
    pub source: String,
}
