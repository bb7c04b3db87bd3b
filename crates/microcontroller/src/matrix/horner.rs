//! Horner's rule: sums that rows share are made once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::field::degree;
use super::{Matrix, Plan, Step};

type Sum = BTreeSet<i32>;

/// A plan by Horner's rule: a row is s0 + x (s1 + x (s2 + …)), where each s is a sum of inputs; the pair in most sums is made
/// first (Paar's greedy rule). What is equal is made once.
#[must_use]
pub fn plan(polynomial: u64, rows: &Matrix) -> Plan {
    let of_power = |row: &Vec<u64>, k: u32| -> Sum {
        row.iter().enumerate().filter(|(_, e)| **e >> k & 1 == 1).map(|(j, _)| j as i32).collect()
    };
    let sums: Vec<Vec<Sum>> =
        rows.iter().map(|row| (0..degree(polynomial)).map(|k| of_power(row, k)).collect()).collect();
    let distinct: BTreeSet<Sum> = sums.iter().flatten().filter(|s| !s.is_empty()).cloned().collect();
    let mut steps = Steps { inputs: rows[0].len(), steps: Vec::new(), known: HashMap::new() };
    let values = shared(&distinct, &mut steps);
    let results = sums.iter().map(|row| {
        row.iter().rev().fold(-1, |value, s| {
            let doubled = steps.double(value);
            values.get(s).map_or(doubled, |s| steps.xor(doubled, *s))
        })
    });
    let results = results.collect();
    Plan { steps: steps.steps, results }
}

struct Steps {
    inputs: usize,
    steps: Vec<Step>,
    known: HashMap<Step, i32>,
}

impl Steps {
    fn xor(&mut self, a: i32, b: i32) -> i32 {
        if a == -1 || b == -1 {
            return a.max(b);
        }
        self.add(Step::Xor(a.min(b), a.max(b)), Step::Xor(a, b))
    }

    fn double(&mut self, a: i32) -> i32 {
        if a == -1 {
            return -1;
        }
        self.add(Step::Double(a), Step::Double(a))
    }

    fn add(&mut self, key: Step, step: Step) -> i32 {
        let next = (self.inputs + self.steps.len()) as i32;
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.steps.push(step);
        }
        number
    }
}

/// The number of the value of each sum.
fn shared(distinct: &BTreeSet<Sum>, steps: &mut Steps) -> HashMap<Sum, i32> {
    let mut sums: Vec<Sum> = distinct.iter().cloned().collect();
    loop {
        let mut counts: BTreeMap<(i32, i32), usize> = BTreeMap::new();
        for s in &sums {
            for (n, a) in s.iter().enumerate() {
                s.iter().skip(n + 1).for_each(|b| *counts.entry((*a, *b)).or_default() += 1);
            }
        }
        let Some(((a, b), _)) = counts.into_iter().min_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair))
        else {
            break;
        };
        let new = steps.xor(a, b);
        for s in sums.iter_mut().filter(|s| s.contains(&a) && s.contains(&b)) {
            s.remove(&a);
            s.remove(&b);
            if !s.insert(new) {
                s.remove(&new);
            }
        }
    }
    distinct.iter().cloned().zip(sums.iter().map(|s| s.first().copied().unwrap_or(-1))).collect()
}
