//! GF((2^4)^2): elements `16 h + l` stand for h t + l with t^2 = t + lambda over GF(2)[z] / (z^4 + z + 1).

use std::fmt::Write;

use super::detect::{Affine, Form};
use crate::semantics::field_multiply;

const SMALL: u64 = 0x13;

fn small(a: u64, b: u64) -> u64 {
    field_multiply(SMALL, a, b)
}

/// The first number for which t^2 + t + lambda has no root.
fn lambda() -> u64 {
    (1..16).find(|&l| (0..16).all(|a| small(a, a) ^ a != l)).unwrap_or(1)
}

fn multiply(a: u64, b: u64) -> u64 {
    let ((h, l), (i, m)) = ((a >> 4, a & 15), (b >> 4, b & 15));
    let both = small(h, i);
    (both ^ small(h, m) ^ small(l, i)) << 4 | small(l, m) ^ small(lambda(), both)
}

/// The maps from the field of a polynomial: images of x^0 to x^7, one list for each root of the polynomial.
pub(super) fn isomorphisms(polynomial: u64) -> Vec<[u64; 8]> {
    let powers = |r: u64| {
        let mut power = 1;
        std::array::from_fn::<u64, 9, _>(|_| {
            let next = multiply(power, r);
            std::mem::replace(&mut power, next)
        })
    };
    let root =
        |powers: &[u64; 9]| (0..9).filter(|k| polynomial >> k & 1 == 1).fold(0, |sum, k: usize| sum ^ powers[k]) == 0;
    let lists = (2..256).map(powers).filter(root);
    lists.map(|powers| std::array::from_fn(|k| powers[k])).collect()
}

/// The text of a program with a function for each form.
pub(super) fn program<'a>(forms: impl Iterator<Item = (&'a str, &'a Form)>) -> String {
    let inverse: Vec<u64> = (0..16).map(|x| (0..16).find(|&y| small(x, y) == 1).unwrap_or(0)).collect();
    let mut heads = format!("program \"tower\" {{\n}}\n\nbox @inverse_in_16: 4 -> 4 = {inverse:?}\n");
    let mut functions = inversion();
    for (name, form) in forms {
        for (what, map) in [("to", &form.input), ("from", &form.output)] {
            let row = |bit: usize| map.columns.iter().map(|c| c >> bit & 1).collect::<Vec<u64>>();
            let rows: Vec<Vec<u64>> = (0..8).map(row).collect();
            let _ = writeln!(heads, "matrix @{name}_{what}: gf(0x3) = {rows:?}");
        }
        functions.push_str(&around(name, form));
    }
    heads + &functions
}

fn bits(name: &str) -> String {
    (0..8).map(|k| format!("%{name}{k}")).collect::<Vec<_>>().join(", ")
}

fn typed(name: &str) -> String {
    (0..8).map(|k| format!("%{name}{k}: u1")).collect::<Vec<_>>().join(", ")
}

/// Maps and arithmetic around inversion.
fn around(name: &str, form: &Form) -> String {
    let mut text = format!("\nfunc @{name}(%x: u8) -> (u8) {{\n");
    for k in 0..8 {
        let _ = writeln!(text, "  %a{k}: u1 = extract %x, {k}");
    }
    let _ = writeln!(text, "  {} = linear @{name}_to {}", typed("b"), bits("a"));
    added(&mut text, &form.input, "b", "c");
    let _ = writeln!(text, "  {} = call @inverse_in_256({})", typed("d"), bits("c"));
    let _ = writeln!(text, "  {} = linear @{name}_from {}", typed("e"), bits("d"));
    added(&mut text, &form.output, "e", "f");
    let _ = writeln!(text, "  %y: u8 = concat {}", bits("f"));
    let mut last = "y";
    for (op, number, neutral) in [("mul", form.factor, 1), ("add", form.term, 0)] {
        if number != neutral {
            let _ = writeln!(text, "  %{op}: u8 = {op} %{last}, {number}");
            last = op;
        }
    }
    let _ = writeln!(text, "  return %{last}\n}}");
    text
}

fn added(text: &mut String, map: &Affine, from: &str, to: &str) {
    for k in 0..8 {
        let _ = writeln!(text, "  %{to}{k}: u1 = xor %{from}{k}, {}", map.constant >> k & 1);
    }
}

/// Inversion, bits of l then bits of h: with the norm d = lambda h^2 + l (h + l), it is (h / d) t + (h + l) / d.
fn inversion() -> String {
    let types = ["u1"; 8].join(", ");
    let mut text = format!("\nfunc @inverse_in_256({}) -> ({types}) {{\n", typed("x"));
    let four = |name: &str, from: usize| -> Vec<String> { (from..from + 4).map(|k| format!("%{name}{k}")).collect() };
    let (l, h) = (four("x", 0), four("x", 4));
    for k in 0..4 {
        let _ = writeln!(text, "  %s{k}: u1 = xor {}, {}", l[k], h[k]);
    }
    let s = four("s", 0);
    product(&mut text, "p", &l, &s);
    for k in 0..4 {
        // lambda h^2 is linear in h.
        let terms = (0..4).filter(|&j| small(lambda(), small(1 << j, 1 << j)) >> k & 1 == 1).map(|j| h[j].clone());
        let terms: Vec<String> = terms.chain([format!("%p{k}")]).collect();
        sum(&mut text, &format!("d{k}"), &terms);
    }
    let inverse = four("e", 0);
    let results: Vec<String> = inverse.iter().map(|bit| format!("{bit}: u1")).collect();
    let _ = writeln!(text, "  {} = bitsliced @inverse_in_16 {}", results.join(", "), four("d", 0).join(", "));
    product(&mut text, "low", &s, &inverse);
    product(&mut text, "high", &h, &inverse);
    let _ = writeln!(text, "  return {}, {}\n}}", four("low", 0).join(", "), four("high", 0).join(", "));
    text
}

/// A sum of bits under a name.
fn sum(text: &mut String, name: &str, terms: &[String]) {
    let mut last = terms[0].clone();
    for (n, term) in terms.iter().enumerate().skip(1) {
        let made = if n + 1 == terms.len() { name.to_owned() } else { format!("{name}_{n}") };
        let _ = writeln!(text, "  %{made}: u1 = xor {last}, {term}");
        last = format!("%{made}");
    }
    if terms.len() == 1 {
        let _ = writeln!(text, "  %{name}: u1 = xor {last}, 0");
    }
}

/// A product of four bits by four: the bits of equal weight first, then those above z^3 folded down.
fn product(text: &mut String, name: &str, a: &[String], b: &[String]) {
    for weight in 0..7 {
        let mut terms = Vec::new();
        for (i, a) in a.iter().enumerate() {
            if let Some(j) = usize::checked_sub(weight, i).filter(|j| *j < 4) {
                let _ = writeln!(text, "  %{name}_{i}{j}: u1 = and {a}, {}", b[j]);
                terms.push(format!("%{name}_{i}{j}"));
            }
        }
        sum(text, &format!("{name}_weight{weight}"), &terms);
    }
    for k in 0..4 {
        let weights = (0..7).filter(|&w| small(1 << (w / 2), 1 << (w - w / 2)) >> k & 1 == 1);
        let terms: Vec<String> = weights.map(|w| format!("%{name}_weight{w}")).collect();
        sum(text, &format!("{name}{k}"), &terms);
    }
}
