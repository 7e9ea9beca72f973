//! Programs whose worst case a person can count.

use super::{Cost, Lengths, ProgramCost, cost};
use crate::limits::MachineLimits;
use crate::tests::corpus::checked;
use crate::{compile, compile_within};

const LENGTHS: Lengths = Lengths { target_bytes_max: 100, head_bytes_max: 1000 };

fn counted(site: &str) -> ProgramCost {
    let source = format!("edition 1\n{site}");
    cost(&compile(&checked(&source)).expect("a small program"), LENGTHS)
}

fn worst(site: &str) -> Cost {
    counted(site).worst
}

#[test]
fn a_site_without_questions_costs_its_host() {
    let counts = counted("site a.test { respond 200 }");
    assert_eq!(counts.worst, Cost { probes: 1, ..Cost::NONE });
    let [site] = &counts.sites[..] else { panic!("{counts:?}") };
    assert_eq!((site.name.as_str(), site.routes, site.linear, site.table_bytes), ("a.test", 1, false, 0));
}

#[test]
fn segments_and_methods_are_steps() {
    // Whether there is a second segment, which the first one is, which method.
    let two = "site a.test { route GET /a { respond 200 } route /b { respond 200 } }";
    assert_eq!(worst(two), Cost { steps: 3, probes: 1, ..Cost::NONE });
    // Nine literals are looked up in a table, and each leads to the same answer.
    let routes: Vec<String> = (0..9).map(|n| format!("route /s{n} {{ respond {} }}", 200 + n)).collect();
    assert_eq!(
        worst(&format!("site a.test {{ {} }}", routes.join(" "))),
        Cost { steps: 2, probes: 2, ..Cost::NONE }
    );
}

#[test]
fn conditions_count_their_comparisons() {
    let guarded = |guard: &str| {
        let text = format!("site a.test {{ route /a when {guard} {{ respond 200 }} }}");
        let Cost { steps, tests, probes, regex_bytes, search_bytes } = worst(&text);
        // Two steps for the path, one for the condition; one lookup for the host.
        (steps - 2, tests, probes - 1, regex_bytes, search_bytes)
    };
    assert_eq!(guarded("request.port == 1"), (1, 1, 0, 0, 0));
    assert_eq!(guarded("request.port in [1, 2] or client.ip in [10.0.0.0/8]"), (1, 2, 2, 0, 0));
    // Two conditions of the graph: each is a step.
    assert_eq!(guarded("request.port == 1 and client.ip == 10.0.0.1"), (2, 2, 0, 0, 0));
    assert_eq!(guarded(r#"request.header["x"] matches re"v[0-9]+""#), (1, 1, 0, 1000, 0));
    assert_eq!(guarded(r#"request.query["x"] contains "a""#), (1, 1, 0, 0, 100));
    assert_eq!(guarded(r#"request.target contains "a""#), (1, 1, 0, 0, 100));
    // Three texts are looked for in one pass; three starts are one lookup.
    let three = |op: &str| ["a", "b", "c"].map(|text| format!(r#"request.path {op} "{text}""#)).join(" or ");
    assert_eq!(guarded(&three("contains")), (1, 1, 0, 0, 100));
    assert_eq!(guarded(&three("ends_with")), (1, 1, 1, 0, 0));
    // After the star four bytes are compared anew from each place.
    assert_eq!(guarded(r#"request.path matches glob"*.css""#), (1, 1, 0, 0, 400));
    let choice = r#"(if request.port == 1 then request.host == "b" else request.path contains "a" and request.port == 2)"#;
    assert_eq!(guarded(choice), (1, 3, 0, 0, 100));
}

#[test]
fn the_longest_way_counts_not_all_ways() {
    let text = r"site a.test {
        route /a when request.port == 1 or request.port == 2 or request.port == 3 { respond 200 }
        route /b when request.port == 1 { respond 200 }
    }";
    assert_eq!(worst(text), Cost { steps: 3, tests: 3, probes: 1, ..Cost::NONE });
}

#[test]
fn statements_of_the_route_count_by_their_longer_branch() {
    let text = r#"site a.test { route /a {
        when request.port == 1 {
            set request.header["x"] = "${if request.port == 2 then "a" else "b"}"
        } else {
            require request.host matches re"a.*" else respond 403
        }
        respond 200
    } }"#;
    // One test and in each branch one more; the host has at most 253 bytes.
    assert_eq!(worst(text), Cost { steps: 2, tests: 2, probes: 1, regex_bytes: 253, search_bytes: 0 });
}

#[test]
fn wildcards_cost_a_lookup_for_each_label() {
    let text = r"site a.test { respond 200 } site **.b.test { respond 201 } site * { respond 202 }";
    let probes: Vec<u64> = counted(text).sites.iter().map(|site| site.worst.probes).collect();
    // The exact name; and 125 suffixes of a host with 127 labels; or all 126 in vain.
    assert_eq!(probes, [1, 126, 127]);
}

#[test]
fn tables_count_once_in_the_total() {
    let site = |host: &str| {
        format!(
            r#"site {host} {{ route /{{x:re"[0-9]{{3}}"}} when request.path matches re"/1.*" {{ respond 200 }} }} "#
        )
    };
    let counts = counted(&(site("a.test") + &site("b.test")));
    let bytes: Vec<u64> = counts.sites.iter().map(|site| site.table_bytes).collect();
    assert!(bytes[0] > 0 && bytes[0] == bytes[1] && counts.table_bytes == bytes[0], "{counts:?}");
    assert_eq!((counts.worst.tests, counts.worst.regex_bytes), (2, 200));
}

#[test]
fn sites_that_are_walked_count_every_route() {
    let source = r"edition 1
        site a.test {
            route PURGE /{x:int} when request.port == 1 { respond 200 }
            route /b { respond 200 }
        }";
    let none = MachineLimits { states_per_trie_node: 0, states_max: 0, steps_per_trie_node: 0 };
    let counts = cost(&compile_within(&checked(source), none).expect("a small program"), LENGTHS);
    // Both routes and the fallback; the capture, the method (looked up in a set) and the port.
    assert_eq!(counts.worst, Cost { steps: 3, tests: 3, probes: 2, ..Cost::NONE });
    assert!(counts.sites[0].linear);
    assert_eq!(counts.sites[0].methods, 1);
}

#[test]
fn counts_saturate() {
    let most = Cost { steps: u64::MAX, ..Cost::NONE };
    assert_eq!(most + Cost::STEP, most);
}
