//! What one iteration of a loop hands to the next: one register where the lives allow it, else a copy.

use program::Diagnostic;

use super::live::{used, Live, Webs};
use super::plan::{Part, Plan, Shape};
use super::rotating;
use crate::code::{Op, Use, ValueId};

/// Adds the copies that the loops need, so that every carried value, its start and its successor fit one register.
///
/// # Errors
/// `M402`: the instruction set has no copy.
pub(super) fn hand_over(plan: &mut Plan) -> Result<(), Diagnostic> {
    starts(plan)?;
    ends(plan)?;
    if plan.parts.iter().all(|part| part.carried.is_empty()) {
        return Ok(());
    }
    let most = 3 * plan.parts.iter().map(|p| p.carried.len()).sum::<usize>() + 1;
    for _ in 0..most {
        let live = Live::of(plan);
        let (_, failed) = webs(plan, &live);
        let Some((part, carried)) = pick(plan, &failed) else { return Ok(()) };
        successor(plan, part, carried)?;
    }
    unreachable!("every copy settles one carried value")
}

/// Joins what shares a register; the carried values that do not fit are returned as (part, number).
pub(super) fn webs(plan: &Plan, live: &Live) -> (Webs, Vec<(usize, usize)>) {
    let mut webs = Webs::of(plan, live);
    let mut failed = Vec::new();
    for (k, part) in plan.parts.iter().enumerate() {
        if let Shape::Pipelined { .. } = part.shape {
            let still = (0..part.carried.len()).filter(|&n| rotating::in_place(plan, k, n));
            still.map(|n| part.carried[n]).for_each(|c| {
                webs.join(c.init, c.value);
                webs.join(c.value, c.next);
            });
            continue;
        }
        let (_, last) = live.spans[k];
        for (n, carried) in part.carried.iter().enumerate() {
            let own = part.ops.iter().any(|p| p.op.defines.contains(&carried.next));
            let taken = part.carried[..n].iter().any(|c| c.next == carried.next);
            webs.join(carried.init, carried.value);
            if !own || taken || !webs.fit(carried.value, carried.next, last + 1) {
                failed.push((k, n));
            } else {
                webs.join(carried.value, carried.next);
            }
        }
    }
    (webs, failed)
}

/// Copies the first iteration's values where they are needed elsewhere, too.
fn starts(plan: &mut Plan) -> Result<(), Diagnostic> {
    let mut k = 0;
    while k < plan.parts.len() {
        if plan.parts[k].shape == Shape::Straight {
            k += 1;
            continue;
        }
        k += super::control::straight_before(plan, k);
        for n in 0..plan.parts[k].carried.len() {
            if matches!(plan.parts[k].shape, Shape::Pipelined { .. }) && !rotating::in_place(plan, k, n) {
                continue;
            }
            let live = Live::of(plan);
            let (first, _) = live.spans[k];
            let carried = plan.parts[k].carried[n];
            let needed = live.segments[carried.init as usize].iter().any(|s| s.end > first - 1);
            let shared = plan.parts[k].carried[..n].iter().any(|c| c.init == carried.init);
            if needed || shared {
                plan.parts[k].carried[n].init = copy(plan, k - 1, carried.init, 0)?;
            }
        }
        k += 1;
    }
    Ok(())
}

/// Copies, in every iteration, what is needed behind a loop of what its last iteration began with.
fn ends(plan: &mut Plan) -> Result<(), Diagnostic> {
    for k in 0..plan.parts.len() {
        for n in 0..plan.parts[k].carried.len() {
            // What rotates can be read behind its loop.
            if matches!(plan.parts[k].shape, Shape::Pipelined { .. }) && !rotating::in_place(plan, k, n) {
                continue;
            }
            let value = plan.parts[k].carried[n].value;
            let behind = |p: &Part| {
                p.carried.iter().any(|c| c.init == value) || p.ops.iter().any(|o| used(o).any(|v| v == value))
            };
            if !plan.parts[k + 1..].iter().any(behind) {
                continue;
            }
            let saved = copy(plan, k, value, 0)?;
            for part in &mut plan.parts[k + 1..] {
                part.carried.iter_mut().filter(|c| c.init == value).for_each(|c| c.init = saved);
                for planned in &mut part.ops {
                    planned
                        .op
                        .uses
                        .iter_mut()
                        .filter(|u| **u == Use::Value(value))
                        .for_each(|u| *u = Use::Value(saved));
                    planned.op.guard = planned.op.guard.map(|g| if g == value { saved } else { g });
                }
            }
        }
    }
    Ok(())
}

/// The carried value to settle next: one that no other one has still to read; if there is none, a cycle is cut.
fn pick(plan: &mut Plan, failed: &[(usize, usize)]) -> Option<(usize, usize)> {
    let read = |plan: &Plan, (k, n): (usize, usize)| {
        let value = plan.parts[k].carried[n].value;
        failed
            .iter()
            .copied()
            .filter(|&(j, m)| j == k && m != n && plan.parts[j].carried[m].next == value)
            .collect::<Vec<_>>()
    };
    let first = *failed.first()?;
    let free = failed.iter().copied().find(|&c| read(plan, c).is_empty());
    if free.is_some() {
        return free;
    }
    let value = plan.parts[first.0].carried[first.1].value;
    if let Ok(saved) = copy(plan, first.0, value, 0) {
        for (j, m) in read(plan, first) {
            plan.parts[j].carried[m].next = saved;
        }
    }
    Some(first)
}

/// Copies what the next iteration gets into a register of its own, behind the last reader of the old one.
fn successor(plan: &mut Plan, k: usize, n: usize) -> Result<(), Diagnostic> {
    let carried = plan.parts[k].carried[n];
    let reads = |p: &super::plan::ScheduledOp| used(p).any(|v| v == carried.value);
    let last = plan.parts[k].ops.iter().filter(|p| reads(p)).map(|p| p.cycle).max();
    // In the cycle of the last reader, behind it.
    let free = last.unwrap_or(0);
    plan.parts[k].carried[n].next = copy(plan, k, carried.next, free)?;
    Ok(())
}

/// Adds a copy of a value to a part, at the earliest in a given cycle; returns the new value.
pub(super) fn copy(plan: &mut Plan, part: usize, value: ValueId, earliest: u32) -> Result<ValueId, Diagnostic> {
    let (name, class) = (plan.code.values[value as usize].name.clone(), plan.code.values[value as usize].class);
    let instruction = plan.copy_of(class)?;
    let ready = plan.ready(part, value, instruction).max(earliest);
    let copied = plan.new_value(format!("{name}.copy"), class);
    let op = Op {
        instruction,
        defines: vec![copied],
        uses: vec![Use::Value(value)],
        guard: None,
        access: None,
        places: Vec::new(),
    };
    plan.insert(part, op, ready);
    plan.copies += 1;
    Ok(copied)
}
