//! Tables, matrices and boxes.

use super::different_names;
use crate::diagnostic::Diagnostic;
use crate::ir::{Matrix, Program, SBox, Table};
use crate::text::LARGEST;

type CheckResult = Result<(), Diagnostic>;

/// Invariants 1 and 4 to 7 for everything that stands before the functions.
pub(super) fn check(program: &Program) -> CheckResult {
    different_names("table", program.tables.iter().map(|t| &t.name))?;
    different_names("matrix", program.matrices.iter().map(|m| &m.name))?;
    different_names("box", program.boxes.iter().map(|b| &b.name))?;
    program.tables.iter().try_for_each(table)?;
    program.matrices.iter().try_for_each(matrix)?;
    program.boxes.iter().try_for_each(sbox)
}

fn ensure(holds: bool, code: &'static str, message: impl FnOnce() -> String) -> CheckResult {
    if holds {
        Ok(())
    } else {
        Err(Diagnostic::new(code, message()))
    }
}

/// Whether a number fits a width.
pub(super) fn fits(number: u64, width: u8) -> bool {
    width >= 64 || number >> width == 0
}

fn table(t: &Table) -> CheckResult {
    ensure((1..=64).contains(&t.width), "P104", || format!("table `{}` has entries of {} bits", t.name, t.width))?;
    let length = t.data.len() as u64;
    ensure((1..=LARGEST).contains(&length), "P105", || format!("table `{}` has {length} entries", t.name))?;
    match t.data.iter().position(|&entry| !fits(entry, t.width)) {
        None => Ok(()),
        Some(n) => Err(Diagnostic::new("P105", format!("entry {n} of table `{}` does not fit u{}", t.name, t.width))
            .note(format!("found {:#x}", t.data[n]))),
    }
}

fn matrix(m: &Matrix) -> CheckResult {
    ensure(m.polynomial >= 2, "P106", || {
        format!("the polynomial {:#x} of matrix `{}` has no degree", m.polynomial, m.name)
    })?;
    let columns = m.rows.first().map_or(0, Vec::len);
    ensure(columns > 0, "P106", || format!("matrix `{}` is empty", m.name))?;
    for (n, row) in m.rows.iter().enumerate() {
        ensure(row.len() == columns, "P106", || {
            format!("row {n} of matrix `{}` has {} entries, row 0 has {columns}", m.name, row.len())
        })?;
        let degree = m.degree();
        let large = row.iter().find(|&&entry| !fits(entry, degree));
        ensure(large.is_none(), "P106", || {
            format!("entry {:#x} of matrix `{}` does not lie in its field of 2^{degree}", large.unwrap_or(&0), m.name)
        })?;
    }
    Ok(())
}

fn sbox(b: &SBox) -> CheckResult {
    let SBox { name, inputs, outputs, data } = b;
    ensure((1..=8).contains(inputs) && (1..=8).contains(outputs), "P107", || {
        format!("box `{name}` goes from {inputs} to {outputs} bits; 1 to 8 are possible")
    })?;
    ensure(data.len() == 1 << inputs, "P107", || {
        format!("box `{name}` has {} entries, {inputs} input bits need {}", data.len(), 1u32 << inputs)
    })?;
    let large = data.iter().find(|&&entry| !fits(entry.into(), *outputs));
    ensure(large.is_none(), "P107", || {
        format!("entry {} of box `{name}` does not fit {outputs} output bits", large.unwrap_or(&0))
    })
}
