//! Many constant texts looked for in one text, at its start, at its end or anywhere, without trying each of them.
//!
//! Starts and ends are found by halving, since no text of the list begins (ends) another; texts anywhere in one pass of
//! an automaton. What lies in one place is searched with the automaton's prefilter, joined texts byte by byte.

use super::Cond;
use super::sets::TextSet;
use super::text::{Got, Operand};
use crate::core::{Order, TextTest};
use crate::limits::{DFA_NEEDLE_BYTES_MAX, MANY_EQUAL_MIN, MANY_TEXTS_MIN};
use aho_corasick::automaton::Automaton;
use aho_corasick::{Anchored, Input, MatchKind, StartKind, dfa, nfa};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Texts, one of which has to stand at a place.
#[derive(Clone, Debug)]
pub(crate) struct AnyText {
    op: TextTest,
    /// INVARIANT: not empty, none is the empty text. Of starts sorted by bytes, of ends by bytes from the last one on,
    /// and then none begins (ends) with another; else sorted by bytes, each once.
    texts: Vec<Box<[u8]>>,
    /// For texts anywhere, once prepared; not where an automaton would be too large.
    search: Option<Arc<Search>>,
}

/// The automaton over all texts.
#[derive(Debug)]
enum Search {
    Dfa(dfa::DFA),
    Nfa(nfa::contiguous::NFA),
}

/// What comparisons have in common that are answered together.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    /// None is equality.
    op: Option<TextTest>,
    value: Operand,
}

/// The parts of an `or` with those that compare one text with constants joined, each group where its first part was.
pub(super) fn joined(parts: Vec<Cond>) -> Vec<Cond> {
    let mut groups: HashMap<Key, Vec<usize>> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        if let Some((key, _)) = constants(part) {
            groups.entry(key).or_default().push(at);
        }
    }
    groups.retain(|key, places| {
        let count: usize =
            places.iter().map(|at| constants(&parts[*at]).map_or(0, |(_, texts)| texts.len())).sum();
        places.len() > 1 && count >= if key.op.is_some() { MANY_TEXTS_MIN } else { MANY_EQUAL_MIN }
    });
    if groups.is_empty() {
        return parts;
    }
    let mut joined: HashMap<usize, Cond> = HashMap::new();
    let mut gone = vec![false; parts.len()];
    for (Key { op, value }, places) in groups {
        let texts: Vec<&[u8]> =
            places.iter().filter_map(|at| constants(&parts[*at])).flat_map(|(_, texts)| texts).collect();
        let cond = match op {
            Some(op) => any(op, value, &texts),
            None => Cond::TextIn { value, set: TextSet::of_bytes(texts) },
        };
        joined.insert(places[0], cond);
        for at in places {
            gone[at] = true;
        }
    }
    let kept = parts
        .into_iter()
        .enumerate()
        .filter_map(|(at, part)| joined.remove(&at).or_else(|| (!gone[at]).then_some(part)));
    kept.collect()
}

/// The constants that a part compares a text with.
fn constants(cond: &Cond) -> Option<(Key, Vec<&[u8]>)> {
    let key = |op, value: &Operand| Key { op, value: value.clone() };
    match cond {
        Cond::TextTest { op, left, right: Operand::Literal(text) } => {
            Some((key(Some(*op), left), vec![text.as_ref()]))
        }
        Cond::TextAny { value, any } => Some((key(Some(any.op), value), any.texts().collect())),
        Cond::TextOrder { op: Order::Equal, left: value, right: Operand::Literal(text) }
        | Cond::TextOrder { op: Order::Equal, left: Operand::Literal(text), right: value } => {
            Some((key(None, value), vec![text.as_ref()]))
        }
        Cond::TextIn { value, set } => Some((key(None, value), set.texts().collect())),
        Cond::TextTest { .. }
        | Cond::TextOrder { .. }
        | Cond::Always(_)
        | Cond::Found(_)
        | Cond::Not(_)
        | Cond::All(_)
        | Cond::Any(_)
        | Cond::If(_)
        | Cond::IsSome(_)
        | Cond::Regex { .. }
        | Cond::Glob { .. }
        | Cond::IntOrder { .. }
        | Cond::IntIn { .. }
        | Cond::IpOrder { .. }
        | Cond::IpIn { .. } => None,
    }
}

fn any(op: TextTest, value: Operand, texts: &[&[u8]]) -> Cond {
    let single =
        |text: &[u8]| Cond::TextTest { op, left: value.clone(), right: Operand::Literal(text.into()) };
    // Every text that is present has the empty one.
    if texts.iter().any(|text| text.is_empty()) {
        return single(b"");
    }
    let any = AnyText::new(op, texts);
    match any.texts.as_slice() {
        [only] => single(only),
        _ => Cond::TextAny { value, any },
    }
}

impl AnyText {
    /// Of texts that are not empty, at least one.
    fn new(op: TextTest, texts: &[&[u8]]) -> AnyText {
        let mut texts: Vec<Box<[u8]>> = texts.iter().map(|text| Box::from(*text)).collect();
        match op {
            TextTest::Contains => {
                texts.sort_unstable();
                texts.dedup();
            }
            TextTest::StartsWith => {
                texts.sort_unstable();
                texts.dedup_by(|longer, shorter| longer.starts_with(shorter));
            }
            TextTest::EndsWith => {
                texts.sort_unstable_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
                texts.dedup_by(|longer, shorter| longer.ends_with(shorter));
            }
        }
        AnyText { op, texts, search: None }
    }

    /// Where the texts have to stand.
    pub(crate) fn op(&self) -> TextTest {
        self.op
    }

    pub(crate) fn texts(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// Memory of the automaton.
    pub(crate) fn bytes(&self) -> usize {
        match self.search.as_deref() {
            Some(Search::Dfa(dfa)) => dfa.memory_usage(),
            Some(Search::Nfa(nfa)) => nfa.memory_usage(),
            None => 0,
        }
    }

    /// Makes the automaton, which conditions that only come and go while others are made do without.
    pub(super) fn prepare(&mut self) {
        if self.op == TextTest::Contains && self.search.is_none() {
            self.search = Search::build(&self.texts).map(Arc::new);
        }
    }

    /// Whether one of the texts stands where it has to.
    pub(super) fn holds(&self, text: &Got<'_>) -> bool {
        match (self.op, text) {
            (TextTest::StartsWith, text) => {
                self.candidate(|part| text.order(&Got::Slice(part))).is_some_and(|part| text.has_at(0, part))
            }
            (TextTest::EndsWith, text) => {
                let len = text.len();
                self.candidate(|part| text.order_from_end(part))
                    .is_some_and(|part| len.checked_sub(part.len()).is_some_and(|at| text.has_at(at, part)))
            }
            (TextTest::Contains, Got::Slice(text)) => self.is_in(text),
            (TextTest::Contains, Got::Joined(..)) => match self.search.as_deref() {
                Some(Search::Dfa(dfa)) => steps(dfa, text),
                Some(Search::Nfa(nfa)) => steps(nfa, text),
                None => self.texts.iter().any(|part| {
                    let places = (text.len() + 1).saturating_sub(part.len());
                    (0..places).any(|at| text.has_at(at, part))
                }),
            },
        }
    }

    /// Whether one of the texts is anywhere in these bytes.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        match self.search.as_deref() {
            Some(Search::Dfa(dfa)) => finds(dfa, text),
            Some(Search::Nfa(nfa)) => finds(nfa, text),
            None => self.texts.iter().any(|part| memchr::memmem::find(text, part).is_some()),
        }
    }

    /// The greatest text that is not after the one looked at: if any stands at its start (end), this one does, since
    /// whatever lies between the two would begin (end) with it as well.
    fn candidate(&self, order: impl Fn(&[u8]) -> Ordering) -> Option<&[u8]> {
        let after = self.texts.partition_point(|part| order(part).is_ge());
        self.texts.get(after.checked_sub(1)?).map(AsRef::as_ref)
    }
}

/// The automaton follows from the rest.
impl PartialEq for AnyText {
    fn eq(&self, other: &AnyText) -> bool {
        self.op == other.op && self.texts == other.texts
    }
}

impl Eq for AnyText {}

impl Hash for AnyText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.op.hash(state);
        self.texts.hash(state);
    }
}

impl Search {
    /// `None` where it would be too large.
    fn build(texts: &[Box<[u8]>]) -> Option<Search> {
        // Only kinds that end at the leftmost match have the prefilter that looks for several texts at once.
        let kind = MatchKind::LeftmostFirst;
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        if bytes > DFA_NEEDLE_BYTES_MAX {
            return nfa::contiguous::Builder::new().match_kind(kind).build(texts).ok().map(Search::Nfa);
        }
        let mut builder = dfa::Builder::new();
        builder.match_kind(kind).start_kind(StartKind::Unanchored);
        builder.build(texts).ok().map(Search::Dfa)
    }
}

fn finds(automaton: &impl Automaton, text: &[u8]) -> bool {
    let input = Input::new(text).earliest(true);
    automaton.try_find(&input).expect("both automata search unanchored").is_some()
}

fn steps(automaton: &impl Automaton, text: &Got<'_>) -> bool {
    let mut state = automaton.start_state(Anchored::No).expect("both automata search unanchored");
    for byte in text.bytes() {
        state = automaton.next_state(Anchored::No, state, byte);
        if automaton.is_special(state) {
            if automaton.is_match(state) {
                return true;
            }
            if automaton.is_dead(state) {
                return false;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
