//! Slots of the file of words that a text runs on: fixed ones, room for intermediate values, registers.

/// An index into the file of words.
pub type Slot = u16;

/// The slot that always holds 0: registers that read as 0.
pub const ZERO: Slot = 0;
/// The slot that always holds 1: the guard of what always runs.
pub const ONE: Slot = 1;
/// The slot that takes what is thrown away: writes to the registers of [`ZERO`] and [`ONE`].
pub const SINK: Slot = 2;
/// The first slot for values that live only within one operation.
pub const ROOM: Slot = 3;
/// The first slot for registers.
const FIRST: Slot = 259;

/// Gives out slots.
#[derive(Clone, Debug)]
pub struct Pool {
    next: Slot,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { next: FIRST }
    }
}

impl Pool {
    /// A slot of its own.
    pub fn fresh(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    /// Words that a file needs.
    #[must_use]
    pub fn size(&self) -> usize {
        usize::from(self.next)
    }
}
