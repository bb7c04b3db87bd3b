//! What becomes of each operation.

use super::{mask, Op, OpKind, Operand, Splitter, Type, ValueId};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Affine, Binary, Compare, Shift, Table, TableId};

/// Bits of the widest word in an address: the sum with it fits 64 bits with a sign.
const WIDEST_ADDRESS: u8 = 62;

impl<'a> Splitter<'a> {
    pub(super) fn op(&mut self, op: &'a Op) -> Result<(), Diagnostic> {
        let m = self.shared.width;
        let result = op.results.first().copied();
        let width = result.map_or(0, |r| self.width_of(r));
        match &op.kind {
            OpKind::Loop(l) => return self.body_loop(l, &op.results),
            OpKind::Load(..) | OpKind::Store(..) | OpKind::Array(..) => return self.memory(op),
            OpKind::IndexDiv(affine, n) => self.index(op, OpKind::IndexDiv(self.indices_of(affine), *n))?,
            OpKind::IndexMod(affine, n) => self.index(op, OpKind::IndexMod(self.indices_of(affine), *n))?,
            OpKind::Linear(id, list) => {
                let inputs: Vec<Vec<Operand>> = list.iter().map(|&o| self.operand(o, width)).collect();
                let binary = self.program.matrices[id.0 as usize].rows.iter().flatten().all(|&e| e <= 1);
                if inputs[0].len() > 1 && !binary {
                    return Err(self.unsupported("a matrix over a field larger than a machine word".to_owned()));
                }
                self.side_by_side(op, &inputs, &|list| OpKind::Linear(*id, list));
            }
            OpKind::Bitsliced(id, list) => {
                let inputs: Vec<Vec<Operand>> = list.iter().map(|&o| self.operand(o, width)).collect();
                self.side_by_side(op, &inputs, &|list| OpKind::Bitsliced(*id, list));
            }
            OpKind::Call(name, _) => return Err(self.unsupported(format!("a call of `{name}`; inline it first"))),
            kind => {
                let parts = self.word(kind, width, m)?;
                if let Some(r) = result {
                    self.parts.insert(r, parts);
                }
            }
        }
        Ok(())
    }

    fn index(&mut self, op: &Op, kind: OpKind) -> Result<(), Diagnostic> {
        let results = self.define(&op.results)?;
        self.push(kind, results);
        Ok(())
    }

    fn indices_of(&self, affine: &Affine) -> Affine {
        let terms = affine.terms.iter().map(|&(c, v)| (c, self.same[&v])).collect();
        Affine { terms, constant: affine.constant }
    }

    /// An operation on words as the same on each of their parts.
    fn side_by_side(&mut self, op: &Op, inputs: &[Vec<Operand>], make: &dyn Fn(Vec<Operand>) -> OpKind) {
        let widths = self.widths(self.width_of(op.results[0]));
        let mut results = vec![Vec::new(); op.results.len()];
        for (k, &w) in widths.iter().enumerate() {
            let made: Vec<ValueId> = op.results.iter().map(|_| self.builder.value("", Type::Word(w))).collect();
            self.push(make(inputs.iter().map(|i| i[k]).collect()), made.clone());
            results.iter_mut().zip(made).for_each(|(r, v)| r.push(Operand::Value(v)));
        }
        for (&r, parts) in op.results.iter().zip(results) {
            self.parts.insert(r, parts);
        }
    }

    /// The parts of the result of an operation on words.
    fn word(&mut self, kind: &OpKind, width: u8, m: u8) -> Result<Vec<Operand>, Diagnostic> {
        let widths = self.widths(width);
        Ok(match kind {
            OpKind::Const(c) => self.operand(Operand::Const(*c), width),
            OpKind::Binary(f @ (Binary::And | Binary::Or | Binary::Xor), a, b) => {
                let (a, b) = (self.operand(*a, width), self.operand(*b, width));
                self.each(&widths, |k| OpKind::Binary(*f, a[k], b[k]))
            }
            OpKind::Not(a) => {
                let a = self.operand(*a, width);
                self.each(&widths, |k| OpKind::Not(a[k]))
            }
            OpKind::Select(c, a, b) => {
                let (c, a, b) = (self.operand(*c, 1)[0], self.operand(*a, width), self.operand(*b, width));
                self.each(&widths, |k| OpKind::Select(c, a[k], b[k]))
            }
            OpKind::Binary(f, a, b) if width > m => {
                let name = match f {
                    Binary::Add => "add",
                    Binary::Sub => "sub",
                    _ => "mul",
                };
                let f = *f;
                self.wide(&format!("{name}_{width}"), &[(*a, width), (*b, width)], width, &move |w| {
                    OpKind::Binary(f, Operand::Value(w[0]), Operand::Value(w[1]))
                })
            }
            OpKind::Binary(f, a, b) => {
                let (a, b) = (self.operand(*a, width)[0], self.operand(*b, width)[0]);
                vec![self.part(width, OpKind::Binary(*f, a, b))]
            }
            OpKind::Shift(f, a, amount) => self.shift(*f, *a, *amount, width, m),
            OpKind::Extract(a, position) => self.fields(*a, *position, width),
            OpKind::Concat(values) => {
                let pieces = values
                    .iter()
                    .flat_map(|v| self.parts[v].iter().copied().zip(self.widths(self.width_of(*v))))
                    .collect();
                self.joined(pieces, &widths)
            }
            OpKind::Zext(v) => self.extended(*v, &widths),
            OpKind::Compare(f, a, b) => vec![self.compare(*f, *a, *b, m)],
            OpKind::Lookup(table, address) => self.lookup(*table, address, &widths),
            OpKind::Word(affine) => self.counted(affine, &widths, m),
            _ => return Err(self.unsupported(format!("`{}`", kind.mnemonic()))),
        })
    }

    fn each(&mut self, widths: &[u8], make: impl Fn(usize) -> OpKind) -> Vec<Operand> {
        widths.iter().enumerate().map(|(k, &w)| self.part(w, make(k))).collect()
    }

    fn shift(&mut self, f: Shift, a: Operand, amount: Operand, width: u8, m: u8) -> Vec<Operand> {
        let name = match f {
            Shift::Shl => "shl",
            Shift::Shr => "shr",
            Shift::Rotl => "rotl",
            Shift::Rotr => "rotr",
        };
        let parts = self.operand(a, width);
        match amount {
            Operand::Const(n) if width > m => {
                let whole = usize::from(m);
                if n as usize % whole == 0 && width % m == 0 {
                    return moved(f, &parts, n as usize / whole);
                }
                self.wide(&format!("{name}_{width}_{n}"), &[(a, width)], width, &move |w| {
                    OpKind::Shift(f, Operand::Value(w[0]), Operand::Const(n))
                })
            }
            Operand::Value(v) if width > m => {
                let by = self.width_of(v);
                if width.is_power_of_two() && by > m && matches!(f, Shift::Rotl | Shift::Rotr) {
                    // A rotation is by the amount modulo the width, which the lowest part holds.
                    let low = self.parts[&v][0];
                    return self.rotated_by_part(f, name, (a, width), low, m);
                }
                self.wide(&format!("{name}_{width}_by_{by}"), &[(a, width), (amount, by)], width, &move |w| {
                    OpKind::Shift(f, Operand::Value(w[0]), Operand::Value(w[1]))
                })
            }
            Operand::Const(_) => vec![self.part(width, OpKind::Shift(f, parts[0], amount))],
            Operand::Value(v) => {
                let by = self.parts[&v].clone();
                let amount = if by.len() == 1 { by[0] } else { self.whole(v, self.width_of(v)) };
                vec![self.part(width, OpKind::Shift(f, parts[0], amount))]
            }
        }
    }

    fn rotated_by_part(
        &mut self,
        f: Shift,
        name: &str,
        (a, width): (Operand, u8),
        low: Operand,
        m: u8,
    ) -> Vec<Operand> {
        let name = format!("{name}_{width}_by_{m}");
        let mut inputs = self.operand(a, width);
        self.wide_function(&name, &[width, m], width, &move |w| {
            OpKind::Shift(f, Operand::Value(w[0]), Operand::Value(w[1]))
        });
        inputs.push(low);
        self.called(&name, inputs, width)
    }

    fn fields(&mut self, a: Operand, position: u8, width: u8) -> Vec<Operand> {
        let m = self.shared.width;
        let source = match a {
            Operand::Value(v) => self.width_of(v),
            Operand::Const(_) => 64,
        };
        let (parts, sizes) = (self.operand(a, source), self.widths(source));
        let mut pieces = Vec::new();
        let (mut at, end) = (position, position + width);
        while at < end {
            let (k, low) = (usize::from(at / m), at % m);
            let take = (sizes[k] - low).min(end - at);
            pieces.push((self.field(parts[k], sizes[k], low, take), take));
            at += take;
        }
        let widths = self.widths(width);
        self.joined(pieces, &widths)
    }

    fn field(&mut self, part: Operand, size: u8, low: u8, take: u8) -> Operand {
        match part {
            _ if low == 0 && take == size => part,
            Operand::Const(c) => Operand::Const(c >> low & mask(take)),
            Operand::Value(_) => self.part(take, OpKind::Extract(part, low)),
        }
    }

    /// Pieces of bits, the least significant first, as parts.
    fn joined(&mut self, pieces: Vec<(Operand, u8)>, widths: &[u8]) -> Vec<Operand> {
        let mut left: std::collections::VecDeque<(Operand, u8)> = pieces.into();
        let mut parts = Vec::new();
        for &w in widths {
            let (mut held, mut need) = (Vec::new(), w);
            while need > 0 {
                let Some((piece, size)) = left.pop_front() else { break };
                let take = size.min(need);
                held.push((self.field(piece, size, 0, take), take));
                if take < size {
                    let rest = self.field(piece, size, take, size - take);
                    left.push_front((rest, size - take));
                }
                need -= take;
            }
            parts.push(self.one_part(&held, w));
        }
        parts
    }

    fn one_part(&mut self, pieces: &[(Operand, u8)], width: u8) -> Operand {
        if let [(one, _)] = pieces {
            return *one;
        }
        if pieces.iter().all(|(p, _)| matches!(p, Operand::Const(_))) {
            let mut at = 0;
            let mut sum = 0;
            for (p, w) in pieces {
                if let Operand::Const(c) = p {
                    sum |= c << at;
                }
                at += w;
            }
            return Operand::Const(sum);
        }
        let values = pieces.iter().map(|&(p, w)| self.value(p, w)).collect();
        self.part(width, OpKind::Concat(values))
    }

    fn extended(&mut self, v: ValueId, widths: &[u8]) -> Vec<Operand> {
        let (parts, sizes) = (self.parts[&v].clone(), self.widths(self.width_of(v)));
        let mut made = Vec::new();
        for (k, &w) in widths.iter().enumerate() {
            made.push(match parts.get(k) {
                None => Operand::Const(0),
                Some(Operand::Value(p)) if sizes[k] < w => self.part(w, OpKind::Zext(*p)),
                Some(&p) => p,
            });
        }
        made
    }

    fn compare(&mut self, f: Compare, a: Operand, b: Operand, m: u8) -> Operand {
        let of = |o: Operand| match o {
            Operand::Value(v) => Some(self.width_of(v)),
            Operand::Const(_) => None,
        };
        let width = of(a).or_else(|| of(b)).unwrap_or(64);
        if width <= m {
            let (a, b) = (self.operand(a, width)[0], self.operand(b, width)[0]);
            return self.part(1, OpKind::Compare(f, a, b));
        }
        let name = match f {
            Compare::Eq => "eq",
            Compare::Ne => "ne",
            Compare::Ltu => "ltu",
        };
        self.wide(&format!("{name}_{width}"), &[(a, width), (b, width)], 1, &move |w| {
            OpKind::Compare(f, Operand::Value(w[0]), Operand::Value(w[1]))
        })[0]
    }

    fn lookup(&mut self, table: TableId, address: &Address, widths: &[u8]) -> Vec<Operand> {
        let planes = self.planes(table, widths.len());
        let address = Address { affine: self.affine(&address.affine), ring: address.ring };
        widths.iter().zip(planes).map(|(&w, t)| self.part(w, OpKind::Lookup(t, address.clone()))).collect()
    }

    /// The tables of the parts of a table's entries.
    fn planes(&mut self, table: TableId, count: usize) -> Vec<TableId> {
        if count == 1 {
            return vec![table];
        }
        if let Some(known) = self.shared.planes.get(&table) {
            return known.clone();
        }
        let (m, old) = (self.shared.width, &self.program.tables[table.0 as usize]);
        let widths = self.widths(old.width);
        let mut planes = Vec::new();
        for (k, &w) in widths.iter().enumerate() {
            let data = old.data.iter().map(|e| e >> (k as u8 * m) & mask(w)).collect();
            planes.push(TableId((self.program.tables.len() + self.shared.added.len()) as u32));
            self.shared.added.push(Table { name: format!("{}_{k}", old.name), width: w, data });
        }
        self.shared.planes.insert(table, planes.clone());
        planes
    }

    fn counted(&mut self, affine: &Affine, widths: &[u8], m: u8) -> Vec<Operand> {
        let range = self.indices.range(affine);
        let mut rest = self.indices_of(affine);
        let mut left = range.max;
        let mut parts = Vec::new();
        for &w in widths {
            if left == 0 {
                parts.push(Operand::Const(0));
                continue;
            }
            let low = if left < 1 << m { rest.clone() } else { self.sum(OpKind::IndexMod(rest.clone(), 1 << m)) };
            parts.push(self.part(w, OpKind::Word(low)));
            left >>= m;
            if left > 0 {
                rest = self.sum(OpKind::IndexDiv(rest, 1 << m));
            }
        }
        parts
    }

    fn sum(&mut self, kind: OpKind) -> Affine {
        let v = self.builder.value("", Type::Index);
        self.push(kind, vec![v]);
        Affine { terms: vec![(1, v)], constant: 0 }
    }

    fn memory(&mut self, op: &'a Op) -> Result<(), Diagnostic> {
        match &op.kind {
            OpKind::Array(list) => {
                let Type::Array(ty) = self.type_of(op.results[0]) else { return Ok(()) };
                let list = list.iter().flat_map(|&o| self.stored(o, ty.width)).collect();
                let results = self.define(&op.results)?;
                self.push(OpKind::Array(list), results);
            }
            OpKind::Load(array, addresses) => {
                let Type::Array(ty) = self.type_of(*array) else { return Ok(()) };
                let (array, parts) = (self.same[array], self.widths(ty.width).len());
                let full = addresses.len() == ty.dims.len();
                let addresses = self.addresses(addresses);
                let results = self.loaded(&op.results, ty.width);
                if parts == 1 || !full || ty.dims.len() == 1 {
                    self.push(OpKind::Load(array, addresses), results);
                } else {
                    for (k, r) in results.into_iter().enumerate() {
                        let at = self.part_addresses(&addresses, ty.dims[1], parts, k)?;
                        self.push(OpKind::Load(array, at), vec![r]);
                    }
                }
                self.narrowed(&op.results, ty.width);
            }
            OpKind::Store(array, addresses, words) => {
                let Type::Array(ty) = self.type_of(*array) else { return Ok(()) };
                let (mut array, parts) = (self.same[array], self.widths(ty.width).len());
                let full = addresses.len() == ty.dims.len();
                let addresses = self.addresses(addresses);
                let words: Vec<Operand> = words.iter().flat_map(|&o| self.stored(o, ty.width)).collect();
                let last = self.define(&op.results)?[0];
                if parts == 1 || !full || ty.dims.len() == 1 {
                    self.push(OpKind::Store(array, addresses, words), vec![last]);
                } else {
                    for (k, &w) in words.iter().enumerate() {
                        let at = self.part_addresses(&addresses, ty.dims[1], parts, k)?;
                        let next = if k + 1 == words.len() { last } else { self.builder.like(last) };
                        self.push(OpKind::Store(array, at, vec![w]), vec![next]);
                        array = next;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The parts of a word as elements of an array, where all of several are as wide as a machine word.
    fn stored(&mut self, o: Operand, width: u8) -> Vec<Operand> {
        let (m, widths, mut parts) = (self.shared.width, self.widths(width), self.operand(o, width));
        if let (Some(Operand::Value(top)), Some(&w)) = (parts.last().copied(), widths.last()) {
            if widths.len() > 1 && w < m {
                let top = self.part(m, OpKind::Zext(top));
                parts.pop();
                parts.push(top);
            }
        }
        parts
    }

    /// Values for the parts of words that are loaded, as wide as elements of the array.
    fn loaded(&mut self, results: &[ValueId], width: u8) -> Vec<ValueId> {
        let m = self.shared.width;
        let mut values = Vec::new();
        for &r in results {
            let count = self.widths(width).len();
            let size = if count > 1 { m } else { width };
            let name = self.old.values[r.0 as usize].name.clone();
            let made: Vec<ValueId> = (0..count).map(|_| self.builder.value(&name, Type::Word(size))).collect();
            self.parts.insert(r, made.iter().map(|&v| Operand::Value(v)).collect());
            values.extend(made);
        }
        values
    }

    /// Cuts what was loaded to the width of the words.
    fn narrowed(&mut self, results: &[ValueId], width: u8) {
        let widths = self.widths(width);
        let Some(&top) = widths.last().filter(|&&w| widths.len() > 1 && w < self.shared.width) else { return };
        for r in results {
            let mut parts = self.parts[r].clone();
            if let Some(last) = parts.pop() {
                parts.push(self.part(top, OpKind::Extract(last, 0)));
                self.parts.insert(*r, parts);
            }
        }
    }

    /// The address of one part of an element of an array of two dimensions, `extent` elements long in the last.
    ///
    /// The number of the part stands below a word in it, so that both together reach no further than the array.
    fn part_addresses(
        &mut self,
        addresses: &[Address],
        extent: u32,
        parts: usize,
        part: usize,
    ) -> Result<Vec<Address>, Diagnostic> {
        let mut at = addresses.to_vec();
        let Some(last) = at.last_mut() else { return Ok(at) };
        // In a ring, coefficients count modulo its extent: the scaled ones fit as well.
        let wrapped = |c: i64| if last.ring { c.rem_euclid(i64::from(extent)) } else { c };
        let scale = |c: i64| wrapped(c) * parts as i64;
        let mut scaled = Affine { terms: Vec::new(), constant: scale(last.affine.constant) };
        let mut placed = false;
        for &(c, v) in &last.affine.terms {
            match *self.builder.ty(v) {
                Type::Word(_) => {
                    if let Some(v) = self.scaled_word(v, last.ring.then_some(extent), parts, part)? {
                        scaled.terms.push((c, v));
                        placed = true;
                    }
                }
                _ => {
                    if wrapped(c) != 0 {
                        scaled.terms.push((scale(c), v));
                    }
                }
            }
        }
        scaled.constant += if placed { 0 } else { part as i64 };
        last.affine = scaled;
        Ok(at)
    }

    /// A word of an address with the number of the part below it; nothing where the ring is so small that no bit of it counts.
    fn scaled_word(
        &mut self,
        v: ValueId,
        ring: Option<u32>,
        parts: usize,
        part: usize,
    ) -> Result<Option<ValueId>, Diagnostic> {
        if !parts.is_power_of_two() {
            return Err(self.unsupported(format!("an address that depends on data in a dimension of {parts} parts")));
        }
        let bits = parts.trailing_zeros() as u8;
        let mut v = v;
        let &Type::Word(mut width) = self.builder.ty(v) else { return Ok(None) };
        if let Some(extent) = ring.filter(|n| n.is_power_of_two()) {
            let counted = extent.trailing_zeros() as u8;
            if counted == 0 {
                return Ok(None);
            }
            if counted < width {
                let low = self.part(counted, OpKind::Extract(Operand::Value(v), 0));
                (v, width) = (self.value(low, counted), counted);
            }
        }
        if width + bits > WIDEST_ADDRESS {
            return Err(
                self.unsupported(format!("a word of {width} bits in an address along {parts} parts an element"))
            );
        }
        let below = self.value(Operand::Const(part as u64), bits);
        let both = self.part(width + bits, OpKind::Concat(vec![below, v]));
        Ok(Some(self.value(both, width + bits)))
    }
}

/// A shift or rotation by whole parts: a renaming.
pub(in crate::passes) fn moved(f: Shift, parts: &[Operand], by: usize) -> Vec<Operand> {
    let n = parts.len();
    (0..n)
        .map(|k| match f {
            Shift::Rotl => parts[(k + n - by % n) % n],
            Shift::Rotr => parts[(k + by) % n],
            Shift::Shl if k >= by => parts[k - by],
            Shift::Shr if k + by < n => parts[k + by],
            _ => Operand::Const(0),
        })
        .collect()
}
