//! Walks the steps of a route: conditions are asked, the steps in force are shown, the end is returned.

use crate::plan::{Effect, PredicateId, Terminal};

/// Shows each step in force to `visit` and returns the terminal that is reached.
///
/// `test` answers conditions, normally with `Program::test`. Skips are not shown. `None` means that the steps ended
/// without a terminal, which no checked program does.
pub fn walk<'e>(
    effects: &'e [Effect],
    mut test: impl FnMut(PredicateId) -> bool,
    mut visit: impl FnMut(&'e Effect),
) -> Option<&'e Terminal> {
    let mut at = 0usize;
    while let Some(effect) = effects.get(at) {
        at += 1;
        match effect {
            Effect::SkipUnless { test: condition, count } => {
                if !test(*condition) {
                    at += *count as usize;
                }
            }
            Effect::Skip { count } => at += *count as usize,
            Effect::End(terminal) => return Some(terminal),
            Effect::Set { .. }
            | Effect::Add { .. }
            | Effect::Remove { .. }
            | Effect::RewritePath(_)
            | Effect::RewriteHost(_)
            | Effect::StripSegments(_) => visit(effect),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(holds: bool) -> (usize, Option<u16>) {
        let effects = [
            Effect::StripSegments(1),
            Effect::SkipUnless { test: 0, count: 2 },
            Effect::StripSegments(2),
            Effect::Skip { count: 1 },
            Effect::End(Terminal::Respond { status: 403, body: None }),
            Effect::End(Terminal::Respond { status: 200, body: None }),
        ];
        let mut seen = 0;
        let end = walk(&effects, |_| holds, |_| seen += 1);
        let status = match end {
            Some(Terminal::Respond { status, .. }) => Some(*status),
            Some(Terminal::To { .. } | Terminal::Redirect { .. } | Terminal::NotFound) | None => None,
        };
        (seen, status)
    }

    #[test]
    fn conditions_choose_the_steps() {
        assert_eq!(run(true), (2, Some(200)));
        assert_eq!(run(false), (1, Some(403)));
    }
}
