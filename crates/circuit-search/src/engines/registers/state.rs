//! States of the register file, and the layers of a beam.

use super::machine::MOST_REGISTERS;
use super::word::Word;

/// Register that an operation's result goes to, when it is none of the state's.
pub(super) const FREE: u8 = 254;

/// What led to a state, positions counted in the state before.
#[derive(Clone, Copy, Default)]
pub(super) struct Action {
    /// Number of the operation: unary ones first.
    pub(super) rule: u8,
    /// Operands; equal for a unary operation.
    pub(super) first: u8,
    pub(super) second: u8,
    /// Whose place the result takes; [`FREE`] for an unused register.
    pub(super) place: u8,
}

/// Values in registers, sorted, and how they came about.
#[derive(Clone, Copy)]
pub(super) struct Node<W> {
    pub(super) values: [W; MOST_REGISTERS],
    pub(super) held: u8,
    /// Moves among the instructions so far.
    pub(super) moves: u8,
    /// Layer and number of the state before.
    pub(super) layer: u8,
    pub(super) parent: u32,
    pub(super) action: Action,
}

impl<W: Word> Node<W> {
    pub(super) fn first(inputs: &[W]) -> Self {
        let mut values = [W::default(); MOST_REGISTERS];
        values[..inputs.len()].copy_from_slice(inputs);
        values[..inputs.len()].sort_unstable();
        Node { values, held: inputs.len() as u8, moves: 0, layer: 0, parent: 0, action: Action::default() }
    }

    pub(super) fn values(&self) -> &[W] {
        &self.values[..usize::from(self.held)]
    }

    /// The sorted values after a result took a place.
    pub(super) fn with(&self, result: W, place: u8) -> ([W; MOST_REGISTERS], u8) {
        let mut values = self.values;
        let mut at = usize::from(place);
        let mut held = self.held;
        if place == FREE {
            at = usize::from(held);
            held += 1;
        }
        let last = usize::from(held) - 1;
        while at > 0 && values[at - 1] > result {
            values[at] = values[at - 1];
            at -= 1;
        }
        while at < last && values[at + 1] < result {
            values[at] = values[at + 1];
            at += 1;
        }
        values[at] = result;
        (values, held)
    }
}

/// A mixing function of 64 bits.
pub(in crate::engines) fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

/// A number that names a state among those of a search, but for one chance in many millions.
pub(super) fn fingerprint<W: Word>(values: &[W]) -> u64 {
    values.iter().fold(0x9e37_79b9_7f4a_7c15, |sum, v| mix(sum ^ v.wide()).wrapping_mul(0x2545_f491_4f6c_dd1d)) | 1
}

/// A set of fingerprints, open addressing; 0 marks an empty place.
pub(super) struct Fingerprints {
    places: Vec<u64>,
    count: usize,
}

impl Fingerprints {
    pub(super) fn new() -> Self {
        Fingerprints { places: vec![0; 1 << 12], count: 0 }
    }

    pub(super) fn has(&self, key: u64) -> bool {
        self.places[self.find(key)] == key
    }

    /// True if it was not there before.
    pub(super) fn insert(&mut self, key: u64) -> bool {
        let at = self.find(key);
        if self.places[at] == key {
            return false;
        }
        self.places[at] = key;
        self.count += 1;
        if self.count * 4 > self.places.len() * 3 {
            self.grow();
        }
        true
    }

    fn find(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (key >> 20) as usize & mask;
        while self.places[at] != 0 && self.places[at] != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let wider = vec![0; self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, wider);
        for key in old.into_iter().filter(|&key| key != 0) {
            let at = self.find(key);
            self.places[at] = key;
        }
    }
}

/// Candidates of one layer: all fingerprints, and the best states so far.
pub(super) struct Layer<W> {
    pub(super) seen: Fingerprints,
    /// States of up to one move, of two, and of more: a state that has spent more on moves lags behind in operations,
    /// and would be given up before that pays.
    classes: [Class<W>; CLASSES],
}

/// Parts of a layer's width.
const CLASSES: usize = 3;

/// Scores lie below this.
pub(super) const MOST_SCORE: u32 = 1 << 12;

struct Class<W> {
    nodes: Vec<(u32, Node<W>)>,
    counts: Vec<u32>,
    below: usize,
    cutoff: u32,
}

impl<W: Word> Layer<W> {
    pub(super) fn new() -> Self {
        Layer { seen: Fingerprints::new(), classes: [Class::new(), Class::new(), Class::new()] }
    }

    pub(super) fn push(&mut self, score: u32, node: Node<W>, width: usize) {
        self.classes[class(node.moves)].push(score, node, width.div_ceil(CLASSES));
    }

    /// States of that many moves and of this score or more are not kept.
    pub(super) fn cutoff(&self, moves: u8) -> u32 {
        self.classes[class(moves)].cutoff
    }

    /// The best states, in order of discovery.
    pub(super) fn take(&mut self, width: usize) -> Vec<Node<W>> {
        let width = width.div_ceil(CLASSES);
        self.classes.iter_mut().flat_map(|class| class.take(width)).collect()
    }
}

fn class(moves: u8) -> usize {
    usize::from(moves).saturating_sub(1).min(CLASSES - 1)
}

impl<W: Word> Class<W> {
    fn new() -> Self {
        Class { nodes: Vec::new(), counts: vec![0; MOST_SCORE as usize], below: 0, cutoff: MOST_SCORE }
    }

    fn push(&mut self, score: u32, node: Node<W>, width: usize) {
        if score >= self.cutoff {
            return;
        }
        self.nodes.push((score, node));
        self.counts[score as usize] += 1;
        self.below += 1;
        while self.below - self.counts[self.cutoff as usize - 1] as usize >= width {
            self.cutoff -= 1;
            self.below -= self.counts[self.cutoff as usize] as usize;
        }
        if self.nodes.len() > 2 * width + 1024 {
            let cutoff = self.cutoff;
            self.nodes.retain(|(score, _)| *score < cutoff);
        }
    }

    fn take(&mut self, width: usize) -> Vec<Node<W>> {
        let cutoff = self.cutoff;
        let nodes = std::mem::take(&mut self.nodes);
        nodes.into_iter().filter(|(score, _)| *score < cutoff).take(width + width / 2).map(|(_, n)| n).collect()
    }
}
