//! `merge-carried`: words that a loop hands on and that are equal become one.
//!
//! Identity: two carried words with equal successors are equal behind the loop; if they begin equal, too, they are in every iteration.

use super::rewrite::rewrite_loops;
use super::{Pass, Settings};
use crate::builder::{Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Loop, Op, OpKind, Operand, Program, Type, ValueId};

/// See the module's text.
pub struct MergeCarried;

impl Pass for MergeCarried {
    fn name(&self) -> &'static str {
        "merge-carried"
    }

    fn description(&self) -> &'static str {
        "make equal words that a loop hands on one"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in settings.functions(program) {
            rewrite_loops(function, &mut |builder, mut op, out, map| {
                if let Op { kind: OpKind::Loop(l), results, .. } = &mut op {
                    merge(builder, l, results, map);
                }
                out.push(op);
            });
        }
        Ok(())
    }
}

/// Replaces results that equal earlier ones, and drops carried words that equal earlier ones throughout.
fn merge(builder: &mut Builder, l: &mut Loop, results: &mut Vec<ValueId>, map: &mut Replacements) {
    let mut n = 1;
    while n < l.init.len() {
        let word = matches!(builder.ty(results[n]), Type::Word(_));
        let equal = |m: &usize| {
            l.bodies.iter().all(|b| matches!(b.outputs[n], Operand::Value(_)) && b.outputs[*m] == b.outputs[n])
        };
        let Some(m) = (0..n).find(|m| word && equal(m)) else {
            n += 1;
            continue;
        };
        map.insert(results[n], Operand::Value(results[m]));
        if l.init[m] != l.init[n] {
            n += 1;
            continue;
        }
        for body in &mut l.bodies {
            let same: Replacements = [(body.params[n + 1], Operand::Value(body.params[m + 1]))].into();
            builder.substitute(body, &same);
            body.params.remove(n + 1);
            body.outputs.remove(n);
        }
        l.init.remove(n);
        results.remove(n);
    }
}
