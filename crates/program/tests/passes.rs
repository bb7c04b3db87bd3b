//! Structural passes: random programs compute the same before and after, and the result is verified after each.

use crate::common::sampling::sample;
use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, generate_of, Random};
use program::ir::Program;
use program::passes::run_all;
use program::{parse, verify};
use proptest::prelude::*;

const PASSES: [&str; 25] = [
    "inline-calls",
    "circuits",
    "lower-linear",
    "unroll",
    "unroll:factor=2",
    "unroll:factor=3",
    "unroll:factor=period",
    "unroll:factor=ring",
    "fold",
    "fold-bodies",
    "merge-carried",
    "carry-loads",
    "split-loops",
    "cse",
    "scalars",
    "scalars:most=9",
    "dce",
    "order-by-use",
    "order-by-use:function=f0",
    "merge-lookups",
    "merge-lookups:only=joined,fields=any",
    "swap-bits",
    "byte-exchanges",
    "group-lookups",
    "pair-nibbles",
];

fn same_before_and_after(seed: u64, size: usize, passes: &[&str]) {
    same_from_to(generate(seed, size), seed, passes);
}

fn same_from_to(program: Program, seed: u64, passes: &[&str]) {
    let mut after = program.clone();
    for pass in passes {
        run_all(&mut after, &[pass], &[]).unwrap();
        verify(&after).unwrap_or_else(|e| panic!("{pass} of {passes:?} seed {seed}: {e}\n{program}\n{after}"));
    }
    assert_eq!(parse(&after.to_string()).unwrap(), after);
    let mut random = Random::new(seed ^ 4);
    let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
    for (n, function) in program.functions.iter().enumerate() {
        if !after.functions.iter().any(|f| f.name == function.name) {
            continue;
        }
        for _ in 0..3 {
            let arguments = arguments(&program, n, &mut random);
            let expected = old.evaluate(&function.name, &arguments).unwrap();
            let found = new.evaluate(&function.name, &arguments).unwrap();
            assert_eq!(expected, found, "{passes:?} seed {seed} {}\n{program}\n{after}", function.name);
        }
    }
}

proptest! {
    #![proptest_config(sample(200))]

    #[test]
    fn each_pass_keeps_what_random_programs_compute(seed: u64, size in 1usize..100) {
        for pass in PASSES {
            same_before_and_after(seed, size, &[pass]);
        }
    }

    #[test]
    fn passes_in_a_row_keep_what_random_programs_compute(seed: u64, size in 1usize..80) {
        same_before_and_after(seed, size, &[
            "inline-calls", "circuits", "lower-linear", "unroll", "fold", "scalars", "fold", "cse", "dce", "order-by-use",
        ]);
        same_before_and_after(seed, size, &["unroll:factor=2", "fold", "cse", "scalars", "unroll", "fold", "dce"]);
        same_before_and_after(seed, size, &["inline-calls", "unroll", "fold", "swap-bits", "merge-lookups", "cse", "dce"]);
    }
}

proptest! {
    #![proptest_config(sample(100))]

    #[test]
    fn pairs_of_nibbles_keep_what_random_programs_compute(seed: u64, size in 1usize..80) {
        same_from_to(generate_of(seed, size, &[1, 4, 8]), seed, &[
            "inline-calls", "fold", "pair-nibbles", "byte-exchanges", "merge-lookups:only=joined,fields=any", "group-lookups",
        ]);
    }
}

#[test]
fn an_unknown_pass_and_a_wrong_option_are_refused() {
    let mut program = generate(1, 10);
    let error = |text: &str, program: &mut _| run_all(program, &[text], &[]).unwrap_err().to_string();
    assert!(error("unrol", &mut program).starts_with("error[S010]: there is no pass `unrol`\n   = help: known: "));
    assert_eq!(
        error("unroll:by=3", &mut program),
        "error[S014]: the pass `unroll` has no option `by`\n   = help: known: factor, tag, function, most, extent, only"
    );
    assert_eq!(
        error("unroll:factor=some", &mut program),
        "error[S011]: the option `factor` of a pass is a number, not `some`"
    );
}

/// Three bodies that differ in an operation at their beginning and at their end, and in what an operation takes.
const BODIES: &str = r#"
program "p" {
}

func @f(%k: u32[9], %a: u32, %b: u32, %c: u32) -> (u32, u32, u32) {
  %x: u32, %y: u32, %z: u32 = rounds 9 "i" from 0 step 1 (%a, %b, %c) {
    body 0,4,8 (%i: index, %x.1: u32, %y.1: u32, %z.1: u32) {
      %1: u32 = sub %x.1, %z.1
      %2: u32 = load %k[%i]
      %3: u32 = xor %y.1, %1
      %4: u32 = rotl %3, 7
      %5: u32 = add %4, %2
      %6: u32 = add %z.1, %5
      yield %6, %5, %1
    }
    body 1,5 (%i.1: index, %x.2: u32, %y.2: u32, %z.2: u32) {
      %7: u32 = load %k[%i.1]
      %8: u32 = xor %y.2, %x.2
      %9: u32 = rotl %8, 7
      %10: u32 = add %9, %7
      %11: u32 = xor %z.2, %10
      yield %11, %10, %x.2
    }
    body 2,3,6,7 (%i.2: index, %x.3: u32, %y.3: u32, %z.3: u32) {
      %12: u32 = sub %x.3, %y.3
      %13: u32 = load %k[%i.2]
      %14: u32 = xor %y.3, %12
      %15: u32 = rotl %14, 7
      %16: u32 = add %15, %13
      yield %z.3, %16, %12
    }
  }
  return %x, %y, %z
}
"#;

#[test]
fn bodies_that_differ_become_one() {
    let program = parse(BODIES).unwrap();
    let mut after = program.clone();
    run_all(&mut after, &["fold-bodies", "fold", "cse", "dce"], &[]).unwrap();
    verify(&after).unwrap();
    let text = after.to_string();
    assert_eq!(text.matches("body").count(), 1, "{text}");
    assert_eq!(text.matches("load").count(), 1, "{text}");
    assert_eq!(text.matches("rotl").count(), 1, "{text}");
    let mut random = Random::new(1);
    let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
    for _ in 0..20 {
        let arguments = arguments(&program, 0, &mut random);
        assert_eq!(old.evaluate("f", &arguments).unwrap(), new.evaluate("f", &arguments).unwrap());
    }
}

#[test]
fn bodies_that_differ_in_loads_stay() {
    for (old, new) in [
        ("%12: u32 = sub %x.3, %y.3", "%12: u32 = load %k[3]"),
        ("%7: u32 = load %k[%i.1]", "%7: u32 = mul %y.2, %x.2"),
    ] {
        let program = parse(&BODIES.replace(old, new)).unwrap();
        let mut after = program.clone();
        run_all(&mut after, &["fold-bodies"], &[]).unwrap();
        assert_eq!(after, program);
    }
}

#[test]
fn operations_on_other_widths_are_not_the_same() {
    let text = r#"
program "p" {
}

func @f(%a: u32) -> (u32) {
  %x: u32 = rounds 2 "i" from 0 step 1 (%a) {
    body 0 (%i: index, %x.1: u32) {
      %1: u16 = extract %x.1, 0
      %2: u32 = zext %1
      yield %2
    }
    body 1 (%i.1: index, %x.2: u32) {
      %3: u8 = extract %x.2, 0
      %4: u32 = zext %3
      %5: u32 = add %4, 1
      yield %5
    }
  }
  return %x
}
"#;
    let program = parse(text).unwrap();
    let mut after = program.clone();
    run_all(&mut after, &["fold-bodies"], &[]).unwrap();
    verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    assert_eq!(after.to_string().matches("body").count(), 1, "{after}");
    let found = Evaluator::new(&after).unwrap().evaluate("f", &[Value::Word(0x1_2345)]).unwrap();
    assert_eq!(found, [Value::Word(0x46)]);
}

#[test]
fn quotients_of_multiples_are_sums() {
    let text = r#"
program "p" {
}

table @T: u32[6] = [1, 2, 3, 4, 5, 6]

func @f(%k: u32[16]) -> (u32) {
  %s: u32 = rounds 5 "i" from 0 step 1 (0) {
    body 0..4 (%i: index, %s.1: u32) {
      %q: index = index_div 3*%i + 4, 3
      %r: index = index_mod 3*%i + 4, 3
      %1: u32 = lookup @T[%q]
      %2: u32 = load %k[2*%q + %r]
      %3: u32 = add %1, %2
      %4: u32 = mul %s.1, 5
      %5: u32 = add %3, %4
      yield %5
    }
  }
  return %s
}
"#;
    let program = parse(text).unwrap();
    let mut after = program.clone();
    run_all(&mut after, &["fold", "dce"], &[]).unwrap();
    verify(&after).unwrap();
    assert!(!after.to_string().contains("index_"), "{after}");
    let mut random = Random::new(1);
    let arguments = arguments(&program, 0, &mut random);
    let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
    assert_eq!(old.evaluate("f", &arguments).unwrap(), new.evaluate("f", &arguments).unwrap());
}
