//! Generated programs on generated requests: the interpreter and the tables must agree on everything.
//!
//! `TWP_SEED` repeats a run, `TWP_PAIRS` sets how many pairs of a program and a request are compared.

use super::check::{Forms, agree};
use super::rng::Rng;
use super::{generate, requests};
use crate::compile_within;
use crate::limits::MachineLimits;
use std::fmt::Write as _;

const SEED: u64 = 20_260_730;
const PAIRS: usize = 120_000;
const REQUESTS_PER_PROGRAM: usize = 60;

#[test]
fn interpreter_and_tables_agree() {
    let seed = setting("TWP_SEED", SEED);
    let pairs = usize::try_from(setting("TWP_PAIRS", PAIRS as u64)).expect("a count");
    println!("TWP_SEED={seed} TWP_PAIRS={pairs}");
    let mut counts = Counts::default();
    let mut number = 0;
    while counts.pairs < pairs {
        let mut rng = Rng::new(seed.wrapping_add(number));
        let program = generate::program(&mut rng);
        let context = format!("TWP_SEED={} (program {number} of seed {seed})", seed.wrapping_add(number));
        let forms = forms(&program, &context);
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

fn forms(program: &twp_lang::hir::Program, context: &str) -> Forms {
    let none = MachineLimits { states_per_trie_node: 0, states_max: 0, steps_per_trie_node: 0 };
    let core = crate::lower(program).unwrap_or_else(|errors| panic!("{context}: {errors:?}"));
    let built =
        |limits| compile_within(program, limits).unwrap_or_else(|errors| panic!("{context}: {errors:?}"));
    Forms { core, machine: built(MachineLimits::DEFAULT), linear: built(none) }
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
