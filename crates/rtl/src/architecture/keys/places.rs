//! Where the live words of a key schedule stand from clock to clock.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::sequence::Place;

/// The live words of a way of running, clock by clock; one list more than it has clocks.
pub(in super::super) struct Lives {
    pub clocks: Vec<BTreeSet<usize>>,
    /// Those of each clock that stand in registers of their own, in this order.
    pub apart: Vec<Vec<usize>>,
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
    /// Backward runs have the other order, so many words together: in both the words go the same way, and new ones come to the
    /// same registers.
    mirrored: Option<usize>,
}

impl Default for Order {
    fn default() -> Self {
        Order { gaps_forward: true, gaps_backwards: false, mirrored: None }
    }
}

impl Order {
    /// All orders, the usual one first; mirrored ones by themselves and by groups of so many words.
    pub fn all(groups: &[usize]) -> Vec<Order> {
        let gaps = [(true, false), (false, false), (true, true), (false, true)];
        let of = |mirrored| gaps.map(|(f, b)| Order { gaps_forward: f, gaps_backwards: b, mirrored });
        let mirrored = [None, Some(1)].into_iter().chain(groups.iter().filter(|&&n| n > 1).map(|&n| Some(n)));
        mirrored.flat_map(of).collect()
    }
}

/// Words move along: the register of a word is its rank.
pub(in super::super) fn ranked(lives: &[Lives], width: &dyn Fn(usize) -> u8, order: Order) -> Places {
    let banks = Banks::of(lives, width);
    let place = |one: &Lives, clock: usize| {
        let mut map = banks.apart(one, clock, width);
        for (&bits, &(from, count)) in &banks.first {
            let mut of_width: Vec<usize> = one.together(clock).filter(|&v| width(v) == bits).collect();
            if let (true, Some(group)) = (one.backwards, order.mirrored) {
                of_width = of_width.rchunks(group).flatten().copied().collect();
            }
            let gaps = if one.backwards { order.gaps_backwards } else { order.gaps_forward };
            let gap = if gaps { count - of_width.len() } else { 0 };
            map.extend(of_width.iter().enumerate().map(|(n, &v)| (v, from + gap + n)));
        }
        map
    };
    let at = lives.iter().map(|one| (0..one.clocks.len()).map(|clock| place(one, clock)).collect()).collect();
    Places { widths: banks.widths, at }
}

/// Words stay where they are; a new word takes a register that is free.
pub(in super::super) fn staying(lives: &[Lives], width: &dyn Fn(usize) -> u8) -> Places {
    let banks = Banks::of(lives, width);
    let mut at = Vec::new();
    for one in lives {
        let mut maps: Vec<BTreeMap<usize, usize>> = Vec::new();
        for (clock, live) in one.clocks.iter().enumerate() {
            let before = maps.last().cloned().unwrap_or_default();
            let mut map: BTreeMap<usize, usize> = before.into_iter().filter(|(v, _)| live.contains(v)).collect();
            map.extend(banks.apart(one, clock, width));
            for value in one.together(clock) {
                let (from, count) = banks.first[&width(value)];
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
    Places { widths: banks.widths, at }
}

/// Every word stands at the place that its step writes it to, so that a step takes its words from the same registers in every clock;
/// where a word stands there already, in a register beside.
pub(in super::super) fn at_home(
    lives: &[Lives],
    width: &dyn Fn(usize) -> u8,
    home: &dyn Fn(usize) -> Option<Place>,
) -> Places {
    let mut widths: Vec<u8> = Vec::new();
    let mut homes: HashMap<(Place, u8), usize> = HashMap::new();
    let mut beside: Vec<usize> = Vec::new();
    let mut place = |live: &BTreeSet<usize>| {
        let mut map: BTreeMap<usize, usize> = BTreeMap::new();
        let mut left = Vec::new();
        for &value in live {
            let Some(place) = home(value) else {
                left.push(value);
                continue;
            };
            let register = *homes.entry((place, width(value))).or_insert_with(|| {
                widths.push(width(value));
                widths.len() - 1
            });
            if map.values().any(|&taken| taken == register) {
                left.push(value);
            } else {
                map.insert(value, register);
            }
        }
        for value in left {
            let free = |r: &usize| widths[*r] == width(value) && map.values().all(|taken| taken != r);
            let register = beside.iter().copied().find(free).unwrap_or_else(|| {
                beside.push(widths.len());
                widths.push(width(value));
                widths.len() - 1
            });
            map.insert(value, register);
        }
        map
    };
    let at = lives.iter().map(|one| one.clocks.iter().map(&mut place).collect()).collect();
    Places { widths, at }
}

impl Lives {
    /// The words of a clock that stand in no registers of their own.
    fn together(&self, clock: usize) -> impl Iterator<Item = usize> + '_ {
        self.clocks[clock].iter().copied().filter(move |v| !self.apart[clock].contains(v))
    }
}

/// Registers by the width of their words.
struct Banks {
    /// Per width, the first register and how many there are.
    first: BTreeMap<u8, (usize, usize)>,
    /// Those of words that stand apart.
    apart: BTreeMap<u8, (usize, usize)>,
    widths: Vec<u8>,
}

impl Banks {
    fn of(lives: &[Lives], width: &dyn Fn(usize) -> u8) -> Self {
        let (mut counts, mut counts_apart) = (BTreeMap::new(), BTreeMap::new());
        for one in lives {
            for (clock, apart) in one.apart.iter().enumerate() {
                most(&mut counts, one.together(clock).map(width));
                most(&mut counts_apart, apart.iter().copied().map(width));
            }
        }
        let mut widths = Vec::new();
        let mut placed = |counts: BTreeMap<u8, usize>| {
            let mut place = |(bits, count): (u8, usize)| {
                widths.extend(vec![bits; count]);
                (bits, (widths.len() - count, count))
            };
            counts.into_iter().map(&mut place).collect()
        };
        let (first, apart) = (placed(counts), placed(counts_apart));
        Banks { first, apart, widths }
    }

    /// The registers of the words that stand apart in a clock.
    fn apart(&self, one: &Lives, clock: usize, width: &dyn Fn(usize) -> u8) -> BTreeMap<usize, usize> {
        let mut used: BTreeMap<u8, usize> = BTreeMap::new();
        let mut place = |&value: &usize| {
            let count = used.entry(width(value)).or_default();
            *count += 1;
            (value, self.apart[&width(value)].0 + *count - 1)
        };
        one.apart[clock].iter().map(&mut place).collect()
    }
}

/// Raises the counts of widths to those of a list.
fn most(counts: &mut BTreeMap<u8, usize>, list: impl Iterator<Item = u8>) {
    let mut here: BTreeMap<u8, usize> = BTreeMap::new();
    list.for_each(|bits| *here.entry(bits).or_default() += 1);
    for (bits, count) in here {
        let known = counts.entry(bits).or_default();
        *known = count.max(*known);
    }
}
