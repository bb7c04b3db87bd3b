//! What the boundaries of parts cost: cycles that a part waits for results of earlier parts that are not there yet.
//!
//! The schedules of regions know nothing of each other, and copies, counters and predicates are added behind them; an
//! in-order processor waits where such a result is read too early, or where a unit is needed that an operation of another
//! part, or of the iteration before, still holds, or where a load follows a store to its place too soon. What it will wait is
//! known here, and is counted.

use std::collections::{HashMap, HashSet};

use super::plan::{Part, Plan, ScheduledOp, Shape};
use super::stores::Stores;
use crate::code::{Use, ValueId};
use crate::dependences::branch;
use crate::isa::InstructionId;

/// Who wrote a value last, and when.
#[derive(Clone, Copy)]
struct LastWrite {
    instruction: InstructionId,
    output: usize,
    cycle: i64,
}

/// Sets of every part how long it waits at its start.
pub(super) fn waits(plan: &mut Plan) {
    let (written, held, stores) = (HashMap::new(), Vec::new(), Stores::new(plan.processor));
    let mut boundaries = Boundaries { plan, written, begin: 0, held, predicates: None, stores };
    let waits: Vec<u32> = (0..boundaries.plan.parts.len()).map(|k| boundaries.part(k)).collect();
    for (part, wait) in plan.parts.iter_mut().zip(waits) {
        part.wait = wait;
    }
}

struct Boundaries<'a, 'b> {
    plan: &'a Plan<'b>,
    written: HashMap<ValueId, LastWrite>,
    begin: i64,
    /// Operations of earlier parts that may hold units, with their cycles.
    held: Vec<(i64, usize)>,
    /// Who set the predicates of the stages.
    predicates: Option<LastWrite>,
    /// What was stored.
    stores: Stores<'a>,
}

impl Boundaries<'_, '_> {
    /// The wait of a part; what it writes is entered.
    fn part(&mut self, k: usize) -> u32 {
        let part = &self.plan.parts[k];
        let (interval, iterations, all) = cycles(part, i64::from(self.plan.length(k)), self.between(part, k));
        let overlap = matches!(part.shape, Shape::Pipelined { .. });
        let made: HashSet<ValueId> = part.ops.iter().flat_map(|p| p.op.defines.iter().copied()).collect();
        let late = part.ops.iter().map(|p| self.late(part, &made, p, interval)).max().unwrap_or(0);
        let late = late.max(self.late_control(part, interval));
        let late = late.max(self.stores.late_in_any(part, if overlap { iterations } else { 1 }, self.begin, interval));
        let wait = self.late_units(part, late.max(0));
        self.begin += wait;
        let waited = self.stores.run(part, iterations, self.begin, interval, overlap);
        let waits = match part.shape {
            Shape::Loop { .. } => wait + (interval - i64::from(self.plan.length(k))) * (iterations - 1) + waited,
            _ => wait,
        };
        let all = all + waited;
        let last = self.begin + interval * (iterations - 1) + waited;
        self.hold(part, last, self.begin + all);
        for planned in &part.ops {
            let at = |output| LastWrite {
                instruction: planned.op.instruction,
                output,
                cycle: last + i64::from(planned.cycle),
            };
            for (output, &value) in planned.op.defines.iter().enumerate() {
                self.written.insert(value, at(output));
            }
            if self.plan.isa().instructions[planned.op.instruction as usize].name == "mov.pr.rot" {
                self.predicates = Some(at(0));
            }
        }
        for carried in &part.carried {
            match self.written.get(&carried.next).copied() {
                Some(next) => self.written.insert(carried.value, LastWrite { cycle: next.cycle - interval, ..next }),
                None => self.written.remove(&carried.value),
            };
        }
        for (&there, value) in &self.plan.rotation.taken {
            if let Some(written) = self.written.get(value).copied() {
                self.written.insert(there, written);
            }
        }
        self.begin += all;
        u32::try_from(waits).expect("small")
    }

    /// Cycles that each iteration of a loop without a pipeline waits for what the iteration before gives.
    fn between(&self, part: &Part, k: usize) -> i64 {
        let Shape::Loop { .. } = part.shape else { return 0 };
        let length = i64::from(self.plan.length(k));
        let late = |reader: &ScheduledOp, operand: Option<usize>, value: ValueId| -> Option<i64> {
            let (mut at, mut iterations) = (value, 0);
            while let Some(carried) = part.carried.iter().find(|c| c.value == at).filter(|_| iterations < 64) {
                (at, iterations) = (carried.next, iterations + 1);
            }
            if iterations == 0 {
                return None;
            }
            let writer = part.ops.iter().find(|p| p.op.defines.contains(&at))?;
            let output = writer.op.defines.iter().position(|d| *d == at)?;
            let (from, to) = (writer.op.instruction, reader.op.instruction);
            let latency = i64::from(self.plan.processor.latency(from, output, to, operand));
            let apart = i64::from(writer.cycle) + latency - i64::from(reader.cycle);
            Some((apart + iterations - 1).div_euclid(iterations) - length)
        };
        let all = part.ops.iter().flat_map(|p| reads(p).filter_map(move |(operand, value)| late(p, operand, value)));
        let between = all.max().unwrap_or(0).max(0);
        if self.longest() == 1 {
            return between;
        }
        let iterations = |between: i64| {
            let apart = (length + between).max(1);
            let from = (0..=self.longest() / apart + 1).map(move |iteration| iteration * apart);
            from.flat_map(|from| self.classes(part).map(move |(cycle, class)| (from + cycle, class)))
                .collect::<Vec<_>>()
        };
        let most = between + self.longest();
        (between..most).find(|&between| self.fit(&iterations(between))).unwrap_or(most)
    }

    /// Of each operation of a part its cycle and class.
    fn classes<'s>(&'s self, part: &'s Part) -> impl Iterator<Item = (i64, usize)> + 's {
        part.ops.iter().map(|p| (i64::from(p.cycle), self.plan.processor.class_of(p.op.instruction)))
    }

    /// The most cycles for which an operation holds a unit.
    fn longest(&self) -> i64 {
        self.plan.processor.resources.longest().into()
    }

    /// Whether operations in these cycles find their units, those that they hold longer than a cycle.
    fn fit(&self, ops: &[(i64, usize)]) -> bool {
        let resources = &self.plan.processor.resources;
        resources.caps.iter().filter(|cap| !cap.holds.is_empty()).all(|cap| {
            let mut taken: HashMap<i64, u32> = HashMap::new();
            for &(cycle, class) in ops {
                for after in 0..cap.held(class) {
                    *taken.entry(cycle + i64::from(after)).or_default() += cap.slots(class, after);
                }
            }
            taken.values().all(|&taken| taken <= cap.limit)
        })
    }

    /// The wait of a part, at least a given one, behind which the units are free that earlier parts hold.
    fn late_units(&self, part: &Part, wait: i64) -> i64 {
        let all = |wait: i64| {
            let own = self.classes(part).map(|(cycle, class)| (self.begin + wait + cycle, class));
            own.chain(self.held.iter().copied()).collect::<Vec<_>>()
        };
        if self.held.is_empty() || matches!(part.shape, Shape::Pipelined { .. }) {
            return wait;
        }
        let most = wait + self.longest();
        (wait..most).find(|&wait| self.fit(&all(wait))).unwrap_or(most)
    }

    /// Remembers what may hold units beyond a part's end.
    fn hold(&mut self, part: &Part, last: i64, end: i64) {
        let longest = self.longest();
        let own: Vec<(i64, usize)> = self.classes(part).map(|(cycle, class)| (last + cycle, class)).collect();
        self.held.extend(own);
        self.held.retain(|held| held.0 + longest > end);
    }

    /// By how many cycles the operands of an operation come too late.
    fn late(&self, part: &Part, made: &HashSet<ValueId>, planned: &ScheduledOp, interval: i64) -> i64 {
        let late = |(operand, value): (Option<usize>, ValueId)| {
            let entering = self.entering(part, made, value);
            let late = entering.map(|(iteration, written)| {
                let at = self.begin + i64::from(planned.cycle) + iteration * interval;
                self.ready(written, planned.op.instruction, operand) - at
            });
            late.max().unwrap_or(0)
        };
        reads(planned).map(late).max().unwrap_or(0)
    }

    /// What an operation reads from before the part: in which iteration, and who wrote it.
    fn entering<'s>(
        &'s self,
        part: &'s Part,
        made: &'s HashSet<ValueId>,
        value: ValueId,
    ) -> impl Iterator<Item = (i64, LastWrite)> + 's {
        let mut at = Some(value);
        let inside = |v: ValueId| made.contains(&v);
        let chain = (0..=part.carried.len() as i64).map_while(move |iteration| {
            let value = at?;
            let carried = part.carried.iter().find(|c| c.value == value);
            at = carried.map(|c| c.next).filter(|_| !inside(value));
            let from = carried.map_or(value, |c| c.init);
            (carried.is_some() || !inside(value)).then_some((iteration, from))
        });
        chain.filter_map(|(iteration, from)| Some((iteration, *self.written.get(&from)?)))
    }

    fn ready(&self, written: LastWrite, reader: InstructionId, operand: Option<usize>) -> i64 {
        written.cycle + i64::from(self.plan.processor.latency(written.instruction, written.output, reader, operand))
    }

    /// By how many cycles the counters and the predicates of a pipelined loop come too late.
    fn late_control(&self, part: &Part, interval: i64) -> i64 {
        let (Shape::Pipelined { .. }, Some(branch)) = (part.shape, branch(self.plan.processor)) else { return 0 };
        let counters = self.plan.rotation.counters.iter().filter_map(|v| self.written.get(v));
        let counters =
            counters.enumerate().map(|(n, &w)| self.ready(w, branch, Some(n % 2)) - self.begin - interval + 1);
        let first = part.ops.iter().map(|p| i64::from(p.cycle) % interval).min().unwrap_or(0);
        let predicates = self.predicates.map(|w| {
            let class = self.plan.processor.class_of(w.instruction);
            w.cycle + i64::from(self.plan.processor.classes[class].latency) - self.begin - first
        });
        counters.chain(predicates).max().unwrap_or(0)
    }
}

/// What an operation reads, its predicate last.
fn reads(planned: &ScheduledOp) -> impl Iterator<Item = (Option<usize>, ValueId)> + '_ {
    let operands = planned.op.uses.iter().enumerate().filter_map(|(n, used)| match used {
        Use::Value(value) => Some((Some(n), *value)),
        _ => None,
    });
    operands.chain(planned.op.guard.map(|guard| (None, guard)))
}

/// Cycles from iteration to iteration, iterations, and cycles of all of them; `between` are those that an iteration waits for the one before.
fn cycles(part: &Part, length: i64, between: i64) -> (i64, i64, i64) {
    match part.shape {
        Shape::Straight => (length, 1, length),
        Shape::Loop { iterations } => (
            length + between,
            iterations.into(),
            length * i64::from(iterations) + between * (i64::from(iterations) - 1),
        ),
        Shape::Pipelined { iterations, interval, stages } => {
            (interval.into(), iterations.into(), i64::from(interval) * i64::from(iterations + stages - 1))
        }
    }
}
