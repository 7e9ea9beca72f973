//! Mistakes inside policies, routes, streams, tests and invariants: one report each, and the rest goes on.

use super::{codes, mistakes, one};
use crate::ast::{Claim, ItemKind, StmtKind, TestItem};
use crate::parse;

#[test]
fn a_policy_is_read_statement_by_statement() {
    let text = "edition 1\npolicy p {\n  set X-A = \"1\"\n  repsond 200\n  on error { if a { close } }\n  on response { to b; }\n  close\n}\nconst y = 'z'";
    assert_eq!(codes(text), ["E0118", "E0110", "E0117", "E0103", "E0114"]);
    let (tree, _) = parse(text);
    let ItemKind::Policy(policy) = &tree.items[0].kind else { panic!("{:?}", tree.items[0]) };
    assert_eq!(policy.body.len(), 5);
    assert!(matches!(policy.body[4].kind, StmtKind::Terminal(_)));
    assert!(matches!(policy.body[0].kind, StmtKind::Error));
}

#[test]
fn words_are_suggested_and_placed_in_all_blocks() {
    one("polcy p { close }", "E0110", "polcy", "did you mean `policy`?");
    one("policy p { repsond 200 }", "E0110", "repsond", "did you mean `respond`?");
    one("routes r { rout /a { to b } }", "E0110", "rout", "did you mean `route`?");
    one("stream s on l { fallbck { close } }", "E0110", "fallbck", "did you mean `fallback`?");
    one("test \"t\" { expct status 200 }", "E0110", "expct", "did you mean `expect`?");
    one("invariant \"i\" { nevr a gets b }", "E0110", "nevr", "did you mean `never`?");
    one(
        "test \"t\" { banana }",
        "E0110",
        "banana",
        "lines of a test start with `request`, `upstream`, `files` or `expect`",
    );
    one("invariant \"i\" { banana }", "E0110", "banana", "claims start with `never` or `always`");
    one(
        "policy p { route /a { to b } }",
        "E0126",
        "route",
        "it stands inside a site or group; is a `}` missing before it?",
    );
    one("site a { expect status 200 }", "E0126", "expect", "it stands inside `test \"…\" { … }`");
    one("never a reaches upstream any", "E0126", "never", "it stands inside `invariant \"…\" { … }`");
    let found = parse("edition 1\ntest \"t\" { set request.header[\"a\"] = \"b\" }").1;
    assert_eq!(found[0].message, "`set` cannot stand inside a test");
}

#[test]
fn lines_of_tests_and_claims_fail_alone() {
    let text = "edition 1\ntest \"t\" {\n  request get https://a.test/\n  upstream b failing\n  expect status 200\n}\ninvariant \"i\" {\n  never a reaches b\n  always c gets status 200\n}";
    assert_eq!(codes(text), ["E0111", "E0111", "E0111"]);
    let (tree, _) = parse(text);
    let ItemKind::Test(test) = &tree.items[0].kind else { panic!("{:?}", tree.items[0]) };
    assert!(matches!(test.items[..], [TestItem::Error(_), TestItem::Error(_), TestItem::Expect { .. }]));
    let ItemKind::Invariant(invariant) = &tree.items[1].kind else { panic!("{:?}", tree.items[1]) };
    assert!(matches!(invariant.claims[..], [Claim::Error(_), Claim::Always { .. }]));
    one("test \"t\" { request get https://a.test/ }", "E0111", "get", "write `GET`");
    one("invariant \"i\" { }", "E0111", "}", "claims start with `never` or `always`");
}

#[test]
fn missing_brackets_of_all_blocks_are_found() {
    for head in ["policy p", "routes r", "stream s on l", "forward f on l", "test \"t\"", "invariant \"i\""] {
        let part = match head {
            "test \"t\"" => "expect status 200",
            "invariant \"i\"" => "never a reaches upstream any",
            _ => "close",
        };
        one(
            &format!("{head} {{\n  {part}\n\nsite a.test {{ to b }}"),
            "E0101",
            "{",
            &format!("insert `}}` after `{part}`"),
        );
        one(
            &format!("{head}\n  {part}\n}}\nsite a.test {{ to b }}"),
            "E0121",
            "",
            "put what belongs to it between `{` and `}`",
        );
        one(
            &format!("{head} {{\n  {part}\n}}\n}}\nsite a.test {{ to b }}"),
            "E0102",
            "}",
            "remove it, or look for a missing opening bracket before it",
        );
    }
    let inner = "site a.test {\n  on error {\n    close\n  to b\n}\nsite b.test { to b }";
    assert_eq!(mistakes(inner).len(), 1, "{:?}", mistakes(inner));
    let text = "edition 1\npolicy p {\n  on response {\n    close\n\nsite a.test { to b }";
    let labels: Vec<String> =
        parse(text).1.iter().flat_map(|found| &found.secondary).map(|l| l.text.clone()).collect();
    assert_eq!(labels, ["a `site` cannot start inside a policy", "a `site` cannot start inside an `on`"]);
}

#[test]
fn heads_of_blocks_that_cannot_be_read_keep_their_blocks() {
    one("policy my-policy { close }", "E0119", "my-policy", "write `my_policy`");
    let found = mistakes("policy p(a) { repsond 200 }");
    assert_eq!(found.iter().map(|(code, ..)| *code).collect::<Vec<_>>(), ["E0111", "E0110"], "{found:?}");
    let found = mistakes("test t { banana }");
    assert_eq!(found.iter().map(|(code, ..)| *code).collect::<Vec<_>>(), ["E0111", "E0110"], "{found:?}");
}

#[test]
fn answers_nest_no_deeper_than_brackets() {
    let nested = |levels: usize| format!("site a {{ {} close }}", "files \"a\" else ".repeat(levels));
    assert!(mistakes(&nested(63)).is_empty());
    for levels in [64, 1000] {
        let found = mistakes(&nested(levels));
        assert_eq!((found.len(), found[0].0), (1, "E0120"), "{levels}");
    }
}
