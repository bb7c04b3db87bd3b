//! What one trip of a loop hands to the next: one register where the lives allow it, else a copy.

use program::Diagnostic;

use super::live::{Live, Webs};
use super::plan::{Plan, Shape};
use crate::code::{Carried, Op, Use, ValueId};

/// Adds the copies that the loops need, so that every carried value, its start and its successor fit one register.
///
/// # Errors
/// `M402`: the instruction set has no copy.
pub(super) fn hand_over(plan: &mut Plan) -> Result<(), Diagnostic> {
    starts(plan)?;
    let most = 3 * plan.parts.iter().map(|p| p.carried.len()).sum::<usize>() + 1;
    for _ in 0..most {
        let live = Live::of(plan);
        let (_, failed) = webs(plan, &live);
        let Some((part, carried)) = pick(plan, &failed) else { return Ok(()) };
        successor(plan, &live, part, carried)?;
    }
    unreachable!("every copy settles one carried value")
}

/// Joins what shares a register; the carried values that do not fit are returned as (part, number).
pub(super) fn webs(plan: &Plan, live: &Live) -> (Webs, Vec<(usize, usize)>) {
    let mut webs = Webs::of(plan, live);
    let mut failed = Vec::new();
    for (k, part) in plan.parts.iter().enumerate().filter(|(_, p)| matches!(p.shape, Shape::Loop { .. })) {
        let (first, last) = live.spans[k];
        for (n, carried) in part.carried.iter().enumerate() {
            let own = part.ops.iter().any(|p| p.op.defines.contains(&carried.next));
            let taken = part.carried[..n].iter().any(|c| c.next == carried.next);
            webs.join_start(carried, first - 1);
            if !own || taken || !webs.fit(carried.value, carried.next, last + 1) {
                failed.push((k, n));
            } else {
                webs.join(carried.value, carried.next);
            }
        }
    }
    (webs, failed)
}

impl Webs {
    fn join_start(&mut self, carried: &Carried, _entry: u32) {
        self.join(carried.init, carried.value);
    }
}

/// Copies the first trip's values where they are needed elsewhere, too.
fn starts(plan: &mut Plan) -> Result<(), Diagnostic> {
    let mut k = 0;
    while k < plan.parts.len() {
        if !matches!(plan.parts[k].shape, Shape::Loop { .. }) {
            k += 1;
            continue;
        }
        k += super::control::straight_before(plan, k);
        for n in 0..plan.parts[k].carried.len() {
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

/// Copies what the next trip gets into a register of its own, behind the last reader of the old one.
fn successor(plan: &mut Plan, live: &Live, k: usize, n: usize) -> Result<(), Diagnostic> {
    let carried = plan.parts[k].carried[n];
    let reads = |p: &super::plan::Planned| super::live::used(p).any(|v| v == carried.value);
    let last = plan.parts[k].ops.iter().filter(|p| reads(p)).map(|p| p.cycle).max();
    let free = last.map_or(0, |c| c + u32::from(plan.parallel()));
    debug_assert!(live.spans.len() == plan.parts.len());
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
