//! Loops: what they carry gets a home, and what stands elsewhere at the end of an iteration goes back.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::state::State;
use super::{filled, AllocationResult, Allocator, Stop};
use crate::code::{Item, Line, Loop, Source, Value};
use crate::operand::{Label, Operand, Register};

/// Registers that carried values leave free at the head of a loop.
const WORKING: usize = 6;

/// The homes of carried values: a register, or memory.
pub(super) type Homes = HashMap<Value, Option<Register>>;

impl Allocator<'_> {
    pub(super) fn run_loop(&mut self, l: &Arc<Loop>) -> AllocationResult<()> {
        if self.accumulator.is_some() {
            self.before_loop(l)?;
        }
        let state = self.state.clone();
        let (lines, position, labels, slots) = (self.lines.len(), self.position, self.labels, self.slots);
        let (hints, held) = (self.hints.clone(), self.held.clone());
        loop {
            match self.tried(l) {
                Err(Stop::Restart(id, s)) if id == l.id => {
                    self.evicted.entry(id).or_default().insert(s);
                    while self.outside.pop().is_some_and(|(inner, _)| inner != id) {}
                    self.state = state.clone();
                    self.lines.truncate(lines);
                    (self.position, self.labels, self.slots) = (position, labels, slots);
                    (self.hints, self.held) = (hints.clone(), held.clone());
                }
                done => return done,
            }
        }
    }

    fn tried(&mut self, l: &Arc<Loop>) -> AllocationResult<()> {
        if self.accumulator.is_some() {
            self.forget();
        }
        let span = self.uses.span(l);
        let leave = self.evicted.get(&l.id).cloned().unwrap_or_default();
        for (s, _) in self.state.in_registers() {
            if leave.contains(&s) {
                self.evict(s)?;
            }
        }
        let homes = self.enter(l, &leave)?;
        self.kept.extend(homes.iter().filter(|(_, r)| r.is_none()).map(|(p, _)| *p));
        self.load_numbers(span, &leave)?;
        self.lines.extend(l.pinned.iter().cloned());
        let (before, slots) = (self.state.clone(), self.slots);
        let params: HashSet<Source> = l.carried.iter().map(|(p, _, _)| Source::Value(*p)).collect();
        let known = before.in_registers().into_iter().map(|(s, _)| s).filter(|s| !params.contains(s)).collect();
        self.hint(l, &homes);
        let head = self.labels;
        self.labels += 1;
        self.iterations.insert(head, l.iterations);
        self.lines.push(Line::Label(Label::Head(head)));
        self.outside.push((l.id, known));
        self.held.push(before.in_slots().into_iter().collect());
        self.items(&l.body)?;
        self.position = span.1;
        self.outside.pop();
        self.held.pop();
        self.lines.extend(l.stepped.iter().cloned());
        self.restore(l, &homes, &before)?;
        self.close(l, &before, head);
        self.leave(l, before, slots);
        if self.accumulator.is_some() {
            self.forget();
        }
        Ok(())
    }

    /// Loads the numbers that the loop needs, while there are registers.
    fn load_numbers(&mut self, span: (u32, u32), leave: &BTreeSet<Source>) -> AllocationResult<()> {
        if self.accumulator.is_some() {
            return Ok(());
        }
        for n in self.uses.numbers_within(span) {
            let s = Source::Number(n);
            if !leave.contains(&s) && self.register(s).is_none() && self.free(true, &[]).len() > 1 {
                self.load(s, &[], true)?;
            }
        }
        Ok(())
    }

    /// Counts and branches to the head.
    fn close(&mut self, l: &Loop, before: &State, head: u32) {
        let counter = before.register(Source::Value(l.counter));
        let r = counter.unwrap_or(self.isa.registers.scratch);
        let slot = if counter.is_none() { before.slot(l.counter) } else { None };
        if let Some(slot) = slot {
            self.fetch(r, slot);
        }
        let count = self.isa.moves.count.as_ref().map(|count| filled(count, &[Operand::Register(r)]));
        count.into_iter().for_each(|count| self.emit(count));
        if let Some(slot) = slot {
            self.put(slot, r);
        }
        let named = [Operand::Label(Label::Head(head)), Operand::Register(r)];
        self.emit(filled(&self.isa.moves.repeat, &named));
    }

    /// Goes on behind the loop with what stood at its head.
    fn leave(&mut self, l: &Loop, before: State, slots: u32) {
        self.state = before;
        self.state.free_slots.extend(slots..self.slots);
        for ((p, _, _), result) in l.carried.iter().zip(&l.results) {
            let (p_, result_) = (Source::Value(*p), Source::Value(*result));
            if let Some(r) = self.register(p_) {
                self.state.drop(p_);
                self.set(result_, r);
            }
            if let Some(slot) = self.state.take_slot(*p) {
                self.state.set_slot(*result, slot);
            }
        }
        let in_registers = self.state.in_registers().into_iter().map(|(s, _)| s);
        let every: Vec<Source> = in_registers.chain(self.state.in_slots().into_iter().map(Source::Value)).collect();
        for s in every {
            self.release(s);
        }
    }

    /// Gives every carried value a home.
    fn enter(&mut self, l: &Loop, leave: &BTreeSet<Source>) -> AllocationResult<Homes> {
        let mut first: Vec<usize> = (0..l.carried.len()).collect();
        first.sort_by_key(|n| (self.next_use(Source::Value(l.carried[*n].0), self.position), *n));
        if self.accumulator.is_none() {
            first.truncate(self.available.len().saturating_sub(WORKING));
        }
        let in_registers: HashSet<Value> = first.into_iter().map(|n| l.carried[n].0).collect();
        let mut placed: Vec<Source> = Vec::new();
        for (p, init, _) in &l.carried {
            let p_ = Source::Value(*p);
            if leave.contains(&p_) {
                continue;
            }
            let alone = init.value().is_some()
                && self.dead(*init, self.position)
                && l.carried.iter().filter(|(_, i, _)| i == init).count() == 1;
            if !in_registers.contains(p) {
                self.store_carried(*p, *init, alone);
                continue;
            }
            match (alone, self.register(*init), init) {
                (true, Some(r), Source::Value(v)) => {
                    self.state.drop(*init);
                    self.state.take_slot(*v);
                    self.set(p_, r);
                }
                _ => {
                    let busy = self.registers(placed.iter().copied().chain([*init]));
                    let r = self.take(&busy, false, None)?;
                    self.bring(*init, r);
                    self.set(p_, r);
                }
            }
            placed.push(p_);
        }
        Ok(l.carried.iter().map(|(p, _, _)| (*p, self.register(Source::Value(*p)))).collect())
    }

    /// Copies a source into a register, a number by way of another one if numbers do not reach it.
    pub(super) fn bring(&mut self, s: Source, r: Register) {
        match s {
            Source::Number(n) if !self.isa.upper(r) => {
                self.number(self.isa.registers.scratch, n);
                self.copy(r, self.isa.registers.scratch);
            }
            Source::Number(n) => self.number(r, n),
            Source::Value(v) => match self.register(s) {
                Some(at) => self.copy(r, at),
                None => self.fetch(r, self.state.slot(v).expect("a value is in a register or in memory")),
            },
        }
    }

    /// Gives a carried value a home in memory.
    fn store_carried(&mut self, p: Value, init: Source, alone: bool) {
        if let Source::Value(v) = init {
            if alone && self.state.slot(v).is_some() {
                self.state.drop(init);
                let slot = self.state.take_slot(v).expect("it has one");
                self.state.set_slot(p, slot);
                return;
            }
        }
        let slot = self.new_slot();
        self.state.set_slot(p, slot);
        let scratch = self.isa.registers.scratch;
        let r = self.register(init).unwrap_or(scratch);
        if r == scratch {
            self.bring(init, r);
        }
        self.put(slot, r);
        if alone {
            self.state.drop(init);
        }
    }

    /// Lets what a loop hands on be made in its home.
    fn hint(&mut self, l: &Loop, homes: &Homes) {
        let made = l.made();
        for (p, _, out) in &l.carried {
            if let (Some(home), Source::Value(out)) = (homes[p], out) {
                if made.contains(out) {
                    self.hints.insert(*out, home);
                }
            }
        }
        for item in l.body.iter().rev() {
            let Item::Instruction(i) = item else { continue };
            for (d, s) in &i.tied {
                if let (Some(r), Source::Value(s)) = (self.hints.get(d).copied(), s) {
                    if made.contains(s) && !self.hints.contains_key(s) {
                        self.hints.insert(*s, r);
                    }
                }
            }
        }
    }
}
