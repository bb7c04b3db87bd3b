//! Passes that rewrite by algebraic identities: random programs compute the same before and after.

use program::evaluate::Evaluator;
use program::generate::{arguments, generate, Random};
use program::passes::run_all;
use program::{parse, verify};
use proptest::prelude::*;

const PASSES: [&str; 5] =
    ["narrow-extracts", "square-forms", "square-forms:double=add", "reassociate", "reassociate:duplicate=yes,mul=1"];

fn same_before_and_after(seed: u64, size: usize, passes: &[&str]) {
    let program = generate(seed, size);
    let mut after = program.clone();
    run_all(&mut after, passes, &[]).unwrap();
    verify(&after).unwrap_or_else(|e| panic!("{passes:?} seed {seed} size {size}: {e}\n{program}\n{after}"));
    let text = after.to_string();
    assert_eq!(parse(&text).unwrap(), after);
    let mut random = Random::new(seed ^ 3);
    let (mut old, mut new) = (Evaluator::new(&program).unwrap(), Evaluator::new(&after).unwrap());
    for (n, function) in program.functions.iter().enumerate() {
        for _ in 0..4 {
            let arguments = arguments(&program, n, &mut random);
            let expected = old.evaluate(&function.name, &arguments).unwrap();
            let found = new.evaluate(&function.name, &arguments).unwrap();
            assert_eq!(expected, found, "{passes:?} seed {seed} size {size} {}\n{program}\n{after}", function.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_pass_keeps_what_random_programs_compute(seed: u64, size in 1usize..120) {
        for pass in PASSES {
            same_before_and_after(seed, size, &[pass]);
        }
    }

    #[test]
    fn all_passes_in_a_row_keep_what_random_programs_compute(seed: u64, size in 1usize..120) {
        same_before_and_after(seed, size, &PASSES);
    }
}
