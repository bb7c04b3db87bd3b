//! `cse`: what was computed before is not computed again.
//!
//! Soundness: operations have no effects and arrays are values, so two equal operations on the same values give the same results; the
//! earlier one is used where it stands in the same block or in one around it. New arrays, stores, calls and loops are left alone.

use std::collections::HashMap;

use super::{Pass, Settings};
use crate::builder::{replaced, Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Block, OpKind, Operand, Program, ValueId};

/// See the module's text.
pub struct Cse;

impl Pass for Cse {
    fn name(&self) -> &'static str {
        "cse"
    }

    fn description(&self) -> &'static str {
        "use what was computed before instead of computing it again"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in &mut program.functions {
            let types: Vec<String> = function.values.iter().map(|v| format!("{:?}", v.ty)).collect();
            let mut builder = Builder::new(function);
            let mut finder = Finder { builder: &mut builder, types, seen: HashMap::new(), map: Replacements::new() };
            finder.block(&mut function.body);
            builder.finish(function);
        }
        Ok(())
    }
}

struct Finder<'a> {
    builder: &'a mut Builder,
    types: Vec<String>,
    seen: HashMap<String, Vec<ValueId>>,
    map: Replacements,
}

impl Finder<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut added = Vec::new();
        let mut out = Vec::with_capacity(block.ops.len());
        for op in std::mem::take(&mut block.ops) {
            let mut one = Block { ops: vec![op], ..Block::default() };
            if let OpKind::Loop(l) = &mut one.ops[0].kind {
                l.init.iter_mut().for_each(|o| *o = replaced(*o, &self.map));
                l.bodies.iter_mut().for_each(|body| self.block(body));
                out.append(&mut one.ops);
                continue;
            }
            self.builder.substitute(&mut one, &self.map);
            let Some(op) = one.ops.pop() else { continue };
            out.append(&mut one.ops);
            let Some(key) = self.key(&op.kind, &op.results) else {
                out.push(op);
                continue;
            };
            if let Some(earlier) = self.seen.get(&key) {
                self.map.extend(op.results.iter().zip(earlier).map(|(&old, &new)| (old, Operand::Value(new))));
            } else {
                self.seen.insert(key.clone(), op.results.clone());
                added.push(key);
                out.push(op);
            }
        }
        block.ops = out;
        block.outputs.iter_mut().for_each(|o| *o = replaced(*o, &self.map));
        added.iter().for_each(|key| drop(self.seen.remove(key)));
    }

    /// Text that is equal for equal operations.
    fn key(&self, kind: &OpKind, results: &[ValueId]) -> Option<String> {
        let kind = match kind {
            OpKind::Loop(_) | OpKind::Array(_) | OpKind::Store(..) | OpKind::Call(..) => return None,
            OpKind::Binary(binary, a, b) if *binary != Binary::Sub && a > b => OpKind::Binary(*binary, *b, *a),
            other => other.clone(),
        };
        Some(format!("{kind:?} {}", self.types.get(results.first()?.0 as usize)?))
    }
}
