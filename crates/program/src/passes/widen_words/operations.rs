//! Operations on words that are wider than what they hold.

use super::BYTE;
use crate::ir::{Binary, Op, OpKind, Operand, Shift, Type, ValueId};
use crate::passes::rewrite::Rewriter;
use crate::semantics::mask;

/// One operation on its way.
pub(super) struct Widening<'a, 'r> {
    /// Width of the words that operations are done in.
    pub width: u8,
    /// The bits that words may have set, by their numbers; 0, or none: all.
    pub widths: &'a mut Vec<u8>,
    pub r: &'a mut Rewriter<'r>,
}

impl Widening<'_, '_> {
    /// Bits that a value may have set.
    pub fn bits(&self, value: ValueId) -> u8 {
        self.widths.get(value.0 as usize).copied().filter(|&bits| bits > 0).unwrap_or_else(|| self.container(value))
    }

    /// Width of the word that holds a value.
    pub fn container(&self, value: ValueId) -> u8 {
        match self.r.builder.ty(value) {
            Type::Word(width) => *width,
            _ => 0,
        }
    }

    /// The operand in a register.
    pub fn wide(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Value(v) if self.container(v) < self.width => self.r.word(self.width, OpKind::Zext(v)),
            other => other,
        }
    }

    pub fn two(&mut self, which: Binary, a: Operand, b: Operand) -> Operand {
        self.r.word(self.width, OpKind::Binary(which, a, b))
    }

    pub fn cut(&mut self, word: Operand, bits: u8) -> Operand {
        if bits == self.width {
            return word;
        }
        self.two(Binary::And, word, Operand::Const(mask(bits)))
    }

    /// Lets a word of a register, with the bits of the result alone, stand for it.
    pub fn give(&mut self, result: ValueId, word: Operand) {
        let held = self.container(result);
        let word = match word {
            Operand::Value(_) if held < self.width => self.r.word(held, OpKind::Extract(word, 0)),
            other => other,
        };
        self.stand(result, word);
    }

    /// Lets a word stand for a result and have its width from now on.
    fn stand(&mut self, result: ValueId, word: Operand) {
        if let Operand::Value(v) = word {
            let number = v.0 as usize;
            self.widths.resize(self.widths.len().max(number + 1), 0);
            self.widths[number] = self.widths[result.0 as usize];
        }
        self.r.stand(result, word);
    }

    pub fn operation(&mut self, op: Op) {
        let Some(&result) = op.results.first() else { return self.r.keep(op) };
        let bits = self.bits(result);
        match &op.kind {
            OpKind::Binary(which @ (Binary::Add | Binary::Sub | Binary::Mul), a, b) if bits < self.width => {
                let (a, b) = (self.wide(*a), self.wide(*b));
                let sum = self.two(*which, a, b);
                let sum = self.cut(sum, bits);
                self.give(result, sum);
            }
            OpKind::Not(a) if bits != self.container(result) => {
                let kind = OpKind::Binary(Binary::Xor, *a, Operand::Const(mask(bits)));
                self.r.keep(Op { kind, ..op });
            }
            OpKind::Shift(which, a, amount) if bits < self.width => self.shift(result, *which, *a, *amount),
            OpKind::Extract(a, position) => self.field(&op, *a, *position),
            OpKind::Concat(parts) => self.joined(&op, parts),
            OpKind::Zext(a) if self.container(*a) == self.container(result) => {
                // A word of its own, since its width is another; `fold` takes the operation out.
                let kind = OpKind::Binary(Binary::Or, Operand::Value(*a), Operand::Const(0));
                self.r.keep(Op { kind, ..op });
            }
            OpKind::Bitsliced(..) => self.bitsliced(op),
            OpKind::Compare(which, a, b) => {
                let (a, b) = (self.wide(*a), self.wide(*b));
                let bit = self.compared(*which, a, b);
                self.give(result, bit);
            }
            OpKind::Select(c, a, b) => self.selected(result, *c, *a, *b),
            OpKind::Lookup(..) | OpKind::Load(..) | OpKind::Store(..) => self.access(op),
            _ => self.r.keep(op),
        }
    }

    fn shift(&mut self, result: ValueId, which: Shift, a: Operand, amount: Operand) {
        let bits = self.bits(result);
        let a = self.wide(a);
        let word = match which {
            Shift::Shr => self.shifted(Shift::Shr, a, amount),
            Shift::Shl => {
                let word = self.shifted(Shift::Shl, a, amount);
                self.cut(word, bits)
            }
            Shift::Rotl | Shift::Rotr => {
                let (amount, other) = self.both_ways(amount, bits);
                let (left, right) = if which == Shift::Rotl { (amount, other) } else { (other, amount) };
                let left = self.shifted(Shift::Shl, a, left);
                let right = self.shifted(Shift::Shr, a, right);
                let word = self.two(Binary::Or, left, right);
                self.cut(word, bits)
            }
        };
        self.give(result, word);
    }

    fn shifted(&mut self, which: Shift, a: Operand, amount: Operand) -> Operand {
        match amount {
            Operand::Const(0) => a,
            Operand::Const(n) if n >= u64::from(self.width) => Operand::Const(0),
            _ => self.r.word(self.width, OpKind::Shift(which, a, amount)),
        }
    }

    /// The amount of a rotation within its width, and what is left of the width; `machine-words` leaves no rotations by words in
    /// widths that are no power of two.
    fn both_ways(&mut self, amount: Operand, bits: u8) -> (Operand, Operand) {
        let width = u64::from(bits);
        match amount {
            Operand::Const(n) => (Operand::Const(n % width), Operand::Const(width - n % width)),
            Operand::Value(_) => {
                let amount = self.wide(amount);
                let amount = self.two(Binary::And, amount, Operand::Const(width - 1));
                (amount, self.two(Binary::Sub, Operand::Const(width), amount))
            }
        }
    }

    fn field(&mut self, op: &Op, a: Operand, position: u8) {
        let result = op.results[0];
        let bits = self.bits(result);
        let from = match a {
            Operand::Value(from) => from,
            Operand::Const(number) => {
                return self.r.keep(Op { kind: OpKind::Const(number >> position & mask(bits)), ..op.clone() });
            }
        };
        let (source, whole) = (self.bits(from), self.container(from) == self.width);
        if bits == source {
            return self.stand(result, a);
        }
        if whole && bits == BYTE && position % BYTE == 0 {
            return self.r.keep(op.clone());
        }
        if position == 0 && !whole {
            let kind = OpKind::Binary(Binary::And, a, Operand::Const(mask(bits)));
            return self.r.keep(Op { kind, ..op.clone() });
        }
        let word = self.wide(a);
        let word = self.shifted(Shift::Shr, word, Operand::Const(position.into()));
        let word = if position + bits < source { self.cut(word, bits) } else { word };
        self.give(result, word);
    }

    fn joined(&mut self, op: &Op, parts: &[ValueId]) {
        let result = op.results[0];
        let bytes = parts.iter().all(|&part| self.bits(part) == BYTE);
        if bytes && self.bits(result) == self.width {
            return self.r.keep(op.clone());
        }
        let (mut word, mut at) = (Operand::Const(0), 0);
        for &part in parts {
            let placed = self.wide(Operand::Value(part));
            let placed = self.shifted(Shift::Shl, placed, Operand::Const(at.into()));
            word = if at == 0 { placed } else { self.two(Binary::Or, word, placed) };
            at += self.bits(part);
        }
        self.give(result, word);
    }

    /// Words in addresses get their old widths back.
    fn access(&mut self, mut op: Op) {
        let mut addresses = match &mut op.kind {
            OpKind::Lookup(_, address) => vec![address],
            OpKind::Load(_, addresses) | OpKind::Store(_, addresses, _) => addresses.iter_mut().collect(),
            _ => Vec::new(),
        };
        for (_, value) in addresses.iter_mut().flat_map(|address| &mut address.affine.terms) {
            let bits = self.bits(*value);
            if bits < self.container(*value) {
                *value = self.r.op("", Type::Word(bits), OpKind::Extract(Operand::Value(*value), 0));
            }
        }
        self.r.keep(op);
    }

    /// A box gives bits above the old width, too.
    fn bitsliced(&mut self, mut op: Op) {
        let bits = self.bits(op.results[0]);
        let held = self.container(op.results[0]);
        if bits == held {
            return self.r.keep(op);
        }
        let fresh: Vec<ValueId> = op.results.iter().map(|&v| self.r.builder.like(v)).collect();
        let old = std::mem::replace(&mut op.results, fresh.clone());
        self.r.keep(op);
        for (old, new) in old.into_iter().zip(fresh) {
            let kind = OpKind::Binary(Binary::And, Operand::Value(new), Operand::Const(mask(bits)));
            let word = self.r.word(held, kind);
            self.stand(old, word);
        }
    }
}
