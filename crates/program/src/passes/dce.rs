//! `dce`: operations, carried values, tables, matrices and boxes that no result depends on are removed.
//!
//! Soundness: operations have no effects, so one whose results nobody reads can go; a carried value of a loop
//! is read if its result is, or if some body reads it for a value that is.

use std::collections::HashSet;

use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Function, Loop, Op, OpKind, Operand, Program, ValueId};
use crate::walk::{for_each_op, renumber, uses};

/// See the module's text.
pub struct Dce;

impl Pass for Dce {
    fn name(&self) -> &'static str {
        "dce"
    }

    fn description(&self) -> &'static str {
        "remove what no result depends on"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        program.functions.iter_mut().for_each(clean);
        drop_unused_constants(program);
        Ok(())
    }
}

/// Removes what the results of one function do not depend on.
pub fn clean(function: &mut Function) {
    let mut live = HashSet::new();
    // Ends, as does that of a loop: values only become live.
    loop {
        let before = live.len();
        mark_block(&function.body, &mut live);
        if live.len() == before {
            break;
        }
    }
    sweep(&mut function.body, &live);
    renumber(function);
}

fn mark_operands(list: &[Operand], live: &mut HashSet<ValueId>) {
    list.iter().for_each(|o| {
        if let Operand::Value(v) = o {
            live.insert(*v);
        }
    });
}

fn mark_block(block: &Block, live: &mut HashSet<ValueId>) {
    mark_operands(&block.outputs, live);
    mark_ops(block, live);
}

fn mark_ops(block: &Block, live: &mut HashSet<ValueId>) {
    for op in block.ops.iter().rev() {
        match &op.kind {
            OpKind::Loop(l) => mark_loop(l, op, live),
            kind if op.results.iter().any(|r| live.contains(r)) => uses(kind, &mut |v| {
                live.insert(v);
            }),
            _ => {}
        }
    }
}

fn is_carried_live(l: &Loop, op: &Op, k: usize, live: &HashSet<ValueId>) -> bool {
    live.contains(&op.results[k]) || l.bodies.iter().any(|b| live.contains(&b.params[k + 1]))
}

fn mark_loop(l: &Loop, op: &Op, live: &mut HashSet<ValueId>) {
    loop {
        let before = live.len();
        for k in (0..l.init.len()).filter(|&k| is_carried_live(l, op, k, live)).collect::<Vec<_>>() {
            l.bodies.iter().for_each(|body| mark_operands(&[body.outputs[k]], live));
        }
        l.bodies.iter().for_each(|body| mark_ops(body, live));
        if live.len() == before {
            break;
        }
    }
    for k in (0..l.init.len()).filter(|&k| is_carried_live(l, op, k, live)).collect::<Vec<_>>() {
        mark_operands(&[l.init[k]], live);
    }
}

fn sweep(block: &mut Block, live: &HashSet<ValueId>) {
    block.ops.retain_mut(|op| match &mut op.kind {
        OpKind::Loop(l) => {
            let mut results = std::mem::take(&mut op.results);
            sweep_loop(l, &mut results, live);
            op.results = results;
            !op.results.is_empty()
        }
        _ => op.results.iter().any(|r| live.contains(r)),
    });
}

fn sweep_loop(l: &mut Loop, results: &mut Vec<ValueId>, live: &HashSet<ValueId>) {
    let keep: Vec<bool> = (0..l.init.len())
        .map(|k| live.contains(&results[k]) || l.bodies.iter().any(|b| live.contains(&b.params[k + 1])))
        .collect();
    let filter = |n: usize| keep[n];
    retain(&mut l.init, filter);
    retain(results, filter);
    for body in &mut l.bodies {
        retain(&mut body.params, |n| n == 0 || keep[n - 1]);
        retain(&mut body.outputs, filter);
        sweep(body, live);
    }
}

fn retain<T>(list: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut n = 0;
    list.retain(|_| {
        n += 1;
        keep(n - 1)
    });
}

pub(super) fn drop_unused_constants(program: &mut Program) {
    let (mut tables, mut matrices, mut boxes) = (HashSet::new(), HashSet::new(), HashSet::new());
    for function in &program.functions {
        for_each_op(&function.body, &mut |op| match &op.kind {
            OpKind::Lookup(t, _) => drop(tables.insert(t.0)),
            OpKind::Linear(m, _) => drop(matrices.insert(m.0)),
            OpKind::Bitsliced(b, _) => drop(boxes.insert(b.0)),
            _ => {}
        });
    }
    let tables = kept_numbers(&mut program.tables, &tables);
    let matrices = kept_numbers(&mut program.matrices, &matrices);
    let boxes = kept_numbers(&mut program.boxes, &boxes);
    for function in &mut program.functions {
        crate::walk::for_each_block_mut(&mut function.body, &mut |block| {
            for op in &mut block.ops {
                match &mut op.kind {
                    OpKind::Lookup(t, _) => t.0 = tables[t.0 as usize],
                    OpKind::Linear(m, _) => m.0 = matrices[m.0 as usize],
                    OpKind::Bitsliced(b, _) => b.0 = boxes[b.0 as usize],
                    _ => {}
                }
            }
        });
    }
}

/// Drops what is not used and gives the new number of each.
fn kept_numbers<T>(list: &mut Vec<T>, used: &HashSet<u32>) -> Vec<u32> {
    let mut next = 0;
    let numbers = (0..list.len() as u32)
        .map(|n| {
            next += u32::from(used.contains(&n));
            next.wrapping_sub(u32::from(used.contains(&n)))
        })
        .collect();
    retain(list, |n| used.contains(&(n as u32)));
    numbers
}
