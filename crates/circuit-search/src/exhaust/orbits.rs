//! Sets of gates up to symmetry.
//!
//! Four inputs can be permuted and complemented in 384 ways. A set of gates goes to a set of gates, so it is enough to
//! look at one set of each orbit, for every box at once: with all 384 forms of each box.
//!
//! Functions are complement-free: a function and its complement are one, the one that is 0 at input 0.

use std::collections::BTreeSet;

/// A complement-free function of four inputs: bit `v` is the value at input `v`; bit 0 is 0.
pub type Normal = u16;

/// The inputs.
pub const INPUTS: [Normal; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// The complement-free form of any function.
#[must_use]
pub const fn normal(f: u16) -> Normal {
    if f & 1 == 1 {
        !f
    } else {
        f
    }
}

/// What one two-input gate makes of two functions, up to complements.
#[must_use]
pub const fn gates(a: Normal, b: Normal) -> [Normal; 5] {
    [a & b, a & !b, b & !a, a | b, a ^ b]
}

/// The 384 permutations and complementations of the inputs, as maps on functions.
pub struct Symmetries {
    maps: Vec<Vec<Normal>>,
}

impl Symmetries {
    /// Builds the maps (25 MB).
    #[must_use]
    pub fn new() -> Self {
        let mut maps = Vec::with_capacity(384);
        for order in permutations() {
            for complement in 0..16usize {
                let place = |v: usize| (0..4).fold(0, |sum, k| sum | (v >> k & 1) << order[k]) ^ complement;
                let from: Vec<usize> = (0..16).map(place).collect();
                let image = |half: usize| {
                    let f = half << 1;
                    normal(from.iter().enumerate().fold(0, |sum, (v, &u)| sum | ((f >> u & 1) as u16) << v))
                };
                maps.push((0..1 << 15).map(image).collect());
            }
        }
        Symmetries { maps }
    }

    /// The image of a function under symmetry `n`.
    #[must_use]
    pub fn image(&self, n: usize, f: Normal) -> Normal {
        self.maps[n][usize::from(f >> 1)]
    }

    /// For each function `f`, at index `f >> 1`, the number of its class: what symmetries turn into each other.
    #[must_use]
    pub fn classes(&self) -> Vec<u16> {
        let least: Vec<Normal> =
            (0..1 << 15).map(|half| self.maps.iter().map(|map| map[half]).min().unwrap_or_default()).collect();
        let mut known = least.clone();
        known.sort_unstable();
        known.dedup();
        least.iter().map(|f| known.partition_point(|g| g < f) as u16).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.maps.len()
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// The least image of a set, and how many symmetries leave the set as it is.
    fn canonical(&self, set: &[Normal]) -> (Set, usize) {
        let (mut least, mut times) = (EMPTY, 0);
        for map in &self.maps {
            let mut image = EMPTY;
            image.iter_mut().zip(set).for_each(|(to, f)| *to = map[usize::from(f >> 1)]);
            image[..set.len()].sort_unstable();
            match image.cmp(&least) {
                _ if times == 0 => (least, times) = (image, 1),
                std::cmp::Ordering::Less => (least, times) = (image, 1),
                std::cmp::Ordering::Equal => times += 1,
                std::cmp::Ordering::Greater => {}
            }
        }
        (least, times)
    }
}

impl Default for Symmetries {
    fn default() -> Self {
        Symmetries::new()
    }
}

fn permutations() -> Vec<[usize; 4]> {
    let mut all = Vec::new();
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                all.push([a, b, c, 6 - a - b - c]);
            }
        }
    }
    all
}

/// A set of at most [`MOST`] gates in order; unused places hold a value that is no complement-free function.
pub type Set = [Normal; MOST];

/// The largest set that is kept.
pub const MOST: usize = 7;

/// The empty set.
pub const EMPTY: Set = [Normal::MAX; MOST];

/// One set of each orbit of the constructible sets of so many gates, and the number of all such sets.
pub struct Layer {
    /// Gates of each set.
    pub gates: usize,
    /// The least set of each orbit, in order.
    pub sets: Vec<Set>,
    /// The sum of the orbits' sizes.
    pub total: u64,
}

impl Layer {
    /// The empty set.
    #[must_use]
    pub fn empty() -> Self {
        Layer { gates: 0, sets: vec![EMPTY], total: 1 }
    }

    /// The sets of one gate more, on so many threads.
    #[must_use]
    pub fn next(&self, symmetries: &Symmetries, threads: usize) -> Self {
        let part = self.sets.len().div_ceil(threads.max(1));
        let mut all: Vec<(Set, usize)> = std::thread::scope(|scope| {
            let workers: Vec<_> = self
                .sets
                .chunks(part)
                .map(|sets| scope.spawn(move || extensions(symmetries, sets, self.gates)))
                .collect();
            workers.into_iter().flat_map(|w| w.join().unwrap_or_default()).collect()
        });
        all.sort_unstable();
        all.dedup();
        let total = all.iter().map(|(_, stabilizer)| (symmetries.len() / stabilizer) as u64).sum();
        Layer { gates: self.gates + 1, sets: all.into_iter().map(|(set, _)| set).collect(), total }
    }
}

fn extensions(symmetries: &Symmetries, sets: &[Set], gates: usize) -> BTreeSet<(Set, usize)> {
    let mut found = BTreeSet::new();
    for set in sets {
        for gate in reachable(&set[..gates]) {
            let mut larger = *set;
            larger[gates] = gate;
            found.insert(symmetries.canonical(&larger[..=gates]));
        }
    }
    found
}

/// What one gate makes of the inputs and a set: in order, each once, none of the set.
fn reachable(set: &[Normal]) -> BTreeSet<Normal> {
    let nodes: Vec<Normal> = INPUTS.iter().chain(set).copied().collect();
    let pairs = nodes.iter().enumerate().flat_map(|(n, &a)| nodes[..n].iter().flat_map(move |&b| gates(a, b)));
    let mut found: BTreeSet<Normal> = pairs.collect();
    found.remove(&0);
    nodes.iter().for_each(|f| {
        found.remove(f);
    });
    found
}

/// The number of constructible sets of `gates` gates, counted one by one without symmetry.
///
/// Each set is met once: a branch takes one candidate and gives up those before it.
#[must_use]
pub fn count_sets(gates: usize) -> u64 {
    fn visit(
        nodes: &mut Vec<Normal>,
        candidates: &mut Vec<Normal>,
        seen: &mut [bool],
        from: usize,
        left: usize,
    ) -> u64 {
        if left == 1 {
            return (candidates.len() - from) as u64;
        }
        let (mut count, known) = (0, candidates.len());
        for n in from..known {
            let gate = candidates[n];
            for f in nodes.iter().flat_map(|&x| self::gates(gate, x)) {
                if !std::mem::replace(&mut seen[usize::from(f)], true) {
                    candidates.push(f);
                }
            }
            nodes.push(gate);
            count += visit(nodes, candidates, seen, n + 1, left - 1);
            nodes.pop();
            candidates.drain(known..).for_each(|f| seen[usize::from(f)] = false);
        }
        count
    }
    if gates == 0 {
        return 1;
    }
    let mut seen = vec![false; 1 << 16];
    seen[0] = true;
    INPUTS.iter().for_each(|&f| seen[usize::from(f)] = true);
    let mut candidates: Vec<Normal> = reachable(&[]).into_iter().collect();
    candidates.iter().for_each(|&f| seen[usize::from(f)] = true);
    visit(&mut INPUTS.to_vec(), &mut candidates, &mut seen, 0, gates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_add_up_to_the_sets_counted_one_by_one() {
        let symmetries = Symmetries::new();
        let mut layer = Layer::empty();
        for gates in 1..=4 {
            layer = layer.next(&symmetries, 2);
            assert_eq!(layer.total, count_sets(gates));
        }
        assert_eq!((layer.sets.len(), layer.total), (2396, 473_767));
    }
}
