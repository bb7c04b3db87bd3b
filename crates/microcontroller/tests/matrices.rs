//! Products of matrices over GF(2^n): plans multiply, and factors save doublings.

use microcontroller::isa::Weights;
use microcontroller::matrix::{best, half, in_place, plan, product, turned, Matrix, Plan, Step};
use program::generate::Random;

const AVR: Weights = Weights { xor: 1.0, double: 3.0, copy: 0.75 };

fn matrix<const N: usize>(rows: [[u64; N]; N]) -> Matrix {
    rows.iter().map(|row| row.to_vec()).collect()
}

fn mix() -> Matrix {
    matrix([[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]])
}

fn unmix() -> Matrix {
    matrix([[14, 11, 13, 9], [9, 14, 11, 13], [13, 9, 14, 11], [11, 13, 9, 14]])
}

fn mds() -> Matrix {
    let (a, b) = (0x5b, 0xef);
    matrix([[1, b, a, a], [a, b, b, 1], [b, a, 1, b], [b, 1, b, a]])
}

/// What a plan makes of bytes.
fn made(plan: &Plan, values: &[u64], polynomial: u64) -> Vec<u64> {
    let mut made = values.to_vec();
    for step in &plan.steps {
        let of = |n: i32| made[n as usize];
        let next = match *step {
            Step::Xor(a, b) => of(a) ^ of(b),
            Step::Double(a) => product(2, of(a), polynomial),
            Step::Halve(a) => product(half(polynomial), of(a), polynomial),
        };
        made.push(next);
    }
    plan.results.iter().map(|r| if *r < 0 { 0 } else { made[*r as usize] }).collect()
}

fn multiplied(rows: &Matrix, values: &[u64], polynomial: u64) -> Vec<u64> {
    let term = |(c, x): (&u64, &u64)| product(*c, *x, polynomial);
    rows.iter().map(|row| row.iter().zip(values).map(term).fold(0, |a, b| a ^ b)).collect()
}

fn multiplies(plan: &Plan, rows: &Matrix, polynomial: u64) {
    let mut numbers = Random::new(1);
    for _ in 0..20 {
        let values: Vec<u64> = rows[0].iter().map(|_| numbers.bits() & 255).collect();
        assert_eq!(made(plan, &values, polynomial), multiplied(rows, &values, polynomial));
    }
}

/// The exclusive ors and the other steps.
fn kinds(plan: &Plan) -> (usize, usize) {
    let xors = plan.steps.iter().filter(|step| matches!(step, Step::Xor(..))).count();
    (xors, plan.steps.len() - xors)
}

#[test]
fn factors_save_doublings() {
    let cases = [(0x11b, mix(), (12, 3)), (0x11b, unmix(), (13, 3)), (0x169, mds(), (14, 8))];
    for (polynomial, rows, wanted) in cases {
        let found = best(polynomial, &rows, &AVR);
        assert_eq!(kinds(&found), wanted);
        assert!(found.cost(&AVR) < plan(polynomial, &rows).cost(&AVR));
        multiplies(&found, &rows, polynomial);
    }
}

#[test]
fn any_matrix_is_multiplied() {
    let mut numbers = Random::new(2);
    for (rows, columns) in [(1, 1), (2, 3), (3, 2), (2, 6)] {
        for most in [2, 4, 256] {
            let row = |numbers: &mut Random| (0..columns).map(|_| numbers.below(most) as u64).collect();
            let rows: Matrix = (0..rows).map(|_| row(&mut numbers)).collect();
            multiplies(&best(0x11b, &rows, &AVR), &rows, 0x11b);
        }
    }
}

#[test]
fn plans_by_powers_of_x_multiply() {
    let found = plan(0x11b, &unmix());
    assert_eq!(kinds(&found).1, 7);
    multiplies(&found, &unmix(), 0x11b);
}

#[test]
fn plans_by_halves_multiply() {
    for polynomial in [0x11b, 0x169] {
        let found = plan(polynomial, &turned(polynomial, &mds())).halving();
        multiplies(&found, &mds(), polynomial);
        if polynomial == 0x169 {
            assert_eq!(kinds(&found).1, 8); // 0x5b is 1 + 1/x^2, 0xef is 1 + 1/x + 1/x^2
        }
    }
}

#[test]
fn zeros_and_ones_are_added_in_place() {
    let rows = matrix([[1, 1, 0], [0, 1, 1], [0, 0, 1]]);
    let found = best(0x11b, &rows, &AVR);
    assert_eq!(kinds(&found), (2, 0));
    assert_eq!(found.cost(&AVR), 2.0); // without copies
    multiplies(&found, &rows, 0x11b);
}

#[test]
fn eight_bytes_are_mixed_by_sixteen_additions() {
    let sums = ["01111110", "10110111", "11011011", "11101101", "11011100", "11100110", "01110011", "10111001"];
    let rows: Matrix = sums.iter().map(|sum| sum.bytes().map(|c| u64::from(c - b'0')).collect()).collect();
    let (begins, steps) = in_place(&rows).expect("it has an inverse");
    assert_eq!(steps.len(), 16);
    let mut made: Vec<u64> = begins.iter().map(|n| 1 << n).collect();
    for (i, j) in steps {
        made[i] ^= made[j];
    }
    let values: Vec<u64> = (0..8).map(|n| 1 << n).collect();
    assert_eq!(made, multiplied(&rows, &values, 0x11b));
}

#[test]
fn matrices_that_are_not_added_in_place() {
    assert_eq!(in_place(&matrix([[2, 1], [1, 1]])), None);
    assert_eq!(in_place(&matrix([[1, 1], [1, 1]])), None);
    assert_eq!(in_place(&vec![vec![1, 1, 0], vec![0, 1, 1]]), None);
}

#[test]
fn copies_are_counted_where_both_operands_are_needed_again() {
    let plan = Plan { steps: vec![Step::Xor(0, 1), Step::Double(0), Step::Xor(1, 3)], results: vec![2, 4] };
    assert_eq!(plan.cost(&Weights { xor: 1.0, double: 3.0, copy: 10.0 }), 15.0);
}
