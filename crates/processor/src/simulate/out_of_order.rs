//! An out-of-order processor of the PA-8000 family: two queues of instructions, of arithmetic and of memory.
//!
//! Up to `insert` instructions enter per cycle, in order, while their queue has room; the oldest ready ones launch, as many
//! per queue as the model says and as ports take; they retire in order. A branch takes all ports of its queue in its cycle
//! and is predicted perfectly. A load waits for an older store to the same place (`store_to_load` cycles after the store
//! has retired: only then is the cache written) and for no other: addresses are known in time. Two accesses that launch in one cycle must not use one bank of
//! the data cache.

use std::collections::VecDeque;

use program::Diagnostic;

use super::events::{Blocker, Event, Run};
use super::execute::{diagnose, error, too_long, Cursor};
use super::latencies::Latencies;
use super::launch::{Choices, Ports};
use super::listing::{Flow, Listing};
use super::state::State;
use crate::model::{OutOfOrder, Processor};

/// A text on an out-of-order processor.
#[derive(Clone, Debug)]
pub struct Machine {
    latencies: Latencies,
    choices: Choices,
    limits: OutOfOrder,
    ring: usize,
    banks: Option<(u32, u32)>,
}

const UNKNOWN: u64 = u64::MAX;
/// Entries of the ring of instructions: a power of two above what the queues of a real processor hold.
const RING: usize = 256;
/// The same for a processor without limits.
const WIDE_RING: usize = 1 << 16;
/// Instructions that one can wait for: operands, guard, nullifying instruction, store.
const WAITS: usize = 6;

/// What an instruction waits for.
#[derive(Clone, Copy, Debug)]
struct Wait {
    /// The number of the instruction.
    on: u64,
    /// Cycles from its launch.
    latency: u32,
    /// The register; `None`: memory.
    slot: Option<u16>,
}

/// An instruction in flight.
#[derive(Clone, Copy, Debug)]
struct Entry {
    op: u32,
    active: bool,
    inserted: u64,
    launched: u64,
    finished: u64,
    retired: u64,
    address: u64,
    waits: [Wait; WAITS],
    count: u8,
    blocker: Blocker,
}

impl Default for Entry {
    fn default() -> Self {
        Entry {
            op: 0,
            active: false,
            inserted: 0,
            launched: UNKNOWN,
            finished: UNKNOWN,
            retired: UNKNOWN,
            address: 0,
            waits: [Wait { on: 0, latency: 0, slot: None }; WAITS],
            count: 0,
            blocker: Blocker::None,
        }
    }
}

impl Machine {
    /// Prepares a text.
    #[must_use]
    pub fn new(listing: &Listing, processor: &Processor, limits: &OutOfOrder) -> Machine {
        let mut limits = limits.clone();
        let mut ring = RING;
        if processor.infinite {
            ring = WIDE_RING;
            let many = (ring / 4) as u32;
            limits.insert = many;
            limits.stores = many;
            (limits.entries, limits.launch, limits.retire) = ((many, many), (many, many), (many, many));
        }
        Machine {
            latencies: Latencies::new(listing, processor),
            choices: Choices::new(listing, processor),
            limits,
            ring,
            banks: processor.banks.filter(|_| !processor.infinite),
        }
    }

    /// Runs a text to its end; all queues are empty at the start and every access hits the data cache.
    ///
    /// # Errors
    /// M510 to M512, see [`super::execute`]; M516: an instruction never gets what it waits for.
    pub fn run(&self, listing: &Listing, state: &mut State, limit: u64, timeline: bool) -> Result<Run, Diagnostic> {
        let mut flight = Flight::new(self, listing, timeline);
        let mut cursor = Cursor::start();
        let mut cycle = 0;
        let mut progress = (0, (0, 0));
        // Ends: with the text, after `limit` operations, or when nothing has moved for `STUCK` cycles.
        loop {
            flight.retire(cycle);
            flight.launch(cycle);
            flight.insert(cycle, listing, state, &mut cursor)?;
            cycle += 1;
            if flight.head == flight.tail && flight.held.is_none() && cursor.done(listing) {
                break;
            }
            if flight.run.operations > limit {
                return Err(too_long(listing, cursor.at.min(listing.ops.len() as u32 - 1), limit));
            }
            if progress.1 != (flight.head, flight.tail) {
                progress = (cycle, (flight.head, flight.tail));
            } else if cycle - progress.0 > STUCK {
                return Err(stuck(listing, flight.at(flight.head).op));
            }
        }
        flight.run.cycles = cycle;
        Ok(flight.run)
    }
}

/// Cycles without an instruction that comes or goes, after which none ever will: more than any latency.
const STUCK: u64 = 100_000;

fn stuck(listing: &Listing, op: u32) -> Diagnostic {
    let message = format!("the instruction has not ended after {STUCK} cycles");
    error(listing, "M516", &listing.ops[op as usize], message)
        .help("the model may lack a port, a slot of a queue or a way to retire for it")
}

/// The instructions in flight: a ring, numbered through the run; `head` is the oldest, `tail` the next.
struct Flight<'a> {
    machine: &'a Machine,
    ring: Vec<Entry>,
    head: u64,
    tail: u64,
    /// Of each queue its instructions that have not launched, oldest first.
    waiting: [Vec<u64>; 2],
    /// Of each queue its instructions in flight.
    used: [u32; 2],
    /// Of each slot the number of its last writer, plus 1, with the kind of output.
    writer: Vec<(u64, u16)>,
    /// Stores in flight.
    stores: VecDeque<u64>,
    /// Stores in flight, and those that have left, but whose data a load cannot have yet.
    recent: VecDeque<u64>,
    /// An instruction that ran, but found its queue full.
    held: Option<Entry>,
    /// The number of the instruction that may nullify the next one.
    nullifier: Option<u64>,
    banks: Vec<(u64, u32)>,
    timeline: bool,
    run: Run,
}

impl<'a> Flight<'a> {
    fn new(machine: &'a Machine, listing: &Listing, timeline: bool) -> Flight<'a> {
        Flight {
            machine,
            ring: vec![Entry::default(); machine.ring],
            head: 0,
            tail: 0,
            waiting: [Vec::new(), Vec::new()],
            used: [0; 2],
            writer: vec![(0, 0); listing.slots],
            stores: VecDeque::new(),
            recent: VecDeque::new(),
            held: None,
            nullifier: None,
            banks: Vec::new(),
            timeline,
            run: Run::default(),
        }
    }

    #[inline]
    fn at(&self, number: u64) -> &Entry {
        &self.ring[number as usize & (self.ring.len() - 1)]
    }

    #[inline]
    fn at_mut(&mut self, number: u64) -> &mut Entry {
        let index = number as usize & (self.ring.len() - 1);
        &mut self.ring[index]
    }

    /// In order, as many as the model says, and as many stores as it says.
    fn retire(&mut self, cycle: u64) {
        let limits = &self.machine.limits;
        let (mut left, mut stores) = ([limits.retire.0, limits.retire.1], limits.stores);
        while self.head < self.tail {
            let entry = self.at(self.head);
            let queue = self.queue(entry.op);
            let store = self.stores.front() == Some(&self.head);
            if entry.finished > cycle || left[queue] == 0 || store && stores == 0 {
                break;
            }
            if self.timeline {
                let event = event(entry, cycle);
                self.run.events.push(event);
            }
            left[queue] -= 1;
            self.used[queue] -= 1;
            if store {
                stores -= 1;
                self.stores.pop_front();
                self.at_mut(self.head).retired = cycle;
            }
            self.head += 1;
        }
    }

    #[inline]
    fn queue(&self, op: u32) -> usize {
        usize::from(self.machine.latencies.memory(op).is_some())
    }

    /// The oldest ready ones of each queue.
    fn launch(&mut self, cycle: u64) {
        let launches = [self.machine.limits.launch.0, self.machine.limits.launch.1];
        let mut taken = Ports::default();
        self.banks.clear();
        for (queue, mut left) in launches.into_iter().enumerate() {
            let mut waiting = std::mem::take(&mut self.waiting[queue]);
            let mut kept = 0;
            for k in 0..waiting.len() {
                let number = waiting[k];
                let blocker = match left {
                    0 if !self.timeline => {
                        waiting.copy_within(k.., kept);
                        kept += waiting.len() - k;
                        break;
                    }
                    0 => self.wait(number, cycle).or(Blocker::Width),
                    _ => self.try_launch(number, cycle, &mut taken),
                };
                if blocker == Blocker::None {
                    left -= 1;
                    let latency = u64::from(self.machine.latencies.of(self.at(number).op)).max(1);
                    let entry = self.at_mut(number);
                    (entry.launched, entry.finished) = (cycle, cycle + latency);
                } else {
                    self.block(number, blocker, cycle);
                    waiting[kept] = number;
                    kept += 1;
                }
            }
            waiting.truncate(kept);
            self.waiting[queue] = waiting;
        }
    }

    /// Whether an instruction has its operands, a port and a bank; what it lacks.
    #[inline]
    fn try_launch(&mut self, number: u64, cycle: u64, taken: &mut Ports) -> Blocker {
        let blocker = self.wait(number, cycle);
        if blocker != Blocker::None {
            return blocker;
        }
        let (op, active, address) = (self.at(number).op, self.at(number).active, self.at(number).address);
        let bank = match self.machine.banks {
            Some((bytes, count)) if active && self.queue(op) == 1 => {
                Some(address / u64::from(bytes) % u64::from(count))
            }
            _ => None,
        };
        if let Some((_, other)) = self.banks.iter().find(|taken| Some(taken.0) == bank) {
            return Blocker::Bank(*other);
        }
        if !self.machine.choices.take(op, taken) {
            return Blocker::Port(self.machine.choices.ports(op));
        }
        self.banks.extend(bank.map(|bank| (bank, op)));
        Blocker::None
    }

    /// What of its operands an instruction lacks in a cycle; waits that are over are forgotten.
    #[inline]
    fn wait(&mut self, number: u64, cycle: u64) -> Blocker {
        let index = number as usize & (self.ring.len() - 1);
        while self.ring[index].count > 0 {
            let last = usize::from(self.ring[index].count) - 1;
            let wait = self.ring[index].waits[last];
            let other = self.at(wait.on);
            // The place of one that left long ago belongs to a younger one.
            let since = if wait.slot.is_some() { other.launched } else { other.retired };
            let since = if self.tail - wait.on < self.ring.len() as u64 { since } else { 0 };
            let there = since.saturating_add(u64::from(wait.latency));
            if there > cycle {
                let op = other.op;
                return wait.slot.map_or(Blocker::Store(op), |slot| Blocker::Operand(op, slot));
            }
            self.ring[index].count -= 1;
        }
        Blocker::None
    }

    /// Counts a cycle in which an instruction waited; only for a timeline.
    #[inline]
    fn block(&mut self, number: u64, blocker: Blocker, cycle: u64) {
        if !self.timeline {
            return;
        }
        let entry = self.at_mut(number);
        if cycle > entry.inserted {
            entry.blocker = blocker;
            self.run.stalls.count(blocker, 1);
        }
    }

    fn insert(
        &mut self,
        cycle: u64,
        listing: &Listing,
        state: &mut State,
        cursor: &mut Cursor,
    ) -> Result<(), Diagnostic> {
        self.forget_stores(cycle);
        for _ in 0..self.machine.limits.insert {
            let entry = match self.held.take() {
                Some(held) => held,
                None if cursor.done(listing) => return Ok(()),
                None => self.fetch(listing, state, cursor)?,
            };
            let queue = self.queue(entry.op);
            let room = [self.machine.limits.entries.0, self.machine.limits.entries.1][queue];
            if self.used[queue] >= room {
                self.held = Some(entry);
                self.run.stalls.queue += 1;
                return Ok(());
            }
            self.enter(Entry { inserted: cycle, ..entry }, queue, listing);
        }
        Ok(())
    }

    /// Forgets stores whose data are there for every load to come.
    fn forget_stores(&mut self, cycle: u64) {
        while let Some(&store) = self.recent.front() {
            let there = self.at(store).retired.saturating_add(u64::from(self.machine.limits.store_to_load));
            if there > cycle + 1 {
                break;
            }
            self.recent.pop_front();
        }
    }

    /// Runs the next operation of the text.
    fn fetch(&mut self, listing: &Listing, state: &mut State, cursor: &mut Cursor) -> Result<Entry, Diagnostic> {
        let ran = cursor.step::<true>(listing, state).map_err(|failed| diagnose(listing, state, failed))?;
        self.run.operations += 1;
        self.run.useful += u64::from(ran.active && !listing.fast[ran.op as usize].nop);
        Ok(Entry { op: ran.op, active: ran.active, address: state.memory.touched, ..Entry::default() })
    }

    fn enter(&mut self, mut entry: Entry, queue: usize, listing: &Listing) {
        let (number, machine) = (self.tail, self.machine);
        let mut wait = |on: u64, latency: u32, slot: Option<u16>| {
            if usize::from(entry.count) < WAITS {
                entry.waits[usize::from(entry.count)] = Wait { on, latency, slot };
                entry.count += 1;
            }
        };
        for &(slot, kind) in machine.latencies.reads(entry.op) {
            let (writer, output) = self.writer[usize::from(slot)];
            if writer > 0 {
                wait(writer - 1, machine.latencies.between(output, kind), Some(slot));
            }
        }
        if let Some(nullifier) = self.nullifier.take() {
            // Whether it runs at all is known when the one before it has finished.
            wait(nullifier, 1, Some(0));
        }
        if entry.active {
            for &(slot, kind) in machine.latencies.writes(entry.op) {
                self.writer[usize::from(slot)] = (number + 1, kind);
            }
        }
        match machine.latencies.memory(entry.op) {
            Some((bytes, false)) if entry.active => {
                if let Some(store) = self.older_store(entry.address, bytes) {
                    wait(store, machine.limits.store_to_load, None);
                }
            }
            Some((_, true)) => {
                self.stores.push_back(number);
                self.recent.push_back(number);
            }
            _ => {}
        }
        if listing.fast[entry.op as usize].special {
            if let Flow::Nullify(_) = listing.ops[entry.op as usize].flow {
                self.nullifier = Some(number);
            }
        }
        *self.at_mut(number) = entry;
        self.waiting[queue].push(number);
        self.used[queue] += 1;
        self.tail += 1;
    }

    /// The youngest store to a place that overlaps.
    fn older_store(&self, address: u64, bytes: u8) -> Option<u64> {
        self.recent.iter().rev().copied().find(|&number| {
            let store = self.at(number);
            let size = self.machine.latencies.memory(store.op).map_or(0, |m| m.0);
            store.active && store.address < address + u64::from(bytes) && address < store.address + u64::from(size)
        })
    }
}

fn event(entry: &Entry, cycle: u64) -> Event {
    Event {
        op: entry.op,
        active: entry.active,
        insert: entry.inserted,
        issue: entry.launched,
        finish: entry.finished,
        retire: cycle,
        blocker: entry.blocker,
    }
}
