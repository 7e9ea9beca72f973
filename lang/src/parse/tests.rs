//! The pieces together accept what the grammar accepts; any text ends quickly; each kind of mistake has its place.

mod nodes;
mod parts;

use super::grammar::{Grammar, Rule};
use super::walk::Walk;
use crate::diagnostic::{Diagnostic, Level};
use crate::parse;
use crate::scan::Scan;
use pest::Parser as _;

const CORPUS: &[(&str, &str)] = &[
    ("01_simple", include_str!("../../tests/corpus/01_simple.twp")),
    ("02_multisite", include_str!("../../tests/corpus/02_multisite.twp")),
    ("03_canary", include_str!("../../tests/corpus/03_canary.twp")),
    ("04_gateway", include_str!("../../tests/corpus/04_gateway.twp")),
    ("05_spa", include_str!("../../tests/corpus/05_spa.twp")),
    ("06_l4", include_str!("../../tests/corpus/06_l4.twp")),
    ("07_realtime", include_str!("../../tests/corpus/07_realtime.twp")),
    ("08_forward", include_str!("../../tests/corpus/08_forward.twp")),
    ("90_kitchen", include_str!("../../tests/corpus/90_kitchen.twp")),
    ("91_daily", include_str!("../../tests/corpus/91_daily.twp")),
    ("95_forms", include_str!("../../tests/corpus/95_forms.twp")),
];

/// A small generator of numbers (xorshift64), so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).expect("less than a usize")
    }
}

fn grammar_accepts(text: &str) -> bool {
    Grammar::parse(Rule::program, text).is_ok()
}

fn walk_accepts(text: &str) -> bool {
    let scan = Scan::new(text);
    let mut walk = Walk::new(&scan, 0);
    walk.file();
    walk.failures == 0
}

fn compare(name: &str, text: &str) {
    let (grammar, walk) = (grammar_accepts(text), walk_accepts(text));
    assert_eq!(grammar, walk, "{name}: grammar {grammar}, pieces {walk}:\n{text}");
    let (_, diagnostics) = parse(text);
    let refused = diagnostics.iter().any(|d| d.level == Level::Error);
    assert!(grammar || refused, "{name}: refused without a diagnostic:\n{text}");
    for diagnostic in &diagnostics {
        well_formed(diagnostic, text);
    }
}

fn well_formed(diagnostic: &Diagnostic, text: &str) {
    let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
    let patches = diagnostic.helps.iter().flat_map(|help| &help.patches);
    for span in labels.map(|label| label.span).chain(patches.map(|patch| patch.span)) {
        assert!(text.get(span.range()).is_some(), "{span:?} is no place of the text: {diagnostic:?}");
    }
    assert!(diagnostic.secondary.len() <= 3);
    assert!(!diagnostic.message.ends_with('.'), "{}", diagnostic.message);
}

#[test]
fn the_corpus_is_accepted() {
    for (name, text) in CORPUS {
        let (tree, diagnostics) = parse(text);
        assert_eq!(diagnostics, [], "{name}");
        assert!(!tree.items.is_empty(), "{name}");
        compare(name, text);
    }
}

#[test]
fn pieces_accept_what_the_grammar_accepts() {
    let rounds = 60;
    let mut accepted = 0;
    for (name, text) in CORPUS {
        let scan = Scan::new(text);
        let tokens: Vec<&str> = scan.tokens().iter().map(|token| scan.str(token)).collect();
        for round in 0..rounds {
            let seed = 0x9e37_79b9_7f4a_7c15 ^ (round + 1);
            let mutant = mutate(&tokens, &mut Random(seed));
            compare(&format!("{name}, seed {seed}"), &mutant);
            accepted += usize::from(grammar_accepts(&mutant));
        }
    }
    // Were nearly everything refused, agreement would mean little.
    assert!(accepted > CORPUS.len() * 5, "only {accepted} mutants were accepted");
}

/// What a file gives with and without the quick reading of the commonest parts.
fn both_ways(name: &str, text: &str) -> usize {
    let scan = Scan::new(text);
    let mut quick = Walk::new(&scan, 0);
    let tree = quick.file();
    let mut plain = Walk::new(&scan, 0);
    plain.is_quick = false;
    assert_eq!(tree, plain.file(), "{name}:\n{text}");
    assert_eq!(quick.build.diagnostics, plain.build.diagnostics, "{name}:\n{text}");
    usize::from(plain.failures == 0)
}

#[test]
fn quick_parts_are_what_the_grammar_gives() {
    for (name, text) in CORPUS {
        both_ways(name, text);
        let scan = Scan::new(text);
        let tokens: Vec<&str> = scan.tokens().iter().map(|token| scan.str(token)).collect();
        for round in 0..20 {
            let seed = 0x2545_f491_4f6c_dd1d ^ (round + 1);
            both_ways(&format!("{name}, seed {seed}"), &mutate(&tokens, &mut Random(seed)));
        }
    }
}

/// What a hand may put into a head or an answer.
const QUICK_PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "\n",
    " // x\n",
    " /// x\n",
    "route ",
    "route",
    "to ",
    "to",
    "GET",
    "GET|POST",
    "G",
    "GET | PUT",
    "/",
    "/",
    "/a",
    "/a-b.c",
    "/$x",
    "/${",
    "{id}",
    "{id:int}",
    "{id:Kind}",
    "{id:re\"a\"}",
    "{rest...}",
    "{rest..}",
    "{when}",
    "//",
    "as name",
    "as when",
    "as",
    "when",
    "when true",
    "when client.ip in [10.0.0.0/8]",
    "when x {}",
    "{",
    "{",
    "}",
    "app",
    "app.b",
    "app:80",
    "http://x",
    "http",
    "{ timeout: 1s }",
    "respond 200",
    "10.0.0.1:80",
    "é",
];

/// Heads and answers from all pieces that may stand in them, in every order that a hand can slip into.
#[test]
fn quick_parts_of_any_pieces_are_what_the_grammar_gives() {
    let mut accepted = 0;
    for seed in 1..4000_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut text = "site a.test { route ".to_owned();
        let shape: &[&str] = match random.below(4) {
            0 => &["/a", " ", "as name", " ", "{ to app }"],
            1 => &["GET", " ", "/a/{id:int}", " ", "when true", " ", "{", " to app ", "}"],
            2 => &["/{rest...}", "{", "to ", "app", "}", " to ", "app"],
            _ => &[],
        };
        let mut pieces = shape.to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(pieces.len() + 1);
            pieces.insert(at, QUICK_PIECES[random.below(QUICK_PIECES.len())]);
        }
        if random.below(2) == 0 && pieces.len() > 2 {
            pieces.remove(random.below(pieces.len()));
        }
        text.push_str(&pieces.concat());
        text.push_str(" }");
        accepted += both_ways(&format!("seed {seed}"), &text);
    }
    // Were nearly everything refused, agreement would mean little.
    assert!(accepted > 400, "only {accepted} were accepted");
}

/// One or two tokens deleted, repeated, moved or put in from elsewhere.
fn mutate(tokens: &[&str], random: &mut Random) -> String {
    const FOREIGN: &[&str] =
        &["{", "}", "(", ")", "[", "]", ";", "\"", "'", "#", " close ", " group ", ":", "=", "/*", "//", "é"];
    let mut tokens = tokens.to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(tokens.len());
        match random.below(5) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at]),
            2 => tokens.insert(at, tokens[random.below(tokens.len())]),
            3 => tokens.insert(at, FOREIGN[random.below(FOREIGN.len())]),
            _ => {
                let other = random.below(tokens.len());
                tokens.swap(at, other);
            }
        }
    }
    tokens.concat()
}

#[test]
fn every_beginning_of_a_file_ends_quickly() {
    for (name, text) in CORPUS {
        // Declarations before the cut one are whole, and were read before; leaving them out keeps the test quick.
        let mut declaration = 0;
        for (at, _) in text.char_indices() {
            if text[..at].ends_with("\n}\n") {
                declaration = at;
            }
            let beginning = &text[declaration..at];
            let (_, diagnostics) = parse(beginning);
            assert!(diagnostics.len() <= 40, "{name} cut at {at}: {} diagnostics", diagnostics.len());
            for diagnostic in &diagnostics {
                well_formed(diagnostic, beginning);
            }
        }
    }
}

#[test]
fn any_text_ends_quickly() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "${",
        "'",
        "/",
        "*",
        "\n",
        " ",
        "site",
        "a",
        "route",
        "when",
        "if",
        "not",
        "then",
        "else",
        "\\",
        "r#\"",
        "re\"",
        "//",
        "/*",
        "é",
        "\u{202e}",
        "0",
        ".",
        ":",
        "=",
        "edition 1\n",
        "\u{0}",
        "@",
        "to ",
    ];
    for round in 0..3000u64 {
        let seed = 0xd1b5_4a32_d192_ed03 ^ (round + 1);
        let mut random = Random(seed);
        let length = 1 + random.below(60);
        let text: String = (0..length).map(|_| PIECES[random.below(PIECES.len())]).collect();
        compare(&format!("seed {seed}"), &text);
    }
}

#[test]
fn long_and_deep_texts_are_refused_in_bounded_time() {
    let deep =
        ["{", "(", "[", "a{", "a(", "x=\"${", "group{", "site a{", "not ", "if a then ", "a.b", "f(", "-"];
    for piece in deep {
        let text = format!("edition 1\nrule x = {}", piece.repeat(20_000));
        let (_, diagnostics) = parse(&text);
        assert!(diagnostics.iter().any(|d| d.level == Level::Error), "{piece}");
        assert!(diagnostics.len() <= crate::limits::DIAGNOSTICS_MAX, "{piece}");
    }
    let chain = format!("site a {{ {} {{ }} }}", "when x { } else ".repeat(5000));
    assert!(parse(&chain).1.iter().any(|d| d.level == Level::Error));
    let huge = " ".repeat(crate::limits::SOURCE_BYTES_MAX + 1);
    assert_eq!(codes(&huge), ["E0100"]);
}

#[test]
fn time_is_linear_in_broken_lines() {
    // Each line is broken in its own way; two hundred times the lines must not take thousands of times the steps.
    let lines =
        "site a { to x; }\nrout /a { to b }\nconst x = (1\n\"open\nsite b { route /* { when a && b { } } }\n";
    let (_, diagnostics) = parse(&format!("edition 1\n{}", lines.repeat(2000)));
    assert_eq!(diagnostics.len(), crate::limits::DIAGNOSTICS_MAX);
}

fn codes(text: &str) -> Vec<&'static str> {
    parse(text).1.iter().map(|diagnostic| diagnostic.code).collect()
}

/// The code, the text of the primary place and the first help of each error in a file with an edition.
fn mistakes(text: &str) -> Vec<(&'static str, String, String)> {
    let text = format!("edition 1\n{text}");
    let (_, diagnostics) = parse(&text);
    let mistakes = diagnostics.iter().map(|diagnostic| {
        let help = diagnostic.helps.first().map(|help| help.text.clone()).unwrap_or_default();
        (diagnostic.code, text[diagnostic.primary.span.range()].to_owned(), help)
    });
    mistakes.collect()
}

fn one(text: &str, code: &str, place: &str, help: &str) {
    let found = mistakes(text);
    let expected = (code, place.to_owned(), help.to_owned());
    assert_eq!(found.len(), 1, "{text}\n{found:?}");
    assert_eq!((found[0].0, found[0].1.clone(), found[0].2.clone()), expected, "{text}");
}

#[test]
fn habits_of_other_languages_are_named() {
    one("site a { route GET /a { to app; } }", "E0103", ";", "remove it; statements need no separator");
    one("site a { # note\n to app }", "E0112", "#", "write `//`");
    one(
        "site a { /* note */\n to app }",
        "E0112",
        "/* note */",
        "comments start with `//` and end with the line",
    );
    one("rule r = a && b", "E0113", "&&", "write `and`");
    one("rule r = a || b", "E0113", "||", "write `or`");
    one("rule r = !a", "E0113", "!", "write `not`");
    one("site a { when request.host = \"b\" { to app } }", "E0113", "=", "write `==`");
    one("site a { when b { to c } else if d { to e } }", "E0113", "if", "write `else when`");
    one("site a { when b { to c } elsif d { to e } }", "E0117", "elsif", "write `else when`");
    one("const x = 'it'", "E0114", "'it'", "write `\"it\"`");
    one("site a { if b { to c } }", "E0117", "if", "write `when`");
    for word in ["location /a { to b }", "server_name a;", "proxy_pass http://b;"] {
        let found = mistakes(&format!("site a {{ {word} }}"));
        assert_eq!((found.len(), found[0].0), (1, "E0117"), "{word}: {found:?}");
    }
}

#[test]
fn settings_and_assignments_have_their_marks() {
    one(
        "site a {\n  tls = acme(email: \"ops@example.com\")\n}",
        "E0104",
        "=",
        "write `tls: acme(email: \"ops@example.com\")`",
    );
    one("site a { set request.header[\"x\"]: \"1\"  to b }", "E0123", ":", "replace `:` by `=`");
    one("upstream a { servers [10.0.0.1:80] }", "E0104", "", "write `servers: …` or `servers { … }`");
}

#[test]
fn headers_say_of_which_message() {
    let help = "write `request.header[\"x-a\"]` for what the upstream gets, `response.header[\"x-a\"]` for the client";
    one("site a { set X-A = \"1\"  to b }", "E0118", "X-A", help);
    let found = mistakes("site a { X-A: \"1\"  to b }");
    assert_eq!((found[0].0, found[0].1.as_str(), found.len()), ("E0118", "X-A", 1));
}

#[test]
fn words_are_suggested_and_placed() {
    one("site a { rout GET /a { to b } }", "E0110", "rout", "did you mean `route`?");
    one("upstrem a { servers: [10.0.0.1:80] }", "E0110", "upstrem", "did you mean `upstream`?");
    one("site a { fallbck { to b } }", "E0110", "fallbck", "did you mean `fallback`?");
    one("site a { repsond 200 }", "E0110", "repsond", "did you mean `respond`?");
    one(
        "site a { upstream b { servers: [10.0.0.1:80] } }",
        "E0126",
        "upstream",
        "it stands outside of all blocks; is a `}` missing before it?",
    );
    one("to app", "E0126", "to", "statements stand inside a site, group or route");
}

#[test]
fn paths_and_hosts_are_plain() {
    one(
        "site a { route GET /a/* { to b } }",
        "E0107",
        "*",
        "write `/a/{rest...}`, which matches everything below `/a/`",
    );
    one(
        "site a { route /a?b=1 { to b } }",
        "E0115",
        "?b=1",
        "test fields of the query with `when request.query[\"…\"] == \"…\"`",
    );
    one("site a { route /ü { to b } }", "E0115", "ü", "write `%C3%BC` for `ü`");
    one("site a { route /a/${x} { to b } }", "E0115", "${", "write `{`");
    one("site a { route //a { to b }\n }", "E0115", "//", "a path starts with one `/`");
    one("site a { route /a//b { to b } }", "E0115", "//", "write one `/`");
    one("site a.test:8080 { to b }", "E0116", ":8080", "remove it");
    one("site https://a.test/x { to b }", "E0116", "https://", "write `a.test`");
    one("site münchen.test { to b }", "E0116", "ü", "write the name as DNS has it: `xn--…`");
    one(
        "site a.test/x { to b }",
        "E0116",
        "/x",
        "write `group /x { … }` or `route /x { … }` inside the site",
    );
}

#[test]
fn names_are_small_words() {
    one("upstream App { servers: [10.0.0.1:80] }", "E0119", "App", "write `app`");
    one("upstream my-app { servers: [10.0.0.1:80] }", "E0119", "my-app", "write `my_app`");
    one("upstream route { servers: [10.0.0.1:80] }", "E0119", "route", "choose another name");
    one("site a { to my-app }", "E0119", "my-app", "write `my_app`");
}

#[test]
fn brackets_are_reported_alone() {
    one(
        "site a.test {\n  route GET /a { to app\n}\n\nsite b.test { to app }",
        "E0101",
        "{",
        "insert `}` after `to app`",
    );
    one(
        "site a.test {\n  to app\n}\n}",
        "E0102",
        "}",
        "remove it, or look for a missing opening bracket before it",
    );
    one(
        "upstream a {\n  servers: [10.0.0.1:80\n  balance: x\n}",
        "E0101",
        "[",
        "insert `]` after `10.0.0.1:80`",
    );
    one("site a.test\n  to app\n", "E0121", "", "put what belongs to it between `{` and `}`");
    one("site a.test\n  to app\n}\n", "E0121", "", "put what belongs to it between `{` and `}`");
    one(
        "site a {\n  set request.header[\"x\"] = \"open\n  to b\n}",
        "E0105",
        "\"open",
        "a text ends with `\"` on the line it began on",
    );
}

#[test]
fn values_fit() {
    for (value, code, place) in [
        ("9223372036854775808", "E0131", "9223372036854775808"),
        ("101%", "E0131", "101%"),
        ("99999999999999GiB", "E0131", "99999999999999GiB"),
        ("10.0.0.256", "E0132", "10.0.0.256"),
        ("1:2:3::4:5:6:7:8:9", "E0132", "1:2:3::4:5:6:7:8:9"),
        ("10.0.0.0/33", "E0133", "33"),
        ("10.0.0.1:65536", "E0134", "65536"),
        ("\"a\\u{d800}\"", "E0135", "\\u{d800}"),
        ("a < b < c", "E0124", "<"),
        ("\"a\\q\"", "E0136", "\\q"),
    ] {
        let found = mistakes(&format!("const x = {value}"));
        assert_eq!(found.len(), 1, "{value}: {found:?}");
        assert_eq!((found[0].0, found[0].1.as_str()), (code, place), "{value}");
    }
}

#[test]
fn editions_are_checked() {
    assert_eq!(codes("site a { to b }"), ["L0101"]);
    assert_eq!(codes("edition 2\nsite a { to b }"), ["E0109"]);
    assert_eq!(codes("site a { to b }\nedition 1"), ["L0101", "E0126"]);
    // What a `use` at the wrong place names is known all the same.
    let late = "edition 1\nsite a { to b }\nuse std.nets";
    assert_eq!(codes(late), ["E0126"]);
    assert_eq!(parse(late).0.uses.len(), 1);
}

#[test]
fn hidden_characters_are_reported() {
    assert_eq!(codes("edition 1 // \u{202e}\nconst x = \"\u{2066}\""), ["E0106", "E0106"]);
    assert_eq!(codes("\u{feff}edition 1"), ["E0106"]);
}

#[test]
fn mistakes_do_not_hide_each_other() {
    let text = "site a.test {\n  tls = none\n  rout GET /a { to b; }\n  route /b/* { to c }\n  when a && b { to d }\n}\nupstream App { }\nconst y = 'z'\n";
    let found: Vec<&str> = mistakes(text).iter().map(|(code, ..)| *code).collect();
    assert_eq!(found, ["E0104", "E0110", "E0103", "E0107", "E0113", "E0119", "E0114"]);
}

#[test]
fn types_nest_no_deeper_than_brackets() {
    let nested = |levels: usize| format!("const x: {}Int{} = 1", "List<".repeat(levels), ">".repeat(levels));
    assert!(mistakes(&nested(64)).is_empty());
    for levels in [65, 20_000] {
        let found = mistakes(&nested(levels));
        assert_eq!((found.len(), found[0].0), (1, "E0120"), "{levels}");
    }
    // Comparisons in a row are no types.
    let list = "a < b, ".repeat(200);
    assert!(mistakes(&format!("const x = [{list}]")).is_empty());
}

#[test]
fn an_open_text_is_the_only_mistake_of_its_line() {
    one(
        "site a.test { respond 200 body \"open }",
        "E0105",
        "\"open }",
        "a text ends with `\"` on the line it began on",
    );
}
