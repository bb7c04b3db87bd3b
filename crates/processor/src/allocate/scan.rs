//! Linear scan: webs in the order in which they begin, each into the first register that is free for all of its life.

use std::collections::BTreeMap;

use program::Diagnostic;

use super::live::{overlap, Key, Live, Segment, Webs};
use super::plan::{Block, Line, Plan, Planned, Shape};
use super::{frame, loops, rotating, Allocation};
use crate::code::{Use, ValueId};
use crate::isa::{Control, Isa};

/// A register: its class, its name, and when it holds a value.
pub(super) type Taken = (usize, String, Vec<Segment>);

/// Gives every value its register and writes the operands.
pub(super) fn assign(plan: Plan) -> Result<Allocation, Diagnostic> {
    let live = Live::of(&plan);
    let (webs, failed) = loops::webs(&plan, &live);
    debug_assert!(failed.is_empty(), "the copies were added");
    let (names, taken) = registers(&plan, &live, &webs)?;
    let mut allocation = Allocation { copies: plan.copies, pressure: pressure(&plan, &webs), ..Allocation::default() };
    for (k, _) in plan.parts.iter().enumerate() {
        allocation.blocks.push(block(&plan, k, &webs, &names));
    }
    allocation.rotating = rotating::names(&plan);
    allocation.used = used(&plan, &names);
    frame::open(&plan, &live, &mut allocation, &taken);
    Ok(allocation)
}

/// Of every root of a web its register.
fn registers(plan: &Plan, live: &Live, webs: &Webs) -> Result<(Vec<Option<String>>, Vec<Taken>), Diagnostic> {
    let count = plan.code.values.len();
    let mut names: Vec<Option<String>> = vec![None; count];
    let mut order: Vec<ValueId> = Vec::new();
    for v in (0..count).map(|v| u32::try_from(v).expect("small")) {
        if webs.root(v) == v && !webs.segments[v as usize].is_empty() {
            order.push(v);
        }
    }
    for (k, input) in plan.code.inputs.iter().enumerate() {
        let root = webs.root(input.value) as usize;
        let Some(name) = plan.isa().arguments.get(k) else {
            let message = format!(
                "`{}` has {} arguments, `{}` passes {}",
                plan.code.name,
                plan.code.inputs.len(),
                plan.isa().name,
                plan.isa().arguments.len()
            );
            return Err(Diagnostic::new("M405", message).help("reach several objects from one pointer"));
        };
        names[root] = Some(name.clone());
    }
    order.sort_by_key(|&v| (names[v as usize].is_none(), webs.segments[v as usize][0].start, v));
    // Of each register of each class the segments that hold it.
    let mut taken: Vec<Taken> = Vec::new();
    // Of each of these the last tick of its segments up to each one of them.
    let mut ends: Vec<Vec<u32>> = Vec::new();
    let usable: Vec<Vec<String>> = (0..plan.isa().registers.len()).map(|c| rotating::usable(plan, c)).collect();
    // Of each register that can be given out its place in `taken`, if it has one.
    let mut places: Vec<Vec<Option<usize>>> = usable.iter().map(|names| vec![None; names.len()]).collect();
    for v in order {
        let class = plan.code.values[v as usize].class;
        let wanted = &webs.segments[v as usize];
        let number = match &names[v as usize] {
            Some(name) => usable[class].iter().position(|n| n == name),
            None => {
                let free = |place: &Option<usize>| place.map_or(true, |p| fits(&taken[p].2, &ends[p], wanted));
                Some(places[class].iter().position(free).ok_or_else(|| short(plan, live, webs, v))?)
            }
        };
        let name = names[v as usize].take().or_else(|| Some(usable[class][number?].clone())).expect("one of both");
        let place = match number {
            Some(number) => places[class][number],
            None => taken.iter().position(|(c, n, _)| *c == class && *n == name),
        };
        let place = place.unwrap_or(taken.len());
        if place == taken.len() {
            taken.push((class, name.clone(), Vec::new()));
            ends.push(Vec::new());
            number.into_iter().for_each(|n| places[class][n] = Some(place));
        }
        hold(&mut taken[place].2, &mut ends[place], wanted);
        names[v as usize] = Some(name);
    }
    Ok((names, taken))
}

/// Whether segments overlap none of those that hold a register; `ends` are the last ticks up to each of them.
fn fits(held: &[Segment], ends: &[u32], wanted: &[Segment]) -> bool {
    wanted.iter().all(|b| {
        let first = ends.partition_point(|&end| end < b.start);
        held[first..].iter().take_while(|a| a.start <= b.end).all(|a| !overlap(a, b))
    })
}

/// Puts segments among those that hold a register, which stand in the order of their starts.
fn hold(held: &mut Vec<Segment>, ends: &mut Vec<u32>, more: &[Segment]) {
    held.extend(more);
    held.sort_by_key(|s| s.start);
    let last = |end: &mut u32, s: &Segment| {
        *end = s.end.max(*end);
        Some(*end)
    };
    *ends = held.iter().scan(0, last).collect();
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
    let of = |v: ValueId, planned: &Planned| match (plan.rotation.turns.get(&v), plan.rotation.fixed.get(&v)) {
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

fn line(plan: &Plan, planned: &Planned, of: &dyn Fn(ValueId, &Planned) -> String) -> Line {
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
