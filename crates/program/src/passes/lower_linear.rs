//! `lower-linear`: multiplication by a matrix over GF(2^n) becomes shifts and exclusive ors.
//!
//! Identity: `c * x` is the sum over the set bits `k` of `c` of `x * 2^k`, and
//! `x * 2 = (x << 1) ^ (polynomial if the top bit of x was set)`; the condition is made a mask, so the result is free of branches and look-ups.
//! Sums that several rows have in common are computed once: as long as some two terms stand together in two rows, the pair that
//! stands together in most becomes a term of its own (of equals the one that is ready first).

use std::collections::{BTreeMap, BTreeSet};

use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Matrix, Op, OpKind, Operand, Program, Shift, Type};

/// See the module's text.
pub struct LowerLinear;

impl Pass for LowerLinear {
    fn name(&self) -> &'static str {
        "lower-linear"
    }

    fn description(&self) -> &'static str {
        "write matrices over GF(2^n) as shifts and exclusive ors"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        let plans: Vec<Plan> = program.matrices.iter().map(Plan::new).collect();
        for function in &mut program.functions {
            rewrite(function, &mut |r, op| match &op.kind {
                OpKind::Linear(id, inputs) => {
                    let inputs = inputs.clone();
                    write(r, &plans[id.0 as usize], &inputs, &op);
                }
                _ => r.keep(op),
            });
        }
        Ok(())
    }
}

/// How a matrix is computed: terms, each made from earlier ones, and the terms that each row adds up.
struct Plan {
    polynomial: u64,
    terms: Vec<Term>,
    rows: Vec<Vec<usize>>,
}

#[derive(Clone, Copy)]
enum Term {
    /// An input.
    Input(usize),
    /// Twice an earlier term.
    Double(usize),
    /// The sum of two.
    Sum(usize, usize),
}

impl Plan {
    fn new(matrix: &Matrix) -> Plan {
        let degree = 63 - matrix.polynomial.leading_zeros() as usize;
        let columns = matrix.rows.first().map_or(0, Vec::len);
        let mut plan = Plan { polynomial: matrix.polynomial, terms: Vec::new(), rows: Vec::new() };
        let mut number: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for column in 0..columns {
            let all = matrix.rows.iter().fold(0, |bits, row| bits | row[column]);
            let highest = (0..degree).rev().find(|&k| all >> k & 1 == 1);
            for power in 0..highest.map_or(0, |h| h + 1) {
                number.insert((column, power), plan.terms.len());
                plan.terms.push(if power == 0 { Term::Input(column) } else { Term::Double(plan.terms.len() - 1) });
            }
        }
        let mut rows: Vec<BTreeSet<usize>> = Vec::new();
        for row in &matrix.rows {
            let bits = row
                .iter()
                .enumerate()
                .flat_map(|(c, &f)| (0..degree).filter(move |k| f >> k & 1 == 1).map(move |k| (c, k)));
            rows.push(bits.map(|key| number[&key]).collect());
        }
        plan.share(&mut rows);
        plan.rows = rows.into_iter().map(|row| row.into_iter().collect()).collect();
        plan
    }

    fn share(&mut self, rows: &mut [BTreeSet<usize>]) {
        let mut depth: Vec<usize> = self.terms.iter().map(|t| usize::from(matches!(t, Term::Double(_)))).collect();
        // Ends: each iteration shortens two rows at least.
        loop {
            let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for row in rows.iter() {
                for (n, &a) in row.iter().enumerate() {
                    row.iter().skip(n + 1).for_each(|&b| *counts.entry((a, b)).or_insert(0) += 1);
                }
            }
            let best = counts
                .into_iter()
                .filter(|(_, count)| *count > 1)
                .min_by_key(|&((a, b), count)| (usize::MAX - count, depth[a].max(depth[b]), a, b));
            let Some(((a, b), _)) = best else { return };
            let sum = self.terms.len();
            self.terms.push(Term::Sum(a, b));
            depth.push(depth[a].max(depth[b]) + 1);
            for row in rows.iter_mut().filter(|row| row.contains(&a) && row.contains(&b)) {
                row.remove(&a);
                row.remove(&b);
                row.insert(sum);
            }
        }
    }
}

fn write(r: &mut Rewriter<'_>, plan: &Plan, inputs: &[Operand], op: &Op) {
    let Type::Word(width) = *r.builder.ty(op.results[0]) else { return };
    let mut made: Vec<Operand> = Vec::with_capacity(plan.terms.len());
    for term in &plan.terms {
        let value = match *term {
            Term::Input(column) => inputs[column],
            Term::Double(half) => doubled(r, made[half], plan.polynomial, width),
            Term::Sum(a, b) => r.xor(made[a], made[b], width),
        };
        made.push(value);
    }
    for (row, &result) in plan.rows.iter().zip(&op.results) {
        let terms: Vec<Operand> = row.iter().map(|&t| made[t]).collect();
        let sum = r.xor_all(&terms, width);
        r.stand(result, sum);
    }
}

fn doubled(r: &mut Rewriter<'_>, x: Operand, polynomial: u64, width: u8) -> Operand {
    let low = if width == 64 { polynomial } else { polynomial & ((1 << width) - 1) };
    if width == 1 {
        return r.word(1, OpKind::Binary(Binary::And, x, Operand::Const(low)));
    }
    let shifted = r.shift(Shift::Shl, x, 1, width);
    let top = r.shift(Shift::Shr, x, u64::from(width) - 1, width);
    let mask = r.word(width, OpKind::Binary(Binary::Sub, Operand::Const(0), top));
    let reduction = r.word(width, OpKind::Binary(Binary::And, mask, Operand::Const(low)));
    r.xor(shifted, reduction, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_sums_are_shared() {
        // sums of bytes: each output is the exclusive or of the inputs listed
        let lists = ["234567", "134678", "124578", "123568", "12456", "12367", "23478", "13458"];
        let row = |list: &str| (1..=8).map(|n: u32| u64::from(list.contains(&n.to_string()))).collect();
        let rows = lists.iter().map(|l| row(l)).collect();
        let plan = Plan::new(&Matrix { name: "P".into(), polynomial: 3, rows });
        let sums = plan.terms.iter().filter(|t| matches!(t, Term::Sum(..))).count();
        let joins: usize = plan.rows.iter().map(|r| r.len() - 1).sum();
        assert!(sums + joins <= 22, "{}", sums + joins);
    }
}
