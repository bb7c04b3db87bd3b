//! The rule of instruction groups: no operation reads or writes what an earlier one of its group writes.

use program::Diagnostic;

use super::Reader;
use crate::simulate::listing::{Flow, TextOp};
use crate::simulate::slots::{Slot, ONE};

/// Checks every group. Pairs with different guards are left to the run: they are right if never both run.
///
/// # Errors
/// M504: a register is read after it was written; M505: it is written twice.
pub fn check(reader: &mut Reader<'_>) -> Result<(), Diagnostic> {
    let mut start = 0;
    let mut exclusive: Vec<(usize, (Slot, u32))> = Vec::new();
    let ops = std::mem::take(reader.ops_mut());
    let mut result = Ok(());
    for end in 0..ops.len() {
        for earlier in start..end {
            match conflict(&ops[earlier], &ops[end]) {
                None => {}
                Some(found) if found.certain => {
                    result = result.and_then(|()| Err(report(reader, &ops[earlier], &ops[end], &found)));
                }
                Some(_) => exclusive.push((end, (ops[earlier].guard, earlier as u32))),
            }
        }
        if ops[end].stop || matches!(ops[end].flow, Flow::Jump(_) | Flow::Return) && ops[end].guard == ONE {
            start = end + 1;
        }
    }
    *reader.ops_mut() = ops;
    for (op, pair) in exclusive {
        reader.ops_mut()[op].exclusive.push(pair);
    }
    result
}

struct Conflict {
    slot: Slot,
    code: &'static str,
    certain: bool,
}

fn conflict(earlier: &TextOp, later: &TextOp) -> Option<Conflict> {
    let certain = earlier.guard == ONE || later.guard == ONE || earlier.guard == later.guard;
    let wrote = |slot: Slot| earlier.defines.iter().any(|d| d.0 == slot);
    // A branch may use a predicate that its own group computes.
    if later.flow == Flow::Next && later.guard != ONE && wrote(later.guard) {
        return Some(Conflict { slot: later.guard, code: "M504", certain: true });
    }
    if let Some(&(slot, _)) = later.uses.iter().find(|u| wrote(u.0)) {
        return Some(Conflict { slot, code: "M504", certain });
    }
    let again = later.defines.iter().find(|d| wrote(d.0))?;
    Some(Conflict { slot: again.0, code: "M505", certain })
}

fn report(reader: &Reader<'_>, earlier: &TextOp, later: &TextOp, found: &Conflict) -> Diagnostic {
    let name = reader.names.name(found.slot);
    let what = if found.code == "M504" { "reads" } else { "writes" };
    reader
        .error(found.code, later.line, format!("`{}` {what} `{name}`, which its own group writes", later.text))
        .note(format!("written in line {}: `{}`", earlier.line, earlier.text))
        .help("put a stop `;;` between them")
}
