//! `byte-orders` and `share-exchanges`: the same is computed, in fewer operations where a better order exists.

use crate::common::bytes;
use crate::common::sampling::sample;
use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, Random};
use program::ir::{OpKind, Program};
use program::passes::run_all;
use program::statistics::statistics;
use program::{parse, verify};
use proptest::prelude::*;

fn passed(text: &str, passes: &[&str]) -> Program {
    let mut program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    run_all(&mut program, passes, &[]).unwrap();
    verify(&program).unwrap_or_else(|e| panic!("{passes:?}: {e}\n{program}"));
    assert_eq!(parse(&program.to_string()).unwrap(), program);
    program
}

/// What a program's cipher makes of some keys and blocks.
fn results(program: &Program, seed: u64) -> Vec<Vec<Value>> {
    let mut random = Random::new(seed ^ 7);
    let mut evaluator = Evaluator::new(program).unwrap();
    let mut one = || {
        let mut bytes = || Value::Array((0..16).map(|_| random.bits() & 0xff).collect());
        let (key, block) = (bytes(), bytes());
        let mut given = evaluator.evaluate("key_schedule", std::slice::from_ref(&key)).unwrap();
        given.push(block);
        evaluator.evaluate("encrypt", &given).unwrap()
    };
    (0..3).map(|_| one()).collect()
}

fn executed(program: &Program, kind: &str) -> u64 {
    statistics(program, "encrypt").unwrap().get(kind).map_or(0, |c| c.executed)
}

proptest! {
    #![proptest_config(sample(4))]

    #[test]
    fn random_byte_programs_compute_the_same(seed: u64) {
        let text = bytes::byte_program(seed);
        let before = results(&passed(&text, &[]), seed);
        for width in ["32", "64"] {
            let orders = format!("byte-orders:width={width},derive=rotations");
            let pack = format!("pack-bytes:width={width},layer=words,derive=rotations");
            prop_assert_eq!(&before, &results(&passed(&text, &["fold", &orders]), seed));
            let after = passed(&text, &["fold", &orders, &pack, "fold", "share-exchanges", "cse", "dce"]);
            prop_assert_eq!(&before, &results(&after, seed), "{}\n{}", text, after);
        }
    }

    #[test]
    fn random_programs_compute_the_same(seed: u64, size in 1usize..100) {
        let program = generate(seed, size);
        let mut after = program.clone();
        run_all(&mut after, &["share-exchanges"], &[]).unwrap();
        verify(&after).unwrap();
        let mut random = Random::new(seed ^ 6);
        let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
        for (n, function) in program.functions.iter().enumerate() {
            let arguments = arguments(&program, n, &mut random);
            let expected = old.evaluate(&function.name, &arguments).unwrap();
            prop_assert_eq!(expected, new.evaluate(&function.name, &arguments).unwrap());
        }
    }
}

/// A small cipher: words multiplied, their bytes permuted, eight rounds of a Feistel network of look-ups.
fn feistel() -> String {
    let mut random = Random::new(3);
    let entries: Vec<String> = (0..256).map(|_| random.below(256).to_string()).collect();
    let mut text = format!("program \"feistel\" {{\n}}\n\ntable @S: u8[256] = [{}]\n\n", entries.join(", "));
    text += "func @key_schedule(%key: u8[16]) -> (u8[8][8]) {\n";
    let load = |n: usize, name: &str| format!("  %{name}{n}: u8 = load %{name}[{n}]\n");
    (0..16).for_each(|n| text += &load(n, "key"));
    text += "  %k: u8[8][8] = array\n";
    for row in 0..8 {
        let from = if row == 0 { "%k".to_owned() } else { format!("%k.{row}") };
        let words: Vec<String> = (0..8).map(|n| format!("%key{}", (3 * n + 5 * row) % 16)).collect();
        text += &format!("  %k.{}: u8[8][8] = store {from}[{row}], {}\n", row + 1, words.join(", "));
    }
    text += "  return %k.8\n}\n\nfunc @encrypt(%k: u8[8][8], %b: u8[16]) -> (u8[16]) {\n";
    (0..16).for_each(|n| text += &load(n, "b"));
    for w in 0..4 {
        let list: Vec<String> = (0..4).rev().map(|n| format!("%b{}", 4 * w + n)).collect();
        text += &format!("  %w{w}: u32 = concat {}\n  %m{w}: u32 = mul %w{w}, 0x12345677\n", list.join(", "));
        (0..4).for_each(|n| text += &format!("  %p{}: u8 = extract %m{w}, {}\n", 4 * w + n, 24 - 8 * n));
    }
    let names = |letter: &str| (0..16).map(|n| format!("%{letter}{n}: u8")).collect::<Vec<_>>().join(", ");
    let init: Vec<String> = (0..16).map(|n| format!("%p{}", 5 * n % 16)).collect();
    text += &format!("  {} = rounds 8 \"i\" from 0 step 1 ({}) {{\n", names("z"), init.join(", "));
    text += &format!("    body 0..7 (%i: index, {}) {{\n", names("x"));
    let keys: Vec<String> = (0..8).map(|n| format!("%rk{n}: u8")).collect();
    text += &format!("      {} = load %k[%i]\n", keys.join(", "));
    for n in 0..8 {
        text += &format!("      %t{n}: u8 = xor %x{}, %rk{n}\n      %s{n}: u8 = lookup @S[%t{n}]\n", 8 + n);
    }
    (0..8).for_each(|n| text += &format!("      %y{n}: u8 = xor %x{n}, %s{}\n", (n + 1) % 8));
    let next: Vec<String> = (8..16).map(|n| format!("%x{n}")).chain((0..8).map(|n| format!("%y{n}"))).collect();
    text += &format!("      yield {}\n    }}\n  }}\n", next.join(", "));
    let output: Vec<String> = (0..16).map(|n| format!("%z{n}")).collect();
    text + &format!("  %out: u8[16] = array {}\n  return %out\n}}\n", output.join(", "))
}

const PACK: [&str; 4] = ["pack-bytes:layer=words", "fold", "cse", "dce"];

#[test]
fn the_order_of_aoki_and_ueda_is_found() {
    let text = feistel();
    let after = passed(&text, &[&["byte-orders"][..], &PACK, &["share-exchanges", "cse", "dce"]].concat());
    let before = passed(&text, &PACK);
    assert_eq!(results(&before, 1), results(&after, 1));
    // Two masks and six exclusive ors make the four words, instead of sixteen bytes put together.
    assert_eq!((executed(&before, "concat"), executed(&after, "concat")), (8, 4), "{after}");
    assert_eq!((executed(&before, "and"), executed(&after, "and")), (0, 2), "{after}");
    // Two words take bytes of the first and the third, or of the second and the fourth product only.
    let mut ordered = parse(&text).unwrap();
    run_all(&mut ordered, &["byte-orders"], &[]).unwrap();
    let function = ordered.functions.iter().find(|f| f.name == "encrypt").unwrap();
    let carried = function.body.ops.iter().find_map(|op| op.kind.as_loop()).unwrap();
    let from = |n: usize| function.values[as_value(&carried.init[n])].name[1..].parse::<usize>().unwrap();
    for word in 0..4 {
        let mut words: Vec<usize> = (4 * word..4 * word + 4).map(|n| from(n) / 4).collect();
        words.sort_unstable();
        words.dedup();
        assert!(words == [0, 2] || words == [1, 3], "{ordered}");
        (0..4).for_each(|lane| assert_eq!(from(4 * word + lane) % 4, 3 - lane));
    }
}

fn as_value(operand: &program::ir::Operand) -> usize {
    match operand {
        program::ir::Operand::Value(v) => v.0 as usize,
        program::ir::Operand::Const(_) => panic!("a number"),
    }
}

#[test]
fn what_was_found_is_noted() {
    let after = passed(&feistel(), &["byte-orders"]);
    let facts: Vec<&str> = after.meta.iter().map(|m| m.0.as_str()).collect();
    assert_eq!(facts, ["byte_orders", "byte_order", "byte_order"]);
    assert!(after.meta[0].1.ends_with("; 1 of 1 classes of bytes exhausted"), "{}", after.meta[0].1);
    assert!(after.meta[1].1.starts_with("rows 0 to 7: "), "{}", after.meta[1].1);
    assert!(after.meta[2].1.starts_with("carried by a loop of @encrypt: "), "{}", after.meta[2].1);
}

#[test]
fn a_second_run_finds_nothing_more() {
    let once = passed(&feistel(), &["byte-orders"]);
    let twice = passed(&feistel(), &["byte-orders", "byte-orders"]);
    assert_eq!(once, twice);
}

#[test]
fn a_program_without_bytes_stays() {
    let text = "program \"t\" {\n}\n\nfunc @encrypt(%x: u32) -> (u32) {\n  %y: u32 = rotl %x, 8\n  return %y\n}\n";
    assert_eq!(passed(text, &["byte-orders"]), passed(text, &[]));
}

#[test]
fn words_that_change_parts_share_their_difference() {
    let text = "program \"t\" {\n}\n\nfunc @f(%a: u32, %b: u32) -> (u32, u32) {\n  %1: u32 = and %a, 0xff0000ff\n  \
                %2: u32 = and %b, 0xffff00\n  %c: u32 = xor %1, %2\n  %3: u32 = and %b, 0xff0000ff\n  \
                %4: u32 = and %a, 0xffff00\n  %d: u32 = or %3, %4\n  return %c, %d\n}\n";
    let after = passed(text, &["share-exchanges"]);
    let kinds: Vec<&str> = after.functions[0].body.ops.iter().map(|op| op.kind.mnemonic()).collect();
    assert_eq!(kinds, ["xor", "and", "xor", "xor"]);
    let given = [Value::Word(0x1234_5678), Value::Word(0x9abc_def0)];
    let run = |program: &Program| Evaluator::new(program).unwrap().evaluate("f", &given).unwrap();
    assert_eq!(run(&after), [Value::Word(0x12bc_de78), Value::Word(0x9a34_56f0)]);
    assert_eq!(run(&after), run(&parse(text).unwrap()));
}

#[test]
fn a_word_made_alone_stays() {
    let text = "program \"t\" {\n}\n\nfunc @f(%a: u32, %b: u32) -> (u32) {\n  %1: u32 = and %a, 0xff0000ff\n  \
                %2: u32 = and %b, 0xffff00\n  %c: u32 = xor %1, %2\n  return %c\n}\n";
    assert_eq!(passed(text, &["share-exchanges"]), passed(text, &[]));
}

/// A product whose second word is the first turned: y = (A + B, turned A + B).
#[test]
fn a_second_word_is_made_from_the_first_ones_lookups() {
    let mut text = String::from("program \"t\" {\n}\n\nmatrix @M: gf(0x11b) = [\n");
    let rows = ["01111110", "10110111", "11011011", "11101101", "01110011", "10111001", "11011100", "11100110"];
    let row = |r: &str| format!("[{}]", r.chars().map(String::from).collect::<Vec<_>>().join(", "));
    text += &rows.map(row).join(",\n");
    text += "\n]\n\nfunc @f(%x: u32, %y: u32) -> (u32, u32) {\n";
    for n in 0..8 {
        text += &format!("  %b{n}: u8 = extract %{}, {}\n", if n < 4 { "x" } else { "y" }, 8 * (n % 4));
    }
    let list = |c: &str, ty: &str| (0..8).map(|n| format!("%{c}{n}{ty}")).collect::<Vec<_>>();
    text += &format!("  {} = linear @M {}\n", list("z", ": u8").join(", "), list("b", "").join(", "));
    text += "  %p: u32 = concat %z0, %z1, %z2, %z3\n  %q: u32 = concat %z4, %z5, %z6, %z7\n  return %p, %q\n}\n";
    let after = passed(&text, &["pack-bytes:derive=rotations", "cse", "dce"]);
    let count = |kind: &str| statistics(&after, "f").unwrap().get(kind).map_or(0, |c| c.executed);
    assert_eq!((count("lookup"), count("xor"), count("rotl")), (8, 8, 1), "{after}");
    let given = [Value::Word(0x0123_4567), Value::Word(0x89ab_cdef)];
    let run = |program: &Program| Evaluator::new(program).unwrap().evaluate("f", &given).unwrap();
    assert_eq!(run(&after), run(&parse(&text).unwrap()));
    let plain = passed(&text, &["pack-bytes", "cse", "dce"]);
    let lookups = plain.functions[0].body.ops.iter().filter(|op| matches!(op.kind, OpKind::Lookup(..))).count();
    assert_eq!(lookups, 12, "four look-ups serve both words as they are");
}

#[test]
fn wrong_options_are_refused() {
    let mut program = parse(&feistel()).unwrap();
    let mut error = |text: &str| run_all(&mut program, &[text], &[]).unwrap_err().to_string();
    assert_eq!(
        error("byte-orders:width=16"),
        "error[S013]: the option `width` of a pass cannot be `16`\n   = help: known: 32, 64"
    );
    assert_eq!(
        error("byte-orders:derive=masks"),
        "error[S013]: the option `derive` of a pass cannot be `masks`\n   = help: known: none, rotations"
    );
    assert_eq!(
        error("byte-orders:tables=full"),
        "error[S014]: the pass `byte-orders` has no option `tables`\n   = help: known: function, width, derive"
    );
}
