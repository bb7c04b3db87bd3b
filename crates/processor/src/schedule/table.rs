//! Which slots of each cycle are taken.

use crate::graph::{Graph, Resources};

/// Caps per word; each has 16 bits, of which the highest says that the cap is exceeded.
const PER_WORD: usize = 4;
const EXCEEDED: u64 = 0x8000_8000_8000_8000;
/// No count of a cap comes near the highest bit.
const MOST: u32 = 0x7e00;

/// The caps that can bind a graph, in the form that the tables need.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    words: usize,
    /// An empty cycle: of each cap how far its limit is from the highest bit.
    empty: Vec<u64>,
    /// Of each class the words of the slots that it takes in the cycle of its issue, and of each one behind it while it holds some.
    of_class: Vec<Vec<u64>>,
}

impl Needs {
    /// Leaves out caps that the whole graph cannot exceed, and those that another cap implies.
    pub fn new(graph: &Graph, resources: &Resources) -> Needs {
        let total = |k: usize| -> u64 {
            graph.classes.iter().map(|&c| u64::from(resources.caps[k].takes[usize::from(c)])).sum()
        };
        let mut binding: Vec<usize> = Vec::new();
        for (k, cap) in resources.caps.iter().enumerate() {
            let implied = resources.caps.iter().enumerate().any(|(other, by)| {
                let covers = by.takes.iter().zip(&cap.takes).all(|(a, b)| a >= b) && by.limit <= cap.limit;
                other != k
                    && covers
                    && cap.holds.is_empty()
                    && (other < k || by.takes != cap.takes || by.limit != cap.limit)
            });
            let busy = !cap.holds.is_empty() && total(k) > 0;
            if busy || !implied && total(k) > u64::from(cap.limit) {
                binding.push(k);
            }
        }
        let words = binding.len().div_ceil(PER_WORD).max(1);
        let pack = |of: &dyn Fn(usize) -> u32| {
            let mut packed = vec![0_u64; words];
            for (at, &k) in binding.iter().enumerate() {
                packed[at / PER_WORD] |= u64::from(of(k)) << (16 * (at % PER_WORD));
            }
            packed
        };
        let takes = |class: usize| {
            (0..resources.held(class)).flat_map(|after| pack(&|k| resources.caps[k].slots(class, after))).collect()
        };
        let of_class = (0..resources.classes.len()).map(takes).collect();
        let empty = pack(&|k| 0x7fff - resources.caps[k].limit.min(MOST));
        let needs = Needs { words, empty, of_class };
        // Every search for a free cycle ends by this: behind all that is placed, every operation fits.
        for (class, name) in resources.classes.iter().enumerate() {
            let used = graph.classes.iter().any(|&c| usize::from(c) == class);
            assert!(!used || Table::new(&needs).fits(class as u16, 0), "no cycle has the slots of {name:?}");
        }
        needs
    }
}

/// The slots taken in each cycle, or in each row of a modulo schedule.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    needs: &'a Needs,
    used: Vec<u64>,
    rows: usize,
}

impl<'a> Table<'a> {
    /// An empty table.
    pub fn new(needs: &'a Needs) -> Table<'a> {
        Table::of_rows(needs, usize::MAX)
    }

    /// An empty table of so many rows, behind the last of which comes the first.
    pub fn of_rows(needs: &'a Needs, rows: usize) -> Table<'a> {
        Table { needs, used: Vec::new(), rows }
    }

    /// Gives every slot back.
    pub fn clear(&mut self) {
        self.used.clear();
    }

    /// The row of a cycle: most are below the number of rows, and a division takes long.
    #[inline]
    fn row(&self, cycle: usize) -> usize {
        if cycle < self.rows {
            cycle
        } else {
            cycle % self.rows
        }
    }

    /// Whether one more operation of a class fits the cycle.
    #[inline]
    pub fn fits(&mut self, class: u16, cycle: usize) -> bool {
        let words = self.needs.words;
        let needs = &self.needs.of_class[usize::from(class)];
        let last = (cycle + needs.len() / words - 1).min(self.rows - 1);
        while self.used.len() < (last + 1) * words {
            self.used.extend_from_slice(&self.needs.empty);
        }
        if let [need] = needs[..] {
            return (self.used[self.row(cycle)] + need) & EXCEEDED == 0;
        }
        needs.chunks_exact(words).enumerate().all(|(after, need)| {
            let at = self.row(cycle + after) * words;
            let used = &self.used[at..at + words];
            used.iter().zip(need).fold(0, |over, (u, n)| over | ((u + n) & EXCEEDED)) == 0
        })
    }

    /// Takes the slots of one operation.
    #[inline]
    pub fn take(&mut self, class: u16, cycle: usize) {
        self.change(class, cycle, |used, need| *used += need);
    }

    /// Gives the slots of one operation back.
    pub fn release(&mut self, class: u16, cycle: usize) {
        self.change(class, cycle, |used, need| *used -= need);
    }

    #[inline]
    fn change(&mut self, class: u16, cycle: usize, change: impl Fn(&mut u64, u64)) {
        let words = self.needs.words;
        for (after, need) in self.needs.of_class[usize::from(class)].chunks_exact(words).enumerate() {
            let at = self.row(cycle + after) * words;
            self.used[at..].iter_mut().zip(need).for_each(|(u, &n)| change(u, n));
        }
    }
}
