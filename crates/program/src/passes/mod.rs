//! Passes: each makes a program into another that computes the same.
//!
//! One file per pass; the list in [`all`] is the only registry. A pass is asked for by its name, or with options as
//! `name:key=value,key=value`.

mod byte_exchanges;
mod byte_orders;
mod carry_loads;
mod circuits;
mod cse;
mod dce;
mod dead_stores;
mod fold;
mod fold_bodies;
mod group_lookups;
mod hoist_key_only;
mod inline_calls;
mod inner_structure;
mod linear_circuits;
mod lower_linear;
mod machine_words;
mod merge_carried;
mod merge_lookups;
mod narrow_extracts;
mod only;
mod order_by_use;
mod pack;
mod pair_nibbles;
mod precompute;
mod products;
mod reassociate;
pub mod rewrite;
mod scalars;
mod share_exchanges;
mod share_pairs;
mod single_bits;
pub mod specialize;
mod split_loops;
mod split_words;
mod square_forms;
mod structure;
mod swap_bits;
mod tower_fields;
mod unroll;
mod widen_words;

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Program};

/// What a pass is told: its options, and texts from outside (circuits).
#[derive(Clone, Debug, Default)]
pub struct Settings<'a> {
    /// From `name:key=value`.
    pub options: BTreeMap<String, String>,
    /// Circuits in their text form, with the names of their files.
    pub circuits: &'a [(String, String)],
}

impl Settings<'_> {
    /// A number among the options.
    ///
    /// # Errors
    /// `S011` if it is not a number.
    pub fn number(&self, key: &str, default: u64) -> Result<u64, Diagnostic> {
        match self.options.get(key) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| {
                Diagnostic::new("S011", format!("the option `{key}` of a pass is a number, not `{text}`"))
            }),
        }
    }

    /// A word among the options; it must be one of `allowed`, the first being the default.
    ///
    /// # Errors
    /// `S013` if it is another.
    pub fn choice<'b>(&self, key: &str, allowed: &[&'b str]) -> Result<&'b str, Diagnostic> {
        let Some(text) = self.options.get(key) else { return Ok(allowed[0]) };
        allowed.iter().find(|a| *a == text).copied().ok_or_else(|| {
            Diagnostic::new("S013", format!("the option `{key}` of a pass cannot be `{text}`"))
                .help(format!("known: {}", allowed.join(", ")))
        })
    }
}

impl Settings<'_> {
    /// The functions that the option `function` names, joined by `+`; all of them if it is not given.
    pub fn functions<'p>(&self, program: &'p mut Program) -> Vec<&'p mut Function> {
        let only: Option<Vec<&str>> = self.options.get("function").map(|f| f.split('+').collect());
        let wanted = |f: &&mut Function| only.as_ref().map_or(true, |names| names.contains(&f.name.as_str()));
        program.functions.iter_mut().filter(wanted).collect()
    }
}

/// A transformation of programs.
pub trait Pass: Sync {
    /// A verb phrase in kebab case: `lower-linear`.
    fn name(&self) -> &'static str;
    /// One sentence.
    fn description(&self) -> &'static str;
    /// The options it takes.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }
    /// Changes the program.
    ///
    /// # Errors
    /// Bad options, or a program that the pass cannot be applied to.
    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic>;
}

/// All passes, in the order of their names.
#[must_use]
pub fn all() -> Vec<&'static dyn Pass> {
    vec![
        &byte_exchanges::ByteExchanges,
        &byte_orders::ByteOrders,
        &carry_loads::CarryLoads,
        &circuits::Circuits,
        &cse::Cse,
        &dce::Dce,
        &dead_stores::DeadStores,
        &fold::Fold,
        &fold_bodies::FoldBodies,
        &group_lookups::GroupLookups,
        &hoist_key_only::HoistKeyOnly,
        &inline_calls::InlineCalls,
        &inner_structure::InnerStructure,
        &linear_circuits::LinearCircuits,
        &lower_linear::LowerLinear,
        &machine_words::MachineWords,
        &merge_carried::MergeCarried,
        &merge_lookups::MergeLookups,
        &order_by_use::OrderByUse,
        &narrow_extracts::NarrowExtracts,
        &pack::PackBytes,
        &pair_nibbles::PairNibbles,
        &precompute::Precompute,
        &products::Products,
        &reassociate::Reassociate,
        &scalars::Scalars,
        &share_exchanges::ShareExchanges,
        &share_pairs::SharePairs,
        &single_bits::SingleBits,
        &specialize::Specialize,
        &split_loops::SplitLoops,
        &split_words::SplitWords,
        &square_forms::SquareForms,
        &swap_bits::SwapBits,
        &tower_fields::TowerFields,
        &unroll::Unroll,
        &widen_words::WidenWords,
    ]
}

/// Runs passes one after the other, each given as `name` or `name:key=value,key=value`.
///
/// # Errors
/// `S010` for an unknown pass, `S011` to `S017` for a bad option, and what the passes refuse.
pub fn run_all(program: &mut Program, passes: &[&str], circuits: &[(String, String)]) -> Result<(), Diagnostic> {
    for text in passes {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let known = all();
        let pass = known.iter().find(|p| p.name() == name).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|p| p.name()).collect();
            Diagnostic::new("S010", format!("there is no pass `{name}`")).help(format!("known: {}", names.join(", ")))
        })?;
        let settings = Settings { options: parsed_options(*pass, options)?, circuits };
        pass.run(program, &settings)?;
    }
    Ok(())
}

fn parsed_options(pass: &dyn Pass, text: &str) -> Result<BTreeMap<String, String>, Diagnostic> {
    let mut options = BTreeMap::new();
    for part in text.split(',').filter(|p| !p.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        if !pass.options().contains(&key) {
            let known = if pass.options().is_empty() { "none".to_owned() } else { pass.options().join(", ") };
            return Err(Diagnostic::new("S014", format!("the pass `{}` has no option `{key}`", pass.name()))
                .help(format!("known: {known}")));
        }
        options.insert(key.to_owned(), value.to_owned());
    }
    Ok(options)
}
