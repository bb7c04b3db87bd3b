//! What a list of bytes is, taken as a word: the ways in which it can be had without putting single bytes together.

use super::facts::Facts;
use super::groups::Groups;
use crate::ir::{Binary, Op, Operand, Table, ValueId};

/// A word that bytes are part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WordRef {
    /// A group of the function.
    Group(usize),
    /// A value that is a word already.
    Value(ValueId),
}

/// A byte's word, its number in it, and the number of bytes of the word.
pub type Position = (WordRef, usize, usize);

/// The way to a word.
#[derive(Debug)]
pub enum Shape<'a> {
    /// A number.
    Number(u64),
    /// All bytes of one word in an order: lane k is byte `order[k]`.
    Permuted(WordRef, Vec<usize>),
    /// Consecutive bytes of a longer word, from a byte on.
    Slice(WordRef, usize),
    /// A bitwise operation of two words.
    Bitwise(Binary, Vec<Operand>, Vec<Operand>),
    /// Rows of a product with a matrix.
    Linear(&'a Op, Vec<usize>),
    /// Bytes of tables, or numbers.
    Lookups,
    /// Bytes in a row in memory.
    Memory,
    /// Two halves.
    Halves,
    /// Single bytes.
    Bytes,
}

/// Where a byte can be found in a word.
pub fn position(facts: &Facts<'_>, groups: &Groups, operand: Operand) -> Option<Position> {
    let Operand::Value(v) = operand else { return None };
    if let Some(&(group, lane)) = groups.home.get(&v) {
        return Some((WordRef::Group(group), lane, groups.list[group].len()));
    }
    let (word, byte) = facts.byte_of_word(v)?;
    Some((WordRef::Value(word), byte, facts.word_bytes(word)?))
}

/// The way to the word of some bytes (numbers resolved), looking through the operations of one block only.
pub fn shape<'a>(facts: &Facts<'a>, groups: &Groups, tables: &[Table], lanes: &[Operand], block: usize) -> Shape<'a> {
    if let Some(number) = as_number(lanes) {
        return Shape::Number(number);
    }
    let positions: Vec<Option<Position>> = lanes.iter().map(|&o| position(facts, groups, o)).collect();
    if let Some(found) = of_one_word(&positions) {
        return found;
    }
    if positions.iter().all(Option::is_none) {
        if let Some(found) = through_operations(facts, tables, lanes, block) {
            return found;
        }
    }
    if lanes.len() == 8 {
        return Shape::Halves;
    }
    Shape::Bytes
}

fn as_number(lanes: &[Operand]) -> Option<u64> {
    lanes.iter().rev().try_fold(0u64, |sum, o| match o {
        Operand::Const(n) => Some(sum << 8 | n),
        Operand::Value(_) => None,
    })
}

fn of_one_word<'a>(positions: &[Option<Position>]) -> Option<Shape<'a>> {
    let (word, first, size) = positions[0]?;
    let bytes = positions.iter().map(|p| p.filter(|p| p.0 == word).map(|p| p.1)).collect::<Option<Vec<usize>>>()?;
    let different = bytes.iter().enumerate().all(|(n, b)| !bytes[..n].contains(b));
    if size == bytes.len() && different {
        return Some(Shape::Permuted(word, bytes));
    }
    let consecutive = bytes.iter().enumerate().all(|(n, &b)| b == first + n);
    (size > bytes.len() && consecutive).then_some(Shape::Slice(word, first))
}

fn through_operations<'a>(facts: &Facts<'a>, tables: &[Table], lanes: &[Operand], block: usize) -> Option<Shape<'a>> {
    let here = |o: &Operand| match o {
        Operand::Value(v) => facts.def(*v).block == block && facts.def(*v).op.is_some(),
        Operand::Const(_) => true,
    };
    if is_memory(facts, lanes) {
        return Some(Shape::Memory);
    }
    if !lanes.iter().all(here) {
        return None;
    }
    if let Some((op, rows)) = rows_of_product(facts, lanes) {
        return Some(Shape::Linear(op, rows));
    }
    if let Some((kind, a, b)) = sides(facts, tables, lanes) {
        return Some(Shape::Bitwise(kind, a, b));
    }
    let lookups = lanes.iter().filter(|o| class(facts, tables, **o) == Class::Lookup).count();
    let numbers = lanes.iter().filter(|o| matches!(o, Operand::Const(_))).count();
    (lanes.len() <= facts.widest_lookups && lookups >= 2 && lookups + numbers == lanes.len()).then_some(Shape::Lookups)
}

fn is_memory(facts: &Facts<'_>, lanes: &[Operand]) -> bool {
    let load = |o: &Operand| match o {
        Operand::Value(v) => facts.byte_load(*v),
        Operand::Const(_) => None,
    };
    let Some((array, first)) = load(&lanes[0]) else { return false };
    lanes.iter().enumerate().all(|(n, o)| load(o) == Some((array, first + n as i64)))
}

fn rows_of_product<'a>(facts: &Facts<'a>, lanes: &[Operand]) -> Option<(&'a Op, Vec<usize>)> {
    let row = |o: &Operand| match o {
        Operand::Value(v) => facts.linear(*v),
        Operand::Const(_) => None,
    };
    let (op, ..) = row(&lanes[0])?;
    let rows = lanes.iter().map(|o| row(o).filter(|r| std::ptr::eq(r.0, op)).map(|r| r.2));
    Some((op, rows.collect::<Option<Vec<usize>>>()?))
}

/// What kind of thing a byte is, to put like on the same side of a bitwise operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Number,
    Lookup,
    Bitwise,
    Other(&'static str),
}

fn class(facts: &Facts<'_>, tables: &[Table], operand: Operand) -> Class {
    let Operand::Value(v) = operand else { return Class::Number };
    if facts.byte_lookup(v, tables).is_some() {
        return Class::Lookup;
    }
    if facts.bitwise(v).is_some() {
        return Class::Bitwise;
    }
    Class::Other(facts.def(v).op.map_or("parameter", |op| op.kind.mnemonic()))
}

/// The two sides of a bitwise operation on all lanes. Where some lanes of an exclusive or have no second operand, it is 0 there.
fn sides(facts: &Facts<'_>, tables: &[Table], lanes: &[Operand]) -> Option<(Binary, Vec<Operand>, Vec<Operand>)> {
    let parts: Vec<Option<(Binary, Operand, Operand)>> = lanes
        .iter()
        .map(|o| match o {
            Operand::Value(v) => facts.bitwise(*v),
            Operand::Const(_) => None,
        })
        .collect();
    let &(kind, a, _) = parts.iter().flatten().next()?;
    let wanted = class(facts, tables, a);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (part, &lane) in parts.iter().zip(lanes) {
        let (x, y) = match *part {
            Some((k, x, y)) if k == kind => (x, y),
            None if kind == Binary::Xor => (lane, Operand::Const(0)),
            _ => return None,
        };
        let swap = class(facts, tables, x) != wanted && class(facts, tables, y) == wanted;
        left.push(if swap { y } else { x });
        right.push(if swap { x } else { y });
    }
    let complete = parts.iter().all(Option::is_some);
    let alike = left.iter().all(|&o| class(facts, tables, o) == wanted);
    (complete || alike).then_some((kind, left, right))
}

/// Whether some bytes make a word without being put together one by one.
pub fn shape_quality(facts: &Facts<'_>, groups: &Groups, tables: &[Table], lanes: &[Operand], block: usize) -> bool {
    let lanes: Vec<Operand> = lanes.iter().map(|&o| facts.resolved(o)).collect();
    let good = |part: &[Operand]| shape_quality(facts, groups, tables, part, block);
    match shape(facts, groups, tables, &lanes, block) {
        Shape::Bitwise(_, a, b) => good(&a) && good(&b) || few_values(&a) && good(&b) || good(&a) && few_values(&b),
        Shape::Halves => good(&lanes[..4]) && good(&lanes[4..]),
        Shape::Bytes => false,
        _ => true,
    }
}

/// Whether at most one lane is no number.
fn few_values(lanes: &[Operand]) -> bool {
    lanes.iter().filter(|o| matches!(o, Operand::Value(_))).count() <= 1
}
