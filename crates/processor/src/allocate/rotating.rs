//! Rotating registers for software-pipelined loops.
//!
//! Registers rotate once an interval: what was written under the name of number n stands under n + 1 an interval later. With
//! names and the cycles of an interval laid out on one tape (position = name x interval + cycle), a value takes one stretch
//! of it, as long as it lives. Stretches that do not overlap may rotate together (Rau, Lee, Tirumalai, Schlansker 1992).

use std::collections::BTreeMap;

use program::Diagnostic;

use super::control::{set, straight_before};
use super::handing;
use super::live::used;
use super::loops::{self, copy};
use super::plan::{ties, Plan, Shape};
use crate::code::{Op, Use, ValueId};
use crate::isa::Control;

/// Where a value of a software-pipelined loop stands on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Position of the first cycle of the iteration that defines it; a multiple of the interval.
    pub base: i64,
    /// Iterations since then.
    pub distance: i64,
}

/// What the rotating loops of a kernel ask for.
#[derive(Clone, Debug, Default)]
pub(super) struct Rotation {
    /// Values that rotate.
    pub turns: BTreeMap<ValueId, Turn>,
    /// Values with a register of their own from the start.
    pub fixed: BTreeMap<ValueId, String>,
    /// What stands where a loop left it, and the loop's value that it is.
    pub taken: BTreeMap<ValueId, ValueId>,
    /// What is moved before registers turn back: class and number of the register.
    pub early: BTreeMap<ValueId, (usize, i64)>,
    /// What the counters of loops are set to.
    pub counters: Vec<ValueId>,
    /// Of each register class how many rotate.
    pub counts: Vec<usize>,
    /// Of each register class how many of these hold values of loops; of general registers, how many the frame asks for.
    pub names: Vec<usize>,
}

impl Rotation {
    /// Whether linear scan has nothing to do with a value.
    pub fn holds(&self, value: ValueId) -> bool {
        self.turns.contains_key(&value) || self.fixed.contains_key(&value)
    }
}

/// A stretch of the tape, from the start of the iteration that defines its value.
struct Blade {
    class: usize,
    values: Vec<(ValueId, i64)>,
    first: i64,
    last: i64,
}

/// Gives rotating registers to the values of software-pipelined loops and adds what sets the loops up.
///
/// # Errors
/// `M404`: the loop asks for something that rotating registers cannot give.
pub(super) fn prepare(plan: &mut Plan) -> Result<(), Diagnostic> {
    let mut k = 0;
    let mut turned = false;
    while k < plan.parts.len() {
        if let Shape::Pipelined { .. } = plan.parts[k].shape {
            if !turned {
                k += keep_inputs(plan, k)?;
            }
            k += straight_before(plan, k);
            if k + 1 == plan.parts.len() || plan.parts[k + 1].shape != Shape::Straight {
                plan.parts.insert(k + 1, super::plan::Part::default());
            }
            pipelined(plan, k)?;
            turned = true;
        }
        k += 1;
    }
    handing::names(plan);
    Ok(())
}

/// A pipeline of one stage is a plain loop where that needs no copies in its iterations.
pub(super) fn single_stage(plan: &mut Plan) {
    for k in 0..plan.parts.len() {
        let Shape::Pipelined { iterations, stages: 1, .. } = plan.parts[k].shape else { continue };
        let pipelined = std::mem::replace(&mut plan.parts[k].shape, Shape::Loop { iterations });
        let mut tried = plan.clone();
        let inside = |plan: &Plan| -> usize {
            plan.parts.iter().filter(|p| p.shape != Shape::Straight).map(|p| p.ops.len()).sum()
        };
        if loops::hand_over(&mut tried).is_err() || inside(&tried) > inside(plan) {
            plan.parts[k].shape = pipelined;
        }
    }
}

/// Inputs stand where registers rotate: what a loop or something behind it needs of them moves out before the first loop.
fn keep_inputs(plan: &mut Plan, first: usize) -> Result<usize, Diagnostic> {
    let added = straight_before(plan, first);
    let first = first + added;
    for value in input_webs(plan, first) {
        if is_needed_from(plan, first, value) {
            let kept = copy(plan, first - 1, value, 0)?;
            replace(plan, first, value, kept);
        }
    }
    Ok(added)
}

/// The inputs and what takes their registers over, before a part.
fn input_webs(plan: &Plan, first: usize) -> Vec<ValueId> {
    let mut found: Vec<ValueId> = plan.code.inputs.iter().map(|i| i.value).collect();
    for part in &plan.parts[..first] {
        for carried in part.carried.iter().filter(|c| found.contains(&c.init)).collect::<Vec<_>>() {
            found.extend([carried.value, carried.next]);
        }
        for (old, new) in part.ops.iter().flat_map(|p| ties(plan.isa(), &p.op)) {
            if found.contains(&old) && !found.contains(&new) {
                found.push(new);
            }
        }
    }
    found
}

/// Puts a value in the place of another from a part on.
fn replace(plan: &mut Plan, from: usize, old: ValueId, new: ValueId) {
    for part in &mut plan.parts[from..] {
        part.carried.iter_mut().filter(|c| c.init == old).for_each(|c| c.init = new);
        for planned in &mut part.ops {
            planned.op.uses.iter_mut().filter(|u| **u == Use::Value(old)).for_each(|u| *u = Use::Value(new));
            planned.op.guard = planned.op.guard.map(|g| if g == old { new } else { g });
        }
    }
}

fn pipelined(plan: &mut Plan, k: usize) -> Result<(), Diagnostic> {
    let Shape::Pipelined { iterations, interval, stages } = plan.parts[k].shape else { return Ok(()) };
    if !plan.isa().instructions.iter().any(|i| i.control == Control::Rotating) {
        return Err(refuse(plan, "no branch rotates registers").help("schedule the loop without an interval"));
    }
    guards(plan, k)?;
    let roots = roots(plan, k)?;
    in_order(plan, k, interval)?;
    let mut blades = blades(plan, k, &roots, i64::from(interval), i64::from(stages));
    reset(plan, k);
    let mut ends: BTreeMap<usize, i64> = BTreeMap::new();
    let bases = pack(plan, &mut blades, i64::from(interval), i64::from(stages), &mut ends);
    for (blade, base) in blades.iter().zip(bases) {
        for &(value, distance) in &blade.values {
            plan.rotation.turns.insert(value, Turn { base, distance });
        }
    }
    plan.rotation.counts.resize(plan.processor.isa.registers.len(), 0);
    plan.rotation.names.resize(plan.processor.isa.registers.len(), 0);
    for (class, end) in ends {
        let names = usize::try_from(end.div_euclid(i64::from(interval)) + 1).expect("blades end behind 0");
        let rotating = plan.isa().registers[class].rotating.len();
        let frame = plan.isa().registers[class].name == "gr";
        if names + usize::from(plan.isa().registers[class].name == "pr") > rotating {
            let message = format!("its values take {names} rotating registers of {rotating}");
            return Err(refuse(plan, &message));
        }
        let shown = if frame { names.div_ceil(8) * 8 } else { names };
        plan.rotation.names[class] = plan.rotation.names[class].max(shown);
    }
    for (class, registers) in plan.processor.isa.registers.iter().enumerate() {
        // Of general registers as many rotate as the frame says, of the others all.
        let frame = registers.name == "gr";
        plan.rotation.counts[class] = if frame { plan.rotation.names[class] } else { registers.rotating.len() };
    }
    enter(plan, k, interval)?;
    leave(plan, k, interval, stages)?;
    start(plan, k, iterations, stages)
}

/// What has a predicate of its own does not read that of its stage. Before the first iteration, its own is 0: all that rotate are
/// cleared, and a value's stretch of the tape is no other's. Behind the last iteration it may be anything, and so the operation may
/// change nothing but registers that rotate.
fn guards(plan: &Plan, k: usize) -> Result<(), Diagnostic> {
    let (part, still) = (&plan.parts[k], still(plan, k));
    for planned in part.ops.iter().filter(|p| p.op.guard.is_some()) {
        let inside = part.ops.iter().any(|p| p.op.defines.iter().any(|d| planned.op.guard == Some(*d)));
        let name = &plan.isa().instructions[planned.op.instruction as usize].name;
        if !inside {
            return Err(refuse(plan, &format!("the predicate of `{name}` comes from outside of the loop")));
        }
        let stores = planned.op.access.is_some() || planned.op.defines.iter().any(|d| still.contains(d));
        if stores {
            return Err(refuse(
                plan,
                &format!("`{name}` has a predicate, but changes more than registers that rotate"),
            ));
        }
    }
    Ok(())
}

fn refuse(plan: &Plan, why: &str) -> Diagnostic {
    Diagnostic::new("M404", format!("a loop of `{}` cannot be pipelined: {why}", plan.code.name))
}

/// Whether a carried value is changed in place, by tied operands: it stays in one register that does not rotate.
pub(super) fn in_place(plan: &Plan, k: usize, n: usize) -> bool {
    let carried = plan.parts[k].carried[n];
    let mut value = carried.value;
    let step = |value: ValueId| {
        plan.parts[k].ops.iter().flat_map(|p| ties(plan.isa(), &p.op)).find(|t| t.0 == value).map(|t| t.1)
    };
    while let Some(new) = step(value) {
        value = new;
        if value == carried.next {
            return true;
        }
    }
    false
}

/// The values that are changed in place, of every software-pipelined loop with each step between.
fn still(plan: &Plan, k: usize) -> Vec<ValueId> {
    let mut found = Vec::new();
    for n in (0..plan.parts[k].carried.len()).filter(|&n| in_place(plan, k, n)) {
        let mut value = plan.parts[k].carried[n].value;
        found.push(value);
        let all: Vec<_> = plan.parts[k].ops.iter().flat_map(|p| ties(plan.isa(), &p.op)).collect();
        while let Some(tie) = all.iter().find(|t| t.0 == value) {
            value = tie.1;
            found.push(value);
        }
    }
    found
}

/// What is changed in place must be read before the next change.
fn in_order(plan: &Plan, k: usize, interval: u32) -> Result<(), Diagnostic> {
    let part = &plan.parts[k];
    let all: Vec<(ValueId, ValueId, u32)> =
        part.ops.iter().flat_map(|p| ties(plan.isa(), &p.op).into_iter().map(|(a, b)| (a, b, p.cycle))).collect();
    for carried in (0..part.carried.len()).filter(|&n| in_place(plan, k, n)).map(|n| part.carried[n]) {
        let first = all.iter().find(|t| t.0 == carried.value).map_or(0, |t| t.2);
        let mut value = carried.value;
        // Ends: a tie leads to a value that is defined later.
        loop {
            let next = all.iter().find(|t| t.0 == value);
            let end = next.map_or(first + interval, |t| t.2);
            let late = part.ops.iter().find(|p| p.cycle > end && used(p).any(|v| v == value));
            if let Some(late) = late {
                let name = &plan.code.values[value as usize].name;
                let why = format!("`{name}` is read in cycle {}, changed in place in cycle {end}", late.cycle);
                return Err(refuse(plan, &why));
            }
            let Some(next) = next else { break };
            value = next.1;
        }
    }
    Ok(())
}

/// Of each value that rotates the value whose iteration defines it first, and how many iterations ago.
fn roots(plan: &Plan, k: usize) -> Result<BTreeMap<ValueId, (ValueId, i64)>, Diagnostic> {
    let part = &plan.parts[k];
    let still = still(plan, k);
    let mut roots = BTreeMap::new();
    for planned in &part.ops {
        let tied = ties(plan.isa(), &planned.op);
        if let Some(tie) = tied.iter().find(|t| !still.contains(&t.0) && !roots.contains_key(&t.0)) {
            let name = &plan.code.values[tie.0 as usize].name;
            return Err(
                refuse(plan, &format!("`{name}` is changed in place, but not carried so")).help("copy it before")
            );
        }
        for &value in planned.op.defines.iter().filter(|v| !still.contains(v)) {
            let root = tied.iter().find(|t| t.1 == value).map_or(value, |t| t.0);
            let root = roots.get(&root).map_or(value, |r: &(ValueId, i64)| r.0);
            roots.insert(value, (root, 0));
        }
    }
    for carried in part.carried.iter().filter(|c| !still.contains(&c.value)) {
        let (mut at, mut distance) = (carried.next, 1);
        while let Some(next) = part.carried.iter().find(|c| c.value == at) {
            (at, distance) = (next.next, distance + 1);
            if distance > part.carried.len() as i64 + 1 {
                return Err(refuse(plan, "carried values change places in a cycle").help("copy one of them"));
            }
        }
        let Some(&(root, 0)) = roots.get(&at) else {
            let name = &plan.code.values[carried.next as usize].name;
            return Err(refuse(plan, &format!("`{name}` comes from outside of the loop")).help("copy it in the loop"));
        };
        roots.insert(carried.value, (root, distance));
    }
    Ok(roots)
}

fn blades(plan: &Plan, k: usize, roots: &BTreeMap<ValueId, (ValueId, i64)>, interval: i64, stages: i64) -> Vec<Blade> {
    let mut blades: BTreeMap<ValueId, Blade> = BTreeMap::new();
    let part = &plan.parts[k];
    for planned in &part.ops {
        for value in planned.op.defines.iter().filter(|v| roots.contains_key(v)) {
            let class = plan.code.values[*value as usize].class;
            let at = i64::from(planned.cycle);
            let blade = Blade { class, values: Vec::new(), first: at, last: at };
            let blade = blades.entry(roots[value].0).or_insert(blade);
            blade.first = blade.first.min(at);
            blade.last = blade.last.max(at);
        }
    }
    for (value, (root, distance)) in roots {
        let blade = blades.get_mut(root).expect("the operation that defines it was seen");
        blade.values.push((*value, *distance));
        let uses = part.ops.iter().filter(|p| used(p).any(|v| v == *value)).map(|p| i64::from(p.cycle));
        blade.last = uses.map(|cycle| cycle + distance * interval).fold(blade.last, i64::max);
        if *distance > 0 {
            // What the first iterations read stands there from the start of the first one on.
            blade.first = blade.first.min(interval);
            blade.last = blade.last.max(distance * interval);
        }
        if is_needed_from(plan, k + 1, *value) {
            blade.last = blade.last.max((stages + distance) * interval);
        }
    }
    blades.into_values().collect()
}

fn is_needed_from(plan: &Plan, first: usize, value: ValueId) -> bool {
    plan.parts[first..]
        .iter()
        .any(|p| p.carried.iter().any(|c| c.init == value) || p.ops.iter().any(|o| used(o).any(|v| v == value)))
}

/// Places the blades, each at the lowest place that is free; returns the bases and the last position of every class.
fn pack(plan: &Plan, blades: &mut [Blade], interval: i64, stages: i64, ends: &mut BTreeMap<usize, i64>) -> Vec<i64> {
    blades.sort_by_key(|b| (b.first.rem_euclid(interval), std::cmp::Reverse(b.last - b.first)));
    let mut taken: BTreeMap<usize, Vec<(i64, i64)>> = BTreeMap::new();
    if let Some(class) = plan.isa().register_class("pr") {
        // The predicates of the stages.
        taken.insert(class, vec![(0, stages * interval - 1)]);
        ends.insert(class, stages * interval - 1);
    }
    let place = |blade: &Blade| {
        let own = taken.entry(blade.class).or_default();
        let lowest = -blade.first.div_euclid(interval) * interval;
        let free = |base: &i64| own.iter().all(|t| base + blade.first > t.1 || base + blade.last < t.0);
        let base = (0..).map(|n| lowest + n * interval).find(free).expect("the tape has no end");
        own.push((base + blade.first, base + blade.last));
        let end = ends.entry(blade.class).or_insert(0);
        *end = (*end).max(base + blade.last);
        base
    };
    blades.iter().map(place).collect()
}

/// Turns the registers back to where they were before an earlier loop.
fn reset(plan: &mut Plan, k: usize) {
    let earlier = plan.parts[..k].iter().rposition(|p| matches!(p.shape, Shape::Pipelined { .. }));
    if let (Some(earlier), Some(instruction)) = (earlier, plan.isa().instruction("clrrrb")) {
        let op = Op { instruction, defines: vec![], uses: vec![], guard: None, access: None, places: vec![] };
        let behind = plan.length(earlier + 1).saturating_sub(1);
        plan.insert(earlier + 1, op, behind);
    }
}

/// The name of a value on the tape at a cycle of its own iteration.
pub(super) fn name(plan: &Plan, value: ValueId, turn: Turn, cycle: i64, interval: i64) -> String {
    let number = number(turn, cycle, interval);
    let class = plan.code.values[value as usize].class;
    plan.isa().registers[class].rotating[usize::try_from(number).expect("blades lie above 0")].clone()
}

/// The number of the register of a value at a cycle of its own iteration, among those that rotate.
pub(super) fn number(turn: Turn, cycle: i64, interval: i64) -> i64 {
    (turn.base + cycle + turn.distance * interval).div_euclid(interval)
}

/// Brings what the first iterations read to its place.
fn enter(plan: &mut Plan, k: usize, interval: u32) -> Result<(), Diagnostic> {
    handing::direct(plan, k, interval.into());
    let reset = plan.parts[k - 1].ops.iter().filter(|p| p.op.instruction_is(plan, "clrrrb")).map(|p| p.cycle + 1).max();
    let mut entered_already: BTreeMap<(ValueId, String), ValueId> = BTreeMap::new();
    for (n, carried) in plan.parts[k].carried.clone().into_iter().enumerate() {
        let Some(&turn) = plan.rotation.turns.get(&carried.value) else { continue };
        if plan.rotation.early.contains_key(&carried.init) {
            continue;
        }
        let name = name(plan, carried.value, turn, 0, i64::from(interval));
        if let Some(&entered) = entered_already.get(&(carried.init, name.clone())) {
            plan.parts[k].carried[n].init = entered;
            continue;
        }
        let free = plan.isa().arguments.iter().position(|r| *r == name).map_or(0, |n| input_is_read(plan, k - 1, n));
        let entered = copy(plan, k - 1, carried.init, reset.unwrap_or(0).max(free))?;
        entered_already.insert((carried.init, name.clone()), entered);
        plan.rotation.fixed.insert(entered, name);
        plan.parts[k].carried[n].init = entered;
    }
    Ok(())
}

/// The cycle of a part behind which nothing reads the register of an input any more.
fn input_is_read(plan: &Plan, k: usize, input: usize) -> u32 {
    let Some(input) = plan.code.inputs.get(input) else { return 0 };
    let mut web = vec![input.value];
    for part in &plan.parts[..=k] {
        part.carried.iter().filter(|c| c.init == input.value).for_each(|c| web.extend([c.value, c.next]));
        for (old, new) in part.ops.iter().flat_map(|p| ties(plan.isa(), &p.op)) {
            if web.contains(&old) {
                web.push(new);
            }
        }
    }
    let touches = |p: &&super::plan::ScheduledOp| used(p).chain(p.op.defines.iter().copied()).any(|v| web.contains(&v));
    plan.parts[k].ops.iter().filter(touches).map(|p| p.cycle + 1).max().unwrap_or(0)
}

/// Takes what is needed behind the loop from where it stands then.
fn leave(plan: &mut Plan, k: usize, interval: u32, stages: u32) -> Result<(), Diagnostic> {
    let turns: Vec<(ValueId, Turn)> = plan.rotation.turns.iter().map(|(v, t)| (*v, *t)).collect();
    let later = plan.parts[k + 1..].iter().any(|p| matches!(p.shape, Shape::Pipelined { .. }));
    for (value, turn) in turns {
        if !is_needed_from(plan, k + 1, value) {
            continue;
        }
        let (text, class) = (plan.code.values[value as usize].name.clone(), plan.code.values[value as usize].class);
        let there = plan.new_value(text, class);
        let name = name(plan, value, turn, i64::from(stages * interval), i64::from(interval));
        plan.rotation.fixed.insert(there, name);
        plan.rotation.taken.insert(there, value);
        replace(plan, k + 1, value, there);
        if tied(plan, k + 1..k + 2, there) {
            plan.parts.insert(k + 1, super::plan::Part::default());
        }
        if later || tied(plan, k + 2..plan.parts.len(), there) {
            // Registers will turn again, or what is changed in place stands in a register of its own.
            let kept = copy(plan, k + 1, there, 0)?;
            replace(plan, k + 2, there, kept);
        }
    }
    Ok(())
}

/// Whether parts change a value in place, or hand it to the iterations of a loop whose registers do not rotate.
fn tied(plan: &Plan, parts: std::ops::Range<usize>, value: ValueId) -> bool {
    let changed = |k: usize| plan.parts[k].ops.iter().flat_map(|p| ties(plan.isa(), &p.op)).any(|t| t.0 == value);
    let handed = |k: usize| {
        let part = &plan.parts[k];
        let still = |n: usize| !matches!(part.shape, Shape::Pipelined { .. }) || in_place(plan, k, n);
        (0..part.carried.len()).any(|n| part.carried[n].init == value && still(n))
    };
    parts.into_iter().any(|k| changed(k) || handed(k))
}

/// Sets the counters and the predicates of the stages.
fn start(plan: &mut Plan, k: usize, iterations: u32, stages: u32) -> Result<(), Diagnostic> {
    for (name, number) in [("lc", i64::from(iterations) - 1), ("ec", i64::from(stages))] {
        let Some(class) = plan.isa().register_class(name) else { continue };
        let value = set(plan, k - 1, class, number)?;
        let register = plan.isa().registers[class].usable[0].clone();
        plan.rotation.fixed.insert(value, register);
        plan.rotation.counters.push(value);
    }
    let Some(instruction) = plan.isa().instruction("mov.pr.rot") else { return Ok(()) };
    let reset = plan.parts[k - 1].ops.iter().filter(|p| p.op.instruction_is(plan, "clrrrb")).map(|p| p.cycle + 1).max();
    let uses = vec![Use::Immediate(1 << 16)];
    let op = Op { instruction, defines: vec![], uses, guard: None, access: None, places: vec![] };
    plan.insert(k - 1, op, reset.unwrap_or(0));
    Ok(())
}

impl Op {
    fn instruction_is(&self, plan: &Plan, name: &str) -> bool {
        plan.isa().instructions[self.instruction as usize].name == name
    }
}

/// How many rotating registers of each class loops use.
pub(super) fn names(plan: &Plan) -> Vec<usize> {
    let classes = plan.isa().registers.len();
    (0..classes).map(|k| plan.rotation.names.get(k).copied().unwrap_or(0)).collect()
}

/// How many registers of each class rotate.
fn counts(plan: &Plan) -> Vec<usize> {
    let classes = plan.isa().registers.len();
    (0..classes).map(|k| plan.rotation.counts.get(k).copied().unwrap_or(0)).collect()
}

/// The registers of a class for values that do not rotate, in the order in which they are given out.
pub(super) fn usable(plan: &Plan, class: usize) -> Vec<String> {
    let turning = counts(plan)[class];
    let registers = &plan.isa().registers[class];
    let stacked = registers.rotating.iter().filter(|r| !registers.usable.contains(r));
    let all = registers.usable.iter().chain(stacked);
    all.filter(|r| !registers.rotating[..turning].contains(r)).cloned().collect()
}
