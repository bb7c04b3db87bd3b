//! The walk over all sets of gates, one of each orbit, for every box at once.
//!
//! Claim refuted or found: a box of `m` outputs has a circuit of `free + m` gates. Every circuit has an output whose
//! cone holds no other output; take one whose cone has the fewest other gates, `c` of them. So it is enough to look at
//! all sets of `c` gates, 0 to `free`, that one output can use up entirely, and to complete each by `free - c` gates
//! and the other outputs. Sets are taken one of each orbit and compared with all 384 forms of each box.
//!
//! In a cone of `c` gates some gate is read by the output alone. It is added last, to a set of `c - 1` gates; of those
//! no more than one may be left that neither another of them nor the last gate can read, for the output must read it.
//! For `c = free` the last two gates are added so, to a set of `free - 2`. Where several gates could be the last, one of
//! the largest class (of functions that symmetries turn into each other) is taken.
//!
//! Cones that leave three gates or more to be found are collected first, and one of each orbit is completed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::orbits::{gates, normal, Layer, Normal, Set, Symmetries, EMPTY};
use super::state::{MissingOutputs, State};

/// The boxes, in all their forms, by output.
pub struct Forms {
    forms: Vec<(usize, MissingOutputs)>,
    classes: Vec<u16>,
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Forms {
    /// All forms of boxes given by their outputs (any functions of four inputs).
    #[must_use]
    pub fn new(symmetries: &Symmetries, boxes: &[Vec<u16>]) -> Self {
        let mut forms: Vec<(usize, Vec<Normal>)> = Vec::new();
        for (n, outputs) in boxes.iter().enumerate() {
            for k in 0..symmetries.len() {
                let mut images: Vec<Normal> = outputs.iter().map(|&y| symmetries.image(k, normal(y))).collect();
                images.sort_unstable();
                images.dedup();
                forms.push((n, images));
            }
        }
        forms.sort_unstable();
        forms.dedup();
        let mut by_output: Vec<(Normal, u32)> = Vec::new();
        for (id, (_, outputs)) in forms.iter().enumerate() {
            by_output.extend(outputs.iter().map(|&y| (y, id as u32)));
        }
        by_output.sort_unstable();
        let start = |f: usize| by_output.partition_point(|&(y, _)| usize::from(y >> 1) < f) as u32;
        Forms {
            classes: symmetries.classes(),
            starts: (0..=1 << 15).map(start).collect(),
            entries: by_output.iter().map(|&(_, id)| id).collect(),
            forms: forms.iter().map(|(n, outputs)| (*n, MissingOutputs::new(outputs))).collect(),
        }
    }

    fn class(&self, f: Normal) -> u16 {
        self.classes[usize::from(f >> 1)]
    }

    fn with(&self, y: Normal) -> &[u32] {
        let f = usize::from(y >> 1);
        &self.entries[self.starts[f] as usize..self.starts[f + 1] as usize]
    }
}

/// What a walk counted and found.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Sets of gates taken as the cone of an output, by their number of gates.
    pub cones: Vec<u64>,
    /// Outputs of boxes met there.
    pub outputs: Vec<u64>,
    /// Sets looked at while completing them.
    pub completions: u64,
    /// Boxes that have such a circuit: which, and its gates as functions (in the form's inputs).
    pub found: Vec<(usize, Vec<Normal>)>,
}

impl Tally {
    /// Adds another's counts.
    pub fn add(&mut self, other: &Tally) {
        let sum = |to: &mut Vec<u64>, from: &[u64]| {
            to.resize(to.len().max(from.len()), 0);
            to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        };
        sum(&mut self.cones, &other.cones);
        sum(&mut self.outputs, &other.outputs);
        self.completions += other.completions;
        self.found.extend(other.found.iter().cloned());
    }
}

/// A cone and its output, to be completed by the box's other outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// Gates beside the output.
    pub gates: usize,
    /// The gates.
    pub cone: Set,
    /// The output.
    pub output: Normal,
    /// The box's other outputs.
    pub missing: MissingOutputs,
    /// Which box.
    pub owner: usize,
}

impl Job {
    /// The least of the forms that symmetries give it.
    #[must_use]
    pub fn canonical(&self, symmetries: &Symmetries) -> Job {
        (0..symmetries.len()).map(|n| self.image(symmetries, n)).min().unwrap_or(*self)
    }

    fn image(&self, symmetries: &Symmetries, n: usize) -> Job {
        let mut job = *self;
        job.cone[..self.gates].iter_mut().for_each(|f| *f = symmetries.image(n, *f));
        job.cone[..self.gates].sort_unstable();
        job.output = symmetries.image(n, self.output);
        let mut missing: Vec<Normal> = self.missing.get().iter().map(|&f| symmetries.image(n, f)).collect();
        missing.sort_unstable();
        job.missing = MissingOutputs::new(&missing);
        job
    }
}

/// One thread's walk.
pub struct Walker<'a> {
    forms: &'a Forms,
    /// Gates beside the outputs.
    free: usize,
    /// Boxes that need no further look.
    solved: &'a [AtomicBool],
    state: State,
    operands: Vec<u32>,
    tally: Tally,
    /// Cones that leave three gates or more to be found.
    pub jobs: Vec<Job>,
}

impl<'a> Walker<'a> {
    /// A walk for circuits of `free` gates beside the outputs; `solved` has a flag for each box.
    #[must_use]
    pub fn new(forms: &'a Forms, free: usize, solved: &'a [AtomicBool]) -> Self {
        let tally = Tally { cones: vec![0; free + 1], outputs: vec![0; free + 1], ..Tally::default() };
        Walker { forms, free, solved, state: State::new(), operands: vec![0; 1 << 15], tally, jobs: Vec::new() }
    }

    /// The counts so far.
    #[must_use]
    pub fn tally(mut self) -> Tally {
        self.tally.completions = self.state.visited;
        self.tally
    }

    /// Looks at the cones that hold a set of a layer of at most `free - 2` gates and one or two gates more.
    pub fn visit(&mut self, layer: &Layer, n: usize) {
        let set = &layer.sets[n][..layer.gates];
        if set.is_empty() {
            self.outputs_of_inputs();
        }
        set.iter().for_each(|&f| self.state.push(f));
        self.note_operands(true);
        let used = set.iter().fold(0, |bits, &f| bits | self.operands[usize::from(f >> 1)]);
        let unused = (((1 << set.len()) - 1) << 4) & !used;
        for n in 0..self.state.candidates().len() {
            let gate = self.state.candidates()[n];
            if !set.contains(&gate) {
                self.one_more(gate, unused & !self.operands[usize::from(gate >> 1)]);
            }
        }
        self.note_operands(false);
        set.iter().for_each(|_| self.state.pop());
    }

    fn outputs_of_inputs(&mut self) {
        for y in self.state.candidates().to_vec() {
            self.tally.cones[0] += 1;
            self.complete(y, 0, None);
        }
    }

    /// For each function one gate away, which nodes can be its operands (bit = node).
    fn note_operands(&mut self, set: bool) {
        let nodes = self.state.nodes();
        for (n, &a) in nodes.iter().enumerate() {
            for (k, &b) in nodes[..n].iter().enumerate() {
                for f in gates(a, b) {
                    let entry = &mut self.operands[usize::from(f >> 1)];
                    *entry = if set { *entry | 1 << n | 1 << k } else { 0 };
                }
            }
        }
    }

    fn one_more(&mut self, gate: Normal, unused: u32) {
        let cone = self.state.nodes().len() - 3;
        let class = self.forms.class(gate);
        if bits(unused).any(|n| self.forms.class(self.state.nodes()[n]) > class) {
            return;
        }
        if unused.count_ones() <= 1 {
            self.tally.cones[cone] += 1;
            for y in self.using_up(gate, unused) {
                if !self.forms.with(y).is_empty() && !self.state.near(y) {
                    self.complete(y, cone, Some(gate));
                }
            }
        }
        if cone + 1 == self.free && unused.count_ones() <= 2 {
            self.two_more(gate, unused);
        }
    }

    /// Outputs that read the last gate and the one other that nothing else reads.
    fn using_up(&self, gate: Normal, unused: u32) -> impl Iterator<Item = Normal> {
        let nodes = self.state.nodes();
        let others = if unused == 0 { nodes } else { &nodes[unused.trailing_zeros() as usize..][..1] };
        let mut all = [0; 5 * 20];
        let len = 5 * others.len();
        for (five, &x) in all.chunks_mut(5).zip(others) {
            five.copy_from_slice(&gates(gate, x));
        }
        all.into_iter().take(len).filter(|&y| y != 0)
    }

    fn complete(&mut self, y: Normal, cone: usize, gate: Option<Normal>) {
        for &id in self.forms.with(y) {
            let (owner, outputs) = self.forms.forms[id as usize];
            let missing = outputs.without(y);
            // An output that is near already has a smaller cone: that set is looked at elsewhere.
            if self.solved[owner].load(Ordering::Relaxed)
                || missing.get().iter().any(|&f| self.state.near(f)) && cone > 0
            {
                continue;
            }
            self.tally.outputs[cone] += 1;
            if self.free - cone >= 3 {
                self.jobs.push(self.job(y, missing, owner, gate));
                continue;
            }
            gate.into_iter().chain([y]).for_each(|f| self.state.push(f));
            if self.state.complete(missing, self.free - cone, 0) {
                self.solve(owner);
            }
            gate.into_iter().chain([y]).for_each(|_| self.state.pop());
        }
    }

    fn job(&self, output: Normal, missing: MissingOutputs, owner: usize, gate: Option<Normal>) -> Job {
        let mut cone = EMPTY;
        let gates = self.state.nodes()[4..].iter().copied().chain(gate);
        let count = gates.zip(&mut cone).map(|(f, to)| *to = f).count();
        cone[..count].sort_unstable();
        Job { gates: count, cone, output, missing, owner }
    }

    /// Completes a cone.
    pub fn run(&mut self, job: &Job) {
        if self.solved[job.owner].load(Ordering::Relaxed) {
            return;
        }
        let nodes = || job.cone[..job.gates].iter().copied().chain([job.output]);
        nodes().for_each(|f| self.state.push(f));
        if self.state.complete(job.missing, self.free - job.gates, 0) {
            self.solve(job.owner);
        }
        nodes().for_each(|_| self.state.pop());
    }

    fn solve(&mut self, owner: usize) {
        self.solved[owner].store(true, Ordering::Relaxed);
        self.tally.found.push((owner, self.state.found()));
    }

    /// The largest cones: all free gates are in it, so that only outputs follow.
    fn two_more(&mut self, gate: Normal, unused: u32) {
        let place = self.state.nodes().len();
        let mut changed = Vec::with_capacity(5 * place);
        for n in 0..place {
            for f in gates(gate, self.state.nodes()[n]) {
                let entry = &mut self.operands[usize::from(f >> 1)];
                changed.push((f, *entry));
                *entry |= 1 << place | 1 << n;
            }
        }
        self.state.push(gate);
        let unused = unused | 1 << place;
        for n in 0..self.state.candidates().len() {
            let last = self.state.candidates()[n];
            let left = unused & !self.operands[usize::from(last >> 1)];
            let class = self.forms.class(last);
            if left.count_ones() <= 1
                && bits(left).all(|n| self.forms.class(self.state.nodes()[n]) <= class)
                && !self.state.nodes().contains(&last)
            {
                self.tally.cones[self.free] += 1;
                self.finish(last, left);
            }
        }
        self.state.pop();
        changed.into_iter().rev().for_each(|(f, entry)| self.operands[usize::from(f >> 1)] = entry);
    }

    fn finish(&mut self, last: Normal, unused: u32) {
        let others = if unused == 0 {
            0..self.state.nodes().len()
        } else {
            unused.trailing_zeros() as usize..unused.trailing_zeros() as usize + 1
        };
        for n in others {
            for y in gates(last, self.state.nodes()[n]) {
                if !self.forms.with(y).is_empty() && !self.state.near(y) {
                    self.finish_with(last, y);
                }
            }
        }
    }

    fn finish_with(&mut self, last: Normal, y: Normal) {
        for &id in self.forms.with(y) {
            let (owner, outputs) = self.forms.forms[id as usize];
            if outputs.get().iter().any(|&f| self.state.near(f)) || self.solved[owner].load(Ordering::Relaxed) {
                continue;
            }
            self.tally.outputs[self.free] += 1;
            if self.state.finishes(&[last, y], outputs.without(y)) {
                self.solve(owner);
            }
        }
    }
}

fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = set.trailing_zeros();
        (set != 0).then(|| set &= set - 1)?;
        Some(n as usize)
    })
}
