//! Generated programs on generated requests: the interpreter, the tables and native code must agree on everything.
//!
//! `TWP_SEED` repeats a run, `TWP_PAIRS` sets how many pairs of a program and a request are compared.

use super::check::{Forms, agree};
use super::rng::Rng;
use super::{generate, requests};
use crate::limits::{MachineLimits, NativeLimits};
use crate::{Artifact, EngineChoice, compile_within};
use std::fmt::Write as _;

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
        let mut rng = Rng::new(seed.wrapping_add(number));
        let program = generate::program(&mut rng);
        let context = format!("TWP_SEED={} (program {number} of seed {seed})", seed.wrapping_add(number));
        let forms = forms(&program, number, &context);
        for _ in 0..REQUESTS_PER_PROGRAM.min(pairs - counts.pairs) {
            let request = requests::request(&mut rng, &forms.core);
            let agreed = agree(&forms, &request, &context);
            counts.pairs += 1;
            counts.served += usize::from(agreed.served);
            counts.routed += usize::from(agreed.routed);
            counts.guards += agreed.guards;
        }
        number += 1;
    }
    println!("{number} programs, {}", counts.text());
    assert!(counts.routed * 2 > counts.pairs, "most requests should reach a route: {}", counts.text());
    assert!(counts.guards > counts.pairs, "guards should be asked: {}", counts.text());
}

/// Limits that make small programs meet every way native code can be left, in turns.
fn native_limits(number: u64) -> NativeLimits {
    let usual = NativeLimits { time_max: std::time::Duration::from_mins(10), ..NativeLimits::DEFAULT };
    match number % 4 {
        0 => usual,
        1 => NativeLimits { literals_max: 3, chunk_nodes_max: 4, ..usual },
        2 => NativeLimits { literals_max: 2, nodes_max: 12, tests_max: 8, sites_together_max: 1, ..usual },
        _ => NativeLimits { literals_max: 6, condition_cost_max: 2, chunk_cost_max: 6, ..usual },
    }
}

fn forms(program: &twp_lang::hir::Program, number: u64, context: &str) -> Forms {
    let none = MachineLimits { states_per_trie_node: 0, states_max: 0, steps_per_trie_node: 0 };
    let core = crate::lower(program).unwrap_or_else(|errors| panic!("{context}: {errors:?}"));
    let built = |limits| {
        let mut artifact: Artifact =
            compile_within(program, limits).unwrap_or_else(|errors| panic!("{context}: {errors:?}"));
        let refused = artifact.program.use_engine_within(EngineChoice::Native, &native_limits(number));
        assert!(refused.is_ok(), "{context}: {refused:?}");
        artifact
    };
    Forms::new(core, built(MachineLimits::DEFAULT), built(none))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

#[derive(Default)]
struct Counts {
    pairs: usize,
    served: usize,
    routed: usize,
    guards: usize,
}

impl Counts {
    fn text(&self) -> String {
        let mut out = format!("{} pairs", self.pairs);
        for (name, count) in [("served by a site", self.served), ("taken by a route", self.routed)] {
            // Writing to a String cannot fail.
            let _ = write!(out, ", {} % {name}", count * 100 / self.pairs.max(1));
        }
        let _ = write!(out, ", {} guards compared", self.guards);
        out
    }
}
