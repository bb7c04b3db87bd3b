//! The check itself.

use std::collections::HashMap;

use crate::clause_file::Formula;
use crate::proof_file::Step;
use crate::{refuse, Refusal};

/// What an accepted proof consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofStatistics {
    /// Clauses derived.
    pub added: u64,
    /// Clauses named as reasons, in all.
    pub reasons: u64,
    /// Most derived and given clauses at one time.
    pub alive: u64,
}

/// Checks that a proof derives the empty clause from a formula; `going` is asked after every 4096 steps.
///
/// # Errors
/// The first step that does not follow, a proof that ends without the empty clause, or `going` said no.
pub fn check(
    formula: &Formula,
    steps: impl Iterator<Item = Result<Step, Refusal>>,
    going: &mut dyn FnMut(&ProofStatistics) -> bool,
) -> Result<ProofStatistics, Refusal> {
    let mut checker = Checker::new(formula);
    for (n, step) in steps.enumerate() {
        match step? {
            Step::Delete(numbers) => numbers.iter().for_each(|number| checker.delete(*number)),
            Step::Add { number, clause, because } => {
                let empty = clause.is_empty();
                checker.add(number, clause, &because)?;
                if empty {
                    return Ok(checker.done);
                }
            }
        }
        if n % 4096 == 4095 && !going(&checker.done) {
            return refuse("the check was stopped");
        }
    }
    refuse("the proof ends without the empty clause")
}

struct Checker {
    clauses: HashMap<u64, Box<[i32]>>,
    last: u64,
    /// By variable: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    assigned: Vec<i32>,
    done: ProofStatistics,
}

impl Checker {
    fn new(formula: &Formula) -> Self {
        let numbered = formula.clauses.iter().zip(1u64..);
        let clauses: HashMap<_, _> = numbered.map(|(c, n)| (n, c.clone().into_boxed_slice())).collect();
        let alive = clauses.len() as u64;
        Checker {
            last: alive,
            clauses,
            values: vec![0; formula.variables + 1],
            assigned: Vec::new(),
            done: ProofStatistics { alive, ..ProofStatistics::default() },
        }
    }

    fn delete(&mut self, number: u64) {
        self.clauses.remove(&number);
    }

    fn add(&mut self, number: u64, clause: Vec<i32>, because: &[u64]) -> Result<(), Refusal> {
        if number <= self.last {
            return refuse(format!("clause {number} of the proof comes after clause {}", self.last));
        }
        if clause.iter().any(|literal| literal.unsigned_abs() as usize >= self.values.len()) {
            return refuse(format!("clause {number} of the proof has a variable that the formula has not"));
        }
        let follows = self.follows(number, &clause, because);
        for literal in self.assigned.drain(..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        follows?;
        self.last = number;
        self.clauses.insert(number, clause.into_boxed_slice());
        self.done.added += 1;
        self.done.reasons += because.len() as u64;
        self.done.alive = self.done.alive.max(self.clauses.len() as u64);
        Ok(())
    }

    /// With the clause's literals false, the named clauses force one literal each, until one is violated.
    fn follows(&mut self, number: u64, clause: &[i32], because: &[u64]) -> Result<(), Refusal> {
        for &literal in clause {
            match value(&self.values, literal) {
                0 => set(&mut self.values, &mut self.assigned, -literal),
                1 => return Ok(()), // It holds a literal and its complement, so it is always true.
                _ => {}
            }
        }
        for reason in because {
            let Some(named) = self.clauses.get(reason) else {
                return refuse(format!("clause {number} of the proof names clause {reason}, which is not there"));
            };
            let mut open = named.iter().filter(|literal| value(&self.values, **literal) >= 0);
            match (open.next(), open.next()) {
                (None, _) => return Ok(()),
                (Some(&literal), None) => {
                    if value(&self.values, literal) == 0 {
                        set(&mut self.values, &mut self.assigned, literal);
                    }
                }
                _ => {
                    return refuse(format!("clause {number} of the proof names clause {reason}, which forces nothing"))
                }
            }
        }
        refuse(format!("clause {number} of the proof does not follow from the clauses that it names"))
    }
}

fn value(values: &[i8], literal: i32) -> i8 {
    let value = values[literal.unsigned_abs() as usize];
    if literal < 0 {
        -value
    } else {
        value
    }
}

fn set(values: &mut [i8], assigned: &mut Vec<i32>, literal: i32) {
    values[literal.unsigned_abs() as usize] = if literal < 0 { -1 } else { 1 };
    assigned.push(literal);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof_file::{write, Steps};
    use crate::trim::trim;

    const CONTRADICTION: &str =
        "c every combination of two variables is forbidden\np cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n";

    fn add(number: u64, clause: &[i32], because: &[u64]) -> Step {
        Step::Add { number, clause: clause.to_vec(), because: because.to_vec() }
    }

    fn verdict(text: &str, steps: &[Step]) -> Result<ProofStatistics, String> {
        let formula = Formula::read(text).unwrap();
        check(&formula, steps.iter().cloned().map(Ok), &mut |_| true).map_err(|r| r.0)
    }

    #[test]
    fn a_right_proof_is_accepted_and_counted() {
        let steps = [add(5, &[1], &[1, 2]), Step::Delete(vec![1, 2]), add(6, &[], &[5, 3, 4])];
        assert_eq!(verdict(CONTRADICTION, &steps).unwrap(), ProofStatistics { added: 2, reasons: 5, alive: 5 });
    }

    #[test]
    fn wrong_proofs_are_refused_with_the_reason() {
        let refused = |steps: &[Step]| verdict(CONTRADICTION, steps).unwrap_err();
        assert_eq!(refused(&[]), "the proof ends without the empty clause");
        assert_eq!(
            refused(&[add(5, &[1], &[1])]),
            "clause 5 of the proof does not follow from the clauses that it names"
        );
        assert_eq!(refused(&[add(5, &[], &[1])]), "clause 5 of the proof names clause 1, which forces nothing");
        assert_eq!(refused(&[add(5, &[1], &[1, 7])]), "clause 5 of the proof names clause 7, which is not there");
        assert_eq!(refused(&[add(4, &[1], &[1, 2])]), "clause 4 of the proof comes after clause 4");
        assert_eq!(refused(&[add(5, &[3], &[1])]), "clause 5 of the proof has a variable that the formula has not");
        let deleted = [Step::Delete(vec![2]), add(5, &[1], &[1, 2])];
        assert_eq!(refused(&deleted), "clause 5 of the proof names clause 2, which is not there");
    }

    #[test]
    fn no_proof_of_a_satisfiable_formula_is_accepted() {
        // Every clause of two variables from every ordered pair of reasons: none may lead to the empty clause.
        let text = "p cnf 2 3\n1 2 0\n1 -2 0\n-1 2 0\n";
        let clauses: [&[i32]; 5] = [&[], &[1], &[2], &[-1], &[-2]];
        for first in clauses {
            for reasons in 0..27u64 {
                let because = [1 + reasons % 3, 1 + reasons / 3 % 3, 1 + reasons / 9];
                for second in 0..64u64 {
                    let then = [1 + second % 4, 1 + second / 4 % 4, 1 + second / 16];
                    assert!(verdict(text, &[add(4, first, &because), add(5, &[], &then)]).is_err());
                }
            }
        }
    }

    #[test]
    fn files_are_read_as_they_are_written_and_trimmed_proofs_are_proofs() {
        let steps = [
            add(9, &[-2], &[4, 2]),
            add(200, &[1], &[1, 2]),
            Step::Delete(vec![1, 2, 9]),
            add(70_000, &[], &[200, 3, 4]),
        ];
        let mut bytes = Vec::new();
        steps.iter().for_each(|step| write(step, &mut bytes));
        let read: Result<Vec<Step>, _> = Steps::new(&bytes[..]).collect();
        assert_eq!(read.unwrap(), steps);
        let trimmed = trim(4, Steps::new(&bytes[..])).unwrap();
        let read: Vec<Step> = Steps::new(&trimmed[..]).map(Result::unwrap).collect();
        assert_eq!(read, [add(5, &[1], &[1, 2]), Step::Delete(vec![1, 2]), add(6, &[], &[5, 3, 4])]);
        let cut = Steps::new(&bytes[..bytes.len() - 1]).last().unwrap();
        assert_eq!(cut.unwrap_err().0, "the proof file ends inside a step");
    }

    #[test]
    fn clause_files_that_are_none_are_refused() {
        let refused = |text: &str| Formula::read(text).unwrap_err().0;
        assert_eq!(refused("1 2 0\n"), "the clause file has no line `p cnf VARIABLES CLAUSES`");
        assert_eq!(refused("p cnf 2 2\n1 2 0\n"), "the clause file announces 2 clauses and has 1");
        assert_eq!(refused("p cnf 2 1\n1 3 0\n"), "`3` in the clause file is no literal");
        assert_eq!(refused("p cnf 2 1\n1 2\n"), "the clause file announces 1 clauses and has 1");
    }
}
