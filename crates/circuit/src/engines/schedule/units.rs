//! What one unit of the search does: one seed, one width, deadlines from the easy to the hard.

use super::beam::{Found, Parameters};
use super::expand::Order;

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
    order: Order,
    seed: u64,
}

impl Plan {
    /// Two units of each width, then twice as wide; where slots are scarce, every other unit looks at them only when a
    /// circuit is complete.
    #[must_use]
    pub fn new(unit: u64, seed: u64, scarce: bool) -> Self {
        let width = (200usize << (unit / 2).min(10)).min(WIDEST);
        let order = if scarce && unit % 2 == 0 { Order::Loose } else { Order::Slots };
        Plan { width, order, seed: super::word::mix(seed ^ unit << 32) }
    }

    fn parameters(&self, deadline: u8, share: usize) -> Parameters {
        Parameters {
            width: (self.width / share).max(1),
            deadline,
            gates: GATES,
            order: self.order,
            costs: [0.0, 1.0, 2.0, 3.0, 4.0],
            doubt: 0.5,
            noise: 0.5,
            seed: self.seed,
            solutions: 256,
        }
    }

    /// The parameters in words.
    #[must_use]
    pub fn effort(&self, deadlines: &[u8]) -> String {
        let order = match self.order {
            Order::Slots => "slots filled gate by gate",
            Order::Cycles => "slots filled in order",
            Order::Loose => "slots filled at the end",
        };
        let cycles: Vec<String> = deadlines.iter().map(u8::to_string).collect();
        format!("beam over schedules, width {}, {order}, cycles {}", self.width, cycles.join(" "))
    }
}

/// Runs the beams of a unit. Without a limit on the width of issue the least number of cycles is known, and tried
/// first; else a narrow beam comes down from circuits of no haste as far as it gets, and the wide one goes on.
/// `keep` returns the fewest cycles of what was found. Returns whether all ran to their end, and the numbers of cycles tried by the wide beam.
pub fn descend<W>(
    plan: &Plan,
    width: u8,
    least: u8,
    search: impl Fn(&Parameters) -> Found<W>,
    keep: &mut impl FnMut(&Found<W>) -> Option<u32>,
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
            let cycles = keep(&found);
            if !found.finished {
                return (false, tried);
            }
            let Some(cycles) = cycles.map(|c| c.min(255) as u8) else { break };
            reached = cycles;
            if cycles <= least.max(1) {
                break;
            }
            deadline = cycles - 1;
        }
    }
    (true, tried)
}
