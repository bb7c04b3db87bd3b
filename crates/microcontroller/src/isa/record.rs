//! Records of instructions.

use crate::operand::{Register, Step};

/// A record: operands, and what the instruction costs with them.
#[derive(Clone, Debug)]
pub struct Form {
    /// Kinds of the operands, and what happens to each.
    pub operands: Vec<(Kind, Role)>,
    /// Cycles; of a branch those where it is not taken.
    pub cycles: u32,
    /// Bytes of code.
    pub bytes: u32,
    /// Registers that it writes besides.
    pub clobbers: Vec<Register>,
    /// The next instruction is left out where its condition holds.
    pub skips: bool,
}

/// What an instruction does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads it.
    Use,
    /// Writes it, and may read it.
    Define,
}

/// What an operand has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A register of a byte: `r`.
    Register,
    /// This one.
    Exactly(Register),
    /// A register by its number, and the next one: `q`.
    Pair,
    /// A register of a word: `w`.
    Word,
    /// A number: `n`.
    Number,
    /// Memory at an address that is known: `m`, `m8`, `m16`.
    Memory(u8),
    /// Memory at an address in a register: `p`, `p+`, `-p`; with a displacement `pd`.
    Pointer(Step, bool),
    /// A label: `l`.
    Label,
    /// A label that is written like memory: `t`.
    Target,
    /// A word of the language.
    Named(u16),
}
