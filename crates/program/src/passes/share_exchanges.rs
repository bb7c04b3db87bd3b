//! `share-exchanges`: two words that take complementary parts of the same two words share a difference.
//!
//! Identities, for a mask m: `(a & m) ^ (b & ~m) = b ^ d` and `(b & m) ^ (a & ~m) = a ^ d` with `d = (a ^ b) & m`. Where both words are made,
//! four operations do the work of six. A word made alone is left as it is.

use std::collections::HashMap;

use super::{Pass, Settings};
use crate::builder::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Block, Function, OpKind, Operand, Program, Type, ValueId};
use crate::semantics::mask;
use crate::walk::{for_each_block_mut, use_counts};

/// See the module's text.
pub struct ShareExchanges;

impl Pass for ShareExchanges {
    fn name(&self) -> &'static str {
        "share-exchanges"
    }

    fn description(&self) -> &'static str {
        "compute once by what two words with complementary parts of two others differ"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in settings.functions(program) {
            share(function);
            super::dce::clean(function);
        }
        Ok(())
    }
}

/// A word with some bits of one word, under a mask, and the rest of another.
#[derive(Clone, Copy, Debug)]
struct Choice {
    at: usize,
    under: ValueId,
    rest: ValueId,
    mask: u64,
}

/// Two words in ascending order, and the mask that holds bit 0.
type Key = (ValueId, ValueId, u64);

fn share(function: &mut Function) {
    let uses = use_counts(function);
    let mut builder = Builder::new(function);
    for_each_block_mut(&mut function.body, &mut |block| in_block(block, &uses, &mut builder));
    builder.finish(function);
}

/// What a choice shares with that of the other parts.
fn key(choice: &Choice, width: u8) -> Key {
    let canonical = if choice.mask & 1 == 1 { choice.mask } else { !choice.mask & mask(width) };
    (choice.under.min(choice.rest), choice.under.max(choice.rest), canonical)
}

fn in_block(block: &mut Block, uses: &[u32], builder: &mut Builder) {
    let choices = choices(block, uses, builder);
    let width = |choice: &Choice| match builder.ty(block.ops[choice.at].results[0]) {
        Type::Word(width) => *width,
        _ => 0,
    };
    let mut groups: HashMap<Key, Vec<Choice>> = HashMap::new();
    choices.iter().for_each(|c| groups.entry(key(c, width(c))).or_default().push(*c));
    let mut shared: HashMap<usize, (Choice, u8, Key)> = HashMap::new();
    for choice in &choices {
        let key = key(choice, width(choice));
        if groups[&key].len() > 1 {
            shared.insert(choice.at, (*choice, width(choice), key));
        }
    }
    let mut differences: HashMap<Key, ValueId> = HashMap::new();
    let mut out = Vec::with_capacity(block.ops.len());
    for (at, mut op) in std::mem::take(&mut block.ops).into_iter().enumerate() {
        if let Some(&(choice, width, key)) = shared.get(&at) {
            let difference = *differences.entry(key).or_insert_with(|| {
                let (a, b, kept) = key;
                let kind = OpKind::Binary(Binary::Xor, Operand::Value(a), Operand::Value(b));
                let (sum, all) = builder.op("", Type::Word(width), kind, &op.places);
                let kind = OpKind::Binary(Binary::And, Operand::Value(all), Operand::Const(kept));
                let (part, difference) = builder.op("", Type::Word(width), kind, &op.places);
                out.extend([sum, part]);
                difference
            });
            let base = if choice.mask & 1 == 1 { choice.rest } else { choice.under };
            op.kind = OpKind::Binary(Binary::Xor, Operand::Value(base), Operand::Value(difference));
        }
        out.push(op);
    }
    block.ops = out;
}

/// Sums of two words under complementary masks, the masked words used nowhere else.
fn choices(block: &Block, uses: &[u32], builder: &Builder) -> Vec<Choice> {
    let mut masked: HashMap<ValueId, (ValueId, u64)> = HashMap::new();
    let mut found = Vec::new();
    for (at, op) in block.ops.iter().enumerate() {
        let OpKind::Binary(kind, a, b) = op.kind else { continue };
        let Type::Word(width) = *builder.ty(op.results[0]) else { continue };
        match (kind, a, b) {
            (Binary::And, Operand::Value(v), Operand::Const(m))
            | (Binary::And, Operand::Const(m), Operand::Value(v))
                if uses[op.results[0].0 as usize] == 1 =>
            {
                masked.insert(op.results[0], (v, m));
            }
            (Binary::Xor | Binary::Or | Binary::Add, Operand::Value(a), Operand::Value(b)) => {
                let (Some(&(under, m)), Some(&(rest, n))) = (masked.get(&a), masked.get(&b)) else { continue };
                if under != rest && m & n == 0 && m | n == mask(width) {
                    found.push(Choice { at, under, rest, mask: m });
                }
            }
            _ => {}
        }
    }
    found
}
