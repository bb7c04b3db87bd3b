//! Lines without what changes nothing, and with copies of pairs as one instruction.

use crate::code::{Line, Machine};
use crate::isa::Isa;
use crate::operand::{Operand, Register};

/// Leaves out loads and copies into registers of addresses that hold what they bring, and copies of a register into
/// itself; makes copies between pairs of registers one instruction. What may be skipped stays as it is.
#[must_use]
pub fn tidied(isa: &Isa, lines: &[Line]) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    let mut remembered: Vec<&Machine> = Vec::new();
    for line in lines {
        let Line::Machine(machine) = line else {
            remembered.clear();
            out.push(line.clone());
            continue;
        };
        let fixed = may_be_skipped(isa, &out, out.len());
        let known = remembers(isa, machine);
        if !fixed && (copies_itself(isa, machine) || (known && remembered.contains(&machine))) {
            continue;
        }
        let written = isa.written(machine);
        remembered.retain(|m| !isa.named(m).iter().any(|r| written.contains(r)));
        if known && !fixed {
            remembered.push(machine);
        }
        let before = out.len().saturating_sub(1);
        let pair = match out.last() {
            Some(Line::Machine(last)) if !fixed && !may_be_skipped(isa, &out, before) => joined(isa, last, machine),
            _ => None,
        };
        match pair {
            Some(both) => out[before] = Line::Machine(both),
            None => out.push(line.clone()),
        }
    }
    out
}

/// Whether what stands at a place may be left out when the code runs.
fn may_be_skipped(isa: &Isa, lines: &[Line], place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|n| lines.get(n));
    matches!(before, Some(Line::Machine(machine)) if isa.form(machine).is_some_and(|form| form.skips))
}

/// Target and source of a copy between registers.
fn copied(isa: &Isa, machine: &Machine) -> Option<(Register, Register)> {
    let template = &isa.moves.copy;
    if machine.opcode != template.opcode {
        return None;
    }
    let at = |place: u8| {
        let n = template.operands.iter().position(|o| matches!(o, Operand::Place(n, _) if *n == place))?;
        match machine.operands[n] {
            Operand::Register(r) => Some(r),
            _ => None,
        }
    };
    Some((at(0)?, at(1)?))
}

fn copies_itself(isa: &Isa, machine: &Machine) -> bool {
    copied(isa, machine).is_some_and(|(d, s)| d == s)
}

/// Whether an instruction brings something into a register of addresses that may still be there.
fn remembers(isa: &Isa, machine: &Machine) -> bool {
    let known = &isa.tidying.remembered;
    let written =
        known.iter().filter(|(opcode, _)| *opcode == machine.opcode).any(|(_, r)| isa.written(machine).contains(r));
    written && !machine.operands.iter().any(|o| matches!(o, Operand::Memory(_) | Operand::Pointer(_)))
}

/// Two copies between the halves of pairs as one.
fn joined(isa: &Isa, first: &Machine, second: &Machine) -> Option<Machine> {
    let opcode = isa.tidying.pair?;
    let ((d, s), (e, t)) = (copied(isa, first)?, copied(isa, second)?);
    let pairs = d / 2 == e / 2 && s / 2 == t / 2 && d != e && d % 2 == s % 2 && e % 2 == t % 2;
    pairs.then(|| Machine {
        operands: vec![Operand::Register(d.min(e)), Operand::Register(s.min(t))],
        opcode,
        origin: first.origin.clone(),
    })
}
