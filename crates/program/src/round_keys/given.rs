//! Numbers that a step is given in bytes of memory, so that steps that differ in numbers alone are one function: where its
//! iterations begin, and rows.

use super::events::by_loop;
use super::writer::Writer;
use super::Unsuitable;
use crate::builder::add_term;
use crate::ir::{Address, Affine, Binary, Op, OpKind, Operand, Type, ValueId};

impl Writer<'_> {
    /// Whether a word is a number of iterations that a step is given.
    pub fn counts(&self, sum: &Affine) -> bool {
        self.step.as_ref().is_some_and(|step| sum.terms.iter().any(|(_, v)| step.index_of.contains_key(v)))
    }

    /// Writes a word that counts iterations: it counts from a number in memory.
    pub fn counted(&mut self, op: &Op, sum: &Affine) -> Result<(), Unsuitable> {
        let step = self.step.as_mut().ok_or(Unsuitable)?;
        let found = sum.terms.iter().find_map(|(c, v)| step.index_of.get(v).map(|n| (*c, *n)));
        let (c, n) = found.ok_or(Unsuitable)?;
        let first = by_loop(self.flow, step.events)[&n].iter().min().copied().unwrap_or(0);
        let (base, given) = self.given(&format!("count{n}"), first)?;
        let mut sum = self.affine(sum)?;
        sum.constant -= c * base;
        let (name, ty) = (self.flow.name(op.results[0]), self.flow.ty(op.results[0]).clone());
        let mut start = self.widened(given, &ty, c);
        if !sum.terms.is_empty() || sum.constant != 0 {
            let moved = self.fresh("m", ty.clone());
            let number = sum.constant as u64 & mask(&ty);
            self.push(if sum.terms.is_empty() { OpKind::Const(number) } else { OpKind::Word(sum) }, vec![moved]);
            let added = self.fresh(name, ty);
            self.push(OpKind::Binary(Binary::Add, Operand::Value(start), Operand::Value(moved)), vec![added]);
            start = added;
        }
        self.words.insert(op.results[0], Operand::Value(start));
        Ok(())
    }

    /// A number that the step is given: what it is, and the byte that holds it.
    fn given(&mut self, name: &str, number: i64) -> Result<(i64, ValueId), Unsuitable> {
        let step = self.step.as_mut().ok_or(Unsuitable)?;
        let number = match step.counts.iter().find(|(one, _)| one == name) {
            Some((_, known)) => *known,
            None => {
                step.counts.push((name.to_owned(), number));
                number
            }
        };
        if let Some((_, byte)) = step.bases.iter().find(|(one, _)| one == name) {
            return Ok((number, *byte));
        }
        let byte = self.fresh("n", Type::Word(8));
        self.step.iter_mut().for_each(|step| step.bases.push((name.to_owned(), byte)));
        Ok((number, byte))
    }

    /// The number of iterations as a word, times a factor.
    fn widened(&mut self, mut byte: ValueId, ty: &Type, factor: i64) -> ValueId {
        if ty.width() > 8 {
            let wide = self.fresh("z", ty.clone());
            self.push(OpKind::Zext(byte), vec![wide]);
            byte = wide;
        }
        if factor != 1 {
            let product = self.fresh("z", ty.clone());
            let number = Operand::Const(factor as u64 & mask(ty));
            self.push(OpKind::Binary(Binary::Mul, Operand::Value(byte), number), vec![product]);
            byte = product;
        }
        byte
    }

    /// Counts the row of an access from the number that the step is given.
    pub fn count_row(&mut self, root: ValueId, row: &mut Address) -> Result<(), Unsuitable> {
        let given = self.step.as_ref().and_then(|step| step.given_rows.get(&root).cloned());
        let Some((name, first, _)) = given.filter(|_| row.affine.terms.is_empty()) else { return Ok(()) };
        let (_, byte) = self.given(&name, first)?;
        row.affine.constant -= first;
        add_term(&mut row.affine, 1, byte);
        row.ring = false;
        Ok(())
    }
}

fn mask(ty: &Type) -> u64 {
    u64::MAX >> (64 - u32::from(ty.width()).clamp(1, 64))
}
