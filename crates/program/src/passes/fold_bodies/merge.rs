//! Two bodies of a loop become one.

use std::collections::{HashMap, HashSet};

use crate::builder::{replaced, Builder, Replacements};
use crate::ir::{Binary, Block, Op, OpKind, Operand, Type, ValueId};
use crate::walk::{slots_mut, uses, Slot};

/// The first body, growing; it is run in full whatever the iteration, what the second one does otherwise is chosen by a condition.
pub struct MergedBody<'a> {
    builder: &'a mut Builder,
    /// Is 1 in the iterations of the second body.
    condition: ValueId,
    params: Vec<ValueId>,
    ops: Vec<Op>,
    /// What stands in the merged body for the values of the second one.
    map: Replacements,
    /// What the second body alone does, not yet put into the merged one.
    waiting: Vec<Op>,
    /// Results that only the second body's iterations use.
    own: HashMap<ValueId, Op>,
    /// First results of the first body's operations that have partners.
    partners: HashSet<ValueId>,
    /// Behind which operations of the first body have their partners.
    at: usize,
    choices: usize,
}

impl<'a> MergedBody<'a> {
    /// The merged body, or `None` where a difference is more than operations on words, or there are more than `most` of them.
    pub fn of(
        builder: &'a mut Builder,
        first: Block,
        second: &Block,
        condition: ValueId,
        most: usize,
    ) -> Option<Block> {
        let map = second.params.iter().zip(&first.params).map(|(&b, &a)| (b, Operand::Value(a))).collect();
        let Block { params, ops, outputs } = first;
        let mut merged = MergedBody {
            builder,
            condition,
            params,
            ops,
            map,
            waiting: Vec::new(),
            own: HashMap::new(),
            partners: HashSet::new(),
            at: 0,
            choices: 0,
        };
        for op in &second.ops {
            merged.operation(op)?;
        }
        let alone = |op: &&Op| !merged.partners.contains(&op.results[0]);
        if merged.ops.iter().filter(alone).any(|op| !speculative(&op.kind)) {
            return None;
        }
        merged.at = merged.ops.len();
        let mut outputs = outputs;
        merged.flush()?;
        for (k, output) in outputs.iter_mut().enumerate() {
            let other = replaced(second.outputs[k], &merged.map);
            let param = merged.params[k + 1];
            *output = merged.output(*output, other, param)?;
        }
        (merged.choices <= most).then_some(Block { params: merged.params, ops: merged.ops, outputs })
    }

    /// Finds the partner of an operation of the second body, or adds it.
    fn operation(&mut self, op: &Op) -> Option<()> {
        let mut op = op.clone();
        let map = &self.map;
        slots_mut(&mut op.kind, &mut |slot| match slot {
            Slot::Operand(o) => *o = replaced(*o, map),
            Slot::Value(v) => {
                if let Some(Operand::Value(new)) = map.get(v) {
                    *v = *new;
                }
            }
            Slot::Affine(affine) => crate::builder::replace_in_affine(affine, map),
        });
        let partner = (self.at..self.ops.len()).find_map(|k| Some((k, self.differing(&self.ops[k], &op)?)));
        if let Some((mut k, pairs)) = partner {
            let before = self.ops.len();
            self.at = k;
            if !pairs.is_empty() {
                self.flush()?;
                for (a, b) in pairs {
                    let chosen = self.choose(b, a)?;
                    self.replace_from(self.at, a, chosen);
                    self.stands_for(b, chosen);
                }
            }
            k += self.ops.len() - before;
            let results = self.ops[k].results.clone();
            self.partners.insert(results[0]);
            self.map.extend(op.results.iter().zip(results).map(|(&b, a)| (b, Operand::Value(a))));
            self.at = k + 1;
            return Some(());
        }
        if !speculative(&op.kind) {
            return None;
        }
        let result = self.builder.like(op.results[0]);
        self.map.insert(op.results[0], Operand::Value(result));
        op.results = vec![result];
        self.own.insert(result, op.clone());
        self.waiting.push(op);
        Some(())
    }

    /// The pairs of operands that differ between two operations of one kind on words of the same widths, each the second body's
    /// own; `None` if they differ in more.
    fn differing(&self, a: &Op, b: &Op) -> Option<Vec<(ValueId, ValueId)>> {
        let alike = |a: &ValueId, b: &ValueId| self.builder.ty(*a) == self.builder.ty(*b);
        if a.results.len() != b.results.len() || !a.results.iter().zip(&b.results).all(|(a, b)| alike(a, b)) {
            return None;
        }
        let (a, b) = (&a.kind, &b.kind);
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        uses(a, &mut |v| of_a.push(v));
        uses(b, &mut |v| of_b.push(v));
        if matches!(a, OpKind::Loop(_)) || of_a.len() != of_b.len() {
            return None;
        }
        let mut pairs: Vec<(ValueId, ValueId)> = Vec::new();
        for pair in of_a.into_iter().zip(of_b).filter(|(a, b)| a != b) {
            if !alike(&pair.0, &pair.1)
                || !self.own.contains_key(&pair.1)
                || pairs.iter().any(|p| p.0 == pair.0 && p.1 != pair.1)
            {
                return None;
            }
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let back: Replacements = pairs.iter().map(|&(a, b)| (b, Operand::Value(a))).collect();
        let mut same = b.clone();
        slots_mut(&mut same, &mut |slot| match slot {
            Slot::Operand(o) => *o = replaced(*o, &back),
            Slot::Value(v) => {
                if let Some(Operand::Value(new)) = back.get(v) {
                    *v = *new;
                }
            }
            Slot::Affine(affine) => crate::builder::replace_in_affine(affine, &back),
        });
        (same == *a).then_some(pairs)
    }

    /// Puts what waits before the partner that was found.
    fn flush(&mut self) -> Option<()> {
        for op in std::mem::take(&mut self.waiting) {
            self.insert(op)?;
        }
        Some(())
    }

    /// Puts an operation where the partners go on; `None` if what it uses is defined behind.
    fn insert(&mut self, op: Op) -> Option<()> {
        let mut late = false;
        uses(&op.kind, &mut |v| late |= self.ops[self.at..].iter().any(|o| o.results.contains(&v)));
        self.ops.insert(self.at, op);
        self.at += 1;
        (!late).then_some(())
    }

    fn made(&mut self, like: ValueId, kind: OpKind) -> Option<ValueId> {
        let value = self.builder.like(like);
        self.insert(Op { kind, results: vec![value], places: Vec::new() })?;
        Some(value)
    }

    /// `b` in the iterations of the second body, else `a`.
    fn choose(&mut self, b: ValueId, a: ValueId) -> Option<ValueId> {
        self.choices += 1;
        let condition = Operand::Value(self.condition);
        let (mut a, mut b) = (a, b);
        if let Some(op) = self.own.get(&b).cloned() {
            let shared = |v: ValueId| on(&op.kind, v).is_some();
            let base = self.base(a);
            if shared(base) {
                // In these iterations, `a` is what the operation begins with.
                b = self.made(b, with(&op.kind, base, a))?;
            } else if let Some(common) = self.operands(a).into_iter().find(|&v| shared(v)) {
                let kind = OpKind::Select(condition, Operand::Value(common), Operand::Value(a));
                a = self.made(a, kind)?;
                b = self.made(b, with(&op.kind, common, a))?;
            }
        }
        let chosen = self.made(a, OpKind::Select(condition, Operand::Value(b), Operand::Value(a)))?;
        Some(chosen)
    }

    /// What a value is where no condition of an earlier merge holds.
    fn base(&self, value: ValueId) -> ValueId {
        let chosen = self.ops.iter().find(|op| op.results == [value]).map(|op| &op.kind);
        match chosen {
            Some(OpKind::Select(Operand::Value(c), _, Operand::Value(other))) if *c != self.condition => {
                if matches!(self.builder.ty(*c), Type::Word(1)) && !self.ops.iter().any(|op| op.results.contains(c)) {
                    return self.base(*other);
                }
                value
            }
            _ => value,
        }
    }

    /// The operands of the operation that gives a value, if it is one whose result may be chosen in place.
    fn operands(&self, value: ValueId) -> Vec<ValueId> {
        let Some(op) = self.ops.iter().find(|op| op.results == [value]) else { return Vec::new() };
        let mut found = Vec::new();
        uses(&op.kind, &mut |v| found.push(v));
        found.retain(|&v| on(&op.kind, v).is_some());
        found
    }

    /// Puts a value in the place of another from an operation on; the second body sees it, too.
    fn replace_from(&mut self, at: usize, old: ValueId, new: ValueId) {
        let map: Replacements = [(old, Operand::Value(new))].into();
        let mut rest = Block { ops: self.ops.split_off(at), ..Block::default() };
        self.builder.substitute(&mut rest, &map);
        self.ops.append(&mut rest.ops);
        self.map.values_mut().for_each(|o| *o = replaced(*o, &map));
    }

    /// In what follows of the second body, a value is what was chosen with it.
    fn stands_for(&mut self, own: ValueId, chosen: ValueId) {
        let map: Replacements = [(own, Operand::Value(chosen))].into();
        self.map.values_mut().for_each(|o| *o = replaced(*o, &map));
    }

    /// What the merged body hands on.
    fn output(&mut self, a: Operand, b: Operand, param: ValueId) -> Option<Operand> {
        if a == b {
            return Some(a);
        }
        let Type::Word(_) = self.builder.ty(param) else { return None };
        if let (Operand::Value(a), Operand::Value(b)) = (a, b) {
            return self.choose(b, a).map(Operand::Value);
        }
        self.choices += 1;
        self.made(param, OpKind::Select(Operand::Value(self.condition), b, a)).map(Operand::Value)
    }
}

/// The operation that an accumulation with a value does, if it is one.
fn on(kind: &OpKind, value: ValueId) -> Option<Binary> {
    match kind {
        OpKind::Binary(binary @ (Binary::Add | Binary::Xor), a, b) => {
            (*a == Operand::Value(value) || *b == Operand::Value(value)).then_some(*binary)
        }
        OpKind::Binary(Binary::Sub, a, _) => (*a == Operand::Value(value)).then_some(Binary::Sub),
        _ => None,
    }
}

/// The operation with another value in the place of one.
fn with(kind: &OpKind, old: ValueId, new: ValueId) -> OpKind {
    let mut kind = kind.clone();
    let map: Replacements = [(old, Operand::Value(new))].into();
    slots_mut(&mut kind, &mut |slot| {
        if let Slot::Operand(o) = slot {
            *o = replaced(*o, &map);
        }
    });
    kind
}

/// Whether an operation may be done in iterations that do not ask for it.
fn speculative(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Const(_)
            | OpKind::Binary(..)
            | OpKind::Not(_)
            | OpKind::Shift(..)
            | OpKind::Extract(..)
            | OpKind::Concat(_)
            | OpKind::Zext(_)
            | OpKind::Compare(..)
            | OpKind::Select(..)
    )
}
