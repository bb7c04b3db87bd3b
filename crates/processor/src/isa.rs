//! An instruction set: registers and instructions, as read from `isas/*.toml`.

mod execute;
mod form;

pub use execute::execute;
pub use form::{parse_form, range_text};

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::select::Tile;
use crate::semantics::{Expression, Statement};

/// An instruction of an [`Isa`]: an index into [`Isa::instructions`].
pub type InstructionId = u32;

/// An instruction set.
#[derive(Clone, Debug, Default)]
pub struct Isa {
    /// Name of the file: `ia64`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Bits of a general register: 32 or 64.
    pub word_bits: u8,
    /// Order of the bytes of a word in memory.
    pub big_endian: bool,
    /// Every instruction may be guarded by a predicate.
    pub predicated: bool,
    /// Bytes of code that one instruction takes, for instruction sets of one length; `None` where bundles decide.
    pub instruction_bytes: Option<u8>,
    /// Instructions after a branch that run before it takes effect.
    pub delay_slots: u8,
    /// The register that holds where a kernel returns to, for sets that say so.
    pub return_address: Option<String>,
    /// How a text is written whose operations stand one per line, in the order of issue; `None`: in a form of its own.
    pub text: Option<Text>,
    /// What assembles its texts.
    pub binutils: Option<Binutils>,
    /// What runs them.
    pub emulator: Option<Emulator>,
    /// How C calls functions.
    pub abi: Option<Abi>,
    /// Registers that hold the inputs of a kernel, in order.
    pub arguments: Vec<String>,
    /// Register classes: general, floating-point, predicate, shift amount, loop counter …
    pub registers: Vec<RegisterClass>,
    /// Instructions.
    pub instructions: Vec<Instruction>,
    /// Ways to compute one operation of a program by several instructions.
    pub recipes: Vec<Recipe>,
    /// What instructions and recipes compute, for selection.
    pub(crate) tiles: Derived<Vec<Tile>>,
}

/// What follows from the rest, found when it is first needed. A copy finds it anew: something of it may be changed first.
#[derive(Debug)]
pub(crate) struct Derived<T>(OnceLock<T>);

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Derived(OnceLock::new())
    }
}

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        Derived::default()
    }
}

impl<T> Derived<T> {
    /// What was found, or is found now; an error is not kept.
    pub fn get<E>(&self, find: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.0.get() {
            Some(found) => Ok(found),
            None => find().map(|found| self.0.get_or_init(|| found)),
        }
    }
}

/// The GNU binutils that assemble, link and disassemble texts of an instruction set.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Binutils {
    /// Their record among the outside tools.
    pub tool: String,
    /// What stands before `-as`, `-ld`, `-objdump`.
    pub prefix: String,
    /// Options of the assembler.
    pub assembler: Vec<String>,
    /// Options of the linker.
    #[serde(default)]
    pub linker: Vec<String>,
}

/// An emulator that runs programs of an instruction set, and the program that calls a kernel there.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Emulator {
    /// Its record among the outside tools.
    pub tool: String,
    /// Its options.
    #[serde(default)]
    pub options: Vec<String>,
    /// The register that holds the address of a call's memory while the arguments are made.
    pub record: String,
    /// Lines that make an argument in `{register}`: an address at `{distance}` from the label `tables`.
    pub to_tables: Vec<String>,
    /// The same for an address at `{distance}` from that of the call's memory.
    pub to_record: Vec<String>,
    /// The program; `{arguments}`, `{size}` (bytes of a call's memory), `{total}` (of all), `{count}` (calls) are filled in.
    pub start: String,
}

/// How C calls functions, and how a program of C and such functions is built: templates of lines, each field in braces filled in.
///
/// The registers that a function keeps are those that the register classes name as `saved`; what it returns to is the
/// instruction set's return address.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Abi {
    /// The convention's name: `ilp32`.
    pub name: String,
    /// Where it is documented.
    pub source: String,
    /// Registers of pointers that C passes, in order.
    pub arguments: Vec<String>,
    /// The stack pointer, which no kernel uses.
    pub stack: String,
    /// Bytes of whose multiple the stack pointer is one at a call.
    pub alignment: u32,
    /// Most bytes by which one line of `open`, `close` and `add` moves a register; a multiple of the alignment.
    pub most: u32,
    /// Makes a frame of `{bytes}`; several lines make a large one.
    pub open: String,
    /// Takes `{bytes}` of a frame back.
    pub close: String,
    /// Stores `{register}` at `{offset}` from the stack pointer.
    pub save: String,
    /// Loads it again.
    pub restore: String,
    /// Copies `{from}` into `{register}`.
    pub copy: String,
    /// Sets `{register}` to `{from}` and `{bytes}`.
    pub add: String,
    /// Set `{register}` to the address of `{symbol}`.
    pub address: Vec<String>,
    /// Goes back to the caller.
    #[serde(rename = "return")]
    pub back: String,
    /// Lines before a function `{symbol}`.
    pub head: Vec<String>,
    /// Lines behind it.
    pub foot: Vec<String>,
    /// Lines before tables of constants, which lie at multiples of `{alignment}`.
    pub tables: Vec<String>,
    /// Lines at the end of a file.
    #[serde(default)]
    pub end: Vec<String>,
    /// How a program is built and run where that can be done on a developer's machine.
    pub program: Option<AbiProgram>,
}

/// A program of `{name}.s` and `main.c`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct AbiProgram {
    /// Debian's packages of compiler and emulator.
    pub packages: String,
    /// The compiler's record among the outside tools.
    pub tool: String,
    /// The command that builds the program `{name}`.
    pub build: String,
    /// The command that runs it.
    pub run: String,
    /// Further files that the build needs, by their names.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// How an assembler wants a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// What begins a comment.
    pub comment: String,
    /// Lines before the first operation.
    pub head: Vec<String>,
    /// Lines behind the last one.
    pub foot: Vec<String>,
    /// The instructions that fill blocks, the one taken first where several can issue.
    pub fillers: Vec<InstructionId>,
}

/// A class of registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterClass {
    /// `gr`, `fr`, `pr`.
    pub name: String,
    /// Width in bits.
    pub bits: u8,
    /// Registers that a kernel may use, in the order in which they are given out. An operand of a class of one register
    /// (shift amount, loop counter) need not stand in the assembly text.
    pub usable: Vec<String>,
    /// Those of `usable` and `rotating` that the caller wants back unchanged.
    pub saved: Vec<String>,
    /// Registers that rotate by one at every iteration of a loop, in their order; empty where none do.
    pub rotating: Vec<String>,
    /// The register that is always 0.
    pub zero: Option<String>,
    /// Where this is documented.
    pub fact: Fact,
}

/// Where a statement about a processor comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// Document, or how it was found.
    pub source: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// How sure a statement is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It stands in a document.
    Documented,
    /// It follows from measurements or from what a paper reports.
    Inferred,
    /// Chosen, because nothing is known.
    #[default]
    Assumed,
    /// Of a processor that does not exist.
    Hypothetical,
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Confidence::Documented => "documented",
            Confidence::Inferred => "inferred",
            Confidence::Assumed => "assumed",
            Confidence::Hypothetical => "hypothetical",
        })
    }
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
    /// Assembly text with `{operand}` in the place of each operand and `{target}` for the label that a branch goes to. Two
    /// instructions may share a text with equal operands (a rotation written as a shift of a pair of one register).
    pub assembly: String,
    /// What it computes; empty for what only sets up a frame or does nothing (its outputs are then unspecified).
    pub semantics: Vec<Statement>,
    /// What must hold of its numbers beside their ranges: not 0.
    pub condition: Option<Expression>,
    /// What it does to the flow of control.
    pub control: Control,
    /// Slots of a bundle that it takes (`movl`: 2).
    pub slots: u8,
    /// The selector may take it for what it computes; not so for branches, frames and moves of special registers.
    pub selectable: bool,
    /// Instructions of the real instruction set that do the same, separated by `;`, each in a group of its own: for
    /// hypothetical instructions. `{gr0}`, `{fr0}` are free registers of a class, `{32 - n}` a number.
    pub expansion: Option<String>,
    /// Where it is documented.
    pub fact: Fact,
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
    /// Closes a counted loop; the semantics count and assign `jump`.
    Counted,
    /// Closes a counted loop. If the loop counter is not 0 or the epilogue counter is above 0, registers rotate by one,
    /// and the predicate that becomes the first rotating one is 1 if the loop counter was not 0; the semantics count and
    /// assign `jump`.
    Rotating,
    /// Jumps if its condition holds: what the semantics assigns to `jump`, or else the guard.
    Conditional,
    /// Skips the next instruction if what the semantics assigns to `jump` is not 0.
    Nullify,
}

impl Control {
    /// As it is written in a file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Control::None => "none",
            Control::Return => "return",
            Control::Counted => "counted",
            Control::Rotating => "rotating",
            Control::Conditional => "conditional",
            Control::Nullify => "nullify",
        }
    }
}

impl Isa {
    /// The instruction of a name.
    #[must_use]
    pub fn instruction(&self, name: &str) -> Option<InstructionId> {
        self.instructions.iter().position(|i| i.name == name).map(|n| n as InstructionId)
    }

    /// The register class for words and addresses: `gr`, or the first that is as wide as a word.
    #[must_use]
    pub fn general(&self) -> usize {
        let wide = || self.registers.iter().position(|r| r.bits == self.word_bits);
        self.register_class("gr").or_else(wide).unwrap_or(0)
    }

    /// The register class of a name.
    #[must_use]
    pub fn register_class(&self, name: &str) -> Option<usize> {
        self.registers.iter().position(|r| r.name == name)
    }
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
    pub fact: Fact,
}
