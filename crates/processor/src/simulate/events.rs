//! What the cycle models report: counts, stalls, and a timeline of operations.

/// What kept an operation from issuing earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocker {
    /// Nothing.
    #[default]
    None,
    /// The result of an operation of the text, in a register (slot).
    Operand(u32, u16),
    /// The store of an operation to the same place.
    Store(u32),
    /// Ports that other operations had.
    Port(u64),
    /// All issue slots were taken.
    Width,
    /// It was outside of the window of bundles, or its template could not follow.
    Window,
    /// A bank of the data cache that another access used.
    Bank(u32),
    /// A load of an operation that missed the data cache.
    Miss(u32),
    /// A full queue: it could not be inserted.
    Queue,
    /// A stop before it.
    Stop,
}

impl Blocker {
    /// This one, or another if there is none.
    #[must_use]
    pub fn or(self, other: Blocker) -> Blocker {
        if self == Blocker::None {
            other
        } else {
            self
        }
    }
}

/// Cycles in which no further operation could issue, by what kept it, in a run. Out of order many wait at once: there, the
/// cycles of every waiting operation are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// Operands that were not ready.
    pub operand: u64,
    /// Stores to the same place.
    pub store: u64,
    /// Ports.
    pub port: u64,
    /// Issue slots.
    pub width: u64,
    /// The window of bundles.
    pub window: u64,
    /// Banks of the data cache.
    pub bank: u64,
    /// Full queues.
    pub queue: u64,
    /// Loads that missed the data cache.
    pub miss: u64,
}

impl Stalls {
    /// Every kind with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 8] {
        [
            ("operand", self.operand),
            ("store", self.store),
            ("port", self.port),
            ("width", self.width),
            ("window", self.window),
            ("bank", self.bank),
            ("queue", self.queue),
            ("miss", self.miss),
        ]
    }

    /// Adds cycles to what a blocker stands for.
    pub fn count(&mut self, blocker: Blocker, cycles: u64) {
        match blocker {
            Blocker::None | Blocker::Stop => {}
            Blocker::Operand(..) => self.operand += cycles,
            Blocker::Store(_) => self.store += cycles,
            Blocker::Port(_) => self.port += cycles,
            Blocker::Width => self.width += cycles,
            Blocker::Window => self.window += cycles,
            Blocker::Bank(_) => self.bank += cycles,
            Blocker::Queue => self.queue += cycles,
            Blocker::Miss(_) => self.miss += cycles,
        }
    }
}

/// An operation in a timeline; cycles from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The operation of the text.
    pub op: u32,
    /// Its guard held.
    pub active: bool,
    /// It could first have issued, in order; entered the queue, out of order.
    pub insert: u64,
    /// It issued.
    pub issue: u64,
    /// Its result is there.
    pub finish: u64,
    /// It left the processor.
    pub retire: u64,
    /// What kept it.
    pub blocker: Blocker,
}

/// A run on a cycle model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// From the first issue to the last, both counted; out of order: from the first insertion to the last retirement. 0: not counted.
    pub cycles: u64,
    /// Operations of the text that ran, those with a false guard and `nop` too.
    pub operations: u64,
    /// Those that did something.
    pub useful: u64,
    /// Loads that missed the data cache, of a processor whose cache is modelled.
    pub misses: u64,
    /// Why cycles were lost.
    pub stalls: Stalls,
    /// Empty unless it was asked for.
    pub events: Vec<Event>,
}
