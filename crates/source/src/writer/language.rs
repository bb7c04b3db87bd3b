//! What differs between the languages that are written.

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::expr::Expr;
use super::helpers::{Helpers, Order};

/// The variable that keeps a word while it is rotated, in functions that spell rotations out.
pub const ROTATED: &str = "rotated";

/// Where an array begins: its name, and the name of an offset into it if it is part of a longer one.
#[derive(Clone, Debug)]
pub struct Place {
    /// Name of the array.
    pub name: String,
    /// What is added to its indices; empty for nothing.
    pub offset: String,
}

impl Place {
    /// An array by itself.
    #[must_use]
    pub fn whole(name: String) -> Self {
        Place { name, offset: String::new() }
    }

    /// The index of an element, from the array's beginning.
    #[must_use]
    pub fn index(&self, index: &str) -> String {
        match (self.offset.as_str(), index) {
            ("", _) => index.to_owned(),
            (offset, "0") => offset.to_owned(),
            (offset, _) => format!("{offset} + {index}"),
        }
    }

    /// An element.
    #[must_use]
    pub fn element(&self, index: &str) -> String {
        format!("{}[{}]", self.name, self.index(index))
    }
}

/// The shape of a flat array.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Width of the elements.
    pub width: u8,
    /// How many.
    pub length: usize,
}

/// A language: expressions of words, declarations, and how arrays are passed and copied.
pub trait Language: Sync {
    /// Words that are no identifiers, or better not used as such, separated by white space.
    fn reserved(&self) -> &'static str;
    /// Whether the blocks of encryption and decryption are parts of longer arrays.
    fn has_offsets(&self) -> bool;

    /// A number.
    fn number(&self, value: u64) -> Expr;
    /// An element of an array or table of words of the given width.
    fn element(&self, text: String, width: u8, reads: BTreeSet<usize>) -> Expr;
    /// The name of a table, or where it stands.
    fn table(&self, name: &str, alone: bool) -> String;
    /// Text of a word as the value of a variable, argument or result of its width.
    fn value(&self, e: &Expr, width: u8) -> String;
    /// Text of a word to store in memory.
    fn stored(&self, e: &Expr, width: u8) -> String;
    /// Text of a word as an index: by itself, or (`mixed`) as a term of a sum; the index is taken modulo `modulus` if there is one.
    fn index(&self, e: &Expr, width: u8, mixed: bool, modulus: Option<u32>) -> String;
    /// Text of a word as the index into an array that has an element for each of its values, if better than `index`.
    fn lookup(&self, _array: &str, _index: &Expr, _width: u8) -> Option<String> {
        None
    }
    /// A sum of indices made a word.
    fn cast_index(&self, sum: &str, width: u8) -> Expr;
    /// `a + b` and the like.
    fn binary(&self, operation: Binary, a: &Expr, b: &Expr, width: u8) -> Expr;
    /// All bits the other way.
    fn complement(&self, e: &Expr, width: u8) -> Expr;
    /// A rotation of 32 bits by a number, with what is rotated kept in the variable `ROTATED`, where its number among the function's rotations
    /// and how many operations the function has ask for that.
    fn spelled_rotation(&self, _e: &Expr, _shift: Shift, _amount: u64, _place: (usize, usize)) -> Option<Expr> {
        None
    }
    /// A shift or rotation by a number.
    fn shift(&self, e: &Expr, shift: Shift, amount: u64, width: u8, helpers: &mut Helpers) -> Expr;
    /// A shift or rotation by a word.
    fn shift_by(&self, e: &Expr, shift: Shift, amount: (&Expr, u8), width: u8, helpers: &mut Helpers) -> Expr;
    /// `width` bits from `position` up, of a word `from` bits wide.
    fn extract(&self, e: &Expr, position: u8, width: u8, from: u8) -> Expr;
    /// The same number in a wider word.
    fn extend(&self, e: &Expr, width: u8, from: u8) -> Expr;
    /// Parts side by side, the least significant first; a part is an expression and its width.
    fn concat(&self, parts: &[(Expr, u8)], width: u8) -> Expr;
    /// A comparison of two words of a width as a word of one bit.
    fn compare(&self, compare: Compare, a: &Expr, b: &Expr, width: u8) -> Expr;
    /// `a` if the condition is 1, else `b`, without a branch.
    fn select(&self, condition: &Expr, a: &Expr, b: &Expr, width: u8, helpers: &mut Helpers) -> Expr;
    /// A word from bytes in memory.
    fn load(&self, place: &Place, index: &str, order: Order, width: u8, helpers: &mut Helpers) -> String;
    /// The statement that writes a word's bytes to memory, with `{}` for the word.
    fn store(&self, place: &Place, index: &str, order: Order, width: u8, helpers: &mut Helpers) -> String;

    /// Name and parameters of a function; `returned` is the width of the word that it gives, if it gives one.
    fn head(&self, linkage: &str, name: &str, parameters: &[String], returned: Option<u8>) -> String;
    /// A parameter that is a word.
    fn word_parameter(&self, name: &str, width: u8) -> String;
    /// A parameter that is an array, which the function writes or only reads.
    fn array_parameter(&self, place: &Place, shape: Shape, written: bool) -> String;
    /// A parameter for a word that the function gives.
    fn word_result(&self, name: &str, width: u8) -> String;
    /// The statement that gives a word through such a parameter.
    fn give(&self, name: &str, value: &str) -> String;
    /// For a call that gives a word through a parameter: the declaration, the argument, and the word afterwards.
    fn receive(&self, name: &str, width: u8) -> (String, String, String);
    /// The statement that says that a parameter is not used, where the language wants one.
    fn unused(&self, name: &str) -> Option<String>;
    /// A word that never changes.
    fn constant(&self, name: &str, width: u8, value: &str) -> String;
    /// A word that a loop changes.
    fn variable(&self, name: &str, width: u8, value: &str) -> String;
    /// A local array.
    fn array(&self, name: &str, shape: Shape) -> String;
    /// The statement that copies a whole array.
    fn copy(&self, to: &Place, from: &Place, shape: Shape) -> String;
    /// A constant array in a function; `None` if it must stand outside.
    fn constant_array(&self, name: &str, width: u8, entries: &[u64]) -> Option<String>;
    /// The comment that says where a line comes from.
    fn comment(&self, text: &str) -> String;
}
