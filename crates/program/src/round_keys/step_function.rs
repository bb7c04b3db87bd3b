//! A step as a function: words of earlier steps are loaded from bytes, those for later ones stored.

use std::collections::BTreeMap;

use super::step_writer::{Key, Place};
use super::writer::Writer;
use super::Unsuitable;
use crate::ir::{Address, Affine, ArrayType, Block, Function, OpKind, Operand, Type, ValueId};
use crate::walk::renumber;

impl Writer<'_> {
    /// The step as a function of memory, and what its parameters and results are.
    ///
    /// `places` says where words stand between steps, in `state` bytes; those that are `later` read are stored.
    pub fn step_function(
        mut self,
        places: &BTreeMap<Key, u32>,
        state: u32,
        later: impl Fn(Key) -> bool,
    ) -> Result<(Function, [Vec<Place>; 2]), Unsuitable> {
        let step = self.step.take().ok_or(Unsuitable)?;
        let ty = Type::Array(ArrayType { width: 8, dims: vec![state] });
        let body = std::mem::take(&mut self.out);
        let (mut params, mut inside) = (Vec::new(), Vec::new());
        let mut at = None;
        if !step.reads.is_empty() {
            let given = self.named("state", ty.clone());
            (params, inside, at) = (vec![given], vec![Place::State], Some(given));
        }
        for (key, value) in &step.reads {
            self.load_word(*value, at.ok_or(Unsuitable)?, *places.get(key).ok_or(Unsuitable)?)?;
        }
        for (name, byte) in &step.bases {
            let given = self.named(name, Type::Array(ArrayType { width: 8, dims: vec![1] }));
            params.push(given);
            inside.push(Place::Given(name.clone()));
            self.push(OpKind::Load(given, vec![constant(0)]), vec![*byte]);
        }
        for (root, given) in &step.params {
            params.push(*given);
            inside.push(Place::Object(*root));
        }
        self.out.extend(body);
        let (mut outputs, mut results, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        let stored: Vec<_> = step.makes.iter().filter(|(key, _)| places.contains_key(key) && later(*key)).collect();
        if !stored.is_empty() {
            let last = self.store_words(&stored, places, at, &ty)?;
            (outputs, results, changed) = (vec![Operand::Value(last)], vec![ty], vec![Place::State]);
        }
        for root in &step.changed {
            let last = self.array(*root)?;
            outputs.push(Operand::Value(last));
            results.push(self.values[last.0 as usize].ty.clone());
            changed.push(Place::Object(*root));
        }
        let body = Block { params: Vec::new(), ops: self.out, outputs };
        let mut function = Function { name: String::new(), params, results, values: self.values, body };
        renumber(&mut function);
        Ok((function, [inside, changed]))
    }

    /// Loads a word from bytes.
    fn load_word(&mut self, value: ValueId, state: ValueId, at: u32) -> Result<(), Unsuitable> {
        let ValueParts { name, width } = self.parts(value)?;
        if width == 8 {
            self.push(OpKind::Load(state, vec![constant(at)]), vec![value]);
            return Ok(());
        }
        let mut parts = Vec::new();
        for k in 0..u32::from(width / 8) {
            let part = self.named(&format!("{name}.{k}"), Type::Word(8));
            self.push(OpKind::Load(state, vec![constant(at + k)]), vec![part]);
            parts.push(part);
        }
        self.push(OpKind::Concat(parts), vec![value]);
        Ok(())
    }

    fn parts(&self, value: ValueId) -> Result<ValueParts, Unsuitable> {
        let data = &self.values[value.0 as usize];
        match data.ty {
            Type::Word(width) if width % 8 == 0 => Ok(ValueParts { name: data.name.clone(), width }),
            _ => Err(Unsuitable),
        }
    }

    /// Stores words as bytes; returns the array's last value.
    fn store_words(
        &mut self,
        words: &[&(Key, (Operand, Type))],
        places: &BTreeMap<Key, u32>,
        state: Option<ValueId>,
        ty: &Type,
    ) -> Result<ValueId, Unsuitable> {
        let mut array = state.unwrap_or_else(|| {
            let made = self.named("state.0", ty.clone());
            self.push(OpKind::Array(Vec::new()), vec![made]);
            made
        });
        for (n, (key, (word, word_type))) in words.iter().enumerate() {
            for k in 0..u32::from(word_type.width() / 8) {
                let part = match word {
                    Operand::Const(number) => Operand::Const(number >> (8 * k) & 255),
                    Operand::Value(_) if word_type.width() == 8 => *word,
                    Operand::Value(_) => {
                        let part = self.named(&format!("t{n}.{k}"), Type::Word(8));
                        self.push(OpKind::Extract(*word, 8 * k as u8), vec![part]);
                        Operand::Value(part)
                    }
                };
                let new = self.named(&format!("state.{n}.{k}"), ty.clone());
                self.push(OpKind::Store(array, vec![constant(places[key] + k)], vec![part]), vec![new]);
                array = new;
            }
        }
        Ok(array)
    }
}

struct ValueParts {
    name: String,
    width: u8,
}

fn constant(at: u32) -> Address {
    Address { affine: Affine { terms: Vec::new(), constant: at.into() }, ring: false }
}
