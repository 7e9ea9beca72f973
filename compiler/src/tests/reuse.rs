//! Policies and mounted routes mean what they would mean written in their place.

use super::corpus::{check, checked};

#[test]
fn a_policy_runs_where_it_is_applied() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        policy tagged(tag: String, strict: Bool = false) {
          set request.header["x-tag"] = "${tag}!"
          require not strict or request.header["x-key"].is_some else respond 401 body "no ${tag}"
        }
        policy outer(tag: String) { apply tagged(tag, strict: request.port == 8080)  add request.header["x-tag"] = tag }
        policy closed(now: Bool) { when now { respond 503 } else { set response.header["x-open"] = "1" } }
        site a.test {
          apply closed(request.query["closed"].is_some)
          route /a/{id} as a { apply outer(id)  to app }
          route /b as b { apply tagged("b")  to app }
        }"#;
    check(
        source,
        &[
            ("GET a.test/a/7", "a: set response x-open=1; set request x-tag=7!; add request x-tag=7; to app"),
            ("GET a.test:8080/a/7", "a: set response x-open=1; set request x-tag=7!; 401 no 7"),
            (
                "GET a.test:8080/a/7 x-key=k",
                "a: set response x-open=1; set request x-tag=7!; add request x-tag=7; to app",
            ),
            ("GET a.test/b?closed=1", "b: 503"),
            ("GET a.test/b", "b: set response x-open=1; set request x-tag=b!; to app"),
            ("GET a.test/x?closed=1", "fallback: 503"),
        ],
    );
}

#[test]
fn routes_are_mounted_with_their_place_and_name() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        upstream other { builtin: echo }
        const main: Upstream = app
        routes items(target: Upstream, kind: String) {
          set request.header["x-kind"] = kind
          route GET / as list { to target }
          route GET /{id:int} as one { set request.header["x-id"] = "${id}"  rewrite path /v2/{id}  to target }
          group /admin when client.ip in [10.0.0.0/8] { route /{rest...} as admin { redirect 302 /x/{rest...} } }
          fallback { respond 404 body kind }
        }
        routes api { mount items(other, kind: "deep") at /deep  route / as root { respond 204 } }
        site {id}.test {
          group /{rest} {
            set request.header["x-site"] = "${id}-${rest}"
            mount items(main, kind: rest) at /items
            mount items(other, kind: "two") at /two as second
            mount api at /api
          }
        }"#;
    check(
        source,
        &[
            ("GET a.test/t/items/", "items.list: set request x-site=a-t; set request x-kind=t; to app"),
            (
                "GET a.test/t/items/7",
                "items.one: set request x-site=a-t; set request x-kind=t; set request x-id=7; \
                 path /v2/7; to app",
            ),
            (
                "GET a.test/t/two/7",
                "second.one: set request x-site=a-t; set request x-kind=two; set request x-id=7; \
                 path /v2/7; to other",
            ),
            (
                "GET a.test/t/items/admin/z from 10.0.0.1",
                "items.admin: set request x-site=a-t; set request x-kind=t; 302 -> /x/z[?query]",
            ),
            (
                "GET a.test/t/items/admin/z",
                "items.fallback: set request x-site=a-t; set request x-kind=t; 404 t",
            ),
            (
                "GET a.test/t/api/deep/7",
                "api.items.one: set request x-site=a-t; set request x-kind=deep; set request x-id=7; \
                 path /v2/7; to other",
            ),
            ("GET a.test/t/api/", "api.root: set request x-site=a-t; 204"),
            ("GET a.test/t/api/x", "fallback: 404"),
        ],
    );
}

#[test]
fn a_mount_follows_the_slashes_of_its_site() {
    let source = r"edition 1
        routes pages { route /a as a { respond 200 } }
        site strict.test { mount pages at /p }
        site same.test { trailing_slash: same  mount pages at /p }";
    check(
        source,
        &[
            ("GET strict.test/p/a", "pages.a: 200"),
            ("GET strict.test/p/a/", "fallback: 404"),
            ("GET same.test/p/a/", "pages.a: 200"),
        ],
    );
}

#[test]
fn documentation_stays_with_what_it_is_about() {
    let source = "edition 1\n/// Hides the server.\npolicy quiet { remove response.header[\"server\"] }\n\
        site a.test {\n  apply quiet\n  /// All of it.\n  route /a { respond 200 }\n}";
    let program = checked(source);
    let docs: Vec<(&str, &str)> =
        program.docs.iter().map(|doc| (&source[doc.of.range()], doc.lines[0].trim())).collect();
    assert_eq!(docs, [("quiet", "Hides the server."), ("route /a", "All of it.")]);
}
