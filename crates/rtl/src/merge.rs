//! Functions that exclude each other as one function with shared operators.
//!
//! The bodies that an engine runs in different steps, or the two directions of a pipeline stage, are never needed in the same clock.
//! Operators of different bodies are matched, and their inputs chosen by the mode, where the multiplexers cost less than the
//! operators saved. Wires (rotations by constants, extraction, concatenation) cost nothing and take no part: they are followed, so
//! that what is equal up to wires is seen as equal. The choice is greedy, the largest saving first, with or without sets of
//! operators that are merged together before (`sets`), whichever takes fewer gates; two operators of which one
//! depends on the other are never matched, so no combinational loop arises.

mod build;
mod cost;
mod emit;
mod graph;
mod greedy;
mod reach;
mod sets;
mod similar;
#[cfg(test)]
mod tests;

pub(crate) use cost::MUX;
use program::ir::{Function, Program};

/// A word from outside: an input of the shared function, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The input of that number.
    Input(usize),
    /// A constant.
    Number(u64),
}

/// What an alternative gives for a result of the shared function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSource {
    /// A result of its function.
    Result(usize),
    /// A word from outside, passed through.
    Source(Source),
    /// Anything: nobody looks at it.
    Nothing,
}

/// One of the functions that exclude each other.
#[derive(Clone, Debug)]
pub struct Alternative<'a> {
    /// Straight, on words; what it calls and the tables that it uses stand in the program.
    pub function: &'a Function,
    /// Its arguments.
    pub arguments: Vec<Source>,
    /// Per result of the shared function, what it is in this alternative.
    pub results: Vec<ResultSource>,
}

/// Makes one function of alternatives. Its parameters: what says which alternative runs, then the inputs. Two alternatives are told
/// apart by one bit, 1 for the second; more of them by one bit each, of which one is 1.
///
/// Nothing comes back where there is only one alternative or more than 64, or where one holds what is no operation on words.
#[must_use]
pub fn share(
    program: &Program,
    name: &str,
    inputs: &[(String, u8)],
    results: &[u8],
    alternatives: &[Alternative<'_>],
) -> Option<Function> {
    if !(2..=64).contains(&alternatives.len()) {
        return None;
    }
    let mut graph = build::graph(program, inputs, results, alternatives)?;
    let mut by_sets = graph.clone();
    sets::merge(program, &mut by_sets);
    greedy::merge(program, &mut by_sets);
    greedy::merge(program, &mut graph);
    if sets::total(program, &by_sets) < sets::total(program, &graph) {
        graph = by_sets;
    }
    Some(emit::function(&graph, name))
}

/// Operators of a function by kind, wires left out: how much hardware it names.
#[must_use]
pub fn operators(program: &Program, function: &Function) -> std::collections::BTreeMap<String, usize> {
    build::operators(program, function)
}
