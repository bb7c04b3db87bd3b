//! `order-by-use`: every operation stands just before the first that needs it.
//!
//! A key schedule whose description first fills one array and then makes another of it so becomes one sweep, with few values
//! waiting between. The order of what the results need is kept: the oldest store first. `function` keeps to functions whose
//! names are joined by `+`.
//!
//! Soundness: operations have no effects, so any order in which values stand before their uses computes the same.

use std::collections::HashMap;

use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Op, OpKind, Operand, Program, ValueId};
use crate::walk::{for_each_block_mut, renumber, uses};

/// See the module's text.
pub struct OrderByUse;

impl Pass for OrderByUse {
    fn name(&self) -> &'static str {
        "order-by-use"
    }

    fn description(&self) -> &'static str {
        "put every operation just before the first that needs it"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in settings.functions(program) {
            for_each_block_mut(&mut function.body, &mut order);
            renumber(function);
        }
        Ok(())
    }
}

fn order(block: &mut Block) {
    let ops = std::mem::take(&mut block.ops);
    let maker: HashMap<ValueId, usize> =
        ops.iter().enumerate().flat_map(|(n, op)| op.results.iter().map(move |&r| (r, n))).collect();
    let mut placed = vec![false; ops.len()];
    let mut sequence = Vec::with_capacity(ops.len());
    let roots = block.outputs.iter().filter_map(|o| match o {
        Operand::Value(v) => maker.get(v).copied(),
        Operand::Const(_) => None,
    });
    for root in roots.chain(0..ops.len()).collect::<Vec<_>>() {
        place(root, &ops, &maker, &mut placed, &mut sequence);
    }
    let mut slots: Vec<Option<Op>> = ops.into_iter().map(Some).collect();
    block.ops = sequence.into_iter().filter_map(|n| slots[n].take()).collect();
}

/// Places what an operation needs, then itself; a stack of its own, since chains of stores are long.
fn place(root: usize, ops: &[Op], maker: &HashMap<ValueId, usize>, placed: &mut [bool], sequence: &mut Vec<usize>) {
    let mut stack = vec![(root, false)];
    while let Some((n, ready)) = stack.pop() {
        if placed[n] {
            continue;
        }
        if ready {
            placed[n] = true;
            sequence.push(n);
            continue;
        }
        stack.push((n, true));
        let mut needed = Vec::new();
        needs(&ops[n], &mut |v| needed.extend(maker.get(&v).copied()));
        stack.extend(needed.into_iter().rev().filter(|&m| !placed[m]).map(|m| (m, false)));
    }
}

/// Every value of the surrounding block that an operation uses, also inside its bodies.
fn needs(op: &Op, f: &mut dyn FnMut(ValueId)) {
    uses(&op.kind, f);
    if let OpKind::Loop(l) = &op.kind {
        for body in &l.bodies {
            body.ops.iter().for_each(|inner| needs(inner, f));
            body.outputs.iter().for_each(|o| {
                if let Operand::Value(v) = o {
                    f(*v);
                }
            });
        }
    }
}
