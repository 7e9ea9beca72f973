//! Sound files cut and changed at every token: each ends quickly, in a program or in reasons that can be shown.

use crate::diagnostic::Diagnostic;
use crate::scan::Scan;
use crate::{Level, check, parse};
use std::time::{Duration, Instant};

/// The examples, as users copy and change them.
const EXAMPLES: [&str; 7] = [
    include_str!("../../../../examples/01-quickstart.twp"),
    include_str!("../../../../examples/02-sites.twp"),
    include_str!("../../../../examples/03-groups-and-guards.twp"),
    include_str!("../../../../examples/04-headers-and-rewrites.twp"),
    include_str!("../../../../examples/05-redirects-and-maintenance.twp"),
    include_str!("../../../../examples/06-captures.twp"),
    include_str!("../../../../examples/07-upstreams-and-limits.twp"),
];
/// Far more than any of them takes, even on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(1);
/// What is put in place of a token, in turns: marks, words, literals and what the language does not have.
const OTHERS: &[&str] = &[
    "}",
    "{",
    "\"",
    "${",
    "route",
    "9",
    "not",
    "/x",
    "[",
    "=",
    "é",
    "10.0.0.0/8",
    "when",
    ")",
    "to",
    "5s",
    ";",
    "\n",
    "'",
    "re\"(\"",
    "request",
    ":",
    "/*",
    "site",
    "-",
];

/// How many changed texts were sound and how many were not.
#[derive(Debug, Default)]
struct Seen {
    sound: usize,
    refused: usize,
}

impl Seen {
    #[expect(clippy::disallowed_methods, reason = "how long a text may take is what is tested")]
    fn check(&mut self, text: &str) {
        let began = Instant::now();
        let (tree, read) = parse(text);
        let (program, found) = check(&tree);
        let took = began.elapsed();
        assert!(took < TIME_MAX, "it took {took:?}:\n{text}");
        let errors = |found: &[Diagnostic]| found.iter().filter(|one| one.level == Level::Error).count();
        let errors = (errors(&read), errors(&found));
        assert!(program.is_none() || errors.1 == 0, "a program with errors:\n{text}\n{found:#?}");
        assert!(program.is_some() || errors != (0, 0), "no program and no reason:\n{text}");
        for diagnostic in read.iter().chain(&found) {
            let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
            let patches = diagnostic.helps.iter().flat_map(|help| &help.patches);
            for span in labels.map(|label| label.span).chain(patches.map(|patch| patch.span)) {
                assert!(text.get(span.range()).is_some(), "no place of the text: {diagnostic:#?}\n{text}");
            }
        }
        *if errors == (0, 0) { &mut self.sound } else { &mut self.refused } += 1;
    }
}

#[test]
fn files_cut_and_changed_at_every_token_are_checked() {
    let mut changed = Seen::default();
    for text in EXAMPLES {
        let mut unchanged = Seen::default();
        unchanged.check(text);
        assert_eq!(unchanged.sound, 1, "an example is sound:\n{text}");
        change_every_token(text, &mut changed);
    }
    // Were nearly everything refused, or nothing, the changes would not be near to what people write.
    assert!(changed.sound > 80 && changed.refused > 2_000, "{changed:?}");
}

fn change_every_token(text: &str, seen: &mut Seen) {
    let scan = Scan::new(text);
    let words: Vec<&str> = scan.tokens().iter().map(|token| scan.str(token)).collect();
    for (number, token) in scan.tokens().iter().enumerate().filter(|(_, token)| !token.kind.is_trivia()) {
        let (before, word, after) = (&text[..token.start], words[number], &text[token.end..]);
        let other = OTHERS[(seen.sound + seen.refused) % OTHERS.len()];
        seen.check(before);
        seen.check(&format!("{before}{other}{after}"));
        seen.check(&match number % 4 {
            0 => format!("{before}{after}"),
            1 => format!("{before}{word} {word}{after}"),
            2 => format!("{before}{other} {word}{after}"),
            _ => format!("{before}{}{after}", &word[..half(word)]),
        });
    }
}

/// About the middle of a token, between two characters.
fn half(token: &str) -> usize {
    (0..=token.len() / 2).rev().find(|at| token.is_char_boundary(*at)).unwrap_or(0)
}
