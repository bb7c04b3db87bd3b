//! The first and the last steps of a cipher, so that no clock goes to moving words while another has the work of two.
//!
//! Where what stands before or after the rounds only moves words, its clock is free: it goes to the other end, if that is a step with
//! more round keys than a round has, or one that reads the block itself and so needs a round key in the clock that brings it.

use std::collections::HashMap;

use program::ir::{Op, OpKind, Operand, ValueId};
use program::walk::{slots_mut, uses, Slot};

use super::execute::RawSequence;
use super::raw::{is_wiring, RawStep};
use super::split::{Cut, PartWords};
use super::{Ends, Place, Role, Word};

/// Gives the clock of an end that only moves words to the other end.
pub(super) fn arrange(raw: &mut RawSequence, ends: Ends) {
    if ends == Ends::AsWritten || raw.steps.len() < 4 || raw.steps.iter().any(|step| !step.selections.is_empty()) {
        return;
    }
    let keys = Keys::of(raw);
    let last = raw.steps.len() - 1;
    let first_moves = keys.only_moves(&raw.steps[0]);
    let (free, busy) = match (first_moves, keys.only_moves(&raw.steps[last])) {
        (true, false) if ends == Ends::OneKey => (0, last),
        (false, true) => (last, 0),
        _ => return,
    };
    let step = &raw.steps[busy];
    let part_of = match ends {
        Ends::LoadFirst => Some(keys.loading(step)),
        _ => keys.halves(step, keys.of_a_round(raw), busy == 0),
    };
    let Some(parts) = part_of.and_then(|parts| keys.cut(step, parts, &raw.words)) else { return };
    let at = if free == 0 { 0 } else { last - 1 };
    let mut joined = joined(&raw.steps[at], &raw.steps[at + 1]);
    if free == last {
        let results: Vec<Place> = raw.results.iter().flatten().copied().collect();
        joined.writes.retain(|(place, _)| results.contains(place));
    }
    raw.steps.splice(at..at + 2, [joined]);
    let busy = if free == 0 { raw.steps.len() - 1 } else { 0 };
    raw.steps.splice(busy..=busy, parts);
}

/// Which places are round keys.
struct Keys {
    /// Per array: a round key, the block, or neither.
    arrays: Vec<Option<bool>>,
}

impl Keys {
    fn of(raw: &RawSequence) -> Self {
        let number = |role: Role| match role {
            Role::Parameter(n) => Some(n),
            _ => None,
        };
        let last = raw.arrays.iter().filter_map(|a| number(a.role)).max();
        Keys { arrays: raw.arrays.iter().map(|a| number(a.role).map(|n| Some(n) != last)).collect() }
    }

    fn is_key(&self, place: &Place) -> bool {
        matches!(place, Place::Element(array, _) if self.arrays[*array as usize] == Some(true))
    }

    fn is_block(&self, place: &Place) -> bool {
        matches!(place, Place::Element(array, _) if self.arrays[*array as usize] == Some(false))
    }

    fn only_moves(&self, step: &RawStep) -> bool {
        step.ops.iter().all(|op| is_wiring(&op.kind)) && !step.reads.iter().any(|(place, _)| self.is_key(place))
    }

    /// The most words of round keys that an iteration reads.
    fn of_a_round(&self, raw: &RawSequence) -> usize {
        let keys = |step: &RawStep| step.reads.iter().filter(|(place, _)| self.is_key(place)).count();
        raw.steps.iter().filter(|step| !step.iteration.is_empty()).map(keys).max().unwrap_or(0)
    }

    /// What moves words of the block, then the rest.
    fn loading(&self, step: &RawStep) -> Vec<usize> {
        let mut later: Vec<ValueId> = step.reads.iter().filter(|r| !self.is_block(&r.0)).map(|r| r.1).collect();
        let mut parts = Vec::new();
        for op in &step.ops {
            let mut part = usize::from(!is_wiring(&op.kind));
            uses(&op.kind, &mut |v| part = part.max(usize::from(later.contains(&v))));
            if part == 1 {
                later.extend(&op.results);
            }
            parts.push(part);
        }
        parts
    }

    /// What the first round keys suffice for, then the rest; none where these are not two parts. What could stand in both stands in the
    /// part next to the rounds: the second of a step before them.
    fn halves(&self, step: &RawStep, most: usize, before: bool) -> Option<Vec<usize>> {
        let mut order: Vec<ValueId> = Vec::new();
        for op in &step.ops {
            uses(&op.kind, &mut |v| {
                let key = step.reads.iter().any(|r| r.1 == v && self.is_key(&r.0));
                if key && !order.contains(&v) {
                    order.push(v);
                }
            });
        }
        if most == 0 || order.len() <= most || order.len() > 2 * most {
            return None;
        }
        let mut part: HashMap<ValueId, usize> = order.iter().enumerate().map(|(n, v)| (*v, n / most)).collect();
        let mut parts = Vec::new();
        for op in &step.ops {
            let mut own = 0;
            uses(&op.kind, &mut |v| own = own.max(part.get(&v).copied().unwrap_or(0)));
            part.extend(op.results.iter().map(|r| (*r, own)));
            parts.push(own);
        }
        if before {
            self.later(step, &order[..most], &mut parts);
        }
        Some(parts)
    }

    /// Moves what needs no round key, and only the second part uses, there.
    fn later(&self, step: &RawStep, first: &[ValueId], parts: &mut [usize]) {
        for n in (0..step.ops.len()).rev() {
            let op = &step.ops[n];
            let mut fixed = step.writes.iter().any(|(_, o)| op.results.iter().any(|r| *o == Operand::Value(*r)));
            uses(&op.kind, &mut |v| fixed |= first.contains(&v) || step.reads.iter().any(|r| r.1 == v));
            let mut users = Vec::new();
            for (m, user) in step.ops.iter().enumerate() {
                uses(&user.kind, &mut |v| {
                    if op.results.contains(&v) {
                        users.push(parts[m]);
                    }
                });
            }
            if !fixed && users.iter().all(|p| *p == 1) {
                parts[n] = 1;
            }
        }
    }

    /// The step in two, what crosses in words of the state; none where these are not free, or where the second part reads the block.
    fn cut(&self, step: &RawStep, part_of: Vec<usize>, words: &[Word]) -> Option<Vec<RawStep>> {
        if !(part_of.contains(&0) && part_of.contains(&1)) {
            return None;
        }
        let places = step.writes.iter().map(|w| w.0).chain(step.reads.iter().map(|r| r.0));
        let mut state: Vec<u32> = places.filter_map(|p| if let Place::Word(n) = p { Some(n) } else { None }).collect();
        let mut known = Vec::new();
        state.retain(|n| {
            !known.contains(n) && {
                known.push(*n);
                true
            }
        });
        let of = state.iter().enumerate().map(|(k, &n)| ((k, words[n as usize].width), n)).collect();
        let mut between = PartWords { words: words.to_vec(), of };
        let parts = Cut::new(step, part_of, 2).parts(&mut between);
        let once = |places: Vec<Place>| places.iter().enumerate().all(|(n, place)| !places[..n].contains(place));
        let fits = between.words.len() == words.len()
            && once(parts[0].writes.iter().map(|w| w.0).collect())
            && once(parts[1].reads.iter().map(|r| r.0).collect())
            && !parts[1].reads.iter().any(|r| self.is_block(&r.0));
        fits.then_some(parts)
    }
}

/// Two steps as one.
fn joined(a: &RawStep, b: &RawStep) -> RawStep {
    let mut step = a.clone();
    let offset = a.values.len() as u32;
    step.values.extend(b.values.iter().cloned());
    let mut known: HashMap<ValueId, ValueId> = HashMap::new();
    for (place, value) in &b.reads {
        let moved = ValueId(value.0 + offset);
        let written = a.writes.iter().find(|w| w.0 == *place).map(|w| w.1);
        let read = a.reads.iter().find(|r| r.0 == *place).map(|r| r.1);
        match (written, read) {
            (Some(Operand::Value(v)), _) => _ = known.insert(moved, v),
            (Some(Operand::Const(number)), _) => {
                step.ops.push(Op { kind: OpKind::Const(number), results: vec![moved], places: Vec::new() });
            }
            (None, Some(v)) => _ = known.insert(moved, v),
            (None, None) => step.reads.push((*place, moved)),
        }
    }
    let of = |v: ValueId| {
        let moved = ValueId(v.0 + offset);
        known.get(&moved).copied().unwrap_or(moved)
    };
    for op in &b.ops {
        let mut op = op.clone();
        op.results.iter_mut().for_each(|r| r.0 += offset);
        slots_mut(&mut op.kind, &mut |slot| match slot {
            Slot::Operand(Operand::Value(v)) | Slot::Value(v) => *v = of(*v),
            Slot::Operand(Operand::Const(_)) => {}
            Slot::Affine(affine) => affine.terms.iter_mut().for_each(|term| term.1 = of(term.1)),
        });
        step.ops.push(op);
    }
    for (place, operand) in &b.writes {
        let operand = match *operand {
            Operand::Value(v) => Operand::Value(of(v)),
            number => number,
        };
        step.write(*place, operand);
    }
    if step.iteration.is_empty() {
        step.iteration.clone_from(&b.iteration);
    }
    step
}
