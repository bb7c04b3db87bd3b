//! Bytes of few words that keep their distances: whole words turned, masked and joined in place of single bytes.

use super::emit::Emitter;
use super::shape::{position, Position, WordRef};
use crate::ir::{Binary, OpKind, Operand, Shift, ValueId};

/// A word of the wanted size that bytes are taken from: one word, or two of half the size side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    words: Vec<WordRef>,
    /// The order of all its bytes is turned round.
    reversed: bool,
}

/// Lanes that come from a source turned left by a number of bytes.
#[derive(Clone, Debug)]
struct Part {
    source: usize,
    turn: usize,
    mask: u64,
}

/// A way to gather bytes.
#[derive(Clone, Debug)]
pub struct Plan {
    sources: Vec<Source>,
    parts: Vec<Part>,
    /// The lanes are made in the opposite order, and the word turned round at last.
    reversed: bool,
}

/// The best way that needs at most one turned word for every two bytes; none for a plain reversal, which compilers know.
pub fn plan(found: &[Position]) -> Option<Plan> {
    let bytes = found.len();
    let mut best: Option<Plan> = None;
    for (sources_reversed, reversed) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut lanes = found.to_vec();
        if reversed {
            lanes.reverse();
        }
        let plan = plan_with(&lanes, sources_reversed, reversed)?;
        if best.as_ref().map_or(true, |b| cost(&plan) < cost(b)) {
            best = Some(plan);
        }
    }
    best.filter(|p| 2 * p.parts.len() <= bytes && p.parts.len() > 1)
}

fn cost(plan: &Plan) -> usize {
    let turned_round = plan.sources.iter().filter(|s| s.reversed).count() + usize::from(plan.reversed);
    2 * plan.parts.len() + turned_round
}

fn plan_with(found: &[Position], sources_reversed: bool, reversed: bool) -> Option<Plan> {
    let bytes = found.len();
    let mut sources = sources(found)?;
    sources.iter_mut().for_each(|s| s.reversed = sources_reversed);
    let mut parts: Vec<Part> = Vec::new();
    for (lane, &(word, byte, size)) in found.iter().enumerate() {
        let source = sources.iter().position(|s| s.words.contains(&word))?;
        let before = if sources[source].words[0] == word { 0 } else { size };
        let at = before + if sources_reversed { size - 1 - byte } else { byte };
        let turn = (lane + bytes - at) % bytes;
        let mask = 0xff << (8 * lane);
        match parts.iter_mut().find(|p| (p.source, p.turn) == (source, turn)) {
            Some(part) => part.mask |= mask,
            None => parts.push(Part { source, turn, mask }),
        }
    }
    Some(Plan { sources, parts, reversed })
}

/// Words of the wanted size as they are, words of half the size in pairs, in the order of their definition.
fn sources(found: &[Position]) -> Option<Vec<Source>> {
    let bytes = found.len();
    let (mut whole, mut halves) = (Vec::new(), Vec::new());
    for &(word, _, size) in found {
        let list = match size {
            _ if size == bytes => &mut whole,
            _ if 2 * size == bytes => &mut halves,
            _ => return None,
        };
        if !list.contains(&word) {
            list.push(word);
        }
    }
    halves.sort();
    let pairs = halves.chunks(2);
    if halves.len() % 2 != 0 {
        return None;
    }
    let words = whole.into_iter().map(|w| vec![w]).chain(pairs.map(<[WordRef]>::to_vec));
    Some(words.map(|words| Source { words, reversed: false }).collect())
}

impl Emitter<'_> {
    /// The word of some bytes if they can be gathered by few turned words.
    pub(super) fn gathered(&mut self, lanes: &[Operand]) -> Option<Operand> {
        let found = lanes.iter().map(|&o| position(self.facts, self.groups, o)).collect::<Option<Vec<Position>>>()?;
        let plan = plan(&found)?;
        Some(self.gather(&plan, lanes.len()))
    }

    pub(super) fn gather(&mut self, plan: &Plan, bytes: usize) -> Operand {
        let words: Vec<Operand> = plan.sources.iter().map(|s| self.source_word(s, bytes)).collect();
        let mut turns: Vec<usize> = plan.parts.iter().map(|p| p.turn).collect();
        turns.sort_unstable();
        turns.dedup();
        let mut sum = Operand::Const(0);
        for turn in turns {
            let mut together = Operand::Const(0);
            for part in plan.parts.iter().filter(|p| p.turn == turn) {
                let mask = crate::semantics::shift(Shift::Rotr, part.mask, 8 * turn as u64, 8 * bytes as u8);
                let masked = self.combined("", Binary::And, words[part.source], Operand::Const(mask), bytes);
                together = self.xor(together, masked, bytes);
            }
            let turned = self.turned(together, turn, bytes);
            sum = self.xor(sum, turned, bytes);
        }
        if plan.reversed {
            return self.reversed(sum, bytes);
        }
        sum
    }

    fn source_word(&mut self, source: &Source, bytes: usize) -> Operand {
        let mut words: Vec<(Operand, usize)> = Vec::new();
        for &word in &source.words {
            words.push((self.word_of(word), bytes / source.words.len()));
        }
        if source.reversed {
            words.reverse();
        }
        let word = if words.len() == 1 { words[0].0 } else { self.joined(&words) };
        if source.reversed {
            return self.reversed(word, bytes);
        }
        word
    }

    /// A word with its bytes in the opposite order.
    fn reversed(&mut self, word: Operand, bytes: usize) -> Operand {
        let parts: Vec<(Operand, usize)> = (0..bytes).rev().map(|n| (self.byte_of(word, n), 1)).collect();
        self.joined(&parts)
    }

    /// Two words of half the size that bytes of the same words make, gathered together.
    pub(super) fn write_pair(&mut self, first: ValueId, second: ValueId, plan: &Plan) {
        let word = self.gather(plan, 8);
        for (half, value) in [first, second].into_iter().enumerate() {
            let part = match word {
                Operand::Const(n) => Operand::Const(n >> (32 * half) & 0xffff_ffff),
                Operand::Value(_) => {
                    let name = self.facts.function.values[value.0 as usize].name.clone();
                    self.op(&name, crate::ir::Type::Word(32), OpKind::Extract(word, 32 * half as u8))
                }
            };
            self.stand(value, part);
        }
    }
}
