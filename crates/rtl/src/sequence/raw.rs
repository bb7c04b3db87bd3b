//! A step as execution leaves it.

use std::collections::HashMap;

use program::ir::{Op, OpKind, Operand, Type, ValueData, ValueId};

use super::{Place, Selection};

/// A step before equal bodies are found: straight operations over its own values.
#[derive(Clone, Debug, Default)]
pub(super) struct RawStep {
    pub values: Vec<ValueData>,
    pub ops: Vec<Op>,
    pub reads: Vec<(Place, ValueId)>,
    /// Words first, then elements in the order in which they were stored.
    pub writes: Vec<(Place, Operand)>,
    /// Words of arrays that data choose.
    pub selections: Vec<RawSelection>,
    pub iteration: String,
    /// Gate equivalents of what chooses among words by data.
    pub choosing: f64,
    /// Operands of the symbols that this step made or read.
    pub local: HashMap<usize, Operand>,
}

/// A word that is chosen outside of the step.
#[derive(Clone, Debug)]
pub(super) struct RawSelection {
    pub selection: Selection,
    /// The word.
    pub data: ValueId,
    /// Which of the words it is.
    pub address: Operand,
}

impl RawStep {
    pub fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(ValueData { name: name.to_owned(), ty });
        ValueId(self.values.len() as u32 - 1)
    }

    /// Reads a symbol at a place, once for all its uses.
    pub fn read(&mut self, symbol: usize, place: Place, name: &str, width: u8) -> Operand {
        let known = self.reads.iter().find(|(p, _)| *p == place).map(|(_, value)| *value);
        let value = known.unwrap_or_else(|| {
            let value = self.value(name, Type::Word(width));
            self.reads.push((place, value));
            value
        });
        self.local.insert(symbol, Operand::Value(value));
        Operand::Value(value)
    }

    pub fn write(&mut self, place: Place, operand: Operand) {
        match self.writes.iter_mut().find(|(p, _)| *p == place) {
            Some(write) => write.1 = operand,
            None => self.writes.push((place, operand)),
        }
    }

    /// Drops writes of what the place holds already: a register that keeps its value needs no step.
    pub fn drop_kept(&mut self) {
        let reads = &self.reads;
        let kept = |(place, operand): &(Place, Operand)| match operand {
            Operand::Value(v) => reads.iter().any(|read| read == &(*place, *v)),
            Operand::Const(_) => false,
        };
        self.writes.retain(|write| !kept(write));
    }
}

/// Operations that need no gate.
pub(super) fn is_wiring(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Const(_) | OpKind::Concat(_) | OpKind::Zext(_) | OpKind::Extract(..))
        || matches!(kind, OpKind::Shift(_, _, Operand::Const(_)))
}
