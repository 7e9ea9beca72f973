//! Every node of the tree, as the dump shows it, and places that no dump shows.

use crate::ast::{ItemKind, SiteItem};
use crate::{dump_ast, parse};

/// The nodes of a file that has no mistake, without their places.
fn nodes(text: &str) -> String {
    let (tree, diagnostics) = parse(&format!("edition 1\n{text}"));
    assert_eq!(diagnostics, [], "{text}");
    let lines: Vec<String> = dump_ast(&tree)
        .lines()
        .skip(1)
        .map(|line| line.rsplit_once("  @").map_or(line, |(node, _)| node).trim_end().to_owned())
        .collect();
    lines.join("\n")
}

fn same(text: &str, expected: &str) {
    let found = nodes(text);
    assert_eq!(found, expected, "{text}\n{found}");
}

#[test]
fn the_head_of_a_file() {
    let (tree, diagnostics) =
        parse("//! First.\n//!\n//!  Third. \nedition 1\nuse a.b\nuse c.{d, e,}\nuse f as g\n");
    assert_eq!(diagnostics, []);
    assert_eq!(tree.docs, ["First.", "", " Third."]);
    let names = |number: usize| -> Vec<&str> {
        tree.uses[number].declared().iter().map(|name| name.value.as_str()).collect()
    };
    assert_eq!((names(0), names(1), names(2)), (vec!["b"], vec!["d", "e"], vec!["g"]));
    assert!(tree.uses[0].names.is_none() && tree.uses[1].alias.is_none());
    assert!(dump_ast(&tree).contains("use c.{d, e}  @"));
}

#[test]
fn declarations_of_values() {
    same(
        "env PORT: Int = 80\nenv HOME: String\nsecret a from env \"A\"\nsecret b from file \"/b\"\nenum Tier { free, pro, }\ntable t: Map<Path, String> from \"t.csv\"\nfn f(a: Int, b: Int = 2) -> List<Int> = a\n/// Said.\npub const c = 1",
        "env PORT: Int\n  80\nenv HOME: String\nsecret a from env \"A\"\nsecret b from file \"/b\"\nenum Tier { free, pro }\ntable t: Map<Path, String> from \"t.csv\"\nfn f(a: Int, b: Int) -> List<Int>\n  2\n  a\n/// Said.\npub\nconst c\n  1",
    );
}

#[test]
fn policies_and_their_statements() {
    same(
        "policy p(a: String) {
           let t: Int = x else respond 401
           let u = y
           apply m.q(1, k: 2)
           apply r
           limit { rate: 1/sec } else close
           limit { rate: 1/min }
           cache { ttl: 1s }
           compress [br]
           on response when z { remove response.header[\"a\"] }
           on response { }
           on error timeout | refused { respond 502 }
           on error { close }
         }",
        "policy p(a: String)\n  let t: Int\n    x\n  else\n    respond\n      401\n  let u\n    y\n  apply m.q\n    1\n    k:\n    2\n  apply r\n  limit\n    rate:\n      1 in 1s\n  else\n    close\n  limit\n    rate:\n      1 in 60s\n  cache\n    ttl:\n      1000ms\n  compress\n    list\n      br\n  on response\n    when\n      z\n    remove\n      [ ]\n        .header\n          response\n        \"a\"\n  on response\n  on error timeout|refused\n    respond\n      502\n  on error\n    close",
    );
}

#[test]
fn routes_and_mounts() {
    same(
        "routes r(api: Upstream) {
           /// Reads.
           route GET /a { to api }
           /// All of it.
           group /b { to other.api }
         }
         site a.test {
           /// Bills.
           @allow(near_miss, \"on purpose\")
           mount m.r(api: app) at /b as c
           mount r
           @allow(x)
           fallback { close }
         }",
        "routes r(api: Upstream)\n  /// Reads.\n  route GET /a\n    to api\n  /// All of it.\n  group /b\n    to other.api\nsite a.test\n  /// Bills.\n  @allow(near_miss)\n  mount m.r at /b as c\n    api:\n    app\n  mount r\n  @allow(x)\n  fallback\n    close",
    );
}

#[test]
fn streams_and_forwards() {
    same(
        "stream s on a, b { peek_tls: 3s  route as r when c { to d }  fallback { close } }
         forward f on g { require h else close  tunnel origin { timeout { idle: 1s } } }",
        "stream s on a, b\n  peek_tls:\n    3000ms\n  route as r\n    when\n      c\n    to d\n  fallback\n    close\nforward f on g\n  require\n    h\n    close\n  tunnel origin\n    timeout\n      idle:\n        1000ms",
    );
}

#[test]
fn terminals() {
    same(
        "site a.test {
           route /a { split sticky { ttl: 1d } { 0.5% as new to b  99.5% close } }
           route /b { split { 100% to b } }
           route /c { files \"./c\" { index: d } else files \"e\" else tunnel 10.0.0.1:80 }
         }",
        "site a.test\n  route /a\n    split sticky\n      ttl:\n        86400000ms\n      0.50% as new\n        to b\n      99.50%\n        close\n  route /b\n    split\n      100.00%\n        to b\n  route /c\n    files\n      \"./c\"\n      index:\n        d\n    else\n      files\n        \"e\"\n      else\n        tunnel 10.0.0.1:80",
    );
}

#[test]
fn tests_and_invariants() {
    same(
        "test \"t\" {
           request GET https://a.test/b?c=1 { client.ip = 10.0.0.1 }
           upstream responds 200 { response.header[\"a\"] = \"b\" }
           upstream m.u fails connect_failed
           files lack /d
           expect route m.r
           expect upstream u
           expect upstream 10.0.0.1:80
           expect redirect 301 https://a.test/e
           expect redirect 308 /f
           expect status 404
           expect not g
         }
         invariant \"i\" {
           never a reaches upstream any
           never b reaches upstream m.u
           never c reaches route r
           always d gets status 403
           always e gets f
         }",
        "test \"t\"\n  request GET https://a.test/b?c=1\n    =\n      .ip\n        client\n      10.0.0.1\n  upstream responds 200\n    =\n      [ ]\n        .header\n          response\n        \"a\"\n      \"b\"\n  upstream m.u fails connect_failed\n  files lack /d\n  expect route m.r\n  expect upstream u\n  expect upstream 10.0.0.1:80\n  expect redirect 301 https://a.test/e\n  expect redirect 308\n    /f\n  expect status 404\n  expect\n    not\n      g\ninvariant \"i\"\n  never reaches upstream any\n    a\n  never reaches upstream m.u\n    b\n  never reaches route r\n    c\n  always gets status 403\n    d\n  always gets\n    e\n    f",
    );
}

#[test]
fn places_are_those_of_the_text() {
    let text = "edition 1\n/// Said.\n@allow(x)\npub policy p(a: Int) {\n  close\n} // behind\nsite a.test {\n  @allow(x)\n  mount r at /b // behind\n}\n/// Said.\n@allow(x)\nfn f() -> Int = 1\n";
    let (tree, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    let policy = &tree.items[0];
    let ItemKind::Policy(decl) = &policy.kind else { panic!("{policy:?}") };
    assert_eq!(policy.public.map(|span| &text[span.range()]), Some("pub"));
    assert_eq!(&text[decl.head.range()], "policy p(a: Int)");
    assert_eq!(&text[policy.span.range()], "pub policy p(a: Int) {\n  close\n}");
    let ItemKind::Site(site) = &tree.items[1].kind else { panic!("{:?}", tree.items[1]) };
    let [SiteItem::Mount(mount)] = site.items.as_slice() else { panic!("{:?}", site.items) };
    assert_eq!(&text[mount.span.range()], "mount r at /b");
    assert_eq!(&text[tree.items[2].span.range()], "fn f() -> Int = 1");
}
