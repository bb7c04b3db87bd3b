//! What a layout costs, and the front of costs that none beats.

use serde::Serialize;

/// Everything that is counted. Less is better in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Cost {
    /// Bytes of all tables.
    pub table_bytes: u32,
    /// Look-ups.
    pub references: u32,
    /// Exclusive ors of words.
    pub xors: u32,
    /// Ands with a constant.
    pub masks: u32,
    /// Shifts by a constant.
    pub shifts: u32,
    /// Rotations by a constant.
    pub rotations: u32,
    /// Look-ups of less than a word.
    pub narrow_references: u32,
    /// Look-ups at places that are no multiple of a word.
    pub misaligned_references: u32,
}

impl Cost {
    /// The numbers in their order.
    #[must_use]
    pub fn numbers(&self) -> [u32; 8] {
        [
            self.table_bytes,
            self.references,
            self.xors,
            self.masks,
            self.shifts,
            self.rotations,
            self.narrow_references,
            self.misaligned_references,
        ]
    }

    /// Whether nothing of it is more than in another.
    #[must_use]
    pub fn is_within(&self, other: &Cost) -> bool {
        self.numbers().iter().zip(other.numbers()).all(|(a, b)| *a <= b)
    }
}

/// Costs of which none is within another, each with what has it.
#[derive(Clone, Debug)]
pub struct Front<T> {
    /// The points, in the order found.
    pub points: Vec<(Cost, T)>,
}

impl<T> Default for Front<T> {
    fn default() -> Self {
        Front { points: Vec::new() }
    }
}

impl<T> Front<T> {
    /// Whether some point is as good in everything.
    #[must_use]
    pub fn covers(&self, cost: &Cost) -> bool {
        self.points.iter().any(|(known, _)| known.is_within(cost))
    }

    /// Adds a point that no other covers; what it covers goes.
    pub fn add(&mut self, cost: Cost, made: impl FnOnce() -> T) {
        if !self.covers(&cost) {
            self.points.retain(|(known, _)| !cost.is_within(known));
            self.points.push((cost, made()));
        }
    }
}
