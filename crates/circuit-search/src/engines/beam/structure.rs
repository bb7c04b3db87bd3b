//! From a set of functions to circuits: which two functions each one is made of.

use super::search::makes;
use super::word::Word;

/// How one function of a set is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Numbers of the operands in the set.
    pub operands: [usize; 2],
    /// Number of the function in [`crate::normal::CLASSES`].
    pub class: usize,
}

/// A circuit but for its complements: how each function beyond the inputs is made, and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// For each function of the set from the first beyond the inputs.
    pub made: Vec<Recipe>,
    /// Numbers of the functions beyond the inputs, operands before what is made of them.
    pub order: Vec<usize>,
}

/// Attempts for one set, most of them circuits.
const ATTEMPTS: usize = 4096;

/// The structures of a set whose first `inputs` functions are the inputs, at most `most`.
pub fn structures<W: Word>(set: &[W], inputs: usize, xor: bool, most: usize) -> Vec<Structure> {
    let ways: Vec<Vec<Recipe>> = (inputs..set.len()).map(|n| ways(set, n, xor)).collect();
    let mut choice = vec![0; ways.len()];
    let mut found = Vec::new();
    if ways.iter().any(Vec::is_empty) {
        return found;
    }
    for _ in 0..ATTEMPTS {
        let made: Vec<Recipe> = ways.iter().zip(&choice).map(|(list, &n)| list[n]).collect();
        if let Some(order) = order(&made, inputs) {
            found.push(Structure { made, order });
        }
        if found.len() >= most || !advance(&mut choice, &ways) {
            break;
        }
    }
    found
}

/// The pairs that make function `n`, those of earlier functions first.
fn ways<W: Word>(set: &[W], n: usize, xor: bool) -> Vec<Recipe> {
    let mut ways = Vec::new();
    for b in (0..set.len()).filter(|&b| b != n) {
        for a in (0..b).filter(|&a| a != n) {
            if makes(set[a], set[b], set[n], xor) {
                let (x, y, t) = (set[a], set[b], set[n]);
                let classes = [x & y, x & !y, y & !x, x | y, x ^ y];
                let class = (0..if xor { 5 } else { 4 }).find(|&c| classes[c] == t);
                ways.extend(class.map(|class| Recipe { operands: [a, b], class }));
            }
        }
    }
    ways.sort_by_key(|way| way.operands[1] > n);
    ways
}

/// The next choice in the order of an odometer; false after the last.
fn advance(choice: &mut [usize], ways: &[Vec<Recipe>]) -> bool {
    for (digit, list) in choice.iter_mut().zip(ways) {
        *digit += 1;
        if *digit < list.len() {
            return true;
        }
        *digit = 0;
    }
    false
}

/// An order of computation, or None if functions are made of each other.
fn order(made: &[Recipe], inputs: usize) -> Option<Vec<usize>> {
    let mut done = vec![false; made.len()];
    let mut order = Vec::with_capacity(made.len());
    while order.len() < made.len() {
        let before = order.len();
        for n in 0..made.len() {
            if !done[n] && made[n].operands.iter().all(|&a| a < inputs || done[a - inputs]) {
                done[n] = true;
                order.push(n + inputs);
            }
        }
        if order.len() == before {
            return None;
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_three_has_three_structures_with_one_inner_sum_each() {
        let set: [u16; 5] = [0xaaaa, 0xcccc, 0xf0f0, 0x6666, 0x9696];
        assert_eq!(structures(&set, 3, true, 100).len(), 1);
        // With both a ^ b and b ^ c at hand the sum of all three is made of either, and neither of the other two.
        let more: [u16; 6] = [0xaaaa, 0xcccc, 0xf0f0, 0x6666, 0x3c3c, 0x9696];
        let all = structures(&more, 3, true, 100);
        assert_eq!(all.len(), 4);
        assert!(all.iter().all(|s| s.order.len() == 3));
    }

    #[test]
    fn without_exclusive_or_a_sum_is_not_made() {
        assert!(structures(&[0xaaaa, 0xcccc, 0x6666u16], 2, false, 100).is_empty());
    }
}
