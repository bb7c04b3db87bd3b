//! What is linear over GF(2) between the other operations of a program, bit by bit.
//!
//! A block is walked in order ([`walk`]): exclusive ors, moves of bits, products with constants in fields of characteristic
//! two and tables that are affine become sums, everything else (S-boxes, additions, conjunctions) makes new bits. A layer
//! ([`layers`]) is what the bits made at one depth add to what the next operations take and the block gives; what was made
//! at other depths is left out, so that the exclusive ors of a Feistel network do not join its rounds.

pub mod document;
mod graph;
mod layers;
mod walk;

use program::ir::Program;
use program::passes::run_all;
use program::walk::for_each_block;
use program::Diagnostic;

pub use document::{BitLayer, Found, Nonlinear};
use graph::Kind;
use walk::Walk;

/// The layers of a function, what it calls put in place of the calls.
///
/// # Errors
/// What replacing the calls refuses.
pub fn find(program: &Program, function: &str) -> Result<Found, Diagnostic> {
    let mut program = program.clone();
    run_all(&mut program, &["inline-calls"], &[])?;
    let mut found = Found { layers: Vec::new(), nonlinear: Vec::new() };
    let Some(one) = program.functions.iter().find(|f| f.name == function) else { return Ok(found) };
    let mut number = 0;
    for_each_block(&one.body, &mut |block| {
        let walk = Walk::of(&program, one, block);
        count(&walk, &mut found.nonlinear);
        for layer in layers::layers(&walk, one, number) {
            match found.layers.iter_mut().find(|l| l.is_same(&layer)) {
                Some(known) => known.count = known.count.max(layer.count),
                None => found.layers.push(layer),
            }
        }
        number += 1;
    });
    Ok(found)
}

/// Adds what is not linear in a block.
fn count(walk: &Walk<'_>, found: &mut Vec<Nonlinear>) {
    for group in &walk.graph.groups {
        let (kind, bits) = match (group.kind, &group.table) {
            (Kind::Box, Some((table, _))) => ("box", table.len().trailing_zeros() as usize),
            (Kind::Operation(name), _) if name != "rounds" && name != "steps" => (name, group.sources.len()),
            _ => continue,
        };
        match found.iter_mut().find(|n| n.kind == kind && n.name == group.name && n.bits == bits) {
            Some(known) => known.count += 1,
            None => found.push(Nonlinear { kind: kind.to_owned(), name: group.name.clone(), bits, count: 1 }),
        }
    }
}
