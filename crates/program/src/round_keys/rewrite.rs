//! Operations written anew: with new names, other indices, and objects of which only some rows are kept.

use super::writer::Writer;
use super::Unsuitable;
use crate::builder::{add_term, author_name};
use crate::ir::{Address, Affine, ArrayType, Block, Loop, Op, OpKind, Operand, Type, ValueData, ValueId};
use crate::walk::{slots_mut, Slot};

impl Writer<'_> {
    // Names, values and types.

    /// A new value of a name that nothing else has.
    pub fn named(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(ValueData { name: name.to_owned(), ty });
        ValueId(self.values.len() as u32 - 1)
    }

    /// A new value whose name begins as another one.
    pub fn fresh(&mut self, name: &str, ty: Type) -> ValueId {
        self.names += 1;
        let name = format!("{}.{}", author_name(name), self.names);
        self.named(&name, ty)
    }

    /// The type of what is kept of an object.
    pub fn kept_type(&self, root: ValueId) -> Result<Type, Unsuitable> {
        let rows = match self.step.as_ref().and_then(|step| step.rows_of(root)) {
            Some(rows) => rows,
            None => self.rows.of(root)?,
        };
        let ArrayType { width, mut dims } = self.flow.shape(root);
        dims[0] = rows;
        Ok(Type::Array(ArrayType { width, dims }))
    }

    /// The newest value of an object.
    pub fn array(&self, root: ValueId) -> Result<ValueId, Unsuitable> {
        self.arrays.iter().find(|(one, _)| *one == root).map(|(_, value)| *value).ok_or(Unsuitable)
    }

    pub fn set_array(&mut self, root: ValueId, value: ValueId) {
        match self.arrays.iter_mut().find(|(one, _)| *one == root) {
            Some((_, old)) => *old = value,
            None => self.arrays.push((root, value)),
        }
    }

    /// Lets an object have a new value.
    fn next_array(&mut self, root: ValueId, name: &str) -> Result<ValueId, Unsuitable> {
        let ty = self.kept_type(root)?;
        let value = self.fresh(name, ty);
        self.set_array(root, value);
        Ok(value)
    }

    /// Writes the operation that makes an array of no cells.
    pub fn new_array(&mut self, root: ValueId, name: &str) -> Result<(), Unsuitable> {
        let value = self.next_array(root, name)?;
        self.push(OpKind::Array(Vec::new()), vec![value]);
        Ok(())
    }

    pub fn push(&mut self, kind: OpKind, results: Vec<ValueId>) {
        self.out.push(Op { kind, results, places: Vec::new() });
    }

    /// What stands for an operand.
    pub fn operand(&mut self, operand: Operand) -> Result<Operand, Unsuitable> {
        let Operand::Value(old) = operand else { return Ok(operand) };
        if !self.words.contains_key(&old) {
            self.read_word(old);
        }
        self.words.get(&old).copied().ok_or(Unsuitable)
    }

    /// What stands for an operand: a word, or the newest value of an object.
    pub fn value(&mut self, operand: Operand) -> Result<Operand, Unsuitable> {
        match self.flow.root_of(operand) {
            Some(root) => self.array(root).map(Operand::Value),
            None => self.operand(operand),
        }
    }

    /// What stands for words that a loop carries; 0 for arrays, which are objects.
    pub fn words_of(&mut self, operands: &[Operand]) -> Result<Vec<Operand>, Unsuitable> {
        let word = |o: &Operand| match self.flow.root_of(*o) {
            Some(_) => Ok(Operand::Const(0)),
            None => self.operand(*o),
        };
        operands.iter().map(word).collect()
    }

    fn results(&mut self, op: &Op) -> Vec<ValueId> {
        let flow = self.flow;
        op.results.iter().map(|r| self.fresh(flow.name(*r), flow.ty(*r).clone())).collect()
    }

    fn define(&mut self, op: &Op, results: &[ValueId]) {
        self.words.extend(op.results.iter().copied().zip(results.iter().map(|r| Operand::Value(*r))));
    }

    // Operations.

    /// Writes one operation.
    pub fn op(&mut self, op: &Op) -> Result<(), Unsuitable> {
        match &op.kind {
            OpKind::Loop(l) => self.nested(op, l),
            OpKind::IndexDiv(sum, n) => self.index(op, sum, *n, true),
            OpKind::IndexMod(sum, n) => self.index(op, sum, *n, false),
            OpKind::Load(array, addresses) => self.access(op, *array, addresses, None),
            OpKind::Store(array, addresses, words) => self.access(op, *array, addresses, Some(words)),
            OpKind::Array(cells) => self.array_of(op, cells),
            OpKind::Word(sum) if self.counts(sum) => self.counted(op, sum),
            _ => self.other(op),
        }
    }

    fn other(&mut self, op: &Op) -> Result<(), Unsuitable> {
        let results = self.results(op);
        let mut kind = op.kind.clone();
        let (mut done, mut numbers) = (Ok(()), Vec::new());
        slots_mut(&mut kind, &mut |slot| {
            let one = match slot {
                Slot::Operand(o) => self.operand(*o).map(|new| *o = new),
                Slot::Affine(sum) => self.affine(sum).map(|new| *sum = new),
                Slot::Value(v) => {
                    self.operand(Operand::Value(*v)).map(|new| *v = self.only_value(*v, new, &mut numbers))
                }
            };
            done = done.and(one);
        });
        done?;
        self.out.append(&mut numbers);
        self.define(op, &results);
        self.push(kind, results);
        Ok(())
    }

    /// A value where a number cannot stand.
    fn only_value(&mut self, old: ValueId, new: Operand, numbers: &mut Vec<Op>) -> ValueId {
        match new {
            Operand::Value(value) => value,
            Operand::Const(number) => {
                let value = self.fresh(self.flow.name(old), self.flow.ty(old).clone());
                numbers.push(Op { kind: OpKind::Const(number), results: vec![value], places: Vec::new() });
                value
            }
        }
    }

    /// An address in the new indices.
    pub fn affine(&mut self, sum: &Affine) -> Result<Affine, Unsuitable> {
        let mut new = Affine { terms: Vec::new(), constant: sum.constant };
        for &(c, v) in &sum.terms {
            if let Some(index) = self.indices.get(&v) {
                new.constant += c * index.constant;
                index.terms.iter().for_each(|&(k, w)| add_term(&mut new, c * k, w));
                continue;
            }
            match self.operand(Operand::Value(v))? {
                Operand::Const(number) => new.constant = new.constant.wrapping_add(c.wrapping_mul(number as i64)),
                Operand::Value(word) => add_term(&mut new, c, word),
            }
        }
        Ok(new)
    }

    fn index(&mut self, op: &Op, sum: &Affine, n: i64, quotient: bool) -> Result<(), Unsuitable> {
        let sum = self.affine(sum)?;
        let old = op.results[0];
        let known = match sum.terms.iter().all(|(c, _)| c % n == 0) {
            true if quotient => {
                let terms = sum.terms.iter().map(|&(c, v)| (c / n, v)).collect();
                Affine { terms, constant: sum.constant.div_euclid(n) }
            }
            true => Affine { terms: Vec::new(), constant: sum.constant.rem_euclid(n) },
            false => {
                let new = self.fresh(self.flow.name(old), Type::Index);
                self.push(if quotient { OpKind::IndexDiv(sum, n) } else { OpKind::IndexMod(sum, n) }, vec![new]);
                Affine { terms: vec![(1, new)], constant: 0 }
            }
        };
        self.indices.insert(old, known);
        Ok(())
    }

    fn access(
        &mut self,
        op: &Op,
        array: ValueId,
        addresses: &[Address],
        words: Option<&Vec<Operand>>,
    ) -> Result<(), Unsuitable> {
        let root = self.flow.root(array).ok_or(Unsuitable)?;
        let mut new = Vec::new();
        for address in addresses {
            new.push(Address { affine: self.affine(&address.affine)?, ring: address.ring });
        }
        if !self.in_window(root, &mut new)? {
            self.keep_rows(root, &mut new[0])?;
        }
        let words = match words {
            Some(words) => Some(words.iter().map(|o| self.operand(*o)).collect::<Result<_, _>>()?),
            None => None,
        };
        let (old, kind, results);
        if let Some(words) = words {
            old = self.array(root)?;
            results = vec![self.next_array(root, self.flow.name(root))?];
            self.count_row(root, &mut new[0])?;
            kind = OpKind::Store(old, new, words);
        } else {
            results = self.results(op);
            self.define(op, &results);
            self.count_row(root, &mut new[0])?;
            kind = OpKind::Load(self.array(root)?, new);
        }
        self.push(kind, results);
        Ok(())
    }

    /// Lets an address count modulo the rows that are kept.
    fn keep_rows(&self, root: ValueId, row: &mut Address) -> Result<(), Unsuitable> {
        let rows = self.rows.of(root)?;
        if rows == self.flow.extent(root) {
            return Ok(());
        }
        let rows = i64::from(rows);
        row.affine.constant = row.affine.constant.rem_euclid(rows);
        row.ring = !row.affine.terms.iter().all(|(c, _)| c % rows == 0);
        if !row.ring {
            row.affine.terms.clear();
        }
        Ok(())
    }

    fn array_of(&mut self, op: &Op, cells: &[Operand]) -> Result<(), Unsuitable> {
        if cells.is_empty() {
            return Ok(());
        }
        let root = self.flow.root(op.results[0]).ok_or(Unsuitable)?;
        let given = cells.iter().map(|o| self.operand(*o)).collect::<Result<Vec<_>, _>>()?;
        let (rows, whole) = (self.rows.of(root)?, self.flow.extent(root));
        let name = self.flow.name(root);
        if rows == whole && self.given.insert(root) {
            let value = self.next_array(root, name)?;
            self.push(OpKind::Array(given), vec![value]);
            return Ok(());
        }
        for (n, words) in given.chunks(given.len() / whole as usize).enumerate() {
            let old = self.array(root)?;
            let new = self.next_array(root, name)?;
            let constant = (n % rows as usize) as i64;
            let place = Address { affine: Affine { terms: Vec::new(), constant }, ring: false };
            self.push(OpKind::Store(old, vec![place], words.to_vec()), vec![new]);
        }
        Ok(())
    }

    /// Writes a loop inside an iteration as it stands.
    fn nested(&mut self, op: &Op, l: &Loop) -> Result<(), Unsuitable> {
        let init = l.init.iter().map(|o| self.value(*o)).collect::<Result<_, _>>()?;
        let (outside, before) = (std::mem::take(&mut self.out), self.arrays.clone());
        let mut bodies = Vec::new();
        for body in &l.bodies {
            self.arrays.clone_from(&before);
            let index = self.fresh(self.flow.name(body.params[0]), Type::Index);
            self.indices.insert(body.params[0], Affine { terms: vec![(1, index)], constant: 0 });
            let mut params = vec![index];
            for p in &body.params[1..] {
                params.push(self.renewed(*p)?);
            }
            body.ops.iter().try_for_each(|inner| self.op(inner))?;
            let outputs = body.outputs.iter().map(|o| self.value(*o)).collect::<Result<_, _>>()?;
            bodies.push(Block { params, ops: std::mem::take(&mut self.out), outputs });
        }
        (self.arrays, self.out) = (before, outside);
        let results = op.results.iter().map(|r| self.renewed(*r)).collect::<Result<_, _>>()?;
        self.push(OpKind::Loop(Box::new(Loop { init, bodies, ..l.clone() })), results);
        Ok(())
    }

    /// Defines a value under a new name: a word, or the newest value of an object.
    fn renewed(&mut self, old: ValueId) -> Result<ValueId, Unsuitable> {
        let name = self.flow.name(old);
        if let Some(root) = self.flow.root(old) {
            return self.next_array(root, name);
        }
        let new = self.fresh(name, self.flow.ty(old).clone());
        self.words.insert(old, Operand::Value(new));
        Ok(new)
    }
}
