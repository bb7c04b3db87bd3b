//! The frame of the register stack: what a kernel uses of it beyond its inputs must be asked for before it is written.

use super::live::Live;
use super::plan::{Line, Plan, Shape};
use super::registers::Register;
use super::Allocation;

/// Adds the operation that sizes the frame, in a free slot before the frame is used, else in a cycle before all others.
pub(super) fn open(plan: &Plan, live: &Live, allocation: &mut Allocation, taken: &[Register]) {
    let isa = plan.isa();
    let (Some(instruction), Some(class)) = (isa.instruction("alloc"), isa.register_class("gr")) else { return };
    let stack = &isa.registers[class].rotating;
    let inputs = plan.code.inputs.len();
    let place = |name: &String| stack.iter().position(|r| r == name);
    let own = taken.iter().filter(|t| t.class == class);
    let turning = allocation.rotating[class];
    let size = own.clone().filter_map(|t| place(&t.name)).max().map_or(0, |k| k + 1).max(turning);
    if (size <= inputs && turning == 0) || allocation.blocks.is_empty() {
        return;
    }
    // The first write beyond the inputs or to what rotates decides.
    let beyond =
        own.filter(|t| place(&t.name).is_some_and(|k| k >= inputs)).flat_map(|t| &t.segments).map(|s| s.start).min();
    let entered = plan.parts[0].ops.iter().filter(|p| p.op.defines.iter().any(|d| plan.rotation.fixed.contains_key(d)));
    let entered = entered.map(|p| live.spans[0].0 + p.cycle).min();
    let latest = live.spans[0].1.min(beyond.unwrap_or(u32::MAX)).min(entered.unwrap_or(u32::MAX));
    let straight = plan.parts[0].shape == Shape::Straight && plan.parallel();
    let cycles = (live.spans[0].0..=latest).map(|tick| tick - live.spans[0].0);
    let found = cycles.filter(|&c| straight && plan.has_room(0, c, instruction));
    let slot = found.filter_map(|c| scratch(plan, class, taken, live.spans[0].0 + c).map(|r| (c, r))).next();
    let (cycle, target) = slot.unwrap_or_else(|| {
        allocation.blocks[0].lines.iter_mut().for_each(|l| l.cycle += 1);
        let registers = &plan.isa().registers[class];
        (0, registers.usable.iter().find(|r| place(r).is_none()).cloned().unwrap_or_default())
    });
    if !allocation.used[class].contains(&target) {
        allocation.used[class].push(target.clone());
    }
    let numbers = [inputs, size - inputs.min(size), 0, turning].map(|n| n.to_string());
    let lines = &mut allocation.blocks[0].lines;
    let at = lines.partition_point(|l| l.cycle < cycle);
    lines.insert(at, Line { cycle, instruction, defines: vec![target], uses: numbers.to_vec(), ..Line::default() });
}

/// A register outside of the stack that holds nothing at a tick, one that the kernel uses elsewhere if there is one: what
/// the frame was is not needed again.
fn scratch(plan: &Plan, class: usize, taken: &[Register], tick: u32) -> Option<String> {
    let registers = &plan.isa().registers[class];
    let own = |name: &String| {
        taken.iter().filter(|t| t.class == class && t.name == *name).flat_map(|t| &t.segments).collect::<Vec<_>>()
    };
    let free = |name: &&String| own(name).iter().all(|s| tick < s.start || tick > s.end);
    let statics = || registers.usable.iter().filter(|r| !registers.rotating.contains(r)).filter(free);
    statics().find(|r| !own(r).is_empty()).or_else(|| statics().next()).cloned()
}
