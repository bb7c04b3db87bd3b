//! Multiplicative complexity of gates: the fewest ANDs, XOR and NOT being free.

use crate::function::Function;

/// The fewest ANDs that compute a function of up to four operands.
///
/// Source: functions of up to four variables by degree and, for quadratic ones, half the rank of their form
/// (Turan and Peralta, The multiplicative complexity of Boolean functions on four and five variables, 2014).
#[must_use]
pub fn multiplications(function: Function) -> usize {
    let form = normal_form(function);
    let degree = (0..form.len()).filter(|&m| form[m]).map(|m| m.count_ones()).max().unwrap_or(0);
    match degree {
        0 | 1 => 0,
        2 => quadratic_rank(&form, function.arity.into()) / 2,
        larger => larger as usize - 1,
    }
}

/// Coefficients of the algebraic normal form, by the set of operands.
fn normal_form(function: Function) -> Vec<bool> {
    let entries = 1usize << function.arity;
    let below = |m: usize| (0..entries).filter(move |v| v & !m == 0);
    (0..entries).map(|m| below(m).filter(|&v| function.value(v)).count() % 2 == 1).collect()
}

/// The rank of the alternating matrix of a quadratic form; it is even.
fn quadratic_rank(form: &[bool], arity: usize) -> usize {
    let entry = |i: usize, j: usize| i != j && form[1 << i | 1 << j];
    let mut rows: Vec<u32> =
        (0..arity).map(|i| (0..arity).filter(|&j| entry(i, j)).fold(0, |row, j| row | 1 << j)).collect();
    let mut rank = 0;
    for column in 0..arity {
        let Some(pivot) = (rank..arity).find(|&r| rows[r] >> column & 1 == 1) else { continue };
        rows.swap(rank, pivot);
        let row = rows[rank];
        rows.iter_mut().skip(rank + 1).filter(|r| **r >> column & 1 == 1).for_each(|r| *r ^= row);
        rank += 1;
    }
    rank
}
