//! A run: the stages of the processor cycle by cycle, the last one first.

use super::front::{Front, Path};
use super::{Access, Cache, Instruction, MicroOp, Model, REGISTERS, TEMPORARY};
use crate::model;
use crate::simulate::cache::Contents;

/// Ports that there can be.
const PORTS: usize = 8;
const NEVER: u64 = u64::MAX;
/// Cycles in which nothing retires, after which nothing ever will: more than any latency and all misses on the way to it.
const STUCK: u64 = 1_000_000;

/// Cycles in which renaming was not full, by what was missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// Nothing was decoded.
    pub decoders: u64,
    /// Entries of the reorder buffer.
    pub reorder: u64,
    /// Entries of the reservation station.
    pub stations: u64,
    /// Reads of registers written before.
    pub permanent: u64,
    /// The writer of a part of a register had not retired.
    pub partial: u64,
}

/// What came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// From the first micro-operation's renaming to the last one's retirement.
    pub cycles: u64,
    /// Micro-operations.
    pub operations: u64,
    /// Loads that missed the cache.
    pub misses: u64,
    /// Blocks of the text that missed the instruction cache.
    pub text_misses: u64,
    /// What renaming lacked.
    pub stalls: Stalls,
}

/// A cache through which nothing has gone yet.
pub fn warm(cache: &Cache) -> Contents {
    let known = model::Cache {
        bytes: cache.bytes,
        line: cache.line,
        ways: cache.ways,
        miss: cache.miss,
        allocates: true,
        ..model::Cache::default()
    };
    Contents::warm(&known, 0, 0)
}

/// A micro-operation in flight, or one that has left.
#[derive(Clone, Copy)]
struct Entry<'a> {
    op: &'a MicroOp,
    address: u64,
    size: u32,
    /// Producers of what it reads, plus 1.
    waits: [u32; 4],
    /// When a consumer may start; [`NEVER`] before it has started.
    done: u64,
}

/// Renaming, execution and retirement.
pub struct Flight<'a> {
    pub model: &'a Model,
    entries: Vec<Entry<'a>>,
    /// Oldest that has not retired.
    head: usize,
    /// Numbers that wait in the reservation station, oldest first.
    waiting: Vec<u32>,
    /// Of each register its last writer, plus 1.
    writer: [u32; REGISTERS],
    /// Addresses of stores, of which the data follow.
    stores: Vec<u32>,
    /// Stores below this one have their addresses.
    placed: usize,
    run: Run,
    /// Of each micro-operation the cycle in which it retired, if that is wanted.
    retired: Option<Vec<u64>>,
}

/// Text, order and addresses of a run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub model: &'a Model,
    pub code: &'a [Instruction],
    pub order: &'a [u32],
    pub path: &'a Path,
    pub addresses: &'a [u64],
}

/// What the caches hold, those that there are.
pub struct Caches {
    pub data: Option<Contents>,
    pub text: Option<Contents>,
}

pub fn run(job: Job<'_>, caches: &mut Caches) -> Run {
    run_to_end(job, caches, false).0
}

/// A run, and of each micro-operation the cycle at whose end it retired, from the first renaming on.
pub fn traced(job: Job<'_>, caches: &mut Caches) -> (Run, Vec<u64>) {
    run_to_end(job, caches, true)
}

fn run_to_end(job: Job<'_>, caches: &mut Caches, traced: bool) -> (Run, Vec<u64>) {
    let Job { model, code, order, path, addresses } = job;
    let Caches { data, text } = caches;
    for cache in [&mut *data, &mut *text].into_iter().flatten() {
        cache.settle();
    }
    let mut flight = Flight {
        model,
        entries: Vec::with_capacity(2 * order.len()),
        head: 0,
        waiting: Vec::with_capacity(model.stations),
        writer: [0; REGISTERS],
        stores: Vec::new(),
        placed: 0,
        run: Run::default(),
        retired: traced.then(Vec::new),
    };
    let mut front = Front::default();
    let mut cycle = 0;
    let mut first = NEVER;
    let total: usize = order.iter().map(|&i| code[i as usize].operations.len()).sum();
    let mut progress = (0, 0);
    while flight.head < total {
        if progress.1 != flight.head {
            progress = (cycle, flight.head);
        }
        assert!(cycle - progress.0 <= STUCK, "micro-operation {} never ends", flight.head);
        flight.retire(cycle);
        flight.start(cycle, data, addresses.is_empty());
        let renamed = flight.rename(cycle, &mut front, code, order, addresses);
        if renamed > 0 && first == NEVER {
            first = cycle;
        }
        front.decode(model, code, order, path);
        front.fetch(path, &flight, cycle, text);
        cycle += 1;
    }
    flight.run.cycles = cycle - first.min(cycle);
    flight.run.operations = total as u64;
    flight.run.misses = data.as_ref().map_or(0, |c| c.misses);
    flight.run.text_misses = text.as_ref().map_or(0, |c| c.misses);
    let retired = flight.retired.unwrap_or_default();
    (flight.run, retired.into_iter().map(|at| at + 1 - first.min(at + 1)).collect())
}

impl<'a> Flight<'a> {
    /// Whether a micro-operation has executed.
    pub fn is_done(&self, number: usize, cycle: u64) -> bool {
        self.entries.get(number).is_some_and(|entry| entry.done <= cycle)
    }

    fn retire(&mut self, cycle: u64) {
        for _ in 0..self.model.retire {
            match self.entries.get(self.head) {
                Some(entry) if entry.done <= cycle => self.head += 1,
                _ => break,
            }
        }
        if let Some(retired) = &mut self.retired {
            retired.resize(self.head, cycle);
        }
    }

    /// The oldest ready ones, one per port.
    fn start(&mut self, cycle: u64, cache: &mut Option<Contents>, alike: bool) {
        let mut free: u8 = !0 >> (8 - PORTS);
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&number| {
            let entry = self.entries[number as usize];
            let ports = entry.op.ports & free;
            if ports == 0 || !self.ready(&entry, cycle) {
                return true;
            }
            let mut latency = u64::from(entry.op.latency);
            if entry.op.access == Some(Access::Load) {
                match self.store_of(number, &entry, cycle, alike) {
                    Store::None => {
                        if let (Some(cache), false) = (cache.as_mut(), alike) {
                            latency = latency.max(cache.load(entry.address, cycle).saturating_sub(cycle));
                        }
                    }
                    Store::Done => latency = u64::from(self.model.forward),
                    Store::Waits => return true,
                }
            }
            if let (Some(Access::Address), Some(cache), false) = (entry.op.access, cache.as_mut(), alike) {
                cache.store(entry.address);
            }
            // Of several ports the last: the first has units that the others lack.
            free &= !(1 << (7 - ports.leading_zeros()));
            self.entries[number as usize].done = cycle + latency;
            false
        });
        self.waiting = waiting;
    }

    #[inline]
    fn ready(&self, entry: &Entry<'_>, cycle: u64) -> bool {
        entry.waits.iter().all(|&wait| wait == 0 || self.entries[wait as usize - 1].done <= cycle)
    }

    /// What keeps a load: older stores without an address; the data of one to the same place.
    fn store_of(&mut self, number: u32, entry: &Entry<'_>, cycle: u64, alike: bool) -> Store {
        while self.placed < self.stores.len() && self.entries[self.stores[self.placed] as usize].done <= cycle {
            self.placed += 1;
        }
        if self.stores.get(self.placed).is_some_and(|&store| store < number) {
            return Store::Waits;
        }
        if alike {
            return Store::None;
        }
        for &store in self.stores.iter().rev().filter(|&&store| store < number) {
            // The data of stores that have retired are in the cache, and so are those of all older ones.
            if (store as usize) + 1 < self.head {
                break;
            }
            let other = &self.entries[store as usize];
            let overlap = other.address < entry.address + u64::from(entry.size)
                && entry.address < other.address + u64::from(other.size);
            if overlap {
                let data = store as usize + 1;
                return match self.entries[data].done {
                    done if done > cycle => Store::Waits,
                    _ if data >= self.head => Store::Done,
                    _ => Store::None,
                };
            }
        }
        Store::None
    }

    fn rename(
        &mut self,
        cycle: u64,
        front: &mut Front,
        code: &'a [Instruction],
        order: &[u32],
        addresses: &[u64],
    ) -> usize {
        let mut read = [0u8; 8];
        let mut reads = 0;
        for count in 0..self.model.rename {
            if front.queue == 0 {
                self.run.stalls.decoders += u64::from(front.sent.0 < order.len());
                return count;
            }
            let (place, part) = front.sent;
            let instruction = &code[order[place] as usize];
            let op = &instruction.operations[part];
            if self.entries.len() - self.head >= self.model.reorder {
                self.run.stalls.reorder += 1;
                return count;
            }
            if self.waiting.len() >= self.model.stations {
                self.run.stalls.stations += 1;
                return count;
            }
            let mut waits = [0; 4];
            for (k, &register) in op.reads.iter().enumerate() {
                let writer = self.writer[usize::from(register)];
                let made = writer == 0 || self.entries[writer as usize - 1].done <= cycle;
                if writer > 0 && self.model.partial && !op.narrow {
                    let other = writer as usize - 1;
                    if self.entries[other].op.part && other >= self.head {
                        self.run.stalls.partial += 1;
                        return count;
                    }
                }
                if !made {
                    waits[k] = writer;
                } else if register < TEMPORARY && !read[..reads].contains(&register) {
                    if reads == self.model.permanent_reads {
                        self.run.stalls.permanent += 1;
                        return count;
                    }
                    read[reads] = register;
                    reads += 1;
                }
            }
            let number = self.entries.len() as u32;
            let address = addresses.get(place).copied().unwrap_or(0);
            self.entries.push(Entry { op, address, size: instruction.size, waits, done: NEVER });
            for &register in &op.writes {
                self.writer[usize::from(register)] = number + 1;
            }
            if op.access == Some(Access::Address) {
                self.stores.push(number);
            }
            self.waiting.push(number);
            front.queue -= 1;
            front.sent = if part + 1 < instruction.operations.len() { (place, part + 1) } else { (place + 1, 0) };
        }
        self.model.rename
    }
}

/// What a load finds of an older store to its place.
enum Store {
    /// Nothing: the cache has the value.
    None,
    /// Its data.
    Done,
    /// That it has to wait.
    Waits,
}
