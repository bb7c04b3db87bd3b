//! Leaves out the steps that the empty clause does not need.

use std::collections::HashMap;

use crate::proof_file::{write, Step};
use crate::Refusal;

/// The steps that the empty clause needs, with deletions as early as possible, in the binary LRAT format.
///
/// `given` is the number of clauses of the formula. The result is a proof to be checked like any other.
///
/// # Errors
/// Those of reading the steps.
pub fn trim(given: u64, steps: impl Iterator<Item = Result<Step, Refusal>>) -> Result<Vec<u8>, Refusal> {
    let mut kept = Vec::new();
    for step in steps {
        if let Step::Add { number, clause, because } = step? {
            let empty = clause.is_empty();
            kept.push((number, clause, because));
            if empty {
                break;
            }
        }
    }
    let last_use = last_uses(&kept);
    Ok(renumbered(given, kept, &last_use))
}

type Added = (u64, Vec<i32>, Vec<u64>);

/// The last needed clause that names each clause, for the needed ones.
fn last_uses(added: &[Added]) -> HashMap<u64, u64> {
    let mut last_use: HashMap<u64, u64> = HashMap::new();
    for (place, (number, _, because)) in added.iter().enumerate().rev() {
        if place + 1 == added.len() || last_use.contains_key(number) {
            for reason in because {
                last_use.entry(*reason).or_insert(*number);
            }
        }
    }
    last_use
}

fn renumbered(given: u64, added: Vec<Added>, last_use: &HashMap<u64, u64>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut fresh: HashMap<u64, u64> = HashMap::new();
    let count = added.len();
    let name = |old: u64, fresh: &HashMap<u64, u64>| fresh.get(&old).copied().unwrap_or(old);
    for (place, (number, clause, because)) in added.into_iter().enumerate() {
        if place + 1 < count && !last_use.contains_key(&number) {
            continue;
        }
        let mut ended: Vec<u64> = because.iter().copied().filter(|r| last_use.get(r) == Some(&number)).collect();
        ended.sort_unstable();
        ended.dedup();
        let ended: Vec<u64> = ended.into_iter().map(|r| name(r, &fresh)).collect();
        let because = because.iter().map(|r| name(*r, &fresh)).collect();
        let next = given + 1 + fresh.len() as u64;
        fresh.insert(number, next);
        write(&Step::Add { number: next, clause, because }, &mut out);
        if !ended.is_empty() && place + 1 < count {
            write(&Step::Delete(ended), &mut out);
        }
    }
    out
}
