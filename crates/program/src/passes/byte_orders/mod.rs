//! `byte-orders`: bytes are put into the order in which words of them cost least.
//!
//! In a program of bytes the order of the bytes that a loop carries, of a row of keys and of the rows of a matrix is nobody's business: a list
//! may have any order as long as whoever fills and reads it follows. So a permutation of bytes costs nothing there, whatever the
//! source writes it as; it is absorbed by the choice of what stands where. Once `pack-bytes` keeps bytes in words, the order decides what it costs
//! to make the first words, to combine words, and to give the last ones out. This pass comes before and chooses.
//!
//! What costs is counted by a model of what `pack-bytes` and `share-exchanges` write (`cost.rs`); the search is exhaustive for classes of up to eight
//! bytes (`search.rs`); then both programs are packed, and the counts of those decide. Key rows and carried words that meet in exclusive ors get one order (`orders.rs`). Nothing is changed if nothing is
//! saved. Calls are not looked into; `inline-calls` comes first. What was found is noted in the program's facts.

mod apply;
mod cost;
mod lists;
mod orders;
mod search;
mod sites;

use super::only::FunctionFilter;
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use cost::Counter;
use lists::Lists;
use search::{Outcome, Search};

/// See the module's text.
pub struct ByteOrders;

impl Pass for ByteOrders {
    fn name(&self) -> &'static str {
        "byte-orders"
    }

    fn description(&self) -> &'static str {
        "put bytes into the order in which words of them cost least"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "width", "derive"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let most = if settings.choice("width", &["32", "64"])? == "64" { 8 } else { 4 };
        let derive = settings.choice("derive", &["none", "rotations"])? == "rotations";
        let only = FunctionFilter::of(settings, program)?;
        let lists = Lists::of(program, most, &only);
        let sites = sites::find(program, &lists, most, &only);
        let for_blocks: Vec<bool> = program.functions.iter().map(|f| !is_for_keys(&f.name)).collect();
        let counter = Counter::new(&program.matrices, most, derive);
        let search = Search { lists: &lists, sites: &sites, for_blocks: &for_blocks, counter };
        let outcome = search.run(&sites::links(&lists, &sites));
        if outcome.cost >= outcome.before {
            return Ok(());
        }
        let mut ordered = program.clone();
        apply::apply(&mut ordered, &lists, &outcome.orders);
        if executed(&ordered, settings)? < executed(program, settings)? {
            note(&mut ordered, &lists, &outcome);
            *program = ordered;
        }
        Ok(())
    }
}

/// Operations executed for a block in each direction, then for keys, once bytes are in words: what the model only foretells.
fn executed(program: &Program, settings: &Settings<'_>) -> Result<(u64, u64), Diagnostic> {
    let option = |key: &str| settings.options.get(key).map(|value| format!("{key}={value}"));
    let mut options: Vec<String> = ["function", "width", "derive"].into_iter().filter_map(option).collect();
    let wide = settings.options.get("width").is_some_and(|w| w == "64");
    options.push(if wide { "layer=double-words" } else { "layer=words" }.to_owned());
    let pack = format!("pack-bytes:{}", options.join(","));
    let mut packed = program.clone();
    super::run_all(&mut packed, &[&pack, "fold", "share-exchanges", "fold", "cse", "dce"], &[])?;
    let (mut blocks, mut keys) = (0, 0);
    for function in &packed.functions {
        let counts = crate::statistics::statistics(&packed, &function.name).unwrap_or_default();
        let sum: u64 = counts.values().map(|count| count.executed).sum();
        *if is_for_keys(&function.name) { &mut keys } else { &mut blocks } += sum;
    }
    Ok((blocks, keys))
}

fn is_for_keys(function: &str) -> bool {
    function.starts_with("key_schedule")
}

/// Writes the orders down: what stands at each place, by its number before.
fn note(program: &mut Program, lists: &Lists, outcome: &Outcome) {
    let (blocks, keys) = (outcome.cost.0, outcome.cost.1);
    let fact = format!(
        "operations that move bytes: {blocks} instead of {} in the directions, {keys} instead of {} for keys; \
         {} of {} classes of bytes exhausted",
        outcome.before.0, outcome.before.1, outcome.exhausted.0, outcome.exhausted.1
    );
    program.meta.push(("byte_orders".to_owned(), fact));
    for (n, list) in lists.list.iter().enumerate().filter(|(n, _)| !outcome.orders.is_natural(*n)) {
        let order: Vec<String> = outcome.orders.order[n].iter().map(usize::to_string).collect();
        program.meta.push(("byte_order".to_owned(), format!("{}: {}", list.what, order.join(" "))));
    }
}
