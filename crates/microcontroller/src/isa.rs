//! An instruction set: registers, instructions with their operands, cycles and bytes, and how code is made of them.

mod file;
mod record;
mod selection;

use std::collections::HashMap;
use std::sync::Arc;

use program::Diagnostic;

use crate::assembly;
use crate::budget::BudgetRecord;
use crate::code::Machine;
use crate::operand::{Operand, Register, Step};
use crate::order::Rank;
pub use record::{Form, Kind, Role};
pub use selection::{AddressRegisters, Addresses, BinaryTemplate, Group, Pin, Selection, Turn, Weights};

/// The register in which results are made, where there is one.
pub const ACCUMULATOR: Register = 900;
/// The register beside it that products take.
pub const AUXILIARY: Register = 901;

/// A mnemonic, an index into [`Isa::mnemonics`].
pub type Opcode = u16;

/// An instruction set.
#[derive(Debug)]
pub struct Isa {
    /// Mnemonics, each once.
    pub mnemonics: Vec<String>,
    /// The records of each mnemonic, in the order of the file: of those that an operand list fits the first is meant.
    pub forms: Vec<Vec<Form>>,
    /// Words of the assembly language that are no registers of values.
    pub words: Vec<String>,
    /// How it is written.
    pub syntax: Syntax,
    /// What code may use.
    pub registers: Registers,
    /// Instructions that move bytes.
    pub moves: Moves,
    /// What stands for the closing branch of a loop that reaches too far, by the bytes from which on it does.
    pub far: Vec<LongBranch>,
    /// How copies are left out and joined.
    pub tidying: Tidying,
    /// The text around a function.
    pub frame: Frame,
    /// Orders to be tried besides those that are always tried.
    pub orders: Vec<Rank>,
    /// How operations become instructions.
    pub selection: Selection,
    /// There is an accumulator.
    pub accumulator: Option<AccumulatorMode>,
    /// Names of accumulator and auxiliary register.
    pub accumulators: Vec<String>,
    /// Code within a budget of RAM.
    pub budget: Option<BudgetRecord>,
    numbers: HashMap<String, Opcode>,
}

/// How the assembly language is written.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Syntax {
    /// Between operands.
    pub comma: String,
    /// Between a symbol and a distance.
    pub plus: String,
    /// Around a number.
    pub number: String,
    /// Around an address.
    pub memory: String,
    /// Behind an address with its bits; empty where it has none.
    #[serde(default)]
    pub bits: String,
    /// Around a register that holds an address.
    pub pointer: String,
    /// Displacement and register; the displacement first, unless `displaced_last`.
    #[serde(default)]
    pub displaced: String,
    /// The parts of a sum that an expression can mean: first the sum itself, then those that are looked for before it.
    pub parts: Vec<String>,
    /// Local labels are digits that may come again.
    pub numeric_labels: bool,
    /// The head of a loop, of a function `{name}` and a number `{n}`.
    pub loop_label: String,
}

/// Registers of a byte.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Names by number.
    pub names: Vec<String>,
    /// Pairs that have a name, by the lower number.
    pub words: Vec<(Register, String)>,
    /// How a register is written as the address of memory; empty where registers are none.
    pub direct: String,
    /// Those that values may have, the first first.
    pub usable: Vec<Register>,
    /// From this one on instructions with numbers reach them.
    pub upper: Register,
    /// One that no value has.
    pub scratch: Register,
    /// Those that the caller wants back unchanged, as they are saved.
    pub saved: Vec<String>,
}

/// What code with an accumulator is made of, where results are made in one and bytes of memory are registers. Mnemonics
/// and words; those of the instructions that move bytes are the usual ones.
#[derive(Clone, Debug)]
pub struct AccumulatorMode {
    /// Moves a byte from or to external memory.
    pub external: Opcode,
    /// One more, one less.
    pub increment: Opcode,
    /// One less.
    pub decrement: Opcode,
    /// Adds to the accumulator.
    pub add: Opcode,
    /// Adds with the carry.
    pub add_carry: Opcode,
    /// Exchanges the accumulator with a byte.
    pub exchange: Opcode,
    /// The upper byte of addresses in external memory.
    pub page: Arc<str>,
    /// The register of long addresses, and the memory that it points to.
    pub data_pointer: (u16, u16),
    /// Its low and its high byte.
    pub data_pointer_halves: [Arc<str>; 2],
    /// The parts of a sum that are itself, its low byte and its high byte.
    pub parts: [u8; 3],
}

/// Instructions that move bytes; `{0}` is the target.
#[derive(Clone, Debug)]
pub struct Moves {
    /// From register to register.
    pub copy: Machine,
    /// A number into a register that instructions with numbers reach.
    pub number: Machine,
    /// Zero into any register.
    pub clear: Option<Machine>,
    /// From memory.
    pub load: Option<Machine>,
    /// To memory: `{0}` is the address.
    pub store: Option<Machine>,
    /// Counts a register down.
    pub count: Option<Machine>,
    /// Branches to the label `{0}` unless the counter `{1}` is zero.
    pub repeat: Machine,
    /// The mnemonic that moves words.
    pub word: Option<Opcode>,
    /// Bytes for values that short addresses reach, where addresses have two lengths.
    pub short: Option<u32>,
}

/// What stands for a branch that reaches too far: `{0}` is the label, `{1}` the counter.
#[derive(Clone, Debug)]
pub struct LongBranch {
    /// More bytes than this.
    pub beyond: i64,
    /// Lines.
    pub lines: Vec<crate::code::Line>,
}

/// How copies are left out and joined.
#[derive(Clone, Debug, Default)]
pub struct Tidying {
    /// Instructions into registers that hold addresses: left out where the register holds that already.
    pub remembered: Vec<(Opcode, Register)>,
    /// One instruction for two copies between pairs of registers.
    pub pair: Option<Opcode>,
}

/// The text around a function; `{name}` is its name.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Before registers are saved.
    pub head: Vec<String>,
    /// Saves a register.
    #[serde(default)]
    pub save: String,
    /// Restores a register.
    #[serde(default)]
    pub restore: String,
    /// Where what is measured begins.
    pub begin: Vec<String>,
    /// Where it ends.
    pub end: Vec<String>,
    /// Begin and end stand where the block is in registers, not at the ends of the code.
    #[serde(default)]
    pub around_block: bool,
    /// What a function does at its end that is called from outside.
    #[serde(default)]
    pub last: Vec<String>,
    /// After registers are restored.
    pub foot: Vec<String>,
}

impl Isa {
    /// Reads an instruction set; `file` is its name in messages.
    ///
    /// # Errors
    /// `E134`: something in the file is wrong.
    pub fn read(text: &str, file: &str) -> Result<Self, Diagnostic> {
        file::read(text, file)
    }

    /// The number of a mnemonic.
    #[must_use]
    pub fn opcode(&self, mnemonic: &str) -> Option<Opcode> {
        self.numbers.get(mnemonic).copied()
    }

    /// The record of an instruction.
    #[must_use]
    pub fn form(&self, machine: &Machine) -> Option<&Form> {
        self.forms[usize::from(machine.opcode)].iter().find(|form| {
            form.operands.len() == machine.operands.len()
                && form.operands.iter().zip(&machine.operands).all(|((kind, _), o)| self.fits(*kind, o))
        })
    }

    /// Whether an operand is of a kind; a place may become anything.
    fn fits(&self, kind: Kind, operand: &Operand) -> bool {
        match (kind, operand) {
            (_, Operand::Place(..)) => true,
            (Kind::Register | Kind::Pair, Operand::Register(r)) => usize::from(*r) < self.registers.names.len(),
            (Kind::Exactly(a), Operand::Register(r)) => a == *r,
            (Kind::Word, Operand::Word(_)) | (Kind::Number, Operand::Number(_)) => true,
            (Kind::Label | Kind::Target, Operand::Label(_)) => true,
            (Kind::Memory(bits), Operand::Memory(address)) => bits == address.bits,
            (Kind::Memory(_), Operand::Register(r)) => !self.registers.direct.is_empty() && *r != ACCUMULATOR,
            (Kind::Pointer(step, displaced), Operand::Pointer(p)) => {
                step == p.step && displaced == p.displacement.is_some()
            }
            (Kind::Named(a), Operand::Named(b)) => a == *b,
            _ => false,
        }
    }

    /// Cycles and bytes of an instruction.
    ///
    /// # Errors
    /// `E131`: there is no record of it.
    pub fn cost(&self, machine: &Machine) -> Result<(u32, u32), Diagnostic> {
        self.form(machine).map(|form| (form.cycles, form.bytes)).ok_or_else(|| {
            let text = assembly::Writer::new(self, "").machine(machine);
            Diagnostic::new("E131", format!("no instruction is known for `{text}`"))
        })
    }

    /// The registers that an instruction writes.
    #[must_use]
    pub fn written(&self, machine: &Machine) -> Vec<Register> {
        let Some(form) = self.form(machine) else { return Vec::new() };
        let mut found = form.clobbers.clone();
        for ((kind, role), operand) in form.operands.iter().zip(&machine.operands) {
            let moved = matches!(operand, Operand::Pointer(p) if p.step != Step::None);
            if moved || (*role == Role::Define && !matches!(operand, Operand::Pointer(_))) {
                found.extend(registers_of(*kind, operand));
            }
        }
        found
    }

    /// The registers that an instruction names, those of pointers and both halves of words among them.
    #[must_use]
    pub fn named(&self, machine: &Machine) -> Vec<Register> {
        let Some(form) = self.form(machine) else { return Vec::new() };
        form.operands.iter().zip(&machine.operands).flat_map(|((kind, _), o)| registers_of(*kind, o)).collect()
    }

    /// Whether numbers reach a register.
    #[must_use]
    pub fn upper(&self, r: Register) -> bool {
        r >= self.registers.upper
    }
}

/// The registers that an operand of a kind is or points with.
fn registers_of(kind: Kind, operand: &Operand) -> Vec<Register> {
    match operand {
        Operand::Register(r) if kind == Kind::Pair => vec![*r, r + 1],
        Operand::Register(r) => vec![*r],
        Operand::Word(r) => vec![*r, r + 1],
        Operand::Pointer(p) => vec![p.base, p.base + 1],
        _ => Vec::new(),
    }
}
