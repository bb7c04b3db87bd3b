//! Orders of all lists, made from one permutation for each class of bytes that go together.
//!
//! Bytes that meet in a bitwise operation, or that are copied, ought to lie in the same lane of their words: their slots make an orbit. Orbits
//! that reach the same lists equally often make a class, and one permutation of the class orders all of its lists. Where a list holds
//! several slots of each orbit (both halves of a Feistel network), these make strands one after another.

use std::collections::BTreeMap;

use super::lists::{Lists, Sets};
use crate::passes::pack::groups::pieces;

/// Where a slot lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The word in its list; none for slots outside of words.
    pub word: Option<usize>,
    /// The byte of the word, 0 being the least significant.
    pub lane: usize,
    /// Bytes of the word.
    pub size: usize,
}

/// Slots that go together: the strands of a list, by list.
#[derive(Clone, Debug)]
pub struct Class {
    /// How many orbits it has.
    pub orbits: usize,
    /// For each list, its strands: for each orbit a slot.
    pub strands: Vec<(usize, Vec<Vec<usize>>)>,
}

/// The orders of all lists.
#[derive(Clone, Debug)]
pub struct Orders {
    /// For each list, what stands at each place: the number of a slot in the list.
    pub order: Vec<Vec<usize>>,
    /// Where each slot lies.
    pub lanes: Vec<Lane>,
    places: Vec<Vec<usize>>,
}

/// The classes of all slots, given which ought to lie in the same lane.
pub fn classes(lists: &Lists, sets: &Sets) -> Vec<Class> {
    let mut list_of = Vec::new();
    for (n, list) in lists.list.iter().enumerate() {
        list_of.extend(std::iter::repeat(n).take(list.len));
    }
    let mut orbits: BTreeMap<usize, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (slot, &list) in list_of.iter().enumerate() {
        orbits.entry(sets.find(slot)).or_default().entry(list).or_default().push(slot);
    }
    let mut found: BTreeMap<Vec<(usize, usize)>, Class> = BTreeMap::new();
    for orbit in orbits.into_values() {
        let signature: Vec<(usize, usize)> = orbit.iter().map(|(&list, slots)| (list, slots.len())).collect();
        let empty = || {
            let strands = signature.iter().map(|&(list, count)| (list, vec![Vec::new(); count])).collect();
            Class { orbits: 0, strands }
        };
        let class = found.entry(signature.clone()).or_insert_with(empty);
        class.orbits += 1;
        for ((_, strands), slots) in class.strands.iter_mut().zip(orbit.into_values()) {
            strands.iter_mut().zip(slots).for_each(|(strand, slot)| strand.push(slot));
        }
    }
    found.into_values().collect()
}

impl Orders {
    /// The orders that the program has.
    pub fn natural(lists: &Lists, most: usize) -> Orders {
        let order: Vec<Vec<usize>> = lists.list.iter().map(|l| (0..l.len).collect()).collect();
        let mut orders = Orders { places: order.clone(), lanes: vec![Lane::default(); lists.slots()], order };
        (0..lists.list.len()).for_each(|list| orders.settle(lists, list, most));
        orders
    }

    /// Orders the lists of a class by a permutation of its orbits, beside the other classes' as they are.
    pub fn permute(&mut self, lists: &Lists, class: &Class, permutation: &[usize], most: usize) {
        for (list, strands) in &class.strands {
            let first = lists.list[*list].first;
            for strand in strands {
                let mut places: Vec<usize> = strand.iter().map(|slot| self.places[*list][slot - first]).collect();
                places.sort_unstable();
                for (&place, &orbit) in places.iter().zip(permutation) {
                    self.order[*list][place] = strand[orbit] - first;
                }
            }
            self.settle(lists, *list, most);
        }
    }

    fn settle(&mut self, lists: &Lists, list: usize, most: usize) {
        for (place, &slot) in self.order[list].iter().enumerate() {
            self.places[list][slot] = place;
        }
        let first = lists.list[list].first;
        self.lanes[first..first + lists.list[list].len].fill(Lane::default());
        for (word, (start, size)) in pieces(self.order[list].len(), most).into_iter().enumerate() {
            for lane in 0..size {
                self.lanes[first + self.order[list][start + lane]] = Lane { word: Some(word), lane, size };
            }
        }
    }

    /// Where a slot of a list stands, both counted from 0 in the list.
    pub fn place_in(&self, list: usize, slot: usize) -> usize {
        self.places[list][slot]
    }

    /// Whether a list is as it was.
    pub fn is_natural(&self, list: usize) -> bool {
        self.order[list].iter().enumerate().all(|(place, &slot)| place == slot)
    }
}
