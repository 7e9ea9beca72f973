//! The walk over the words of the tables that takes every decision. It allocates nothing and ends, since runs only
//! lead on along a graph without cycles.

use super::hosts::find_text;
use super::kept::{Kept, Range};
use super::words::{Goal, Op, Span, byte, high, is_text, low, text_words};
use super::{Asks, Watch};
use crate::abi::{METHOD_OTHER, View};
use crate::capture::Class;
use crate::ir::{LinearRoute, OtherMethods, SegTest, TailTest};
use crate::plan::{PredicateId, RouteId};
use crate::predicate::regex::RegexTables;

/// What a walk reads.
pub(super) struct Walk<'a, 'v, T> {
    pub(super) words: &'a [u64],
    pub(super) kept: &'a Kept,
    pub(super) asks: &'a Asks<'a, T>,
    pub(super) view: &'a View<'v>,
}

impl<T: Fn(PredicateId) -> bool> Walk<'_, '_, T> {
    /// The route that a goal leads to.
    #[inline]
    pub(super) fn from(&self, mut goal: u32, watch: &mut impl Watch) -> Option<RouteId> {
        while let Some(at) = Goal::word(goal) {
            goal = self.run(at, watch);
        }
        Goal::route(goal)
    }

    /// Reads a run of words until one says to go elsewhere.
    #[inline]
    fn run(&self, mut at: usize, watch: &mut impl Watch) -> u32 {
        let words = self.words;
        loop {
            watch.step();
            watch.read(&words[at]);
            let word = words[at];
            let depth = usize::from(byte(word, 1));
            let goes_on = match Op::of(word) {
                Op::Go | Op::Key => false,
                Op::MethodIn => low(word) >> (16 + usize::from(self.view.method).min(9)) & 1 != 0,
                Op::Methods => {
                    let method = usize::from(self.view.method).min(9);
                    watch.read(&words[at + 1 + method / 2]);
                    let two = words[at + 1 + method / 2];
                    return if method.is_multiple_of(2) { low(two) } else { high(two) };
                }
                Op::Longer => self.view.n_segments() > depth,
                Op::Ends => self.ends(byte(word, 2), depth),
                op @ (Op::Text | Op::Unlike) => {
                    let behind = at + 1..at + 1 + text_words(usize::from(byte(word, 3)));
                    at = behind.end - 1;
                    self.equals(word, depth, &words[behind], watch) == (op == Op::Text)
                }
                Op::Long => {
                    at += 1;
                    self.kept.edge(low(words[at])).0 != self.segment(depth)
                }
                Op::Probe => {
                    watch.read(&words[at + 1]);
                    let table = words[at + 1];
                    match self.view.segments(depth, 1).and_then(|text| find_text(words, table, text, watch)) {
                        Some((_, behind)) => {
                            at = behind;
                            continue;
                        }
                        None => false,
                    }
                }
                Op::Class => takes(byte(word, 2), self.segment(depth), self.asks.regexes),
                Op::Typed => {
                    at += 1;
                    watch.read(&words[at]);
                    let capture = &self.kept.captures[low(words[at]) as usize];
                    watch.read(capture);
                    capture.matches(self.segment(depth), self.asks.regexes)
                }
                Op::Test => (self.asks.test)(low(word) >> 8),
                Op::Linear => {
                    let range = Range { first: low(words[at + 1]), count: high(words[at + 1]) };
                    return self.linear(range, watch).map_or(Goal::Miss, Goal::Route).encode();
                }
            };
            if !goes_on {
                return high(word);
            }
            at += 1;
        }
    }

    /// Whether segments from `depth` on are the text behind a word and the path goes on as it says.
    #[inline]
    fn equals(&self, word: u64, depth: usize, text: &[u64], watch: &mut impl Watch) -> bool {
        let span = byte(word, 2);
        let count = Span::segments(span);
        let Some(segments) = self.view.segments(depth, count) else { return false };
        if segments.len() != usize::from(byte(word, 3)) {
            return false;
        }
        for word in text {
            watch.read(word);
        }
        is_text(segments, text) && (Span::is_open(span) || self.ends(span, depth + count))
    }

    /// Whether the path ends after `n` segments, as a span says.
    #[inline]
    fn ends(&self, span: u8, n: usize) -> bool {
        let count = self.view.n_segments();
        count <= n || (Span::may_have_slash(span) && count == n + 1 && self.segment(n).is_empty())
    }

    #[inline]
    fn segment(&self, depth: usize) -> &[u8] {
        self.view.segments(depth, 1).unwrap_or_default()
    }

    #[cold]
    fn linear(&self, range: Range, watch: &mut impl Watch) -> Option<RouteId> {
        let taking = self.kept.linear(range).iter().find(|route| {
            watch.step();
            watch.read(*route);
            self.takes(route)
        });
        taking.map(|route| route.route)
    }

    fn takes(&self, route: &LinearRoute) -> bool {
        let (view, test) = (self.view, &self.asks.test);
        let method = if view.method == METHOD_OTHER {
            match route.methods.other {
                OtherMethods::None => false,
                OtherMethods::All => true,
                OtherMethods::If(predicate) => test(predicate),
            }
        } else {
            route.methods.known & 1u16.checked_shl(u32::from(view.method)).unwrap_or(0) != 0
        };
        method && self.path_fits(route) && route.guard.iter().all(|id| test(*id))
    }

    fn path_fits(&self, route: &LinearRoute) -> bool {
        let n = route.segments.len();
        let Some(after) = self.view.n_segments().checked_sub(n) else { return false };
        let tail = match route.tail {
            TailTest::End => after == 0,
            TailTest::EndOrSlash => after == 0 || (after == 1 && self.view.segment(n) == Some(b"")),
            TailTest::Rest => after > 0,
            TailTest::Below => true,
        };
        tail && route.segments.iter().enumerate().all(|(depth, wanted)| {
            let segment = self.segment(depth);
            match wanted {
                SegTest::Literal(text) => text.as_bytes() == segment,
                SegTest::Capture(capture) => {
                    self.kept.captures[*capture as usize].matches(segment, self.asks.regexes)
                }
            }
        })
    }
}

/// The number of a class that needs no table.
pub(super) fn class_number(class: Class) -> Option<u8> {
    match class {
        Class::Segment => Some(0),
        Class::Int => Some(1),
        Class::Uuid => Some(2),
        Class::Slug => Some(3),
        Class::Hex => Some(4),
        Class::Regex(_) => None,
    }
}

#[inline]
fn takes(class: u8, segment: &[u8], regexes: &RegexTables) -> bool {
    let class = match class {
        0 => return !segment.is_empty(),
        1 => Class::Int,
        2 => Class::Uuid,
        3 => Class::Slug,
        _ => Class::Hex,
    };
    class.takes(segment, regexes)
}
