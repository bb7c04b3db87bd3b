//! Bytes that are made of bits of others, and which of them belong together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::search::Problem;
use crate::builder::Builder;
use crate::ir::{Block, Function, Op, OpKind, Operand, Type, ValueId};
use crate::walk::{for_each_block, for_each_op, uses};

/// Where the bits come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Source {
    /// A byte.
    Byte(ValueId),
    /// Look-ups of four bits each, at the lower and the upper half of one byte.
    Halves([ValueId; 2]),
}

impl Source {
    fn values(&self) -> Vec<ValueId> {
        match self {
            Source::Byte(v) => vec![*v],
            Source::Halves(both) => both.to_vec(),
        }
    }
}

/// A byte that is joined from bits: the place of the operation, and for each bit the source and the bit there.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub at: usize,
    pub value: ValueId,
    pub bits: Vec<(Source, u8)>,
    /// Whether it is only the index of look-ups.
    pub free: bool,
}

/// Targets and the sources whose bits they share out among them.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub sources: Vec<Source>,
    pub targets: Vec<Target>,
}

/// Most bytes that exchange bits.
const MOST_BYTES: usize = 8;

impl Component {
    pub fn problem(&self) -> Problem {
        let number = |source: &Source| self.sources.iter().position(|s| s == source).unwrap_or(0);
        Problem {
            targets: self.targets.iter().map(|t| t.bits.iter().map(|(s, bit)| (number(s), *bit)).collect()).collect(),
            sources_free: self.sources.iter().all(|s| matches!(s, Source::Halves(_))),
            targets_free: self.targets.iter().all(|t| t.free),
        }
    }

    /// Whether each target takes as many bits of each source, and each bit goes to one target.
    fn is_regular(&self) -> bool {
        let count = self.sources.len();
        if count != self.targets.len() || !count.is_power_of_two() || !(2..=MOST_BYTES).contains(&count) {
            return false;
        }
        let all: HashSet<&(Source, u8)> = self.targets.iter().flat_map(|t| &t.bits).collect();
        let even =
            |t: &Target| self.sources.iter().all(|s| t.bits.iter().filter(|(of, _)| of == s).count() * count == 8);
        all.len() == 8 * count && self.targets.iter().all(even)
    }
}

/// The words that are only taken apart, into fields that are only indices of look-ups.
pub(super) fn only_indices(function: &Function) -> HashSet<ValueId> {
    let mut otherwise = HashSet::new();
    let mut fields: Vec<(ValueId, ValueId)> = Vec::new();
    for_each_block(&function.body, &mut |block| {
        for op in &block.ops {
            match &op.kind {
                OpKind::Lookup(..) => {}
                OpKind::Extract(Operand::Value(word), _) => fields.push((*word, op.results[0])),
                kind => uses(kind, &mut |v| {
                    otherwise.insert(v);
                }),
            }
        }
        otherwise.extend(block.outputs.iter().filter_map(|o| match o {
            Operand::Value(v) => Some(*v),
            Operand::Const(_) => None,
        }));
    });
    for (word, field) in fields.iter().rev() {
        if otherwise.contains(field) {
            otherwise.insert(*word);
        }
    }
    fields.into_iter().map(|(word, _)| word).filter(|word| !otherwise.contains(word)).collect()
}

/// The regular components of a block.
pub(super) fn components(block: &Block, builder: &Builder, only_indices: &HashSet<ValueId>) -> Vec<Component> {
    let bits = Bits::of(block, builder);
    let mut targets = Vec::new();
    for (at, op) in block.ops.iter().enumerate() {
        let OpKind::Concat(parts) = &op.kind else { continue };
        let value = op.results[0];
        if parts.len() > 1 && *builder.ty(value) == Type::Word(8) {
            if let Some(bits) = bits.sources(value) {
                targets.push(Target { at, value, bits, free: only_indices.contains(&value) });
            }
        }
    }
    grouped(targets).into_iter().filter(Component::is_regular).collect()
}

/// The place in a block before which the bytes of a component are all there and none that is made of them has been used; `None` if there
/// is no such place.
pub(super) fn place(block: &Block, component: &Component) -> Option<usize> {
    let sources: HashSet<ValueId> = component.sources.iter().flat_map(Source::values).collect();
    let first = component.targets.iter().map(|t| t.at).min()?;
    let made = block.ops.iter().rposition(|op| op.results.iter().any(|v| sources.contains(v)));
    let place = first.max(made.map_or(0, |n| n + 1));
    let targets: HashSet<ValueId> = component.targets.iter().map(|t| t.value).collect();
    let mut early = false;
    for op in &block.ops[first..place] {
        let mut used = |kind: &OpKind| uses(kind, &mut |v| early |= targets.contains(&v));
        used(&op.kind);
        if let OpKind::Loop(l) = &op.kind {
            l.bodies.iter().for_each(|body| for_each_op(body, &mut |inner| used(&inner.kind)));
        }
    }
    (!early).then_some(place)
}

/// Targets with a source in common together.
fn grouped(targets: Vec<Target>) -> Vec<Component> {
    let mut group_of: BTreeMap<Source, usize> = BTreeMap::new();
    let mut groups: Vec<(BTreeSet<Source>, Vec<Target>)> = Vec::new();
    for target in targets {
        let own: BTreeSet<Source> = target.bits.iter().map(|(s, _)| s.clone()).collect();
        let mut met: Vec<usize> = own.iter().filter_map(|s| group_of.get(s).copied()).collect();
        met.sort_unstable();
        met.dedup();
        let mut joined = (own, Vec::new());
        for group in met {
            let (sources, list) = std::mem::take(&mut groups[group]);
            joined.0.extend(sources);
            joined.1.extend(list);
        }
        joined.1.push(target);
        group_of.extend(joined.0.iter().map(|s| (s.clone(), groups.len())));
        groups.push(joined);
    }
    let made = |(sources, targets): (BTreeSet<Source>, Vec<Target>)| Component {
        sources: sources.into_iter().collect(),
        targets,
    };
    groups.into_iter().map(made).collect()
}

/// Which bits words of a block are made of.
struct Bits<'a> {
    made: HashMap<ValueId, &'a Op>,
    builder: &'a Builder,
    /// The other look-up of two at the halves of one byte, and whether it is the upper one.
    halves: HashMap<ValueId, ([ValueId; 2], u8)>,
}

impl<'a> Bits<'a> {
    fn of(block: &'a Block, builder: &'a Builder) -> Bits<'a> {
        let made = block.ops.iter().flat_map(|op| op.results.iter().map(move |&v| (v, op))).collect();
        let mut bits = Bits { made, builder, halves: HashMap::new() };
        let mut open: HashMap<ValueId, [Option<ValueId>; 2]> = HashMap::new();
        for op in &block.ops {
            let Some((byte, half)) = bits.half(op) else { continue };
            let both = open.entry(byte).or_default();
            both[half] = Some(op.results[0]);
            if let [Some(low), Some(high)] = *both {
                bits.halves.insert(low, ([low, high], 0));
                bits.halves.insert(high, ([low, high], 4));
                open.remove(&byte);
            }
        }
        bits
    }

    /// The byte whose half a look-up of four bits is at, and which half.
    fn half(&self, op: &Op) -> Option<(ValueId, usize)> {
        let OpKind::Lookup(_, address) = &op.kind else { return None };
        let &[(1, index)] = address.affine.terms.as_slice() else { return None };
        let OpKind::Extract(Operand::Value(byte), start) = self.made.get(&index)?.kind else { return None };
        let four = |v| *self.builder.ty(v) == Type::Word(4);
        let fits = four(op.results[0]) && four(index) && *self.builder.ty(byte) == Type::Word(8) && start % 4 == 0;
        fits.then_some((byte, usize::from(start / 4)))
    }

    /// For each bit of a word the source and the bit there.
    fn sources(&self, word: ValueId) -> Option<Vec<(Source, u8)>> {
        self.bits(word).into_iter().map(|(v, bit)| self.source(v, bit)).collect()
    }

    fn source(&self, v: ValueId, bit: u8) -> Option<(Source, u8)> {
        if let Some((both, start)) = self.halves.get(&v) {
            return Some((Source::Halves(*both), start + bit));
        }
        (*self.builder.ty(v) == Type::Word(8)).then_some((Source::Byte(v), bit))
    }

    /// For each bit of a word the word that it was taken of, and the bit there.
    fn bits(&self, v: ValueId) -> Vec<(ValueId, u8)> {
        let width = self.builder.ty(v).width();
        match self.made.get(&v).map(|op| &op.kind) {
            Some(OpKind::Concat(parts)) => parts.iter().flat_map(|&p| self.bits(p)).collect(),
            Some(OpKind::Extract(Operand::Value(word), start)) => {
                let all = self.bits(*word);
                all[usize::from(*start)..usize::from(start + width)].to_vec()
            }
            _ => (0..width).map(|bit| (v, bit)).collect(),
        }
    }
}
