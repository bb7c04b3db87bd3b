//! Words at byte edges: bytes loaded side by side that become one word, a word whose bytes are written side by side.

use program::ir::{Address, Affine, Function, Op, OpKind, Operand, Type, ValueId};

use super::facts::Facts;
use super::helpers::Order;

/// A word made of consecutive bytes of an array that nothing writes.
#[derive(Clone, Debug)]
pub struct WordLoad {
    /// The array.
    pub array: ValueId,
    /// Flat address of the first byte in memory.
    pub address: Affine,
    /// Byte order.
    pub order: Order,
}

/// One word written as bytes.
#[derive(Clone, Copy, Debug)]
pub struct WordStore {
    /// Number of the first element.
    pub start: usize,
    /// The word.
    pub word: ValueId,
    /// Its width.
    pub width: u8,
    /// Byte order.
    pub order: Order,
}

/// The words among the elements of an array or a stored row.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// In ascending order of their first elements.
    pub stores: Vec<WordStore>,
}

impl Groups {
    /// The words.
    pub fn words(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.stores.iter().map(|s| s.word)
    }

    /// The word that begins at an element.
    #[must_use]
    pub fn starting_at(&self, element: usize) -> Option<&WordStore> {
        self.stores.iter().find(|s| s.start == element)
    }

    /// Elements that no word covers.
    pub fn ungrouped(&self, count: usize) -> impl Iterator<Item = usize> + '_ {
        (0..count).filter(|&n| !self.stores.iter().any(|s| n >= s.start && n < s.start + usize::from(s.width / 8)))
    }
}

/// Recognizes a `concat` of bytes loaded side by side from a parameter.
#[must_use]
pub fn word_load(facts: &Facts<'_>, function: &Function, op: &Op) -> Option<WordLoad> {
    let OpKind::Concat(parts) = &op.kind else { return None };
    if !matches!(parts.len(), 2 | 4 | 8) {
        return None;
    }
    let bytes: Vec<(ValueId, Affine)> = parts.iter().map(|&p| byte_load(facts, function, p)).collect::<Option<_>>()?;
    let (array, first) = &bytes[0];
    let step_of = |n: usize, step: i64| {
        let (other, address) = &bytes[n];
        other == array && address.terms == first.terms && address.constant == first.constant + step * n as i64
    };
    let all = |step: i64| (0..bytes.len()).all(|n| step_of(n, step));
    let (order, address) = match () {
        () if all(1) => (Order::Little, first.clone()),
        () if all(-1) => (Order::Big, bytes[bytes.len() - 1].1.clone()),
        () => return None,
    };
    Some(WordLoad { array: *array, address, order })
}

/// The array and flat address of a byte loaded from an array parameter.
fn byte_load(facts: &Facts<'_>, function: &Function, value: ValueId) -> Option<(ValueId, Affine)> {
    let (op, n) = facts.definition(value)?;
    let OpKind::Load(array, addresses) = &op.kind else { return None };
    let Type::Array(ty) = &function.values[array.0 as usize].ty else { return None };
    if ty.width != 8 || !function.params.contains(array) || addresses.iter().any(|a| a.ring) {
        return None;
    }
    let mut address = flat(addresses, &ty.dims)?;
    address.constant += n as i64;
    Some((*array, address))
}

/// One address along the flat array; `None` if a sum would hold a value twice.
#[must_use]
pub fn flat(addresses: &[Address], dims: &[u32]) -> Option<Affine> {
    let row = if dims.len() == 2 { i64::from(dims[1]) } else { 1 };
    let mut sum = addresses[0].affine.clone();
    if dims.len() == 2 {
        sum.terms.iter_mut().for_each(|t| t.0 *= row);
        sum.constant *= row;
        if let Some(column) = addresses.get(1) {
            if column.affine.terms.iter().any(|(_, v)| sum.terms.iter().any(|(_, w)| v == w)) {
                return None;
            }
            sum.terms.extend(&column.affine.terms);
            sum.constant += column.affine.constant;
        }
    }
    Some(sum)
}

/// Recognizes the bytes of whole words among the elements of an `array` or a stored row.
#[must_use]
pub fn word_stores(facts: &Facts<'_>, function: &Function, op: &Op) -> Option<Groups> {
    let (OpKind::Array(list) | OpKind::Store(_, _, list)) = &op.kind else { return None };
    let Type::Array(ty) = &function.values[op.results[0].0 as usize].ty else { return None };
    if ty.width != 8 || list.len() < 2 {
        return None;
    }
    let mut groups = Groups::default();
    let mut n = 0;
    while n < list.len() {
        match word_at(facts, function, list, n) {
            Some(store) => {
                groups.stores.push(store);
                n += usize::from(store.width / 8);
            }
            None => n += 1,
        }
    }
    (!groups.stores.is_empty()).then_some(groups)
}

fn word_at(facts: &Facts<'_>, function: &Function, list: &[Operand], start: usize) -> Option<WordStore> {
    let (word, first) = byte_of(facts, list[start])?;
    let Type::Word(width) = function.values[word.0 as usize].ty else { return None };
    let count = usize::from(width / 8);
    if !matches!(width, 16 | 32 | 64) || start + count > list.len() {
        return None;
    }
    let matches_order = |order: Order| {
        (0..count).all(|k| {
            let position = match order {
                Order::Little => 8 * k,
                Order::Big => 8 * (count - 1 - k),
            };
            byte_of(facts, list[start + k]) == Some((word, position as u8))
        })
    };
    let order = match first {
        0 => Order::Little,
        _ => Order::Big,
    };
    matches_order(order).then_some(WordStore { start, word, width, order })
}

fn byte_of(facts: &Facts<'_>, operand: Operand) -> Option<(ValueId, u8)> {
    let Operand::Value(value) = operand else { return None };
    match facts.definition(value)?.0.kind {
        OpKind::Extract(Operand::Value(word), position) => Some((word, position)),
        _ => None,
    }
}
