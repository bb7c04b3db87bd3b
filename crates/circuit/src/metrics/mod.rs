//! What a circuit costs on a target.
//!
//! All figures are of the circuit in the target's operations ([`crate::fit::fitted`]). Rules:
//!
//! * `gates`, `ops`: the gates; a NOT that only ANDs read is part of them where the target has and-complement.
//! * `depth`: gates on the longest path. `width`: most gates of one level, every gate as early as possible.
//! * `cycles`: fewest cycles in which the target's issue width computes the gates as written, with its latencies
//!   (exact schedule); without issue width the longest path. `cycles_rebuilt`: the same after associative chains were
//!   rebuilt. `cycles_paper`, `width_paper`: the rule of Worley et al. (2000), that is rebuilt for unlimited issue, a greedy
//!   list schedule of the equations as written otherwise.
//! * `least_width`: the smallest issue width that still reaches the longest path.
//! * `temps`: most values of gates alive at once, in the order written; a value lives from its gate until its last
//!   reader, an output until the end. `temps_least`: the same for the best order. `registers`, `registers_least`:
//!   the same with inputs, which live until their last reader; a result may take the place of an operand.
//! * `and_count`: multiplications that the gates need: each gate's multiplicative complexity (1 for AND or OR).
//! * `ternary_count`: fewest three-input lookups that cover this circuit (lookups of other circuits may be fewer).
//! * `instructions`, `moves`: on a target whose result replaces its first operand, moves counted, in the order written
//!   (a sequence as it is written); otherwise as `ops`. `instructions_least`: for the best order of the gates.
//! * `area_um2`, `gate_equivalents`: cells of a technology; equivalents of its smallest two-input NAND.

mod complexity;
mod cover;
mod graph;
mod instructions;
mod live;
pub mod schedule;
pub mod schedule_check;
#[cfg(test)]
mod tests;

pub use complexity::multiplications;
pub use graph::depth;
pub use instructions::Sequence;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::circuit::Circuit;
use crate::fault::Fault;
use crate::fit;
use crate::function::Function;
use crate::problem::Metric;
use crate::target::Target;
use crate::text::Document;

/// The figures of a circuit, by name, and what must be said of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Figures by name; one that does not apply is absent.
    pub values: BTreeMap<&'static str, f64>,
    /// What must be said of them: a bound where a search was cut short, a sequence that does not fit.
    pub remarks: Vec<String>,
}

impl Metrics {
    /// The figure of a metric; infinite if it does not apply.
    #[must_use]
    pub fn value(&self, metric: Metric) -> f64 {
        self.values.get(metric.name()).copied().unwrap_or(f64::INFINITY)
    }

    /// Compares by metrics, the most important first; the smaller is the better.
    #[must_use]
    pub fn compare(&self, other: &Self, objective: &[Metric]) -> Ordering {
        let each = objective.iter().map(|&m| self.value(m).total_cmp(&other.value(m)));
        each.fold(Ordering::Equal, Ordering::then)
    }

    fn set(&mut self, name: &'static str, value: impl Into<f64>) {
        self.values.insert(name, value.into());
    }

    fn count(&mut self, name: &'static str, value: usize) {
        self.values.insert(name, value as f64);
    }
}

/// All figures of a circuit on a target.
///
/// # Errors
/// `C210` if the target cannot compute it; `C211` if a schedule fails its check.
pub fn measure(circuit: &Circuit, target: &Target) -> Result<Metrics, Fault> {
    let fitted = fit::fitted(circuit, target)?;
    let mut metrics = Metrics::default();
    counts(&fitted, target, &mut metrics);
    times(&fitted, target, &mut metrics)?;
    lives(&fitted, &mut metrics);
    cover::measure(&fitted, &mut metrics);
    instructions::of_order(&fitted, target, &mut metrics);
    Ok(metrics)
}

/// All figures of a circuit's text on a target: a sequence of instructions is counted as it is written.
///
/// # Errors
/// As [`measure`].
pub fn measure_document(document: &Document, target: &Target) -> Result<Metrics, Fault> {
    let mut metrics = measure(&document.circuit, target)?;
    if target.two_operand && document.field("registers").is_some() {
        instructions::of_sequence(document, target, &mut metrics);
    }
    Ok(metrics)
}

fn counts(fitted: &Circuit, target: &Target, metrics: &mut Metrics) {
    metrics.count("gates", fitted.gates.len());
    metrics.count("ops", fitted.gates.len());
    metrics.count("depth", graph::depth(fitted) as usize);
    metrics.count("width", graph::width(fitted));
    metrics.count("and_count", fitted.gates.iter().map(|g| multiplications(g.function)).sum());
    if target.name.starts_with("cells:") {
        let area: f64 = fitted.gates.iter().map(|g| fit::size(target, g.function)).sum();
        metrics.set("area_um2", area);
        let nand = fit::size(target, Function::NAND);
        if nand.is_finite() {
            metrics.set("gate_equivalents", area / nand);
        }
    }
}

fn times(fitted: &Circuit, target: &Target, metrics: &mut Metrics) -> Result<(), Fault> {
    let rebuilt = fit::rebuilt(fitted, target);
    for (name, circuit) in [("cycles", fitted), ("cycles_rebuilt", &rebuilt)] {
        let schedule = schedule::exact(circuit, target, target.issue_width);
        schedule_check::check(circuit, target, target.issue_width, &schedule)?;
        metrics.count(name, schedule.length as usize);
        if schedule.bound < schedule.length {
            metrics.remarks.push(format!("{name}: not proved, at least {}", schedule.bound));
        }
    }
    let greedy = match target.issue_width {
        None => schedule::greedy(&rebuilt, target, None),
        Some(width) => schedule::greedy(fitted, target, Some(width)),
    };
    metrics.count("cycles_paper", greedy.length as usize);
    metrics.count("width_paper", graph::width(&rebuilt));
    if let Some(width) = schedule::least_width(fitted, target) {
        metrics.count("least_width", width as usize);
    }
    Ok(())
}

fn lives(fitted: &Circuit, metrics: &mut Metrics) {
    let written = live::in_order(fitted);
    metrics.count("temps", written.values);
    metrics.count("registers", written.registers);
    match live::best(fitted) {
        Some(least) => {
            metrics.count("temps_least", least.values);
            metrics.count("registers_least", least.registers);
        }
        None => metrics.remarks.push("temps_least, registers_least: too many orders to try".to_owned()),
    }
}
