//! What sections of the language say about order, absence and shapes, one small program each.

use super::corpus::check;

#[test]
fn sets_hold_constants_and_their_complement() {
    let source = r#"edition 1
        const hosts: Set<Host> = ["a.test", "b.test"]
        const codes = [1, 3, 5]
        const nets = [10.0.0.0/8, 192.0.2.1]
        site * {
          route /in as inside when request.host in hosts { respond 200 }
          route /in as outside when request.host not in hosts and client.ip not in nets { respond 201 }
          route /n/{n:int} as odd when n in codes { respond 200 }
          route /n/{n:int} as even when n not in codes { respond 201 }
          route /m as reads when request.method in [GET, HEAD] { respond 200 }
          route /m as writes when request.method not in [GET, HEAD] { respond 201 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/in", "inside: 200"),
            ("GET c.test/in from 203.0.113.1", "outside: 201"),
            ("GET c.test/in from 10.1.1.1", "fallback: 404"),
            ("GET c.test/in from 192.0.2.1", "fallback: 404"),
            ("GET c.test/in from 192.0.2.2", "outside: 201"),
            ("GET a.test/n/3", "odd: 200"),
            ("GET a.test/n/4", "even: 201"),
            ("GET a.test/n/x", "fallback: 404"),
            ("HEAD a.test/m", "reads: 200"),
            ("PURGE a.test/m", "writes: 201"),
        ],
    );
}

#[test]
fn a_check_inside_a_branch_does_not_lead_into_the_other_branch() {
    let source = r#"edition 1
        site a.test {
          route /a as a {
            when request.port == 80 {
              require request.header["x"].is_some else respond 403
            } else {
              set response.header["x-other"] = "1"
            }
            respond 200
          }
        }"#;
    check(
        source,
        &[
            ("GET a.test/a x=1", "a: 200"),
            ("GET a.test/a", "a: 403"),
            ("GET a.test:81/a", "a: set response x-other=1; 200"),
        ],
    );
}

#[test]
fn an_absent_value_is_in_no_set_and_begins_with_nothing() {
    let source = r#"edition 1
        site a.test {
          route /in when request.header["x"] in ["1", ""] { respond 200 }
          route /in when not (request.header["x"] in ["1", ""]) { respond 201 }
          route /s when request.header["x"] starts_with "" { respond 200 }
          route /e when request.header["x"] ends_with "z" { respond 200 }
          route /c when request.header["x"] contains "b" { respond 200 }
          route /m when request.header["x"] matches re"a*" { respond 200 }
          route /lt when (request.query["n"] ?? "none") != "none" { respond 200 }
          route /none when request.query["n"].is_none { respond 200 }
          route /both as same when request.header["x"] == request.header["y"] { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/in x=1", "/in: 200"),
            ("GET a.test/in x=", "/in: 200"),
            ("GET a.test/in", "/in: 201"),
            ("GET a.test/s", "fallback: 404"),
            ("GET a.test/s x=", "/s: 200"),
            ("GET a.test/e x=xyz", "/e: 200"),
            ("GET a.test/e", "fallback: 404"),
            ("GET a.test/c x=abc", "/c: 200"),
            ("GET a.test/m x=", "/m: 200"),
            ("GET a.test/m", "fallback: 404"),
            ("GET a.test/m x=aab", "fallback: 404"),
            ("GET a.test/lt?n=1", "/lt: 200"),
            ("GET a.test/lt", "fallback: 404"),
            ("GET a.test/none?m=1", "/none: 200"),
            ("GET a.test/none?n", "fallback: 404"),
            ("GET a.test/both", "fallback: 404"),
            ("GET a.test/both x=1 y=1", "same: 200"),
        ],
    );
}

#[test]
fn rules_have_defaults_and_names_for_arguments() {
    let source = r#"edition 1
        const fallback_tier = "free"
        rule tier(wanted: String, otherwise: String = fallback_tier) =
          (request.header["x-tier"] ?? otherwise) == wanted
        rule paid = tier("pro") or tier(wanted: "gold", otherwise: "gold")
        site a.test {
          route /t as gold when tier("gold") { respond 200 }
          route /t as free when tier("free") { respond 201 }
          route /p as paid when paid { respond 200 }
          route /q as unpaid when not paid and not tier("x") { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/t x-tier=gold", "gold: 200"),
            ("GET a.test/t", "free: 201"),
            ("GET a.test/t x-tier=x", "fallback: 404"),
            ("GET a.test/p", "paid: 200"),
            ("GET a.test/p x-tier=pro", "paid: 200"),
            ("GET a.test/p x-tier=free", "fallback: 404"),
            ("GET a.test/q x-tier=free", "unpaid: 200"),
            ("GET a.test/q x-tier=x", "fallback: 404"),
        ],
    );
}

#[test]
fn maintenance_stands_before_the_routes_and_also_before_the_built_in_answers() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        site a.test {
          set response.header["x-site"] = "a"
          when request.header["x-down"] == "1" {
            set response.header["retry-after"] = "60"
            respond 503 body "soon"
          }
          route GET /x as x { to app }
        }"#;
    check(
        source,
        &[
            ("GET a.test/x", "x: set response x-site=a; to app"),
            ("GET a.test/x x-down=1", "x: set response x-site=a; set response retry-after=60; 503 soon"),
            (
                "GET a.test/no x-down=1",
                "fallback: set response x-site=a; set response retry-after=60; 503 soon",
            ),
            ("GET a.test/no", "fallback: set response x-site=a; 404"),
            ("PUT a.test/x", "fallback: set response x-site=a; 405 GET, HEAD"),
        ],
    );
}

#[test]
fn groups_in_groups_go_on_behind_them_unless_they_fall_back() {
    let source = r#"edition 1
        site a.test {
          group /a when request.port == 80 {
            set response.header["x"] = "outer"
            group /b when client.ip in [10.0.0.0/8] {
              set response.header["x"] = "inner"
              route GET /c as c { respond 200 }
            }
            group when request.query["v"] == "1" {
              route as versioned { respond 201 }
            }
            route /b/{rest...} as below { respond 202 body "${rest}" }
          }
          group /a/z { route /only as only { respond 203 } fallback { respond 204 } }
          route /{rest...} as last { respond 206 body "${rest}" }
        }"#;
    check(
        source,
        &[
            ("GET a.test/a/b/c from 10.0.0.1", "c: set response x=outer; set response x=inner; 200"),
            ("PUT a.test/a/b/c from 10.0.0.1", "below: set response x=outer; 202 c"),
            ("GET a.test/a/b/c from 192.0.2.1", "below: set response x=outer; 202 c"),
            ("GET a.test/a/b/ from 192.0.2.1", "below: set response x=outer; 202 "),
            ("GET a.test/a/b from 192.0.2.1", "last: 206 a/b"),
            ("GET a.test/a?v=1", "versioned: set response x=outer; 201"),
            ("GET a.test/a/?v=1", "versioned: set response x=outer; 201"),
            ("GET a.test/ab?v=1", "last: 206 ab"),
            ("GET a.test:81/a/b/c from 10.0.0.1", "last: 206 a/b/c"),
            ("GET a.test/a/z/only", "only: 203"),
            ("GET a.test/a/z", "fallback: 204"),
            ("GET a.test/a/z/", "fallback: 204"),
            ("GET a.test/a/zz", "last: 206 a/zz"),
        ],
    );
}

#[test]
fn captures_keep_their_surroundings() {
    let source = r#"edition 1
        site a.test {
          route /f/{n:int}.json as json { respond 200 body "${n}" }
          route /f/{name}.tar.gz as archive { respond 201 body "${name}" }
          route /f/{name} as plain { respond 202 body "${name}" }
          route /g/pre{x}post as both { respond 200 body "${x}" }
          route /u/{id:uuid} as uuid { respond 200 body "${id}" }
        }"#;
    check(
        source,
        &[
            ("GET a.test/f/7.json", "json: 200 7"),
            ("GET a.test/f/-7.json", "plain: 202 -7.json"),
            ("GET a.test/f/07.json", "plain: 202 07.json"),
            ("GET a.test/f/7.JSON", "plain: 202 7.JSON"),
            ("GET a.test/f/a.tar.gz", "archive: 201 a"),
            ("GET a.test/f/.tar.gz", "plain: 202 .tar.gz"),
            ("GET a.test/f/a.tar.gz.tar.gz", "archive: 201 a.tar.gz"),
            ("GET a.test/f/", "fallback: 404"),
            ("GET a.test/g/preXpost", "both: 200 X"),
            ("GET a.test/g/prepost", "fallback: 404"),
            ("GET a.test/g/prepostpost", "both: 200 post"),
            (
                "GET a.test/u/123e4567-e89b-12d3-a456-426614174000",
                "uuid: 200 123e4567-e89b-12d3-a456-426614174000",
            ),
            ("GET a.test/u/123e4567e89b12d3a456426614174000", "fallback: 404"),
        ],
    );
}

#[test]
fn hosts_bind_one_label_in_each_pattern() {
    let source = r#"edition 1
        site {t}.a.test, {t}.b.test { respond 200 body "${t} ${request.host}" }
        site www.a.test { respond 201 }
        site **.a.test { respond 202 }
        site *.c.test, c.test { respond 203 }"#;
    check(
        source,
        &[
            ("GET x.a.test/", "fallback: 200 x x.a.test"),
            ("GET x.b.test/", "fallback: 200 x x.b.test"),
            ("GET www.a.test/", "fallback: 201"),
            ("GET y.x.a.test/", "fallback: 202"),
            ("GET a.test/", "421"),
            ("GET y.x.b.test/", "421"),
            ("GET c.test/", "fallback: 203"),
            ("GET x.c.test/", "fallback: 203"),
            ("GET y.x.c.test/", "421"),
        ],
    );
}

#[test]
fn rewrites_and_redirects_take_captures_and_texts() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        site a.test {
          group /api {
            rewrite strip /api
            set request.header["x-path"] = "${request.path}?${request.query["q"] ?? "-"}"
            route /v{n:int}/{rest...} as versioned { rewrite path /{rest...}  to app }
            route /{rest...} as other { to app }
          }
          route /go/{x} as go { redirect 307 /new/{x}.html }
          route /ext/{x} as ext { redirect 308 "https://b.test/${x}?from=${request.host}" }
          route /if as chosen { respond 200 body if request.port == 443 then "s" else "p" }
        }"#;
    check(
        source,
        &[
            (
                "GET a.test/api/v2/x/y?q=1",
                "versioned: strip 1; set request x-path=/api/v2/x/y?1; path /x/y; to app",
            ),
            ("GET a.test/api/v2/", "versioned: strip 1; set request x-path=/api/v2/?-; path /; to app"),
            ("GET a.test/api/", "other: strip 1; set request x-path=/api/?-; to app"),
            ("GET a.test/api", "fallback: 404"),
            ("GET a.test/go/a?q=1", "go: 307 -> /new/a.html[?query]"),
            ("GET a.test/ext/a?q=1", "ext: 308 -> https://b.test/a?from=a.test"),
            ("GET a.test:443/if", "chosen: 200 s"),
            ("GET a.test/if", "chosen: 200 p"),
        ],
    );
}

#[test]
fn a_slash_at_the_end_is_equal_in_groups_too() {
    let source = r#"edition 1
        site a.test {
          trailing_slash: same
          group /g {
            route / as root { respond 200 }
            route /a/{x} as x { respond 201 body "${x}" }
            route /r/{rest...} as rest { respond 202 body "${rest}" }
          }
          route /g/other as other { respond 203 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/g", "root: 200"),
            ("GET a.test/g/", "root: 200"),
            ("GET a.test/g/a/1", "x: 201 1"),
            ("GET a.test/g/a/1/", "x: 201 1"),
            ("GET a.test/g/a/", "fallback: 404"),
            ("GET a.test/g/r", "rest: 202 "),
            ("GET a.test/g/r/x/", "rest: 202 x/"),
            ("GET a.test/g/other/", "other: 203"),
        ],
    );
}

#[test]
fn methods_of_all_routes_count_for_405_and_a_written_fallback_takes_all() {
    let source = r"edition 1
        site a.test {
          route GET|PUT /x as one { respond 200 }
          route PROPFIND /x as two when client.ip in [10.0.0.0/8] { respond 201 }
          route POST as three when request.path starts_with /y { respond 202 }
        }
        site b.test { route GET /x as one { respond 200 } respond 410 }";
    check(
        source,
        &[
            ("PROPFIND a.test/x from 10.0.0.1", "two: 201"),
            ("DELETE a.test/x from 10.0.0.1", "fallback: 405 GET, HEAD, PUT, PROPFIND"),
            ("DELETE a.test/x from 192.0.2.1", "fallback: 405 GET, HEAD, PUT"),
            ("GET a.test/yes", "fallback: 405 POST"),
            ("GET a.test/no", "fallback: 404"),
            ("DELETE b.test/x", "fallback: 410"),
            ("HEAD b.test/x", "one: 200"),
        ],
    );
}

#[test]
fn choices_bind_as_written() {
    let source = r#"edition 1
        rule a = request.query["a"] == "1"
        rule b = request.query["b"] == "1"
        rule c = request.query["c"] == "1"
        site t.test {
          route /1 as yes when a or b and c { respond 200 }
          route /2 as yes2 when (a or b) and c { respond 200 }
          route /3 as yes3 when not a and b { respond 200 }
          route /5 as yes5 when if a then b else c { respond 200 }
          route /6 as yes6 when request.query["a"] ?? "0" == "0" { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET t.test/1?a=1", "yes: 200"),
            ("GET t.test/1?b=1", "fallback: 404"),
            ("GET t.test/1?b=1&c=1", "yes: 200"),
            ("GET t.test/2?a=1", "fallback: 404"),
            ("GET t.test/2?a=1&c=1", "yes2: 200"),
            ("GET t.test/3?b=1", "yes3: 200"),
            ("GET t.test/3", "fallback: 404"),
            ("GET t.test/5?a=1&c=1", "fallback: 404"),
            ("GET t.test/5?c=1", "yes5: 200"),
            ("GET t.test/6", "yes6: 200"),
            ("GET t.test/6?a=1", "fallback: 404"),
        ],
    );
}

#[test]
fn branches_end_or_go_on() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        site a.test {
          route /x as x {
            when request.query["v"] == "1" { set request.header["v"] = "one" }
            else when request.query["v"] == "2" { respond 410 }
            else when request.query["v"].is_some { set request.header["v"] = "other" }
            else { set request.header["v"] = "none" }
            set request.header["v"] = "${request.header["v"] ?? "absent"}"
            when client.ip in [10.0.0.0/8] { to app } else { require request.port == 443 else redirect 308 "https://${request.host}${request.target}"  respond 204 }
          }
        }"#;
    check(
        source,
        &[
            ("GET a.test/x?v=1 from 10.0.0.1", "x: set request v=one; set request v=absent; to app"),
            ("GET a.test/x?v=2", "x: 410"),
            ("GET a.test:443/x?v=3 v=arrived", "x: set request v=other; set request v=arrived; 204"),
            ("GET a.test/x", "x: set request v=none; set request v=absent; 308 -> https://a.test/x"),
        ],
    );
}
