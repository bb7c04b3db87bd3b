//! `pack-bytes`: random programs of byte vectors compute the same before and after; each way to a word is seen once.

#[path = "common/bytes.rs"]
mod bytes;

use program::evaluate::{Evaluator, Value};
use program::generate::Random;
use program::passes::run_all;
use program::{parse, verify};
use proptest::prelude::*;

const OPTIONS: [&str; 7] = [
    "pack-bytes",
    "pack-bytes:width=64",
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_byte_programs_compute_the_same(seed: u64) {
        let text = bytes::byte_program(seed);
        for option in OPTIONS {
            same_before_and_after(&text, &[option], seed);
            same_before_and_after(&text, &["fold", option, "fold", "cse", "dce"], seed);
        }
    }
}

#[test]
fn wrong_options_are_refused() {
    let mut program = parse(&bytes::byte_program(1)).unwrap();
    let mut error = |text: &str| run_all(&mut program, &[text], &[]).unwrap_err().to_string();
    assert_eq!(
        error("pack-bytes:width=16"),
        "error[S011]: the option `width` of a pass cannot be `16`\n   = help: known: 32, 64"
    );
    assert_eq!(
        error("pack-bytes:layer=word"),
        "error[S011]: the option `layer` of a pass cannot be `word`\n   = help: known: shifts, words, words-in-key-schedule"
    );
    assert_eq!(
        error("pack-bytes:tables=one"),
        "error[S011]: the option `tables` of a pass cannot be `one`\n   = help: known: full, rotated"
    );
    assert_eq!(
        error("pack-bytes:function=round"),
        "error[S011]: the option `function` of a pass names no function: `round`\n   = help: known: key_schedule, encrypt"
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
