//! Which slot gives a round key: slots ask for as few different words as can be, so that their multiplexers are small.

use std::collections::{BTreeMap, BTreeSet};

use crate::sequence::Sequence;

/// A read of a round key: way of running, step, number of the read.
pub(super) type Read = (usize, usize, usize);

/// Result and element of the key schedule.
type Word = (u32, u32);

/// The words that a slot gives.
struct SlotWords {
    width: u8,
    words: BTreeSet<Word>,
}

/// The steps of one body in a way of running, and what each of its reads asks for.
struct Group {
    steps: Vec<usize>,
    mode: usize,
    reads: BTreeMap<usize, (u8, BTreeSet<Word>)>,
}

/// The slot of every read of a round key. The bodies with most steps come first; a read takes the slot that has most of its words.
pub(super) fn slots(data: &[Sequence]) -> BTreeMap<Read, usize> {
    let mut slots: Vec<SlotWords> = Vec::new();
    let mut found = BTreeMap::new();
    for group in groups(data) {
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        while taken.len() < group.reads.len() {
            let (read, slot) = best(&group, &mut slots, &taken);
            slots[slot].words.extend(&group.reads[&read].1);
            taken.insert(read, slot);
        }
        for (&read, &slot) in &taken {
            found.extend(group.steps.iter().map(|&step| ((group.mode, step, read), slot)));
        }
    }
    found
}

/// The slots in the order of the reads of each step: the first read of a width takes the first slot of that width.
pub(super) fn in_order(data: &[Sequence]) -> BTreeMap<Read, usize> {
    let mut widths: Vec<u8> = Vec::new();
    let mut found = BTreeMap::new();
    for (mode, sequence) in data.iter().enumerate() {
        for (number, step) in sequence.steps.iter().enumerate() {
            let mut taken = BTreeSet::new();
            for (read, place) in step.reads.iter().enumerate() {
                let Some((_, _, width)) = sequence.round_key(place) else { continue };
                let free = |n: &usize| widths[*n] == width && !taken.contains(n);
                let slot = (0..widths.len()).find(free).unwrap_or(widths.len());
                if slot == widths.len() {
                    widths.push(width);
                }
                taken.insert(slot);
                found.insert((mode, number, read), slot);
            }
        }
    }
    found
}

/// The read and free slot with most words in common; the first of equals. A slot is made where none is free.
fn best(group: &Group, slots: &mut Vec<SlotWords>, taken: &BTreeMap<usize, usize>) -> (usize, usize) {
    let mut best: Option<(usize, usize, usize)> = None;
    for (&read, (width, words)) in group.reads.iter().filter(|(read, _)| !taken.contains_key(read)) {
        for (n, slot) in slots.iter().enumerate() {
            let common = slot.words.intersection(words).count();
            let free = slot.width == *width && taken.values().all(|t| *t != n);
            if free && best.map_or(true, |(most, _, _)| common > most) {
                best = Some((common, read, n));
            }
        }
    }
    if let Some((_, read, slot)) = best {
        return (read, slot);
    }
    let (&read, (width, _)) =
        group.reads.iter().find(|(read, _)| !taken.contains_key(read)).expect("a read is left where this is asked");
    slots.push(SlotWords { width: *width, words: BTreeSet::new() });
    (read, slots.len() - 1)
}

fn groups(data: &[Sequence]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (mode, sequence) in data.iter().enumerate() {
        let mut of_body: BTreeMap<usize, Group> = BTreeMap::new();
        for (number, step) in sequence.steps.iter().enumerate() {
            let group =
                of_body.entry(step.body).or_insert_with(|| Group { steps: Vec::new(), mode, reads: BTreeMap::new() });
            group.steps.push(number);
            for (read, place) in step.reads.iter().enumerate() {
                if let Some((result, n, width)) = sequence.round_key(place) {
                    group.reads.entry(read).or_insert((width, BTreeSet::new())).1.insert((result, n));
                }
            }
        }
        groups.extend(of_body.into_values());
    }
    groups.sort_by_key(|group| usize::MAX - group.steps.len());
    groups
}
