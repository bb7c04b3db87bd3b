//! Words of the block that later steps need: the pins hold a block in its first step alone, so these words are kept in the state.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Operand, Type};

use super::execute::RawSequence;
use super::{Place, Role, Word};

/// Keeps what steps behind the first, and the results, take from the last parameter as it came.
pub(super) fn hold(raw: &mut RawSequence) {
    if raw.steps.is_empty() {
        return;
    }
    let number = |role| if let Role::Parameter(n) = role { Some(n) } else { None };
    let Some(last) = raw.arrays.iter().filter_map(|array| number(array.role)).max() else { return };
    let arrays = &raw.arrays;
    let of_block = |place: &Place| match place {
        Place::Element(array, _) => number(arrays[*array as usize].role) == Some(last),
        Place::Word(_) => false,
    };
    let mut held: BTreeMap<Place, Place> = BTreeMap::new();
    let mut replace = |place: &mut Place, written: &BTreeSet<Place>| {
        if of_block(place) && !written.contains(place) {
            let next = Place::Word((raw.words.len() + held.len()) as u32);
            *place = *held.entry(*place).or_insert(next);
        }
    };
    let mut written = BTreeSet::new();
    for (n, step) in raw.steps.iter_mut().enumerate() {
        if n > 0 {
            step.reads.iter_mut().for_each(|(place, _)| replace(place, &written));
        }
        written.extend(step.writes.iter().map(|(place, _)| *place));
    }
    raw.results.iter_mut().flatten().for_each(|place| replace(place, &written));
    let mut words: Vec<(Place, Place)> = held.into_iter().collect();
    words.sort_by_key(|(_, word)| *word);
    for (from, to) in words {
        keep(raw, from, to);
    }
}

/// The first step copies a word of the block into the next word of the state.
fn keep(raw: &mut RawSequence, from: Place, to: Place) {
    let Place::Element(array, element) = from else { return };
    let first = &mut raw.steps[0];
    let array = &raw.arrays[array as usize];
    let word = Word { name: format!("{}{element}", array.name), width: array.width };
    let read = first.reads.iter().find(|(place, _)| *place == from).map(|(_, value)| *value);
    let value = read.unwrap_or_else(|| {
        let value = first.value(&word.name, Type::Word(word.width));
        first.reads.push((from, value));
        value
    });
    first.write(to, Operand::Value(value));
    raw.words.push(word);
}
