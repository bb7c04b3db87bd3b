//! Small inline functions of the emitted C: loads, stores, rotations, selection.

use program::ir::Shift;

use super::types::{literal, value_type};
use crate::writer::helpers::{wrapped, Helpers, Order};
use crate::writer::words::{is_narrow, ones, value_bits};

/// Rotation of a word; the amount is taken modulo the width. Compilers know rotations of whole types as such: words of 8 and 16 bits are
/// turned in theirs.
pub fn rotate(helpers: &mut Helpers, shift: Shift, width: u8) -> String {
    let (word, left) = (value_type(width), shift == Shift::Rotl);
    let name = format!("{}{width}", if left { "rotl" } else { "rotr" });
    let (there, back) = if left { ("<<", ">>") } else { (">>", "<<") };
    let value = if matches!(width, 8 | 16) {
        let own = format!("uint{width}_t");
        let x = format!("({own})x");
        format!("({own})(({x} {there} (n % {width})) | ({x} {back} ({width} - n % {width})))")
    } else if is_narrow(width) {
        let mask = literal(ones(width));
        format!("((x {there} (n % {width})) | (x {back} ({width} - n % {width}))) & {mask}")
    } else {
        let mask = width - 1;
        format!("(x {there} (n & {mask})) | (x {back} (({width} - n) & {mask}))")
    };
    let text = format!("static inline {word} {name}({word} x, uint32_t n)\n{{\n    return {value};\n}}\n");
    helpers.add(name, text)
}

/// Shift by a word (0 from the width on) or rotation by a word.
pub fn variable_shift(helpers: &mut Helpers, shift: Shift, width: u8) -> String {
    let operator = match shift {
        Shift::Shl => "<<",
        Shift::Shr => ">>",
        _ => return rotate(helpers, shift, width),
    };
    let (word, name) = (value_type(width), format!("{}{width}", if shift == Shift::Shl { "shl" } else { "shr" }));
    let limit = value_bits(width) - 1;
    let mask = if is_narrow(width) { format!(" & {}", literal(ones(width))) } else { String::new() };
    let text = format!(
        "static inline {word} {name}({word} x, uint64_t n)\n{{\n    return (x {operator} (n & {limit})) & (0 - ({word})(n < {width})){mask};\n}}\n"
    );
    helpers.add(name, text)
}

/// `a` if the condition is 1, else `b`, without a branch.
pub fn select(helpers: &mut Helpers, width: u8) -> String {
    let (word, name) = (value_type(width), format!("select{}", value_bits(width)));
    let text = format!(
        "static inline {word} {name}(uint32_t condition, {word} a, {word} b)\n{{\n    return ((a ^ b) & (0 - ({word})condition)) ^ b;\n}}\n"
    );
    let text = if word == "uint32_t" { text.replace("(uint32_t)condition", "condition") } else { text };
    helpers.add(name, text)
}

/// A word from bytes in memory.
pub fn load(helpers: &mut Helpers, width: u8, order: Order) -> String {
    let (word, name) = (value_type(width), format!("load{width}_{}", order.suffix()));
    let bytes: Vec<String> = (0..width / 8).map(|n| byte_in(n, width, order, word)).collect();
    let value = bytes.join(" | ");
    let text = format!("static inline {word} {name}(const uint8_t *p)\n{{\n    return {value};\n}}\n");
    helpers.add(name, wrapped(&text, " | ", "          "))
}

/// The bytes of a word to memory.
pub fn store(helpers: &mut Helpers, width: u8, order: Order) -> String {
    let (word, name) = (value_type(width), format!("store{width}_{}", order.suffix()));
    let statements: Vec<String> = (0..width / 8)
        .map(|n| match 8 * order.significance(n, width) {
            0 => format!("    p[{n}] = (uint8_t)x;\n"),
            shift => format!("    p[{n}] = (uint8_t)(x >> {shift});\n"),
        })
        .collect();
    let text = format!("static inline void {name}(uint8_t *p, {word} x)\n{{\n{}}}\n", statements.concat());
    helpers.add(name, text)
}

fn byte_in(byte: u8, width: u8, order: Order, word: &str) -> String {
    let cast = format!("({word})");
    match 8 * order.significance(byte, width) {
        0 => format!("{cast}p[{byte}]"),
        shift => format!("{cast}p[{byte}] << {shift}"),
    }
}
