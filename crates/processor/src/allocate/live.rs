//! When each value is alive, and which values may share a register.
//!
//! Time is counted in ticks: cycles where the operations of a cycle read before they write, else places in the order of
//! issue. Every part has ticks of its own before and behind it, at which loops hand values over.

use program::Diagnostic;

use super::plan::{ties, Plan, ScheduledOp, Shape};
use crate::code::{Use, ValueId};

/// An operation: part, place in its order of issue.
pub(super) type Key = (usize, usize);

/// A stretch of time in which a register is taken, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub start: u32,
    /// The operation that writes.
    pub writer: Option<Key>,
    pub end: u32,
    /// The operation that reads last.
    pub reader: Option<Key>,
    /// No other one reads in the same tick.
    pub sole: bool,
}

/// Life of every value.
pub(super) struct Live {
    /// Of each value its segments, in their order.
    pub segments: Vec<Vec<Segment>>,
    /// Of each part its first and last tick; one before and one behind are of no operation.
    pub spans: Vec<(u32, u32)>,
    /// Of each part the tick of each operation.
    pub ticks: Vec<Vec<u32>>,
}

impl Live {
    pub fn of(plan: &Plan) -> Live {
        let (spans, ticks) = positions(plan);
        let mut live = Live { segments: vec![Vec::new(); plan.code.values.len()], spans, ticks };
        for input in &plan.code.inputs {
            live.begin(input.value, 0, None);
        }
        for (k, part) in plan.parts.iter().enumerate() {
            live.part(plan, k);
            let (_, last) = live.spans[k];
            for carried in part.carried.iter().filter(|c| !plan.rotation.holds(c.value)) {
                live.extend(carried.next, last + 1, None);
                if matches!(part.shape, Shape::Pipelined { .. }) {
                    live.extend(carried.value, last + 1, None);
                }
            }
        }
        live
    }

    fn part(&mut self, plan: &Plan, k: usize) {
        let part = &plan.parts[k];
        let (first, last) = self.spans[k];
        let still = || part.carried.iter().filter(|c| !plan.rotation.holds(c.value));
        still().for_each(|c| self.extend(c.init, first - 1, None));
        still().for_each(|c| self.begin(c.value, first - 1, None));
        for (n, planned) in part.ops.iter().enumerate() {
            let tick = self.ticks[k][n];
            for value in used(planned).filter(|v| !plan.rotation.holds(*v)) {
                let inside = self.segments[value as usize].last().is_some_and(|s| s.start + 1 >= first);
                let outlives = part.shape != Shape::Straight && !inside;
                let (end, reader) = if outlives { (last + 1, None) } else { (tick, Some((k, n))) };
                self.extend(value, end, reader);
            }
            for &value in planned.op.defines.iter().filter(|v| !plan.rotation.holds(**v)) {
                self.begin(value, tick, Some((k, n)));
            }
        }
    }

    fn begin(&mut self, value: ValueId, start: u32, writer: Option<Key>) {
        self.segments[value as usize].push(Segment { start, writer, end: start, reader: None, sole: false });
    }

    fn extend(&mut self, value: ValueId, end: u32, reader: Option<Key>) {
        let Some(segment) = self.segments[value as usize].last_mut() else { return };
        if end > segment.end {
            (segment.end, segment.reader, segment.sole) = (end, reader, reader.is_some());
        } else if end == segment.end {
            segment.sole &= segment.reader == reader;
            segment.reader = reader.max(segment.reader);
        }
    }

    pub fn check_tie(&self, plan: &Plan, old: ValueId, new: ValueId, planned: &ScheduledOp) -> Result<(), Diagnostic> {
        let (olds, news) = (&self.segments[old as usize], &self.segments[new as usize]);
        if olds.iter().all(|x| news.iter().all(|y| !overlap(x, y) || replaces(x, y))) {
            return Ok(());
        }
        let value = &plan.code.values[old as usize].name;
        let instruction = &plan.isa().instructions[planned.op.instruction as usize].name;
        let message = format!("`{instruction}` overwrites `{value}`, which is needed afterwards");
        Err(Diagnostic::new("M402", message)
            .note(format!("in cycle {} of `{}`", planned.cycle, plan.code.name))
            .help("copy the value before the operation"))
    }
}

/// Whether two segments need two registers: they overlap, unless the operation that reads the one last writes the other.
pub(super) fn overlap(x: &Segment, y: &Segment) -> bool {
    let (a, b) = if x.start <= y.start { (x, y) } else { (y, x) };
    if b.start > a.end {
        return false;
    }
    let handed_on = a.start < b.start && b.start == a.end && a.sole && a.reader == b.writer;
    !handed_on
}

/// Whether one segment ends in the tick in which the other begins, and nothing that stands behind its writer reads it.
fn replaces(old: &Segment, new: &Segment) -> bool {
    old.start < new.start && old.end == new.start && old.reader <= new.writer
}

/// The values that an operation reads, its guard among them.
pub(super) fn used(planned: &ScheduledOp) -> impl Iterator<Item = ValueId> + '_ {
    let operands = planned.op.uses.iter().filter_map(|u| match u {
        Use::Value(v) => Some(*v),
        _ => None,
    });
    operands.chain(planned.op.guard)
}

/// Of each part its first and last tick, and the tick of each operation.
fn positions(plan: &Plan) -> (Vec<(u32, u32)>, Vec<Vec<u32>>) {
    let (mut spans, mut ticks, mut now) = (Vec::new(), Vec::new(), 2);
    for part in &plan.parts {
        let of =
            |(n, p): (usize, &ScheduledOp)| if plan.parallel() { p.cycle } else { u32::try_from(n).expect("small") };
        let own: Vec<u32> = part.ops.iter().enumerate().map(|x| now + of(x)).collect();
        let last = own.iter().copied().max().unwrap_or(now);
        spans.push((now, last));
        ticks.push(own);
        now = last + 3;
    }
    (spans, ticks)
}

/// Values that must or may share a register, with all of their segments.
pub(super) struct Webs {
    parent: Vec<ValueId>,
    pub segments: Vec<Vec<Segment>>,
}

impl Webs {
    /// Every value alone, then those that ties join.
    pub fn of(plan: &Plan, live: &Live) -> Webs {
        let count = plan.code.values.len();
        let parent = (0..count).map(|v| u32::try_from(v).expect("small")).collect();
        let mut webs = Webs { parent, segments: live.segments.clone() };
        for part in &plan.parts {
            for planned in &part.ops {
                for (old, new) in ties(plan.isa(), &planned.op) {
                    webs.join(old, new);
                }
            }
        }
        webs
    }

    /// The value that stands for the web of a value.
    pub fn root(&self, value: ValueId) -> ValueId {
        let mut at = value;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        at
    }

    /// Whether two webs fit one register; `at` is a tick at which one is handed over to the other.
    pub fn fit(&self, a: ValueId, b: ValueId, at: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let handed = |x: &Segment, y: &Segment| (x.end == at && y.start == at) || (y.end == at && x.start == at);
        let apart = |x: &Segment, y: &Segment| handed(x, y) || !overlap(x, y) || replaces(x, y) || replaces(y, x);
        let pairs = |x: &Segment| self.segments[b as usize].iter().all(|y| apart(x, y));
        a == b || self.segments[a as usize].iter().all(pairs)
    }

    pub fn join(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent[b as usize] = a;
            let moved = std::mem::take(&mut self.segments[b as usize]);
            self.segments[a as usize].extend(moved);
            self.segments[a as usize].sort_by_key(|s| s.start);
        }
    }
}
