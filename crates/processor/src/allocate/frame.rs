//! The frame of the register stack: what a kernel uses of it beyond its inputs must be asked for at its start.

use super::plan::{Line, Plan};
use super::scan::Taken;
use super::Allocation;

/// Adds the operation that sizes the frame, in the first cycle if there is room, else in one before it.
pub(super) fn open(plan: &Plan, allocation: &mut Allocation, taken: &[Taken]) {
    let isa = plan.isa();
    let (Some(instruction), Some(class)) = (isa.instruction("alloc"), isa.register_class("gr")) else { return };
    let stack = &isa.registers[class].rotating;
    let inputs = plan.code.inputs.len();
    let turning = allocation.rotating[class];
    let top = taken.iter().filter(|t| t.0 == class).filter_map(|t| stack.iter().position(|r| *r == t.1)).max();
    let size = top.map_or(0, |k| k + 1).max(turning);
    if size <= inputs && turning == 0 {
        return;
    }
    let Some(block) = allocation.blocks.first_mut() else { return };
    let room = plan.parts[0].shape == super::Shape::Straight && plan.has_room(0, 0, instruction);
    if !room {
        block.lines.iter_mut().for_each(|l| l.cycle += 1);
    }
    let numbers = [inputs, size - inputs.min(size), 0, turning].map(|n| n.to_string());
    let target = scratch(plan, class, taken, allocation);
    let Some(block) = allocation.blocks.first_mut() else { return };
    block.lines.insert(0, Line { instruction, defines: vec![target], uses: numbers.to_vec(), ..Line::default() });
}

/// A register outside of the stack that holds nothing at the start: what the frame was is not needed again.
fn scratch(plan: &Plan, class: usize, taken: &[Taken], allocation: &mut Allocation) -> String {
    let registers = &plan.isa().registers[class];
    let statics = || registers.usable.iter().filter(|r| !registers.rotating.contains(r));
    let first = |name: &String| {
        let own = taken.iter().filter(|t| t.0 == class && t.1 == *name).flat_map(|t| &t.2);
        own.map(|s| s.start).min()
    };
    // Ticks start at 2: the first cycle.
    let later = statics().find(|r| first(r).is_some_and(|start| start > 2));
    if let Some(name) = later {
        return name.clone();
    }
    let unused = statics().find(|r| first(r).is_none()).or(registers.usable.first()).cloned().unwrap_or_default();
    allocation.used[class].push(unused.clone());
    unused
}
