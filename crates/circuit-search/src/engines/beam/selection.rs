//! The best of many candidates, without keeping them all and without depending on their order.

/// A child that may be kept.
#[derive(Clone, Copy)]
pub struct Candidate<W> {
    /// Small is better.
    pub rating: u32,
    /// Hash of the set of functions.
    pub hash: u64,
    /// Number of the parent in its level.
    pub parent: u32,
    /// What is added to the parent.
    pub gate: W,
}

/// Ratings are below this.
pub const RATINGS: usize = 1 << 13;

/// The best `width` candidates of different sets: a count by rating tells which can no longer be among them.
pub struct Selection<W> {
    width: usize,
    candidates: Vec<Candidate<W>>,
    counts: Vec<u32>,
    within: usize,
    bar: u32,
    seen: Hashes,
}

impl<W: Copy> Selection<W> {
    /// Nothing yet.
    #[must_use]
    pub fn new(width: usize) -> Self {
        let mut selection = Selection {
            width: width.max(1),
            candidates: Vec::new(),
            counts: vec![0; RATINGS],
            within: 0,
            bar: 0,
            seen: Hashes::new(),
        };
        selection.clear();
        selection
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.candidates.clear();
        self.counts.fill(0);
        self.seen.clear();
        self.within = 0;
        self.bar = RATINGS as u32 - 1;
    }

    /// Takes a candidate unless its set was offered before or enough better ones are known.
    #[inline]
    pub fn offer(&mut self, candidate: Candidate<W>) {
        if candidate.rating > self.bar || !self.seen.add(candidate.hash) {
            return;
        }
        self.candidates.push(candidate);
        self.counts[candidate.rating as usize] += 1;
        self.within += 1;
        // Whole ratings are dropped, never part of one: what remains does not depend on the order of the offers.
        while self.within - self.counts[self.bar as usize] as usize >= self.width {
            self.within -= self.counts[self.bar as usize] as usize;
            self.bar -= 1;
        }
    }

    /// The kept candidates, best first.
    pub fn best(&mut self) -> &[Candidate<W>] {
        let bar = self.bar;
        self.candidates.retain(|c| c.rating <= bar);
        self.candidates.sort_unstable_by_key(|c| (c.rating, c.hash, c.parent));
        self.candidates.truncate(self.width);
        &self.candidates
    }
}

/// A set of hashes.
pub struct Hashes {
    table: Vec<u64>,
    filled: usize,
}

impl Hashes {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Hashes { table: vec![0; 1 << 12], filled: 0 }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.table.fill(0);
        self.filled = 0;
    }

    /// Whether the hash was not in the set.
    pub fn add(&mut self, hash: u64) -> bool {
        if self.filled * 2 >= self.table.len() {
            let larger = vec![0; self.table.len() * 4];
            let smaller = std::mem::replace(&mut self.table, larger);
            for &hash in smaller.iter().filter(|&&h| h != 0) {
                insert(&mut self.table, hash);
            }
        }
        let new = insert(&mut self.table, hash);
        self.filled += usize::from(new);
        new
    }
}

fn insert(table: &mut [u64], hash: u64) -> bool {
    let mask = table.len() - 1;
    let mut place = hash as usize & mask;
    loop {
        match table[place] {
            0 => {
                table[place] = hash;
                return true;
            }
            same if same == hash => return false,
            _ => place = (place + 1) & mask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_does_not_depend_on_the_order_of_the_offers() {
        let all: Vec<Candidate<u16>> = (0..500u64)
            .map(|n| Candidate { rating: (n * 37 % 101) as u32, hash: n / 2 + 1, parent: 0, gate: 0 })
            .filter(|c| c.hash % 3 != 0)
            .map(|c| Candidate { rating: (c.hash * 37 % 101) as u32, ..c })
            .collect();
        let keep = |offers: &mut dyn Iterator<Item = &Candidate<u16>>| {
            let mut selection = Selection::new(40);
            offers.for_each(|&c| selection.offer(c));
            selection.best().iter().map(|c| (c.rating, c.hash)).collect::<Vec<_>>()
        };
        let kept = keep(&mut all.iter());
        assert_eq!(kept.len(), 40);
        assert_eq!(kept, keep(&mut all.iter().rev()));
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
    }
}
