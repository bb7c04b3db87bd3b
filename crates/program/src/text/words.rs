//! The words of the text form.

use crate::ir::{Binary, Compare, LoopTag, OpKind, Shift};

/// Two-operand operations.
pub const BINARY: [(&str, Binary); 6] = [
    ("add", Binary::Add),
    ("sub", Binary::Sub),
    ("mul", Binary::Mul),
    ("and", Binary::And),
    ("or", Binary::Or),
    ("xor", Binary::Xor),
];

/// Shifts and rotations.
pub const SHIFT: [(&str, Shift); 4] =
    [("shl", Shift::Shl), ("shr", Shift::Shr), ("rotl", Shift::Rotl), ("rotr", Shift::Rotr)];

/// Comparisons.
pub const COMPARE: [(&str, Compare); 3] = [("eq", Compare::Eq), ("ne", Compare::Ne), ("ltu", Compare::Ltu)];

/// Loops.
pub const LOOP: [(&str, LoopTag); 2] = [("rounds", LoopTag::Rounds), ("steps", LoopTag::Steps)];

/// Operations whose word names them alone.
pub const OTHER: [&str; 16] = [
    "const",
    "not",
    "extract",
    "concat",
    "zext",
    "select",
    "lookup",
    "load",
    "store",
    "array",
    "linear",
    "bitsliced",
    "call",
    "word",
    "index_div",
    "index_mod",
];

/// The entry of a word list by its word.
pub fn find<T: Copy>(list: &[(&str, T)], word: &str) -> Option<T> {
    list.iter().find(|(w, _)| *w == word).map(|&(_, t)| t)
}

fn word_of<T: PartialEq>(list: &[(&'static str, T)], item: &T) -> &'static str {
    list.iter().find(|(_, t)| t == item).map_or("", |&(w, _)| w)
}

/// The word of an operation.
#[must_use]
pub fn mnemonic(kind: &OpKind) -> &'static str {
    match kind {
        OpKind::Const(_) => "const",
        OpKind::Binary(which, ..) => word_of(&BINARY, which),
        OpKind::Not(_) => "not",
        OpKind::Shift(which, ..) => word_of(&SHIFT, which),
        OpKind::Extract(..) => "extract",
        OpKind::Concat(_) => "concat",
        OpKind::Zext(_) => "zext",
        OpKind::Compare(which, ..) => word_of(&COMPARE, which),
        OpKind::Select(..) => "select",
        OpKind::Lookup(..) => "lookup",
        OpKind::Load(..) => "load",
        OpKind::Store(..) => "store",
        OpKind::Array(_) => "array",
        OpKind::Linear(..) => "linear",
        OpKind::Bitsliced(..) => "bitsliced",
        OpKind::Call(..) => "call",
        OpKind::Word(_) => "word",
        OpKind::IndexDiv(..) => "index_div",
        OpKind::IndexMod(..) => "index_mod",
        OpKind::Loop(l) => word_of(&LOOP, &l.tag),
    }
}
