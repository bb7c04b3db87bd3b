//! The shared function computes what its alternatives compute, with fewer operators.

use program::evaluate::{Evaluator, Value};
use program::ir::{Function, Program};

use super::{operators, share, Alternative, ResultSource, Source};

const TABLES: &str = "table @S: u8[4] = [1, 3, 0, 2]\ntable @T: u8[4] = [2, 3, 1, 0]\ntable @U: u8[4] = [0, 1, 3, 2]\n\
    table @V: u8[4] = [3, 0, 2, 1]\ntable @low: u8[2] = [1, 3]\ntable @high: u8[2] = [0, 2]\n";

/// Merges functions of two 32-bit words, checks the shared function on some words, and gives it with its program.
fn shared(bodies: &[&str]) -> (Program, Function) {
    let mut text = format!("program \"t\" {{\n}}\n\n{TABLES}");
    for (n, body) in bodies.iter().enumerate() {
        text.push_str(&format!("\nfunc @f{n}(%x: u32, %y: u32) -> (u32) {{\n{body}\n  return %r\n}}\n"));
    }
    let mut program = program::parse(&text).unwrap_or_else(|e| panic!("{e:?}"));
    let inputs = [("x".to_owned(), 32), ("y".to_owned(), 32)];
    let alternatives: Vec<Alternative> = program
        .functions
        .iter()
        .map(|function| Alternative {
            function,
            arguments: vec![Source::Input(0), Source::Input(1)],
            results: vec![ResultSource::Result(0)],
        })
        .collect();
    let function = share(&program, "shared", &inputs, &[32], &alternatives).unwrap();
    program.functions.push(function.clone());
    program::verify(&program).unwrap_or_else(|e| panic!("{e:?}"));
    let mut evaluator = Evaluator::new(&program).unwrap();
    for mode in 0..bodies.len() {
        for k in 0..20u64 {
            let words =
                [k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32, (k + 7).wrapping_mul(0xc2b2_ae3d_27d4_eb4f) >> 32];
            let words: Vec<Value> = words.iter().map(|&w| Value::Word(w)).collect();
            let selectors: Vec<Value> = match bodies.len() {
                2 => vec![Value::Word(mode as u64)],
                n => (0..n).map(|m| Value::Word(u64::from(m == mode))).collect(),
            };
            let wanted = evaluator.evaluate(&format!("f{mode}"), &words).unwrap();
            let found = evaluator.evaluate("shared", &[selectors, words].concat()).unwrap();
            assert_eq!(found, wanted, "alternative {mode}\n{program}");
        }
    }
    (program, function)
}

fn count(bodies: &[&str], kind: &str) -> usize {
    let (program, function) = shared(bodies);
    operators(&program, &function).get(kind).copied().unwrap_or(0)
}

#[test]
fn equal_operators_are_one() {
    let bodies = ["%r: u32 = mul %x, %y", "%r: u32 = mul %y, %x"];
    assert_eq!((count(&bodies, "mul"), count(&bodies, "select")), (1, 0));
}

#[test]
fn a_multiplier_is_shared_with_chosen_inputs() {
    let bodies = ["%a: u32 = mul %x, %x\n%r: u32 = rotl %a, 5", "%a: u32 = mul %y, %y\n%r: u32 = rotl %a, 5"];
    assert_eq!((count(&bodies, "mul"), count(&bodies, "select")), (1, 1));
}

#[test]
fn sum_and_difference_are_one_adder() {
    assert_eq!(count(&["%r: u32 = add %x, %y", "%r: u32 = sub %x, %y"], "add"), 1);
    assert_eq!(count(&["%r: u32 = add %x, %y", "%r: u32 = sub %y, %x", "%r: u32 = sub 5, %y"], "add"), 1);
}

#[test]
fn rotations_of_both_directions_are_one() {
    assert_eq!(count(&["%r: u32 = rotl %x, %y", "%r: u32 = rotr %x, %y", "%r: u32 = rotr %y, %x"], "rotate"), 1);
}

#[test]
fn no_loop_arises() {
    // One alternative multiplies before it looks at the sum, the other after it.
    let bodies = ["%p: u32 = mul %x, %y\n%r: u32 = add %p, %y", "%s: u32 = add %x, %y\n%r: u32 = mul %s, %y"];
    assert_eq!((count(&bodies, "mul"), count(&bodies, "add")), (1, 2));
}

#[test]
fn what_saves_less_than_a_multiplexer_stays() {
    let bodies = ["%a: u32 = xor %x, 1\n%b: u32 = mul %a, %y\n%r: u32 = and %x, %b", "%r: u32 = not %y"];
    assert_eq!((count(&bodies, "mul"), count(&bodies, "and"), count(&bodies, "select")), (1, 1, 1));
}

#[test]
fn a_table_is_looked_up_in_its_halves() {
    let part = |table: &str, width: u8| {
        format!("%a: u{width} = extract %x, 0\n%b: u8 = lookup @{table}[%a]\n%r: u32 = zext %b")
    };
    let bodies = [part("S", 2), part("low", 1), part("high", 1)];
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let found = |kind: &str| count(&bodies, kind);
    assert_eq!((found("lookup S"), found("lookup low"), found("lookup high")), (0, 1, 1));
}

#[test]
fn a_single_function_is_not_shared() {
    let program = Program::default();
    assert!(share(&program, "shared", &[], &[], &[]).is_none());
}

/// A table, then a layer of operators.
fn layer(table: &str) -> String {
    let half = |from: u8, name: &str| {
        format!("%{name}0: u2 = extract %x, {from}\n%{name}1: u8 = lookup @{table}[%{name}0]\n%{name}: u32 = zext %{name}1\n")
    };
    let mix = "%c: u32 = xor %a, %b\n%d: u32 = rotl %c, 3\n%e: u32 = xor %d, %b\n%f: u32 = shl %e, 7\n\
        %g: u32 = xor %f, %c\n%h: u32 = rotl %g, 11\n%r: u32 = xor %h, %e";
    format!("{}{}{mix}", half(0, "a"), half(8, "b"))
}

#[test]
fn what_several_have_behind_them_is_one() {
    let bodies = [layer("S"), layer("T"), layer("U"), layer("V")];
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_eq!(count(&bodies, "xor"), 4);
}
