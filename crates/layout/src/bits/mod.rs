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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Found {
        let table = "table @S: u4[16] = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2]\n";
        let linear = "table @L: u4[16] = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15]\n";
        let text = format!("program \"t\" {{\n}}\n\n{table}\n{linear}\nfunc @f(%x: u8) -> (u8) {{\n{body}\n}}\n");
        find(&program::parse(&text).unwrap(), "f").unwrap()
    }

    #[test]
    fn a_rotation_and_an_exclusive_or_behind_two_boxes_are_a_layer() {
        let found = found(
            "  %a: u4 = extract %x, 0\n  %b: u4 = extract %x, 4\n  %c: u4 = lookup @S[%a]\n  %d: u4 = lookup @S[%b]\n  \
             %e: u8 = concat %c, %d\n  %g: u8 = rotl %e, 1\n  %h: u8 = xor %e, %g\n  return %h",
        );
        let layer = &found.layers[0];
        assert_eq!((layer.kind, layer.groups.len(), layer.steps.len()), ("boxes", 2, 8));
        let mut row = layer.rows[0].columns.clone();
        row.sort_unstable();
        assert_eq!(row, [0, 7]);
        assert_eq!(
            (found.nonlinear[0].kind.as_str(), found.nonlinear[0].bits, found.nonlinear[0].count),
            ("box", 4, 2)
        );
    }

    #[test]
    fn affine_tables_and_masks_are_linear_and_conjunctions_are_not() {
        let found = found(
            "  %a: u4 = extract %x, 0\n  %b: u4 = lookup @L[%a]\n  %c: u8 = zext %b\n  %d: u8 = and %c, 0x5\n  \
             %e: u8 = and %d, %x\n  return %e",
        );
        assert!(found.layers.iter().all(|l| l.kind != "boxes"));
        // Only bits 0 and 2 are a conjunction of two bits that are open.
        assert_eq!((found.nonlinear[0].kind.as_str(), found.nonlinear[0].bits), ("and", 2));
    }
}
