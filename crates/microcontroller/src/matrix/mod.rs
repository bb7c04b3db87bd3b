//! Products of a matrix over GF(2^n) with bytes, in the fewest cycles: sums taken out on either side of what Horner's rule
//! makes.
//!
//! A factor adds the sum of some inputs to others before the rest of the matrix (as in M = M' F), or the sum of some results to
//! others behind it (M = F M'); several of each are tried, always those first that leave the fewest terms. What such a factor
//! takes out is what rows share across powers of x: the inverse of the circulant of 2, 3, 1, 1 takes three doublings instead of the
//! seven of Horner's rule.

mod field;
mod horner;
mod in_place;
mod plan;

use std::collections::HashSet;

use crate::isa::Weights;
pub use field::{half, product, turned};
pub use horner::plan;
pub use in_place::in_place;
use plan::Maker;
pub use plan::{Plan, Step};

/// Rows of coefficients.
pub type Matrix = Vec<Vec<u64>>;

/// What is added to, and what is summed up.
type Factor = (Vec<usize>, Vec<usize>);

/// How many factors there are at most.
const FACTORS: usize = 3;
/// Matrices of which the cost is computed from one.
const TRIED: usize = 40;
/// Those that the next factors are tried on.
const KEPT: usize = 4;
/// Up to so many inputs or results any of them are in a factor.
const SMALL: usize = 4;
/// Of more inputs or results at most so many are in a factor.
const FEW: usize = 2;

/// The cheapest plan found: additions in place (matrices of zeros and ones), and factors around Horner's rule in x and 1/x.
#[must_use]
pub fn best(polynomial: u64, rows: &Matrix, weights: &Weights) -> Plan {
    let first = searched(polynomial, rows, weights);
    let second = if rows.iter().flatten().all(|e| *e < 2) {
        in_place(rows).map(|(begins, additions)| plan::of_additions(&begins, &additions))
    } else {
        Some(searched(polynomial, &turned(polynomial, rows), weights).halving())
    };
    match second {
        Some(second) if second.cost(weights) < first.cost(weights) => second,
        _ => first,
    }
}

/// Factors before and behind a matrix that is left, and the cost of all.
#[derive(Clone)]
struct Factorization {
    cost: f64,
    before: Vec<Factor>,
    matrix: Matrix,
    behind: Vec<Factor>,
    plan: Plan,
}

/// The cheapest plan found of factors and doublings.
fn searched(polynomial: u64, rows: &Matrix, weights: &Weights) -> Plan {
    let every = [factors(rows[0].len()), factors(rows.len())];
    let tried = |before, matrix, behind| tried(polynomial, weights, before, matrix, behind);
    let mut least = tried(Vec::new(), rows.clone(), Vec::new());
    let (mut front, mut seen) = (vec![least.clone()], HashSet::from([rows.clone()]));
    for _ in 0..FACTORS {
        let mut found = Vec::new();
        for at in &front {
            found.extend(next(at, &every, &mut seen).into_iter().map(|(a, m, b)| tried(a, m, b)));
        }
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        found.truncate(KEPT);
        front = found;
        if let Some(one) = front.first().filter(|one| one.cost < least.cost) {
            least = one.clone();
        }
    }
    least.plan
}

/// The factors that are their own inverses.
fn factors(count: usize) -> Vec<Factor> {
    let most = if count <= SMALL { count } else { FEW };
    let chosen: Vec<Vec<usize>> = (1..=most).flat_map(|k| combinations(count, k)).collect();
    let even = |a: &Vec<usize>, b: &Vec<usize>| a.iter().filter(|n| b.contains(n)).count() % 2 == 0;
    let with = |b: &Vec<usize>| -> Vec<Factor> {
        chosen.iter().filter(|a| even(a, b)).map(|a| (a.clone(), b.clone())).collect()
    };
    chosen.iter().flat_map(with).collect()
}

/// The choices of `k` numbers below `count`, in lexicographic order.
fn combinations(count: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let with_last = |chosen: Vec<usize>| {
        let from = chosen.last().map_or(0, |last| last + 1);
        (from..count).map(move |n| [&chosen[..], &[n]].concat())
    };
    combinations(count, k - 1).into_iter().flat_map(with_last).collect()
}

type Decomposition = (Vec<Factor>, Matrix, Vec<Factor>);

/// One factor more, of those that leave the fewest terms in the matrix.
fn next(at: &Factorization, factors: &[Vec<Factor>; 2], seen: &mut HashSet<Matrix>) -> Vec<Decomposition> {
    let columns = transposed(&at.matrix);
    // Summing up inputs adds columns to columns, and what was added to is then summed up.
    let before = factors[0].iter().map(|(to, of)| transposed(&added(&columns, of, to)));
    let before = factors[0].iter().zip(before).map(|(f, matrix)| (f, matrix, true));
    let behind = factors[1].iter().map(|f| (f, added(&at.matrix, &f.0, &f.1), false));
    let mut fresh: Vec<_> = before.chain(behind).filter(|one| !seen.contains(&one.1)).collect();
    fresh.sort_by_key(|one| one.1.iter().flatten().map(|e| e.count_ones()).sum::<u32>());
    fresh.truncate((TRIED * SMALL / SMALL.max(columns.len())).max(1));
    fresh.retain(|one| seen.insert(one.1.clone()));
    let chosen = |(factor, matrix, first): (&Factor, Matrix, bool)| {
        let factor = std::slice::from_ref(factor);
        match first {
            true => ([&at.before[..], factor].concat(), matrix, at.behind.clone()),
            false => (at.before.clone(), matrix, [factor, &at.behind[..]].concat()),
        }
    };
    fresh.into_iter().map(chosen).collect()
}

fn transposed(rows: &Matrix) -> Matrix {
    (0..rows[0].len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
}

/// Rows with the sum of some added to others.
fn added(rows: &Matrix, to: &[usize], of: &[usize]) -> Matrix {
    let sum = |row: &Vec<u64>, other: &Vec<u64>| row.iter().zip(other).map(|(a, b)| a ^ b).collect();
    let total = of.iter().fold(vec![0; rows[0].len()], |total, n| sum(&total, &rows[*n]));
    let one = |(n, row): (usize, &Vec<u64>)| if to.contains(&n) { sum(row, &total) } else { row.clone() };
    rows.iter().enumerate().map(one).collect()
}

fn tried(
    polynomial: u64,
    weights: &Weights,
    before: Vec<Factor>,
    matrix: Matrix,
    behind: Vec<Factor>,
) -> Factorization {
    let mut maker = Maker::new(matrix[0].len());
    let inputs = (0..matrix[0].len() as i32).collect();
    let mut values = before.iter().fold(inputs, |values, factor| maker.added(values, factor));
    let inner = plan(polynomial, &matrix);
    for step in &inner.steps {
        let (a, b) = step.operands();
        let step = step.of(values[a as usize], b.map(|b| values[b as usize]));
        values.push(maker.step(step));
    }
    let results = inner.results.iter().map(|r| if *r < 0 { -1 } else { values[*r as usize] }).collect();
    let results = behind.iter().fold(results, |values, factor| maker.added(values, factor));
    let plan = maker.needed(&results);
    Factorization { cost: plan.cost(weights), before, matrix, behind, plan }
}
