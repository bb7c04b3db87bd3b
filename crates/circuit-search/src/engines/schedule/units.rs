//! What one unit of the search does: one seed, one width, deadlines from the easy to the hard.

use super::beam::Parameters;
use super::expand::Order;
use circuit::random::mix;

/// Deadline where nothing is asked for.
const LATE: u8 = 60;
/// Most gates tried.
const GATES: usize = 120;
/// Widest beam; from this unit on only the seed changes.
const WIDEST: usize = 12_800;

/// The parameters of a unit.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Width of the beams.
    pub width: usize,
    /// Whether it starts from circuits of few gates.
    pub few_gates: bool,
    order: Order,
    seed: u64,
}

impl Plan {
    /// Two units of each width, then twice as wide; where slots are scarce, one of the two starts from circuits of few
    /// gates ([`super::task::Task::from_few_gates`]).
    #[must_use]
    pub fn new(unit: u64, seed: u64, scarce: bool) -> Self {
        let width = (200usize << (unit / 2).min(10)).min(WIDEST);
        let few_gates = scarce && unit % 2 == 0;
        let order = if scarce { Order::Loose } else { Order::Slots };
        Plan { width, order, few_gates, seed: mix(seed ^ unit << 32) }
    }

    /// For circuits of few gates taken apart: narrow, since there is little to choose from.
    #[must_use]
    pub fn narrow(&self, deadline: u8, gates: usize) -> Parameters {
        Parameters { width: 60, gates, solutions: 4, ..self.parameters(deadline, 1) }
    }

    fn parameters(&self, deadline: u8, share: usize) -> Parameters {
        Parameters {
            width: (self.width / share).max(1),
            deadline,
            gates: GATES,
            order: self.order,
            costs: [0.0, 1.0, 2.0, 3.0, 4.0],
            doubt: 0.7,
            noise: 0.5,
            seed: self.seed,
            solutions: 256,
        }
    }

    /// The parameters in words.
    #[must_use]
    pub fn effort(&self, deadlines: &[u8]) -> String {
        if self.few_gates {
            return format!("circuits of few gates by a beam of width {}, scheduled anew", self.width);
        }
        let slots = if self.order == Order::Loose { "slots filled at the end, " } else { "" };
        let cycles: Vec<String> = deadlines.iter().map(u8::to_string).collect();
        format!("beam over schedules, width {}, {slots}cycles {}", self.width, cycles.join(" "))
    }
}

/// Runs the beams of a unit; each returns the fewest cycles of what it found and whether it came to its end.
///
/// Without a limit on the width of issue the least number of cycles is known, and tried first; else a narrow beam
/// comes down from circuits of no haste as far as it gets, and the wide one goes on. Returns whether all came to their
/// end, and the numbers of cycles tried by the wide beam.
pub fn descend(
    plan: &Plan,
    scarce: bool,
    least: u8,
    mut beam: impl FnMut(&Parameters) -> (Option<u32>, bool),
) -> (bool, Vec<u8>) {
    let mut tried = Vec::new();
    if !scarce {
        for deadline in least.max(1)..LATE {
            tried.push(deadline);
            let (cycles, finished) = beam(&plan.parameters(deadline, 1));
            if !finished || cycles.is_some() {
                return (finished, tried);
            }
        }
        return (true, tried);
    }
    let mut reached = LATE;
    for share in [8, 1] {
        // The wide beam repeats the narrow one's last success: for fewer gates, and as a starting point.
        let mut deadline = reached;
        loop {
            if share == 1 {
                tried.push(deadline);
            }
            let (cycles, finished) = beam(&plan.parameters(deadline, share));
            if !finished {
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
