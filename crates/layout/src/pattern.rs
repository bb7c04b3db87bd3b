//! What a word of a table holds, byte by byte, and what masks, shifts and rotations make of it.

use serde::Serialize;

/// Sixteen bits for each byte of a word, the least significant byte first: the factor of the S-box's value, zero for an empty byte.
pub type Pattern = u128;

const LANE_BITS: usize = 16;

/// A byte's factor.
#[must_use]
pub fn lane(pattern: Pattern, lane: usize) -> u16 {
    (pattern >> (LANE_BITS * lane)) as u16
}

/// A pattern of one byte.
#[must_use]
pub fn placed(factor: u16, lane: usize) -> Pattern {
    Pattern::from(factor) << (LANE_BITS * lane)
}

/// A pattern of all ones in the lowest bytes.
#[must_use]
pub fn full(lanes: usize) -> Pattern {
    if lanes >= 8 {
        Pattern::MAX
    } else {
        (1 << (LANE_BITS * lanes)) - 1
    }
}

/// Which bytes are not empty.
#[must_use]
pub fn support(pattern: Pattern) -> u16 {
    (0..8).filter(|&l| lane(pattern, l) != 0).map(|l| 1 << l).sum()
}

/// The factors of a pattern, the least significant byte first.
#[must_use]
pub fn factors(pattern: Pattern, lanes: usize) -> Vec<u16> {
    (0..lanes).map(|l| lane(pattern, l)).collect()
}

/// What is done to a loaded word. Amounts are bytes; of a mask, the bytes that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// To the more significant end, around.
    Rotate(u8),
    /// The same by two shifts and an exclusive or.
    TwoShifts(u8),
    /// To the more significant end.
    Up(u8),
    /// To the less significant end.
    Down(u8),
    /// Keeps the bytes of a set, one bit each.
    Mask(u8),
}

impl Operator {
    /// The result.
    #[must_use]
    pub fn apply(self, pattern: Pattern, lanes: usize) -> Pattern {
        let bits = |n: u8| LANE_BITS * usize::from(n);
        let up = |n: u8| pattern << bits(n) & full(lanes);
        let down = |n: u8| pattern >> bits(n);
        match self {
            Operator::Up(n) => up(n),
            Operator::Down(n) => down(n),
            Operator::Rotate(n) | Operator::TwoShifts(n) => up(n) | down(lanes as u8 - n),
            Operator::Mask(kept) => {
                (0..lanes).filter(|&l| kept >> l & 1 == 1).map(|l| placed(lane(pattern, l), l)).sum()
            }
        }
    }
}
