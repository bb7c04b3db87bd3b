//! Places in memory for values: those that are not needed at the same time share one.

/// Which values lie where; each new one gets the lowest place at which nothing lies that is needed together with it.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Value, first byte (or word), and the one behind the last.
    taken: Vec<(usize, u32, u32)>,
}

impl Places {
    /// Gives a value a place that is known.
    pub fn put(&mut self, value: usize, start: u32, size: u32) {
        self.taken.push((value, start, start + size));
    }

    /// Gives a value a place, and returns where it begins; `clashes` says of a value that has a place whether both are needed
    /// at the same time.
    pub fn lowest(&mut self, value: usize, size: u32, clashes: impl Fn(usize) -> bool) -> u32 {
        let mut others: Vec<(u32, u32)> =
            self.taken.iter().filter(|(other, ..)| clashes(*other)).map(|&(_, start, end)| (start, end)).collect();
        others.sort_unstable();
        let mut at = 0;
        for (start, end) in others {
            if at + size <= start {
                break;
            }
            at = at.max(end);
        }
        self.put(value, at, size);
        at
    }

    /// What all places take together, from 0.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.taken.iter().map(|&(.., end)| end).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn a_value_lies_where_nothing_is_needed_with_it() {
        let mut places = Places::default();
        places.put(0, 0, 2);
        assert_eq!(places.lowest(1, 4, |_| true), 2);
        assert_eq!(places.lowest(2, 2, |other| other == 1), 0);
        assert_eq!(places.lowest(3, 1, |other| other != 2), 6);
        assert_eq!(places.end(), 7);
    }

    #[test]
    fn a_gap_is_filled_by_what_has_room_in_it() {
        let mut places = Places::default();
        places.put(0, 1, 1);
        places.put(1, 4, 1);
        assert_eq!(places.lowest(2, 3, |_| true), 5);
        assert_eq!(places.lowest(3, 2, |_| true), 2);
        assert_eq!(places.lowest(4, 1, |_| true), 0);
    }
}
