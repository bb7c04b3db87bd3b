//! A processor that issues in the order of the text, as many operations a cycle as have their operands, ports and width.
//!
//! The text has no stops: an operation that has to wait keeps all behind it. Where the processor takes aligned blocks of
//! instructions, none of a block issues before the cycle after the last of the block before. Branches cost nothing but their
//! slot: they are predicted perfectly. A load that misses keeps only what uses its result.

use std::collections::VecDeque;

use program::Diagnostic;

use super::events::{Blocker, Event, Run};
use super::execute::{diagnose, error, too_long, Cursor};
use super::issue::Matching;
use super::latencies::{Kind, Latencies};
use super::listing::{Flow, Listing};
use super::state::State;
use crate::model::Processor;

/// What an operation needs.
#[derive(Clone, Debug)]
struct Need {
    ports: Vec<u64>,
    held: u64,
    slots: u32,
}

/// A text on such a processor.
#[derive(Clone, Debug)]
pub struct Superscalar {
    needs: Vec<Need>,
    latencies: Latencies,
    /// Slots of a cycle; without limits as many as there are.
    width: u32,
    limited: bool,
    block: u32,
}

/// Who wrote a register last.
#[derive(Clone, Copy, Debug, Default)]
struct LastWrite {
    cycle: u64,
    op: u32,
    kind: Kind,
    /// The cycle of the data of a load that missed.
    there: u64,
}

/// A store that a load may still have to wait for.
#[derive(Clone, Copy, Debug)]
struct PendingStore {
    address: u64,
    bytes: u8,
    ready: u64,
    op: u32,
}

impl Superscalar {
    /// Prepares a text.
    ///
    /// # Errors
    /// M507: an operation fits no port.
    pub fn new(listing: &Listing, processor: &Processor) -> Result<Superscalar, Diagnostic> {
        let all = 1u64.checked_shl(processor.ports.len() as u32).map_or(u64::MAX, |bit| bit - 1);
        let limited = !processor.infinite;
        let mut needs = Vec::new();
        for op in &listing.ops {
            let class = op.instruction.map(|i| &processor.classes[processor.class_of(i)]);
            let need = class.map_or(Need { ports: vec![all], held: 1, slots: 1 }, |c| Need {
                ports: c.masks().collect(),
                held: c.held.into(),
                slots: u32::from(c.slots.max(1)),
            });
            if limited && !Cycle::default().take(&need, u32::MAX) {
                let message = format!("no port of {} takes `{}`", processor.name, op.text);
                return Err(error(listing, "M507", op, message));
            }
            needs.push(need);
        }
        let width = if processor.issue == 0 { u32::MAX } else { processor.issue };
        let latencies = Latencies::new(listing, processor);
        Ok(Superscalar { needs, latencies, width, limited, block: processor.block })
    }

    /// Runs a text to its end.
    ///
    /// # Errors
    /// M510 to M512, see [`super::execute`].
    pub fn run(&self, listing: &Listing, state: &mut State, limit: u64, timeline: bool) -> Result<Run, Diagnostic> {
        let mut board = Board::new(self, listing);
        let mut run = Run::default();
        let mut cursor = Cursor::start();
        while !cursor.done(listing) {
            let ran = cursor.step::<false>(listing, state).map_err(|failed| diagnose(listing, state, failed))?;
            let nop = listing.fast[ran.op as usize].nop;
            run.operations += 1;
            run.useful += u64::from(!nop);
            let (first, blocker) = (board.now, board.issue(ran.op, state));
            run.stalls.count(blocker, board.now - first);
            if timeline {
                let finish = board.now + u64::from(self.latencies.of(ran.op));
                let (op, active) = (ran.op, true);
                run.events.push(Event { op, active, insert: first, issue: board.now, finish, retire: finish, blocker });
            }
            run.cycles = board.now + 1;
            if ran.taken || matches!(listing.ops[ran.op as usize].flow, Flow::Return) {
                board.begin(board.now + 1);
            }
            if run.operations > limit {
                return Err(too_long(listing, ran.op, limit));
            }
        }
        run.misses = state.cache.as_ref().map_or(0, |cache| cache.misses);
        Ok(run)
    }
}

/// Ports and slots of one cycle.
#[derive(Clone, Debug, Default)]
struct Cycle {
    matching: Matching,
    slots: u32,
}

impl Cycle {
    /// Takes what an operation needs, or nothing.
    fn take(&mut self, need: &Need, width: u32) -> bool {
        let mut with = self.matching.clone();
        let fits = self.slots + need.slots <= width && need.ports.iter().all(|&mask| with.add(mask));
        if fits {
            (self.matching, self.slots) = (with, self.slots + need.slots);
        }
        fits
    }
}

struct Board<'a> {
    model: &'a Superscalar,
    /// The cycle in which operations issue, what has been taken of it, and whether something has issued in it.
    now: u64,
    cycle: Cycle,
    /// Second ports that are held, each until a cycle.
    held: Vec<(u64, u64)>,
    /// The operation before, in the order of the run.
    before: Option<u32>,
    written: Vec<LastWrite>,
    stored: VecDeque<PendingStore>,
}

impl<'a> Board<'a> {
    fn new(model: &'a Superscalar, listing: &Listing) -> Board<'a> {
        let written = vec![LastWrite::default(); listing.slots];
        Board {
            model,
            now: 0,
            cycle: Cycle::default(),
            held: Vec::new(),
            before: None,
            written,
            stored: VecDeque::new(),
        }
    }

    /// Goes on to another cycle.
    fn begin(&mut self, cycle: u64) {
        if cycle == self.now {
            return;
        }
        self.now = cycle;
        self.cycle = Cycle::default();
        self.held.retain(|held| held.1 > cycle);
        for &(mask, _) in &self.held {
            self.cycle.matching.add(mask);
        }
    }

    /// Issues an operation that has run; returns what kept it last.
    fn issue(&mut self, op: u32, state: &mut State) -> Blocker {
        let model = self.model;
        let (mut ready, mut blocker) = (self.now, Blocker::None);
        if self.block_begins(op) {
            (ready, blocker) = (self.now + 1, Blocker::Window);
        }
        self.before = Some(op);
        for &(slot, kind) in model.latencies.reads(op) {
            let written = self.written[usize::from(slot)];
            let there = written.cycle + u64::from(model.latencies.between(written.kind, kind));
            if there.max(written.there) > ready {
                ready = there.max(written.there);
                let missed = written.there > there;
                blocker = if missed { Blocker::Miss(written.op) } else { Blocker::Operand(written.op, slot) };
            }
        }
        let access = model.latencies.memory(op).map(|(bytes, store)| (state.memory.touched, bytes, store));
        if let Some((address, bytes, false)) = access {
            if let Some(store) = self.newest_store(address, bytes).filter(|store| store.ready > ready) {
                (ready, blocker) = (store.ready, Blocker::Store(store.op));
            }
        }
        self.begin(ready);
        let need = &model.needs[op as usize];
        while model.limited && !self.cycle.take(need, model.width) {
            blocker = if self.cycle.slots >= model.width { Blocker::Width } else { Blocker::Port(need.ports[0]) };
            self.begin(self.now + 1);
        }
        if need.held > 1 {
            self.held.extend(need.ports[1..].iter().map(|&mask| (mask, self.now + need.held)));
        }
        self.write(op, access, state);
        blocker
    }

    /// Whether an operation is the first of its block, and the block before has issued in this cycle.
    fn block_begins(&self, op: u32) -> bool {
        let size = self.model.block;
        size > 0 && self.before.is_some_and(|before| before / size != op / size) && self.cycle.slots > 0
    }

    fn newest_store(&self, address: u64, bytes: u8) -> Option<PendingStore> {
        let overlaps =
            |s: &&PendingStore| s.address < address + u64::from(bytes) && address < s.address + u64::from(s.bytes);
        self.stored.iter().filter(overlaps).max_by_key(|s| s.ready).copied()
    }

    /// Enters what an operation writes.
    fn write(&mut self, op: u32, access: Option<(u64, u8, bool)>, state: &mut State) {
        let mut there = 0;
        match (access, &mut state.cache) {
            (Some((address, _, false)), Some(cache)) => there = cache.load(address, self.now),
            (Some((address, _, true)), Some(cache)) => cache.store(address),
            _ => {}
        }
        for &(slot, kind) in self.model.latencies.writes(op) {
            self.written[usize::from(slot)] = LastWrite { cycle: self.now, op, kind, there };
        }
        if let Some((address, bytes, true)) = access {
            let now = self.now;
            self.stored.retain(|s| s.ready > now);
            let ready = now + u64::from(self.model.latencies.of(op));
            self.stored.push_back(PendingStore { address, bytes, ready, op });
        }
    }
}
