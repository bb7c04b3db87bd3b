//! Fetching and decoding: blocks of the text come one after the other, behind branches and misses later.

use super::flight::Flight;
use super::{Branches, Instruction, Model};
use crate::simulate::cache::Contents;

/// What stands before a block that is fetched.
#[derive(Clone, Copy)]
enum Predecessor {
    /// The block before it in the text.
    Straight,
    /// A branch that was taken, as predicted.
    Taken,
    /// A branch that was predicted to be taken and was not: the number of its last micro-operation.
    Mispredicted(usize),
}

/// An aligned block of the text, one time that it is fetched.
struct Block {
    address: u64,
    before: Predecessor,
}

/// The text that an order of instructions runs through: an instruction that does not lie behind the one before it is
/// branched to.
pub struct Path {
    blocks: Vec<Block>,
    /// Of each place in the order the blocks of its first and of its last byte.
    spans: Vec<(u32, u32)>,
}

impl Path {
    pub fn new(model: &Model, code: &[Instruction], order: &[u32]) -> Path {
        let mut starts = Vec::with_capacity(code.len());
        let mut end = 0;
        for one in code {
            starts.push(end);
            end += u64::from(one.bytes);
        }
        let (mut blocks, mut spans): (Vec<Block>, _) = (Vec::new(), Vec::with_capacity(order.len()));
        let mut operations = 0;
        for (place, &number) in order.iter().enumerate() {
            let one = &code[number as usize];
            let first = starts[number as usize] / model.fetch;
            let last = (starts[number as usize] + u64::from(one.bytes.max(1)) - 1) / model.fetch;
            let before = match place.checked_sub(1).map(|p| order[p]) {
                Some(other) if other + 1 != number => Some(Predecessor::Taken),
                Some(other) if code[other as usize].branch => Some(Predecessor::Mispredicted(operations - 1)),
                _ => None,
            };
            let known = blocks.last().is_some_and(|b| b.address == first * model.fetch) && before.is_none();
            for block in first + u64::from(known)..=last {
                let before = before.filter(|_| block == first).unwrap_or(Predecessor::Straight);
                blocks.push(Block { address: block * model.fetch, before });
            }
            let end = blocks.len() as u32 - 1;
            spans.push((end - (last - first) as u32, end));
            operations += one.operations.len();
        }
        Path { blocks, spans }
    }
}

/// What fetching and decoding have come to.
#[derive(Default)]
pub struct Front {
    /// The place in the order that is decoded next.
    next: usize,
    /// Blocks that are there.
    fetched: usize,
    /// Cycles that the next block still takes, once it was asked for.
    wait: Option<u64>,
    /// Micro-operations that wait to be renamed.
    pub queue: usize,
    /// Place in the order, and micro-operation of it, that is renamed next.
    pub sent: (usize, usize),
}

impl Front {
    pub fn decode(&mut self, model: &Model, code: &[Instruction], order: &[u32], path: &Path) {
        for (number, &most) in model.decoders.iter().enumerate() {
            let Some(&instruction) = order.get(self.next) else { break };
            let one = &code[instruction as usize];
            let count = one.operations.len();
            let fits = count <= most as usize
                && (number == 0 || one.bytes <= model.simple_bytes)
                && self.queue + count <= model.queue
                && (path.spans[self.next].1 as usize) < self.fetched;
            if !fits {
                break;
            }
            self.queue += count;
            self.next += 1;
            if order.get(self.next).is_some_and(|&next| next != instruction + 1) {
                break;
            }
        }
    }

    /// Two blocks are held: a new one comes when the older is used up.
    pub fn fetch(&mut self, path: &Path, flight: &Flight<'_>, cycle: u64, text: &mut Option<Contents>) {
        let current = path.spans.get(self.next).map_or(path.blocks.len(), |span| span.0 as usize);
        let Some(block) = path.blocks.get(self.fetched).filter(|_| self.fetched < current + 2) else { return };
        let costs = flight.model.branches.unwrap_or(Branches { taken: 0, mispredicted: 0 });
        let wait = match (self.wait, block.before) {
            (Some(wait), _) => wait,
            (None, Predecessor::Mispredicted(branch)) if !flight.is_done(branch, cycle) => return,
            (None, before) => {
                let branch = match before {
                    Predecessor::Straight => 0,
                    Predecessor::Taken => costs.taken,
                    Predecessor::Mispredicted(_) => costs.mispredicted,
                };
                let there = text.as_mut().map_or(0, |text| text.load(block.address, cycle));
                u64::from(branch) + there.saturating_sub(cycle)
            }
        };
        self.wait = wait.checked_sub(1);
        self.fetched += usize::from(wait == 0);
    }
}
