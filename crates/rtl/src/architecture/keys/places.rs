//! Where the live words of a key schedule stand from clock to clock.

use std::collections::{BTreeMap, BTreeSet};

/// The live words of a way of running, clock by clock; one list more than it has clocks.
pub(in super::super) struct Lives {
    pub clocks: Vec<BTreeSet<usize>>,
    /// The recurrence runs backwards: its newest words are those with the smallest numbers.
    pub backwards: bool,
}

/// Registers, and per way of running and clock the register of each live word.
#[derive(Clone, Debug)]
pub(in super::super) struct Places {
    /// Widths of the registers.
    pub widths: Vec<u8>,
    pub at: Vec<Vec<BTreeMap<usize, usize>>>,
}

/// Words move along: the register of a word is its rank, counted from the newest.
pub(in super::super) fn shifted(lives: &[Lives], width: &dyn Fn(usize) -> u8) -> Places {
    ranked(lives, width, Order::default())
}

/// How words stand that move along.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Order {
    /// Where there are fewer words than registers, the first registers stand empty in forward runs.
    gaps_forward: bool,
    /// The same in backward runs.
    gaps_backwards: bool,
    /// Backward runs have the other order: in both the words go the same way, and new ones come to the same registers.
    mirrored: bool,
}

impl Default for Order {
    fn default() -> Self {
        Order { gaps_forward: true, gaps_backwards: false, mirrored: false }
    }
}

impl Order {
    /// All orders, the usual one first.
    pub fn all() -> Vec<Order> {
        let gaps = [(true, false), (false, false), (true, true), (false, true)];
        let of = |mirrored| gaps.map(|(f, b)| Order { gaps_forward: f, gaps_backwards: b, mirrored });
        [of(false), of(true)].concat()
    }
}

/// Words move along: the register of a word is its rank.
pub(in super::super) fn ranked(lives: &[Lives], width: &dyn Fn(usize) -> u8, order: Order) -> Places {
    let (first, widths) = banks(lives, width);
    let place = |live: &BTreeSet<usize>, backwards: bool| {
        let mut map = BTreeMap::new();
        for (&bits, &(from, count)) in &first {
            let mut of_width: Vec<usize> = live.iter().copied().filter(|&v| width(v) == bits).collect();
            if backwards && order.mirrored {
                of_width.reverse();
            }
            let gaps = if backwards { order.gaps_backwards } else { order.gaps_forward };
            let gap = if gaps { count - of_width.len() } else { 0 };
            map.extend(of_width.iter().enumerate().map(|(n, &v)| (v, from + gap + n)));
        }
        map
    };
    let at = lives.iter().map(|one| one.clocks.iter().map(|live| place(live, one.backwards)).collect()).collect();
    Places { widths, at }
}

/// Words stay where they are; a new word takes a register that is free.
pub(in super::super) fn staying(lives: &[Lives], width: &dyn Fn(usize) -> u8) -> Places {
    let (first, widths) = banks(lives, width);
    let mut at = Vec::new();
    for one in lives {
        let mut maps: Vec<BTreeMap<usize, usize>> = Vec::new();
        for live in &one.clocks {
            let before = maps.last().cloned().unwrap_or_default();
            let mut map: BTreeMap<usize, usize> = before.into_iter().filter(|(v, _)| live.contains(v)).collect();
            for &value in live {
                let (from, count) = first[&width(value)];
                let taken: BTreeSet<usize> = map.values().copied().collect();
                if let (false, Some(free)) =
                    (map.contains_key(&value), (from..from + count).find(|r| !taken.contains(r)))
                {
                    map.insert(value, free);
                }
            }
            maps.push(map);
        }
        at.push(maps);
    }
    Places { widths, at }
}

type Banks = BTreeMap<u8, (usize, usize)>;

/// Per width, the first register and how many there are.
fn banks(lives: &[Lives], width: &dyn Fn(usize) -> u8) -> (Banks, Vec<u8>) {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    for live in lives.iter().flat_map(|one| &one.clocks) {
        let mut here: BTreeMap<u8, usize> = BTreeMap::new();
        live.iter().for_each(|&v| *here.entry(width(v)).or_default() += 1);
        for (bits, count) in here {
            let most = counts.entry(bits).or_default();
            *most = count.max(*most);
        }
    }
    let (mut first, mut widths) = (Banks::new(), Vec::new());
    for (bits, count) in counts {
        first.insert(bits, (widths.len(), count));
        widths.extend(vec![bits; count]);
    }
    (first, widths)
}
