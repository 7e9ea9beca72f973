//! What a native function of the graph answers: what to do next in the upper half, a number in the lower.

use crate::plan::RouteId;
use crate::table::Start;

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// This route.
    Route(RouteId),
    /// No route.
    Miss,
    /// The tables go on here.
    Table(Start),
    /// This function goes on.
    Function(u32),
}

impl Answer {
    pub(crate) const fn encode(self) -> u64 {
        let (tag, number) = match self {
            Answer::Route(route) => (0, route),
            Answer::Miss => (1, 0),
            Answer::Table(start) => (2, start.0),
            Answer::Function(function) => (3, function),
        };
        // A cast, for lack of constant conversions; it widens.
        (tag << 32) | number as u64
    }

    pub(crate) const fn decode(answer: u64) -> Option<Answer> {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is the number")]
        let number = answer as u32;
        Some(match answer >> 32 {
            0 => Answer::Route(number),
            1 => Answer::Miss,
            2 => Answer::Table(Start(number)),
            3 => Answer::Function(number),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_survive_encoding() {
        let answers = [Answer::Route(7), Answer::Miss, Answer::Table(Start(u32::MAX)), Answer::Function(3)];
        assert_eq!(answers.map(|answer| Answer::decode(answer.encode())), answers.map(Some));
        assert_eq!(Answer::decode(u64::MAX), None);
    }
}
