//! The search for orders.
//!
//! Classes are taken in turns, each with the others as they are, until none gets better. A class of few orbits that the directions use is
//! exhausted: every permutation that a change of the order of whole words does not make from another. Of other classes every exchange of two
//! orbits, and every two exchanges, are tried again and again, from the order that there is and from that with the bytes of each
//! word turned round.

use super::cost::Counter;
use super::lists::{Lists, Sets};
use super::orders::{classes, Class, Orders};
use super::sites::{Need, Site, Term, Terms};

/// Most permutations, times sites of directions that they may change, that are all tried.
const MOST_WORK: usize = 4_000_000;

/// Most orbits of a class of which two exchanges at once are tried.
const MOST_FOR_TWO: usize = 12;

/// What orders cost: first what is executed for every block, then for every key.
pub type Cost = (u64, u64);

/// What a search works on.
pub struct Search<'a> {
    /// The lists.
    pub lists: &'a Lists,
    /// The sites, by function and block.
    pub sites: &'a [Site],
    /// For each function, whether it runs for every block.
    pub for_blocks: &'a [bool],
    /// Counts.
    pub counter: Counter<'a>,
}

/// What was found for a class.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Orders.
    pub orders: Orders,
    /// Their cost, and that of the orders before.
    pub cost: Cost,
    /// See `cost`.
    pub before: Cost,
    /// How many classes were exhausted, given the others, and how many the directions use.
    pub exhausted: (usize, usize),
}

/// What is known of a class once it was searched.
#[derive(Clone, Copy, Debug)]
struct ClassResult {
    /// The cost of all orders, as long as which no other permutation of the class is better.
    cost: Cost,
    /// Whether every permutation was tried.
    all: bool,
    /// Whether the directions use it.
    of_blocks: bool,
}

impl Search<'_> {
    /// The best orders found.
    pub fn run(&self, sets: &Sets) -> Outcome {
        let natural = Orders::natural(self.lists, self.counter.most);
        let before = self.cost(&natural, self.sites.iter());
        let mut outcome = Outcome { orders: natural, cost: before, before, exhausted: (0, 0) };
        let classes = classes(self.lists, sets);
        let mut settled: Vec<Option<ClassResult>> = vec![None; classes.len()];
        // Ends: each iteration but the last lowers the cost, a natural number.
        loop {
            let start = outcome.cost;
            for (class, settled) in classes.iter().zip(&mut settled).filter(|(class, _)| class.orbits > 1) {
                // With the other classes as they were, the result would be as it was.
                if settled.map_or(true, |s| s.cost != outcome.cost) {
                    *settled = Some(self.class(class, &mut outcome));
                }
            }
            if outcome.cost == start {
                let of_blocks = settled.iter().flatten().filter(|s| s.of_blocks);
                outcome.exhausted = (settled.iter().flatten().filter(|s| s.all).count(), of_blocks.count());
                return outcome;
            }
        }
    }

    fn cost<'s>(&self, orders: &Orders, sites: impl Iterator<Item = &'s Site> + Clone) -> Cost {
        let of = |blocks: bool| {
            let wanted = sites.clone().filter(move |s| self.for_blocks[s.function] == blocks);
            self.counter.executed(wanted, orders, u64::MAX)
        };
        (of(true), of(false))
    }

    fn class(&self, class: &Class, outcome: &mut Outcome) -> ClassResult {
        let touched = self.touched(class);
        let of_blocks: Vec<&Site> = touched.iter().copied().filter(|s| self.for_blocks[s.function]).collect();
        let of_keys: Vec<&Site> = touched.iter().copied().filter(|s| !self.for_blocks[s.function]).collect();
        let mut orders = outcome.orders.clone();
        let mut trial = |permutation: &[usize], least: Cost| {
            orders.permute(self.lists, class, permutation, self.counter.most);
            let first = self.counter.executed(of_blocks.iter().copied(), &orders, least.0);
            if first > least.0 {
                return (first, u64::MAX);
            }
            let most = if first == least.0 { least.1 } else { u64::MAX };
            (first, self.counter.executed(of_keys.iter().copied(), &orders, most))
        };
        let natural = present(class, &outcome.orders, self.lists);
        let start = trial(&natural, (u64::MAX, u64::MAX));
        let count = (1..=class.orbits).try_fold(1usize, |n, k| n.checked_mul(k)).unwrap_or(usize::MAX);
        let all = !of_blocks.is_empty() && count.saturating_mul(of_blocks.len()) <= MOST_WORK;
        let mut best = (start, natural.clone());
        if all {
            each_permutation(class.orbits, self.counter.most, &mut |permutation| {
                let cost = trial(permutation, best.0);
                if cost < best.0 {
                    best = (cost, permutation.to_vec());
                }
            });
        } else {
            let turned = natural.chunks(self.counter.most).flat_map(|word| word.iter().rev().copied()).collect();
            for from in [natural, turned] {
                let found = exchanges(from, &mut trial);
                if found.0 < best.0 {
                    best = found;
                }
            }
        }
        let mut settled = ClassResult { cost: outcome.cost, all, of_blocks: !of_blocks.is_empty() };
        if best.0 < start {
            let mut better = outcome.orders.clone();
            better.permute(self.lists, class, &best.1, self.counter.most);
            let cost = self.cost(&better, self.sites.iter());
            if cost < outcome.cost {
                (outcome.orders, outcome.cost) = (better, cost);
                if all {
                    settled.cost = cost;
                }
            }
        }
        settled
    }

    /// The sites that depend on the lists of a class.
    fn touched(&self, class: &Class) -> Vec<&Site> {
        let mut of_class = vec![false; self.lists.slots()];
        let mut filled = vec![false; self.lists.list.len()];
        for (list, strands) in &class.strands {
            filled[*list] = true;
            strands.iter().flatten().for_each(|&slot| of_class[slot] = true);
        }
        let has = |terms: &Terms| terms.iter().any(|t| matches!(t, Term::Slot(place) if of_class[place.slot]));
        let concerned = |site: &&Site| match &site.need {
            Need::Filled(list, terms) => filled[*list] || terms.iter().any(has),
            Need::Word(terms) | Need::Given(terms) => terms.iter().any(has),
            Need::Taken(terms) => has(terms),
            Need::Product(_, list) => filled[*list],
        };
        self.sites.iter().filter(concerned).collect()
    }
}

/// The permutation of a class that orders have.
fn present(class: &Class, orders: &Orders, lists: &Lists) -> Vec<usize> {
    let (list, strands) = &class.strands[0];
    let place = |orbit: &usize| orders.place_in(*list, strands[0][*orbit] - lists.list[*list].first);
    let mut orbits: Vec<usize> = (0..class.orbits).collect();
    orbits.sort_by_key(place);
    orbits
}

/// Exchanges of two orbits, one or two at a time, as long as they help.
fn exchanges(start: Vec<usize>, trial: &mut dyn FnMut(&[usize], Cost) -> Cost) -> (Cost, Vec<usize>) {
    let count = start.len();
    let pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
    let mut best = (trial(&start, (u64::MAX, u64::MAX)), start);
    // Ends: each iteration but the last lowers the cost, a natural number.
    loop {
        let (before, base) = (best.0, best.1.clone());
        for (n, &(a, b)) in pairs.iter().enumerate() {
            let mut permutation = base.clone();
            permutation.swap(a, b);
            keep_better(&mut best, &permutation, trial);
            for &(c, d) in pairs[n + 1..].iter().filter(|_| count <= MOST_FOR_TWO) {
                permutation.swap(c, d);
                keep_better(&mut best, &permutation, trial);
                permutation.swap(c, d);
            }
        }
        if best.0 == before {
            return best;
        }
    }
}

fn keep_better(best: &mut (Cost, Vec<usize>), permutation: &[usize], trial: &mut dyn FnMut(&[usize], Cost) -> Cost) {
    let cost = trial(permutation, best.0);
    if cost < best.0 {
        *best = (cost, permutation.to_vec());
    }
}

/// Every permutation in alphabetical order; where whole words are all alike, only those whose words begin in ascending order of their least.
fn each_permutation(count: usize, most: usize, f: &mut dyn FnMut(&[usize])) {
    let mut permutation: Vec<usize> = (0..count).collect();
    let size = if count % most == 0 { most } else { count };
    loop {
        let least: Vec<usize> = permutation.chunks(size).filter_map(|word| word.iter().min().copied()).collect();
        if least.windows(2).all(|two| two[0] < two[1]) {
            f(&permutation);
        }
        let Some(k) = (1..count).rev().find(|&k| permutation[k - 1] < permutation[k]) else { return };
        let next = (k..count).rev().find(|&n| permutation[n] > permutation[k - 1]).unwrap_or(k);
        permutation.swap(k - 1, next);
        permutation[k..].reverse();
    }
}
