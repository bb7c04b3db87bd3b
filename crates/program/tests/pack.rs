//! `pack-bytes`: random programs of byte vectors compute the same before and after; each way to a word is seen once.

use crate::common::bytes;
use crate::common::sampling::sample;
use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, Random};
use program::ir::{Function, OpKind, Program, Type};
use program::passes::run_all;
use program::walk::for_each_op;
use program::{parse, verify};
use proptest::prelude::*;

const OPTIONS: [&str; 8] = [
    "pack-bytes",
    "pack-bytes:width=64",
    "pack-bytes:layer=words,derive=rotations",
    "pack-bytes:layer=words",
    "pack-bytes:width=64,layer=words,tables=rotated",
    "pack-bytes:layer=words-in-key-schedule,tables=rotated",
    "pack-bytes:function=key_schedule",
    "pack-bytes:function=encrypt,width=64",
];

fn same_before_and_after(text: &str, passes: &[&str], seed: u64) {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut after = program.clone();
    run_all(&mut after, passes, &[]).unwrap();
    verify(&after).unwrap_or_else(|e| panic!("{passes:?}: {e}\n{program}\n{after}"));
    assert_eq!(parse(&after.to_string()).unwrap(), after);
    let mut random = Random::new(seed ^ 5);
    let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
    for _ in 0..3 {
        let mut bytes = || Value::Array((0..16).map(|_| random.bits() & 0xff).collect());
        let (key, plaintext) = (bytes(), bytes());
        let run = |evaluator: &mut Evaluator| {
            let mut arguments = evaluator.evaluate("key_schedule", std::slice::from_ref(&key)).unwrap();
            arguments.push(plaintext.clone());
            evaluator.evaluate("encrypt", &arguments).unwrap()
        };
        assert_eq!(run(&mut old), run(&mut new), "{passes:?}\n{program}\n{after}");
    }
}

/// The types that a function takes and gives.
fn signature(function: &Function) -> (Vec<Type>, Vec<Type>) {
    let params = function.params.iter().map(|p| function.values[p.0 as usize].ty.clone());
    (params.collect(), function.results.clone())
}

fn is_called(program: &Program, name: &str) -> bool {
    let mut called = false;
    for function in &program.functions {
        for_each_op(&function.body, &mut |op| called |= matches!(&op.kind, OpKind::Call(callee, _) if callee == name));
    }
    called
}

/// Programs of every kind of operation. Only a function that others call may take or give words in place of rows of bytes.
fn same_for_any_program(seed: u64, size: usize, option: &str) {
    let program = generate(seed, size);
    let mut after = program.clone();
    run_all(&mut after, &[option], &[]).unwrap();
    verify(&after).unwrap_or_else(|e| panic!("{option} seed {seed} size {size}: {e}\n{program}\n{after}"));
    let mut random = Random::new(seed ^ 6);
    let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
    for (n, function) in program.functions.iter().enumerate() {
        if signature(function) != signature(&after.functions[n]) {
            assert!(is_called(&program, &function.name), "{option} seed {seed} size {size} {}", function.name);
            continue;
        }
        let arguments = arguments(&program, n, &mut random);
        let expected = old.evaluate(&function.name, &arguments).unwrap();
        let found = new.evaluate(&function.name, &arguments).unwrap();
        assert_eq!(expected, found, "{option} seed {seed} size {size} {}\n{program}\n{after}", function.name);
    }
}

proptest! {
    #![proptest_config(sample(30))]

    #[test]
    fn random_byte_programs_compute_the_same(seed: u64) {
        let text = bytes::byte_program(seed);
        for option in OPTIONS {
            same_before_and_after(&text, &[option], seed);
            same_before_and_after(&text, &["fold", option, "fold", "cse", "dce"], seed);
        }
    }

    #[test]
    fn random_programs_compute_the_same(seed: u64, size in 1usize..100) {
        for option in &OPTIONS[..6] {
            same_for_any_program(seed, size, option);
        }
    }
}

#[test]
fn wrong_options_are_refused() {
    let mut program = parse(&bytes::byte_program(1)).unwrap();
    let mut error = |text: &str| run_all(&mut program, &[text], &[]).unwrap_err().to_string();
    assert_eq!(
        error("pack-bytes:width=16"),
        "error[S013]: the option `width` of a pass cannot be `16`\n   = help: known: 32, 64"
    );
    assert_eq!(
        error("pack-bytes:layer=word"),
        "error[S013]: the option `layer` of a pass cannot be `word`\n   = help: known: shifts, words, words-in-key-schedule, double-words"
    );
    assert_eq!(
        error("pack-bytes:tables=one"),
        "error[S013]: the option `tables` of a pass cannot be `one`\n   = help: known: full, rotated, masked"
    );
    assert_eq!(
        error("pack-bytes:function=round"),
        "error[S015]: the option `function` of a pass names no function: `round`\n   = help: known: key_schedule, encrypt"
    );
}

#[test]
fn each_way_to_a_word_is_seen() {
    let mut program = parse(include_str!("data/pack.program")).unwrap();
    run_all(&mut program, &["pack-bytes", "cse", "dce"], &[]).unwrap();
    let text = program.to_string();
    assert_eq!(&text[text.find("func").unwrap()..], include_str!("data/pack.expected"));
    let tables: Vec<(&str, u64)> = program.tables.iter().map(|t| (t.name.as_str(), t.data[0x80])).collect();
    assert_eq!(tables, [("M_0", 0x8000_801b), ("M_1", 0x8000_009b)]);
}
