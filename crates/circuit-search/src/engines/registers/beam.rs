//! A beam over the states of the register file, one layer for each number of instructions.

use super::distance::{Distances, FAR};
use super::machine::Machine;
use super::state::{fingerprint, mix, Action, Layer, Node, FREE, MOST_SCORE};
use super::word::Word;
use crate::engines::Control;

/// Parameters of one run.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    /// States kept in a layer.
    pub(super) width: usize,
    /// Range of the random part of a score; an instruction more to an output weighs 64.
    pub(super) noise: u64,
    pub(super) seed: u64,
    /// Most instructions of a sequence.
    pub(super) limit: usize,
}

/// States by layer; the last state of a path is one that holds every output.
pub(super) struct Run<W> {
    pub(super) layers: Vec<Vec<Node<W>>>,
    /// States that hold every output, after the fewest instructions found, fewest operations first.
    pub(super) goals: Vec<Node<W>>,
    /// Instructions of the goals.
    pub(super) instructions: usize,
    /// Whether it ran to its end.
    pub(super) finished: bool,
    /// States expanded.
    pub(super) expanded: u64,
}

/// Goals kept of one run.
const MOST_GOALS: usize = 64;

struct Search<'a, W> {
    machine: &'a Machine<W>,
    settings: Settings,
    distances: Distances<'a, W>,
    /// Layers that are being filled: the current one's first, kept only for its fingerprints.
    open: [Layer<W>; 3],
    run: Run<W>,
}

/// Runs one beam.
pub(super) fn run<W: Word>(machine: &Machine<W>, settings: Settings, control: &Control<'_>) -> Run<W> {
    let mut search = Search {
        machine,
        settings,
        distances: Distances::new(machine),
        open: [Layer::new(), Layer::new(), Layer::new()],
        run: Run {
            layers: vec![vec![Node::first(&machine.inputs)]],
            goals: Vec::new(),
            instructions: settings.limit + 1,
            finished: false,
            expanded: 0,
        },
    };
    search.layers(control);
    search.run
}

impl<W: Word> Search<'_, W> {
    fn layers(&mut self, control: &Control<'_>) {
        for depth in 0..self.settings.limit {
            if depth + 1 > self.run.instructions {
                break;
            }
            let nodes = std::mem::take(&mut self.run.layers[depth]);
            for (n, node) in nodes.iter().enumerate() {
                if n % 256 == 0 && (control.stopped)() {
                    self.run.layers[depth] = nodes;
                    return;
                }
                self.expand(node, n as u32, depth);
            }
            self.run.expanded += nodes.len() as u64;
            self.run.layers[depth] = nodes;
            self.open.rotate_left(1);
            self.open[2] = Layer::new();
            let next = self.open[0].take(self.settings.width);
            (control.progress)(&format!(
                "instruction {} of at most {}, {} states",
                depth + 1,
                self.settings.limit,
                next.len()
            ));
            self.run.layers.push(next);
        }
        self.run.finished = true;
    }

    fn expand(&mut self, node: &Node<W>, number: u32, depth: usize) {
        let machine = self.machine;
        let needed = needed_pairs(machine, node.values());
        let mut child = *node;
        (child.layer, child.parent) = (depth as u8, number);
        for (r, rule) in machine.unary.iter().enumerate() {
            for (i, &a) in node.values().iter().enumerate() {
                let action = Action { rule: r as u8, first: i as u8, second: i as u8, place: i as u8 };
                self.place(node, child, rule.apply(a, a), action, &needed, depth);
            }
        }
        for (r, rule) in machine.binary.iter().enumerate() {
            for (i, &a) in node.values().iter().enumerate() {
                let from = if rule.symmetric { i + 1 } else { 0 };
                for (j, &b) in node.values().iter().enumerate().skip(from).filter(|&(j, _)| j != i) {
                    let rule_number = (machine.unary.len() + r) as u8;
                    let action = Action { rule: rule_number, first: i as u8, second: j as u8, place: i as u8 };
                    self.place(node, child, rule.apply(a, b), action, &needed, depth);
                }
            }
        }
    }

    /// Every state that a result leads to: over its first operand, over the second if they can change places, and by
    /// a move into an unused register or over a third value.
    fn place(
        &mut self,
        node: &Node<W>,
        child: Node<W>,
        result: W,
        action: Action,
        needed: &[Vec<(u8, u8)>],
        depth: usize,
    ) {
        let machine = self.machine;
        if result == W::default() || result == machine.ones || node.values().contains(&result) {
            return;
        }
        let unary = action.first == action.second;
        let symmetric = !unary && machine.binary[usize::from(action.rule) - machine.unary.len()].symmetric;
        for place in 0..node.held {
            let over = place == action.first || symmetric && place == action.second;
            let third = place != action.first && place != action.second;
            let full = usize::from(node.held) == machine.registers;
            if (over || third && full) && splits(result, &needed[usize::from(place)]) {
                self.child(node, child, result, Action { place, ..action }, depth, !over);
            }
        }
        if usize::from(node.held) < machine.registers {
            self.child(node, child, result, Action { place: FREE, ..action }, depth, true);
        }
    }

    fn child(&mut self, node: &Node<W>, mut child: Node<W>, result: W, action: Action, depth: usize, moved: bool) {
        let ahead = 1 + usize::from(moved);
        if depth + ahead > self.run.instructions.min(self.settings.limit) {
            return;
        }
        (child.values, child.held) = node.with(result, action.place);
        let key = fingerprint(child.values());
        if self.open[0].seen.has(key) || (moved && self.open[1].seen.has(key)) || !self.open[ahead].seen.insert(key) {
            return;
        }
        child.action = action;
        child.moves += u8::from(moved);
        let noise = (mix(key ^ self.settings.seed) % self.settings.noise.max(1)) as u32;
        let cutoff = self.open[ahead].cutoff(child.moves).saturating_sub(noise);
        let Some(score) = self.score(&child, depth + ahead, cutoff) else {
            return;
        };
        if score == 0 {
            self.goal(child, depth + ahead);
        } else {
            self.open[ahead].push((score + noise).min(MOST_SCORE - 1), child, self.settings.width);
        }
    }

    /// 0 if every output is there; nothing if the instructions left cannot suffice, or if the score is not below the
    /// cutoff.
    fn score(&mut self, child: &Node<W>, used: usize, cutoff: u32) -> Option<u32> {
        let outputs = self.machine.outputs.iter().copied();
        let mut missing = [W::default(); 8];
        let mut count = 0;
        for output in outputs.filter(|o| !child.values().contains(o)) {
            missing[count] = output;
            count += 1;
        }
        let limit = self.settings.limit.min(self.run.instructions);
        if count == 0 {
            return Some(0);
        }
        if used + count > limit {
            return None;
        }
        self.distances.look(child.values());
        let mut distances = [0u8; 8];
        let (mut nearest, mut furthest) = (FAR, 0);
        for (n, &output) in missing[..count].iter().enumerate() {
            distances[n] = self.distances.of(output);
            let known = distances[n].min(4);
            (nearest, furthest) = (nearest.min(known), furthest.max(known));
        }
        let least = usize::from(furthest).max(usize::from(nearest) + count - 1);
        if used + least > limit {
            return None;
        }
        let score = self.together(child.values(), &missing[..count], &mut distances);
        (score < cutoff).then_some(score)
    }

    /// The weight of a least tree that reaches every missing output from the registers, or from another output by an
    /// exclusive or with what is near.
    fn together(&self, registers: &[W], missing: &[W], distances: &mut [u8; 8]) -> u32 {
        const WEIGHTS: [u32; 6] = [0, 64, 128, 192, 248, 296];
        let mut open: u8 = (1 << missing.len()) - 1;
        let mut score = 0;
        while open != 0 {
            let left = (0..missing.len()).filter(|n| open >> n & 1 == 1);
            let Some(next) = left.min_by_key(|&n| distances[n]) else { break };
            score += WEIGHTS[usize::from(distances[next])];
            open &= !(1 << next);
            for n in (0..missing.len()).filter(|n| open >> n & 1 == 1) {
                let between = self.distances.near(registers, missing[n] ^ missing[next]);
                distances[n] = distances[n].min(1 + between);
            }
        }
        score
    }

    fn goal(&mut self, node: Node<W>, instructions: usize) {
        if instructions < self.run.instructions {
            self.run.goals.clear();
            self.run.instructions = instructions;
        }
        self.run.goals.push(node);
        if self.run.goals.len() > 2 * MOST_GOALS {
            self.run.goals.sort_by_key(|g| u8::MAX - g.moves);
            self.run.goals.truncate(MOST_GOALS);
        }
    }
}

/// For each register the pairs of input values that only it tells apart of those that the outputs tell apart.
fn needed_pairs<W: Word>(machine: &Machine<W>, values: &[W]) -> Vec<Vec<(u8, u8)>> {
    let mut needed = vec![Vec::new(); values.len()];
    for &(p, q) in &machine.pairs {
        let mut only = None;
        let mut several = false;
        for (n, value) in values.iter().enumerate() {
            if value.bit(usize::from(p)) != value.bit(usize::from(q)) {
                several = only.is_some();
                if several {
                    break;
                }
                only = Some(n);
            }
        }
        if let (Some(n), false) = (only, several) {
            needed[n].push((p, q));
        }
    }
    needed
}

fn splits<W: Word>(value: W, pairs: &[(u8, u8)]) -> bool {
    pairs.iter().all(|&(p, q)| value.bit(usize::from(p)) != value.bit(usize::from(q)))
}
