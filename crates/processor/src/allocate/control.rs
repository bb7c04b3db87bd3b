//! Operations that steer a kernel: loop counters, the branches that close loops, the return.

use program::Diagnostic;

use super::plan::{mover, Part, Plan, Shape};
use crate::code::{Carried, Op, Use, ValueId};
use crate::isa::{Control, Instruction, InstructionId, Isa, Operand, OperandKind};
use crate::semantics::{Expression, Operator, Statement, JUMP};

/// Closes every loop with a branch and the kernel with a return, in free slots of the last cycles where there are some.
///
/// # Errors
/// `M406`: the instruction set lacks a branch or a way to set its counter.
pub(super) fn close(plan: &mut Plan) -> Result<(), Diagnostic> {
    let mut k = 0;
    while k < plan.parts.len() {
        if let Shape::Loop { trips } = plan.parts[k].shape {
            k += straight_before(plan, k);
            counted(plan, k, trips)?;
        }
        if let Shape::Pipelined { interval, .. } = plan.parts[k].shape {
            let op = Op { uses: Vec::new(), ..bare(with_control(plan, Control::Rotating)?) };
            plan.place(k, op, interval - 1);
        }
        k += 1;
    }
    ret(plan)
}

/// Makes sure that something that runs once stands before a part; returns how many parts were added.
pub(super) fn straight_before(plan: &mut Plan, k: usize) -> usize {
    if k > 0 && plan.parts[k - 1].shape == Shape::Straight {
        return 0;
    }
    plan.parts.insert(k, Part::default());
    1
}

fn counted(plan: &mut Plan, k: usize, trips: u32) -> Result<(), Diagnostic> {
    let branch = match (with_control(plan, Control::Counted), counting(plan.isa())) {
        (Ok(branch), _) => branch,
        (Err(_), Some(pair)) => return counted_by_two(plan, k, trips, pair),
        (Err(error), None) => return Err(error),
    };
    let instruction = plan.isa().instructions[branch as usize].clone();
    let mut op = bare(branch);
    if let Some(class) = counter_class(&instruction) {
        // The number that is set: the branch counts down to 0 and goes on, or stops at it, as its semantics say.
        let number = i64::from(trips) - i64::from(stops_after_zero(plan, class));
        let start = set(plan, k - 1, class, number)?;
        let (now, next) = (plan.new_value("trips.now".into(), class), plan.new_value("trips.next".into(), class));
        let of = |kind: &OperandKind| match kind {
            OperandKind::Register(_) => Use::Value(now),
            OperandKind::Immediate(low, _) => Use::Immediate((*low).max(-1)),
        };
        op.uses = instruction.uses.iter().map(|o| of(&o.kind)).collect();
        op.defines = instruction.defines.iter().map(|_| next).collect();
        let next = if op.defines.is_empty() { now } else { next };
        if next != now {
            plan.parts[k].carried.push(Carried { value: now, init: start, next });
        }
    }
    at_the_end(plan, k, op);
    Ok(())
}

/// An instruction that subtracts a number, one that branches if a register is not 0, and the class of that register.
fn counting(isa: &Isa) -> Option<(InstructionId, InstructionId, usize)> {
    let branches = |i: &Instruction| {
        let [Operand { name, kind: OperandKind::Register(class) }] = i.uses.as_slice() else { return None };
        let wanted =
            Expression::Binary(Operator::Ne, Box::new(Expression::Name(name.clone())), Box::new(Expression::Number(0)));
        let found = i.control == Control::Conditional && i.semantics == [Statement::Assign(JUMP.into(), wanted)];
        found.then_some(*class)
    };
    let (branch, class) = isa.instructions.iter().enumerate().find_map(|(k, i)| Some((k, branches(i)?)))?;
    let subtracts = |i: &Instruction| {
        let ([d], [a, n]) = (i.defines.as_slice(), i.uses.as_slice()) else { return false };
        let name = |o: &Operand| Box::new(Expression::Name(o.name.clone()));
        let difference = Expression::Binary(Operator::Sub, name(a), name(n));
        let registers = d.kind == OperandKind::Register(class) && a.kind == d.kind;
        let one = matches!(n.kind, OperandKind::Immediate(low, high) if (low..=high).contains(&1));
        registers && one && i.semantics == [Statement::Assign(d.name.clone(), difference)]
    };
    let subtract = isa.instructions.iter().position(subtracts)?;
    Some((subtract as InstructionId, branch as InstructionId, class))
}

/// A loop whose counter is a general register, counted down by one instruction and looked at by the branch.
fn counted_by_two(
    plan: &mut Plan,
    k: usize,
    trips: u32,
    (subtract, branch, class): (InstructionId, InstructionId, usize),
) -> Result<(), Diagnostic> {
    let start = set(plan, k - 1, class, trips.into())?;
    let (now, next) = (plan.new_value("trips.now".into(), class), plan.new_value("trips.next".into(), class));
    let down = Op { uses: vec![Use::Value(now), Use::Immediate(1)], defines: vec![next], ..bare(subtract) };
    plan.insert(k, down, 0);
    plan.parts[k].carried.push(Carried { value: now, init: start, next });
    let ready = plan.ready(k, next, branch);
    let last = plan.length(k).saturating_sub(1).max(plan.parts[k].branch.unwrap_or(0)).max(ready);
    plan.insert(k, Op { uses: vec![Use::Value(next)], ..bare(branch) }, last);
    Ok(())
}

fn ret(plan: &mut Plan) -> Result<(), Diagnostic> {
    let branch = with_control(plan, Control::Return)?;
    let last = plan.parts.len();
    if last == 0 || plan.parts[last - 1].shape != Shape::Straight {
        plan.parts.push(Part::default());
    }
    let k = plan.parts.len() - 1;
    let op =
        Op { uses: plan.isa().instructions[branch as usize].uses.iter().map(|_| Use::Zero).collect(), ..bare(branch) };
    at_the_end(plan, k, op);
    Ok(())
}

/// Adds a branch in the last cycle of a part, or in one more.
fn at_the_end(plan: &mut Plan, k: usize, op: Op) {
    let last = plan.length(k).saturating_sub(1).max(plan.parts[k].branch.unwrap_or(0));
    plan.insert(k, op, last);
}

fn bare(instruction: InstructionId) -> Op {
    Op { instruction, defines: Vec::new(), uses: Vec::new(), guard: None, access: None, places: Vec::new() }
}

fn with_control(plan: &Plan, control: Control) -> Result<InstructionId, Diagnostic> {
    let found = plan.isa().instructions.iter().position(|i| i.control == control);
    let found = found.ok_or_else(|| {
        let what = control.name();
        Diagnostic::new("M406", format!("`{}` has no instruction with `control = \"{what}\"`", plan.isa().name))
    })?;
    Ok(u32::try_from(found).expect("fewer instructions than 2^32"))
}

fn counter_class(branch: &Instruction) -> Option<usize> {
    branch.uses.iter().chain(&branch.defines).find_map(|o| match o.kind {
        OperandKind::Register(class) => Some(class),
        OperandKind::Immediate(..) => None,
    })
}

/// Loop counters of their own (IA-64 `ar.lc`) hold the trips that are still to come after this one.
fn stops_after_zero(plan: &Plan, class: usize) -> bool {
    plan.isa().registers[class].usable.len() == 1
}

/// Sets a new value of a class to a number at the start of a part; over a general register if nothing sets it at once.
pub(super) fn set(plan: &mut Plan, k: usize, class: usize, number: i64) -> Result<ValueId, Diagnostic> {
    let start = plan.new_value("count".into(), class);
    if let Some(instruction) = setter(plan, class, number) {
        let op = Op { defines: vec![start], uses: vec![Use::Immediate(number)], ..bare(instruction) };
        plan.insert(k, op, 0);
        return Ok(start);
    }
    let general = plan.isa().registers.iter().position(|r| r.zero.is_some()).unwrap_or(class);
    let (Some(first), Some(second)) = (setter(plan, general, number), mover(plan.isa(), general, class)) else {
        let name = &plan.isa().registers[class].name;
        let message =
            format!("`{}` has no instruction that sets a register of class `{name}` to {number}", plan.isa().name);
        return Err(Diagnostic::new("M406", message));
    };
    let between = plan.new_value("count".into(), general);
    let op = Op { defines: vec![between], uses: vec![Use::Immediate(number)], ..bare(first) };
    let cycle = plan.insert(k, op, 0);
    let latency = plan.processor.latency(first, 0, second, Some(0)).max(1);
    plan.insert(k, Op { defines: vec![start], uses: vec![Use::Value(between)], ..bare(second) }, cycle + latency);
    Ok(start)
}

/// The instruction that sets a register of a class to a number.
fn setter(plan: &Plan, class: usize, number: i64) -> Option<InstructionId> {
    let sets = |i: &Instruction| {
        let ([d], [n]) = (i.defines.as_slice(), i.uses.as_slice()) else { return false };
        let OperandKind::Immediate(low, high) = n.kind else { return false };
        d.kind == OperandKind::Register(class)
            && (low..=high).contains(&number)
            && i.semantics == [Statement::Assign(d.name.clone(), Expression::Name(n.name.clone()))]
    };
    plan.isa().instructions.iter().position(sets).map(|k| k as InstructionId)
}
