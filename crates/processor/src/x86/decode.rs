//! What instructions are decoded into: a table of micro-operations by form, from a file.

use std::collections::BTreeMap;

use program::Diagnostic;
use serde::Deserialize;

use super::instruction::{Instruction, Opcode, Operand};
use crate::micro_ops::{self, Access, MicroOp, TEMPORARY};

/// The register of flags: what a branch reads, and arithmetic writes.
pub const FLAGS: u8 = TEMPORARY + 2;
const LOADED: u8 = TEMPORARY;
const STORED: u8 = TEMPORARY + 1;
const BRANCH_PORT: u8 = 1;

/// A part of a form: the ports that it can take, its latency, what it does with memory.
#[derive(Clone, Copy, Debug)]
struct Part {
    ports: u8,
    latency: u32,
    access: Option<Access>,
}

#[derive(Deserialize)]
struct File {
    forms: BTreeMap<String, String>,
}

/// The micro-operations of forms.
#[derive(Clone, Debug)]
pub struct Table {
    forms: BTreeMap<String, Vec<Part>>,
}

impl Table {
    /// Reads the text of a file of forms: `"alu r,m" = "p2 p01"`, ports, then a latency other than one cycle (`p0:4`).
    ///
    /// # Errors
    /// In words, if it has no `forms`, or one of them is not written like that.
    pub fn parse(text: &str) -> Result<Table, String> {
        let file: File = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let forms = file.forms.iter().map(|(form, parts)| {
            let read = parts.split_whitespace().map(part).collect::<Option<Vec<_>>>();
            let read = read.ok_or_else(|| format!("`{parts}` of `{form}` are no micro-operations such as `p2 p01`"))?;
            Ok((form.clone(), read))
        });
        Ok(Table { forms: forms.collect::<Result<_, String>>()? })
    }

    /// Whether there is such an instruction.
    #[must_use]
    pub fn knows(&self, one: &Instruction) -> bool {
        self.forms.contains_key(&one.form())
    }

    /// The micro-operations of an instruction, for a latency of loads; with `flags` the register of flags is written as well.
    ///
    /// # Errors
    /// X201: the table has no such form.
    pub fn decode(&self, one: &Instruction, load: u32, flags: bool) -> Result<micro_ops::Instruction, Diagnostic> {
        let bytes = super::length::length(one);
        if one.target.is_some() {
            let branch = micro_op(1 << BRANCH_PORT, 1, vec![FLAGS], Vec::new(), None);
            return Ok(micro_ops::Instruction { bytes, operations: vec![branch], size: 0, branch: true });
        }
        let parts = self.forms.get(&one.form()).ok_or_else(|| unknown(&one.to_string()))?;
        let decoder = Decoder::new(one, parts);
        let operations = parts.iter().enumerate().map(|(place, part)| decoder.operation(place, *part, load, flags));
        let accesses = decoder.has_memory && one.opcode != Opcode::Lea;
        let size = if accesses { one.access_size() } else { 0 };
        Ok(micro_ops::Instruction { bytes, operations: operations.collect(), size, branch: false })
    }
}

/// The error of a line that is no instruction of the table.
pub(super) fn unknown(line: &str) -> Diagnostic {
    Diagnostic::new("X201", format!("`{line}` is no instruction that the simulator knows"))
        .help("those that it knows stand in x86/instructions.toml")
}

/// A part from its text: `p01`, `p0:4`.
fn part(text: &str) -> Option<Part> {
    let (ports, latency) = match text.strip_prefix('p')?.split_once(':') {
        Some((ports, latency)) => (ports, latency.parse().ok()?),
        None => (text.strip_prefix('p')?, 1),
    };
    let mut mask = 0;
    for digit in ports.chars() {
        mask |= 1u8.checked_shl(digit.to_digit(8)?)?;
    }
    let access = match ports {
        "2" => Some(Access::Load),
        "3" => Some(Access::Address),
        "4" => Some(Access::Data),
        _ => None,
    };
    (mask != 0).then_some(Part { ports: mask, latency, access })
}

fn micro_op(ports: u8, latency: u32, reads: Vec<u8>, writes: Vec<u8>, access: Option<Access>) -> MicroOp {
    MicroOp { ports, latency, reads, writes, part: false, narrow: false, access }
}

/// An instruction's registers, as its micro-operations see them.
struct Decoder {
    opcode: Opcode,
    has_memory: bool,
    address: Vec<u8>,
    target: Option<u8>,
    sources: Vec<u8>,
    /// A part loads what others use.
    loads: bool,
    alone: bool,
}

impl Decoder {
    fn new(one: &Instruction, parts: &[Part]) -> Decoder {
        let memory = one.memory();
        let register = |operand: &Operand| match operand {
            Operand::Register(register) => Some(register.number),
            _ => None,
        };
        let target = register(&one.operands[0]);
        let mut sources: Vec<u8> = one.operands[1..].iter().filter_map(register).collect();
        if one.opcode.is_tied() && one.operands.len() < 3 {
            sources.extend(target);
        }
        Decoder {
            opcode: one.opcode,
            has_memory: memory.is_some(),
            address: memory.map_or_else(Vec::new, |m| m.registers().collect()),
            target,
            sources,
            loads: parts.iter().any(|part| part.access == Some(Access::Load)),
            alone: parts.len() == 1,
        }
    }

    fn operation(&self, place: usize, part: Part, load: u32, flags: bool) -> MicroOp {
        let target: Vec<u8> = self.target.into_iter().collect();
        let loaded = if self.loads && !self.alone { vec![LOADED] } else { Vec::new() };
        let (latency, reads, writes) = match part.access {
            Some(Access::Load) => (load, self.address.clone(), if self.alone { target } else { loaded }),
            Some(Access::Address) => (part.latency, self.address.clone(), Vec::new()),
            Some(Access::Data) => {
                (part.latency, if self.loads { vec![STORED] } else { self.sources.clone() }, Vec::new())
            }
            // The second one waits for the first.
            None if self.opcode == Opcode::Bswap && place == 0 => (part.latency, target, vec![LOADED]),
            None if self.opcode == Opcode::Bswap => (part.latency, vec![LOADED], target),
            None => {
                let mut reads = [loaded, self.sources.clone()].concat();
                if self.opcode == Opcode::Lea {
                    reads.extend(&self.address);
                }
                reads.sort_unstable();
                reads.dedup();
                let mut writes = if target.is_empty() { vec![STORED] } else { target };
                if flags && self.opcode.is_arithmetic() {
                    writes.push(FLAGS);
                }
                (part.latency, reads, writes)
            }
        };
        micro_op(part.ports, latency, reads, writes, part.access)
    }
}
