//! Groups of operations into bundles of three slots, as few as possible: dynamic programming over what is left open of the
//! last bundle, since two templates have a stop inside.

use std::fmt;

/// A kind of slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Slot {
    M,
    I,
    F,
    B,
    /// The two slots of a long immediate.
    L,
}

impl Slot {
    pub const ALL: [Slot; 5] = [Slot::M, Slot::I, Slot::F, Slot::B, Slot::L];

    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["m", "i", "f", "b", "lx"][*self as usize])
    }
}

/// What an operation asks of its slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wish {
    /// Kinds of slots that take it, as bits.
    pub slots: u8,
    /// Which I slot of the group it may stand in (the first goes to port I0, the second to I1), as bits.
    pub integer: u64,
    /// Operations of its group that must stand before it.
    pub behind: Vec<usize>,
}

/// What a processor can issue in one cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Bundles that a group may touch.
    pub bundles: usize,
    /// Slots of each kind, in the order of [`Slot::ALL`]; `nop`s take them, too.
    pub slots: [usize; 4],
}

/// Templates without a stop inside.
const FULL: [&[Slot]; 10] = [
    &[Slot::M, Slot::M, Slot::I],
    &[Slot::M, Slot::I, Slot::I],
    &[Slot::M, Slot::L],
    &[Slot::M, Slot::F, Slot::I],
    &[Slot::M, Slot::M, Slot::F],
    &[Slot::M, Slot::I, Slot::B],
    &[Slot::M, Slot::M, Slot::B],
    &[Slot::M, Slot::F, Slot::B],
    &[Slot::M, Slot::B, Slot::B],
    &[Slot::B, Slot::B, Slot::B],
];

/// What is left of the last bundle: nothing, `M;` was used of `M;MI`, `MI;` of `MI;I`.
const OPEN: [&[Slot]; 3] = [&[], &[Slot::M, Slot::I], &[Slot::I]];
/// The slots used before the stop inside.
const HEAD: [&[Slot]; 3] = [&[], &[Slot::M], &[Slot::M, Slot::I]];

/// A slot in the text: its kind, and the operation (group, number), `None`: does nothing.
pub(super) type BundleSlot = (Slot, Option<(usize, usize)>);

/// A bundle.
#[derive(Clone, Debug, Default)]
pub(super) struct Bundle {
    /// Its slots; a long immediate counts as one.
    pub slots: Vec<BundleSlot>,
    /// Numbers of the slots behind which the group ends.
    pub stops: Vec<usize>,
}

/// How a group lies: the slots that it fills, in order, and the bundles that it begins.
#[derive(Clone, Debug)]
struct Layout {
    slots: Vec<Slot>,
    bundles: usize,
}

#[derive(Clone)]
struct Step {
    cost: usize,
    from: usize,
    slots: Vec<Slot>,
    filled: Vec<Option<usize>>,
}

/// Puts groups into as few bundles as possible; each group is closed by a stop.
///
/// # Errors
/// The number of the group that fits no window.
pub(super) fn pack(groups: &[Vec<Wish>], window: &Window) -> Result<Vec<Bundle>, usize> {
    let mut best: Vec<[Option<Step>; 3]> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let mut row: [Option<Step>; 3] = [None, None, None];
        let first = [Some(0), None, None];
        let costs = best.last().map_or(first, |r| [0, 1, 2].map(|k| r[k].as_ref().map(|s| s.cost)));
        // Slots that nothing in the group asks for are looked at only where no other bundles end with it.
        for every in [false, true] {
            for (from, before) in costs.into_iter().enumerate() {
                let Some(before) = before.filter(|_| row[0].is_none() || !every) else { continue };
                extend(&mut row, group, window, (from, before), number + 1 == groups.len(), every);
            }
        }
        if row.iter().all(Option::is_none) {
            return Err(number);
        }
        best.push(row);
    }
    Ok(write(&best))
}

/// Tries every layout of a group from one state.
fn extend(
    row: &mut [Option<Step>; 3],
    group: &[Wish],
    window: &Window,
    (from, before): (usize, usize),
    last: bool,
    every: bool,
) {
    for (open, best) in row.iter_mut().enumerate() {
        if last && open > 0 {
            continue;
        }
        for layout in layouts(group, window, from, open, every) {
            let cost = before + layout.bundles;
            if best.as_ref().is_some_and(|s| s.cost <= cost) {
                break;
            }
            if let Some(filled) = fill(group, &layout.slots) {
                *best = Some(Step { cost, from, slots: layout.slots, filled });
                break;
            }
        }
    }
}

/// The layouts that a group can take, those of fewest bundles first.
fn layouts(group: &[Wish], window: &Window, from: usize, open: usize, every: bool) -> Vec<Layout> {
    let wanted = group.iter().fold(0, |all, w| all | w.slots);
    let fixed = group.iter().fold(0, |all, w| all | if w.slots.count_ones() == 1 { w.slots } else { 0 });
    let useful =
        |t: &&[Slot]| every || t.iter().all(|s| matches!(s, Slot::M | Slot::I) || wanted & fixed & s.bit() != 0);
    let templates: Vec<&[Slot]> = FULL.iter().copied().filter(|t| useful(t)).collect();
    let touched = usize::from(from > 0) + usize::from(open > 0);
    let mut found = Vec::new();
    for full in 0..=window.bundles.saturating_sub(touched).min(group.len()) {
        // A bundle with a stop inside holds one group before it and one behind it: a group of its own needs a slot of each.
        if from == 0 && open == 0 && full == 0 {
            continue;
        }
        let mut slots = OPEN[from].to_vec();
        choose(&templates, full, &mut slots, &mut |middle| {
            let mut all = middle.to_vec();
            all.extend(HEAD[open]);
            let long: usize = all.iter().filter(|s| **s == Slot::L).count();
            let room = |k: usize| {
                all.iter().filter(|s| **s == Slot::ALL[k]).count() + if k == 1 { long } else { 0 } <= window.slots[k]
            };
            if all.len() >= group.len() && (0..4).all(room) {
                found.push(Layout { slots: all, bundles: full + usize::from(open > 0) });
            }
        });
    }
    found
}

/// Every sequence of so many templates; of wide groups only those that keep equal templates together.
fn choose(templates: &[&[Slot]], left: usize, slots: &mut Vec<Slot>, visit: &mut dyn FnMut(&[Slot])) {
    if left == 0 {
        visit(slots);
        return;
    }
    for (k, template) in templates.iter().enumerate() {
        let length = slots.len();
        slots.extend(*template);
        let rest = if left > 3 { &templates[k..] } else { templates };
        choose(rest, left - 1, slots, visit);
        slots.truncate(length);
    }
}

/// Assigns the operations of a group to slots: of each slot the operation, `None`: nothing; `None` if they do not fit.
fn fill(group: &[Wish], slots: &[Slot]) -> Option<Vec<Option<usize>>> {
    let mut filled = Vec::new();
    let mut budget = 20_000;
    place(group, slots, &mut filled, &mut vec![false; group.len()], 0, &mut budget).then_some(filled)
}

fn place(
    group: &[Wish],
    slots: &[Slot],
    filled: &mut Vec<Option<usize>>,
    done: &mut Vec<bool>,
    integers: usize,
    budget: &mut u32,
) -> bool {
    let left = done.iter().filter(|d| !**d).count();
    let at = filled.len();
    if at == slots.len() {
        return left == 0;
    }
    if slots.len() - at < left || *budget == 0 {
        return false;
    }
    *budget -= 1;
    let slot = slots[at];
    let next = integers + usize::from(matches!(slot, Slot::I | Slot::L));
    let mut tried: Vec<&Wish> = Vec::new();
    let mut order: Vec<usize> = (0..group.len()).filter(|&k| !done[k]).collect();
    order.sort_by_key(|&k| (group[k].slots.count_ones(), group[k].integer.count_ones(), k));
    for k in order {
        let wish = &group[k];
        let port = !matches!(slot, Slot::I) || wish.integer >> integers.min(63) & 1 == 1;
        if wish.slots & slot.bit() == 0 || !port || wish.behind.iter().any(|&b| !done[b]) || tried.contains(&wish) {
            continue;
        }
        tried.push(wish);
        done[k] = true;
        filled.push(Some(k));
        if place(group, slots, filled, done, next, budget) {
            return true;
        }
        filled.pop();
        done[k] = false;
    }
    if slot == Slot::L {
        return false;
    }
    filled.push(None);
    if place(group, slots, filled, done, next, budget) {
        return true;
    }
    filled.pop();
    false
}

/// Follows the best steps back and writes the bundles.
fn write(best: &[[Option<Step>; 3]]) -> Vec<Bundle> {
    let mut chain: Vec<&Step> = Vec::new();
    let mut state = 0;
    for row in best.iter().rev() {
        let step = row[state].as_ref().expect("the chain of best steps is whole");
        chain.push(step);
        state = step.from;
    }
    let mut bundles: Vec<Bundle> = Vec::new();
    for (number, step) in chain.iter().rev().enumerate() {
        for (slot, op) in step.slots.iter().zip(&step.filled) {
            if bundles.last().map_or(true, Bundle::is_full) {
                bundles.push(Bundle::default());
            }
            let bundle = bundles.last_mut().expect("just added");
            bundle.slots.push((*slot, op.map(|k| (number, k))));
        }
        let bundle = bundles.last_mut().expect("a group fills a slot");
        let end = bundle.slots.len() - 1;
        bundle.stops.push(end);
    }
    bundles
}

impl Bundle {
    fn is_full(&self) -> bool {
        self.slots.iter().map(|(s, _)| if *s == Slot::L { 2 } else { 1 }).sum::<usize>() == 3
    }

    /// `.mmi`
    pub fn template(&self) -> String {
        self.slots.iter().map(|(s, _)| s.to_string()).collect()
    }
}
