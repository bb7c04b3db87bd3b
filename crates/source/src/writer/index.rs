//! Sums of indices as expressions over loop counters.

use std::collections::HashMap;

use program::ir::{Address, Affine, ValueId};

use super::facts::Facts;

/// The variable that counts a loop: `from + step * iteration`.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// See above.
    pub from: i64,
    /// See above.
    pub step: i64,
}

/// The counters in scope, and indices made from them (as text in parentheses or a name).
#[derive(Clone, Debug, Default)]
pub struct Indices {
    counters: HashMap<ValueId, Counter>,
    derived: HashMap<ValueId, String>,
}

impl Indices {
    /// Says which counter stands for an iteration number.
    pub fn count(&mut self, iteration: ValueId, counter: Counter) {
        self.counters.insert(iteration, counter);
    }

    /// Says how an index made from others is written.
    pub fn derive(&mut self, value: ValueId, text: String) {
        self.derived.insert(value, text);
    }

    /// Whether the value is an index.
    #[must_use]
    pub fn holds(&self, value: ValueId) -> bool {
        self.counters.contains_key(&value) || self.derived.contains_key(&value)
    }

    /// The sum as text, with spaces around its operators; words in it are written by `word`.
    pub fn sum(&self, affine: &Affine, word: &mut dyn FnMut(ValueId) -> String) -> String {
        let mut terms: Vec<(i64, String)> = Vec::new();
        let mut constant = affine.constant;
        for &(coefficient, value) in &affine.terms {
            if let Some(counter) = self.counters.get(&value) {
                // iteration = (counter - from) / step
                terms.push((coefficient / counter.step, counter.name.clone()));
                constant -= coefficient / counter.step * counter.from;
            } else if let Some(text) = self.derived.get(&value) {
                terms.push((coefficient, text.clone()));
            } else {
                terms.push((coefficient, word(value)));
            }
        }
        terms.sort_by_key(|(c, _)| *c < 0);
        written(&terms, constant)
    }
}

fn written(terms: &[(i64, String)], constant: i64) -> String {
    let mut text = String::new();
    let leading_constant = constant > 0 && terms.first().is_some_and(|(c, _)| *c < 0);
    if leading_constant {
        text = constant.to_string();
    }
    for (coefficient, name) in terms {
        let magnitude = coefficient.unsigned_abs();
        let term = if magnitude == 1 { name.clone() } else { format!("{magnitude} * {name}") };
        match (text.is_empty(), *coefficient < 0) {
            (true, false) => text = term,
            (true, true) => text = format!("-{term}"),
            (false, false) => text += &format!(" + {term}"),
            (false, true) => text += &format!(" - {term}"),
        }
    }
    match constant {
        _ if leading_constant => text,
        c if text.is_empty() => c.to_string(),
        0 => text,
        c if c < 0 => format!("{text} - {}", c.unsigned_abs()),
        c => format!("{text} + {c}"),
    }
}

/// Brings an address into its dimension: for a ring, adds or takes away the extent where that is enough, else leaves `% extent` to do.
#[must_use]
pub fn unwrapped(address: &Address, extent: i64, facts: &Facts<'_>, has_word: bool) -> (Affine, bool) {
    let mut affine = address.affine.clone();
    if !address.ring {
        return (affine, false);
    }
    let (low, high) = facts.range(&affine);
    if !has_word && low.div_euclid(extent) == high.div_euclid(extent) {
        affine.constant -= low.div_euclid(extent) * extent;
        return (affine, false);
    }
    if low < 0 || low >= extent {
        affine.constant -= low.div_euclid(extent) * extent;
    }
    (affine, true)
}

/// A sum in parentheses unless it is a single word.
#[must_use]
pub fn tight(text: &str) -> String {
    if text.contains(' ') || text.starts_with('-') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}
