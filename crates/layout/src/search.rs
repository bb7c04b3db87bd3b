//! The search: every order, every choice of tables and derivations of a family, kept where no other layout is as good.
//!
//! The space is stated in `docs/layouts.md`. A choice is given up as soon as what it already costs, with one look-up and one exclusive or
//! for each byte that is still open, is no better in anything than a layout that is known; so nothing on the front is missed.

use std::collections::HashMap;

use program::Diagnostic;
use serde::Serialize;

use crate::cost::{Cost, Front};
use crate::layer::Layer;
use crate::layout::{shape, write, Candidate, Layout};
use crate::orders::{orders, pairings, problem, problems, single_columns, Kind, Problem, Reach};
use crate::pattern::{full, lane, placed, support, Operator, Pattern};
use crate::sums::solve;

/// How words are derived from words of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Not at all: each word is looked up.
    Plain,
    /// By rotations.
    Rotations,
    /// By shifts.
    Shifts,
    /// By masks.
    Masks,
    /// By reading at other bytes of entries that hold a word twice.
    Windows,
    /// Not at all, but two bytes are looked up at once.
    Pairs,
}

impl Family {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Family::Plain => "plain",
            Family::Rotations => "rotations",
            Family::Shifts => "shifts",
            Family::Masks => "masks",
            Family::Windows => "windows",
            Family::Pairs => "pairs",
        }
    }
}

/// All families, in the order in which they are searched.
pub const FAMILIES: [Family; 6] =
    [Family::Plain, Family::Rotations, Family::Shifts, Family::Masks, Family::Windows, Family::Pairs];

/// The operators of a family.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// By number.
    pub operators: Vec<Operator>,
}

impl Vocabulary {
    fn new(family: Family, lanes: usize) -> Self {
        let amounts = 1..lanes as u8;
        let operators = match family {
            Family::Plain | Family::Windows | Family::Pairs => Vec::new(),
            Family::Rotations => amounts.map(Operator::Rotate).collect(),
            Family::Shifts => {
                amounts.flat_map(|n| [Operator::Up(n), Operator::Down(n), Operator::TwoShifts(n)]).collect()
            }
            Family::Masks => (1..(1u32 << lanes) - 1).map(|m| Operator::Mask(m as u8)).collect(),
        };
        Vocabulary { operators }
    }
}

/// Threads of a search; problems that one gets at a time.
const THREADS: usize = 2;
const CHUNK: usize = 64;
/// Tables of a layout at most, besides those of the second layer.
pub const MOST_TABLES: usize = 16;
/// Rotations of a layout whose result takes several words, at most.
pub const MOST_ROTATIONS: u32 = 4;
/// Shifts of a layout whose result takes several words, at most.
pub const MOST_SHIFTS: u32 = 4;

/// What a look-up gives to one word: itself, the result of an operator, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The word itself.
    pub identity: bool,
    /// The number of an operator.
    pub operator: Option<usize>,
}

/// What a look-up gives to each word: 16 bits a word, the identity's bit and the operator's number plus one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(u128);

impl Class {
    fn with(self, word: usize, part: Part) -> Self {
        let code = u128::from(part.identity) | part.operator.map_or(0, |o| (o as u128 + 1) << 1);
        Class(self.0 | code << (16 * word))
    }

    /// What one word gets.
    #[must_use]
    pub fn part(self, word: usize) -> Part {
        let code = (self.0 >> (16 * word)) as u16;
        Part { identity: code & 1 == 1, operator: usize::from(code >> 1).checked_sub(1) }
    }
}

/// A look-up of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Number of the candidate.
    pub table: usize,
    /// The byte of the entry at which the word begins.
    pub offset: usize,
    /// What it gives.
    pub class: Class,
}

/// What to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Width of a word in bits.
    pub word_bits: usize,
    /// The families.
    pub families: Vec<Family>,
    /// Nodes after which a family's search ends open.
    pub most_nodes: u64,
}

/// What became of a family.
#[derive(Clone, Debug, Serialize)]
pub struct Effort {
    /// The family.
    pub family: Family,
    /// Orders of the rows (with ways to pair the columns) that can differ.
    pub orders: usize,
    /// Those that differ in what their columns need.
    pub problems: usize,
    /// Choices made.
    pub nodes: u64,
    /// Whether everything was tried.
    pub closed: bool,
}

/// The front and what was tried for it.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The layouts, by cost.
    pub layouts: Vec<Layout>,
    /// By family.
    pub effort: Vec<Effort>,
    /// Bytes of the second layer's tables, which are part of every size.
    pub second_layer_bytes: u32,
}

/// Searches the families one after the other.
///
/// `tell` gets a line now and then and says whether to stop; what was found is returned then, marked open.
///
/// # Errors
/// `L101`, `L102`: a layer that is none, or does not fit the words.
pub fn search(layer: &Layer, options: &Options, tell: &dyn Fn(&str) -> bool) -> Result<Outcome, Diagnostic> {
    layer.check(options.word_bits)?;
    let lanes = options.word_bits / 8;
    let mut run = Run::new(layer, lanes, options.most_nodes, tell);
    let mut effort = Vec::new();
    for &family in &options.families {
        effort.push(run.family(family));
    }
    let mut points = run.front.points;
    points.sort_by(|a, b| a.0.cmp(&b.0));
    let layouts = points.into_iter().map(|p| p.1).collect();
    Ok(Outcome { layouts, effort, second_layer_bytes: run.ground.second_bytes })
}

/// What is searched.
struct Ground<'a> {
    layer: &'a Layer,
    lanes: usize,
    words: usize,
    second_bytes: u32,
}

struct Run<'a> {
    ground: Ground<'a>,
    most_nodes: u64,
    tell: &'a dyn Fn(&str) -> bool,
    front: Front<Layout>,
    stopped: bool,
}

impl<'a> Run<'a> {
    fn new(layer: &'a Layer, lanes: usize, most_nodes: u64, tell: &'a dyn Fn(&str) -> bool) -> Self {
        let words = layer.rows.len().div_ceil(lanes);
        // As the paper counts: with the second layer's placed tables where the layer takes several words.
        let second_bytes = if words > 1 && layer.second.is_some() { 256 * (lanes * lanes) as u32 } else { 0 };
        let ground = Ground { layer, lanes, words, second_bytes };
        Run { ground, most_nodes, tell, front: Front::default(), stopped: false }
    }

    fn family(&mut self, family: Family) -> Effort {
        let (layer, lanes) = (self.ground.layer, self.ground.lanes);
        let reach = match family {
            Family::Plain | Family::Shifts | Family::Windows => Reach::All,
            Family::Rotations => Reach::Turned,
            Family::Masks | Family::Pairs => Reach::Added,
        };
        let units = if family == Family::Pairs { pairings(layer) } else { vec![single_columns(layer)] };
        let all = orders(layer, lanes, reach);
        let mut closed = all.is_some();
        let orders = all.unwrap_or_else(|| vec![self.ground.given_order()]);
        let problems = problems(layer, &units, &orders, lanes);
        let vocabulary = Vocabulary::new(family, lanes);
        let ground = &self.ground;
        let prepared: Vec<_> = problems.iter().map(|p| Prepared::new(ground, p, family, &vocabulary)).collect();
        let mut nodes = 0;
        // Few tables first: what they reach cuts the rest short.
        for tables in 0..=MOST_TABLES {
            for (n, round) in prepared.chunks(THREADS * CHUNK).enumerate() {
                let (done, total) = (tables * prepared.len() + n * THREADS * CHUNK, (MOST_TABLES + 1) * prepared.len());
                self.stopped |= (self.tell)(&format!("{} {done} {total}", family.name()));
                if self.stopped || nodes > self.most_nodes {
                    closed = false;
                    break;
                }
                let front: Vec<Cost> = self.front.points.iter().map(|p| p.0).collect();
                let (ground, vocabulary, front) = (&self.ground, &vocabulary, &front);
                let work = |part| move || search_part(ground, part, (family, vocabulary), tables, front);
                // Each part knows the front from before the round only, so that results do not depend on the threads' order.
                let results: Vec<_> = std::thread::scope(|scope| {
                    let threads: Vec<_> = round.chunks(CHUNK).map(|part| scope.spawn(work(part))).collect();
                    threads.into_iter().map(|t| t.join().expect("a search does not panic")).collect()
                });
                for (found, count) in results {
                    nodes += count;
                    found.into_iter().for_each(|(cost, layout)| self.front.add(cost, || layout));
                }
            }
        }
        Effort { family, orders: orders.len() * units.len(), problems: prepared.len(), nodes, closed }
    }
}

/// Searches some problems with so many tables; what it finds, and how many choices that took.
fn search_part(
    ground: &Ground<'_>,
    part: &[Prepared<'_>],
    how: (Family, &Vocabulary),
    tables: usize,
    known: &[Cost],
) -> (Vec<(Cost, Layout)>, u64) {
    let mut front = Front { points: known.iter().map(|&cost| (cost, ())).collect() };
    let (mut found, mut nodes) = (Vec::new(), 0);
    for ready in part {
        let mut tree = Tree::new(ground, ready, how, front);
        tree.choose(0, 0, tables);
        nodes += tree.nodes;
        found.append(&mut tree.found);
        front = tree.front;
    }
    (found, nodes)
}

impl Ground<'_> {
    /// Whether a layout of several words may shift and rotate so often.
    fn is_allowed(&self, cost: &Cost) -> bool {
        self.words == 1 || cost.rotations <= MOST_ROTATIONS && cost.shifts <= MOST_SHIFTS
    }

    fn given_order(&self) -> Vec<Option<usize>> {
        let rows = self.layer.rows.len();
        (0..self.words * self.lanes).map(|n| Some(n).filter(|&n| n < rows)).collect()
    }
}

/// A way to get a word from a table.
#[derive(Clone, Copy, Debug)]
struct Derivation {
    table: usize,
    offset: usize,
    part: Part,
}

/// What does not change while a problem's choices are tried.
struct Prepared<'a> {
    problem: &'a Problem,
    candidates: Vec<Candidate>,
    /// Least size of each candidate.
    bytes: Vec<u32>,
    /// For each word of each kind, how it can be had.
    ways: Vec<Vec<Vec<Derivation>>>,
    /// For each word of each kind, where it can come from.
    sources: Vec<Source>,
    /// Least number of look-ups from a kind on.
    open: Vec<u32>,
    /// The tables that are there for the second layer.
    free: u128,
    /// Exclusive ors of any layout. Words of different bytes end in different exclusive ors; the one that ends first takes one
    /// for each unit but one that it needs.
    least_sums: u32,
}

impl<'a> Prepared<'a> {
    fn new(run: &Ground<'_>, problem: &'a Problem, family: Family, vocabulary: &Vocabulary) -> Self {
        let candidates = candidates(run, problem, family);
        let mut ways: Vec<Vec<Vec<Derivation>>> = problem
            .kinds
            .iter()
            .map(|k| {
                let one = |&p: &Pattern| derivations(p, &k.unit.boxes, &candidates, vocabulary, run.lanes);
                k.unit.patterns.iter().map(one).collect()
            })
            .collect();
        if family == Family::Shifts && run.words > 1 {
            ways.iter_mut().for_each(keep_holders);
        }
        let references = |k: &Kind| {
            let mut needed: Vec<Pattern> = k.unit.patterns.iter().copied().filter(|&p| p != 0).collect();
            needed.sort_unstable();
            needed.dedup();
            // Without operators every word that differs is a look-up.
            k.members.len() * if vocabulary.operators.is_empty() { needed.len() } else { needed.len().min(1) }
        };
        let mut open: Vec<u32> = problem.kinds.iter().map(|k| references(k) as u32).chain([0]).collect();
        (0..open.len() - 1).rev().for_each(|n| open[n] += open[n + 1]);
        let is_free = |c: &Candidate| {
            run.second_bytes > 0
                && c.boxes.len() == 1
                && Some(c.boxes[0]) == run.layer.second
                && c.entry == run.lanes
                && (0..run.lanes).any(|l| c.low == placed(1, l))
        };
        let free = candidates.iter().enumerate().filter(|(_, c)| is_free(c)).fold(0, |s, (n, _)| s | 1u128 << n);
        let rows = &run.layer.rows;
        let is_new = |i: usize| rows[i].iter().any(|&f| f != 0) && !rows[..i].contains(&rows[i]);
        let exact = vocabulary.operators.is_empty().then(|| sums_without_operators(problem, run.words, vocabulary));
        let least_sums = match (0..run.words).map(|w| units_of(problem, w)).min() {
            Some(n) if (0..rows.len()).all(is_new) => (n + run.words).saturating_sub(2) as u32,
            _ => 0,
        };
        let least_sums = exact.unwrap_or(least_sums);
        let sources = sources(problem, &ways, run.lanes);
        let bytes = candidates.iter().map(|c| (c.width << (8 * c.boxes.len())) as u32).collect();
        Prepared { problem, candidates, bytes, ways, sources, open, free, least_sums }
    }
}

struct Tree<'a, 'b> {
    run: &'a Ground<'b>,
    ready: &'a Prepared<'a>,
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
    seen: HashMap<(usize, Vec<Class>), Vec<(u32, u32)>>,
    front: Front<()>,
    found: Vec<(Cost, Layout)>,
    nodes: u64,
}

impl<'a, 'b> Tree<'a, 'b> {
    fn new(
        run: &'a Ground<'b>,
        ready: &'a Prepared<'a>,
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
    fn choose(&mut self, next: usize, excluded: u128, left: usize) {
        self.nodes += 1;
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

/// The tables that a word of a kind of unit can come from.
struct Source {
    tables: u128,
    /// Those that hold it as it is.
    plain: u128,
    /// Those that hold it, or what it is derived from, at a word's place.
    aligned: u128,
    /// Look-ups that it takes, if no other word takes the same.
    times: u32,
}

fn sources(problem: &Problem, ways: &[Vec<Vec<Derivation>>], lanes: usize) -> Vec<Source> {
    let mut found = Vec::new();
    for (kind, words) in problem.kinds.iter().zip(ways) {
        let patterns = &kind.unit.patterns;
        for (n, ways) in words.iter().enumerate().filter(|w| !w.1.is_empty()) {
            let tables = |wanted: &dyn Fn(&Derivation) -> bool| {
                ways.iter().filter(|&d| wanted(d)).fold(0, |s, d| s | 1u128 << d.table)
            };
            found.push(Source {
                tables: tables(&|_| true),
                plain: tables(&|d| d.part.operator.is_none()),
                aligned: tables(&|d| d.offset % lanes == 0),
                times: if patterns[..n].contains(&patterns[n]) { 0 } else { kind.members.len() as u32 },
            });
        }
    }
    found
}

/// Exclusive ors where every word that differs is a look-up.
fn sums_without_operators(problem: &Problem, words: usize, vocabulary: &Vocabulary) -> u32 {
    let (mut classes, mut references): (Vec<Class>, usize) = (Vec::new(), 0);
    for kind in &problem.kinds {
        let patterns = &kind.unit.patterns;
        for (w, &p) in patterns.iter().enumerate().filter(|&(w, &p)| p != 0 && !patterns[..w].contains(&p)) {
            let itself = Part { identity: true, operator: None };
            let class = (w..words).filter(|&v| patterns[v] == p).fold(Class::default(), |c, v| c.with(v, itself));
            references += kind.members.len();
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
    }
    (references - classes.len() + solve(&shape(&classes, words, vocabulary).task).steps.len()) as u32
}

/// Keeps the tables that hold one of a unit's words as it is.
fn keep_holders(ways: &mut Vec<Vec<Derivation>>) {
    let holders: Vec<usize> = ways.iter().flatten().filter(|d| d.part.operator.is_none()).map(|d| d.table).collect();
    ways.iter_mut().for_each(|way| way.retain(|d| holders.contains(&d.table)));
}

/// Units that a word needs.
fn units_of(problem: &Problem, word: usize) -> usize {
    problem.kinds.iter().filter(|k| k.unit.patterns[word] != 0).map(|k| k.members.len()).sum()
}

/// The tables that a family may use.
fn candidates(run: &Ground<'_>, problem: &Problem, family: Family) -> Vec<Candidate> {
    let lanes = run.lanes;
    let mut found: Vec<Candidate> = Vec::new();
    let mut boxes: Vec<&Vec<usize>> = problem.kinds.iter().map(|k| &k.unit.boxes).collect();
    boxes.sort_unstable();
    boxes.dedup();
    for boxes in boxes {
        let units = problem.kinds.iter().filter(|k| k.unit.boxes == *boxes);
        let mut patterns: Vec<Pattern> = units.flat_map(|k| k.unit.patterns.clone()).filter(|&p| p != 0).collect();
        if family != Family::Pairs {
            patterns.extend((0..lanes).map(|l| placed(1, l)));
            patterns.extend(union(&patterns, lanes));
        }
        patterns.sort_unstable();
        patterns.dedup();
        for &low in &patterns {
            let least = (16 - support(low).leading_zeros() as usize).next_power_of_two();
            // Beside derived words of several, narrow entries would multiply the choices without end.
            let may_be_narrow = family == Family::Plain || family == Family::Shifts && run.words == 1;
            let width = if may_be_narrow { least } else { lanes };
            let whole = Candidate { boxes: boxes.clone(), low, high: None, entry: lanes, width };
            if family == Family::Windows {
                found.push(Candidate { high: Some(low), entry: 2 * lanes, width: 2 * lanes, ..whole.clone() });
            }
            found.push(whole);
        }
    }
    found
}

/// A table that every pattern is a part of, if they agree in each byte.
fn union(patterns: &[Pattern], lanes: usize) -> Option<Pattern> {
    let mut all = 0;
    for l in 0..lanes {
        let mut factors: Vec<u16> = patterns.iter().map(|&p| lane(p, l)).filter(|&f| f != 0).collect();
        factors.sort_unstable();
        factors.dedup();
        match factors[..] {
            [] => {}
            [one] => all |= placed(one, l),
            _ => return None,
        }
    }
    Some(all)
}

fn derivations(
    pattern: Pattern,
    boxes: &[usize],
    candidates: &[Candidate],
    vocabulary: &Vocabulary,
    lanes: usize,
) -> Vec<Derivation> {
    let mut found = Vec::new();
    let same = || candidates.iter().enumerate().filter(|(_, c)| c.boxes == boxes);
    let whole = same().fold(0, |s, (_, c)| s | support(c.low));
    for (table, candidate) in same() {
        let offsets = if candidate.high.is_some() { 0..=lanes } else { 0..=0 };
        for offset in offsets {
            let word = window(candidate, offset, lanes);
            let mut push = |part: Part| found.push(Derivation { table, offset, part });
            if word == pattern {
                push(Part { identity: true, operator: None });
            }
            for (n, &operator) in vocabulary.operators.iter().enumerate() {
                let result = operator.apply(word, lanes);
                if let Operator::Mask(kept) = operator {
                    // One mask of those that do the same; with the word itself it is the opposite mask.
                    let one = u16::from(kept) == support(pattern) && word != pattern;
                    if result == pattern && one && support(word) == whole {
                        push(Part { identity: false, operator: Some(n) });
                    }
                    continue;
                }
                if result == pattern {
                    push(Part { identity: false, operator: Some(n) });
                }
                if result ^ word == pattern {
                    push(Part { identity: true, operator: Some(n) });
                }
            }
        }
    }
    found
}

fn window(candidate: &Candidate, offset: usize, lanes: usize) -> Pattern {
    let high = candidate.high.unwrap_or(0);
    match offset {
        0 => candidate.low,
        n if n == lanes => high,
        n => (candidate.low >> (16 * n) | high << (16 * (lanes - n))) & full(lanes),
    }
}

/// The problem of a layer in one order, for those who want to look at it.
#[must_use]
pub fn one_problem(layer: &Layer, order: &[Option<usize>], lanes: usize) -> Problem {
    problem(layer, &single_columns(layer), &order.to_vec(), lanes)
}
