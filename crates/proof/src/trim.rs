//! Leaves out the steps that the empty clause does not need.

use crate::proof_file::{write, Step};
use crate::{refuse, Refusal};

/// The steps that the empty clause needs, with deletions as early as possible, in the binary LRAT format.
///
/// `given` is the number of clauses of the formula. The result is a proof to be checked like any other.
///
/// # Errors
/// Those of reading the steps, and for clauses whose numbers do not rise or are beyond 32 bits.
pub fn trim(given: u64, steps: impl Iterator<Item = Result<Step, Refusal>>) -> Result<Vec<u8>, Refusal> {
    let mut proof = FlatClauses::new(given)?;
    for step in steps {
        if let Step::Add { number, clause, because } = step? {
            proof.push(number, &clause, &because)?;
            if clause.is_empty() {
                break;
            }
        }
    }
    let last_use = proof.last_uses();
    Ok(proof.rewritten(&last_use))
}

/// All added clauses and their reasons, without a piece of memory for each.
struct FlatClauses {
    given: u32,
    numbers: Vec<u32>,
    literals: Vec<i32>,
    literal_ends: Vec<usize>,
    reasons: Vec<u32>,
    reason_ends: Vec<usize>,
}

fn narrow(number: u64) -> Result<u32, Refusal> {
    u32::try_from(number).or_else(|_| refuse("the proof has too many clauses to be trimmed"))
}

impl FlatClauses {
    fn new(given: u64) -> Result<Self, Refusal> {
        Ok(FlatClauses {
            given: narrow(given)?,
            numbers: Vec::new(),
            literals: Vec::new(),
            literal_ends: vec![0],
            reasons: Vec::new(),
            reason_ends: vec![0],
        })
    }

    fn push(&mut self, number: u64, clause: &[i32], because: &[u64]) -> Result<(), Refusal> {
        let number = narrow(number)?;
        if number <= self.numbers.last().copied().unwrap_or(self.given) {
            return refuse(format!("clause {number} of the proof comes after one with a larger number"));
        }
        self.numbers.push(number);
        self.literals.extend_from_slice(clause);
        self.literal_ends.push(self.literals.len());
        for &reason in because {
            self.reasons.push(narrow(reason)?);
        }
        self.reason_ends.push(self.reasons.len());
        Ok(())
    }

    fn reasons_of(&self, place: usize) -> &[u32] {
        &self.reasons[self.reason_ends[place]..self.reason_ends[place + 1]]
    }

    /// Where a clause stands among given and added ones, from 0; a number that is neither names nothing.
    fn place(&self, number: u32) -> Option<usize> {
        if number <= self.given {
            return (number as usize).checked_sub(1);
        }
        self.numbers.binary_search(&number).ok().map(|n| self.given as usize + n)
    }

    /// For each clause, given ones first, one more than the place among the added of the last needed clause that names
    /// it; 0 if none does.
    fn last_uses(&self) -> Vec<u32> {
        let given = self.given as usize;
        let mut last_use = vec![0; given + self.numbers.len()];
        for place in (0..self.numbers.len()).rev() {
            if place + 1 == self.numbers.len() || last_use[given + place] != 0 {
                for &reason in self.reasons_of(place) {
                    if let Some(named) = self.place(reason) {
                        if last_use[named] == 0 {
                            last_use[named] = place as u32 + 1;
                        }
                    }
                }
            }
        }
        last_use
    }

    fn rewritten(&self, last_use: &[u32]) -> Vec<u8> {
        let given = self.given as usize;
        let last = self.numbers.len().saturating_sub(1);
        let mut fresh = vec![0u32; self.numbers.len()];
        let mut next = self.given;
        let mut out = Vec::new();
        for place in 0..self.numbers.len() {
            if place != last && last_use[given + place] == 0 {
                continue;
            }
            next += 1;
            fresh[place] = next;
            let named =
                |reason: u32| self.place(reason).map(|p| (p, p.checked_sub(given).map_or(reason, |n| fresh[n])));
            let reasons: Vec<(Option<usize>, u64)> = (self.reasons_of(place).iter())
                .map(|&r| named(r).map_or((None, u64::from(r)), |(p, name)| (Some(p), u64::from(name))))
                .collect();
            let clause = self.literals[self.literal_ends[place]..self.literal_ends[place + 1]].to_vec();
            let because = reasons.iter().map(|(_, name)| *name).collect();
            write(&Step::Add { number: u64::from(next), clause, because }, &mut out);
            let ends = |p: &Option<usize>| p.is_some_and(|p| last_use[p] as usize == place + 1);
            let mut ended: Vec<u64> = reasons.iter().filter(|(p, _)| ends(p)).map(|(_, name)| *name).collect();
            ended.sort_unstable();
            ended.dedup();
            if !ended.is_empty() && place != last {
                write(&Step::Delete(ended), &mut out);
            }
        }
        out
    }
}
