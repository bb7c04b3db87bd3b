//! Joined words of four bytes that are better made two at a time.

use std::collections::HashMap;

use super::facts::Facts;
use super::gather::{plan, Plan};
use super::groups::Groups;
use super::shape::{position, Position, WordRef};
use crate::ir::{Block, Op, OpKind, Operand, ValueId};
use crate::walk::for_each_block;

/// By either word: both, and how their eight bytes are gathered.
pub type Pairs = HashMap<ValueId, (ValueId, ValueId, Plan)>;

/// Finds `concat`s that follow each other in a block and take their bytes from the same words of eight bytes.
pub fn find(facts: &Facts<'_>, groups: &Groups) -> Pairs {
    let mut pairs = Pairs::new();
    for_each_block(&facts.function.body, &mut |block| in_block(facts, groups, block, &mut pairs));
    pairs
}

fn in_block(facts: &Facts<'_>, groups: &Groups, block: &Block, pairs: &mut Pairs) {
    let mut waiting: Option<(ValueId, Vec<Position>)> = None;
    for op in &block.ops {
        let Some(found) = scattered(facts, groups, op) else { continue };
        let value = op.results[0];
        if let Some((first, before)) = waiting.take() {
            let all: Vec<Position> = before.iter().chain(&found).copied().collect();
            match plan(&all) {
                Some(plan) if words(&before) == words(&found) => {
                    pairs.insert(first, (first, value, plan.clone()));
                    pairs.insert(value, (first, value, plan));
                    continue;
                }
                _ => {}
            }
        }
        waiting = Some((value, found));
    }
}

/// The places of the bytes of a `concat` of four that come from two or more words of eight.
fn scattered(facts: &Facts<'_>, groups: &Groups, op: &Op) -> Option<Vec<Position>> {
    let OpKind::Concat(list) = &op.kind else { return None };
    let found: Vec<Position> =
        list.iter().map(|&v| position(facts, groups, Operand::Value(v))).collect::<Option<Vec<Position>>>()?;
    (list.len() == 4 && found.iter().all(|p| p.2 == 8) && words(&found).len() > 1).then_some(found)
}

fn words(found: &[Position]) -> Vec<WordRef> {
    let mut words: Vec<WordRef> = found.iter().map(|p| p.0).collect();
    words.sort();
    words.dedup();
    words
}
