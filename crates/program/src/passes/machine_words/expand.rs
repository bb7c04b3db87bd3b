//! Functions of one operation on wide words, written as operations on their parts.

use std::collections::HashMap;

use crate::builder::Builder;
use crate::ir::{Binary, Block, Compare, Function, Op, OpKind, Operand, Shift, Type, ValueId};
use crate::passes::split_words::operations::moved;

/// Parts of a word, the least significant first, each with its width.
type Parts = Vec<(Operand, u8)>;

/// Writes the body of a function that `split-words` left: `concat` of the parts, one operation, `extract` of the parts.
pub fn body(function: &mut Function, machine: u8) {
    let mut builder = Builder::new(function);
    let old = std::mem::take(&mut function.body);
    let mut parts: HashMap<ValueId, Parts> = HashMap::new();
    for &p in &function.params {
        parts.insert(p, vec![(Operand::Value(p), bits(&builder, p))]);
    }
    let mut expansion = Expansion { builder: &mut builder, ops: Vec::new(), machine };
    let mut result = Vec::new();
    for op in &old.ops {
        match &op.kind {
            OpKind::Concat(list) => {
                let joined = list.iter().flat_map(|v| parts[v].clone()).collect();
                parts.insert(op.results[0], joined);
            }
            OpKind::Extract(..) => {}
            kind => {
                let width = bits(expansion.builder, op.results[0]);
                result = expansion.operation(kind, width, &parts);
            }
        }
    }
    let ops = expansion.ops;
    function.body = Block { params: Vec::new(), ops, outputs: result.into_iter().map(|(o, _)| o).collect() };
    builder.finish(function);
}

fn bits(builder: &Builder, v: ValueId) -> u8 {
    match builder.ty(v) {
        Type::Word(w) => *w,
        _ => 0,
    }
}

struct Expansion<'a> {
    builder: &'a mut Builder,
    ops: Vec<Op>,
    machine: u8,
}

impl Expansion<'_> {
    fn word(&mut self, width: u8, kind: OpKind) -> Operand {
        let (op, value) = self.builder.op("", Type::Word(width), kind, &[]);
        self.ops.push(op);
        Operand::Value(value)
    }

    fn two(&mut self, which: Binary, a: Operand, b: Operand, width: u8) -> Operand {
        self.word(width, OpKind::Binary(which, a, b))
    }

    fn compare(&mut self, which: Compare, a: Operand, b: Operand) -> Operand {
        self.word(1, OpKind::Compare(which, a, b))
    }

    /// The same number in a word that is as wide or wider.
    fn wider(&mut self, a: Operand, from: u8, to: u8) -> Operand {
        match a {
            Operand::Value(v) if from < to => self.word(to, OpKind::Zext(v)),
            _ => a,
        }
    }

    fn field(&mut self, a: Operand, from: u8, position: u8, length: u8) -> Operand {
        match a {
            Operand::Const(c) => Operand::Const(c >> position & crate::semantics::mask(length)),
            _ if length == from => a,
            _ => self.word(length, OpKind::Extract(a, position)),
        }
    }

    fn operation(&mut self, kind: &OpKind, width: u8, known: &HashMap<ValueId, Parts>) -> Parts {
        let parts = |o: &Operand| match o {
            Operand::Value(v) => known[v].clone(),
            Operand::Const(_) => Vec::new(),
        };
        match kind {
            OpKind::Binary(Binary::Add, a, b) => self.sum(&parts(a), &parts(b)),
            OpKind::Binary(Binary::Sub, a, b) => self.difference(&parts(a), &parts(b)),
            OpKind::Binary(_, a, b) => self.product(&parts(a), &parts(b)),
            OpKind::Shift(which, a, Operand::Const(n)) => self.by_number(*which, &parts(a), *n as u8, width),
            OpKind::Shift(which, a, amount) => self.shifted(*which, &parts(a), &parts(amount)),
            OpKind::Compare(which, a, b) => vec![(self.compared(*which, &parts(a), &parts(b)), 1)],
            other => unreachable!("`{}` is split side by side", other.mnemonic()),
        }
    }

    /// Carries are what a sum of parts is less than its operands by.
    fn sum(&mut self, a: &[(Operand, u8)], b: &[(Operand, u8)]) -> Parts {
        let mut carry: Option<Operand> = None;
        let mut found = Vec::new();
        for (k, (&(x, w), &(y, _))) in a.iter().zip(b).enumerate() {
            let mut sum = self.two(Binary::Add, x, y, w);
            let last = k + 1 == a.len();
            let mut next = (!last).then(|| self.compare(Compare::Ltu, sum, y));
            if let Some(before) = carry {
                let before = self.wider(before, 1, w);
                sum = self.two(Binary::Add, sum, before, w);
                next = next.map(|first| {
                    let second = self.compare(Compare::Ltu, sum, before);
                    self.two(Binary::Or, first, second, 1)
                });
            }
            carry = next;
            found.push((sum, w));
        }
        found
    }

    fn difference(&mut self, a: &[(Operand, u8)], b: &[(Operand, u8)]) -> Parts {
        let mut borrow: Option<Operand> = None;
        let mut found = Vec::new();
        for (k, (&(x, w), &(y, _))) in a.iter().zip(b).enumerate() {
            let mut rest = self.two(Binary::Sub, x, y, w);
            let last = k + 1 == a.len();
            let mut next = (!last).then(|| self.compare(Compare::Ltu, x, y));
            if let Some(before) = borrow {
                let before = self.wider(before, 1, w);
                next = next.map(|first| {
                    let second = self.compare(Compare::Ltu, rest, before);
                    self.two(Binary::Or, first, second, 1)
                });
                rest = self.two(Binary::Sub, rest, before, w);
            }
            borrow = next;
            found.push((rest, w));
        }
        found
    }

    /// The products of all parts at their places; of the last place only the lower halves.
    fn product(&mut self, a: &[(Operand, u8)], b: &[(Operand, u8)]) -> Parts {
        let (m, n) = (self.machine, a.len());
        let widths: Vec<u8> = a.iter().map(|part| part.1).collect();
        let [a, b] = [a, b].map(|list| list.iter().map(|&(x, w)| self.wider(x, w, m)).collect::<Vec<_>>());
        let mut rows: Vec<Parts> = Vec::new();
        let mut last = None;
        for i in 0..n {
            for j in 0..n - i {
                let low = self.two(Binary::Mul, a[i], b[j], m);
                if i + j + 1 == n {
                    last = Some(last.map_or(low, |sum| self.two(Binary::Add, sum, low, m)));
                    continue;
                }
                let mut row = vec![(Operand::Const(0), m); n];
                row[i + j] = (low, m);
                row[i + j + 1] = (self.upper(a[i], b[j]), m);
                rows.push(row);
            }
        }
        let mut sum = rows.remove(0);
        for row in rows {
            sum = self.sum(&sum, &row);
        }
        if let Some(last) = last {
            sum[n - 1].0 = self.two(Binary::Add, sum[n - 1].0, last, m);
        }
        sum.into_iter().zip(widths).map(|((part, from), w)| (self.field(part, from, 0, w), w)).collect()
    }

    /// The upper half of a product of two machine words.
    fn upper(&mut self, a: Operand, b: Operand) -> Operand {
        let m = self.machine;
        let (a, b) = (self.wider(a, m, 2 * m), self.wider(b, m, 2 * m));
        let whole = self.two(Binary::Mul, a, b, 2 * m);
        self.word(m, OpKind::Extract(whole, m))
    }

    /// A shift or rotation by a number: fields at other places.
    fn by_number(&mut self, which: Shift, a: &[(Operand, u8)], n: u8, width: u8) -> Parts {
        let pieces = match which {
            Shift::Shl => [vec![(Operand::Const(0), n)], self.bits(a, 0, width - n)].concat(),
            Shift::Shr => [self.bits(a, n, width - n), vec![(Operand::Const(0), n)]].concat(),
            Shift::Rotl => [self.bits(a, width - n, n), self.bits(a, 0, width - n)].concat(),
            Shift::Rotr => [self.bits(a, n, width - n), self.bits(a, 0, n)].concat(),
        };
        let widths: Vec<u8> = a.iter().map(|p| p.1).collect();
        self.joined(pieces, &widths)
    }

    /// Bits of a word from a position, as pieces of its parts.
    fn bits(&mut self, a: &[(Operand, u8)], position: u8, length: u8) -> Parts {
        let (mut start, mut pieces) = (0, Vec::new());
        for &(part, w) in a {
            let (low, high) = (position.max(start), (position + length).min(start + w));
            if low < high {
                pieces.push((self.field(part, w, low - start, high - low), high - low));
            }
            start += w;
        }
        pieces
    }

    /// Pieces of bits as parts of given widths.
    fn joined(&mut self, pieces: Parts, widths: &[u8]) -> Parts {
        let mut start = 0;
        let mut found = Vec::new();
        for &w in widths {
            let held = self.bits(&pieces, start, w);
            start += w;
            found.push((self.one(held, w), w));
        }
        found
    }

    fn one(&mut self, pieces: Parts, width: u8) -> Operand {
        match pieces.as_slice() {
            [(one, _)] => *one,
            _ => {
                let values = pieces.iter().map(|&(piece, w)| self.value(piece, w)).collect();
                self.word(width, OpKind::Concat(values))
            }
        }
    }

    fn value(&mut self, a: Operand, width: u8) -> ValueId {
        match a {
            Operand::Value(v) => v,
            Operand::Const(c) => {
                let (op, value) = self.builder.op("", Type::Word(width), OpKind::Const(c), &[]);
                self.ops.push(op);
                value
            }
        }
    }

    /// A shift by a word: by its lowest bits within parts, by each of the next ones by whole parts, and 0 if any other is set.
    fn shifted(&mut self, which: Shift, a: &[(Operand, u8)], amount: &[(Operand, u8)]) -> Parts {
        let m = self.machine;
        let within = m.trailing_zeros() as u8;
        let by: u8 = amount.iter().map(|p| p.1).sum();
        let low = self.bits(amount, 0, within.min(by));
        let low = self.one(low, within.min(by));
        let low = self.wider(low, within.min(by), within);
        let parts: Vec<Operand> = a.iter().map(|&(x, w)| self.wider(x, w, m)).collect();
        let mut parts = self.within(which, &parts, low);
        let mut position = within;
        while 1 << (position - within) < parts.len() && position < by {
            let chosen = self.bits(amount, position, 1)[0].0;
            let moved = moved(which, &parts, 1 << (position - within));
            for (part, other) in parts.iter_mut().zip(moved) {
                *part = self.word(m, OpKind::Select(chosen, other, *part));
            }
            position += 1;
        }
        if position < by && matches!(which, Shift::Shl | Shift::Shr) {
            self.emptied(&mut parts, amount, position, by);
        }
        a.iter().zip(parts).map(|(&(_, w), part)| (self.field(part, m, 0, w), w)).collect()
    }

    /// What a shift leaves of parts when bits of its amount from a position on are set: nothing.
    fn emptied(&mut self, parts: &mut [Operand], amount: &[(Operand, u8)], position: u8, by: u8) {
        let pieces = self.bits(amount, position, by - position);
        let mut any: Option<Operand> = None;
        for (piece, _) in pieces {
            let set = self.compare(Compare::Ne, piece, Operand::Const(0));
            any = Some(any.map_or(set, |before| self.two(Binary::Or, before, set, 1)));
        }
        let Some(any) = any else { return };
        for part in parts {
            *part = self.word(self.machine, OpKind::Select(any, Operand::Const(0), *part));
        }
    }

    /// Parts shifted by less than their width, with what comes from their neighbours.
    fn within(&mut self, which: Shift, parts: &[Operand], low: Operand) -> Vec<Operand> {
        let (m, n) = (self.machine, parts.len());
        let left = matches!(which, Shift::Shl | Shift::Rotl);
        let (here, there) = if left { (Shift::Shl, Shift::Shr) } else { (Shift::Shr, Shift::Shl) };
        // m - 1 - low; the neighbour goes by one more, so that an amount of 0 leaves nothing of it.
        let other = self.word(m.trailing_zeros() as u8, OpKind::Not(low));
        let neighbours = moved(which, parts, 1);
        (0..n)
            .map(|k| {
                let own = self.word(m, OpKind::Shift(here, parts[k], low));
                if neighbours[k] == Operand::Const(0) {
                    return own;
                }
                let near = self.word(m, OpKind::Shift(there, neighbours[k], Operand::Const(1)));
                let near = self.word(m, OpKind::Shift(there, near, other));
                self.two(Binary::Or, own, near, m)
            })
            .collect()
    }

    fn compared(&mut self, which: Compare, a: &[(Operand, u8)], b: &[(Operand, u8)]) -> Operand {
        let mut found: Option<Operand> = None;
        for (&(x, _), &(y, _)) in a.iter().zip(b) {
            let part = self.compare(which, x, y);
            found = Some(match (which, found) {
                (_, None) => part,
                (Compare::Eq, Some(before)) => self.two(Binary::And, before, part, 1),
                (Compare::Ne, Some(before)) => self.two(Binary::Or, before, part, 1),
                (Compare::Ltu, Some(before)) => {
                    let same = self.compare(Compare::Eq, x, y);
                    let below = self.two(Binary::And, same, before, 1);
                    self.two(Binary::Or, part, below, 1)
                }
            });
        }
        found.unwrap_or(Operand::Const(0))
    }
}
