//! Regular expressions by simulation of the nondeterministic automaton, one byte after the other.

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;
use std::cell::RefCell;
use std::collections::HashMap;
use twp_lang::literal::Regex;

/// Automata kept for the next request; a program rarely has more expressions.
const KEPT_MAX: usize = 256;

thread_local! {
    static KEPT: RefCell<HashMap<Regex, Option<NFA>>> = RefCell::default();
}

/// Whether the whole value matches. An expression that cannot be built matches nothing.
pub(super) fn matches(regex: &Regex, value: &[u8]) -> bool {
    let Some(nfa) = automaton(regex) else { return false };
    let mut live = Vec::new();
    follow(&nfa, nfa.start_anchored(), value, 0, &mut live);
    for (at, byte) in value.iter().enumerate() {
        let mut next = Vec::new();
        for state in live {
            let to = match nfa.state(state) {
                State::ByteRange { trans } => trans.matches_byte(*byte).then_some(trans.next),
                State::Sparse(transitions) => transitions.matches_byte(*byte),
                State::Dense(transitions) => transitions.matches_byte(*byte),
                _ => None,
            };
            if let Some(to) = to {
                follow(&nfa, to, value, at + 1, &mut next);
            }
        }
        live = next;
    }
    live.iter().any(|state| matches!(nfa.state(*state), State::Match { .. }))
}

fn automaton(regex: &Regex) -> Option<NFA> {
    KEPT.with_borrow_mut(|kept| {
        if kept.len() > KEPT_MAX {
            kept.clear();
        }
        let built = kept.entry(regex.clone()).or_insert_with(|| {
            let syntax = regex_automata::util::syntax::Config::new().case_insensitive(regex.ignore_case);
            NFA::compiler().syntax(syntax).build(&regex.pattern).ok()
        });
        built.clone()
    })
}

/// Adds the states reachable without a byte.
fn follow(nfa: &NFA, from: StateID, value: &[u8], at: usize, live: &mut Vec<StateID>) {
    let mut todo = vec![from];
    while let Some(state) = todo.pop() {
        if live.contains(&state) {
            continue;
        }
        live.push(state);
        match nfa.state(state) {
            State::Look { look, next } => {
                if nfa.look_matcher().matches(*look, value, at) {
                    todo.push(*next);
                }
            }
            State::Union { alternates } => todo.extend(alternates.iter()),
            State::BinaryUnion { alt1, alt2 } => todo.extend([*alt1, *alt2]),
            State::Capture { next, .. } => todo.push(*next),
            State::ByteRange { .. }
            | State::Sparse(_)
            | State::Dense(_)
            | State::Fail
            | State::Match { .. } => {}
        }
    }
}
