//! An in-order processor with a scoreboard: every stall comes from the text and the model alone.
//!
//! The operations of a cycle issue together when all their operands are there. Operations whose guard is false take their
//! ports, but wait for nothing and delay nothing. Branches cost nothing but their slot: they are predicted perfectly.

use std::collections::VecDeque;

use program::Diagnostic;

use super::events::{Blocker, Event, Run};
use super::execute::{diagnose, too_long, Cursor, ExecutionFault};
use super::issue::{End, Units};
use super::latencies::{Kind, Latencies};
use super::listing::{Flow, Listing};
use super::slots::Slot;
use super::state::State;
use crate::model::Processor;

/// Who wrote a register last.
#[derive(Clone, Copy, Debug, Default)]
struct LastWrite {
    cycle: u64,
    op: u32,
    kind: Kind,
}

/// A store that a load may still have to wait for.
#[derive(Clone, Copy, Debug)]
struct PendingStore {
    address: u64,
    bytes: u8,
    ready: u64,
    op: u32,
}

/// A text on an in-order processor.
#[derive(Clone, Debug)]
pub struct InOrder {
    units: Units,
    latencies: Latencies,
    banks: Option<(u32, u32)>,
}

struct Board<'a> {
    model: &'a InOrder,
    written: Vec<LastWrite>,
    stored: VecDeque<PendingStore>,
    /// Writes of the current cycle.
    pending: Vec<(Slot, LastWrite)>,
    pending_stores: Vec<PendingStore>,
    accesses: Vec<u64>,
}

impl InOrder {
    /// Prepares a text.
    ///
    /// # Errors
    /// M507: an operation fits no port.
    pub fn new(listing: &Listing, processor: &Processor) -> Result<InOrder, Diagnostic> {
        let units = Units::new(listing, processor)?;
        Ok(InOrder { units, latencies: Latencies::new(listing, processor), banks: processor.banks })
    }

    /// Runs a text to its end.
    ///
    /// # Errors
    /// M510 to M512, see [`super::execute`].
    pub fn run(&self, listing: &Listing, state: &mut State, limit: u64, timeline: bool) -> Result<Run, Diagnostic> {
        let mut board = Board {
            model: self,
            written: vec![LastWrite::default(); listing.slots],
            stored: VecDeque::new(),
            pending: Vec::new(),
            pending_stores: Vec::new(),
            accesses: Vec::new(),
        };
        let mut run = Run::default();
        let mut cursor = Cursor::start();
        let (mut next, mut before) = (0u64, Blocker::None);
        while !cursor.done(listing) {
            let first = run.events.len();
            let unit = board.unit(listing, state, &mut cursor, next, &mut run, timeline);
            let unit = unit.map_err(|failed| diagnose(listing, state, failed))?;
            let issue = unit.issue;
            if issue > next {
                run.stalls.count(unit.blocker, issue - next);
            }
            if !matches!(before, Blocker::Bank(_)) {
                run.stalls.count(before, 1);
            }
            let extra = board.finish(listing, issue, &unit);
            if timeline {
                board.label(&mut run.events[first..], issue, if issue > next { unit.blocker } else { before });
            }
            run.stalls.bank += extra;
            run.cycles = issue + 1;
            next = issue + 1 + extra;
            before = if extra > 0 { Blocker::Bank(unit.last) } else { unit.end };
            if run.operations > limit {
                return Err(too_long(listing, unit.last, limit));
            }
        }
        Ok(run)
    }
}

/// What issued in one cycle.
struct IssueRecord {
    issue: u64,
    blocker: Blocker,
    /// Why the next cycle begins: for what follows without a stop.
    end: Blocker,
    last: u32,
    rotated: bool,
    cleared: u32,
}

impl Board<'_> {
    /// Runs the operations of one cycle and finds when it issues.
    #[inline]
    fn unit(
        &mut self,
        listing: &Listing,
        state: &mut State,
        cursor: &mut Cursor,
        next: u64,
        run: &mut Run,
        timeline: bool,
    ) -> Result<IssueRecord, ExecutionFault> {
        let unit = self.model.units.at(cursor.at);
        while self.stored.front().is_some_and(|s| s.ready <= next) {
            self.stored.pop_front();
        }
        let mut out = IssueRecord {
            issue: next,
            blocker: Blocker::None,
            end: Blocker::Stop,
            last: cursor.at,
            rotated: false,
            cleared: 0,
        };
        let rotations = cursor.rotations();
        loop {
            let ran = cursor.step::<false>(listing, state)?;
            let op = listing.fast[ran.op as usize];
            run.operations += 1;
            run.useful += u64::from(ran.active && !op.nop);
            out.last = ran.op;
            if ran.active {
                self.read(ran.op, &mut out);
                if let Some((bytes, store)) = self.model.latencies.memory(ran.op) {
                    self.access(state.memory.touched, bytes, store, ran.op, &mut out);
                }
            } else {
                self.read_guard(ran.op, &mut out);
            }
            if timeline {
                run.events.push(Event { op: ran.op, active: ran.active, insert: next, ..Event::default() });
            }
            if op.special && listing.ops[ran.op as usize].flow == Flow::Clear {
                out.cleared = rotations;
            }
            if ran.taken || ran.op + 1 == unit.end {
                if !ran.taken {
                    out.end = blocker_of(unit.why);
                }
                break;
            }
        }
        out.rotated = cursor.rotations() > rotations;
        Ok(out)
    }

    /// Waits for operands; the writes are kept until the cycle is known.
    #[inline]
    fn read(&mut self, op: u32, out: &mut IssueRecord) {
        let model = self.model;
        for &(slot, kind) in model.latencies.reads(op) {
            self.wait(slot, kind, out);
        }
        for &(slot, kind) in model.latencies.writes(op) {
            self.pending.push((slot, LastWrite { cycle: 0, op, kind }));
        }
    }

    /// A false guard must be known, too.
    #[inline]
    fn read_guard(&mut self, op: u32, out: &mut IssueRecord) {
        let model = self.model;
        if let Some(&(slot, kind)) = model.latencies.reads(op).first() {
            self.wait(slot, kind, out);
        }
    }

    #[inline]
    fn wait(&mut self, slot: Slot, kind: Kind, out: &mut IssueRecord) {
        let written = self.written[usize::from(slot)];
        let ready = written.cycle + u64::from(self.model.latencies.between(written.kind, kind));
        if ready > out.issue {
            out.issue = ready;
            out.blocker = Blocker::Operand(written.op, slot);
        }
    }

    fn access(&mut self, address: u64, bytes: u8, store: bool, op: u32, out: &mut IssueRecord) {
        if self.model.banks.is_some() {
            self.accesses.push(address);
        }
        if store {
            self.pending_stores.push(PendingStore { address, bytes, ready: 0, op });
            return;
        }
        let overlaps =
            |s: &&PendingStore| s.address < address + u64::from(bytes) && address < s.address + u64::from(s.bytes);
        if let Some(found) = self.stored.iter().filter(overlaps).max_by_key(|s| s.ready) {
            if found.ready > out.issue {
                out.issue = found.ready;
                out.blocker = Blocker::Store(found.op);
            }
        }
    }

    /// Enters the writes of a cycle; returns the cycles lost to conflicts of banks.
    fn finish(&mut self, listing: &Listing, issue: u64, unit: &IssueRecord) -> u64 {
        for (slot, written) in self.pending.drain(..) {
            self.written[usize::from(slot)] = LastWrite { cycle: issue, ..written };
        }
        for stored in self.pending_stores.drain(..) {
            let latency = self.model.latencies.of(stored.op);
            self.stored.push_back(PendingStore { ready: issue + u64::from(latency), ..stored });
        }
        if unit.rotated || unit.cleared > 0 {
            for file in &listing.rotating {
                let first = usize::from(file.first);
                let run = &mut self.written[first..first + usize::from(file.count)];
                if unit.rotated {
                    run.rotate_right(1);
                } else {
                    run.rotate_left(unit.cleared as usize % usize::from(file.count));
                }
                if file.predicates && unit.rotated {
                    // The branch itself wrote the first one, and the next iteration may use it.
                    self.written[first] = LastWrite::default();
                }
            }
        }
        self.bank_conflicts()
    }

    fn bank_conflicts(&mut self) -> u64 {
        let Some((bytes, count)) = self.model.banks else { return 0 };
        let bank = |address: u64| address / u64::from(bytes) % u64::from(count);
        let most = self.accesses.iter().map(|&a| self.accesses.iter().filter(|&&b| bank(a) == bank(b)).count()).max();
        self.accesses.clear();
        most.map_or(0, |most| most as u64 - 1)
    }

    /// Completes the events of a cycle: the first operation that was kept names what kept it.
    fn label(&self, events: &mut [Event], issue: u64, blocker: Blocker) {
        for event in events {
            event.issue = issue;
            event.finish = issue + u64::from(self.model.latencies.of(event.op));
            event.retire = event.finish;
            event.blocker = blocker;
        }
    }
}

fn blocker_of(end: End) -> Blocker {
    match end {
        End::Stop | End::Flow => Blocker::Stop,
        End::Port(ports) => Blocker::Port(ports),
        End::Width => Blocker::Width,
        End::Window | End::Template => Blocker::Window,
    }
}
