//! The index of a look-up as an exclusive or of fields, whose bits may be in another order than the index has them.

use super::form::Form;
use crate::ir::ValueId;

/// Fields of as many words, added up; bit `k` of the sum is bit `order[k]` of the index, before `constant` is added. Where `order[k]` is
/// [`NO_BIT`] the index does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Index {
    /// Words, their widths, and where the field begins; it may go round.
    pub fields: Vec<(ValueId, u8, u8)>,
    pub order: Vec<u8>,
    pub constant: u64,
}

/// Stands in the order for a bit that is none of the index.
pub(super) const NO_BIT: u8 = u8::MAX;
/// More words than this are not worth a field of each.
const MOST_WORDS: usize = 2;

impl Index {
    /// A field as it is.
    pub fn field(word: ValueId, width: u8, start: u8, bits: u8) -> Index {
        Index { fields: vec![(word, width, start)], order: (0..bits).collect(), constant: 0 }
    }

    /// The fields that an index of so many bits is a sum of; `None` if it is none of fields.
    pub fn of(form: &Form, bits: u8) -> Option<Index> {
        let (first, columns) = form.parts.iter().next()?;
        if form.parts.len() > MOST_WORDS {
            return None;
        }
        let sources = sources(columns, bits)?;
        let order = order(&sources, columns.len() as u8)?;
        let mut fields = vec![(*first, columns.len() as u8, sources[usize::from(order[0])])];
        for (word, columns) in form.parts.iter().skip(1) {
            let width = columns.len() as u8;
            let sources = self::sources(columns, bits)?;
            let start = sources[usize::from(order[0])];
            let follows = |(k, &bit): (usize, &u8)| sources[usize::from(bit)] == (start + k as u8) % width;
            if !order.iter().enumerate().all(follows) {
                return None;
            }
            fields.push((*word, width, start));
        }
        Some(Index { fields, order, constant: form.constant })
    }

    /// The whole of a word of so many bits, of which the index takes these in this order.
    pub fn of_bits(word: ValueId, width: u8, bits: &[u8]) -> Index {
        let mut order = vec![NO_BIT; width.into()];
        for (bit, &source) in bits.iter().enumerate() {
            order[usize::from(source)] = bit as u8;
        }
        Index { fields: vec![(word, width, 0)], order, constant: 0 }
    }

    /// Whether the index is of bits that stand anywhere in its word.
    pub fn is_of_bits(&self) -> bool {
        self.order.contains(&NO_BIT)
    }

    /// The index that a sum of the fields stands for.
    pub fn value(&self, sum: u64) -> u64 {
        let own = self.order.iter().enumerate().filter(|(_, &bit)| bit != NO_BIT);
        own.fold(self.constant, |index, (k, &bit)| index ^ (sum >> k & 1) << bit)
    }

    pub fn bits(&self) -> u8 {
        self.order.len() as u8
    }

    /// Whether the fields of another index begin where those of this one end.
    pub fn is_before(&self, other: &Index) -> bool {
        self.fields.len() == other.fields.len()
            && self.fields.iter().zip(&other.fields).all(|(&(a, width, start), &(b, _, next))| {
                a == b && start + self.bits() == next && next + other.bits() <= width
            })
    }
}

/// For each bit of an index the one bit of a word that it takes.
fn sources(columns: &[u64], bits: u8) -> Option<Vec<u8>> {
    let mut found = vec![None; bits.into()];
    for (source, &column) in columns.iter().enumerate().filter(|(_, &column)| column != 0) {
        let place = found.get_mut(column.trailing_zeros() as usize)?;
        if column.count_ones() != 1 || place.is_some() {
            return None;
        }
        *place = Some(source as u8);
    }
    found.into_iter().collect()
}

/// The bits of an index in the order in which they stand in a word of `width` bits, where they are neighbours.
fn order(sources: &[u8], width: u8) -> Option<Vec<u8>> {
    let mut order: Vec<u8> = (0..sources.len() as u8).collect();
    order.sort_by_key(|&bit| sources[usize::from(bit)]);
    let source = |bit: u8| sources[usize::from(bit)];
    let gap = order.windows(2).position(|pair| source(pair[0]) + 1 != source(pair[1]));
    order.rotate_left(gap.map_or(0, |n| n + 1));
    let neighbours = |pair: &[u8]| (source(pair[0]) + 1) % width == source(pair[1]);
    order.windows(2).all(neighbours).then_some(order)
}
