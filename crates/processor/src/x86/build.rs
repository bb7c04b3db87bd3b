//! Operations on words as nodes: what straight functions and regions of functions with loops have in common.

use program::ir::{Address, Affine, ArrayType, Binary, Function, Op, OpKind, Operand, Shift, Type, ValueId};
use program::Diagnostic;

use super::graph::{Id, Kind, Nodes, Shape};

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// The remedy for words of other widths.
pub(super) const WIDTHS: &str =
    "x86-32 code is made of bytes and words of 32 bits; `assay emit c` takes words of any width";

/// Reads operations in order.
pub(super) trait Builder {
    /// The function.
    fn function(&self) -> &Function;

    /// The nodes so far.
    fn nodes(&mut self) -> &mut Nodes;

    /// The node of a value.
    fn value(&mut self, value: ValueId) -> Id;

    /// Gives a value its node.
    fn define(&mut self, value: ValueId, node: Id);

    /// Reads an operation on memory or indices; false if there is no way for it.
    fn access(&mut self, op: &Op) -> Result<bool>;

    /// The node of an operand.
    fn operand(&mut self, operand: Operand) -> Id {
        match operand {
            Operand::Value(value) => self.value(value),
            Operand::Const(number) => self.nodes().number(number as i64),
        }
    }

    /// Reads an operation.
    fn operation(&mut self, op: &Op) -> Result<()> {
        self.nodes().places = op.places.as_slice().into();
        let made = match &op.kind {
            OpKind::Not(x) => {
                let x = self.operand(*x);
                match bits_of(self.function(), op.results[0]) {
                    32 => self.nodes().node(Shape::word(Kind::Not), &[x]),
                    // A register's other bits stay zeros.
                    bits => {
                        let mask = self.nodes().number((1 << bits) - 1);
                        self.nodes().sum(Kind::Xor, &[x, mask])
                    }
                }
            }
            OpKind::Zext(x) => self.value(*x),
            OpKind::Extract(x, position) => {
                let x = self.operand(*x);
                let bits = bits_of(self.function(), op.results[0]);
                if bits < 8 && *position == 0 {
                    let mask = self.nodes().number((1 << bits) - 1);
                    self.nodes().node(Shape::word(Kind::And), &[x, mask])
                } else {
                    self.nodes().field(x, i64::from(*position), bits)
                }
            }
            OpKind::Concat(parts) => {
                let bits = bits_of(self.function(), op.results[0]);
                if bits != 32 || parts.len() != 4 {
                    let message = format!("code for x86-32 has no way yet for `concat` to {bits} bits");
                    return Err(Diagnostic::new("X101", message).help(WIDTHS));
                }
                let parts: Vec<Id> = parts.iter().map(|&part| self.value(part)).collect();
                self.nodes().joined(&parts)
            }
            OpKind::Binary(which, a, b) if self.binary(*which, op).is_some() => {
                let args = [self.operand(*a), self.operand(*b)];
                match self.binary(*which, op) {
                    Some(kind) if kind.is_sum() => self.nodes().sum(kind, &args),
                    Some(kind) => self.nodes().node(Shape::word(kind), &args),
                    None => unreachable!("the guard says that there is one"),
                }
            }
            OpKind::Shift(which, x, by) if bits_of(self.function(), op.results[0]) == 32 => {
                let kind = match which {
                    Shift::Shl => Kind::Shl,
                    Shift::Shr => Kind::Shr,
                    Shift::Rotl => Kind::Rol,
                    Shift::Rotr => Kind::Ror,
                };
                let x = self.operand(*x);
                match by {
                    Operand::Const(by) => self.nodes().shifted(kind, x, *by as i64),
                    Operand::Value(by) => {
                        let by = self.value(*by);
                        self.nodes().node(Shape::word(kind), &[x, by])
                    }
                }
            }
            _ => return if self.access(op)? { Ok(()) } else { Err(self.missing(op)) },
        };
        self.define(op.results[0], made);
        Ok(())
    }

    /// What a binary operation becomes: sums of other widths carry into bits that words do not have.
    fn binary(&self, which: Binary, op: &Op) -> Option<Kind> {
        let whole = bits_of(self.function(), op.results[0]) == 32;
        match which {
            Binary::Xor => Some(Kind::Xor),
            Binary::And => Some(Kind::And),
            Binary::Or => Some(Kind::Or),
            Binary::Add => whole.then_some(Kind::Add),
            Binary::Sub => whole.then_some(Kind::Sub),
            Binary::Mul => whole.then_some(Kind::Mul),
        }
    }

    /// The error of an operation that there is no way for.
    fn missing(&self, op: &Op) -> Diagnostic {
        let size = match op.results[..] {
            [only] => word_bits(self.function(), only).filter(|&bits| bits > 0),
            _ => None,
        };
        let size = size.map_or_else(String::new, |bits| format!(" of {bits} bits"));
        let message = format!("code for x86-32 has no way yet for `{}`{size}", op.kind.mnemonic());
        Diagnostic::new("X101", message).help("another strategy (`--strategy`) may make a program without it")
    }
}

/// The width of a word or of an array's elements; 0 of an index.
pub(super) fn bits_of(function: &Function, value: ValueId) -> u8 {
    type_of(function, value).width()
}

pub(super) fn type_of(function: &Function, value: ValueId) -> &Type {
    &function.values[value.0 as usize].ty
}

pub(super) fn name_of(function: &Function, value: ValueId) -> &str {
    &function.values[value.0 as usize].name
}

/// The width of a word, 0 of an index, nothing of an array.
pub(super) fn word_bits(function: &Function, value: ValueId) -> Option<u8> {
    let ty = type_of(function, value);
    as_array(ty).is_none().then(|| ty.width())
}

pub(super) fn as_array(ty: &Type) -> Option<&ArrayType> {
    match ty {
        Type::Array(array) => Some(array),
        _ => None,
    }
}

/// How many elements one step along a dimension comes to.
pub(super) fn stride(extents: &[u32], dimension: usize) -> i64 {
    extents[dimension + 1..].iter().map(|&extent| i64::from(extent)).product()
}

/// The constant part of an address, within the extent of a ring.
pub(super) fn constant(address: &Address, extent: u32) -> i64 {
    let constant = address.affine.constant;
    if address.ring {
        constant.rem_euclid(i64::from(extent))
    } else {
        constant
    }
}

/// The sums that an operation names: addresses, or of an index.
pub(super) fn sums(kind: &OpKind) -> Vec<&Affine> {
    match kind {
        OpKind::Lookup(_, address) => vec![&address.affine],
        OpKind::Load(_, addresses) | OpKind::Store(_, addresses, _) => addresses.iter().map(|a| &a.affine).collect(),
        OpKind::Word(sum) | OpKind::IndexDiv(sum, _) | OpKind::IndexMod(sum, _) => vec![sum],
        _ => Vec::new(),
    }
}
