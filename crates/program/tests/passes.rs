//! Structural passes: random programs compute the same before and after, and the result is verified after each.

use program::evaluate::Evaluator;
use program::generate::{arguments, generate, Random};
use program::passes::run_all;
use program::{parse, verify};
use proptest::prelude::*;

const PASSES: [&str; 15] = [
    "inline-calls",
    "circuits",
    "lower-linear",
    "unroll",
    "unroll:factor=2",
    "unroll:factor=3",
    "unroll:factor=period",
    "unroll:factor=ring",
    "fold",
    "cse",
    "scalars",
    "scalars:most=9",
    "dce",
    "order-by-use",
    "order-by-use:function=f0",
];

fn same_before_and_after(seed: u64, size: usize, passes: &[&str]) {
    let program = generate(seed, size);
    let mut after = program.clone();
    for pass in passes {
        run_all(&mut after, &[pass], &[]).unwrap();
        verify(&after)
            .unwrap_or_else(|e| panic!("{pass} of {passes:?} seed {seed} size {size}: {e}\n{program}\n{after}"));
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
            assert_eq!(expected, found, "{passes:?} seed {seed} size {size} {}\n{program}\n{after}", function.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

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
    }
}

#[test]
fn an_unknown_pass_and_a_wrong_option_are_refused() {
    let mut program = generate(1, 10);
    let error = |text: &str, program: &mut _| run_all(program, &[text], &[]).unwrap_err().to_string();
    assert!(error("unrol", &mut program).starts_with("error[S010]: there is no pass `unrol`\n   = help: known: "));
    assert_eq!(
        error("unroll:by=3", &mut program),
        "error[S011]: the pass `unroll` has no option `by`\n   = help: known: factor, tag, function, most, extent, only"
    );
    assert_eq!(
        error("unroll:factor=some", &mut program),
        "error[S011]: the option `factor` of a pass is a number, not `some`"
    );
}
