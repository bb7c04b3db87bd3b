//! A word of a product made from the look-ups of another word of it.
//!
//! Where for each byte that goes in the second word's entries are the first word's, those turned, or the sum of both, or are nothing, the
//! second word is a sum of partial sums of the first word's look-ups, some of them turned. Aoki and Ueda (1999, 3.2.5) have such a layout
//! (8 references, 8 exclusive ors, 1 rotation).

use std::collections::BTreeMap;

use super::emit::Emitter;
use super::merged::{Columns, Product};
use crate::ir::{Op, OpKind, Operand, Shift};
use crate::semantics::shift;

/// What a byte adds to the second word, in terms of what it adds to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Nothing.
    Nothing,
    /// The same, and that turned left by a number of bytes; either may be left out.
    Made {
        /// The same.
        same: bool,
        /// Bytes, 0 for not at all.
        turn: usize,
    },
    /// A look-up of its own.
    Own,
}

/// How one word's entries follow from another's; either list has an entry for every value looked at.
pub fn relation(base: &[u64], wanted: &[u64], bytes: usize) -> Relation {
    if wanted.iter().all(|&n| n == 0) {
        return Relation::Nothing;
    }
    let turned = |n: u64, turn: usize| match turn {
        0 => 0,
        _ => shift(Shift::Rotl, n, 8 * turn as u64, 8 * bytes as u8),
    };
    let fits = |same: bool, turn: usize| {
        let made = |n: u64| turned(n, turn) ^ if same { n } else { 0 };
        base.iter().zip(wanted).all(|(&b, &w)| made(b) == w)
    };
    let kinds = std::iter::once((true, 0)).chain((1..bytes).flat_map(|turn| [(false, turn), (true, turn)]));
    let found = kinds.into_iter().find(|&(same, turn)| fits(same, turn));
    found.map_or(Relation::Own, |(same, turn)| Relation::Made { same, turn })
}

/// The turns that relations use, ascending.
pub fn turns(relations: &[Relation]) -> Vec<usize> {
    let mut list: Vec<usize> = relations
        .iter()
        .filter_map(|r| match r {
            Relation::Made { turn, .. } if *turn > 0 => Some(*turn),
            _ => None,
        })
        .collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Look-ups, rotations and exclusive ors for the second word.
pub fn cost(relations: &[Relation]) -> usize {
    let mut kinds: Vec<Relation> = relations.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let own = relations.iter().filter(|r| **r == Relation::Own).count();
    let has_same = |r: &&Relation| matches!(r, Relation::Made { same: true, .. });
    let same = if kinds.iter().all(|r| has_same(&r)) { 1 } else { kinds.iter().filter(has_same).count() };
    let (mut operations, mut terms) = (own, own + same);
    for wanted in turns(relations) {
        let sums = kinds.iter().filter(|r| matches!(r, Relation::Made { turn, .. } if *turn == wanted)).count();
        operations += sums;
        terms += 1;
    }
    operations + terms.saturating_sub(1)
}

/// Look-ups, rotations and exclusive ors for all words of a product, each given by what one bit of every column adds to it.
pub fn operations(words: &[Vec<u64>], bytes: usize) -> u64 {
    let plain = |word: &Vec<u64>| (2 * word.iter().filter(|&&n| n != 0).count() as u64).saturating_sub(1);
    let all: u64 = words.iter().map(plain).sum();
    let [first, second] = words else { return all };
    let derived = |base: &Vec<u64>, wanted: &Vec<u64>| {
        let relations: Vec<Relation> = base.iter().zip(wanted).map(|(&b, &w)| relation(&[b], &[w], bytes)).collect();
        plain(base) + cost(&relations) as u64
    };
    all.min(derived(first, second)).min(derived(second, first))
}

impl Emitter<'_> {
    /// Both words of a product of two, the second made from the first one's look-ups, if that takes fewer operations; the word of a group.
    pub(super) fn derived_product(&mut self, group: usize, op: &Op) -> Option<Operand> {
        let OpKind::Linear(matrix, inputs) = &op.kind else { return None };
        let words: Vec<usize> = (0..op.results.len())
            .filter_map(|n| self.groups.home.get(&op.results[n]).filter(|(_, lane)| *lane == 0).map(|(g, _)| *g))
            .collect();
        let bytes = self.groups.list[group].len();
        let [first, second] = words[..] else { return None };
        if !self.derive || self.groups.list[first].len() != self.groups.list[second].len() {
            return None;
        }
        let sources = self.sources(inputs);
        let mut products = [first, second].map(|group| {
            let rows: Vec<usize> = self.groups.list[group].iter().map(|&v| self.facts.def(v).result).collect();
            let of = |s: &(Operand, Columns)| self.tables.product(*matrix, &s.1, &rows);
            sources.iter().map(of).collect::<Vec<Product>>()
        });
        let mut groups = [first, second];
        let mut relations = self.relations(&products[0], &products[1], bytes);
        let other = self.relations(&products[1], &products[0], bytes);
        if cost(&other) < cost(&relations) {
            relations = other;
            groups.reverse();
            products.reverse();
        }
        let data = &self.tables.new_data;
        let plain = 2 * products[1].iter().filter(|p| !p.is_zero(data)).count();
        if cost(&relations) + 1 >= plain {
            return None;
        }
        let inputs: Vec<Operand> = sources.into_iter().map(|s| s.0).collect();
        let made = self.both(&inputs, &products, &relations, bytes);
        groups.into_iter().zip(made).for_each(|(group, word)| self.set_group(group, word));
        Some(if groups[0] == group { made[0] } else { made[1] })
    }

    fn relations(&self, base: &[Product], wanted: &[Product], bytes: usize) -> Vec<Relation> {
        let data = &self.tables.new_data;
        base.iter().zip(wanted).map(|(b, w)| relation(b.data(data), w.data(data), bytes)).collect()
    }

    /// The two words.
    fn both(
        &mut self,
        inputs: &[Operand],
        products: &[Vec<Product>; 2],
        relations: &[Relation],
        bytes: usize,
    ) -> [Operand; 2] {
        let mut sums: BTreeMap<Relation, Operand> = BTreeMap::new();
        let mut second = Operand::Const(0);
        for (n, &input) in inputs.iter().enumerate() {
            let term = self.product_word(products[0][n], input, bytes);
            let sum = sums.get(&relations[n]).copied().unwrap_or(Operand::Const(0));
            let sum = self.xor(sum, term, bytes);
            sums.insert(relations[n], sum);
            if relations[n] == Relation::Own {
                let own = self.product_word(products[1][n], input, bytes);
                second = self.xor(second, own, bytes);
            }
        }
        let first = self.sum_of(&sums, bytes, |_| true);
        let same = |r: &Relation| matches!(r, Relation::Made { same: true, .. });
        let copied = if sums.keys().all(same) { first } else { self.sum_of(&sums, bytes, same) };
        for wanted in turns(relations) {
            let part = self.sum_of(&sums, bytes, |r| matches!(r, Relation::Made { turn, .. } if *turn == wanted));
            let part = self.turned(part, wanted, bytes);
            second = self.xor(second, part, bytes);
        }
        [first, self.xor(second, copied, bytes)]
    }

    fn sum_of(
        &mut self,
        sums: &BTreeMap<Relation, Operand>,
        bytes: usize,
        wanted: impl Fn(&Relation) -> bool,
    ) -> Operand {
        let terms: Vec<Operand> = sums.iter().filter(|(r, _)| wanted(r)).map(|(_, &sum)| sum).collect();
        terms.into_iter().fold(Operand::Const(0), |sum, term| self.xor(sum, term, bytes))
    }
}
