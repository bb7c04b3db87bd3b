//! The same proof in the DRAT format, for other checkers.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::clause_file::Formula;
use crate::proof_file::Step;
use crate::Refusal;

/// Writes the steps as text in the DRAT format: a clause a line, `d` before one that is deleted.
///
/// # Errors
/// Those of reading the steps; those of the writer are the inner result.
pub fn write_drat(
    formula: &Formula,
    steps: impl Iterator<Item = Result<Step, Refusal>>,
    out: &mut dyn Write,
) -> Result<io::Result<()>, Refusal> {
    let mut clauses: HashMap<u64, Vec<i32>> =
        formula.clauses.iter().cloned().zip(1u64..).map(|(c, n)| (n, c)).collect();
    for step in steps {
        let written = match step? {
            Step::Add { number, clause, .. } => {
                let written = line("", &clause, out);
                clauses.insert(number, clause);
                written
            }
            Step::Delete(numbers) => {
                let mut gone = numbers.iter().filter_map(|n| clauses.remove(n));
                gone.try_for_each(|clause| line("d ", &clause, out))
            }
        };
        if written.is_err() {
            return Ok(written);
        }
    }
    Ok(Ok(()))
}

fn line(head: &str, clause: &[i32], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{head}")?;
    for literal in clause {
        write!(out, "{literal} ")?;
    }
    writeln!(out, "0")
}
