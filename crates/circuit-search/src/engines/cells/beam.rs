//! A beam over sets of wires, one layer for each area.

use std::collections::HashSet;

use super::estimate::Estimate;
use super::library::Cells;
use crate::engines::registers::mix;
use crate::engines::Control;

/// Parameters of one run.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    /// Sets kept of one area.
    pub(super) width: usize,
    /// Range of the random part of an estimate, in hundredths of a unit.
    pub(super) noise: u64,
    pub(super) seed: u64,
    /// Most units.
    pub(super) limit: usize,
}

/// A set of wires: the one before it, and the cell that was added.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) value: u16,
    pub(super) cell: u8,
    /// Numbers of wires in order of their addition, inputs first.
    pub(super) operands: [u8; 4],
}

/// What a run found.
pub(super) struct Run {
    /// Every set that was expanded, and the complete ones; the first holds the inputs only.
    pub(super) nodes: Vec<Node>,
    /// Complete sets of the least area found.
    pub(super) goals: Vec<u32>,
    /// Units of the goals.
    pub(super) units: usize,
    pub(super) finished: bool,
    pub(super) expanded: u64,
}

/// Goals kept of one run.
const MOST_GOALS: usize = 64;

/// Sets of one area that wait to be expanded.
#[derive(Default)]
struct Layer {
    waiting: Vec<(u32, u64, Node)>,
    seen: HashSet<u64>,
    cutoff: Option<u32>,
}

impl Layer {
    fn push(&mut self, score: u32, key: u64, node: Node, width: usize) {
        if self.cutoff.is_some_and(|cutoff| score >= cutoff) || !self.seen.insert(key) {
            return;
        }
        self.waiting.push((score, key, node));
        if self.waiting.len() >= 2 * width {
            self.trim(width);
        }
    }

    /// Keeps the best, in an order that does not depend on that of their discovery.
    fn trim(&mut self, width: usize) {
        self.waiting.sort_unstable_by_key(|&(score, key, _)| (score, key));
        if self.waiting.len() > width {
            self.waiting.truncate(width);
            self.cutoff = self.waiting.last().map(|w| w.0);
        }
    }
}

/// Runs one beam.
pub(super) fn run(cells: &Cells, settings: Settings, control: &Control<'_>) -> Run {
    let start = Node { parent: 0, value: 0, cell: 0, operands: [0; 4] };
    let mut search = Search {
        cells,
        settings,
        estimate: Estimate::new(cells),
        layers: (0..=settings.limit).map(|_| Layer::default()).collect(),
        run: Run { nodes: vec![start], goals: Vec::new(), units: settings.limit + 1, finished: false, expanded: 0 },
    };
    search.layers(control);
    search.run
}

struct Search<'a> {
    cells: &'a Cells,
    settings: Settings,
    estimate: Estimate<'a>,
    layers: Vec<Layer>,
    run: Run,
}

impl Search<'_> {
    fn layers(&mut self, control: &Control<'_>) {
        self.expand(0, 0, 0);
        for units in 1..=self.settings.limit {
            if units >= self.run.units {
                break;
            }
            let mut layer = std::mem::take(&mut self.layers[units]);
            layer.trim(self.settings.width);
            for (n, &(_, key, node)) in layer.waiting.iter().enumerate() {
                if n % 64 == 0 && (control.stopped)() {
                    return;
                }
                self.run.nodes.push(node);
                self.expand(self.run.nodes.len() as u32 - 1, key, units);
            }
            let area = units as f64 * self.cells.unit;
            (control.progress)(&format!("area {area:.0} square micrometres, {} sets", layer.waiting.len()));
        }
        self.run.finished = true;
    }

    fn wires(&self, mut at: u32) -> Vec<u16> {
        let mut wires = Vec::with_capacity(32);
        while at != 0 {
            wires.push(self.run.nodes[at as usize].value);
            at = self.run.nodes[at as usize].parent;
        }
        wires.extend(self.cells.inputs.iter().rev());
        wires.reverse();
        wires
    }

    fn expand(&mut self, at: u32, key: u64, units: usize) {
        let wires = self.wires(at);
        if wires.len() >= usize::from(u8::MAX) {
            return;
        }
        self.run.expanded += 1;
        self.estimate.look(&wires);
        for n in 0..self.estimate.reached.len() {
            let value = self.estimate.reached[n];
            let way = self.estimate.way(value);
            let after = units + usize::from(way.size);
            if after > self.settings.limit || after > self.run.units {
                continue;
            }
            let node = Node { parent: at, value, cell: way.cell, operands: way.operands };
            // Sets are told apart by a sum, so that the order of addition does not matter.
            let key = key.wrapping_add(mix(u64::from(value) + 1));
            let left = self.estimate.after(value);
            if left == 0 {
                self.goal(node, after, &wires);
                continue;
            }
            let noise = mix(key ^ self.settings.seed) % self.settings.noise.max(1);
            self.layers[after].push(100 * left + noise as u32, key, node, self.settings.width);
        }
    }

    fn goal(&mut self, node: Node, units: usize, wires: &[u16]) {
        debug_assert_eq!(self.estimate.missing(wires, node.value), 0);
        if units < self.run.units {
            self.run.goals.clear();
            self.run.units = units;
        }
        if self.run.goals.len() < MOST_GOALS {
            self.run.nodes.push(node);
            self.run.goals.push(self.run.nodes.len() as u32 - 1);
        }
    }
}
