//! Machine instructions of x86-32: opcodes, operands, what they change. Text is written from them last (GNU as, AT&T).

use std::fmt;
use std::sync::Arc;

/// Registers by their number in the machine code.
pub const NAMES: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
const LOW: [&str; 4] = ["al", "cl", "dl", "bl"];
const HIGH: [&str; 4] = ["ah", "ch", "dh", "bh"];

/// The register that counts the iterations of innermost loops: it has no bytes, so that it is missed least.
pub const COUNTER: u8 = 5;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Opcode {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Rol,
    Ror,
    Mov,
    /// The low byte of a register to memory.
    MovByte,
    /// A byte, extended by zeros.
    MovZeroByte,
    Imul,
    Lea,
    Not,
    Neg,
    Bswap,
    /// Branches to its target unless the last arithmetic gave zero.
    Jne,
}

/// Opcodes with the names of their forms and their mnemonics.
const OPCODES: [(Opcode, &str, &str); 18] = [
    (Opcode::Add, "add", "addl"),
    (Opcode::Sub, "sub", "subl"),
    (Opcode::And, "and", "andl"),
    (Opcode::Or, "or", "orl"),
    (Opcode::Xor, "xor", "xorl"),
    (Opcode::Shl, "shl", "shll"),
    (Opcode::Shr, "shr", "shrl"),
    (Opcode::Rol, "rol", "roll"),
    (Opcode::Ror, "ror", "rorl"),
    (Opcode::Mov, "mov", "movl"),
    (Opcode::MovByte, "movb", "movb"),
    (Opcode::MovZeroByte, "movzb", "movzbl"),
    (Opcode::Imul, "imul", "imull"),
    (Opcode::Lea, "lea", "leal"),
    (Opcode::Not, "not", "notl"),
    (Opcode::Neg, "neg", "negl"),
    (Opcode::Bswap, "bswap", "bswap"),
    (Opcode::Jne, "jne", "jne"),
];

impl Opcode {
    /// The opcode of a mnemonic.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Option<Opcode> {
        OPCODES.iter().find(|one| one.2 == mnemonic).map(|one| one.0)
    }

    /// Its name without the letter of its operands' size.
    #[must_use]
    pub fn name(self) -> &'static str {
        OPCODES.iter().find(|one| one.0 == self).map_or("", |one| one.1)
    }

    /// Its name in text.
    #[must_use]
    pub fn mnemonic(self) -> &'static str {
        OPCODES.iter().find(|one| one.0 == self).map_or("", |one| one.2)
    }

    /// Whether it is one of the five operations with the same encodings, all of which set the flags.
    #[must_use]
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor)
    }

    /// Whether it shifts or rotates.
    #[must_use]
    pub fn is_shift(self) -> bool {
        matches!(self, Opcode::Shl | Opcode::Shr | Opcode::Rol | Opcode::Ror)
    }

    /// Whether it reads its first operand, which it changes then, if it has no more than two.
    #[must_use]
    pub fn is_tied(self) -> bool {
        !matches!(self, Opcode::Mov | Opcode::MovByte | Opcode::MovZeroByte | Opcode::Lea)
    }
}

/// Which byte of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// Bits 0 to 7.
    Low,
    /// Bits 8 to 15.
    High,
}

/// A register, or a byte of it; from [`crate::micro_ops::fit::OPERAND`] on an operand of a step that has no register yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its number in the machine code.
    pub number: u8,
    /// A part of it.
    pub byte: Option<Byte>,
}

/// An address: symbol, number, registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Where an object begins.
    pub symbol: Option<Arc<str>>,
    /// Bytes behind it.
    pub offset: i64,
    /// A register that is added.
    pub base: Option<u8>,
    /// A register that is multiplied and added.
    pub index: Option<u8>,
    /// 1, 2, 4 or 8: by what the index is multiplied.
    pub scale: u8,
}

impl Memory {
    /// The registers that the address is made of.
    pub fn registers(&self) -> impl Iterator<Item = u8> + '_ {
        self.base.into_iter().chain(self.index)
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register or a byte of one.
    Register(Register),
    /// What lies at an address.
    Memory(Memory),
    /// A number, taken modulo 2^32.
    Immediate(i64),
    /// A value of a step that lies somewhere in memory.
    Folded,
}

impl Operand {
    /// A whole register.
    #[must_use]
    pub fn register(number: u8) -> Operand {
        Operand::Register(Register { number, byte: None })
    }

    /// Its kind in the name of a form: `r`, `b`, `m`, `i`.
    fn kind(&self) -> char {
        match self {
            Operand::Register(Register { byte: None, .. }) => 'r',
            Operand::Register(_) => 'b',
            Operand::Memory(_) | Operand::Folded => 'm',
            Operand::Immediate(_) => 'i',
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub opcode: Opcode,
    /// What is changed first.
    pub operands: Vec<Operand>,
    /// The label of a branch.
    pub target: Option<Arc<str>>,
}

impl Instruction {
    /// An instruction that is no branch.
    #[must_use]
    pub fn new(opcode: Opcode, operands: impl Into<Vec<Operand>>) -> Instruction {
        Instruction { opcode, operands: operands.into(), target: None }
    }

    /// A branch.
    #[must_use]
    pub fn branch(target: &str) -> Instruction {
        Instruction { opcode: Opcode::Jne, operands: Vec::new(), target: Some(target.into()) }
    }

    /// Its operand in memory; of one that is somewhere in memory an address without registers.
    #[must_use]
    pub fn memory(&self) -> Option<Memory> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory.clone()),
            Operand::Folded => Some(Memory { symbol: Some("spill".into()), ..Memory::default() }),
            _ => None,
        })
    }

    /// The bytes of its access to memory if it has one: `lea` has none.
    #[must_use]
    pub fn access_size(&self) -> u32 {
        if matches!(self.opcode, Opcode::MovByte | Opcode::MovZeroByte) {
            1
        } else {
            4
        }
    }

    /// How the table of micro-operations names it: `alu r,m`.
    #[must_use]
    pub fn form(&self) -> String {
        if self.target.is_some() {
            return format!("{} label", self.opcode.name());
        }
        let group = match self.opcode {
            one if one.is_arithmetic() => "alu",
            one if one.is_shift() => "shift",
            one => one.name(),
        };
        let kinds: Vec<String> = self.operands.iter().map(|o| o.kind().to_string()).collect();
        format!("{group} {}", kinds.join(","))
    }

    /// The same with the registers of a step's operands, and where its operand lies that is in memory.
    #[must_use]
    pub fn with(&self, registers: &[u8], folded: Option<&Operand>) -> Instruction {
        let first = crate::micro_ops::fit::OPERAND;
        let number = |number: u8| if number < first { number } else { registers[usize::from(number - first)] };
        let operand = |one: &Operand| match one {
            Operand::Register(r) => Operand::Register(Register { number: number(r.number), byte: r.byte }),
            Operand::Memory(m) => {
                Operand::Memory(Memory { base: m.base.map(number), index: m.index.map(number), ..m.clone() })
            }
            Operand::Immediate(n) => Operand::Immediate(*n),
            Operand::Folded => folded.cloned().unwrap_or(Operand::Folded),
        };
        Instruction { operands: self.operands.iter().map(operand).collect(), ..self.clone() }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: &[&str] = match self.byte {
            None => &NAMES,
            Some(Byte::Low) => &LOW,
            Some(Byte::High) => &HIGH,
        };
        match names.get(usize::from(self.number)) {
            Some(name) => write!(f, "%{name}"),
            None => write!(f, "%?{}", self.number),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |number: u8| Register { number, byte: None };
        match &self.symbol {
            Some(symbol) if self.offset != 0 => write!(f, "{symbol}{:+}", self.offset)?,
            Some(symbol) => write!(f, "{symbol}")?,
            None if self.offset != 0 => write!(f, "{}", self.offset)?,
            None => {}
        }
        match (self.base, self.index) {
            (None, None) => Ok(()),
            (Some(base), None) => write!(f, "({})", whole(base)),
            (None, Some(index)) => write!(f, "(,{},{})", whole(index), self.scale),
            (Some(base), Some(index)) if self.scale == 1 => write!(f, "({},{})", whole(base), whole(index)),
            (Some(base), Some(index)) => write!(f, "({},{},{})", whole(base), whole(index), self.scale),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(register) => register.fmt(f),
            Operand::Memory(memory) => memory.fmt(f),
            Operand::Immediate(number) => write!(f, "${number}"),
            Operand::Folded => f.write_str("{m}"),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.opcode.mnemonic())?;
        if let Some(target) = &self.target {
            return write!(f, " {target}");
        }
        for (number, operand) in self.operands.iter().rev().enumerate() {
            write!(f, "{} {operand}", if number == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
