//! Words of the block that later steps need: the pins hold a block in its first step alone, so these words are kept in the state.

use std::collections::BTreeMap;

use program::ir::{Operand, Type};

use super::execute::RawSequence;
use super::{Place, Role, Word};

/// Keeps what steps behind the first, and the results, take from the last parameter.
pub(super) fn hold(raw: &mut RawSequence) {
    let number = |role| if let Role::Parameter(n) = role { Some(n) } else { None };
    let Some(last) = raw.arrays.iter().filter_map(|array| number(array.role)).max() else { return };
    let of_block = |place: &Place| match place {
        Place::Element(array, _) => number(raw.arrays[*array as usize].role) == Some(last),
        Place::Word(_) => false,
    };
    let later = raw.steps.iter().skip(1).flat_map(|step| step.reads.iter().map(|(place, _)| *place));
    let mut held: BTreeMap<Place, Place> = BTreeMap::new();
    for place in later.chain(raw.results.iter().flatten().copied()).filter(of_block) {
        held.entry(place).or_insert(Place::Word(0));
    }
    for (from, to) in &mut held {
        let Place::Element(array, element) = *from else { continue };
        let array = &raw.arrays[array as usize];
        let word = Word { name: format!("{}{element}", array.name), width: array.width };
        *to = Place::Word(raw.words.len() as u32);
        let Some(first) = raw.steps.first_mut() else { return };
        let read = first.reads.iter().find(|(place, _)| place == from).map(|(_, value)| *value);
        let value = read.unwrap_or_else(|| {
            let value = first.value(&word.name, Type::Word(word.width));
            first.reads.push((*from, value));
            value
        });
        first.write(*to, Operand::Value(value));
        raw.words.push(word);
    }
    let replaced = |place: &mut Place| {
        if let Some(word) = held.get(place) {
            *place = *word;
        }
    };
    raw.steps.iter_mut().skip(1).flat_map(|step| &mut step.reads).for_each(|(place, _)| replaced(place));
    raw.results.iter_mut().flatten().for_each(replaced);
}
