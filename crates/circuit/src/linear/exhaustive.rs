//! The fewest XORs of a tiny matrix, by trying every program: a check of the heuristics.

use crate::linear::matrix::Matrix;

/// The sums of a shortest program of at most `most` XORs, and that none is shorter; `None` if there is none.
///
/// Takes time exponential in the number of XORs: for matrices of up to about eight.
#[must_use]
pub fn shortest(matrix: &Matrix, most: usize) -> Option<Vec<u128>> {
    let targets = matrix.targets();
    let inputs: Vec<u128> = (0..matrix.inputs).map(|k| 1 << k).collect();
    (targets.len()..=most).find_map(|steps| {
        let mut known = inputs.clone();
        extend(&mut known, &targets, steps, 0).then(|| known.split_off(matrix.inputs))
    })
}

/// Whether `steps` more sums suffice. Sums that do not use the newest one come in increasing order, so that orders of
/// independent sums are not tried twice: `previous` is the newest sum, 0 at first.
fn extend(known: &mut Vec<u128>, targets: &[u128], steps: usize, previous: u128) -> bool {
    let open = targets.iter().filter(|t| !known.contains(t)).count();
    if open == 0 {
        return true;
    }
    if open > steps {
        return false;
    }
    let mut sums = Vec::new();
    for (i, &a) in known.iter().enumerate() {
        for (j, &b) in known.iter().enumerate().skip(i + 1) {
            let sum = a ^ b;
            let uses_newest = previous != 0 && j == known.len() - 1 && i < j;
            let worth_it = open < steps || targets.contains(&sum);
            if worth_it && (uses_newest || sum > previous) && !known.contains(&sum) && !sums.contains(&sum) {
                sums.push(sum);
            }
        }
    }
    for sum in sums {
        known.push(sum);
        if extend(known, targets, steps - 1, sum) {
            return true;
        }
        known.pop();
    }
    false
}
