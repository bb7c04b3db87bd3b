//! How many operations a function has.

use std::collections::BTreeMap;

use crate::ir::{Block, Function, OpKind, Program};

/// Operations of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// As they stand in the function's text, each once.
    pub fixed: u64,
    /// As they run: loop bodies times their iterations, with the operations of called functions.
    pub executed: u64,
}

/// Counts by the word of the operation (`add`, `load`, `rounds`); `None` if the program has no such function.
#[must_use]
pub fn statistics(program: &Program, function: &str) -> Option<BTreeMap<&'static str, Count>> {
    let mut counted: BTreeMap<&str, BTreeMap<&'static str, Count>> = BTreeMap::new();
    for f in &program.functions {
        let counts = count(f, &counted);
        counted.insert(&f.name, counts);
    }
    counted.remove(function)
}

type Counts = BTreeMap<&'static str, Count>;

fn count(function: &Function, callees: &BTreeMap<&str, Counts>) -> Counts {
    let mut counts = Counts::new();
    count_block(&function.body, 1, callees, &mut counts);
    counts
}

fn count_block(block: &Block, times: u64, callees: &BTreeMap<&str, Counts>, counts: &mut Counts) {
    for op in &block.ops {
        let entry = counts.entry(op.kind.mnemonic()).or_default();
        entry.fixed += 1;
        entry.executed = entry.executed.saturating_add(times);
        match &op.kind {
            OpKind::Loop(l) => {
                for (n, body) in l.bodies.iter().enumerate() {
                    let iterations = l.iterations_of(n).len() as u64;
                    count_block(body, times.saturating_mul(iterations), callees, counts);
                }
            }
            OpKind::Call(name, _) => {
                for (kind, inside) in callees.get(name.as_str()).into_iter().flatten() {
                    let entry = counts.entry(kind).or_default();
                    entry.executed = entry.executed.saturating_add(times.saturating_mul(inside.executed));
                }
            }
            _ => {}
        }
    }
}
