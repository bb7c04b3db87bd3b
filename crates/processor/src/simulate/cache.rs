//! The lines that a first-level data cache holds.

use crate::model::Cache;

/// A line: its number in memory, and when its data are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    number: u64,
    there: u64,
}

/// What a cache holds: of each set its lines, the one used last first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    model: Cache,
    sets: Vec<Vec<Line>>,
    /// Loads that missed.
    pub misses: u64,
}

impl Contents {
    /// A cache through which a memory has gone from its first byte to its last.
    #[must_use]
    pub fn warm(model: &Cache, base: u64, bytes: usize) -> Contents {
        let sets = (model.bytes / model.line / model.ways) as usize;
        let mut contents = Contents { model: model.clone(), sets: vec![Vec::new(); sets], misses: 0 };
        let line = u64::from(model.line);
        for number in base / line..(base + bytes as u64).div_ceil(line) {
            contents.bring(number, 0);
        }
        contents
    }

    /// Forgets when data come and what was counted: a run begins.
    pub fn settle(&mut self) {
        self.misses = 0;
        self.sets.iter_mut().flatten().for_each(|line| line.there = 0);
    }

    /// A load that issues in a cycle: in which cycle its data are there at the earliest if its line was not; 0 if it was.
    pub fn load(&mut self, address: u64, cycle: u64) -> u64 {
        let number = address / u64::from(self.model.line);
        if let Some(line) = self.touch(number) {
            return if line.there > cycle { line.there } else { 0 };
        }
        self.misses += 1;
        let there = cycle + u64::from(self.model.miss);
        self.bring(number, there);
        there
    }

    /// A store.
    pub fn store(&mut self, address: u64) {
        let number = address / u64::from(self.model.line);
        if self.touch(number).is_none() && self.model.allocates {
            self.bring(number, 0);
        }
    }

    fn set(&self, number: u64) -> usize {
        (number % self.sets.len() as u64) as usize
    }

    /// The line of a number, which becomes the one used last.
    fn touch(&mut self, number: u64) -> Option<Line> {
        let set = self.set(number);
        let lines = &mut self.sets[set];
        let at = lines.iter().position(|line| line.number == number)?;
        lines[..=at].rotate_right(1);
        Some(lines[0])
    }

    fn bring(&mut self, number: u64, there: u64) {
        let set = self.set(number);
        let lines = &mut self.sets[set];
        lines.insert(0, Line { number, there });
        lines.truncate(self.model.ways as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::Contents;
    use crate::model::Cache;

    fn cache(ways: u32) -> Contents {
        let model = Cache { bytes: 128, line: 32, ways, miss: 8, ..Cache::default() };
        Contents::warm(&model, 0, 128)
    }

    #[test]
    fn a_line_pushes_out_the_one_in_its_place() {
        let mut one = cache(1);
        assert_eq!(one.load(0, 5), 0);
        assert_eq!(one.load(128, 5), 13);
        assert_eq!((one.load(159, 6), one.load(128, 13)), (13, 0), "the rest of a line comes with it");
        assert_eq!((one.load(0, 20), one.load(32, 20)), (28, 0));
        assert_eq!(one.misses, 2);
    }

    #[test]
    fn of_a_set_the_line_used_longest_ago_gives_way() {
        let mut two = cache(2);
        assert_eq!((two.load(0, 0), two.load(128, 0)), (0, 8));
        assert_eq!((two.load(0, 9), two.load(64, 9)), (0, 17));
    }

    #[test]
    fn a_store_that_misses_brings_nothing() {
        let mut one = cache(1);
        one.store(128);
        assert_eq!((one.load(0, 0), one.load(128, 0)), (0, 8));
    }
}
