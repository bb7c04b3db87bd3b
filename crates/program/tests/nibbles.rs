//! `pair-nibbles` and `byte-exchanges` of small ciphers: bytes instead of words of four bits, and the same results.

use program::evaluate::{Evaluator, Value};
use program::ir::{OpKind, Program, Shift, Type};
use program::passes::run_all;
use program::walk::for_each_op;
use program::{parse, verify};

use program::generate::Random;

const BOX: [u64; 16] = [0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2];
const COUNT: usize = 16;

/// A cipher of 16 words of four bits: S-boxes, round keys, a permutation of the bits or of the words.
fn cipher(bits: &dyn Fn(usize) -> usize) -> Program {
    let list = |name: &str| (0..COUNT).map(|n| format!("%{name}{n}")).collect::<Vec<_>>().join(", ");
    let typed = |name: &str| (0..COUNT).map(|n| format!("%{name}{n}: u4")).collect::<Vec<_>>().join(", ");
    let table: Vec<String> = BOX.iter().map(u64::to_string).collect();
    let mut text = format!("program \"p\" {{\n}}\ntable @S: u4[16] = [{}]\n", table.join(", "));
    text += "func @key_schedule(%key: u8[40]) -> (u4[5][16]) {\n";
    for n in 0..40 {
        text += &format!("  %x{n}: u8 = load %key[{n}]\n  %k{}: u4 = extract %x{n}, 0\n", 2 * n);
        text += &format!("  %k{}: u4 = extract %x{n}, 4\n", 2 * n + 1);
    }
    let keys: Vec<String> = (0..80).map(|n| format!("%k{n}")).collect();
    text += &format!("  %K: u4[5][16] = array {}\n  return %K\n}}\n", keys.join(", "));
    text += "func @encrypt(%K: u4[5][16], %block: u8[8]) -> (u8[8]) {\n";
    for n in 0..8 {
        text += &format!("  %x{n}: u8 = load %block[{n}]\n  %a{}: u4 = extract %x{n}, 0\n", 2 * n);
        text += &format!("  %a{}: u4 = extract %x{n}, 4\n", 2 * n + 1);
    }
    text += &format!("  {} = rounds 5 \"r\" from 0 step 1 ({}) {{\n", typed("z"), list("a"));
    text += &format!("    body 0..4 (%r: index, {}) {{\n      {} = load %K[%r]\n", typed("c"), typed("k"));
    for n in 0..COUNT {
        text += &format!("      %s{n}: u4 = lookup @S[%c{n}]\n");
    }
    for n in 0..4 * COUNT {
        text += &format!("      %b{n}: u1 = extract %s{}, {}\n", n / 4, n % 4);
    }
    for n in 0..COUNT {
        let of: Vec<String> = (0..4).map(|bit| format!("%b{}", bits(4 * n + bit))).collect();
        text += &format!("      %p{n}: u4 = concat {}\n      %q{n}: u4 = xor %p{n}, %k{n}\n", of.join(", "));
    }
    text += &format!("      yield {}\n    }}\n  }}\n", list("q"));
    for n in 0..8 {
        text += &format!("  %y{n}: u8 = concat %z{}, %z{}\n", 2 * n, 2 * n + 1);
    }
    text += "  %out: u8[8] = array %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7\n  return %out\n}\n";
    parse(&text).unwrap()
}

const PASSES: [&str; 5] = ["pair-nibbles", "fold", "byte-exchanges", "merge-lookups:only=joined,fields=any", "dce"];

fn count(program: &Program, wanted: &dyn Fn(&OpKind) -> bool) -> usize {
    let mut found = 0;
    for_each_op(&program.functions[1].body, &mut |op| found += usize::from(wanted(&op.kind)));
    found
}

fn same(before: &Program, after: &Program) {
    let mut random = Random::new(7);
    for _ in 0..50 {
        let mut bytes = |count: usize| Value::Array((0..count).map(|_| random.word(8)).collect::<Vec<u64>>());
        let (key, block) = (bytes(40), bytes(8));
        let encrypted = |program: &Program| {
            let mut evaluator = Evaluator::new(program).unwrap();
            let mut arguments = evaluator.evaluate("key_schedule", std::slice::from_ref(&key)).unwrap();
            arguments.push(block.clone());
            evaluator.evaluate("encrypt", &arguments).unwrap()
        };
        assert_eq!(encrypted(before), encrypted(after), "{after}");
    }
}

/// Bit i of the result of the permutation of PRESENT, and of that of GIFT-64.
#[test]
fn permutations_of_bits_become_exchanges_of_bytes() {
    let present = |i: usize| (0..64).find(|&k| (if k == 63 { 63 } else { 16 * k % 63 }) == i).unwrap_or(0);
    let moved = |i: usize| 4 * (i / 16) + 16 * ((3 * (i % 16 / 4) + i % 4) % 4) + i % 4;
    let gift = |i: usize| (0..64).find(|&k| moved(k) == i).unwrap_or(0);
    for bits in [&present as &dyn Fn(usize) -> usize, &gift] {
        let before = cipher(bits);
        let mut after = before.clone();
        run_all(&mut after, &PASSES, &[]).unwrap();
        verify(&after).unwrap();
        assert_eq!(count(&after, &|kind| matches!(kind, OpKind::Lookup(..))), 8, "{after}");
        let single = after.functions[1].values.iter().filter(|v| v.ty == Type::Word(1)).count();
        assert_eq!(single, 0, "{after}");
        same(&before, &after);
    }
}

/// Of GIFT-64 no bit changes its place in an exchange: nothing is shifted.
#[test]
fn pairs_are_chosen_for_the_cheapest_exchanges() {
    let moved = |i: usize| 4 * (i / 16) + 16 * ((3 * (i % 16 / 4) + i % 4) % 4) + i % 4;
    let mut after = cipher(&|i| (0..64).find(|&k| moved(k) == i).unwrap_or(0));
    run_all(&mut after, &PASSES, &[]).unwrap();
    let mut inner = 0;
    for_each_op(&after.functions[1].body, &mut |op| {
        if let OpKind::Loop(l) = &op.kind {
            for_each_op(&l.bodies[0], &mut |op| {
                inner += usize::from(matches!(op.kind, OpKind::Shift(Shift::Shl | Shift::Shr | Shift::Rotl, ..)));
            });
        }
    });
    assert_eq!(inner, 0, "{after}");
}
