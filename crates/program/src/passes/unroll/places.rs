//! Carried values that change places: after some iterations each is back in its own.

use std::collections::{HashMap, HashSet};

use super::lcm;
use crate::ir::{Binary, Block, Loop, Op, OpKind, Operand, ValueId};
use crate::walk::for_each_op;

/// The fewest iterations of a loop with one body after which carried values that change places are back in theirs, or all that it has; 1 for
/// others.
///
/// A carried value goes into the place of the one that it is, else of one that it is computed from in place: by its own first, so
/// that only those change places that must. One that is computed from entries of tables alone goes into the place of what is looked up.
pub(super) fn period(l: &Loop) -> usize {
    let [body] = l.bodies.as_slice() else { return 1 };
    let Some(places) = places(body) else { return 1 };
    let mut period = 1;
    for start in 0..places.len() {
        let mut length = 1;
        let mut at = places[start];
        while at != start {
            at = places[at];
            length += 1;
        }
        period = lcm(period, length);
        // Of many lengths it could be beyond every number.
        if period >= l.pattern.len() {
            return l.pattern.len();
        }
    }
    period
}

/// How many values an iteration gives: an operation on words that were split gives as many as there are parts.
pub(super) fn values(l: &Loop) -> usize {
    let mut values = 0;
    l.bodies.iter().for_each(|body| for_each_op(body, &mut |op| values += op.results.len()));
    values
}

/// Of each next carried value the place that it takes, a permutation; `None` if two are the same value.
fn places(body: &Block) -> Option<Vec<usize>> {
    let origins = Origins::of(body);
    let count = body.outputs.len();
    let mut taken = Taken { of: vec![None; count], free: vec![true; count] };
    for (k, output) in body.outputs.iter().enumerate() {
        if let Some(place) = origins.carried_as(*output) {
            if !taken.free[place] {
                return None;
            }
            taken.take(k, Some(place));
        }
    }
    let candidates: Vec<Vec<usize>> = body.outputs.iter().map(|&output| origins.all(output)).collect();
    for (k, places) in candidates.iter().enumerate() {
        taken.take(k, places.contains(&k).then_some(k));
    }
    for (k, places) in candidates.iter().enumerate() {
        let place = places.iter().copied().find(|&place| taken.free[place]);
        taken.take(k, place);
    }
    for k in 0..count {
        taken.take(k, Some(k));
        let place = taken.free.iter().position(|&free| free);
        taken.take(k, place);
    }
    taken.of.into_iter().collect()
}

/// Places of next carried values as far as they are known.
struct Taken {
    of: Vec<Option<usize>>,
    free: Vec<bool>,
}

impl Taken {
    /// Gives a value a place, if it has none and that is free.
    fn take(&mut self, value: usize, place: Option<usize>) {
        if let Some(place) = place.filter(|&place| self.of[value].is_none() && self.free[place]) {
            self.of[value] = Some(place);
            self.free[place] = false;
        }
    }
}

/// What the values of a body are computed from in place.
struct Origins<'a> {
    carried: HashMap<ValueId, usize>,
    made: HashMap<ValueId, (&'a Op, usize)>,
}

impl<'a> Origins<'a> {
    fn of(body: &'a Block) -> Self {
        let results = |op: &'a Op| op.results.iter().enumerate().map(move |(n, &value)| (value, (op, n)));
        Origins {
            carried: body.params[1..].iter().enumerate().map(|(k, &value)| (value, k)).collect(),
            made: body.ops.iter().flat_map(results).collect(),
        }
    }

    /// The place of a carried value that is handed on as it is.
    fn carried_as(&self, operand: Operand) -> Option<usize> {
        match operand {
            Operand::Value(value) => self.carried.get(&value).copied(),
            _ => None,
        }
    }

    /// The places of carried values that an operand is computed from in place, the likeliest first; where there are none, also of those
    /// that are looked up.
    fn all(&self, operand: Operand) -> Vec<usize> {
        let mut found = Vec::new();
        for lookups in [false, true] {
            if found.is_empty() {
                self.add(operand, lookups, &mut HashSet::new(), &mut found);
            }
        }
        found
    }

    fn add(&self, operand: Operand, lookups: bool, seen: &mut HashSet<ValueId>, found: &mut Vec<usize>) {
        let Operand::Value(value) = operand else { return };
        if !seen.insert(value) {
            return;
        }
        if let Some(&place) = self.carried.get(&value) {
            found.push(place);
        }
        let Some(&(op, number)) = self.made.get(&value) else { return };
        let operands: Vec<Operand> = match &op.kind {
            OpKind::Binary(Binary::Sub, a, _) | OpKind::Not(a) | OpKind::Shift(_, a, _) => vec![*a],
            OpKind::Binary(_, a, b) => vec![*a, *b],
            // Words that were split into these parts: those in the same position of each argument.
            OpKind::Call(_, arguments) => arguments.iter().skip(number).step_by(op.results.len()).copied().collect(),
            OpKind::Lookup(_, address) if lookups => {
                address.affine.terms.iter().map(|(_, value)| Operand::Value(*value)).collect()
            }
            _ => Vec::new(),
        };
        operands.into_iter().for_each(|operand| self.add(operand, lookups, seen, found));
    }
}
