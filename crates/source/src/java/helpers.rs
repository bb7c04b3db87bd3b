//! Small static methods of the emitted class: loads, stores, rotations of narrow words, selection.

use program::ir::Shift;

use super::types::{literal, memory_type, value_type};
use crate::writer::helpers::{Helpers, Order};
use crate::writer::words::{is_narrow, ones, value_bits};

fn method(result: &str, name: &str, parameters: &str, lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!("        {line}\n")).collect();
    format!("    private static {result} {name}({parameters}) {{\n{body}    }}\n")
}

/// Rotation of a narrow word; the amount is taken modulo the width.
pub fn rotate(helpers: &mut Helpers, shift: Shift, width: u8) -> String {
    let (word, left) = (value_type(width), shift == Shift::Rotl);
    let name = format!("{}{width}", if left { "rotl" } else { "rotr" });
    let (there, back) = if left { ("<<", ">>>") } else { (">>>", "<<") };
    let mask = literal(ones(width), width);
    let lines = [
        format!("int by = Integer.remainderUnsigned(n, {width});"),
        format!("return (x {there} by | x {back} ({width} - by)) & {mask};"),
    ];
    helpers.add(name.clone(), method(word, &name, &format!("{word} x, int n"), &lines))
}

/// Shift by a word: 0 from the width on, without a branch.
pub fn variable_shift(helpers: &mut Helpers, shift: Shift, width: u8) -> String {
    let (name, operator) = match shift {
        Shift::Shl => (format!("shl{width}"), "<<"),
        _ => (format!("shr{width}"), ">>>"),
    };
    let word = value_type(width);
    let kept = if word == "int" { "(int) kept" } else { "kept" };
    let mask = if is_narrow(width) { format!(" & {}", literal(ones(width), width)) } else { String::new() };
    let lines = [
        "long high = n >>> 6;".to_owned(),
        format!("long kept = (((n & 63) - {width}) & ~(high | -high)) >> 63;"),
        format!("return (x {operator} (int) n) & {kept}{mask};"),
    ];
    helpers.add(name.clone(), method(word, &name, &format!("{word} x, long n"), &lines))
}

/// `a` if the condition is 1, else `b`, without a branch.
pub fn select(helpers: &mut Helpers, width: u8) -> String {
    let (word, name) = (value_type(width), format!("select{}", value_bits(width)));
    let condition = if word == "int" { "condition" } else { "(long) condition" };
    let lines = [format!("return ((a ^ b) & -{condition}) ^ b;")];
    helpers.add(name.clone(), method(word, &name, &format!("int condition, {word} a, {word} b"), &lines))
}

/// A word from bytes in memory.
pub fn load(helpers: &mut Helpers, width: u8, order: Order) -> String {
    let (word, name) = (value_type(width), format!("load{width}_{}", order.suffix()));
    let read = match width {
        8 => "p[n] & 0xff".to_owned(),
        16 => format!("(short) {}.get(p, n) & 0xffff", words(helpers, width, order)),
        _ => format!("({word}) {}.get(p, n)", words(helpers, width, order)),
    };
    helpers.add(name.clone(), method(word, &name, "byte[] p, int n", &[format!("return {read};")]))
}

/// The bytes of a word to memory.
pub fn store(helpers: &mut Helpers, width: u8, order: Order) -> String {
    let (word, name) = (value_type(width), format!("store{width}_{}", order.suffix()));
    let write = match width {
        8 => "p[n] = (byte) x;".to_owned(),
        16 => format!("{}.set(p, n, (short) x);", words(helpers, width, order)),
        _ => format!("{}.set(p, n, x);", words(helpers, width, order)),
    };
    helpers.add(name.clone(), method("void", &name, &format!("byte[] p, int n, {word} x"), &[write]))
}

/// The view of byte arrays as words, which the just-in-time compiler makes one access of.
fn words(helpers: &mut Helpers, width: u8, order: Order) -> String {
    let name = format!("WORDS{width}_{}", order.suffix().to_uppercase());
    let array = memory_type(width);
    let order = match order {
        Order::Little => "LITTLE_ENDIAN",
        Order::Big => "BIG_ENDIAN",
    };
    let text = format!(
        "    private static final VarHandle {name} =\n        \
         MethodHandles.byteArrayViewVarHandle({array}[].class, ByteOrder.{order});\n"
    );
    helpers.add(name, text)
}
