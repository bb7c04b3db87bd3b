//! What goes first among instructions that are ready.

use serde::Deserialize;

/// What goes first: the instruction whose sums are least, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// Factors of how many values come alive, when the newest operand was made, and the place as written.
    pub key: Vec<[i64; 3]>,
    /// The program is cut where few values are alive, and its parts stay in order.
    #[serde(default)]
    pub stretches: bool,
    /// What wants another setting ([`Instruction::setting`]) than the last one waits.
    #[serde(default)]
    pub together: bool,
}

impl Rank {
    fn of(key: &[[i64; 3]]) -> Self {
        Rank { key: key.to_vec(), stretches: false, together: false }
    }

    /// What leaves the fewest values alive.
    #[must_use]
    pub fn fewest_alive() -> Self {
        Rank::of(&[[1, 0, 0], [0, -1, 0], [0, 0, 1]])
    }

    /// What continues with the latest results.
    #[must_use]
    pub fn newest() -> Self {
        Rank::of(&[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    }

    /// As written, but for loads.
    #[must_use]
    pub fn in_turn() -> Self {
        Rank::of(&[[0, 0, 1]])
    }
}
