//! From one software-pipelined loop to the next: a word goes straight from where the one left it to where the other wants it.
//!
//! Behind a loop of `R` rotations, what will be register `n` when the registers are turned back is register `n + R`. So the
//! words move in the cycle in which the registers turn back, before they do.

use std::collections::BTreeSet;

use super::live::used;
use super::plan::{mover, Plan, Shape};
use super::rotating::number;
use crate::code::{Op, Use, ValueId};

/// A word that goes from loop to loop.
struct Word {
    /// The copy's result, which only the second loop uses, and what is copied.
    kept: ValueId,
    there: ValueId,
    /// Numbers of the registers that the second loop wants it in.
    wanted: BTreeSet<i64>,
    class: usize,
}

/// Moves the words that the loop before left straight to where the loop `k` wants them; in the loop's carried values, their starts
/// become what was moved.
pub(super) fn direct(plan: &mut Plan, k: usize, interval: i64) {
    let Some(rotations) = rotations_before(plan, k) else { return };
    let words = words(plan, k, interval);
    let moves: usize = words.iter().map(|w| w.wanted.len()).sum();
    let resets = |op: &Op| plan.isa().instructions[op.instruction as usize].name == "clrrrb";
    let Some(reset) = plan.parts[k - 1].ops.iter().position(|p| resets(&p.op)).filter(|_| moves > 0) else { return };
    let Some(copies) = words.iter().map(|w| mover(plan.isa(), w.class, w.class)).collect::<Option<Vec<_>>>() else {
        return;
    };
    let before = plan.parts[k - 1].ops.clone();
    let turn = plan.parts[k - 1].ops.remove(reset).op;
    plan.parts[k - 1].ops.retain(|p| !words.iter().any(|w| p.op.defines == [w.kept]));
    let cycle = plan.length(k - 1).saturating_sub(1);
    let cycle = if fits(plan, k - 1, cycle, &turn, &copies, &words) { cycle } else { cycle + 1 };
    if !fits(plan, k - 1, cycle, &turn, &copies, &words) {
        plan.parts[k - 1].ops = before;
        return;
    }
    for (word, &instruction) in words.iter().zip(&copies) {
        for &wanted in &word.wanted {
            let name = plan.code.values[word.there as usize].name.clone();
            let moved = plan.new_value(name, word.class);
            let (defines, uses) = (vec![moved], vec![Use::Value(word.there)]);
            let op = Op { instruction, defines, uses, guard: None, access: None, places: Vec::new() };
            plan.place(k - 1, op, cycle);
            plan.rotation.early.insert(moved, (word.class, wanted + rotations));
            plan.rotation.fixed.insert(moved, String::new());
            for n in 0..plan.parts[k].carried.len() {
                let carried = plan.parts[k].carried[n];
                if carried.init == word.kept && target(plan, carried.value, interval) == Some(wanted) {
                    plan.parts[k].carried[n].init = moved;
                }
            }
        }
    }
    plan.place(k - 1, turn, cycle);
}

/// How often registers turned in the loop before, if nothing but straight-line code stands between.
fn rotations_before(plan: &Plan, k: usize) -> Option<i64> {
    match plan.parts[k.checked_sub(2)?].shape {
        Shape::Pipelined { iterations, stages, .. } => Some(i64::from(iterations + stages - 1)),
        _ => None,
    }
}

/// The register that a loop wants a carried word in.
fn target(plan: &Plan, value: ValueId, interval: i64) -> Option<i64> {
    plan.rotation.turns.get(&value).map(|&turn| number(turn, 0, interval))
}

/// The words that are copied before the loop, used by it alone, and left by the loop before.
fn words(plan: &Plan, k: usize, interval: i64) -> Vec<Word> {
    let mut found = Vec::new();
    for planned in &plan.parts[k - 1].ops {
        let (&[kept], &[Use::Value(there)]) = (planned.op.defines.as_slice(), planned.op.uses.as_slice()) else {
            continue;
        };
        let class = plan.code.values[kept as usize].class;
        let copies = mover(plan.isa(), class, class) == Some(planned.op.instruction);
        let left = plan.rotation.taken.contains_key(&there) && plan.rotation.fixed.contains_key(&there);
        let elsewhere = plan.parts.iter().flat_map(|p| &p.ops).any(|p| used(p).any(|v| v == kept))
            || plan.parts.iter().enumerate().any(|(n, p)| n != k && p.carried.iter().any(|c| c.init == kept));
        if !copies || !left || elsewhere {
            continue;
        }
        let own = plan.parts[k].carried.iter().filter(|c| c.init == kept);
        let wanted: Option<BTreeSet<i64>> = own.map(|c| target(plan, c.value, interval)).collect();
        found.extend(wanted.filter(|w| !w.is_empty()).map(|wanted| Word { kept, there, wanted, class }));
    }
    found
}

/// Whether all copies and what turns the registers back fit one cycle.
fn fits(plan: &Plan, part: usize, cycle: u32, turn: &Op, copies: &[u32], words: &[Word]) -> bool {
    let mut tried = plan.clone();
    let copies = copies.iter().zip(words).flat_map(|(&copy, word)| word.wanted.iter().map(move |_| copy));
    for instruction in copies.chain([turn.instruction]) {
        if !tried.has_room(part, cycle, instruction) {
            return false;
        }
        let op = Op { instruction, defines: vec![], uses: vec![], guard: None, access: None, places: vec![] };
        tried.place(part, op, cycle);
    }
    true
}

/// Writes the names of what was moved, once it is known how many registers turn.
pub(super) fn names(plan: &mut Plan) {
    for (&value, &(class, number)) in &plan.rotation.early.clone() {
        let size = plan.rotation.counts.get(class).copied().unwrap_or(0).max(1) as i64;
        let name = plan.isa().registers[class].rotating[number.rem_euclid(size) as usize].clone();
        plan.rotation.fixed.insert(value, name);
    }
}
