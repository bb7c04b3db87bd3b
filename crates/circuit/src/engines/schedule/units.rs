//! What one unit of the search does: one seed, one width, deadlines from the easy to the hard.

use super::beam::{Found, Parameters};
use super::state::State;

/// Deadline where nothing is asked for.
const LATE: u8 = 60;
/// Most gates tried.
const GATES: usize = 120;
/// Widest beam; from this unit on only the seed changes.
const WIDEST: usize = 12_800;

/// The parameters of a unit.
#[derive(Clone, Debug)]
pub struct Plan {
    width: usize,
    ordered: bool,
    seed: u64,
}

impl Plan {
    /// Two units of each width, then twice as wide; where slots are scarce, every other unit adds gates in the order
    /// of their cycles, all others in any order.
    #[must_use]
    pub fn new(unit: u64, seed: u64, scarce: bool) -> Self {
        let width = (200usize << (unit / 2).min(10)).min(WIDEST);
        Plan { width, ordered: scarce && unit % 2 == 1, seed: super::word::mix(seed ^ unit << 32) }
    }

    fn parameters(&self, deadline: u8, share: usize) -> Parameters {
        Parameters {
            width: (self.width / share).max(1),
            deadline,
            gates: GATES,
            ordered: self.ordered,
            costs: [0.0, 1.0, 2.0, 3.0, 4.0],
            noise: 0.9,
            seed: self.seed,
            solutions: 256,
        }
    }

    /// The parameters in words.
    #[must_use]
    pub fn effort(&self, deadlines: &[u8]) -> String {
        let order = if self.ordered { "gates in the order of their cycles" } else { "gates in any order" };
        let cycles: Vec<String> = deadlines.iter().map(u8::to_string).collect();
        format!("beam over schedules, width {}, {order}, cycles {}", self.width, cycles.join(" "))
    }
}

/// Runs the beams of a unit. Without a limit on the width of issue the least number of cycles is known, and tried
/// first; else a narrow beam comes down from circuits of no haste as far as it gets, and the wide one goes on.
/// Returns whether all ran to their end, and the numbers of cycles tried by the wide beam.
pub fn descend<W>(
    plan: &Plan,
    width: u8,
    least: u8,
    search: impl Fn(&Parameters) -> Found<W>,
    keep: &mut impl FnMut(&Found<W>),
) -> (bool, Vec<u8>) {
    let mut tried = Vec::new();
    if width == u8::MAX {
        for deadline in least.max(1)..LATE {
            let found = search(&plan.parameters(deadline, 1));
            tried.push(deadline);
            keep(&found);
            if !found.finished || !found.states.is_empty() {
                return (found.finished, tried);
            }
        }
        return (true, tried);
    }
    let mut reached = LATE;
    for share in [8, 1] {
        // The wide beam repeats the narrow one's last success: for fewer gates, and as a starting point.
        let mut deadline = reached;
        loop {
            let found = search(&plan.parameters(deadline, share));
            if share == 1 {
                tried.push(deadline);
            }
            keep(&found);
            if !found.finished {
                return (false, tried);
            }
            let Some(cycles) = found.states.iter().map(cycles).min() else { break };
            reached = cycles;
            if cycles <= least.max(1) {
                break;
            }
            deadline = cycles - 1;
        }
    }
    (true, tried)
}

/// Cycles until every result is there.
fn cycles<W>(state: &State<W>) -> u8 {
    state.steps.iter().map(|s| s.ready).max().unwrap_or(0)
}
