//! How the indices of loops are counted.

use std::collections::HashMap;

use program::ir::{OpKind, ValueId};

use super::build::{stride, sums};
use super::regions::{array_type, LoopRegion, Regions};
use program::ir::Function;

/// What an address can multiply a register by.
pub(super) const SCALES: [i64; 4] = [1, 2, 4, 8];

/// A loop's counter: it ends at 0 and changes by `step` with each iteration; the index is `counter / step + iterations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// How many iterations there are.
    pub iterations: i64,
    /// What is added with each.
    pub step: i64,
    /// It is in a register; else in a cell.
    pub register: bool,
    /// The cell.
    pub cell: i64,
}

impl Counter {
    /// What it begins with.
    #[must_use]
    pub fn start(&self) -> i64 {
        -self.iterations * self.step
    }
}

/// The counter of a loop, so that addresses need no more than a scale, most of them; one in memory is at a cell.
pub(super) fn counter(function: &Function, found: &Regions<'_>, loop_: &LoopRegion, cell: i64) -> Counter {
    let iterations = loop_.iterations;
    let Some(body) = loop_.innermost() else { return Counter { iterations, step: 1, register: false, cell } };
    let weights = weights(function, found, body, loop_.index);
    let Some(least) = weights.iter().map(|(elements, _)| elements.abs()).min() else {
        return Counter { iterations, step: 1, register: true, cell };
    };
    let upwards = weights.iter().filter(|(elements, _)| *elements > 0).count() * 2 >= weights.len();
    let sign = if upwards { 1 } else { -1 };
    let fits = |step: i64| {
        let fit = |bytes: i64| sign * bytes % step == 0 && SCALES.contains(&(sign * bytes / step));
        weights.iter().filter(|(_, bytes)| fit(*bytes)).count()
    };
    let steps = (1..=least).filter(|step| weights.iter().all(|(elements, _)| elements % step == 0));
    let step = steps.max_by_key(|&step| (fits(step), -step)).unwrap_or(1);
    Counter { iterations, step: sign * step, register: true, cell: 0 }
}

/// By how many elements, and bytes, each address or word of a region changes with an index, if it does.
fn weights(function: &Function, found: &Regions<'_>, region: usize, index: ValueId) -> Vec<(i64, i64)> {
    let of = |op: &&program::ir::Op| {
        let (dims, bytes) = match &op.kind {
            OpKind::Load(array, _) | OpKind::Store(array, ..) => {
                let ty = array_type(function, found.roots[array]);
                (&ty.dims[..], i64::from(ty.width / 8))
            }
            _ => (&[][..], 1),
        };
        let weight =
            |sum: &program::ir::Affine| sum.terms.iter().filter(|term| term.1 == index).map(|term| term.0).sum::<i64>();
        let elements: i64 = sums(&op.kind)
            .into_iter()
            .enumerate()
            .map(|(k, sum)| weight(sum) * if dims.is_empty() { 1 } else { stride(dims, k) })
            .sum();
        (elements, elements * bytes)
    };
    found.straight[region].ops.iter().map(of).filter(|(elements, _)| *elements != 0).collect()
}

/// The counters of all loops by their indices; those in memory get cells behind the words'.
pub(super) fn counters(function: &Function, found: &mut Regions<'_>) -> HashMap<ValueId, Counter> {
    fn add(
        function: &Function,
        found: &mut Regions<'_>,
        regions: &[super::regions::Region],
        counters: &mut HashMap<ValueId, Counter>,
    ) {
        for one in regions {
            if let super::regions::Region::Loop(loop_) = one {
                let made = counter(function, found, loop_, found.bytes);
                found.bytes += if made.register { 0 } else { 4 };
                counters.insert(loop_.index, made);
                add(function, found, &loop_.body, counters);
            }
        }
    }
    let mut made = HashMap::new();
    let regions = std::mem::take(&mut found.regions);
    add(function, found, &regions, &mut made);
    found.regions = regions;
    made
}
