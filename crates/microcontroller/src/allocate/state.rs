//! What stands where.

use crate::code::{Source, Value};
use crate::operand::Register;

/// Registers with a number below this one hold one value each; those above are bytes of the key, which are only read.
pub const KEY: Register = 31_000;
/// Numbers of one byte, and the one that marks a register as taken.
const NUMBERS: usize = 257;

/// Registers and memory by value, values by register. The order in which values came is kept: what is done for all of
/// them is done in that order.
#[derive(Clone, Debug)]
pub struct State {
    register: Vec<Option<(Register, u32)>>,
    holds: Vec<Option<Source>>,
    slot: Vec<Option<(u32, u32)>>,
    /// Slots that hold nothing, those to be taken first in front.
    pub free_slots: Vec<u32>,
    values: Value,
    clock: u32,
}

impl State {
    /// Nothing anywhere.
    #[must_use]
    pub fn new(values: Value) -> Self {
        State {
            register: vec![None; values as usize + NUMBERS],
            holds: Vec::new(),
            slot: vec![None; values as usize],
            free_slots: Vec::new(),
            values,
            clock: 0,
        }
    }

    /// A place of its own for each source, numbers behind values.
    #[must_use]
    pub fn index(values: Value, s: Source) -> usize {
        match s {
            Source::Value(v) => v as usize,
            Source::Number(n) => (i64::from(values) + 1 + i64::from(n)) as usize,
        }
    }

    /// The register of a source.
    #[must_use]
    pub fn register(&self, s: Source) -> Option<Register> {
        self.register[Self::index(self.values, s)].map(|(r, _)| r)
    }

    /// What a register holds.
    #[must_use]
    pub fn holds(&self, r: Register) -> Option<Source> {
        self.holds.get(usize::from(r)).copied().flatten()
    }

    /// All registers that hold something, ascending.
    pub fn held(&self) -> impl Iterator<Item = (Register, Source)> + '_ {
        self.holds.iter().enumerate().filter_map(|(r, s)| Some((r as Register, (*s)?)))
    }

    /// Notes that a register holds something, without saying so of the source.
    pub fn hold(&mut self, r: Register, s: Source) {
        let r = usize::from(r);
        if self.holds.len() <= r {
            self.holds.resize(r + 1, None);
        }
        self.holds[r] = Some(s);
    }

    /// Puts a source into a register.
    pub fn place(&mut self, s: Source, r: Register) {
        self.clock += 1;
        let known = &mut self.register[Self::index(self.values, s)];
        *known = Some((r, known.map_or(self.clock, |(_, came)| came)));
        if r < KEY {
            self.hold(r, s);
        }
    }

    /// Takes a source out of its register.
    pub fn drop(&mut self, s: Source) {
        if let Some((r, _)) = self.register[Self::index(self.values, s)].take() {
            if r < KEY {
                self.holds[usize::from(r)] = None;
            }
        }
    }

    /// All sources in registers, in the order in which they came.
    #[must_use]
    pub fn in_registers(&self) -> Vec<(Source, Register)> {
        let source = |n: usize| {
            let number = n as i64 - i64::from(self.values) - 1;
            u32::try_from(n).ok().filter(|v| *v < self.values).map_or(Source::Number(number as i32), Source::Value)
        };
        let known = self.register.iter().enumerate();
        let mut found: Vec<_> = known.filter_map(|(n, one)| one.map(|(r, came)| (came, source(n), r))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, s, r)| (s, r)).collect()
    }

    /// The slot of a value.
    #[must_use]
    pub fn slot(&self, v: Value) -> Option<u32> {
        self.slot[v as usize].map(|(slot, _)| slot)
    }

    /// Gives a value a slot.
    pub fn set_slot(&mut self, v: Value, slot: u32) {
        self.clock += 1;
        let known = &mut self.slot[v as usize];
        *known = Some((slot, known.map_or(self.clock, |(_, came)| came)));
    }

    /// Takes a value's slot away; it is not free for others by that.
    pub fn take_slot(&mut self, v: Value) -> Option<u32> {
        self.slot[v as usize].take().map(|(slot, _)| slot)
    }

    /// All values with slots, in the order in which they came.
    #[must_use]
    pub fn in_slots(&self) -> Vec<Value> {
        let known = self.slot.iter().enumerate();
        let mut found: Vec<_> = known.filter_map(|(v, one)| one.map(|(_, came)| (came, v as Value))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, v)| v).collect()
    }
}
