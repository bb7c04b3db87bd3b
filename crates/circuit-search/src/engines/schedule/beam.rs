//! Beam search over partial circuits whose every gate has a cycle.

use std::collections::HashSet;

use super::expand::{Expander, Order, FAR};
use super::machine::Machine;
use super::state::{State, Step};
use super::word::Word;
use crate::engines::Control;
use circuit::random::mix;

/// How wide, how long, how random.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// States kept after each gate.
    pub width: usize,
    /// Cycles, 1 to 64.
    pub deadline: u8,
    /// Most gates.
    pub gates: usize,
    /// How gates get their cycles.
    pub order: Order,
    /// What an output at distance 0 … 4 costs.
    pub costs: [f32; FAR as usize + 1],
    /// What doubt about an output adds (see [`Expander::distances`]).
    pub doubt: f32,
    /// Largest random addition to a state's cost.
    pub noise: f32,
    /// Seed of the noise.
    pub seed: u64,
    /// Most solutions kept.
    pub solutions: usize,
}

/// Levels without progress after which a beam gives up.
const IDLE: u32 = 10;

/// A gate added to a state.
#[derive(Clone, Copy)]
struct Candidate<W> {
    cost: f32,
    key: u64,
    parent: u32,
    table: W,
    step: Step,
}

/// What a beam found.
pub struct BeamResult<W> {
    /// Complete states with the fewest gates that it reached.
    pub states: Vec<State<W>>,
    /// False if it was stopped.
    pub finished: bool,
}

/// Runs one beam: gate by gate, until a level has a complete circuit that is accepted. Gates keep to the tables of
/// `within`, if given.
pub fn search<W: Word>(
    machine: &Machine<W>,
    inputs: &[W],
    outputs: &[W],
    parameters: &Parameters,
    within: Option<&HashSet<W>>,
    accept: &dyn Fn(&State<W>) -> bool,
    control: &Control<'_>,
) -> BeamResult<W> {
    let mut level = vec![State::new(inputs, outputs, parameters.deadline)];
    if level[0].missing == 0 {
        return BeamResult { states: level, finished: true };
    }
    let mut expander = Expander::new(machine, outputs, parameters.deadline, parameters.order).within(within);
    let (mut lowest, mut idle) = (f32::INFINITY, 0);
    for gates in 1..=parameters.gates {
        let mut pool = Pool::new(parameters.width);
        let mut complete: Vec<State<W>> = Vec::new();
        let Some(left) = slots(machine, parameters).checked_sub(gates) else { break };
        for (parent, state) in level.iter().enumerate() {
            if parent % 64 == 0 && (control.stopped)() {
                return BeamResult { states: complete, finished: false };
            }
            expander.list(state);
            expander.prepare(state);
            let mut distances = vec![0; outputs.len()];
            for n in 0..expander.gates.len() {
                let doubt = expander.distances(state, n, &mut distances);
                let gate = expander.gates[n];
                let Some(cost) = cost(&distances, left, parameters) else { continue };
                if cost == 0.0 {
                    let next = state.with(gate.table, gate.step, outputs);
                    if complete.len() < parameters.solutions && accept(&next) {
                        complete.push(next);
                    }
                    continue;
                }
                let key = state.key_with(gate.table);
                let noise = (mix(key ^ parameters.seed) >> 40) as f32 / (1u64 << 24) as f32 * parameters.noise;
                let parent = parent as u32;
                pool.offer(Candidate {
                    cost: cost + noise + parameters.doubt * doubt,
                    key,
                    parent,
                    table: gate.table,
                    step: gate.step,
                });
            }
        }
        (control.progress)(&format!(
            "{} cycles, gate {gates}: {} states, {} complete",
            parameters.deadline,
            level.len(),
            complete.len()
        ));
        if !complete.is_empty() {
            return BeamResult { states: complete, finished: true };
        }
        let kept = pool.best();
        // Gates that bring no output nearer, several times over: what is missing lies beyond the deadline.
        let cheapest = kept.first().map_or(f32::INFINITY, |c| c.cost.floor());
        (lowest, idle) = if cheapest < lowest { (cheapest, 0) } else { (lowest, idle + 1) };
        if idle >= IDLE {
            break;
        }
        level = kept.iter().map(|c| level[c.parent as usize].with(c.table, c.step, outputs)).collect();
        if level.is_empty() {
            break;
        }
    }
    BeamResult { states: Vec::new(), finished: true }
}

/// Operations that fit into the cycles.
fn slots<W>(machine: &Machine<W>, parameters: &Parameters) -> usize {
    let cycles = match machine.width {
        u8::MAX => usize::MAX / 2,
        width => usize::from(width) * usize::from(parameters.deadline),
    };
    cycles.min(parameters.gates)
}

/// The cost of a state, none if its outputs need more gates than are left.
fn cost(distances: &[u8], left: usize, parameters: &Parameters) -> Option<f32> {
    let missing = distances.iter().filter(|&&d| d > 0).count();
    let nearest = distances.iter().copied().filter(|&d| d > 0).min().unwrap_or(0);
    let fewest = missing + usize::from(nearest.saturating_sub(1));
    (fewest <= left).then(|| distances.iter().map(|&d| parameters.costs[usize::from(d)]).sum())
}

/// The cheapest candidates, each set of tables once.
struct Pool<W> {
    width: usize,
    limit: f32,
    candidates: Vec<Candidate<W>>,
}

impl<W: Word> Pool<W> {
    fn new(width: usize) -> Self {
        Pool { width, limit: f32::INFINITY, candidates: Vec::new() }
    }

    fn offer(&mut self, candidate: Candidate<W>) {
        if candidate.cost < self.limit {
            self.candidates.push(candidate);
            if self.candidates.len() >= 8 * self.width {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        self.candidates
            .sort_unstable_by(|a, b| a.key.cmp(&b.key).then(a.cost.total_cmp(&b.cost)).then(a.parent.cmp(&b.parent)));
        self.candidates.dedup_by_key(|c| c.key);
        if self.candidates.len() > self.width {
            let order = |a: &Candidate<W>, b: &Candidate<W>| a.cost.total_cmp(&b.cost).then(a.key.cmp(&b.key));
            self.candidates.select_nth_unstable_by(self.width, order);
            self.limit = self.candidates[self.width].cost;
            self.candidates.truncate(self.width);
        }
    }

    fn best(mut self) -> Vec<Candidate<W>> {
        self.shrink();
        self.candidates.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.key.cmp(&b.key)));
        self.candidates
    }
}
