//! Counted loops: what they carry, the pointers that they step, the indices that they count.

use std::collections::HashSet;
use std::iter;
use std::sync::Arc;

use program::ir::{Affine, Binary, Block, Compare, Function, Loop, Op, OpKind, ValueId};
use program::walk::for_each_op;
use program::Diagnostic;

use super::objects::{address, ring, Ring, Terms};
use super::pointers::{Halves, Pointer};
use super::{in_loops, Lowering};
use crate::code::{Item, Line, Loop as Repeated, Origin, Source, Value};
use crate::select::{bytes_of, sources, Bytes, SelectResult};

/// Counters that differ by a constant which a loop keeps; of more, one is kept and the others are sums.
const COUNTERS: usize = 2;
/// Entries of a table that a byte reaches.
pub const PAGE: usize = 256;

/// A loop while it is lowered.
pub struct Nest {
    /// The number of the iteration.
    pub index: ValueId,
    /// What it steps through.
    pub pointers: Vec<Pointer>,
    /// Sums of indices that it keeps.
    counters: Vec<Counter>,
}

/// A sum of indices that a loop keeps as a byte, or as two.
#[derive(Clone)]
struct Counter {
    terms: Terms,
    constant: i64,
    low: Value,
    /// The upper byte, where some address needs it.
    high: Option<Value>,
    step: i64,
}

/// A loop's index times a number, plus another, modulo a third, that the loop keeps as a byte.
struct Remainder {
    low: Value,
    start: i64,
    step: i64,
    modulus: i64,
}

/// The indices of a function modulo numbers that a byte holds, and upper bytes of indices.
pub fn remainders(function: &Function) -> HashSet<ValueId> {
    let mut found = HashSet::new();
    for_each_op(&function.body, &mut |op| {
        match op.kind {
            OpKind::IndexMod(_, modulus) if modulus <= PAGE as i64 => found.insert(op.results[0]),
            OpKind::IndexDiv(_, divisor) if divisor == PAGE as i64 => found.insert(op.results[0]),
            _ => false,
        };
    });
    found
}

/// A sum of indices that something in a loop reads.
struct Counted {
    sum: Affine,
    /// As two bytes.
    wide: bool,
}

impl Lowering<'_> {
    /// A loop.
    pub(super) fn repeated(&mut self, op: &Op, l: &Loop) -> SelectResult<()> {
        let [body] = &l.bodies[..] else {
            let name = &self.function.values[l.bodies[0].params[0].0 as usize].name;
            let message = format!("the loop over `{name}` has {} bodies, not one", l.bodies.len());
            let help = "the pass `unroll:factor=period` makes them one, or `split-words` with unrolled loops";
            return Err(Diagnostic::new("E112", message).help(help));
        };
        let mut nest = Nest { index: body.params[0], pointers: Vec::new(), counters: Vec::new() };
        let remainders = self.plan_remainders(&nest, body);
        self.plan_counters(&mut nest, body)?;
        let counters = nest.counters.iter();
        let starts = counters.map(|counter| self.start_of(counter, nest.index)).collect::<SelectResult<Vec<_>>>()?;
        let pinned = self.plan_pointers(&mut nest, body)?;
        let initial = self.initial(&nest)?;
        let words: Vec<usize> = (0..op.results.len()).filter(|n| self.word_bits(body.params[n + 1]) > 0).collect();
        let inits: Vec<Source> = words.iter().map(|n| self.source(l.init[*n])).collect();
        let params: Vec<Value> = words.iter().map(|_| self.selector.fresh()).collect();
        self.values.extend(words.iter().zip(&params).map(|(n, v)| (body.params[n + 1], Source::Value(*v))));
        let outside = std::mem::take(&mut self.selector.out);
        self.nests.push(nest);
        self.block(&body.ops)?;
        self.selector.origin = Origin::of(&op.places);
        let ends = words.iter().map(|n| self.source(body.outputs[*n]));
        let mut carried: Vec<_> = params.into_iter().zip(inits).zip(ends).map(|((p, i), e)| (p, i, e)).collect();
        self.step(&mut carried, starts, initial)?;
        for one in remainders {
            let end = self.around_modulus(&one)?;
            carried.push((one.low, Source::Number(one.start as i32), end));
        }
        let stepped = self.pins_stepped()?;
        let inside = std::mem::replace(&mut self.selector.out, outside);
        self.nests.pop();
        let origin = self.selector.origin.clone();
        let once = Repeated { carried, body: inside, pinned, stepped, origin, ..Repeated::default() };
        let results = self.counted_down(once, l.pattern.len())?;
        self.values.extend(words.iter().zip(&results).map(|(n, v)| (op.results[*n], Source::Value(*v))));
        Ok(())
    }

    /// Appends a loop of so many iterations; gives what it carries behind it. A counter is a byte: more iterations are a loop of loops.
    fn counted_down(&mut self, once: Repeated, iterations: usize) -> SelectResult<Vec<Value>> {
        if iterations <= PAGE {
            let counter = self.selector.number(iterations as i64)?;
            let results = self.selector.several(once.carried.len());
            let made = Repeated { iterations: iterations as u64, counter, results: results.clone(), ..once };
            self.selector.out.push(Item::Loop(Arc::new(made)));
            return Ok(results);
        }
        let inner = (2..=PAGE).rev().find(|n| iterations % n == 0).ok_or_else(|| {
            let what =
                format!("a loop of {iterations} iterations, which no number up to {PAGE} divides, is not made yet");
            in_loops("E119", what, "code without loops")
        })?;
        let (pinned, origin) = (once.pinned, once.origin.clone());
        let params = self.selector.several(once.carried.len());
        let (inits, carried): (Vec<Source>, Vec<_>) = once
            .carried
            .iter()
            .zip(&params)
            .map(|((p, init, end), outer)| (*init, (*p, Source::Value(*outer), *end)))
            .unzip();
        let outside = std::mem::take(&mut self.selector.out);
        let ends = self.counted_down(Repeated { carried, pinned: Vec::new(), ..once }, inner)?;
        let body = std::mem::replace(&mut self.selector.out, outside);
        let carried =
            params.into_iter().zip(inits).zip(ends).map(|((p, init), end)| (p, init, Source::Value(end))).collect();
        self.counted_down(Repeated { carried, body, pinned, origin, ..Repeated::default() }, iterations / inner)
    }

    /// The remainders of a loop's own index that its body makes.
    fn plan_remainders(&mut self, nest: &Nest, body: &Block) -> Vec<Remainder> {
        let mut found = Vec::new();
        for op in &body.ops {
            let OpKind::IndexMod(sum, modulus) = &op.kind else { continue };
            let (true, [(step, index)]) = (self.remainders.contains(&op.results[0]), &sum.terms[..]) else { continue };
            if *index != nest.index {
                continue;
            }
            let low = self.selector.fresh();
            self.values.insert(op.results[0], Source::Value(low));
            let (start, step) = (sum.constant.rem_euclid(*modulus), step.rem_euclid(*modulus));
            found.push(Remainder { low, start, step, modulus: *modulus });
        }
        found
    }

    /// A remainder in the next iteration: what it was and its step, less the modulus where that is reached.
    fn around_modulus(&mut self, one: &Remainder) -> SelectResult<Source> {
        let Remainder { low, step, modulus, .. } = *one;
        let number = |n: i64| Source::Number((n & 255) as i32);
        let low = Source::Value(low);
        let further = self.selector.binary(Binary::Add, low, number(step))?;
        if modulus & (modulus - 1) == 0 {
            return self.selector.binary(Binary::And, further, number(modulus - 1));
        }
        let below = self.selector.compared(Compare::Ltu, &[low], &[number(modulus - step)])?;
        let back = self.selector.binary(Binary::Add, low, number(step - modulus))?;
        self.selector.chosen(below, further, back)
    }

    /// The bytes that a counter begins with.
    fn start_of(&mut self, counter: &Counter, index: ValueId) -> SelectResult<Bytes> {
        let terms = counter.terms.iter().filter(|(_, v)| *v != index).copied().collect();
        let sum = Affine { terms, constant: counter.constant };
        Ok(if counter.high.is_some() { self.counted_wide(&sum)?.to_vec() } else { vec![self.counted(&sum)?] })
    }

    /// Starts of the pointers that are values.
    fn initial(&mut self, nest: &Nest) -> SelectResult<Vec<(Pointer, Halves)>> {
        let values = nest.pointers.iter().filter(|p| p.pin.is_none());
        values.map(|p| Ok((p.clone(), self.start(p, nest.index)?))).collect()
    }

    /// Counters and pointers at the end of an iteration of the innermost loop.
    fn step(
        &mut self,
        carried: &mut Vec<(Value, Source, Source)>,
        starts: Vec<Bytes>,
        initial: Vec<(Pointer, Halves)>,
    ) -> SelectResult<()> {
        let counters = self.nests.last().map_or_else(Vec::new, |nest| nest.counters.clone());
        for (Counter { low, high, step, .. }, start) in counters.into_iter().zip(starts) {
            let bytes: Vec<Value> = iter::once(low).chain(high).collect();
            let ends = self.further(&sources(&bytes), step)?;
            carried.extend(bytes.into_iter().zip(start).zip(ends).map(|((value, start), end)| (value, start, end)));
        }
        for (p, starts) in initial {
            let by = self.nests.last().map_or(0, |nest| p.step(nest));
            let ends = if p.ring > 0 {
                self.moved_around(&p, by.rem_euclid(p.ring))?
            } else {
                self.moved([p.low, p.high], by)?
            };
            let halves = [p.low, p.high].into_iter().zip(starts.into_iter().zip(ends));
            carried.extend(halves.map(|(p, (start, end))| (p, Source::Value(start), Source::Value(end))));
        }
        Ok(())
    }

    /// The lines that move the pointers of the innermost loop that are registers.
    fn pins_stepped(&mut self) -> SelectResult<Vec<Line>> {
        let Some(nest) = self.nests.last() else { return Ok(Vec::new()) };
        let pinned = nest.pointers.iter().filter(|p| p.pin.is_some());
        let steps: Vec<(Pointer, i64)> = pinned.map(|p| (p.clone(), p.step(nest))).collect();
        let mut lines = Vec::new();
        for (p, by) in steps {
            lines.extend(self.pin_stepped(&p, by)?);
        }
        Ok(lines)
    }

    /// The terms of a sum that are indices of a loop and those around it.
    fn restricted(&self, terms: &[(i64, ValueId)], nest: &Nest) -> Terms {
        let inside = |v: &ValueId| *v == nest.index || self.nests.iter().any(|outer| outer.index == *v);
        let mut kept: Terms = terms.iter().filter(|(_, v)| inside(v)).copied().collect();
        kept.sort_unstable();
        kept
    }

    /// Whether a sum is one of indices alone that a loop steps.
    fn steps_with(&self, terms: &[(i64, ValueId)], nest: &Nest) -> bool {
        let words = terms.iter().any(|(_, v)| self.word_bits(*v) > 0);
        !words && terms.iter().any(|(_, v)| *v == nest.index)
    }

    /// Collects what a loop steps through; pins the pointers used most.
    fn plan_pointers(&mut self, nest: &mut Nest, body: &Block) -> SelectResult<Vec<Line>> {
        let objects = self.addresses().objects;
        let mut found: Vec<(Arc<str>, Terms, Vec<i64>)> = Vec::new();
        let mut accesses = Vec::new();
        for_each_op(body, &mut |op| match &op.kind {
            OpKind::Load(array, addresses) => accesses.push((*array, addresses.clone(), op.results.len())),
            OpKind::Store(array, addresses, words) if !self.in_window(&op.kind) => {
                accesses.push((*array, addresses.clone(), words.len()));
            }
            _ => {}
        });
        for (array, addresses, count) in accesses {
            if let Some(around) = ring(self.extents(array), &addresses) {
                self.plan_ring(nest, &self.object(array), around);
                continue;
            }
            let (terms, constant) = address(self.extents(array), &addresses)?;
            if !self.steps_with(&terms, nest) {
                continue;
            }
            let object = if objects { self.object(array) } else { "".into() };
            let kept = self.restricted(&terms, nest);
            let constants = constant..constant + count as i64;
            match found.iter_mut().find(|(o, terms, _)| *o == object && *terms == kept) {
                Some((_, _, known)) => known.extend(constants),
                None => found.push((object, kept, constants.collect())),
            }
        }
        let mut uses = Vec::new();
        for (object, terms, mut constants) in found {
            constants.sort_unstable();
            for base in self.based(&constants) {
                let reach = base..base + self.addresses().reach;
                uses.push((nest.pointers.len(), constants.iter().filter(|c| reach.contains(c)).count()));
                let (low, high) = (self.selector.fresh(), self.selector.fresh());
                let (object, terms) = (Arc::clone(&object), terms.clone());
                nest.pointers.push(Pointer { object, terms, base, pin: None, ring: 0, low, high });
            }
        }
        self.pin_most_used(nest, uses)
    }

    fn pin_most_used(&mut self, nest: &mut Nest, mut uses: Vec<(usize, usize)>) -> SelectResult<Vec<Line>> {
        let count = self.addresses().registers.as_ref().map_or(0, |registers| registers.pins.len());
        let taken = |pin: &usize| self.nests.iter().flat_map(|outer| &outer.pointers).any(|p| p.pin == Some(*pin));
        let free: Vec<usize> = (0..count).filter(|pin| !taken(pin)).collect();
        uses.retain(|(n, _)| nest.pointers[*n].terms.len() == 1);
        uses.sort_by_key(|(_, used)| std::cmp::Reverse(*used));
        let mut lines = Vec::new();
        for (pin, (n, _)) in free.into_iter().zip(uses) {
            nest.pointers[n].pin = Some(pin);
            self.pinned.insert(pin);
            lines.extend(self.pin_set(&nest.pointers[n].clone())?);
        }
        Ok(lines)
    }

    /// What the pointers stand for that reach all of some constants, which ascend.
    fn based(&self, constants: &[i64]) -> Vec<i64> {
        if !self.addresses().objects {
            return vec![0];
        }
        let mut bases: Vec<i64> = Vec::new();
        for constant in constants {
            if bases.last().map_or(true, |last| *constant >= last + self.addresses().reach) {
                bases.push(*constant);
            }
        }
        bases
    }

    fn plan_ring(&mut self, nest: &mut Nest, object: &Arc<str>, around: Ring) {
        let known = nest.pointers.iter().any(|p| is_ring(p, object, &around));
        if matches!(around.terms[..], [(_, v)] if v == nest.index) && !known {
            let (low, high) = (self.selector.fresh(), self.selector.fresh());
            let Ring { terms, start: base, size: ring, .. } = around;
            nest.pointers.push(Pointer { object: Arc::clone(object), terms, base, pin: None, ring, low, high });
        }
    }

    /// The pointer of a loop around that wraps around like an address.
    pub(super) fn ring_pointer(&self, object: &Arc<str>, around: &Ring) -> SelectResult<Pointer> {
        let mut pointers = self.nests.iter().rev().flat_map(|nest| &nest.pointers);
        let found = pointers.find(|p| is_ring(p, object, around));
        found.cloned().ok_or_else(|| {
            let what = "an address that wraps around depends on more than one loop";
            in_loops("E105", what, "code without loops, whose addresses are numbers")
        })
    }

    /// The pointer of a loop around that reaches an address.
    pub(super) fn pointer(&self, object: &str, terms: &[(i64, ValueId)], constant: i64) -> Pointer {
        let mut pointers = self.nests.iter().rev().flat_map(|nest| &nest.pointers);
        let reach = self.addresses().reach;
        let reaches = |p: &&Pointer| {
            p.ring == 0 && *p.object == *object && p.terms == terms && (0..reach).contains(&(constant - p.base))
        };
        pointers.find(reaches).cloned().expect("a loop steps through it")
    }

    fn start(&mut self, p: &Pointer, index: ValueId) -> SelectResult<Halves> {
        let rest: Terms = p.terms.iter().filter(|(_, v)| *v != index).copied().collect();
        if rest.is_empty() {
            return self.pointing(p);
        }
        let outer = self.pointer(&p.object, &rest, p.base);
        let halves = if outer.pin.is_some() { self.pin_copied(&outer)? } else { [outer.low, outer.high] };
        self.moved(halves, p.base - outer.base)
    }

    fn plan_counters(&mut self, nest: &mut Nest, body: &Block) -> SelectResult<()> {
        let sums = self.counted_in(body)?;
        for Counted { sum, wide } in sums.iter().filter(|one| self.steps_with(&one.sum.terms, nest)).collect::<Vec<_>>()
        {
            let terms = self.restricted(&sum.terms, nest);
            let constant = sum.constant;
            let high = wide.then(|| self.selector.fresh());
            if let Some(known) = nest.counters.iter_mut().find(|one| one.terms == terms && one.constant == constant) {
                known.high = known.high.or(high);
                continue;
            }
            let step = terms.iter().find(|(_, v)| *v == nest.index).map_or(0, |(c, _)| *c);
            nest.counters.push(Counter { terms, constant, low: self.selector.fresh(), high, step });
        }
        let every = nest.counters.clone();
        nest.counters.retain(|one| {
            let same = || every.iter().filter(|other| other.terms == one.terms).map(|other| other.constant);
            same().count() <= COUNTERS || same().min() == Some(one.constant)
        });
        // One that stays stands for those that go.
        for kept in &mut nest.counters {
            if kept.high.is_none() && every.iter().any(|other| other.terms == kept.terms && other.high.is_some()) {
                kept.high = Some(self.selector.fresh());
            }
        }
        Ok(())
    }

    /// The sums that are read in a body: numbers, addresses in tables, indices beside words in addresses.
    fn counted_in(&self, body: &Block) -> SelectResult<Vec<Counted>> {
        let (mut sums, mut arrays) = (Vec::new(), Vec::new());
        for_each_op(body, &mut |op| match &op.kind {
            OpKind::Word(sum) => {
                let (_, terms) = self.words_apart(sum.terms.clone());
                sums.push(Counted { sum: Affine { terms, constant: sum.constant }, wide: false });
            }
            OpKind::IndexDiv(sum, _) if self.word_bits(op.results[0]) > 0 => {
                sums.push(Counted { sum: sum.clone(), wide: true });
            }
            OpKind::Lookup(table, address) => {
                let wide = self.program.tables[table.0 as usize].data.len() > PAGE;
                sums.push(Counted { sum: address.affine.clone(), wide });
            }
            OpKind::Store(_, addresses, _) if self.in_window(&op.kind) => {
                sums.extend(addresses.iter().map(|address| Counted { sum: address.affine.clone(), wide: false }));
            }
            OpKind::Load(array, addresses) | OpKind::Store(array, addresses, _)
                if ring(self.extents(*array), addresses).is_none() =>
            {
                arrays.push((*array, addresses.clone()));
            }
            _ => {}
        });
        for (array, addresses) in arrays {
            let (words, indices) = self.words_apart(address(self.extents(array), &addresses)?.0);
            if !words.is_empty() && !indices.is_empty() {
                sums.push(Counted { sum: Affine { terms: indices, constant: 0 }, wide: true });
            }
        }
        Ok(sums)
    }

    /// The terms of an address that are words, and those that are indices.
    pub(super) fn words_apart(&self, terms: Terms) -> (Terms, Terms) {
        terms.into_iter().partition(|(_, v)| self.word_bits(*v) > 0)
    }

    /// An index as a byte.
    pub(super) fn counted(&mut self, sum: &Affine) -> SelectResult<Source> {
        let (remainders, terms) = self.words_apart(sum.terms.clone());
        if !remainders.is_empty() {
            let mut total = self.counted(&Affine { terms, constant: sum.constant })?;
            for (factor, v) in remainders {
                let (one, factor) = (self.values[&v], Source::Number((factor & 255) as i32));
                let part = if factor == Source::Number(1) { one } else { self.selector.multiplied(one, factor)? };
                total = self.selector.binary(Binary::Add, part, total)?;
            }
            return Ok(total);
        }
        if sum.terms.is_empty() {
            return Ok(Source::Number((sum.constant & 255) as i32));
        }
        let (counter, distance) = self.counter_of(sum);
        Ok(self.further(&[Source::Value(counter.low)], distance)?[0])
    }

    /// An index as two bytes.
    pub(super) fn counted_wide(&mut self, sum: &Affine) -> SelectResult<Bytes> {
        if sum.terms.is_empty() {
            return Ok(bytes_of(sum.constant as u64, 2));
        }
        let (counter, distance) = self.counter_of(sum);
        let high = counter.high.expect("a loop counts in two bytes what is read so");
        self.further(&sources(&[counter.low, high]), distance)
    }

    /// The counter with the terms of a sum, and how far behind it the sum is.
    fn counter_of(&self, sum: &Affine) -> (Counter, i64) {
        let mut terms = sum.terms.clone();
        terms.sort_unstable();
        let counts = |nest: &&Nest| terms.iter().any(|(_, v)| *v == nest.index);
        let nest = self.nests.iter().rev().find(counts).expect("a loop counts it");
        let same: Vec<&Counter> = nest.counters.iter().filter(|counter| counter.terms == terms).collect();
        let equal = same.iter().find(|counter| counter.constant == sum.constant);
        let counter = *equal.or(same.first()).expect("a loop counts it");
        (counter.clone(), sum.constant - counter.constant)
    }

    /// A byte, or two, and a number.
    fn further(&mut self, bytes: &[Source], by: i64) -> SelectResult<Bytes> {
        match bytes {
            _ if by == 0 => Ok(bytes.to_vec()),
            [byte] => Ok(vec![self.selector.binary(Binary::Add, *byte, Source::Number((by & 255) as i32))?]),
            _ => self.selector.wide("add_16", &[bytes, &bytes_of(by as u64, 2)].concat()),
        }
    }
}

fn is_ring(p: &Pointer, object: &Arc<str>, around: &Ring) -> bool {
    p.object == *object && p.terms == around.terms && p.base == around.start && p.ring == around.size
}
