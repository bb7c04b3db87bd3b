//! Making values and operations: fresh names, copies of blocks, substitution of values.

use std::collections::{HashMap, HashSet};

use crate::ir::{Affine, Block, Function, Loop, Op, OpKind, Operand, Place, Shift, Type, ValueData, ValueId};
use crate::walk::{slots_mut, Slot};

/// What stands for a value: another value or a number.
pub type Replacements = HashMap<ValueId, Operand>;

/// The author's name of a value: what stands before the first dot.
#[must_use]
pub fn author_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The arena of a function under construction; every name it gives is unique.
#[derive(Debug, Default)]
pub struct Builder {
    /// All values, in order of creation; goes back into [`Function::values`].
    pub values: Vec<ValueData>,
    used: HashSet<String>,
    next: HashMap<String, u32>,
}

impl Builder {
    /// Takes the values out of a function; [`Builder::finish`] puts them back.
    #[must_use]
    pub fn new(function: &mut Function) -> Self {
        let values = std::mem::take(&mut function.values);
        let used = values.iter().map(|v| v.name.clone()).collect();
        Builder { values, used, next: HashMap::new() }
    }

    /// Gives the values back to the function and numbers them in the order of definition.
    pub fn finish(self, function: &mut Function) {
        function.values = self.values;
        crate::walk::renumber(function);
    }

    /// A new value named after `base`, or after its author's name with the first free number: `t`, `t.1`, `t.2`.
    /// An empty base gives a plain number.
    pub fn value(&mut self, base: &str, ty: Type) -> ValueId {
        let name = self.fresh_name(author_name(base));
        self.values.push(ValueData { name, ty });
        ValueId(self.values.len() as u32 - 1)
    }

    /// A new value with the name and type of another.
    pub fn like(&mut self, value: ValueId) -> ValueId {
        let ValueData { name, ty } = self.values[value.0 as usize].clone();
        self.value(&name, ty)
    }

    /// Type of a value.
    #[must_use]
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.values[value.0 as usize].ty
    }

    /// An operation with one new result.
    pub fn op(&mut self, base: &str, ty: Type, kind: OpKind, places: &[Place]) -> (Op, ValueId) {
        let result = self.value(base, ty);
        (Op { kind, results: vec![result], places: places.to_vec() }, result)
    }

    fn fresh_name(&mut self, base: &str) -> String {
        let base = if base.chars().all(|c| c.is_ascii_digit()) { "" } else { base };
        if !base.is_empty() && self.used.insert(base.to_owned()) {
            return base.to_owned();
        }
        let next = self.next.entry(base.to_owned()).or_insert(1);
        loop {
            let name = if base.is_empty() { next.to_string() } else { format!("{base}.{next}") };
            *next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Copies operations (of this or another function) to the end of `out`, every result under a fresh value.
    /// `map` says what stands for the values they use and gains the results; what it does not hold is kept as it is.
    /// `source` is the arena that the operations belong to (names and types of the copies); `None` if it is this one.
    /// `callers` is appended to the places of every operation (inlining a call).
    pub fn copy_ops(
        &mut self,
        ops: &[Op],
        source: Option<&[ValueData]>,
        map: &mut Replacements,
        callers: &[Place],
        out: &mut Vec<Op>,
    ) {
        for op in ops {
            let mut copy = op.clone();
            copy.places.extend(callers);
            if let OpKind::Loop(l) = &mut copy.kind {
                self.copy_bodies(l, source, map, callers);
            }
            self.replace_uses(&mut copy, source, map, out);
            self.fresh_values(&mut copy.results, source, map);
            out.push(copy);
        }
    }

    fn copy_bodies(&mut self, l: &mut Loop, source: Option<&[ValueData]>, map: &mut Replacements, callers: &[Place]) {
        for body in &mut l.bodies {
            self.fresh_values(&mut body.params, source, map);
            let mut ops = Vec::with_capacity(body.ops.len());
            self.copy_ops(&body.ops, source, map, callers, &mut ops);
            body.ops = ops;
            body.outputs.iter_mut().for_each(|o| *o = replaced(*o, map));
        }
    }

    fn fresh_values(&mut self, ids: &mut [ValueId], source: Option<&[ValueData]>, map: &mut Replacements) {
        for id in ids {
            let ValueData { name, ty } = source.unwrap_or(&self.values)[id.0 as usize].clone();
            let fresh = self.value(&name, ty);
            map.insert(*id, Operand::Value(fresh));
            *id = fresh;
        }
    }

    /// Replaces what one operation uses. A number where only a value can stand becomes a `const` operation at the end of `out`.
    fn replace_uses(&mut self, op: &mut Op, source: Option<&[ValueData]>, map: &Replacements, out: &mut Vec<Op>) {
        let places = op.places.clone();
        slots_mut(&mut op.kind, &mut |slot| match slot {
            Slot::Operand(o) => *o = replaced(*o, map),
            Slot::Value(v) => match map.get(v) {
                Some(Operand::Value(new)) => *v = *new,
                Some(Operand::Const(number)) => {
                    let ValueData { name, ty } = source.unwrap_or(&self.values)[v.0 as usize].clone();
                    let (op, result) = self.op(&name, ty, OpKind::Const(*number), &places);
                    out.push(op);
                    *v = result;
                }
                None => {}
            },
            Slot::Affine(affine) => replace_in_affine(affine, map),
        });
        if let Type::Word(width) = source.unwrap_or(&self.values)[op.results[0].0 as usize].ty {
            keep_amount_below(&mut op.kind, u64::from(width));
        }
    }

    /// Replaces values in a block and the bodies of its loops; definitions stay.
    pub fn substitute(&mut self, block: &mut Block, map: &Replacements) {
        let ops = std::mem::take(&mut block.ops);
        for mut op in ops {
            self.replace_uses(&mut op, None, map, &mut block.ops);
            if let OpKind::Loop(l) = &mut op.kind {
                l.bodies.iter_mut().for_each(|body| self.substitute(body, map));
            }
            block.ops.push(op);
        }
        block.outputs.iter_mut().for_each(|o| *o = replaced(*o, map));
    }
}

/// A word amount may be any number, a constant one must lie below the width.
fn keep_amount_below(kind: &mut OpKind, width: u64) {
    match kind {
        OpKind::Shift(Shift::Rotl | Shift::Rotr, _, Operand::Const(amount)) => *amount %= width,
        OpKind::Shift(Shift::Shl | Shift::Shr, _, Operand::Const(amount)) if *amount >= width => {
            *kind = OpKind::Const(0)
        }
        _ => {}
    }
}

/// What stands for an operand.
#[must_use]
pub fn replaced(operand: Operand, map: &Replacements) -> Operand {
    match operand {
        Operand::Value(v) => map.get(&v).copied().unwrap_or(operand),
        Operand::Const(_) => operand,
    }
}

/// Replaces values in a sum; a number goes into the constant part, equal terms are added up.
pub fn replace_in_affine(affine: &mut Affine, map: &Replacements) {
    for (coefficient, value) in std::mem::take(&mut affine.terms) {
        match map.get(&value) {
            Some(Operand::Const(number)) => {
                affine.constant = affine.constant.wrapping_add(coefficient.wrapping_mul(*number as i64));
            }
            Some(Operand::Value(new)) => add_term(affine, coefficient, *new),
            None => add_term(affine, coefficient, value),
        }
    }
}

/// Adds `coefficient * value` to a sum.
pub fn add_term(affine: &mut Affine, coefficient: i64, value: ValueId) {
    match affine.terms.iter().position(|&(_, v)| v == value) {
        Some(n) => affine.terms[n].0 += coefficient,
        None => affine.terms.push((coefficient, value)),
    }
    affine.terms.retain(|&(c, _)| c != 0);
}
