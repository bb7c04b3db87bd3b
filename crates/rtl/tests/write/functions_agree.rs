//! Verilog and VHDL of combinational functions compute what the evaluator computes.

use crate::write::bench::functions::functions;
use crate::write::bench::{folder, Bench};
use program::generate::Random;

/// Random functions, which hold every operation and odd widths.
#[test]
fn simulators_agree_with_the_evaluator() {
    let mut random = Random::new(6);
    for seed in 0..SEEDS {
        let program = functions(seed, 4, 30);
        let names: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
        let prefix = format!("seed{seed}");
        Bench::new(&program, &prefix, &names, 20, &mut random).check(&folder(&prefix));
    }
}

/// Seeds that are tried.
const SEEDS: u64 = 2;
