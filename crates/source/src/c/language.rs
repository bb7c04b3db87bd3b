//! C11 as a language to write.

use std::collections::BTreeSet;

use program::ir::{Binary, Compare, Shift};

use super::types::{ctype, table_entry, value_type};
use super::{expr, helpers};
use crate::writer::expr::Expr;
use crate::writer::helpers::{Helpers, Order};
use crate::writer::language::{Language, Place, Shape};

/// C99, which is C11 and C++11, too.
pub struct C;

const RESERVED: &str = "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return \
short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Bool _Complex bool true false NULL main \
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t memcpy memset abs div exp log pow sin cos tan y0 y1 yn j0 j1 jn gamma index remainder \
alignas ALIGNED KEEP_ORDER SEPARATE class new delete this template private public protected operator namespace using try catch throw friend virtual and or xor not";

impl Language for C {
    fn reserved(&self) -> &'static str {
        RESERVED
    }
    fn has_offsets(&self) -> bool {
        false
    }

    fn number(&self, value: u64) -> Expr {
        expr::number(value)
    }
    fn element(&self, text: String, width: u8, reads: BTreeSet<usize>) -> Expr {
        expr::element(text, width, reads)
    }
    fn table(&self, name: &str, alone: bool) -> String {
        if alone {
            name.to_owned()
        } else {
            format!("tables.{name}")
        }
    }
    fn value(&self, e: &Expr, _width: u8) -> String {
        e.text.clone()
    }
    fn stored(&self, e: &Expr, width: u8) -> String {
        expr::stored(e, width)
    }
    fn index(&self, e: &Expr, _width: u8, mixed: bool, _modulus: Option<u32>) -> String {
        if mixed {
            format!("(int){}", e.tight())
        } else {
            e.index.clone().unwrap_or_else(|| e.text.clone())
        }
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
    fn compare(&self, compare: Compare, a: &Expr, b: &Expr, _width: u8) -> Expr {
        expr::compare(compare, a, b)
    }
    fn select(&self, condition: &Expr, a: &Expr, b: &Expr, width: u8, helpers: &mut Helpers) -> Expr {
        let name = helpers::select(helpers, width);
        Expr::call(&name, &[condition, a, b])
    }
    fn load(&self, place: &Place, index: &str, order: Order, width: u8, helpers: &mut Helpers) -> String {
        format!("{}({})", helpers::load(helpers, width, order), pointer(place, index))
    }
    fn store(&self, place: &Place, index: &str, order: Order, width: u8, helpers: &mut Helpers) -> String {
        format!("{}({}, {{}});", helpers::store(helpers, width, order), pointer(place, index))
    }

    fn head(&self, linkage: &str, name: &str, parameters: &[String], returned: Option<u8>) -> String {
        let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        format!("{linkage}{} {name}({list})", returned.map_or("void", value_type))
    }
    fn word_parameter(&self, name: &str, width: u8) -> String {
        format!("{} {name}", value_type(width))
    }
    fn array_parameter(&self, place: &Place, shape: Shape, written: bool) -> String {
        let constant = if written { "" } else { "const " };
        format!("{constant}{} {}[{}]", ctype(shape.width), place.name, shape.length)
    }
    fn word_result(&self, name: &str, width: u8) -> String {
        format!("{} *{name}", value_type(width))
    }
    fn give(&self, name: &str, value: &str) -> String {
        format!("*{name} = {value};")
    }
    fn receive(&self, name: &str, width: u8) -> (String, String, String) {
        (format!("{} {name};", value_type(width)), format!("&{name}"), name.to_owned())
    }
    fn unused(&self, name: &str) -> Option<String> {
        Some(format!("(void){name};"))
    }
    fn constant(&self, name: &str, width: u8, value: &str) -> String {
        format!("const {} {name} = {value};", value_type(width))
    }
    fn variable(&self, name: &str, width: u8, value: &str) -> String {
        format!("{} {name} = {value};", value_type(width))
    }
    fn array(&self, name: &str, shape: Shape) -> String {
        format!("{} {name}[{}];", ctype(shape.width), shape.length)
    }
    fn copy(&self, to: &Place, from: &Place, shape: Shape) -> String {
        format!("memcpy({}, {}, {} * sizeof({}));", to.name, from.name, shape.length, ctype(shape.width))
    }
    fn constant_array(&self, name: &str, width: u8, entries: &[u64]) -> Option<String> {
        let list: Vec<String> = entries.iter().map(|&entry| table_entry(entry, width)).collect();
        Some(format!("static const {} {name}[{}] = {{ {} }};", ctype(width), entries.len(), list.join(", ")))
    }
    fn comment(&self, text: &str) -> String {
        format!("/* {text} */")
    }
}

fn pointer(place: &Place, index: &str) -> String {
    match index {
        "0" => place.name.clone(),
        _ => format!("{} + {index}", place.name),
    }
}
