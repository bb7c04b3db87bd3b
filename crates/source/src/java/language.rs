//! Java as a language to write.

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::types::{literal, memory_type, value_type};
use super::{expr, helpers};
use crate::writer::expr::{Expr, Level};
use crate::writer::helpers::{Helpers, Order};
use crate::writer::language::{Language, Place, Shape, ROTATED};
use crate::writer::words::{ones, value_bits};

/// Java from version 11 on.
pub struct Java;

/// HotSpot inlines 8000 bytes into a method, its own code counted, and leaves the rest calls, also `Integer.rotateLeft` (9 bytes). Methods of
/// more operations than this (some 6000 bytes) spell rotations out.
const LARGE: usize = 1000;
/// Rotations that they call nevertheless: spelled out, each is 5 bytes longer, and methods above 8000 bytes are not compiled at all.
const CALLED_FIRST: usize = 20;

const RESERVED: &str = "abstract assert boolean break byte case catch char class const continue default do double else enum \
extends final finally float for goto if implements import instanceof int interface long native new package private protected \
public return short static strictfp super switch synchronized this throw throws transient try void volatile while true false \
null _ var yield record sealed permits Integer Long System String Objects Object Math \
VarHandle MethodHandles ByteOrder WORDS16_LE WORDS16_BE WORDS32_LE WORDS32_BE WORDS64_LE WORDS64_BE \
BLOCK_BYTES keyBits ready rotated";

impl Language for Java {
    fn reserved(&self) -> &'static str {
        RESERVED
    }
    fn has_offsets(&self) -> bool {
        true
    }

    fn spelled_rotation(&self, e: &Expr, shift: Shift, amount: u64, place: (usize, usize)) -> Option<Expr> {
        let (number, operations) = place;
        (operations > LARGE && number > CALLED_FIRST).then(|| expr::spelled_rotation(e, shift, amount, ROTATED))
    }
    fn number(&self, value: u64) -> Expr {
        expr::number(value)
    }
    fn element(&self, text: String, width: u8, reads: BTreeSet<usize>) -> Expr {
        expr::element(text, width, reads)
    }
    fn table(&self, name: &str, _alone: bool) -> String {
        name.to_owned()
    }
    fn value(&self, e: &Expr, width: u8) -> String {
        expr::typed(e, width).text
    }
    fn stored(&self, e: &Expr, width: u8) -> String {
        expr::stored(e, width)
    }
    fn index(&self, e: &Expr, width: u8, mixed: bool, modulus: Option<u32>) -> String {
        match (value_bits(width), modulus) {
            (64, Some(m)) => format!("(int) Long.remainderUnsigned({}, {m})", e.text),
            (64, None) => format!("(int) {}", e.unary()),
            (_, Some(m)) if width == 32 => format!("Integer.remainderUnsigned({}, {m})", e.text),
            _ if mixed => e.tight(),
            _ => e.text.clone(),
        }
    }
    fn lookup(&self, array: &str, index: &Expr, width: u8) -> Option<String> {
        // An index below the array's own length: the just-in-time compiler then checks no bounds.
        let mask = format!(" & {}", literal(ones(width), width));
        let bare = match (index.level, index.text.strip_suffix(&mask)) {
            (Level::Binary("&"), Some(bare)) => bare.to_owned(),
            _ => index.operand("&", true),
        };
        Some(format!("{bare} & ({array}.length - 1)"))
    }
    fn cast_index(&self, sum: &str, width: u8) -> Expr {
        expr::cast_index(sum, width)
    }
    fn binary(&self, operation: Binary, a: &Expr, b: &Expr, width: u8) -> Expr {
        expr::binary(operation, a, b, width)
    }
    fn complement(&self, e: &Expr, width: u8) -> Expr {
        expr::complement(e, width)
    }
    fn shift(&self, e: &Expr, shift: Shift, amount: u64, width: u8, helpers: &mut Helpers) -> Expr {
        expr::shift(e, shift, amount, width, helpers)
    }
    fn shift_by(&self, e: &Expr, shift: Shift, amount: (&Expr, u8), width: u8, helpers: &mut Helpers) -> Expr {
        expr::shift_by(e, shift, amount.0, width, amount.1, helpers)
    }
    fn extract(&self, e: &Expr, position: u8, width: u8, from: u8) -> Expr {
        expr::extract(e, position, width, from)
    }
    fn extend(&self, e: &Expr, width: u8, from: u8) -> Expr {
        expr::extend(e, width, from)
    }
    fn concat(&self, parts: &[(Expr, u8)], width: u8) -> Expr {
        expr::concat(parts, width)
    }
    fn compare(&self, compare: Compare, a: &Expr, b: &Expr, width: u8) -> Expr {
        expr::compare(compare, a, b, width)
    }
    fn select(&self, condition: &Expr, a: &Expr, b: &Expr, width: u8, helpers: &mut Helpers) -> Expr {
        let name = helpers::select(helpers, width);
        Expr::call(&name, &[condition, &expr::typed(a, width), &expr::typed(b, width)])
    }
    fn load(&self, place: &Place, index: &str, order: Order, width: u8, helpers: &mut Helpers) -> String {
        format!("{}({}, {})", helpers::load(helpers, width, order), place.name, place.index(index))
    }
    fn store(&self, place: &Place, index: &str, order: Order, width: u8, helpers: &mut Helpers) -> String {
        format!("{}({}, {}, {{}});", helpers::store(helpers, width, order), place.name, place.index(index))
    }

    fn head(&self, linkage: &str, name: &str, parameters: &[String], returned: Option<u8>) -> String {
        format!("{linkage}{} {name}({})", returned.map_or("void", value_type), parameters.join(", "))
    }
    fn word_parameter(&self, name: &str, width: u8) -> String {
        format!("{} {name}", value_type(width))
    }
    fn array_parameter(&self, place: &Place, shape: Shape, _written: bool) -> String {
        let offset = if place.offset.is_empty() { String::new() } else { format!(", int {}", place.offset) };
        format!("{}[] {}{offset}", memory_type(shape.width), place.name)
    }
    fn word_result(&self, name: &str, width: u8) -> String {
        format!("{}[] {name}", value_type(width))
    }
    fn give(&self, name: &str, value: &str) -> String {
        format!("{name}[0] = {value};")
    }
    fn receive(&self, name: &str, width: u8) -> (String, String, String) {
        let word = value_type(width);
        (format!("{word}[] {name} = new {word}[1];"), name.to_owned(), format!("{name}[0]"))
    }
    fn unused(&self, _name: &str) -> Option<String> {
        None
    }
    fn constant(&self, name: &str, width: u8, value: &str) -> String {
        format!("final {} {name} = {value};", value_type(width))
    }
    fn variable(&self, name: &str, width: u8, value: &str) -> String {
        format!("{} {name} = {value};", value_type(width))
    }
    fn array(&self, name: &str, shape: Shape) -> String {
        let word = memory_type(shape.width);
        format!("final {word}[] {name} = new {word}[{}];", shape.length)
    }
    fn copy(&self, to: &Place, from: &Place, shape: Shape) -> String {
        format!(
            "System.arraycopy({}, {}, {}, {}, {});",
            from.name,
            from.index("0"),
            to.name,
            to.index("0"),
            shape.length
        )
    }
    fn constant_array(&self, _name: &str, _width: u8, _entries: &[u64]) -> Option<String> {
        None
    }
    fn comment(&self, text: &str) -> String {
        format!("// {text}")
    }
}
