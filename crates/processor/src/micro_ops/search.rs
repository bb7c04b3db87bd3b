//! A search for an order of steps that takes fewer cycles: one step after another is moved within its room, registers are
//! given anew, and the result is simulated.

use super::fit::Fitter;
use super::Model;

/// Splitmix64: numbers that look random, the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// An order and what may move in it.
struct Orders {
    after: Vec<Vec<u32>>,
    ahead: Vec<Vec<u32>>,
    order: Vec<u32>,
    place: Vec<usize>,
}

impl Orders {
    fn new(n: usize, before: &[(u32, u32)], order: &[u32]) -> Orders {
        let (mut after, mut ahead) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for &(a, b) in before {
            after[a as usize].push(b);
            ahead[b as usize].push(a);
        }
        let mut place = vec![0; n];
        for (at, &one) in order.iter().enumerate() {
            place[one as usize] = at;
        }
        Orders { after, ahead, order: order.to_vec(), place }
    }

    /// The first and the last place that a step may move to.
    fn room(&self, one: usize) -> (usize, usize) {
        let low = self.ahead[one].iter().map(|&a| self.place[a as usize] + 1).max().unwrap_or(0);
        let high = self.after[one].iter().map(|&b| self.place[b as usize] - 1).min().unwrap_or(self.order.len() - 1);
        (low, high)
    }

    /// Moves what stands at a place to another; those between make room.
    fn shift(&mut self, from: usize, to: usize) {
        if from < to {
            self.order[from..=to].rotate_left(1);
        } else {
            self.order[to..=from].rotate_right(1);
        }
        for k in from.min(to)..=from.max(to) {
            self.place[self.order[k] as usize] = k;
        }
    }

    /// Moves a step somewhere, sometimes with the one that works for it alone; returns what was moved, last first.
    fn change(&mut self, numbers: &mut Numbers, reach: usize) -> Vec<(usize, usize)> {
        let from = numbers.below(self.order.len());
        let one = self.order[from] as usize;
        let (low, high) = self.room(one);
        let helper = self.ahead[one].iter().copied().find(|&a| self.after[a as usize] == [one as u32]);
        let along = helper.filter(|_| numbers.below(2) == 0);
        let mut moved = Vec::new();
        if let (Some(helper), true) = (along, numbers.below(2) == 0) {
            // Both go up: the helper first.
            let at = self.place[helper as usize];
            let (first, _) = self.room(helper as usize);
            let to = at - numbers.below(at - first.max(at.saturating_sub(reach)) + 1);
            self.shift(at, to);
            moved.push((at, to));
            let at = self.place[one];
            let (low, _) = self.room(one);
            let to = low.max(to + 1).min(at);
            self.shift(at, to);
            moved.push((at, to));
            moved.reverse();
            return moved;
        }
        let (low, high) = (low.max(from.saturating_sub(reach)), high.min(from + reach));
        let to = low + numbers.below(high - low + 1);
        if to == from {
            return moved;
        }
        self.shift(from, to);
        moved.push((from, to));
        if let Some(helper) = along {
            let at = self.place[helper as usize];
            let (_, high) = self.room(helper as usize);
            self.shift(at, high);
            moved.push((at, high));
        }
        moved.reverse();
        moved
    }
}

/// Returns an order of the steps that takes no more cycles than a given one, its cycles and micro-operations.
///
/// `moves` are tried, most of them no further than `reach`.
#[must_use]
pub fn improve(
    fitter: &Fitter,
    model: &Model,
    order: &[u32],
    moves: usize,
    reach: usize,
    seed: u64,
) -> (Vec<u32>, u64, u64) {
    let problem = fitter.problem();
    let n = problem.steps.len();
    let mut orders = Orders::new(n, &problem.before, order);
    let cost = |order: &[u32]| fitter.cycles(&fitter.fit(order), model);
    let mut best = cost(order);
    let mut numbers = Numbers(seed);
    for _ in 0..if n < 2 { 0 } else { moves } {
        let far = if numbers.below(8) == 0 { 4 * reach } else { reach };
        let moved = orders.change(&mut numbers, far);
        if moved.is_empty() {
            continue;
        }
        let found = cost(&orders.order);
        if found.0 < best.0 || found.0 == best.0 && found.1 <= best.1 + 1 {
            best = found;
        } else {
            for (from, to) in moved {
                orders.shift(to, from);
            }
        }
    }
    (orders.order, best.0, best.1)
}
