//! `merge-lookups` and `swap-bits` of small programs: what is made, and that it computes the same for all inputs.

use program::evaluate::{Evaluator, Value};
use program::ir::Program;
use program::passes::run_all;
use program::{parse, verify};

/// Four S-boxes of 4 bits on a word of 16 bits, a permutation of the bits behind them, a second word added.
const LAYER: &str = "program \"layer\" {
}

table @S: u4[16] = [
  0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2
]

func @f(%x: u16, %k: u16) -> (u16) {
  %a: u4 = extract %x, 0
  %b: u4 = extract %x, 4
  %c: u4 = extract %x, 8
  %d: u4 = extract %x, 12
  %sa: u4 = lookup @S[%a]
  %sb: u4 = lookup @S[%b]
  %sc: u4 = lookup @S[%c]
  %sd: u4 = lookup @S[%d]
  %y: u16 = concat %sd, %sa, %sc, %sb
  %z: u16 = rotl %y, 3
  %m: u16 = and %z, 0xff7f
  %n: u16 = not %m
  %r: u16 = xor %n, %k
  return %r
}
";

fn after(text: &str, passes: &[&str]) -> (Program, Program) {
    let before = parse(text).unwrap();
    let mut program = before.clone();
    run_all(&mut program, passes, &[]).unwrap();
    verify(&program).unwrap();
    (before, program)
}

fn same(before: &Program, after: &Program, inputs: &[Vec<u64>]) {
    let (mut old, mut new) = (Evaluator::new(before).unwrap(), Evaluator::new(after).unwrap());
    for words in inputs {
        let arguments: Vec<Value> = words.iter().map(|&w| Value::Word(w)).collect();
        assert_eq!(
            old.evaluate("f", &arguments).unwrap(),
            new.evaluate("f", &arguments).unwrap(),
            "{words:?}\n{after}"
        );
    }
}

fn count(program: &Program, word: &str) -> usize {
    program.to_string().matches(word).count()
}

#[test]
fn a_layer_becomes_two_look_ups_of_whole_words() {
    let (before, found) = after(LAYER, &["merge-lookups"]);
    assert_eq!((count(&found, "lookup"), count(&found, "rotl"), count(&found, "concat")), (2, 0, 0), "{found}");
    assert_eq!(found.tables.iter().map(|t| (t.width, t.data.len())).collect::<Vec<_>>(), [(16, 256), (16, 256)]);
    let inputs: Vec<Vec<u64>> = (0..0x1_0000).map(|x| vec![x, (x * 0x9e5) & 0xffff]).collect();
    same(&before, &found, &inputs);
}

#[test]
fn tables_larger_than_allowed_are_not_made() {
    let (_, found) = after(LAYER, &["merge-lookups:table=16"]);
    assert_eq!(found.to_string(), parse(LAYER).unwrap().to_string());
    let (_, found) = after(LAYER, &["merge-lookups:limit=600"]);
    assert_eq!(found.tables.len(), 2, "{found}");
}

#[test]
fn a_word_that_is_read_otherwise_is_made() {
    let text = LAYER.replace("return %r", "%t: u16 = add %y, %r\n  return %t");
    let (before, found) = after(&text, &["merge-lookups"]);
    assert_eq!(count(&found, "rotl"), 1, "{found}");
    same(&before, &found, &(0..0x1_0000).map(|x| vec![x, (7 * x) & 0xffff]).collect::<Vec<_>>());
}

#[test]
fn an_index_in_another_order_takes_the_field() {
    let text = "program \"order\" {
}

table @S: u4[16] = [
  0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2
]

func @f(%x: u8, %k: u8) -> (u8) {
  %a: u2 = extract %x, 3
  %b: u2 = extract %x, 1
  %w: u4 = concat %a, %b
  %c: u2 = extract %k, 3
  %d: u2 = extract %k, 1
  %v: u4 = concat %c, %d
  %i: u4 = xor %w, %v
  %s: u4 = lookup @S[%i]
  %z: u8 = zext %s
  %r: u8 = shl %z, 2
  return %r
}
";
    let (before, found) = after(text, &["merge-lookups"]);
    assert_eq!((count(&found, "concat"), count(&found, "extract"), count(&found, "lookup")), (0, 2, 1), "{found}");
    same(&before, &found, &(0..0x1_0000).map(|n| vec![n & 0xff, n >> 8]).collect::<Vec<_>>());
}

#[test]
fn a_transposition_of_bits_becomes_exchanges() {
    let bits: Vec<String> = (0..16).map(|i| format!("  %b{i}: u1 = extract %x, {}", (i % 4 * 4 + i / 4) ^ 5)).collect();
    let names: Vec<String> = (0..16).map(|i| format!("%b{i}")).collect();
    let text = format!(
        "program \"bits\" {{\n}}\n\nfunc @f(%x: u16) -> (u16) {{\n{}\n  %r: u16 = concat {}\n  return %r\n}}\n",
        bits.join("\n"),
        names.join(", ")
    );
    let (before, found) = after(&text, &["swap-bits"]);
    assert_eq!((count(&found, "concat"), count(&found, "extract")), (0, 0), "{found}");
    same(&before, &found, &(0..0x1_0000).map(|x| vec![x]).collect::<Vec<_>>());
}
