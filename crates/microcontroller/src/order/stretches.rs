//! Stretches of code, cut where few values are alive.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::code::{Instruction, Value};

/// A cut has no fewer values alive within so many instructions.
const NEAR: usize = 30;
/// So many instructions come after a cut at least.
const SHORT: usize = 10;

/// The stretch that each instruction lies in.
pub(super) fn stretches(items: &[Arc<Instruction>], alive: &HashSet<Value>) -> Vec<i64> {
    let mut last: BTreeMap<Value, usize> = BTreeMap::new();
    let mut made: BTreeMap<Value, usize> = BTreeMap::new();
    for (n, i) in items.iter().enumerate() {
        last.extend(i.read().map(|s| (s, n)));
        made.extend(i.results().map(|d| (d, n)));
    }
    let mut change = vec![0i64; items.len() + 1];
    for (value, n) in &made {
        if last.contains_key(value) || alive.contains(value) {
            change[n + 1] += 1;
        }
    }
    for (value, n) in &last {
        if !alive.contains(value) {
            change[n + 1] -= 1;
        }
    }
    let counts: Vec<i64> = change
        .iter()
        .scan(0, |sum, c| {
            *sum += c;
            Some(*sum)
        })
        .collect();
    let mut cut = 0;
    (0..items.len())
        .map(|n| {
            let around = &counts[n.saturating_sub(NEAR)..counts.len().min(n + NEAR + 1)];
            if n - cut > SHORT && Some(&counts[n]) == around.iter().min() {
                cut = n;
            }
            cut as i64
        })
        .collect()
}
