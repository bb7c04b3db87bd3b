//! A question to the search: which box, for what, and what counts.

use crate::fault::Fault;
use crate::sbox::SBox;
use crate::target::Target;

/// What can be made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Gates of the circuit.
    Gates,
    /// Operations by the rule of Worley et al. (2000) (a complement that only ANDs read is part of them).
    Ops,
    /// Instructions of a two-operand machine, moves among them.
    Instructions,
    /// Cycles on the target.
    Cycles,
    /// Gates on the longest path.
    Depth,
    /// Most operations of one level.
    Width,
    /// Values alive beside the outputs.
    Temps,
    /// Nonlinear gates.
    AndCount,
    /// Area of the cells.
    Area,
}

/// Names as files and the command line have them.
pub const METRICS: [(&str, Metric); 9] = [
    ("gates", Metric::Gates),
    ("ops", Metric::Ops),
    ("instructions", Metric::Instructions),
    ("cycles", Metric::Cycles),
    ("depth", Metric::Depth),
    ("width", Metric::Width),
    ("temps", Metric::Temps),
    ("and_count", Metric::AndCount),
    ("area_um2", Metric::Area),
];

impl Metric {
    /// The metric of a name.
    ///
    /// # Errors
    /// `C202` for a name that is none.
    pub fn named(name: &str) -> Result<Self, Fault> {
        METRICS.iter().find(|(n, _)| *n == name).map(|(_, m)| *m).ok_or_else(|| {
            let known: Vec<&str> = METRICS.iter().map(|(n, _)| *n).collect();
            Fault::new("C202", format!("`{name}` is no metric of a circuit"))
                .help(format!("known: {}", known.join(", ")))
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        METRICS.iter().find(|(_, m)| *m == self).map_or("", |(n, _)| n)
    }
}

/// A question to the search.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The box.
    pub sbox: SBox,
    /// Gate set or machine.
    pub target: Target,
    /// Metrics to make small, the most important first.
    pub objective: Vec<Metric>,
    /// Seed of everything random.
    pub seed: u64,
}
