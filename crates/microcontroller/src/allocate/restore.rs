//! The end of an iteration: everything goes back to where it stood at the head of the loop.

use super::loops::Homes;
use super::state::State;
use super::{AllocationResult, Allocator};
use crate::code::{Loop, Source, Value};
use crate::operand::Register;

impl Allocator<'_> {
    /// Brings everything to where it stood at the head of the loop.
    pub(super) fn restore(&mut self, l: &Loop, homes: &Homes, before: &State) -> AllocationResult<()> {
        if self.accumulator.is_some() {
            self.settle();
            self.forget_accumulator();
        }
        self.restore_memory(l, homes, before);
        let mut wanted: Vec<(Register, Source)> = Vec::new();
        for (p, _, out) in &l.carried {
            if let Some(home) = homes[p] {
                wanted.push((home, *out));
            }
        }
        for (s, r) in before.in_registers() {
            if !wanted.iter().any(|(known, _)| *known == r) {
                wanted.push((r, s));
            }
        }
        self.move_all(&wanted)
    }

    /// Memory first, in an order in which nothing is overwritten that is still read.
    fn restore_memory(&mut self, l: &Loop, homes: &Homes, before: &State) {
        let in_memory = |p: &Value| homes[p].is_none();
        let carried = l.carried.iter().filter(|(p, _, out)| in_memory(p) && *out != Source::Value(*p));
        let mut stores: Vec<(Value, Source)> = carried.map(|(p, _, out)| (*p, *out)).collect();
        let reads: Vec<Source> = l.carried.iter().filter(|(p, _, _)| !in_memory(p)).map(|(_, _, out)| *out).collect();
        while !stores.is_empty() {
            let waits = |s: Source| {
                self.register(s).is_none() && (reads.contains(&s) || stores.iter().any(|(_, out)| *out == s))
            };
            let is_ready = |p: Value| !waits(Source::Value(p)) || self.state.slot(p) != before.slot(p);
            let ready = stores.iter().position(|(p, _)| is_ready(*p));
            let (p, out) = stores.remove(ready.unwrap_or(0));
            if ready.is_none() && self.register(Source::Value(p)).is_none() {
                self.aside(p);
            }
            let scratch = self.isa.registers.scratch;
            let r = self.register(out).unwrap_or(scratch);
            match (self.register(out), out) {
                (Some(_), _) => {}
                (None, Source::Number(n)) => self.number(scratch, n),
                (None, Source::Value(v)) => self.fetch(scratch, self.state.slot(v).expect("it is in memory")),
            }
            self.put(before.slot(p).expect("its home is in memory"), r);
        }
    }

    /// Saves a value in memory that would be overwritten, as values change places there.
    fn aside(&mut self, p: Value) {
        let free = self.free(false, &[]).first().copied();
        let r = free.unwrap_or(self.isa.registers.scratch);
        self.fetch(r, self.state.slot(p).expect("it is in memory"));
        if free.is_some() {
            self.set(Source::Value(p), r);
            return;
        }
        let slot = self.new_slot();
        self.state.set_slot(p, slot);
        self.put(slot, r);
    }

    /// Moves several sources at once into registers.
    pub(super) fn move_all(&mut self, wanted: &[(Register, Source)]) -> AllocationResult<()> {
        if self.accumulator.is_some() {
            self.before_moves(wanted)?;
        }
        let scratch = self.isa.registers.scratch;
        let moved = |(r, s): &(Register, Source)| self.register(*s).filter(|at| at != r).map(|at| (*r, at));
        let mut moves: Vec<(Register, Register)> = wanted.iter().filter_map(moved).collect();
        while !moves.is_empty() {
            let ready = moves.iter().position(|(r, _)| !moves.iter().any(|(_, from)| from == r));
            if let Some(n) = ready {
                let (r, from) = moves.remove(n);
                self.copy(r, from);
                continue;
            }
            let r = moves[0].0;
            self.copy(scratch, r);
            for (_, from) in moves.iter_mut().filter(|(_, from)| *from == r) {
                *from = scratch;
            }
        }
        for (r, s) in wanted.iter().filter(|(_, s)| self.state.register(*s).is_none()).copied().collect::<Vec<_>>() {
            self.bring(s, r);
        }
        Ok(())
    }
}
