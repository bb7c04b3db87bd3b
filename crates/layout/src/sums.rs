//! The fewest exclusive ors that combine loaded words, where some sums go through an operator first.
//!
//! Atoms are the sums of equally used look-ups and the results of operators. An operator's result is there only when the sum
//! it is applied to is. Atoms that stand in the same sums can be added first without loss: setting all but one of them to zero
//! takes an exclusive or away for each, so that no program is shorter than one that adds them first. What is left
//! is small and searched by iterative deepening.

use circuit::linear::{paar::paar, Matrix};
use circuit::random::Random;

/// What is to be computed; bit `k` of a sum is atom `k`, operators' results come after the classes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// Number of classes of look-ups.
    pub classes: usize,
    /// The sum (of classes only) that each operator is applied to.
    pub operands: Vec<u64>,
    /// The sum that each word is.
    pub outputs: Vec<u64>,
}

/// Exclusive ors in order: the two sums that each adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The additions.
    pub steps: Vec<(u64, u64)>,
    /// Whether fewer are impossible.
    pub is_least: bool,
}

/// Nodes of the search after which it gives up.
const MOST_NODES: u64 = 300_000;

/// A shortest program, or a short one where the search gives up.
#[must_use]
pub fn solve(task: &Task) -> Sums {
    let mut steps = Vec::new();
    let atoms = merged(task, &mut steps);
    let reduce = |sum: u64| atoms.iter().enumerate().filter(|(_, &a)| sum & a != 0).fold(0, |s, (n, _)| s | 1u64 << n);
    let operands: Vec<u64> = task.operands.iter().map(|&s| reduce(s)).collect();
    let mut targets: Vec<u64> = operands.iter().copied().chain(task.outputs.iter().map(|&s| reduce(s))).collect();
    targets.retain(|t| t.count_ones() > 1);
    targets.sort_unstable();
    targets.dedup();
    let locks: Vec<Vec<u64>> = atoms
        .iter()
        .map(|&a| {
            let mine = (0..operands.len()).filter(|i| a >> (task.classes + i) & 1 == 1);
            mine.map(|i| operands[i]).filter(|t| t.count_ones() > 1).collect()
        })
        .collect();
    let (found, is_least) = deepened(&targets, &locks);
    let expand = |sum: u64| atoms.iter().enumerate().filter(|(n, _)| sum >> n & 1 == 1).fold(0, |s, (_, &a)| s | a);
    steps.extend(found.iter().map(|&(a, b)| (expand(a), expand(b))));
    Sums { steps, is_least }
}

/// Atoms that stand in the same sums, as one.
fn merged(task: &Task, steps: &mut Vec<(u64, u64)>) -> Vec<u64> {
    let count = task.classes + task.operands.len();
    let signature =
        |n: usize| -> Vec<bool> { task.operands.iter().chain(&task.outputs).map(|&sum| sum >> n & 1 == 1).collect() };
    let mut groups: Vec<(Vec<bool>, u64)> = Vec::new();
    for n in 0..count {
        let own = signature(n);
        match groups.iter_mut().find(|g| g.0 == own) {
            Some(group) => {
                steps.push((group.1, 1 << n));
                group.1 |= 1 << n;
            }
            None => groups.push((own, 1 << n)),
        }
    }
    groups.into_iter().map(|g| g.1).collect()
}

struct Deepening<'a> {
    targets: &'a [u64],
    locks: &'a [Vec<u64>],
    nodes: u64,
}

fn deepened(targets: &[u64], locks: &[Vec<u64>]) -> (Vec<(u64, u64)>, bool) {
    let most: usize = targets.iter().map(|t| t.count_ones() as usize - 1).sum();
    let mut search = Deepening { targets, locks, nodes: 0 };
    for count in targets.len()..most {
        let mut known: Vec<u64> = Vec::new();
        search.unlock(&mut known);
        let mut steps = Vec::new();
        if search.extend(&mut known, &mut steps, count, 0, 0) {
            return (steps, true);
        }
        if search.nodes > MOST_NODES {
            return (greedy(targets, locks.len()), false);
        }
    }
    // No sharing pays: each target on its own, operands (which no operator's result is part of) first.
    (plain(targets), true)
}

fn plain(targets: &[u64]) -> Vec<(u64, u64)> {
    let mut steps = Vec::new();
    for &target in targets {
        let mut sum = target & target.wrapping_neg();
        while sum != target {
            let rest = target & !sum;
            let next = rest & rest.wrapping_neg();
            steps.push((sum, next));
            sum |= next;
        }
    }
    steps
}

/// Sharing without cancellation: a sum is never part of what it is made of, so that operators' operands stay free of their results.
fn greedy(targets: &[u64], atoms: usize) -> Vec<(u64, u64)> {
    let Ok(matrix) = Matrix::new(atoms, targets.iter().map(|&t| u128::from(t)).collect()) else {
        return plain(targets);
    };
    let mut known: Vec<u64> = (0..atoms).map(|n| 1 << n).collect();
    let mut steps = Vec::new();
    for sum in paar(&matrix, &[], &[], &mut Random::new(1)) {
        let sum = sum as u64;
        if let Some(&a) = known.iter().find(|&&a| a & !sum == 0 && known.contains(&(sum ^ a))) {
            steps.push((a, sum ^ a));
        }
        known.push(sum);
    }
    steps
}

impl Deepening<'_> {
    /// Adds the atoms that have become available.
    fn unlock(&self, known: &mut Vec<u64>) {
        for (n, locks) in self.locks.iter().enumerate() {
            if !known.contains(&(1 << n)) && locks.iter().all(|t| known.contains(t)) {
                known.push(1 << n);
            }
        }
    }

    /// Sums that do not use what the last step gave come in increasing order, so that orders of independent sums are tried once.
    fn extend(
        &mut self,
        known: &mut Vec<u64>,
        steps: &mut Vec<(u64, u64)>,
        left: usize,
        newest: usize,
        previous: u64,
    ) -> bool {
        self.nodes += 1;
        let open = self.targets.iter().filter(|t| !known.contains(t)).count();
        if open == 0 {
            return true;
        }
        if open > left || self.nodes > MOST_NODES {
            return false;
        }
        let mut tried: Vec<u64> = Vec::new();
        let before = known.len();
        for j in 1..before {
            for i in 0..j {
                let (a, b) = (known[i], known[j]);
                let sum = a ^ b;
                let ordered = j >= newest || sum > previous;
                let useful = open < left || self.targets.contains(&sum);
                if !ordered || !useful || known.contains(&sum) || tried.contains(&sum) {
                    continue;
                }
                tried.push(sum);
                known.push(sum);
                self.unlock(known);
                steps.push((a, b));
                if self.extend(known, steps, left - 1, before, sum) {
                    return true;
                }
                steps.pop();
                known.truncate(before);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(classes: usize, operands: &[u64], outputs: &[u64]) -> usize {
        let found = solve(&Task { classes, operands: operands.to_vec(), outputs: outputs.to_vec() });
        assert!(found.is_least);
        found.steps.len()
    }

    #[test]
    fn what_is_used_alike_is_added_first() {
        assert_eq!(least(3, &[], &[0b111]), 2);
        assert_eq!(least(3, &[], &[0b011, 0b101]), 2);
    }

    #[test]
    fn an_operator_waits_for_its_operand() {
        // Classes a, b; o = rot(b): a + b and a + b + o.
        assert_eq!(least(2, &[0b10], &[0b011, 0b111]), 2);
        // o = rot(a + b): a + b and a + b + o share the operand.
        assert_eq!(least(3, &[0b011], &[0b0111, 0b1111]), 3);
    }

    #[test]
    fn cancellation_is_found() {
        // a+b+c+d, b+c+d, a+b+c: three additions and one more.
        assert_eq!(least(4, &[], &[0b1111, 0b1110, 0b0111]), 4);
    }
}
