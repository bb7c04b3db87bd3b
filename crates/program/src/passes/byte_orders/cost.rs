//! What orders cost: operations that move bytes within words, as `pack-bytes` writes them.
//!
//! Each operation has a key; equal keys of one block are one operation, as what was computed before is not computed again. An
//! operation counts one: a mask, a rotation, a shift, an exclusive or, a byte taken out. A word whose bytes are turned round is one as
//! well, a byte put beside others two.

use std::cell::RefCell;
use std::collections::HashMap;

use super::orders::Orders;
use super::sites::{Need, Site, Term, Terms};
use crate::ir::{Matrix, MatrixId, Shift, ValueId};
use crate::passes::pack::derive;
use crate::passes::pack::groups::pieces;

/// What tells operations apart: what is done, and up to three words or places.
type Key = [u64; 4];

/// A byte of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Position {
    word: u64,
    byte: usize,
    size: usize,
}

/// Lanes that come from a source turned by a number of bytes.
#[derive(Clone, Copy, Debug)]
struct Part {
    source: u64,
    turn: usize,
    mask: u64,
}

mod tag {
    pub const TURN: u64 = 1;
    pub const SWAP: u64 = 2;
    pub const FIELD: u64 = 3;
    pub const BYTE: u64 = 4;
    pub const MASK: u64 = 5;
    pub const JOIN: u64 = 6;
    pub const DIFFERENCE: u64 = 7;
    pub const KEPT: u64 = 8;
    pub const SUM: u64 = 9;
}

/// Counts sites.
pub struct Counter<'a> {
    /// The matrices of the program.
    pub matrices: &'a [Matrix],
    /// Most bytes of a word.
    pub most: usize,
    /// Whether words of a product are derived from one another.
    pub derive: bool,
    known: RefCell<CountMemo>,
}

/// What was counted before: most orders differ little from one tried earlier.
#[derive(Default)]
struct CountMemo {
    words: HashMap<Vec<u64>, Operations>,
    columns: HashMap<Vec<Option<Position>>, Operations>,
    products: HashMap<(MatrixId, Vec<usize>), u64>,
}

/// The operations of the sites of one block so far.
#[derive(Clone, Default)]
struct Operations {
    /// Those that others may need as well.
    shared: Vec<(Key, u64)>,
    /// The cost of those that nothing else needs.
    own: u64,
}

impl Operations {
    fn add(&mut self, tag: u64, about: [u64; 3], cost: u64) {
        self.shared.push(([tag, about[0], about[1], about[2]], cost));
    }

    fn extend(&mut self, other: &Operations) {
        self.shared.extend_from_slice(&other.shared);
        self.own += other.own;
    }

    /// The cost where nothing is shared.
    fn sum(&self) -> u64 {
        self.own + self.shared.iter().map(|(_, cost)| cost).sum::<u64>()
    }

    fn total(mut self) -> u64 {
        self.shared.sort_unstable();
        self.shared.dedup_by_key(|(key, _)| *key);
        self.sum()
    }
}

impl<'a> Counter<'a> {
    /// See the fields.
    pub fn new(matrices: &'a [Matrix], most: usize, derive: bool) -> Self {
        Counter { matrices, most, derive, known: RefCell::default() }
    }

    /// Operations executed for some sites, which are sorted by function and block; once there are more than `most`,
    /// the rest is not counted.
    pub fn executed<'s>(&self, sites: impl Iterator<Item = &'s Site>, orders: &Orders, most: u64) -> u64 {
        let (mut sum, mut times, mut at) = (0, 0, None);
        let mut operations = Operations::default();
        for site in sites {
            if at != Some((site.function, site.block)) {
                sum += times * std::mem::take(&mut operations).total();
                if sum > most {
                    return sum;
                }
                (at, times) = (Some((site.function, site.block)), site.times);
            }
            self.site(site, orders, &mut operations);
        }
        sum + times * operations.total()
    }

    fn site(&self, site: &Site, orders: &Orders, operations: &mut Operations) {
        match &site.need {
            Need::Filled(list, terms) => {
                let order = &orders.order[*list];
                for (start, size) in pieces(order.len(), self.most) {
                    let lanes: Vec<&Terms> = order[start..start + size].iter().map(|&slot| &terms[slot]).collect();
                    self.word(&lanes, orders, operations);
                }
            }
            Need::Word(terms) => self.word(&terms.iter().collect::<Vec<_>>(), orders, operations),
            Need::Given(terms) => self.given(&terms.iter().collect::<Vec<_>>(), orders, operations),
            Need::Taken(terms) => self.taken(terms, orders, operations),
            Need::Product(matrix, list) => {
                if self.derive {
                    operations.own += self.product(*matrix, &orders.order[*list]);
                }
            }
        }
    }

    fn position(&self, term: Term, orders: &Orders, bytes: usize) -> Option<Position> {
        match term {
            Term::Slot(place) => {
                let lane = orders.lanes[place.slot];
                let word = (place.instance as u64) << 16 | (lane.word? as u64) << 2;
                Some(Position { word, byte: lane.lane, size: lane.size })
            }
            Term::Byte(ValueId(v), byte, size) => Some(Position { word: u64::from(v) << 2 | 1, byte, size }),
            Term::Memory(ValueId(array), at) => {
                let word = u64::from(array) << 32 | ((at / bytes) as u64) << 2 | 2;
                Some(Position { word, byte: at % bytes, size: bytes })
            }
            Term::Other(_) => None,
        }
    }

    /// A byte by itself: bytes that meet in the same lane of their words meet as words.
    fn taken(&self, terms: &Terms, orders: &Orders, operations: &mut Operations) {
        let found: Vec<Option<Position>> = terms.iter().map(|&t| self.position(t, orders, self.most.min(4))).collect();
        let known: Vec<Position> = found.iter().flatten().copied().collect();
        let Some(first) = known.first() else { return };
        let together = known.len() == found.len() && known.iter().all(|p| (p.byte, p.size) == (first.byte, first.size));
        if together {
            let mut words: Vec<u64> = known.iter().map(|p| p.word).collect();
            words.sort_unstable();
            words.windows(2).for_each(|two| operations.add(tag::SUM, [two[0], two[1], 0], 1));
            operations.own += 1;
            return;
        }
        known.iter().for_each(|p| operations.add(tag::BYTE, [p.word, p.byte as u64, 0], 1));
        operations.own += terms.len() as u64 - 1;
    }

    /// Bytes for memory: the word as it is, or the word of the same bytes the other way round, and that turned.
    fn given(&self, lanes: &[&Terms], orders: &Orders, operations: &mut Operations) {
        let reversed: Vec<&Terms> = lanes.iter().rev().copied().collect();
        let trial = |lanes: &[&Terms]| {
            let mut trial = Operations::default();
            self.word(lanes, orders, &mut trial);
            trial
        };
        let (plain, turned) = (trial(lanes), trial(&reversed));
        if plain.sum() <= turned.sum() + 1 {
            operations.extend(&plain);
        } else {
            operations.extend(&turned);
            operations.own += 1;
        }
    }

    fn word(&self, lanes: &[&Terms], orders: &Orders, operations: &mut Operations) {
        let mut positions = Vec::new();
        for terms in lanes {
            positions.push(terms.len() as u64);
            for &term in *terms {
                let found = self.position(term, orders, lanes.len());
                positions.extend(found.map_or([u64::MAX; 2], |p| [p.word, (p.byte << 8 | p.size) as u64]));
            }
        }
        if let Some(found) = self.known.borrow().words.get(&positions) {
            return operations.extend(found);
        }
        let found = self.new_word(lanes, orders);
        operations.extend(&found);
        self.known.borrow_mut().words.insert(positions, found);
    }

    fn new_word(&self, lanes: &[&Terms], orders: &Orders) -> Operations {
        let mut operations = Operations::default();
        let mut left: Vec<Vec<Option<Position>>> =
            lanes.iter().map(|terms| terms.iter().map(|&t| self.position(t, orders, lanes.len())).collect()).collect();
        let others: usize = left.iter_mut().map(remove_unknown).sum();
        let mut columns = 0;
        while let Some(word) = left.iter().flatten().flatten().map(|p| p.word).next() {
            let column: Vec<Option<Position>> = left.iter_mut().map(|terms| take_like(terms, word)).collect();
            let known = &mut self.known.borrow_mut().columns;
            operations.extend(known.entry(column).or_insert_with_key(|column| gather(column)));
            columns += 1;
        }
        operations.own += 2 * others as u64 + u64::saturating_sub(columns, 1);
        operations
    }

    /// Look-ups and what makes words of them.
    fn product(&self, matrix: MatrixId, order: &[usize]) -> u64 {
        let known = &mut self.known.borrow_mut().products;
        *known.entry((matrix, order.to_vec())).or_insert_with(|| self.new_product(matrix, order))
    }

    fn new_product(&self, matrix: MatrixId, order: &[usize]) -> u64 {
        let rows = &self.matrices[matrix.0 as usize].rows;
        let words: Vec<Vec<u64>> = pieces(order.len(), self.most)
            .into_iter()
            .map(|(start, size)| {
                let entry = |column: usize| {
                    let lanes = order[start..start + size].iter().rev();
                    lanes.fold(0, |entry, &row| entry << 8 | rows[row][column])
                };
                (0..rows[0].len()).map(entry).collect()
            })
            .collect();
        derive::operations(&words, self.most.min(order.len()))
    }
}

fn remove_unknown(terms: &mut Vec<Option<Position>>) -> usize {
    let before = terms.len();
    terms.retain(Option::is_some);
    before - terms.len()
}

/// Takes out the term of a lane that is of the wanted word, or else any.
fn take_like(terms: &mut Vec<Option<Position>>, word: u64) -> Option<Position> {
    if terms.is_empty() {
        return None;
    }
    let at = terms.iter().position(|t| t.is_some_and(|p| p.word == word)).unwrap_or(0);
    terms.remove(at)
}

/// The word of bytes that stand in other words.
fn gather(column: &[Option<Position>]) -> Operations {
    let mut operations = Operations::default();
    let bytes = column.len();
    let present: Vec<Position> = column.iter().flatten().copied().collect();
    let first = present[0];
    if present.len() == bytes && present.iter().all(|p| p.word == first.word) {
        let steps = |by: usize| (0..bytes).all(|k| present[k].byte == (first.byte + k * by) % first.size);
        if first.size == bytes && steps(1) {
            if first.byte > 0 {
                operations.add(tag::TURN, [first.word, first.byte as u64, 0], 1);
            }
            return operations;
        }
        if first.size > bytes && (0..bytes).all(|k| present[k].byte == first.byte + k) {
            operations.add(tag::FIELD, [first.word, first.byte as u64, bytes as u64], 1);
            return operations;
        }
        if first.size == bytes && first.byte == bytes - 1 && steps(bytes - 1) {
            operations.add(tag::SWAP, [first.word, 0, 0], 1);
            return operations;
        }
    }
    by_parts(column).unwrap_or_else(|| {
        present.iter().for_each(|p| operations.add(tag::BYTE, [p.word, p.byte as u64, 0], 1));
        operations.own += 2 * (present.len() as u64).saturating_sub(1);
        operations
    })
}

/// Words turned, masked and joined, if that takes at most one for every two bytes.
fn by_parts(column: &[Option<Position>]) -> Option<Operations> {
    let bytes = column.len();
    let all = column.iter().copied().collect::<Option<Vec<Position>>>()?;
    if all.iter().any(|p| p.size != bytes && 2 * p.size != bytes) {
        return None;
    }
    let mut best: Option<(u64, Operations)> = None;
    for (from, to) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut lanes = all.clone();
        if to {
            lanes.reverse();
        }
        let Some(mut made) = joined(&lanes, from) else { continue };
        made.own += u64::from(to);
        let cost = made.sum();
        if best.as_ref().map_or(true, |(least, _)| cost < *least) {
            best = Some((cost, made));
        }
    }
    best.map(|(_, made)| made)
}

/// A mask of bytes before they were turned left.
fn unturned(mask: u64, turn: usize, bytes: usize) -> u64 {
    crate::semantics::shift(Shift::Rotr, mask, 8 * turn as u64, 8 * bytes as u8)
}

fn joined(lanes: &[Position], reversed: bool) -> Option<Operations> {
    let bytes = lanes.len();
    let mut operations = Operations::default();
    let mut halves: Vec<u64> = lanes.iter().filter(|p| p.size != bytes).map(|p| p.word).collect();
    halves.sort_unstable();
    halves.dedup();
    if halves.len() % 2 != 0 {
        return None;
    }
    let mut parts: Vec<Part> = Vec::new();
    for (lane, p) in lanes.iter().enumerate() {
        let half = halves.iter().position(|&w| p.size != bytes && w == p.word);
        let before = half.map_or(0, |n| n % 2 * p.size);
        let source = half.map_or(p.word, |n| halves[n - n % 2] | 3 << 62);
        if let Some(n) = half {
            operations.add(tag::JOIN, [halves[n - n % 2], 0, 0], 2);
        }
        let at = before + if reversed { p.size - 1 - p.byte } else { p.byte };
        if reversed {
            operations.add(tag::SWAP, [source, 0, 0], 1);
        }
        let (turn, mask) = ((lane + bytes - at) % bytes, 0xff << (8 * lane));
        match parts.iter_mut().find(|part| (part.source, part.turn) == (source, turn)) {
            Some(part) => part.mask |= mask,
            None => parts.push(Part { source, turn, mask }),
        }
    }
    if 2 * parts.len() > bytes || parts.len() < 2 {
        return None;
    }
    let side = u64::from(reversed);
    match parts[..] {
        [a, b] if a.turn == b.turn => {
            let ends = [a.source.min(b.source), a.source.max(b.source)];
            operations.add(tag::DIFFERENCE, [ends[0], ends[1], side], 1);
            let mask = unturned(if a.mask & 1 == 1 { a.mask } else { b.mask }, a.turn, bytes);
            operations.add(tag::KEPT, [ends[0] ^ side << 61, ends[1], mask], 1);
            operations.own += 1 + u64::from(a.turn > 0);
        }
        _ => {
            for part in &parts {
                let kept = unturned(part.mask, part.turn, bytes);
                operations.add(tag::MASK, [part.source, kept, side], 1);
            }
            let mut turns: Vec<usize> = parts.iter().map(|p| p.turn).filter(|&t| t > 0).collect();
            turns.sort_unstable();
            turns.dedup();
            operations.own += (parts.len() - 1 + turns.len()) as u64;
        }
    }
    Some(operations)
}
