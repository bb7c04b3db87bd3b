//! Circuits of 8-bit boxes that are inversion in GF(2^8) between affine maps, over the tower GF(((2^2)^2)^2).
//!
//! A unit takes one basis of the field over GF(2^4) and tries all constructions that follow from it: three classes of
//! forms for each factor, the choice of gates for the products (see [`absorb`]), the bits in which the norm is had and
//! the circuit from there to its inverse (see [`core`]). Linear layers are minimized by [`circuit::linear`], and the whole
//! at the end by [`crate::exchange`]. The construction with few products is that of Boyar and Peralta (2010); the
//! layers and the circuits are searched.

pub mod absorb;
pub mod assemble;
pub mod bilinear;
pub mod core;
pub mod equivalence;
pub mod field;
pub mod layers;

use std::collections::BTreeMap;

use self::absorb::{norms, Norm};
use self::assemble::{Levels, Plan};
use self::bilinear::{products, Product};
use self::core::Question;
use self::equivalence::Inversion;
use self::layers::{Frame, FRAMES};
use crate::engines::{Control, Engine, Step};
use crate::exchange::circuit::{assemble, improve};
use circuit::circuit::Circuit;
use circuit::function::Function;
use circuit::linear::vectors::NEVER;
use circuit::linear::{attempt, Matrix, Options};
use circuit::problem::{Metric, Problem};
use circuit::random::Random;

/// The engine.
pub struct Tower;

impl Engine for Tower {
    fn name(&self) -> &'static str {
        "tower"
    }

    fn description(&self) -> &'static str {
        "inversion in GF(2^8) between affine maps, over a tower of fields"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let gates = [Function::AND, Function::ANDNOT, Function::OR, Function::XOR];
        if gates.iter().all(|&g| problem.target.has(g)) && Inversion::of(&problem.sbox).is_some() {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let Some(inversion) = Inversion::of(&problem.sbox) else { return Step::default() };
        let seed = problem.seed.wrapping_mul(1 << 32).wrapping_add(unit / FRAMES);
        let frame = Frame::number(&inversion, unit);
        let effort = format!("tower, basis {} of {FRAMES}, seed {}", unit % FRAMES, unit / FRAMES);
        let levels = match problem.objective.first() {
            Some(Metric::Depth | Metric::Cycles) => Levels::SIXTEEN,
            _ => Levels::FREE,
        };
        let mut search =
            Search { problem, inversion: &inversion, frame: &frame, control, random: Random::new(seed), seed, levels };
        let circuits = search.run();
        Step { circuits, bounds: Vec::new(), effort, finished: !(control.stopped)() }
    }
}

/// How the norm is had, and the functions that lead from it to its inverse.
type Middle = (Norm, Question, Vec<u16>);

/// One basis of the field.
struct Search<'a> {
    problem: &'a Problem,
    inversion: &'a Inversion,
    frame: &'a Frame,
    control: &'a Control<'a>,
    random: Random,
    seed: u64,
    levels: Levels,
}

/// Three classes of forms for each of `a`, `b` and `d`, and what the linear layers cost at first sight.
struct Layout<'p> {
    cost: usize,
    first: Vec<&'p Product>,
    outer: [&'p Product; 2],
}

impl Search<'_> {
    fn run(&mut self) -> Vec<Circuit> {
        let all = products();
        let mut circuits = Vec::new();
        let mut layouts = self.layouts(&all);
        layouts.sort_by_key(|l| l.cost);
        for layout in layouts.iter().take(2) {
            if (self.control.stopped)() {
                break;
            }
            (self.control.progress)(&format!("linear layers of {} XORs", layout.cost));
            circuits.extend(self.build(layout));
        }
        circuits
    }

    /// Every combination of classes, with short programs of its two layers.
    fn layouts<'p>(&self, all: &'p [Product]) -> Vec<Layout<'p>> {
        let mut by_classes: BTreeMap<(u8, u8), Vec<&Product>> = BTreeMap::new();
        all.iter().for_each(|p| by_classes.entry((p.left, p.right)).or_default().push(p));
        let quick = Options { patience: 150, starts: 1, seed: self.seed, ..Options::default() };
        let mut known: BTreeMap<Vec<u128>, usize> = BTreeMap::new();
        let mut cost = |matrix: Matrix| {
            let mut columns = matrix.rows.clone();
            columns.sort_unstable();
            *known.entry(columns).or_insert_with(|| {
                let (arrival, last) =
                    if matrix.inputs == 8 { (0, self.levels.top) } else { (self.levels.core + 1, self.levels.last) };
                let found = shortest(&matrix, &quick, &vec![arrival; matrix.inputs], last, self.control.stopped);
                found.map_or(usize::MAX / 4, |sums| sums.len())
            })
        };
        let mut layouts = Vec::new();
        for ((left, right), first) in &by_classes {
            let top = cost(self.frame.top(first[0]));
            for inner in 0..32 {
                let (Some(a), Some(b)) = (by_classes.get(&(*left, inner)), by_classes.get(&(*right, inner))) else {
                    continue;
                };
                if (self.control.stopped)() {
                    return layouts;
                }
                let bottom = cost(self.frame.bottom(a[0], b[0]));
                layouts.push(Layout { cost: top + bottom, first: first.clone(), outer: [a[0], b[0]] });
            }
        }
        layouts
    }

    fn build(&mut self, layout: &Layout<'_>) -> Option<Circuit> {
        let options = Options { patience: 2500, seed: self.seed, starts: 6, ..Options::default() };
        let stopped = self.control.stopped;
        let top = shortest(&self.frame.top(layout.first[0]), &options, &[], self.levels.top, stopped)?;
        let late = vec![self.levels.core + 1; 18];
        let bottom = self.frame.bottom(layout.outer[0], layout.outer[1]);
        let bottom = shortest(&bottom, &options, &late, self.levels.last, stopped)?;
        let (norm, question, core) = self.middle(layout, &top)?;
        let about = top.len() + bottom.len() + 27 + norm.cost + core.len();
        (self.control.progress)(&format!("about {about} gates"));
        let plan = Plan {
            inversion: self.inversion,
            frame: self.frame,
            product: layout.first[norm.product],
            norm: &norm,
            question: &question,
            core: &core,
            outer: layout.outer,
            bottom: &bottom,
            options: &options,
            levels: &self.levels,
        };
        let circuit = assemble(8, &plan.gates(), &self.problem.sbox.tables())?;
        let depth = self.levels.bounded().then_some(self.levels.last);
        Some(improve(&circuit, depth, (2500, 1), &mut self.random, stopped))
    }

    /// The cheapest pair of norm and core.
    fn middle(&mut self, layout: &Layout<'_>, top: &[u128]) -> Option<Middle> {
        let mut best: Option<(usize, Middle)> = None;
        let limit = if self.levels.bounded() { self.levels.core } else { NEVER - 1 };
        let arrival = if self.levels.bounded() { [self.levels.norm; 4] } else { [0; 4] };
        for norm in norms(self.frame, &layout.first, top, 24) {
            if best.as_ref().is_some_and(|b| norm.cost + 17 > b.0) || (self.control.stopped)() {
                break;
            }
            let question = Question { basis: norm.basis, classes: layout.outer[0].right, arrival, limit };
            for _ in 0..2 {
                let Some(core) = question.search(800, &mut self.random, self.control.stopped) else { continue };
                let cost = norm.cost + core.len();
                if best.as_ref().map_or(true, |b| cost < b.0) {
                    best = Some((cost, (norm.clone(), question.clone(), core)));
                }
            }
        }
        let (_, (norm, question, core)) = best?;
        let deeper = (0..6).filter_map(|_| question.search(3000, &mut self.random, self.control.stopped));
        let core = deeper.chain(std::iter::once(core)).min_by_key(Vec::len)?;
        Some((norm, question, core))
    }
}

/// The sums of the shortest program of a few starts.
fn shortest(
    matrix: &Matrix,
    options: &Options,
    arrival: &[u32],
    last: u32,
    stopped: &dyn Fn() -> bool,
) -> Option<Vec<u128>> {
    let limits = if last < Levels::FREE.top { vec![last; matrix.rows.len()] } else { Vec::new() };
    let options = Options { arrival: arrival.to_vec(), limits, ..options.clone() };
    let programs = (0..options.starts).filter_map(|start| attempt(matrix, &options, start, stopped));
    programs.min_by_key(|p| p.steps.len()).map(|p| p.sums()[matrix.inputs..].to_vec())
}

#[cfg(test)]
mod tests;
