//! `dead-stores`: a store is left out if the same place is stored again before anything reads the array.
//!
//! Only stores at known addresses are compared, and only along a chain of arrays each of which has one use; what the array held there
//! cannot be seen.

use std::collections::{HashMap, HashSet};

use super::only::FunctionFilter;
use super::rewrite::rewrite;
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Block, Function, Op, OpKind, Operand, Program, ValueId};
use crate::walk::{for_each_block, use_counts};

/// See the module's text.
pub struct DeadStores;

impl Pass for DeadStores {
    fn name(&self) -> &'static str {
        "dead-stores"
    }

    fn description(&self) -> &'static str {
        "leave out stores to places that are stored again before they are read"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in FunctionFilter::of(settings, program)?.functions(program) {
            let dead = dead(function);
            rewrite(function, &mut |r, op| match op.kind {
                OpKind::Store(array, ..) if dead.contains(&op.results[0]) => {
                    r.stand(op.results[0], Operand::Value(array));
                }
                _ => r.keep(op),
            });
            super::dce::clean(function);
        }
        Ok(())
    }
}

/// The results of stores that nobody sees.
fn dead(function: &Function) -> HashSet<ValueId> {
    let uses = use_counts(function);
    let mut dead = HashSet::new();
    for_each_block(&function.body, &mut |block| in_block(block, &uses, &mut dead));
    dead
}

fn in_block(block: &Block, uses: &[u32], dead: &mut HashSet<ValueId>) {
    let next: HashMap<ValueId, &Op> =
        block.ops.iter().filter_map(|op| stored(op).map(|(array, _)| (array, op))).collect();
    for op in &block.ops {
        let Some((_, place)) = stored(op) else { continue };
        let mut array = op.results[0];
        while uses[array.0 as usize] == 1 {
            let Some((later, (_, there))) = next.get(&array).and_then(|later| Some((later, stored(later)?))) else {
                break;
            };
            if there == place {
                dead.insert(op.results[0]);
                break;
            }
            array = later.results[0];
        }
    }
}

/// The array and the place of a store at a known address.
fn stored(op: &Op) -> Option<(ValueId, &[Address])> {
    match &op.kind {
        OpKind::Store(array, place, _) if place.iter().all(|a| a.affine.terms.is_empty()) => Some((*array, place)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    fn passed(ops: &str) -> String {
        let text = format!("program \"t\" {{\n}}\n\nfunc @f(%x: u32, %y: u32, %i: u2) -> (u32[4], u32) {{\n{ops}\n  return %C, %r\n}}\n");
        let mut program = crate::parse(&text).unwrap();
        crate::verify(&program).unwrap();
        run_all(&mut program, &["dead-stores"], &[]).unwrap();
        crate::verify(&program).unwrap();
        program.to_string().lines().filter(|l| l.contains("store")).map(str::trim).collect::<Vec<_>>().join("\n")
    }

    const START: &str = "%A: u32[4] = array %x, %x, %x, %x\n%B: u32[4] = store %A[1], %y\n";

    #[test]
    fn a_store_before_another_to_the_same_place_goes() {
        let found =
            passed(&format!("{START}%D: u32[4] = store %B[2], %y\n%C: u32[4] = store %D[1], %x\n%r: u32 = load %C[0]"));
        assert_eq!(found, "%D: u32[4] = store %A[2], %y\n%C: u32[4] = store %D[1], %x");
    }

    #[test]
    fn a_store_that_is_read_stays() {
        let found = passed(&format!("{START}%C: u32[4] = store %B[1], %x\n%r: u32 = load %B[%i]"));
        assert_eq!(found, "%B: u32[4] = store %A[1], %y\n%C: u32[4] = store %B[1], %x");
    }
}
