//! How many random cases the properties are tried on, and from which seed.

use proptest::test_runner::{Config, RngSeed};

/// The same `cases` in every run, so that a change is what makes a test fail.
///
/// With `ASSAY_FUZZ=N` in the environment, N times as many, other ones in each run.
///
/// # Panics
///
/// If `ASSAY_FUZZ` is no number.
#[must_use]
pub fn sample(cases: u32) -> Config {
    let fixed = Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    match std::env::var("ASSAY_FUZZ") {
        Err(_) => fixed,
        Ok(times) => {
            let times: u32 = times.parse().expect("ASSAY_FUZZ is a number: how many times the usual cases");
            Config { cases: cases * times, rng_seed: RngSeed::Random, ..fixed }
        }
    }
}
