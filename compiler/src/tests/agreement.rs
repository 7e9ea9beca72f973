//! Generated programs on generated requests: the interpreter, the tables and native code must agree on everything.
//!
//! `TWP_SEED` repeats a run, `TWP_PAIRS` sets how many pairs of a program and a request are compared.

use crate::testing::rng::Rng;
use crate::testing::{Counts, agree_on_program};

const SEED: u64 = 20_260_730;
const PAIRS: usize = 120_000;
const REQUESTS_PER_PROGRAM: usize = 60;

#[test]
fn interpreter_tables_and_native_code_agree() {
    let seed = setting("TWP_SEED", SEED);
    let pairs = usize::try_from(setting("TWP_PAIRS", PAIRS as u64)).expect("a count");
    println!("TWP_SEED={seed} TWP_PAIRS={pairs}");
    run(seed, pairs);
}

/// Compares this many pairs.
pub(super) fn run(seed: u64, pairs: usize) {
    let mut counts = Counts::default();
    let mut number = 0;
    while counts.pairs < pairs {
        let own = seed.wrapping_add(number);
        let context = format!("TWP_SEED={own} (program {number} of seed {seed})");
        let requests = REQUESTS_PER_PROGRAM.min(pairs - counts.pairs);
        agree_on_program(&mut Rng::new(own), number, requests, &context, &mut counts)
            .unwrap_or_else(|refused| panic!("{context}: {refused:?}"));
        number += 1;
    }
    println!("{number} programs, {counts}");
    assert!(counts.routed * 5 > counts.pairs * 2, "two of five requests should reach a route: {counts}");
    assert!(counts.guards > counts.pairs, "guards should be asked: {counts}");
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}
