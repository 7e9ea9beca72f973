//! The words that tables consist of: what one says, and how texts lie among them.
//!
//! A word says what is asked (the lowest byte), about which segment, and in its upper half where to go when the answer
//! is no, so that a run of words whose answers are yes is read from one end to the other. Words lie in lines of eight,
//! as the memory's do, and a run begins where it needs the fewest lines.

use crate::plan::RouteId;
use crate::text_map;

/// Words of a line of memory.
pub(super) const LINE: usize = 8;
/// Longest text beside a word of its own; longer ones stay with the kept graph.
pub(super) const TEXT_MAX: usize = 255;
/// Most segments that one word compares.
pub(super) const SPAN_MAX: usize = 63;

/// What a word asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Op {
    /// Nothing: it goes where the upper half says.
    Go,
    /// Whether the method is in a set.
    MethodIn,
    /// Which method: the five words behind hold the ways.
    Methods,
    /// Whether the path goes on after `depth` segments.
    Longer,
    /// Whether the path ends after `depth` segments, as `Span::end` says.
    Ends,
    /// Whether segments are the text behind.
    Text,
    /// The same with the ways swapped: when they are not, the word behind the text comes next.
    Unlike,
    /// Whether the segment is the text of an edge, whose number is the word behind.
    Long,
    /// Which of many texts the segment is: the word behind tells where their places are.
    Probe,
    /// Whether a segment is of a class.
    Class,
    /// Whether a segment passes a capture's test; the word behind is its number.
    Typed,
    /// Whether a condition holds.
    Test,
    /// Which of the routes of a list takes the request; the word behind is their range.
    Linear,
    /// Begins the text of a place in a probed table.
    Key,
}

impl Op {
    const ALL: [Op; 14] = [
        Op::Go,
        Op::MethodIn,
        Op::Methods,
        Op::Longer,
        Op::Ends,
        Op::Text,
        Op::Unlike,
        Op::Long,
        Op::Probe,
        Op::Class,
        Op::Typed,
        Op::Test,
        Op::Linear,
        Op::Key,
    ];

    /// What a word asks. Only words made by [`word`] are asked.
    #[inline]
    pub(super) fn of(word: u64) -> Op {
        Op::ALL.get(usize::from(byte(word, 0))).copied().unwrap_or(Op::Go)
    }
}

/// How a path has to go on after the segments that a word compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Somehow.
    Open,
    /// Not at all.
    Here,
    /// Not at all, or with one slash.
    HereOrSlash,
}

/// Segments that are looked at together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// How many.
    pub(super) segments: usize,
    /// What may follow.
    pub(super) end: End,
}

impl Span {
    pub(super) const ONE: Span = Span { segments: 1, end: End::Open };

    pub(super) fn encode(self) -> u8 {
        let end = match self.end {
            End::Open => 0,
            End::Here => 0x40,
            End::HereOrSlash => 0x80,
        };
        u8::try_from(self.segments).unwrap_or(u8::MAX) & 0x3F | end
    }

    /// How many segments a byte stands for.
    #[inline]
    pub(super) fn segments(byte: u8) -> usize {
        usize::from(byte & 0x3F)
    }

    /// Whether anything may follow.
    #[inline]
    pub(super) fn is_open(byte: u8) -> bool {
        byte < 0x40
    }

    /// Whether one slash may follow.
    #[inline]
    pub(super) fn may_have_slash(byte: u8) -> bool {
        byte >= 0x80
    }
}

/// Where to go on: a word, a route, or nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Word(u32),
    Route(RouteId),
    Miss,
}

impl Goal {
    const ROUTE: u32 = 1 << 31;
    const MISS: u32 = u32::MAX;

    pub(super) fn encode(self) -> u32 {
        match self {
            // Words are numbered below 2^31: that many would be 16 GiB.
            Goal::Word(at) => at,
            // Routes are at most a million.
            Goal::Route(route) => Goal::ROUTE | route,
            Goal::Miss => Goal::MISS,
        }
    }

    /// The word that a goal names; the others are ends.
    #[inline]
    pub(super) fn word(goal: u32) -> Option<usize> {
        (goal & Goal::ROUTE == 0).then_some(goal as usize)
    }

    /// The route of a goal that is an end.
    #[inline]
    pub(super) fn route(goal: u32) -> Option<RouteId> {
        (goal != Goal::MISS).then_some(goal & !Goal::ROUTE)
    }
}

/// A word; the upper half is filled in when it is known where the other answer leads.
pub(super) fn word(op: Op, depth: u8, a: u8, b: u8) -> u64 {
    u64::from(u32::from_le_bytes([op as u8, depth, a, b]))
}

/// A byte of a word, counted from the lowest.
#[inline]
pub(super) fn byte(word: u64, index: usize) -> u8 {
    #[expect(clippy::cast_possible_truncation, reason = "one byte is meant")]
    let byte = (word >> (8 * index)) as u8;
    byte
}

/// The lower half of a word.
#[inline]
pub(super) fn low(word: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    let low = word as u32;
    low
}

/// The upper half of a word.
#[inline]
pub(super) fn high(word: u64) -> u32 {
    low(word >> 32)
}

/// A word of two halves.
pub(super) fn halves(high: u32, low: u32) -> u64 {
    (u64::from(high) << 32) | u64::from(low)
}

/// How many words a text takes.
#[inline]
pub(super) fn text_words(len: usize) -> usize {
    len.div_ceil(8)
}

/// The words of a text: eight bytes each, of which the last eight may overlap those before.
pub(super) fn text(text: &[u8]) -> impl Iterator<Item = u64> {
    let whole = text.chunks_exact(8).filter_map(|eight| eight.first_chunk::<8>().copied());
    let rest = match text.last_chunk::<8>() {
        Some(last) if !text.len().is_multiple_of(8) => Some(u64::from_le_bytes(*last)),
        None if !text.is_empty() => Some(text_map::short(text)),
        Some(_) | None => None,
    };
    whole.map(u64::from_le_bytes).chain(rest)
}

/// Whether a text is the one whose words these are; they are as many as [`text_words`] says for its length.
#[inline]
pub(super) fn is_text(text: &[u8], words: &[u64]) -> bool {
    let Some(last) = text.last_chunk::<8>() else {
        return words.first().is_none_or(|word| *word == text_map::short(text));
    };
    let same = |(eight, word): (&[u8], &u64)| {
        eight.first_chunk::<8>().is_some_and(|eight| u64::from_le_bytes(*eight) == *word)
    };
    text.chunks_exact(8).zip(words).all(same) && words.last() == Some(&u64::from_le_bytes(*last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_itself_and_no_other() {
        let long = b"abcdefghijklmnopqrstuvwxyz";
        for len in 0..=long.len() {
            let words: Vec<u64> = text(&long[..len]).collect();
            assert_eq!(words.len(), text_words(len));
            assert!(is_text(&long[..len], &words));
            for at in 0..len {
                let mut other = long[..len].to_vec();
                other[at] ^= 1;
                assert!(!is_text(&other, &words), "{len} {at}");
            }
        }
    }

    #[test]
    fn words_say_what_they_were_made_of() {
        for op in Op::ALL {
            assert_eq!(Op::of(word(op, 1, 2, 3)), op);
        }
        assert_eq!(
            [Goal::Word(7), Goal::Route(7), Goal::Miss].map(|goal| Goal::word(goal.encode())),
            [Some(7), None, None]
        );
        for route in [0, 1_000_000] {
            assert_eq!(Goal::route(Goal::Route(route).encode()), Some(route));
        }
        assert_eq!(Goal::route(Goal::Miss.encode()), None);
        for (end, open, slash) in
            [(End::Open, true, false), (End::Here, false, false), (End::HereOrSlash, false, true)]
        {
            let byte = Span { segments: SPAN_MAX, end }.encode();
            assert_eq!(
                (Span::segments(byte), Span::is_open(byte), Span::may_have_slash(byte)),
                (SPAN_MAX, open, slash)
            );
        }
    }
}
