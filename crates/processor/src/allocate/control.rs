//! Operations that steer a kernel: loop counters, the branches that close loops, the return.

use program::Diagnostic;

use super::plan::{mover, Part, Plan, Shape};
use crate::code::{CarriedValue, Op, Use, ValueId};
use crate::isa::{execute, Control, Instruction, InstructionId, Isa, Operand, OperandKind};
use crate::semantics::{Expression, NoMemory, Operator, Statement, JUMP};

/// Closes every loop with a branch and the kernel with a return, in free slots of the last cycles where there are some.
///
/// # Errors
/// `M406`: the instruction set lacks a branch or a way to set its counter.
pub(super) fn close(plan: &mut Plan) -> Result<(), Diagnostic> {
    let mut k = 0;
    while k < plan.parts.len() {
        if let Shape::Loop { iterations } = plan.parts[k].shape {
            k += straight_before(plan, k);
            counted(plan, k, iterations)?;
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

fn counted(plan: &mut Plan, k: usize, iterations: u32) -> Result<(), Diagnostic> {
    let branch = match (with_control(plan, Control::Counted), counting(plan.isa())) {
        (Ok(branch), _) => branch,
        (Err(_), Some(counting)) => return counted_by_two(plan, k, iterations, &counting),
        (Err(error), None) => return Err(error),
    };
    let instruction = plan.isa().instructions[branch as usize].clone();
    let mut op = bare(branch);
    if let Some(class) = counter_class(&instruction) {
        // The number that is set: the branch counts down to 0 and goes on, or stops at it, as its semantics say.
        let number = i64::from(iterations) - i64::from(stops_after_zero(plan, class));
        let start = set(plan, k - 1, class, number)?;
        let (now, next) =
            (plan.new_value("iterations.now".into(), class), plan.new_value("iterations.next".into(), class));
        let of = |kind: &OperandKind| match kind {
            OperandKind::Register(_) => Use::Value(now),
            OperandKind::Immediate(low, _) => Use::Immediate((*low).max(-1)),
        };
        op.uses = instruction.uses.iter().map(|o| of(&o.kind)).collect();
        op.defines = instruction.defines.iter().map(|_| next).collect();
        let next = if op.defines.is_empty() { now } else { next };
        if next != now {
            plan.parts[k].carried.push(CarriedValue { value: now, init: start, next });
        }
    }
    at_the_end(plan, k, op);
    Ok(())
}

/// How an instruction set without counted branches counts: an instruction takes 1 from a register, a branch looks at the
/// difference, or at what the same instruction leaves for it (a flag).
struct CounterIdiom {
    down: InstructionId,
    /// What is added to take 1, in the place of the number: 1 or -1.
    step: i64,
    /// Which of the instruction's results is the difference, and which the branch looks at.
    difference: usize,
    watched: usize,
    branch: InstructionId,
    class: usize,
}

fn counting(isa: &Isa) -> Option<CounterIdiom> {
    isa.instructions.iter().enumerate().find_map(|(k, i)| {
        let [Operand { name, kind: OperandKind::Register(class) }] = i.uses.as_slice() else { return None };
        let wanted =
            Expression::Binary(Operator::Ne, Box::new(Expression::Name(name.clone())), Box::new(Expression::Number(0)));
        let found = i.control == Control::Conditional && i.semantics == [Statement::Assign(JUMP.into(), wanted)];
        found.then(|| counting_for(isa, k as InstructionId, *class)).flatten()
    })
}

/// The instruction that counts down for a branch that looks at a register of a class.
fn counting_for(isa: &Isa, branch: InstructionId, watched: usize) -> Option<CounterIdiom> {
    let tried = |k: usize, i: &Instruction| {
        let [Operand { kind: OperandKind::Register(class), .. }, n] = i.uses.as_slice() else { return None };
        let OperandKind::Immediate(low, high) = n.kind else { return None };
        let of = |class: usize| i.defines.iter().position(|d| d.kind == OperandKind::Register(class));
        let (difference, watched) = (of(*class)?, of(watched)?);
        let step = [1, -1].into_iter().find(|step| counts_down(isa, i, *step, difference, watched))?;
        let plain = i.control == Control::None && i.defines.iter().all(|d| d.name != i.uses[0].name);
        let fits = plain && (low..=high).contains(&step);
        fits.then_some(CounterIdiom { down: k as InstructionId, step, difference, watched, branch, class: *class })
    };
    isa.instructions.iter().enumerate().find_map(|(k, i)| tried(k, i))
}

/// Whether an instruction takes 1 from a register, and what the branch looks at is 0 for the difference 0 alone.
fn counts_down(isa: &Isa, i: &Instruction, step: i64, difference: usize, watched: usize) -> bool {
    [1u64, 2, 3, 256, 1 << 20].into_iter().all(|n| {
        let found = execute(isa, i, &[n, step as u64], &mut NoMemory);
        found.is_ok_and(|list| list[difference] == n - 1 && (list[watched] == 0) == (n == 1))
    })
}

/// A loop whose counter is a general register, counted down by one instruction and looked at by the branch.
fn counted_by_two(plan: &mut Plan, k: usize, iterations: u32, counting: &CounterIdiom) -> Result<(), Diagnostic> {
    let &CounterIdiom { down, branch, class, .. } = counting;
    let start = set(plan, k - 1, class, iterations.into())?;
    let (now, next) = (plan.new_value("iterations.now".into(), class), plan.new_value("iterations.next".into(), class));
    let kinds: Vec<OperandKind> =
        plan.isa().instructions[down as usize].defines.iter().map(|d| d.kind.clone()).collect();
    let mut defines = Vec::new();
    for (n, kind) in kinds.iter().enumerate() {
        defines.push(match kind {
            OperandKind::Register(other) if n != counting.difference => {
                plan.new_value("more.iterations".into(), *other)
            }
            _ => next,
        });
    }
    let watched = defines[counting.watched];
    plan.insert(k, Op { uses: vec![Use::Value(now), Use::Immediate(counting.step)], defines, ..bare(down) }, 0);
    plan.parts[k].carried.push(CarriedValue { value: now, init: start, next });
    let ready = plan.ready(k, watched, branch);
    let last = plan.length(k).saturating_sub(1).max(plan.parts[k].branch.unwrap_or(0)).max(ready);
    plan.insert(k, Op { uses: vec![Use::Value(watched)], ..bare(branch) }, last);
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

/// Loop counters of their own (IA-64 `ar.lc`) hold the iterations that are still to come after this one.
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
    let general = plan.isa().general();
    let (Some(first), Some(second)) = (setter(plan, general, number), mover(plan.isa(), general, class)) else {
        let name = &plan.isa().registers[class].name;
        let message =
            format!("`{}` has no instruction that sets a register of class `{name}` to {number}", plan.isa().name);
        return Err(Diagnostic::new("M409", message));
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
