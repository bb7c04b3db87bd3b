//! An out-of-order processor of the PA-8000 family: two queues of instructions, of arithmetic and of memory.
//!
//! Up to `insert` instructions enter per cycle, in order, while their queue has room; the oldest ready ones launch, as many
//! per queue as the model says and as ports take; they retire in order. A branch takes all launches of its queue in its
//! cycle and is predicted perfectly. A load waits for an older store to the same place (`store_to_load` cycles after the
//! store's launch) and for no other: addresses are known in time. Two accesses that launch in one cycle must not use one
//! bank of the data cache.

use std::collections::VecDeque;

use program::Diagnostic;

use super::events::{Blocker, Event, Run};
use super::execute::{too_long, Cursor};
use super::issue::Matching;
use super::latencies::Latencies;
use super::listing::{Flow, Listing};
use super::state::State;
use crate::model::{OutOfOrder, Processor};

/// What an operation needs to launch.
#[derive(Clone, Copy, Debug)]
struct Need {
    ports: u64,
    second: u64,
    memory: bool,
}

/// A text on an out-of-order processor.
#[derive(Clone, Debug)]
pub struct Machine {
    latencies: Latencies,
    needs: Vec<Need>,
    limits: OutOfOrder,
    limited: bool,
    ring: usize,
    banks: Option<(u32, u32)>,
}

const UNKNOWN: u64 = u64::MAX;
/// Entries of the ring of instructions: a power of two above what the queues of a real processor hold.
const RING: usize = 256;
/// The same for a processor without limits.
const WIDE_RING: usize = 1 << 16;

/// An instruction in flight.
#[derive(Clone, Copy, Debug)]
struct Entry {
    op: u32,
    active: bool,
    inserted: u64,
    launched: u64,
    finished: u64,
    address: u64,
    /// Those that it waits for, by number, with their latencies.
    waits: [(u64, u32, u16); 6],
    count: u8,
    /// Number and store-to-load latency of the older store to the same place.
    store: Option<u64>,
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
            address: 0,
            waits: [(0, 0, 0); 6],
            count: 0,
            store: None,
            blocker: Blocker::None,
        }
    }
}

impl Machine {
    /// Prepares a text.
    #[must_use]
    pub fn new(listing: &Listing, processor: &Processor, limits: &OutOfOrder) -> Machine {
        let all = 1u64.checked_shl(processor.ports.len() as u32).map_or(u64::MAX, |bit| bit - 1);
        let need = |op: &super::listing::TextOp| {
            let class = op.instruction.map(|i| &processor.classes[processor.class_of(i)]);
            Need {
                ports: class.map_or(all, |c| c.ports),
                second: class.map_or(0, |c| c.second_ports),
                memory: op.memory.is_some(),
            }
        };
        let mut limits = limits.clone();
        let mut ring = RING;
        if processor.infinite {
            ring = WIDE_RING;
            let many = (ring / 4) as u32;
            limits.insert = many;
            (limits.entries, limits.launch, limits.retire, limits.stores) =
                ((many, many), (many, many), (many, many), many);
        }
        Machine {
            latencies: Latencies::new(listing, processor),
            needs: listing.ops.iter().map(need).collect(),
            limits,
            limited: !processor.infinite,
            ring,
            banks: processor.banks,
        }
    }

    /// Runs a text to its end; all queues are empty at the start and every access hits the data cache.
    ///
    /// # Errors
    /// M510 to M512, see [`super::execute`].
    pub fn run(&self, listing: &Listing, state: &mut State, limit: u64, timeline: bool) -> Result<Run, Diagnostic> {
        let mut flight = Flight::new(self, listing, timeline);
        let mut cursor = Cursor::start();
        let mut cycle = 0;
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
        }
        flight.run.cycles = cycle;
        Ok(flight.run)
    }
}

/// The instructions in flight: a ring, numbered through the run; `head` is the oldest, `tail` the next.
struct Flight<'a> {
    machine: &'a Machine,
    ring: Vec<Entry>,
    head: u64,
    tail: u64,
    /// Of each queue its instructions that have not launched, oldest first.
    waiting: [VecDeque<u64>; 2],
    /// Of each queue its instructions in flight.
    used: [u32; 2],
    /// Of each slot the number of its last writer, plus 1, with the kind of output.
    writer: Vec<(u64, u16)>,
    /// Stores in flight.
    stores: VecDeque<u64>,
    /// Stores in flight, and those that have left, but whose data a load cannot have yet.
    recent: VecDeque<u64>,
    /// An instruction that ran, but found its queue full.
    held: Option<(Entry, bool)>,
    /// The number of the instruction that may nullify the next one, and of that one's slot.
    nullifier: Option<u64>,
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
            waiting: [VecDeque::new(), VecDeque::new()],
            used: [0; 2],
            writer: vec![(0, 0); listing.slots],
            stores: VecDeque::new(),
            recent: VecDeque::new(),
            held: None,
            nullifier: None,
            timeline,
            run: Run::default(),
        }
    }

    fn at(&self, number: u64) -> &Entry {
        &self.ring[number as usize & (self.machine.ring - 1)]
    }

    /// In order, as many as the model says, one store per cycle or as it says.
    fn retire(&mut self, cycle: u64) {
        let (mut left, mut stores) =
            ([self.machine.limits.retire.0, self.machine.limits.retire.1], self.machine.limits.stores);
        while self.head < self.tail {
            let entry = *self.at(self.head);
            let queue = usize::from(self.machine.needs[entry.op as usize].memory);
            let store = self.stores.front() == Some(&self.head);
            if entry.finished > cycle || left[queue] == 0 || store && stores == 0 {
                break;
            }
            left[queue] -= 1;
            self.used[queue] -= 1;
            if store {
                stores -= 1;
                self.stores.pop_front();
            }
            if self.timeline {
                self.run.events.push(event(&entry, cycle));
            }
            self.head += 1;
        }
    }

    fn launch(&mut self, cycle: u64) {
        let mut matching = Matching::default();
        let launches = [self.machine.limits.launch.0, self.machine.limits.launch.1];
        let mut bank_of: Vec<(u64, u32)> = Vec::new();
        for (queue, mut left) in launches.into_iter().enumerate() {
            let mut k = 0;
            while k < self.waiting[queue].len() && left > 0 {
                let number = self.waiting[queue][k];
                let (ready, blocker) = self.ready(number);
                if ready > cycle {
                    self.block(number, blocker, cycle);
                    k += 1;
                    continue;
                }
                match self.can_launch(number, &mut matching, &mut bank_of) {
                    Blocker::None => {
                        left -= 1;
                        self.go(number, cycle);
                        self.waiting[queue].remove(k);
                    }
                    blocker => {
                        self.block(number, blocker, cycle);
                        k += 1;
                    }
                }
            }
            if self.timeline {
                for m in k..self.waiting[queue].len() {
                    let number = self.waiting[queue][m];
                    let (ready, blocker) = self.ready(number);
                    self.block(number, if ready > cycle { blocker } else { Blocker::Width }, cycle);
                }
            }
        }
    }

    /// Whether an instruction finds ports and a bank.
    fn can_launch(&self, number: u64, matching: &mut Matching, bank_of: &mut Vec<(u64, u32)>) -> Blocker {
        let entry = self.at(number);
        let need = self.machine.needs[entry.op as usize];
        if !self.machine.limited {
            return Blocker::None;
        }
        let bank = match self.machine.banks {
            Some((bytes, count)) if need.memory && entry.active => {
                Some(entry.address / u64::from(bytes) % u64::from(count))
            }
            _ => None,
        };
        if let Some((_, other)) = bank_of.iter().find(|taken| Some(taken.0) == bank) {
            return Blocker::Bank(*other);
        }
        let before = matching.clone();
        if !matching.add(need.ports) || need.second != 0 && !matching.add(need.second) {
            *matching = before;
            return Blocker::Port(need.ports);
        }
        bank_of.extend(bank.map(|bank| (bank, entry.op)));
        Blocker::None
    }

    fn go(&mut self, number: u64, cycle: u64) {
        let op = self.at(number).op as usize;
        let latency = u64::from(self.machine.latencies.ports[op].latency);
        let entry = &mut self.ring[number as usize & (self.machine.ring - 1)];
        entry.launched = cycle;
        entry.finished = cycle + latency.max(1);
    }

    /// When the operands of an instruction are there, as far as is known, and what it waits for.
    fn ready(&self, number: u64) -> (u64, Blocker) {
        let entry = self.at(number);
        let mut ready = entry.inserted + 1;
        let mut blocker = Blocker::None;
        let mut wait = |writer: u64, latency: u32, why: Blocker| {
            // A number that has left the ring was overwritten by a younger one, which launched later or never before us.
            let launched = self.at(writer).launched;
            let at = if launched == UNKNOWN { UNKNOWN } else { launched + u64::from(latency) };
            if at > ready {
                ready = at;
                blocker = why;
            }
        };
        for &(writer, latency, slot) in &entry.waits[..usize::from(entry.count)] {
            if number - writer < self.machine.ring as u64 {
                wait(writer, latency, Blocker::Operand(self.at(writer).op, slot));
            }
        }
        if let Some(store) = entry.store.filter(|s| number - s < self.machine.ring as u64) {
            wait(store, self.machine.limits.store_to_load, Blocker::Store(self.at(store).op));
        }
        (ready, blocker)
    }

    fn block(&mut self, number: u64, blocker: Blocker, cycle: u64) {
        let entry = &mut self.ring[number as usize & (self.machine.ring - 1)];
        if blocker != Blocker::None && cycle > entry.inserted {
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
        while let Some(&store) = self.recent.front() {
            let there = self.at(store).launched.saturating_add(u64::from(self.machine.limits.store_to_load));
            if store >= self.head || there > cycle + 1 {
                break;
            }
            self.recent.pop_front();
        }
        for _ in 0..self.machine.limits.insert {
            let (entry, memory) = match self.held.take() {
                Some(held) => held,
                None if cursor.done(listing) => return Ok(()),
                None => self.fetch(listing, state, cursor)?,
            };
            let queue = usize::from(memory);
            let room = [self.machine.limits.entries.0, self.machine.limits.entries.1][queue];
            if self.used[queue] >= room {
                self.held = Some((entry, memory));
                self.run.stalls.queue += 1;
                return Ok(());
            }
            self.enter(Entry { inserted: cycle, ..entry }, queue, listing);
        }
        Ok(())
    }

    /// Runs the next operation of the text.
    fn fetch(
        &mut self,
        listing: &Listing,
        state: &mut State,
        cursor: &mut Cursor,
    ) -> Result<(Entry, bool), Diagnostic> {
        let ran = cursor.step::<true>(listing, state)?;
        let op = &listing.ops[ran.op as usize];
        self.run.operations += 1;
        self.run.useful += u64::from(ran.active && !op.nop);
        let entry = Entry { op: ran.op, active: ran.active, address: state.memory.touched, ..Entry::default() };
        Ok((entry, op.memory.is_some()))
    }

    fn enter(&mut self, mut entry: Entry, queue: usize, listing: &Listing) {
        let number = self.tail;
        let machine = self.machine;
        let op = &listing.ops[entry.op as usize];
        let ports = &machine.latencies.ports[entry.op as usize];
        for &(slot, kind) in &ports.reads {
            let (writer, output) = self.writer[usize::from(slot)];
            if writer > 0 && usize::from(entry.count) < entry.waits.len() {
                entry.waits[usize::from(entry.count)] = (writer - 1, machine.latencies.between(output, kind), slot);
                entry.count += 1;
            }
        }
        if let Some(nullifier) = self.nullifier.take() {
            // Whether it runs at all is known when the one before it has finished.
            entry.waits[usize::from(entry.count).min(5)] = (nullifier, 1, 0);
            entry.count = (entry.count + 1).min(6);
        }
        if entry.active {
            for &(slot, kind) in &ports.writes {
                self.writer[usize::from(slot)] = (number + 1, kind);
            }
        }
        if let Flow::Nullify(_) = op.flow {
            self.nullifier = Some(number);
        }
        match op.memory {
            Some((bytes, false)) if entry.active => entry.store = self.older_store(entry.address, bytes, listing),
            Some((_, true)) => {
                self.stores.push_back(number);
                self.recent.push_back(number);
            }
            _ => {}
        }
        self.ring[number as usize & (self.machine.ring - 1)] = entry;
        self.waiting[queue].push_back(number);
        self.used[queue] += 1;
        self.tail += 1;
    }

    /// The youngest store to a place that overlaps.
    fn older_store(&self, address: u64, bytes: u8, listing: &Listing) -> Option<u64> {
        self.recent.iter().rev().copied().find(|&number| {
            let store = self.at(number);
            let size = listing.ops[store.op as usize].memory.map_or(0, |m| m.0);
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
