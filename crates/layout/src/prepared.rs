//! What is known of one order before its choices: tables that may be used, what they give, and what any layout takes.

use crate::layout::{shape, Candidate};
use crate::orders::{Kind, Problem};
use crate::pattern::{full, lane, placed, support, Operator, Pattern};
use crate::search::{Class, Family, Ground, Part, Vocabulary};
use crate::sums::solve;

/// Tables that a problem may have to choose from.
const MOST_CANDIDATES: usize = 128;

/// A way to get a word from a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Derivation {
    pub(crate) table: usize,
    pub(crate) offset: usize,
    pub(crate) part: Part,
}

/// What does not change while a problem's choices are tried.
pub(crate) struct ProblemContext<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) candidates: Vec<Candidate>,
    /// Least size of each candidate.
    pub(crate) bytes: Vec<u32>,
    /// For each word of each kind, how it can be had.
    pub(crate) ways: Vec<Vec<Vec<Derivation>>>,
    /// For each word of each kind, where it can come from.
    pub(crate) sources: Vec<Source>,
    /// Least number of look-ups from a kind on.
    pub(crate) open: Vec<u32>,
    /// The tables that are there for the second layer.
    pub(crate) free: u128,
    /// Exclusive ors of any layout. Words of different bytes end in different exclusive ors; the one that ends first takes one
    /// for each unit but one that it needs.
    pub(crate) least_sums: u32,
    /// Whether all tables are among the candidates.
    pub(crate) is_whole: bool,
}

impl<'a> ProblemContext<'a> {
    pub(crate) fn new(run: &Ground<'_>, problem: &'a Problem, family: Family, vocabulary: &Vocabulary) -> Self {
        let mut candidates = candidates(run, problem, family);
        let is_whole = candidates.len() <= MOST_CANDIDATES;
        candidates.truncate(MOST_CANDIDATES);
        let mut ways: Vec<Vec<Vec<Derivation>>> = problem
            .kinds
            .iter()
            .map(|k| {
                let one = |&p: &Pattern| derivations(p, &k.unit.boxes, &candidates, vocabulary, run.lanes);
                k.unit.patterns.iter().map(one).collect()
            })
            .collect();
        if family == Family::Shifts && run.words > 1 {
            ways.iter_mut().for_each(|kind| keep_holders(kind));
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
        ProblemContext { problem, candidates, bytes, ways, sources, open, free, least_sums, is_whole }
    }
}

/// The tables that a word of a kind of unit can come from.
pub(crate) struct Source {
    pub(crate) tables: u128,
    /// Those that hold it as it is.
    pub(crate) plain: u128,
    /// Those that hold it, or what it is derived from, at a word's place.
    pub(crate) aligned: u128,
    /// Look-ups that it takes, if no other word takes the same.
    pub(crate) times: u32,
}

pub(crate) fn sources(problem: &Problem, ways: &[Vec<Vec<Derivation>>], lanes: usize) -> Vec<Source> {
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
pub(crate) fn sums_without_operators(problem: &Problem, words: usize, vocabulary: &Vocabulary) -> u32 {
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
pub(crate) fn keep_holders(ways: &mut [Vec<Derivation>]) {
    let holders: Vec<usize> = ways.iter().flatten().filter(|d| d.part.operator.is_none()).map(|d| d.table).collect();
    ways.iter_mut().for_each(|way| way.retain(|d| holders.contains(&d.table)));
}

/// Units that a word needs.
pub(crate) fn units_of(problem: &Problem, word: usize) -> usize {
    problem.kinds.iter().filter(|k| k.unit.patterns[word] != 0).map(|k| k.members.len()).sum()
}

/// The tables that a family may use.
pub(crate) fn candidates(run: &Ground<'_>, problem: &Problem, family: Family) -> Vec<Candidate> {
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
            let width = if family == Family::Plain { least } else { lanes };
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
pub(crate) fn union(patterns: &[Pattern], lanes: usize) -> Option<Pattern> {
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

pub(crate) fn derivations(
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

pub(crate) fn window(candidate: &Candidate, offset: usize, lanes: usize) -> Pattern {
    let high = candidate.high.unwrap_or(0);
    match offset {
        0 => candidate.low,
        n if n == lanes => high,
        n => (candidate.low >> (16 * n) | high << (16 * (lanes - n))) & full(lanes),
    }
}
