//! Operations that only the text has and no instruction set describes: `nop`, `alloc`, loop counters, branches of loops.

use super::template::split_mnemonic;
use super::Reader;
use crate::semantics::Step;
use crate::simulate::listing::{Flow, TextOp};
use crate::simulate::slots::{Slot, ONE, SINK, ZERO};

/// The label that a branch goes to, to be resolved when all labels are known.
pub type Target = Option<String>;

/// Reads such an operation; `None` if it is none.
pub fn read(reader: &mut Reader<'_>, op: &mut TextOp) -> Option<Target> {
    let text = op.text.clone();
    let (mnemonic, operands) = split_mnemonic(&text);
    let base = mnemonic.split('.').next().unwrap_or(mnemonic);
    match base {
        "nop" => {
            op.nop = true;
            Some(None)
        }
        "alloc" => {
            let (result, _) = operands.split_once('=')?;
            let slot = write(reader, op, result.trim())?;
            op.compiled.steps.push(Step::Move(slot, ZERO));
            reader.frame = rotating_frame(operands);
            Some(None)
        }
        "clrrrb" => {
            op.flow = Flow::Clear;
            Some(None)
        }
        "br" => branch(op, mnemonic, operands),
        "mov" => transfer(reader, op, operands).map(|()| None),
        _ => None,
    }
}

/// `alloc r34 = ar.pfs, 3, 29, 0, 32`: the last number; the first may be left out.
fn rotating_frame(operands: &str) -> Option<u32> {
    operands.rsplit(',').next()?.trim().parse().ok()
}

fn branch(op: &mut TextOp, mnemonic: &str, operands: &str) -> Option<Target> {
    let label = || Some(operands.trim().to_owned()).filter(|l| !l.is_empty());
    let kind = mnemonic.split('.').nth(1).unwrap_or("cond");
    op.flow = match kind {
        "ret" => {
            op.flow = Flow::Return;
            return Some(None);
        }
        "cloop" => Flow::Counted(0),
        "ctop" => Flow::Rotating(0, None),
        "cond" | "few" | "many" | "sptk" | "dptk" | "spnt" | "dpnt" => Flow::Jump(0),
        _ => return None,
    };
    Some(Some(label()?))
}

/// `mov ar.lc = 15`, `mov pr.rot = 1 << 16`, `mov r9 = ar.lc`, and moves whose value plays no role (`ar.pfs`, `b0`).
fn transfer(reader: &mut Reader<'_>, op: &mut TextOp, operands: &str) -> Option<()> {
    let (to, from) = operands.split_once('=')?;
    let (to, from) = (to.split(',').next().unwrap_or(to).trim(), from.trim());
    if to == "pr.rot" {
        return set_predicates(reader, op, number(from)?);
    }
    let counters = reader.counters;
    let special = |name: &str| match name {
        "ar.lc" => Some(counters.iterations),
        "ar.ec" => Some(counters.epilogue),
        _ if is_without_value(name) => Some(SINK),
        _ => None,
    };
    if special(to).is_none() && special(from).is_none() {
        return None;
    }
    let target = match special(to) {
        Some(slot) => slot,
        None => write(reader, op, to)?,
    };
    let step = match (special(from), number(from)) {
        (Some(SINK), _) => Step::Move(target, ZERO),
        (Some(slot), _) => Step::Move(target, slot),
        (None, Some(value)) => Step::Number(target, value),
        (None, None) => {
            let class = reader.names.class_of(from)?;
            let slot = reader.names.read(class, from, &mut reader.pool)?;
            op.uses.push((slot, 0));
            Step::Move(target, slot)
        }
    };
    op.compiled.steps.push(step);
    Some(())
}

/// Registers whose values play no role in a kernel: where it returns to, the caller's frame.
fn is_without_value(name: &str) -> bool {
    matches!(name, "ar.pfs" | "pr" | "rp" | "ar.unat") || is_branch_register(name)
}

fn is_branch_register(name: &str) -> bool {
    name.strip_prefix('b').is_some_and(|n| n.parse::<u8>().is_ok_and(|n| n < 8))
}

fn set_predicates(reader: &mut Reader<'_>, op: &mut TextOp, value: u64) -> Option<()> {
    let class = reader.names.class_of("p16")?;
    for (n, slot) in reader.names.rotating[class].iter().enumerate() {
        let bit = if value >> (16 + n) & 1 == 1 { ONE } else { ZERO };
        op.compiled.steps.push(Step::Move(*slot, bit));
        op.defines.push((*slot, 0));
    }
    Some(())
}

/// The slot of a register that the operation writes.
fn write(reader: &mut Reader<'_>, op: &mut TextOp, name: &str) -> Option<Slot> {
    let class = reader.names.class_of(name)?;
    let slot = reader.names.write(class, name, &mut reader.pool)?;
    op.defines.push((slot, 0));
    Some(slot)
}

/// A number as gas writes it: decimal or hexadecimal, with a sign, or `a << b`.
#[must_use]
pub fn number(text: &str) -> Option<u64> {
    if let Some((value, shift)) = text.split_once("<<") {
        let shift = number(shift.trim())?;
        return (shift < 64).then(|| number(value.trim()).map(|v| v << shift)).flatten();
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}
