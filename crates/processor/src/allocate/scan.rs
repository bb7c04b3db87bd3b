//! Linear scan: webs in the order in which they begin, each into the first register that is free for all of its life.

use std::collections::BTreeMap;

use program::Diagnostic;

use super::live::{Key, Live, Segment, Webs};
use super::plan::{Block, Line, Plan, ScheduledOp, Shape};
use super::registers::Register;
use super::{frame, loops, rotating, Allocation};
use crate::code::{Use, ValueId};
use crate::isa::{Control, Isa};

/// Gives every value its register and writes the operands.
pub(super) fn assign(plan: &Plan, live: &Live) -> Result<Allocation, Diagnostic> {
    let (webs, failed) = loops::webs(plan, live);
    debug_assert!(failed.is_empty(), "the copies were added");
    let (names, registers) = registers(plan, live, &webs)?;
    let mut allocation = Allocation { copies: plan.copies, pressure: pressure(plan, &webs), ..Allocation::default() };
    for (k, _) in plan.parts.iter().enumerate() {
        allocation.blocks.push(block(plan, k, &webs, &names));
    }
    allocation.rotating = rotating::names(plan);
    allocation.used = used(plan, &names);
    frame::open(plan, live, &mut allocation, &registers);
    for (k, block) in allocation.blocks.iter_mut().enumerate() {
        block.lines.iter_mut().for_each(|line| line.block = k as u32);
    }
    Ok(allocation)
}

/// Of every root of a web its register, and the registers that hold values.
pub(super) fn registers(
    plan: &Plan,
    live: &Live,
    webs: &Webs,
) -> Result<(Vec<Option<String>>, Vec<Register>), Diagnostic> {
    let mut names = arguments(plan, webs)?;
    let roots = (0..names.len() as ValueId).filter(|&v| webs.root(v) == v && !webs.segments[v as usize].is_empty());
    let mut order: Vec<ValueId> = roots.collect();
    order.sort_by_key(|&v| (names[v as usize].is_none(), webs.segments[v as usize][0].start, v));
    let classes = 0..plan.isa().registers.len();
    let of = |class| rotating::usable(plan, class).into_iter().map(move |name| Register::new(class, name));
    let mut registers: Vec<Register> = classes.flat_map(of).collect();
    let usable = registers.len();
    for v in order {
        let class = plan.code.values[v as usize].class;
        let wanted = &webs.segments[v as usize];
        let place = match &names[v as usize] {
            Some(name) => registers.iter().position(|r| r.class == class && r.name == *name).unwrap_or_else(|| {
                registers.push(Register::new(class, name.clone()));
                registers.len() - 1
            }),
            None => {
                let place = registers[..usable].iter().position(|r| r.class == class && r.is_free(wanted));
                place.ok_or_else(|| short(plan, live, webs, v))?
            }
        };
        registers[place].hold(wanted);
        names[v as usize] = Some(registers[place].name.clone());
    }
    registers.retain(|r| !r.segments.is_empty());
    Ok((names, registers))
}

/// Of the roots of the inputs the registers that pass them.
fn arguments(plan: &Plan, webs: &Webs) -> Result<Vec<Option<String>>, Diagnostic> {
    let mut names: Vec<Option<String>> = vec![None; plan.code.values.len()];
    let (isa, inputs) = (plan.isa(), &plan.code.inputs);
    if inputs.len() > isa.arguments.len() {
        let (name, there) = (&plan.code.name, isa.arguments.len());
        let message = format!("`{name}` has {} arguments, `{}` passes {there}", inputs.len(), isa.name);
        return Err(Diagnostic::new("M405", message).help("reach several objects from one pointer"));
    }
    for (input, name) in inputs.iter().zip(&isa.arguments) {
        names[webs.root(input.value) as usize] = Some(name.clone());
    }
    Ok(names)
}

/// Registers run out: how many are missing, where, and what is alive there.
fn short(plan: &Plan, live: &Live, webs: &Webs, value: ValueId) -> Diagnostic {
    let class = plan.code.values[value as usize].class;
    let (tick, most) = peak(plan, webs, class);
    let there = rotating::usable(plan, class).len();
    let name = &plan.isa().registers[class].name;
    let message = format!(
        "`{}` needs {} registers of class `{name}`, `{}` has {there}",
        plan.code.name,
        most.max(there + 1),
        plan.isa().name
    );
    let part = live.spans.iter().position(|&(_, last)| tick <= last + 1).unwrap_or(0);
    let cycle =
        plan.parts[part].ops.iter().zip(&live.ticks[part]).filter(|(_, t)| **t <= tick).map(|(p, _)| p.cycle).max();
    let cycle = cycle.unwrap_or(0);
    let alive: Vec<&str> = (0..plan.code.values.len())
        .filter(|&v| {
            plan.code.values[v].class == class && live.segments[v].iter().any(|s| s.start <= tick && tick <= s.end)
        })
        .map(|v| plan.code.values[v].name.as_str())
        .collect();
    let shown = alive.iter().take(12).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    Diagnostic::new("M401", message)
        .note(format!("{} too many in cycle {} of region {part}", most.max(there + 1) - there, cycle))
        .note(format!("alive there: {shown}{}", if alive.len() > 12 { ", …" } else { "" }))
        .help("allow values to be spilled, or schedule with a limit of registers")
}

/// The registers of a class that linear scan can give out.
pub(super) fn limit(plan: &Plan, class: usize) -> usize {
    rotating::usable(plan, class).len()
}

/// The tick at which most webs of a class are alive, and how many: a register that an operation reads last, and nothing else
/// in that tick, may be the one that it writes.
pub(super) fn peak(plan: &Plan, webs: &Webs, class: usize) -> (u32, usize) {
    let found = alive(plan, webs, class).into_iter().fold((0, 0), |best, now| if now.1 > best.1 { now } else { best });
    (found.0, usize::try_from(found.1).expect("never below 0"))
}

/// Ticks at which more webs of a class are alive than so many registers hold, and how many more: of every few ticks the worst.
pub(super) fn peaks(plan: &Plan, webs: &Webs, class: usize, registers: usize) -> Vec<(u32, usize)> {
    let mut found: Vec<(u32, usize)> = Vec::new();
    for (tick, count) in alive(plan, webs, class) {
        let over = usize::try_from(count).unwrap_or(0).saturating_sub(registers);
        match found.last_mut() {
            _ if over == 0 => {}
            Some(last) if last.0 / FEW == tick / FEW => *last = if over > last.1 { (tick, over) } else { *last },
            _ => found.push((tick, over)),
        }
    }
    found
}

/// Ticks of which [`peaks`] tells the worst.
const FEW: u32 = 8;

/// The ticks at which webs of a class begin or end, and how many are alive from there on.
fn alive(plan: &Plan, webs: &Webs, class: usize) -> Vec<(u32, i32)> {
    let own = webs.segments.iter().enumerate().filter(|(v, _)| plan.code.values[*v].class == class);
    let segments: Vec<&Segment> = own.flat_map(|(_, segments)| segments).collect();
    let mut events: Vec<(u32, i32)> = Vec::new();
    let mut handed: BTreeMap<(u32, Key), (i32, i32)> = BTreeMap::new();
    for s in &segments {
        events.extend([(s.start, 1), (s.end + 1, -1)]);
        if let Some(writer) = s.writer {
            handed.entry((s.start, writer)).or_default().0 += 1;
        }
        if let (Some(reader), true) = (s.reader, s.sole && s.end > s.start) {
            handed.entry((s.end, reader)).or_default().1 += 1;
        }
    }
    let saved = handed.iter().map(|(&(tick, _), &(written, read))| (tick, written.min(read)));
    events.extend(saved.flat_map(|(tick, count)| [(tick, -count), (tick + 1, count)]));
    events.sort_unstable();
    let mut now = 0;
    let counted = events.into_iter().map(|(tick, change)| {
        now += change;
        (tick, now)
    });
    counted.collect()
}

fn pressure(plan: &Plan, webs: &Webs) -> Vec<usize> {
    (0..plan.isa().registers.len()).map(|class| peak(plan, webs, class).1).collect()
}

fn block(plan: &Plan, k: usize, webs: &Webs, names: &[Option<String>]) -> Block {
    let part = &plan.parts[k];
    let interval = match part.shape {
        Shape::Pipelined { interval, .. } => interval,
        _ => 0,
    };
    let of = |v: ValueId, planned: &ScheduledOp| match (plan.rotation.turns.get(&v), plan.rotation.fixed.get(&v)) {
        (Some(&turn), _) => rotating::name(plan, v, turn, planned.cycle.into(), interval.into()),
        (_, Some(name)) => name.clone(),
        _ => names[webs.root(v) as usize].clone().expect("every value that is used has a register"),
    };
    let mut lines: Vec<Line> = part.ops.iter().map(|planned| line(plan, planned, &of)).collect();
    if interval > 0 {
        for line in &mut lines {
            (line.cycle, line.stage) = (line.cycle % interval, line.cycle / interval);
            let stage = plan
                .isa()
                .register_class("pr")
                .map(|pr| plan.isa().registers[pr].rotating[line.stage as usize].clone());
            let control = plan.isa().instructions[line.instruction as usize].control;
            line.guard = if control == Control::None { line.guard.take().or(stage) } else { None };
        }
        // Older iterations first, as memory was accessed in their order.
        lines.sort_by_key(|l| (l.cycle, std::cmp::Reverse(l.stage)));
    }
    Block { shape: part.shape, wait: part.wait, lines }
}

fn line(plan: &Plan, planned: &ScheduledOp, of: &dyn Fn(ValueId, &ScheduledOp) -> String) -> Line {
    let instruction = &plan.isa().instructions[planned.op.instruction as usize];
    let operand = |(use_, operand): (&Use, &crate::isa::Operand)| match use_ {
        Use::Value(v) => of(*v, planned),
        Use::Immediate(n) => n.to_string(),
        Use::Zero if instruction.control == Control::Return => return_register(plan.isa()),
        Use::Zero => zero(plan, operand),
    };
    Line {
        cycle: planned.cycle,
        stage: 0,
        instruction: planned.op.instruction,
        defines: planned.op.defines.iter().map(|&v| of(v, planned)).collect(),
        uses: planned.op.uses.iter().zip(&instruction.uses).map(operand).collect(),
        guard: planned.op.guard.map(|g| of(g, planned)),
        origin: planned.origin,
        block: 0,
    }
}

fn zero(plan: &Plan, operand: &crate::isa::Operand) -> String {
    match operand.kind {
        crate::isa::OperandKind::Register(class) => {
            plan.isa().registers[class].zero.clone().unwrap_or_else(|| "0".into())
        }
        crate::isa::OperandKind::Immediate(..) => "0".into(),
    }
}

/// Where the caller left the address to return to.
fn return_register(isa: &Isa) -> String {
    let last = || isa.registers.last().and_then(|r| r.usable.last().cloned()).unwrap_or_default();
    isa.return_address.clone().unwrap_or_else(last)
}

/// The registers of each class that hold a value, in the order of the instruction set's lists.
fn used(plan: &Plan, names: &[Option<String>]) -> Vec<Vec<String>> {
    let of = |class: usize| {
        let mut found: Vec<String> = Vec::new();
        for (v, name) in names.iter().enumerate() {
            if let (Some(name), true) = (name, plan.code.values[v].class == class) {
                if !found.contains(name) {
                    found.push(name.clone());
                }
            }
        }
        let order = &plan.isa().registers[class];
        let place = |n: &String| order.usable.iter().chain(&order.rotating).position(|x| x == n).unwrap_or(usize::MAX);
        found.sort_by_key(|n| (place(n), n.clone()));
        found
    };
    (0..plan.isa().registers.len()).map(of).collect()
}
