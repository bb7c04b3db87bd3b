//! `reassociate`: trees of one associative operation are rebuilt so that what arrives late is combined last.
//!
//! Identities: exclusive or, and, or are associative and commutative, `x ^ x = 0`, `x & x = x | x = x`; sums modulo 2^w (of `add`, `sub`,
//! multiples by 2, 4 and 8) are too. A tree of terms that arrive at times t is finished earliest if always the two earliest
//! are combined. Times are counted in cycles from the latencies given (`alu`, `mul`, `load`); what does not depend on the block or is
//! loaded at a known address is there from the start. In a loop, carried values arrive as late as they leave an iteration
//! in the steady state. A multiple by 2, 4 or 8 costs nothing inside a sum (one address computation).
//!
//! A tree is rebuilt only if that is sooner, saves an operation, or takes what is late nearer to the end. With `duplicate=yes` a tree also reaches through values that are
//! used elsewhere too, where that is sooner: the operation is then done twice. Outside of loops this is kept to the longest way from the
//! parameters to the results, and repeated as long as it becomes shorter.
//!
//! Compilers have their own view of such trees. The program's fact `keep_order` names the functions whose order a back end shall ask its compiler to
//! leave alone: those changed, all that were looked at with `keep=all` (their order was found best as it is), none with `keep=none`.

mod arrival;
mod build;
mod tree;

use std::collections::HashSet;

use crate::builder::{replaced, Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Function, Loop, Op, OpKind, Program, ValueId};

use super::only::FunctionFilter;
use super::{Pass, Settings};
use arrival::{Latencies, Times};
use tree::{Class, Trees};

/// Most times that the trees of a function are looked at.
const MOST_PASSES: u32 = 12;

/// See the module's text.
pub struct Reassociate;

impl Pass for Reassociate {
    fn name(&self) -> &'static str {
        "reassociate"
    }

    fn description(&self) -> &'static str {
        "combine what arrives late last in sums, exclusive ors, ands and ors"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "alu", "mul", "load", "duplicate", "keep"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let latencies = Latencies {
            alu: settings.number("alu", 1)?,
            mul: settings.number("mul", 3)?,
            load: settings.number("load", 5)?,
        };
        let duplicate = settings.choice("duplicate", &["no", "yes"])? == "yes";
        let keep = settings.choice("keep", &["changed", "all", "none"])?;
        let mut kept = Vec::new();
        for function in FunctionFilter::of(settings, program)?.functions(program) {
            let changed = rebuild(function, latencies, duplicate);
            if keep == "all" || (keep == "changed" && changed) {
                kept.push(function.name.clone());
            }
        }
        note_order(program, kept);
        Ok(())
    }
}

/// Adds functions to the program's fact `keep_order`.
fn note_order(program: &mut Program, changed: Vec<String>) {
    if changed.is_empty() {
        return;
    }
    let fact = program.meta.iter().position(|(key, _)| key == "keep_order");
    let mut names: Vec<String> =
        fact.map_or_else(Vec::new, |n| program.meta.remove(n).1.split(' ').map(str::to_owned).collect());
    names.extend(changed);
    names.sort();
    names.dedup();
    program.meta.push(("keep_order".to_owned(), names.join(" ")));
}

/// Rebuilds the trees of a function; with `duplicate` again as long as its outputs are there sooner than before.
fn rebuild(function: &mut Function, latencies: Latencies, duplicate: bool) -> bool {
    let mut changed = false;
    let mut end = u64::MAX;
    for _ in 0..MOST_PASSES {
        let mut times = Times::new(latencies, function);
        times.block(&function.body);
        if times.end(&function.body) >= end {
            break;
        }
        end = times.end(&function.body);
        let once_more = rebuild_once(function, times, duplicate);
        changed |= once_more;
        if !duplicate || !once_more {
            break;
        }
    }
    changed
}

fn rebuild_once(function: &mut Function, times: Times, duplicate: bool) -> bool {
    let critical = times.critical(&function.body);
    let uses = crate::walk::use_counts(function);
    let mut builder = Builder::new(function);
    let map = Replacements::new();
    let mut walker = Walker { builder: &mut builder, map, times, uses, duplicate, critical, depth: 0, changed: false };
    walker.block(&mut function.body);
    let changed = walker.changed;
    builder.finish(function);
    if changed {
        super::dce::clean(function);
    }
    changed
}

struct Walker<'a> {
    builder: &'a mut Builder,
    map: Replacements,
    times: Times,
    uses: Vec<u32>,
    duplicate: bool,
    /// Values of the outermost block that nothing may delay.
    critical: HashSet<ValueId>,
    /// Loops around.
    depth: u32,
    changed: bool,
}

impl Walker<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut trees = Trees::of(block, &self.uses);
        let mut out = Vec::with_capacity(block.ops.len());
        for op in std::mem::take(&mut block.ops) {
            let mut single = Block { ops: vec![op], ..Block::default() };
            if let OpKind::Loop(l) = &mut single.ops[0].kind {
                self.bodies(l);
                out.append(&mut single.ops);
                continue;
            }
            self.builder.substitute(&mut single, &self.map);
            let Some(op) = single.ops.pop() else { continue };
            out.append(&mut single.ops);
            self.operation(op, &mut trees, &mut out);
        }
        block.ops = out;
        block.outputs.iter_mut().for_each(|o| *o = replaced(*o, &self.map));
    }

    fn bodies(&mut self, l: &mut Loop) {
        l.init.iter_mut().for_each(|o| *o = replaced(*o, &self.map));
        self.depth += 1;
        l.bodies.iter_mut().for_each(|body| self.block(body));
        self.depth -= 1;
    }

    fn operation(&mut self, op: Op, trees: &mut Trees, out: &mut Vec<Op>) {
        trees.add(&op);
        let class = Class::of(&op.kind).filter(|_| trees.is_root(op.results[0]));
        let before = out.len();
        let rebuilt = class.is_some_and(|class| {
            let mut terms = trees.terms(op.results[0], class, &self.times);
            if self.duplicate && (self.depth > 0 || self.critical.contains(&op.results[0])) {
                trees.reach_further(&mut terms, class, &self.times);
            }
            build::rebuild(self, &op, class, terms, out)
        });
        if rebuilt {
            self.changed = true;
        } else {
            out.push(op);
        }
        for op in &out[before..] {
            self.times.operation(op);
        }
    }
}

#[cfg(test)]
mod tests;
