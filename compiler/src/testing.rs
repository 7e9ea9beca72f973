//! Programs made at random and compared on every engine: what the tests of this crate and fuzzing share.
//!
//! Only tests and the feature `testing` have it; it is no part of what the crate offers.

pub(crate) mod check;
pub(crate) mod generate;
mod guarded;
pub(crate) mod hirs;
pub(crate) mod requests;
pub(crate) mod rng;

use crate::limits::{MachineLimits, NativeLimits};
use crate::{Artifact, EngineChoice, compile_within};
use check::{Forms, agree};
use rng::Rng;
use std::fmt;
use std::time::Duration;
use twp_lang::Diagnostic;

/// Requests that one input of [`agree_on`] is compared on.
const REQUESTS_PER_INPUT: usize = 8;

/// What comparisons have covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of a program and a request.
    pub pairs: usize,
    /// Pairs in which a site serves the host.
    pub served: usize,
    /// Pairs in which a route other than a fallback was taken.
    pub routed: usize,
    /// Guards compared, taken or not.
    pub guards: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |count: usize| count * 100 / self.pairs.max(1);
        let Counts { pairs, served, routed, guards } = *self;
        write!(
            f,
            "{pairs} pairs, {} % served by a site, {} % taken by a route",
            percent(served),
            percent(routed)
        )?;
        write!(f, ", {guards} guards compared")
    }
}

/// Makes a program and some requests of the bytes and compares the interpreter, the tables and native code on them.
/// Panics with program, request and IR where they differ. Bytes can make a program that grows too large when its
/// policies are put in their places (E0253); that is refused as it should be, and there is nothing to compare.
pub fn agree_on(bytes: &[u8]) -> Option<Counts> {
    let mut counts = Counts::default();
    let number = bytes.first().copied().unwrap_or(0).into();
    match agree_on_program(&mut Rng::of_bytes(bytes), number, REQUESTS_PER_INPUT, "an input", &mut counts) {
        Ok(()) => Some(counts),
        Err(refused) => {
            assert!(refused.iter().all(|finding| finding.code == "E0253"), "an input: {refused:?}");
            None
        }
    }
}

/// As [`agree_on`], with these numbers and so many requests; `number` chooses among limits of native code. The error is
/// why the program was refused.
pub(crate) fn agree_on_program(
    rng: &mut Rng,
    number: u64,
    requests: usize,
    context: &str,
    counts: &mut Counts,
) -> Result<(), Vec<Diagnostic>> {
    let program = generate::program(rng);
    let forms = forms(&program, number, context)?;
    for _ in 0..requests {
        let request = requests::request(rng, &forms.core);
        let agreed = agree(&forms, &request, context);
        counts.pairs += 1;
        counts.served += usize::from(agreed.served);
        counts.routed += usize::from(agreed.routed);
        counts.guards += agreed.guards;
    }
    Ok(())
}

fn forms(program: &twp_lang::hir::Program, number: u64, context: &str) -> Result<Forms, Vec<Diagnostic>> {
    let none = MachineLimits { states_per_trie_node: 0, states_max: 0, steps_per_trie_node: 0 };
    let core = crate::lower(program)?;
    let built = |limits| -> Result<Artifact, Vec<Diagnostic>> {
        let mut artifact = compile_within(program, limits)?;
        let refused = artifact.program.use_engine_within(EngineChoice::Native, &native_limits(number));
        assert!(refused.is_ok(), "{context}: {refused:?}");
        Ok(artifact)
    };
    Ok(Forms::new(core, built(MachineLimits::DEFAULT)?, built(none)?))
}

/// Limits that make small programs meet every way native code can be left, in turns.
fn native_limits(number: u64) -> NativeLimits {
    let usual = NativeLimits { time_max: Duration::from_mins(10), ..NativeLimits::DEFAULT };
    match number % 4 {
        0 => usual,
        1 => NativeLimits { literals_max: 3, chunk_nodes_max: 4, ..usual },
        2 => NativeLimits { literals_max: 2, nodes_max: 12, tests_max: 8, sites_together_max: 2, ..usual },
        _ => NativeLimits { literals_max: 6, condition_cost_max: 2, chunk_cost_max: 6, ..usual },
    }
}
