//! The search: every order, every choice of tables and derivations of a family, kept where no other layout is as good.
//!
//! The space is stated in `docs/layouts.md`. A choice is given up as soon as what it already costs, with one look-up and one exclusive or
//! for each byte that is still open, is no better in anything than a layout that is known; so nothing on the front is missed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use program::Diagnostic;
use serde::Serialize;

use crate::cost::{Cost, Front};
use crate::layer::Layer;
use crate::layout::Layout;
use crate::orders::{orders, pairings, problems, single_columns, Reach};
use crate::pattern::Operator;
use crate::prepared::ProblemContext;
use crate::tree::Tree;

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

/// How often a search says where it stands.
const TOLD_EVERY: Duration = Duration::from_millis(100);
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
    pub(crate) fn with(self, word: usize, part: Part) -> Self {
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
    points.sort_by_key(|p| p.0);
    let layouts = points.into_iter().map(|p| p.1).collect();
    Ok(Outcome { layouts, effort, second_layer_bytes: run.ground.second_bytes })
}

/// What is searched.
pub(crate) struct Ground<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) lanes: usize,
    pub(crate) words: usize,
    pub(crate) second_bytes: u32,
    /// Choices of one problem after which it is left.
    pub(crate) most_nodes: u64,
    /// Set to end everything.
    pub(crate) stopped: AtomicBool,
}

struct Run<'a> {
    ground: Ground<'a>,
    tell: &'a dyn Fn(&str) -> bool,
    told: Instant,
    front: Front<Layout>,
}

impl<'a> Run<'a> {
    fn new(layer: &'a Layer, lanes: usize, most_nodes: u64, tell: &'a dyn Fn(&str) -> bool) -> Self {
        let words = layer.rows.len().div_ceil(lanes);
        // As the paper counts: with the second layer's placed tables where the layer takes several words.
        let second_bytes = if words > 1 && layer.second.is_some() { 256 * (lanes * lanes) as u32 } else { 0 };
        let stopped = AtomicBool::new(false);
        let ground = Ground { layer, lanes, words, second_bytes, most_nodes, stopped };
        Run { ground, tell, told: Instant::now(), front: Front::default() }
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
        let is_whole = all.is_some();
        let orders = all.unwrap_or_else(|| vec![self.ground.given_order()]);
        let problems = problems(layer, &units, &orders, lanes);
        let vocabulary = Vocabulary::new(family, lanes);
        let ground = &self.ground;
        let prepared: Vec<_> = problems.iter().map(|p| ProblemContext::new(ground, p, family, &vocabulary)).collect();
        let mut nodes = 0;
        // Few tables first: what they reach cuts the rest short.
        for tables in 0..=MOST_TABLES {
            for (n, round) in prepared.chunks(THREADS * CHUNK).enumerate() {
                let (done, total) = (tables * prepared.len() + n * THREADS * CHUNK, (MOST_TABLES + 1) * prepared.len());
                let line = format!("{} {done} {total}", family.name());
                if self.ground.stopped.load(Ordering::Relaxed) || nodes > self.ground.most_nodes {
                    break;
                }
                let front: Vec<Cost> = self.front.points.iter().map(|p| p.0).collect();
                let (ground, vocabulary, front) = (&self.ground, &vocabulary, &front);
                let work = |part| move || search_part(ground, part, (family, vocabulary), tables, front);
                // Each part knows the front from before the round only, so that results do not depend on the threads' order.
                let results: Vec<_> = std::thread::scope(|scope| {
                    let threads: Vec<_> = round.chunks(CHUNK).map(|part| scope.spawn(work(part))).collect();
                    let mut pause = Duration::from_micros(200);
                    while !threads.iter().all(|t| t.is_finished()) {
                        std::thread::sleep(pause);
                        pause = (2 * pause).min(Duration::from_millis(20));
                        if self.told.elapsed() >= TOLD_EVERY {
                            self.told = Instant::now();
                            ground.stopped.fetch_or((self.tell)(&line), Ordering::Relaxed);
                        }
                    }
                    threads.into_iter().map(|t| t.join().expect("a search does not panic")).collect()
                });
                for (found, count) in results {
                    nodes += count;
                    found.into_iter().for_each(|(cost, layout)| self.front.add(cost, || layout));
                }
            }
        }
        let within = nodes <= self.ground.most_nodes && !self.ground.stopped.load(Ordering::Relaxed);
        let closed = is_whole && within && prepared.iter().all(|p| p.is_whole);
        Effort { family, orders: orders.len() * units.len(), problems: prepared.len(), nodes, closed }
    }
}

/// Searches some problems with so many tables; what it finds, and how many choices that took.
fn search_part(
    ground: &Ground<'_>,
    part: &[ProblemContext<'_>],
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
    pub(crate) fn is_allowed(&self, cost: &Cost) -> bool {
        self.words == 1 || cost.rotations <= MOST_ROTATIONS && cost.shifts <= MOST_SHIFTS
    }

    fn given_order(&self) -> Vec<Option<usize>> {
        let rows = self.layer.rows.len();
        (0..self.words * self.lanes).map(|n| Some(n).filter(|&n| n < rows)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(layer: &Layer, word_bits: usize) -> Outcome {
        let options = Options { word_bits, families: FAMILIES.to_vec(), most_nodes: 10_000_000 };
        search(layer, &options, &|_| false).unwrap()
    }

    #[test]
    fn a_circulant_matrix_has_its_known_layouts() {
        let rows = vec![vec![2, 3, 1, 1], vec![1, 2, 3, 1], vec![1, 1, 2, 3], vec![3, 1, 1, 2]];
        let found = front(&Layer { rows, boxes: vec![0; 4], second: None }, 32);
        assert!(found.effort.iter().all(|e| e.closed));
        let numbers: Vec<_> = found.layouts.iter().map(|l| l.cost.numbers()).collect();
        assert!(numbers.contains(&[4096, 4, 3, 0, 0, 0, 0, 0]), "four tables");
        assert!(numbers.contains(&[1024, 4, 3, 0, 0, 3, 0, 0]), "one table, rotations");
        assert!(numbers.contains(&[1024, 4, 6, 0, 6, 0, 0, 0]), "one table, shifts");
        assert!(numbers.contains(&[2048, 4, 3, 0, 0, 0, 0, 3]), "one table of double words");
    }

    #[test]
    fn a_layer_that_does_not_fit_is_refused() {
        let layer = Layer { rows: vec![vec![1; 3]; 3], boxes: vec![0; 3], second: None };
        let refused = |bits| {
            let options = Options { word_bits: bits, families: vec![Family::Plain], most_nodes: 1 };
            search(&layer, &options, &|_| false).unwrap_err().to_string()
        };
        assert_eq!(
            refused(16),
            "error[L107]: 3 bytes do not fill words of 16 bits\n   \
             = help: a layer has fewer bytes than a word, or up to 8 times as many"
        );
        assert_eq!(
            refused(24),
            "error[L102]: a word of 24 bits cannot hold a layout\n   = help: possible: 8, 16, 32, 64"
        );
        let large = Layer { rows: vec![vec![1; 16]; 16], boxes: vec![0; 16], second: None };
        let error = large.check(32).unwrap_err().to_string();
        assert_eq!(
            error,
            "error[L108]: 16 bytes into 16 are too many for words of 32 bits\n   \
             = help: input bytes times words of the result are at most 32"
        );
    }
}
