//! Trees of multiplexers that choose one of many words by the bits of an address: said as one choice, which is one event for a
//! simulator where the tree has hundreds.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Op, OpKind, Operand, ValueId};

/// A tree of fewer words stays one.
const MANY: usize = 128;

/// One of many words.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The word with the address.
    pub address: ValueId,
    /// The first bit of it that counts.
    pub low: u8,
    /// By number; a power of two of them.
    pub words: Vec<Operand>,
    /// The results of the multiplexers below the last.
    inner: Vec<ValueId>,
}

/// The choices of a function.
#[derive(Default)]
pub(super) struct Choices {
    /// By the result of the tree.
    pub roots: BTreeMap<ValueId, Choice>,
    /// The results of the multiplexers below.
    pub inner: BTreeSet<ValueId>,
}

/// Finds them among operations in order; `used_once` says of a value that nothing else looks at it.
pub(super) fn choices(ops: &[&Op], used_once: &dyn Fn(ValueId) -> bool) -> Choices {
    let mut bits: BTreeMap<ValueId, (ValueId, u8)> = BTreeMap::new();
    let mut roots: BTreeMap<ValueId, Choice> = BTreeMap::new();
    for op in ops {
        match op.kind {
            OpKind::Extract(Operand::Value(address), bit) => {
                bits.insert(op.results[0], (address, bit));
            }
            OpKind::Select(Operand::Value(condition), high, low) => {
                if let Some(&(address, bit)) = bits.get(&condition) {
                    let choice = joined(&roots, (address, bit), [low, high], used_once);
                    roots.insert(op.results[0], choice);
                }
            }
            _ => {}
        }
    }
    roots.retain(|_, choice| choice.words.len() >= MANY);
    let inner = roots.values().flat_map(|choice| choice.inner.iter().copied()).collect::<BTreeSet<_>>();
    roots.retain(|v, _| !inner.contains(v));
    Choices { roots, inner }
}

/// The choice by one bit more of two choices, or of two words.
fn joined(
    roots: &BTreeMap<ValueId, Choice>,
    (address, bit): (ValueId, u8),
    sides: [Operand; 2],
    used_once: &dyn Fn(ValueId) -> bool,
) -> Choice {
    let below = |side: Operand| {
        let Operand::Value(v) = side else { return None };
        let choice = roots.get(&v).filter(|_| used_once(v))?;
        let levels = bit.checked_sub(choice.low).map_or(0, u32::from);
        (choice.address == address && levels > 0 && choice.words.len() == 1 << levels).then_some((v, choice))
    };
    match (below(sides[0]), below(sides[1])) {
        (Some((v, a)), Some((w, b))) if a.low == b.low => Choice {
            address,
            low: a.low,
            words: [&a.words[..], &b.words[..]].concat(),
            inner: [&[v, w], &a.inner[..], &b.inner[..]].concat(),
        },
        _ => Choice { address, low: bit, words: sides.to_vec(), inner: Vec::new() },
    }
}
