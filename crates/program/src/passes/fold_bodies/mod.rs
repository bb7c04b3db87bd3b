//! `fold-bodies`: a loop whose iterations run different bodies gets one body, in which the operations that differ are chosen.
//!
//! What the bodies have in common is done once. Which body an iteration belongs to is read from a word that is handed on and shifted
//! by one bit each iteration; conditions that follow each other at a distance share one word. Loops stay as they are where a
//! difference is more than operations on words, or where there are more than `most` of these; with `only=alternating`, where the
//! bodies run one after the other.
//!
//! Identity: an operation on words has no effect but its result, so that it may be done in iterations that do not use it.

mod conditions;
mod merge;

use super::rewrite::rewrite_loops;
use super::{Pass, Settings};
use crate::builder::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::{Loop, Op, OpKind, Operand, Program, Shift, Type, ValueId};
use conditions::Words;
use merge::MergedBody;

/// See the module's text.
pub struct FoldBodies;

impl Pass for FoldBodies {
    fn name(&self) -> &'static str {
        "fold-bodies"
    }

    fn description(&self) -> &'static str {
        "make the bodies of a loop one that chooses where they differ"
    }

    fn options(&self) -> &'static [&'static str] {
        &["most", "only", "function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let most = settings.number("most", 8)? as usize;
        let all = settings.choice("only", &["any", "alternating"])? == "any";
        for function in settings.functions(program) {
            rewrite_loops(function, &mut |builder, mut op, out, _| {
                if let Op { kind: OpKind::Loop(l), results, .. } = &mut op {
                    if all || alternates(&l.pattern) {
                        if let Some(folded) = folded(builder, l, results, most) {
                            **l = folded;
                        }
                    }
                }
                out.push(op);
            });
        }
        Ok(())
    }
}

/// Whether a body runs, then another, then the first one again.
fn alternates(pattern: &[u8]) -> bool {
    (1..pattern.len()).any(|t| pattern[t] != pattern[t - 1] && pattern[..t].contains(&pattern[t]))
}

/// The loop with one body; its new carried words are added to the results.
fn folded(builder: &mut Builder, l: &Loop, results: &mut Vec<ValueId>, most: usize) -> Option<Loop> {
    if l.bodies.len() < 2 {
        return None;
    }
    // The shortest body first: what the others do more is done under their conditions.
    let mut order: Vec<usize> = (0..l.bodies.len()).collect();
    order.sort_by_key(|&k| l.bodies[k].ops.len());
    let words = Words::of(&l.pattern, &order[1..])?;
    let mut carried: Vec<ValueId> = Vec::new();
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut outputs = Vec::new();
    for &(_, width) in &words.list {
        let word = builder.value("", Type::Word(width));
        let kind = OpKind::Shift(Shift::Shr, Operand::Value(word), Operand::Const(1));
        let (next, shifted) = builder.op("", Type::Word(width), kind, &[]);
        carried.push(word);
        after.push(next);
        outputs.push(Operand::Value(shifted));
    }
    let mut body = l.bodies[order[0]].clone();
    for (&k, &(word, bit)) in order[1..].iter().zip(&words.places) {
        let kind = OpKind::Extract(Operand::Value(carried[word]), bit);
        let (op, condition) = builder.op("", Type::Word(1), kind, &[]);
        before.push(op);
        body = MergedBody::of(builder, body, &l.bodies[k], condition, most)?;
    }
    body.ops.splice(0..0, before);
    body.ops.extend(after);
    body.params.extend(carried);
    body.outputs.extend(outputs);
    let mut new = Loop { pattern: vec![0; l.pattern.len()], bodies: vec![body], ..l.clone() };
    for &(number, width) in &words.list {
        new.init.push(Operand::Const(number));
        results.push(builder.value("", Type::Word(width)));
    }
    Some(new)
}
