//! The tree of choices for one order: which tables, then how each byte's words come from them.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use crate::cost::{Cost, Front};
use crate::layout::{shape, write, Layout};
use crate::pattern::Operator;
use crate::prepared::{Derivation, ProblemContext};
use crate::search::{Class, Family, Ground, Load, Part, Vocabulary};
use crate::sums::solve;

/// Look-ups, all and off words' places.
type Price = (u32, u32);

pub(crate) struct Tree<'a, 'b> {
    run: &'a Ground<'b>,
    ready: &'a ProblemContext<'a>,
    family: Family,
    vocabulary: &'a Vocabulary,
    /// The ways that the chosen tables allow.
    active: Vec<Vec<Vec<Derivation>>>,
    /// Look-ups so far, by kind.
    loads: Vec<Vec<Load>>,
    tables: u128,
    classes: Vec<Class>,
    known_sums: HashMap<Vec<Class>, u32>,
    /// Where choices met before: classes so far, and the look-ups (all, misaligned) that they took.
    seen: HashMap<(usize, Vec<Class>), Vec<Price>>,
    pub(crate) front: Front<()>,
    pub(crate) found: Vec<(Cost, Layout)>,
    pub(crate) nodes: u64,
}

impl<'a, 'b> Tree<'a, 'b> {
    pub(crate) fn new(
        run: &'a Ground<'b>,
        ready: &'a ProblemContext<'a>,
        (family, vocabulary): (Family, &'a Vocabulary),
        front: Front<()>,
    ) -> Self {
        Tree {
            run,
            ready,
            family,
            vocabulary,
            active: Vec::new(),
            loads: Vec::new(),
            tables: 0,
            classes: Vec::new(),
            known_sums: HashMap::new(),
            seen: HashMap::new(),
            front,
            found: Vec::new(),
            nodes: 0,
        }
    }

    /// Decides about table `next` and those after it, `left` of which are taken, then searches with what is chosen.
    pub(crate) fn choose(&mut self, next: usize, excluded: u128, left: usize) {
        self.nodes += 1;
        if self.nodes > self.run.most_nodes || self.nodes % 1024 == 0 && self.run.stopped.load(Ordering::Relaxed) {
            self.nodes = self.nodes.max(self.run.most_nodes.saturating_add(1));
            return;
        }
        let mut derived = false;
        let mut misaligned = 0;
        for source in &self.ready.sources {
            if source.tables & !excluded == 0 {
                return;
            }
            derived |= source.plain & !excluded == 0;
            if source.aligned & !excluded == 0 {
                misaligned += source.times;
            }
        }
        let mut least = self.bound(0, false);
        least.table_bytes += self.ready.bytes[next..].iter().min().map_or(0, |&b| b * left as u32);
        least.misaligned_references = misaligned;
        match self.vocabulary.operators.first().filter(|_| derived) {
            Some(Operator::Rotate(_)) => least.rotations += 1,
            Some(Operator::Mask(_)) => least.masks += 1,
            Some(_) => least.shifts += 1,
            None => {}
        }
        if self.front.covers(&least) {
            return;
        }
        if next == self.ready.candidates.len() {
            if left > 0 {
                return;
            }
            let allowed = |w: &Vec<Derivation>| {
                let mut all: Vec<_> = w.iter().copied().filter(|d| self.tables >> d.table & 1 == 1).collect();
                if self.family == Family::Windows {
                    // One place is as good as another, but for whether it is a word's.
                    all.sort_by_key(|d| d.offset % self.run.lanes != 0);
                    all.truncate(1);
                }
                all
            };
            self.active = self.ready.ways.iter().map(|kind| kind.iter().map(allowed).collect()).collect();
            self.seen.clear();
            self.enter(0);
            return;
        }
        let (table, before) = (1 << next, self.tables);
        let is_free = self.ready.free & table != 0;
        if is_free || left > 0 {
            self.tables |= table;
            self.choose(next + 1, excluded, left - usize::from(!is_free));
            self.tables = before;
        }
        if !is_free {
            self.choose(next + 1, excluded | table, left);
        }
    }

    /// What the choices so far cost at least. With `exact`, the exclusive ors are those of the classes so far.
    fn bound(&mut self, kind: usize, exact: bool) -> Cost {
        let mut cost = Cost { table_bytes: self.run.second_bytes, ..Cost::default() };
        let mut tables = self.tables & !self.ready.free;
        while tables != 0 {
            cost.table_bytes += self.ready.bytes[tables.trailing_zeros() as usize];
            tables &= tables - 1;
        }
        for (loads, kind) in self.loads.iter().zip(&self.ready.problem.kinds) {
            let times = kind.members.len() as u32;
            for load in loads {
                cost.references += times;
                cost.misaligned_references += times * u32::from(load.offset % self.run.lanes != 0);
            }
        }
        cost.references += self.ready.open[kind];
        let mut additions = 0;
        for operator in self.applied() {
            match self.vocabulary.operators[operator] {
                Operator::Rotate(_) => cost.rotations += 1,
                Operator::Up(_) | Operator::Down(_) => cost.shifts += 1,
                Operator::Mask(_) => cost.masks += 1,
                Operator::TwoShifts(_) => {
                    cost.shifts += 2;
                    additions += 1;
                }
            }
        }
        cost.xors = additions + cost.references.saturating_sub(self.run.words as u32).max(self.ready.least_sums);
        if exact {
            let classes = self.classes.len() as u32;
            cost.xors = cost.xors.max(additions + cost.references - classes + self.sums());
        }
        cost
    }

    /// The operators of the classes so far, once for each sum that they are applied to.
    fn applied(&self) -> Vec<usize> {
        let mut all: Vec<(usize, u64)> = Vec::new();
        for word in 0..self.run.words {
            let first = all.len();
            for (n, class) in self.classes.iter().enumerate() {
                let Some(operator) = class.part(word).operator else { continue };
                match all[first..].iter_mut().find(|a| a.0 == operator) {
                    Some(known) => known.1 |= 1 << n,
                    None => all.push((operator, 1 << n)),
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|a| a.0).collect()
    }

    /// Exclusive ors that combine one look-up of each class.
    fn sums(&mut self) -> u32 {
        let mut key = self.classes.clone();
        key.sort_unstable();
        if let Some(&known) = self.known_sums.get(&key) {
            return known;
        }
        let count = solve(&shape(&key, self.run.words, self.vocabulary).task).steps.len() as u32;
        self.known_sums.insert(key, count);
        count
    }

    fn enter(&mut self, kind: usize) {
        let cost = self.bound(kind, kind > 0);
        if self.front.covers(&cost) || !self.run.is_allowed(&cost) {
            return;
        }
        if kind == self.ready.problem.kinds.len() {
            self.finish(cost);
            return;
        }
        let mut classes = self.classes.clone();
        classes.sort_unstable();
        let been = self.seen.entry((kind, classes)).or_default();
        let price = (cost.references, cost.misaligned_references);
        if been.iter().any(|known| known.0 <= price.0 && known.1 <= price.1) {
            return;
        }
        been.push(price);
        self.loads.push(Vec::new());
        self.word(kind, 0);
        self.loads.pop();
    }

    /// Keeps a finished choice, with each set of its narrow tables whose entries are as wide as what they hold.
    fn finish(&mut self, least: Cost) {
        let used =
            (0..self.ready.candidates.len()).filter(|&t| self.tables >> t & 1 == 1 && self.ready.free >> t & 1 == 0);
        let narrow: Vec<usize> =
            used.filter(|&t| self.ready.candidates[t].width < self.ready.candidates[t].entry).collect();
        for set in 0..1u32 << narrow.len() {
            let mut cost = least;
            let mut candidates = self.ready.candidates.clone();
            for (n, &table) in narrow.iter().enumerate() {
                let candidate = &mut candidates[table];
                if set >> n & 1 == 0 {
                    cost.table_bytes += ((candidate.entry - candidate.width) * 256) as u32;
                    continue;
                }
                candidate.entry = candidate.width;
                for (loads, kind) in self.loads.iter().zip(&self.ready.problem.kinds) {
                    let times = loads.iter().filter(|l| l.table == table).count() * kind.members.len();
                    cost.narrow_references += times as u32;
                }
            }
            if self.front.covers(&cost) {
                continue;
            }
            let how = (self.family, self.vocabulary);
            let layout = write(self.ready.problem, &self.loads, &candidates, how, self.run.lanes, cost);
            self.front.add(cost, || ());
            self.found.push((cost, layout));
        }
    }

    fn word(&mut self, kind: usize, word: usize) {
        self.nodes += 1;
        if self.nodes > self.run.most_nodes || self.nodes % 1024 == 0 && self.run.stopped.load(Ordering::Relaxed) {
            self.nodes = self.nodes.max(self.run.most_nodes.saturating_add(1));
            return;
        }
        if word == self.run.words {
            let is_itself = |l: &Load| (0..word).any(|w| l.class.part(w) == Part { identity: true, operator: None });
            if self.family == Family::Shifts && word > 1 && !self.loads[kind].iter().all(is_itself) {
                return;
            }
            let classes = self.classes.len();
            for n in 0..self.loads[kind].len() {
                let class = self.loads[kind][n].class;
                if !self.classes.contains(&class) {
                    self.classes.push(class);
                }
            }
            self.enter(kind + 1);
            self.classes.truncate(classes);
            return;
        }
        if self.ready.problem.kinds[kind].unit.patterns[word] == 0 {
            self.word(kind, word + 1);
            return;
        }
        for n in 0..self.active[kind][word].len() {
            let way = self.active[kind][word][n];
            let known = self.loads[kind].iter().position(|l| l.table == way.table && l.offset == way.offset);
            let plain = way.part.operator.is_none();
            if let Some(place) = known {
                if !plain && self.loads[kind].len() > 1 {
                    continue;
                }
                let before = self.loads[kind][place].class;
                self.loads[kind][place].class = before.with(word, way.part);
                self.word(kind, word + 1);
                self.loads[kind][place].class = before;
                continue;
            }
            // Several look-ups of a byte give their words as they are.
            let derives = |l: &Load| (0..self.run.words).any(|w| l.class.part(w).operator.is_some());
            let is_further = !self.loads[kind].is_empty();
            if is_further && (!plain || self.loads[kind].iter().any(derives)) {
                continue;
            }
            self.loads[kind].push(Load {
                table: way.table,
                offset: way.offset,
                class: Class::default().with(word, way.part),
            });
            let cost = self.bound(kind + 1, false);
            if !self.front.covers(&cost) {
                self.word(kind, word + 1);
            }
            self.loads[kind].pop();
        }
    }
}
