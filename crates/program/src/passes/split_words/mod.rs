//! `split-words`: words wider than a machine's become several machine words, the least significant first.
//!
//! What acts on bits alone acts on every part; extracts, concatenations and rotations by whole parts are renamings. What moves
//! something from part to part (`add`, `sub`, `mul`, shifts, comparisons) becomes a call of a function that puts the parts
//! together, does the one operation and takes it apart again: `@add_32`, `@rotl_32_11`. So the program says what is computed, and
//! a back end chooses how: a chain of carries, a rotation through carry, products of machine words.
//!
//! Arrays of words are arrays of parts (the last dimension grows), a part of which may be wider than that of the word; tables become
//! one table per part. A word that stands in an
//! address may stay wider than a machine word; it is made by `concat` just before.

pub(super) mod operations;
mod wide;

use std::collections::{BTreeMap, HashMap};

use super::{Pass, Settings};
use crate::builder::{add_term, Builder};
use crate::diagnostic::Diagnostic;
use crate::indices::Indices;
use crate::ir::{
    Address, Affine, ArrayType, Block, Function, Loop, Op, OpKind, Operand, Place, Program, Table, TableId, Type,
    ValueId,
};

/// See the module's text.
pub struct SplitWords;

impl Pass for SplitWords {
    fn name(&self) -> &'static str {
        "split-words"
    }

    fn description(&self) -> &'static str {
        "split words into the words of a machine of 8 or 16 bits"
    }

    fn options(&self) -> &'static [&'static str] {
        &["width"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let width = settings.number("width", 8)?;
        if !matches!(width, 8 | 16 | 32) {
            return Err(Diagnostic::new("S016", format!("words are split into 8, 16 or 32 bits, not {width}")));
        }
        split(program, width as u8).map(|_| ())
    }
}

/// Splits all words; returns the names of the functions that hold one wide operation each.
pub(super) fn split(program: &mut Program, width: u8) -> Result<Vec<String>, Diagnostic> {
    let mut shared = SharedParts { width, functions: BTreeMap::new(), planes: HashMap::new(), added: Vec::new() };
    let mut functions = Vec::new();
    for function in &program.functions {
        functions.push(Splitter::function(program, function, &mut shared)?);
    }
    program.tables.append(&mut shared.added);
    let wide = shared.functions.keys().cloned().collect();
    program.functions = shared.functions.into_values().chain(functions).collect();
    Ok(wide)
}

/// What the functions of a program share: the functions that do wide operations, the tables of parts.
struct SharedParts {
    width: u8,
    functions: BTreeMap<String, Function>,
    planes: HashMap<TableId, Vec<TableId>>,
    added: Vec<Table>,
}

/// A function on its way.
struct Splitter<'a> {
    program: &'a Program,
    old: &'a Function,
    indices: Indices,
    shared: &'a mut SharedParts,
    builder: Builder,
    parts: HashMap<ValueId, Vec<Operand>>,
    same: HashMap<ValueId, ValueId>,
    out: Vec<Op>,
    places: Vec<Place>,
}

impl<'a> Splitter<'a> {
    fn function(program: &'a Program, old: &'a Function, shared: &'a mut SharedParts) -> Result<Function, Diagnostic> {
        let indices = Indices::of(old);
        let mut s = Splitter {
            program,
            old,
            indices,
            shared,
            builder: Builder::default(),
            parts: HashMap::new(),
            same: HashMap::new(),
            out: Vec::new(),
            places: Vec::new(),
        };
        let params = s.define(&old.params)?;
        let body = s.block(&old.body)?;
        let mut results = Vec::new();
        for ty in &old.results {
            results.extend(s.types(ty)?);
        }
        let mut new = Function { name: old.name.clone(), params, results, values: Vec::new(), body };
        s.builder.finish(&mut new);
        Ok(new)
    }

    /// Widths of the parts of a word.
    fn widths(&self, width: u8) -> Vec<u8> {
        let m = self.shared.width;
        (0..width.div_ceil(m)).map(|k| m.min(width - k * m)).collect()
    }

    fn types(&self, ty: &Type) -> Result<Vec<Type>, Diagnostic> {
        Ok(match ty {
            Type::Word(w) => self.widths(*w).into_iter().map(Type::Word).collect(),
            Type::Index => vec![Type::Index],
            Type::Array(a) => vec![Type::Array(self.array(a)?)],
        })
    }

    /// The array of parts.
    fn array(&self, a: &ArrayType) -> Result<ArrayType, Diagnostic> {
        let m = self.shared.width;
        if a.width <= m {
            return Ok(a.clone());
        }
        let parts = u32::from(a.width.div_ceil(m));
        let dims = match a.dims.as_slice() {
            [n] => vec![*n, parts],
            [n, k] => vec![*n, k * parts],
            _ => return Err(self.unsupported("an array of more than two dimensions".to_owned())),
        };
        Ok(ArrayType { width: m, dims })
    }

    fn unsupported(&self, what: String) -> Diagnostic {
        Diagnostic::new("P301", format!("`split-words` cannot split {what}")).at(self.program, &self.places)
    }

    fn type_of(&self, v: ValueId) -> &'a Type {
        &self.old.values[v.0 as usize].ty
    }

    fn width_of(&self, v: ValueId) -> u8 {
        match self.type_of(v) {
            Type::Word(w) => *w,
            _ => 0,
        }
    }

    /// New values for old ones, in order.
    fn define(&mut self, old: &[ValueId]) -> Result<Vec<ValueId>, Diagnostic> {
        let mut new = Vec::new();
        for &v in old {
            let name = self.old.values[v.0 as usize].name.clone();
            let made: Vec<ValueId> =
                self.types(self.type_of(v))?.into_iter().map(|ty| self.builder.value(&name, ty)).collect();
            if matches!(self.type_of(v), Type::Word(_)) {
                self.parts.insert(v, made.iter().map(|&p| Operand::Value(p)).collect());
            } else {
                self.same.insert(v, made[0]);
            }
            new.extend(made);
        }
        Ok(new)
    }

    /// The parts of an operand of a width.
    fn operand(&self, o: Operand, width: u8) -> Vec<Operand> {
        match o {
            Operand::Value(v) => self.parts[&v].clone(),
            Operand::Const(c) => {
                let m = self.shared.width;
                self.widths(width)
                    .iter()
                    .enumerate()
                    .map(|(k, &w)| Operand::Const(c >> (k as u8 * m) & mask(w)))
                    .collect()
            }
        }
    }

    /// Operands that may be arrays.
    fn operands(&self, list: &[Operand], types: &[Type]) -> Vec<Operand> {
        list.iter()
            .zip(types)
            .flat_map(|(&o, ty)| match (o, ty) {
                (Operand::Value(v), Type::Array(_) | Type::Index) => vec![Operand::Value(self.same[&v])],
                (_, Type::Word(w)) => self.operand(o, *w),
                _ => vec![o],
            })
            .collect()
    }

    fn block(&mut self, old: &'a Block) -> Result<Block, Diagnostic> {
        let saved = std::mem::take(&mut self.out);
        for op in &old.ops {
            self.places.clone_from(&op.places);
            self.op(op)?;
        }
        let types = &self.old.results;
        let outputs = self.operands(&old.outputs, types);
        Ok(Block { params: Vec::new(), ops: std::mem::replace(&mut self.out, saved), outputs })
    }

    fn push(&mut self, kind: OpKind, results: Vec<ValueId>) {
        self.out.push(Op { kind, results, places: self.places.clone() });
    }

    /// One part as the result of an operation.
    fn part(&mut self, width: u8, kind: OpKind) -> Operand {
        let v = self.builder.value("", Type::Word(width));
        self.push(kind, vec![v]);
        Operand::Value(v)
    }

    fn affine(&mut self, old: &Affine) -> Affine {
        let mut new = Affine { terms: Vec::new(), constant: old.constant };
        for &(c, v) in &old.terms {
            let value = match self.type_of(v) {
                Type::Word(w) => self.whole(v, *w),
                _ => Operand::Value(self.same[&v]),
            };
            match value {
                Operand::Value(v) => add_term(&mut new, c, v),
                Operand::Const(n) => new.constant += c * n as i64,
            }
        }
        new
    }

    /// A word as one value again, for an address.
    fn whole(&mut self, v: ValueId, width: u8) -> Operand {
        let parts = self.parts[&v].clone();
        if parts.len() == 1 {
            return parts[0];
        }
        let widths = self.widths(width);
        let values = parts.iter().zip(widths).map(|(&p, w)| self.value(p, w)).collect();
        self.part(width, OpKind::Concat(values))
    }

    fn value(&mut self, o: Operand, width: u8) -> ValueId {
        match o {
            Operand::Value(v) => v,
            Operand::Const(c) => {
                let v = self.builder.value("", Type::Word(width));
                self.push(OpKind::Const(c), vec![v]);
                v
            }
        }
    }

    fn addresses(&mut self, old: &[Address]) -> Vec<Address> {
        old.iter().map(|a| Address { affine: self.affine(&a.affine), ring: a.ring }).collect()
    }

    fn body_loop(&mut self, l: &'a Loop, results: &[ValueId]) -> Result<(), Diagnostic> {
        let types: Vec<Type> = results.iter().map(|&r| self.type_of(r).clone()).collect();
        let init = self.operands(&l.init, &types);
        let places = self.places.clone();
        let mut bodies = Vec::new();
        for body in &l.bodies {
            let params = self.define(&body.params)?;
            let saved = std::mem::take(&mut self.out);
            for op in &body.ops {
                self.places.clone_from(&op.places);
                self.op(op)?;
            }
            let outputs = self.operands(&body.outputs, &types);
            bodies.push(Block { params, ops: std::mem::replace(&mut self.out, saved), outputs });
        }
        self.places = places;
        let results = self.define(results)?;
        let new = Loop {
            init,
            bodies,
            tag: l.tag,
            counter: l.counter.clone(),
            from: l.from,
            step: l.step,
            pattern: l.pattern.clone(),
        };
        self.push(OpKind::Loop(Box::new(new)), results);
        Ok(())
    }
}

/// The ones of a word.
fn mask(width: u8) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}
