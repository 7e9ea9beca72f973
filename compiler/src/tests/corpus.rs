//! Programs in the language and requests with their expected outcome, on the interpreter and on the tables.

use crate::interp::{self, Ended, Performed};
use crate::limits::MachineLimits;
use crate::testing::check::{Forms, agree};
use crate::{EngineChoice, Request, compile_within};
use twp_lang::hir::{Message, Program};
use twp_lang::literal::Method;

/// The program of a text, which must have no errors.
pub(crate) fn checked(source: &str) -> Program {
    let (tree, mut diagnostics) = twp_lang::parse(source);
    let (program, more) = twp_lang::check(&tree);
    diagnostics.extend(more);
    program.unwrap_or_else(|| panic!("{source}\n{diagnostics:#?}"))
}

/// Runs requests such as `GET a.test/x?q=1 from 10.0.0.1 x-name=value` and compares what happens.
pub(super) fn check(source: &str, cases: &[(&str, &str)]) {
    check_program(&checked(source), source, cases);
}

/// The same for a program that is there already.
pub(super) fn check_program(program: &Program, source: &str, cases: &[(&str, &str)]) {
    let none = MachineLimits { states_per_trie_node: 0, states_max: 0, steps_per_trie_node: 0 };
    let core = crate::lower(program).expect("a small program");
    let mut machine = compile_within(program, MachineLimits::DEFAULT).expect("a small program");
    machine.program.use_engine(EngineChoice::Auto).expect("tables where code is refused");
    let linear = compile_within(program, none).expect("a small program");
    let forms = Forms::new(core, machine, linear);
    for (text, expected) in cases {
        let request = request(text);
        agree(&forms, &request, text);
        let found = match interp::run(&forms.core, &request) {
            None => "421".to_owned(),
            Some(outcome) => {
                let name = &forms.machine.plan.routes[outcome.route].name;
                let steps = outcome.performed.iter().map(|step| step_text(step) + "; ").collect::<String>();
                format!("{name}: {steps}{}", end_text(&forms, &request, &outcome.ended))
            }
        };
        assert_eq!(&found, expected, "{text}\n{source}");
    }
}

fn request(text: &str) -> Request {
    let mut words = text.split(' ');
    let mut request =
        Request { method: Method::from_text(words.next().expect("a method")), ..Request::default() };
    let target = words.next().expect("a target");
    let (authority, path) = target.split_once('/').expect("a path");
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    host.clone_into(&mut request.host);
    request.port = port.parse().expect("a port");
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (path, None),
    };
    request.path = format!("/{path}");
    request.query = query;
    while let Some(word) = words.next() {
        match word.split_once('=') {
            None => {
                assert_eq!(word, "from");
                request.client_ip = words.next().and_then(|ip| ip.parse().ok()).expect("an address");
            }
            Some((name, value)) => match name.strip_prefix("cookie:") {
                Some(name) => request.cookies.push((name.to_owned(), value.to_owned())),
                None => request.headers.push((name.to_owned(), value.as_bytes().to_vec())),
            },
        }
    }
    request
}

fn step_text(step: &Performed) -> String {
    let side = |message: &Message| match message {
        Message::Request => "request",
        Message::Response => "response",
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match step {
        Performed::Set(message, name, value) => format!("set {} {name}={}", side(message), text(value)),
        Performed::Add(message, name, value) => format!("add {} {name}={}", side(message), text(value)),
        Performed::Remove(message, name) => format!("remove {} {name}", side(message)),
        Performed::RewritePath(value) => format!("path {}", text(value)),
        Performed::RewriteHost(value) => format!("host {}", text(value)),
        Performed::Strip(count) => format!("strip {count}"),
    }
}

fn end_text(forms: &Forms, request: &Request, ended: &Ended) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match ended {
        Ended::To(upstream) => format!("to {}", forms.machine.plan.upstreams[*upstream as usize].name),
        Ended::Respond(status, body) => match body {
            Some(body) => format!("{status} {}", text(body)),
            None => status.to_string(),
        },
        Ended::Redirect(status, location, keep_query) => {
            format!("{status} -> {}{}", text(location), if *keep_query { "[?query]" } else { "" })
        }
        Ended::NotFound => {
            let methods: Vec<String> =
                interp::allowed(&forms.core, request).iter().map(Method::to_string).collect();
            if methods.is_empty() { "404".to_owned() } else { format!("405 {}", methods.join(", ")) }
        }
        Ended::Nothing => "nothing".to_owned(),
    }
}

#[test]
fn methods_include_head_and_answer_405() {
    let source = r"edition 1
        upstream app { builtin: echo }
        site a.test {
          route GET /x as read { to app }
          route POST|PURGE /x as write { to app }
        }";
    check(
        source,
        &[
            ("GET a.test/x", "read: to app"),
            ("HEAD a.test/x", "read: to app"),
            ("POST a.test/x", "write: to app"),
            ("PURGE a.test/x", "write: to app"),
            ("LINK a.test/x", "fallback: 405 GET, HEAD, POST, PURGE"),
            ("DELETE a.test/x", "fallback: 405 GET, HEAD, POST, PURGE"),
            ("GET a.test/y", "fallback: 404"),
            ("GET b.test/x", "421"),
        ],
    );
}

#[test]
fn a_guard_on_get_does_not_include_head() {
    let source = r"edition 1
        site a.test {
          route /x as read when request.method == GET { respond 200 }
        }";
    check(source, &[("GET a.test/x", "read: 200"), ("HEAD a.test/x", "fallback: 405 GET")]);
}

#[test]
fn hosts_go_from_exact_to_general() {
    let source = r#"edition 1
        site * { fallback { respond 200 body "any" } }
        site **.a.test { fallback { respond 200 body "many" } }
        site *.a.test { fallback { respond 200 body "one" } }
        site x.a.test { fallback { respond 200 body "exact" } }
        site **.x.a.test { fallback { respond 200 body "longer" } }
        site {t}.b.test { fallback { respond 200 body "${t}" } }"#;
    check(
        source,
        &[
            ("GET x.a.test/", "fallback: 200 exact"),
            ("GET y.a.test/", "fallback: 200 one"),
            ("GET z.y.a.test/", "fallback: 200 many"),
            ("GET y.x.a.test/", "fallback: 200 longer"),
            ("GET a.test/", "fallback: 200 any"),
            ("GET ya.test/", "fallback: 200 any"),
            ("GET shop.b.test/", "fallback: 200 shop"),
            ("GET a.shop.b.test/", "fallback: 200 any"),
        ],
    );
}

#[test]
fn slashes_count_unless_the_site_says_otherwise() {
    let items = "route /a as a { respond 200 } route /b/ as b { respond 200 } \
                 route /c/{rest...} as c { respond 200 body \"${rest}\" } route / as root { respond 200 }";
    let strict = format!("edition 1 site a.test {{ {items} }}");
    check(
        &strict,
        &[
            ("GET a.test/a", "a: 200"),
            ("GET a.test/a/", "fallback: 404"),
            ("GET a.test/b", "fallback: 404"),
            ("GET a.test/b/", "b: 200"),
            ("GET a.test/c", "fallback: 404"),
            ("GET a.test/c/", "c: 200 "),
            ("GET a.test/c/d/e/", "c: 200 d/e/"),
            ("GET a.test/", "root: 200"),
        ],
    );
    let same = format!("edition 1 site a.test {{ trailing_slash: same {items} }}");
    check(
        &same,
        &[
            ("GET a.test/a", "a: 200"),
            ("GET a.test/a/", "a: 200"),
            ("GET a.test/a/x", "fallback: 404"),
            ("GET a.test/b", "b: 200"),
            ("GET a.test/b/", "b: 200"),
            ("GET a.test/c", "c: 200 "),
            ("GET a.test/c/", "c: 200 "),
            ("GET a.test/c/d", "c: 200 d"),
            ("GET a.test/", "root: 200"),
        ],
    );
}

#[test]
fn captures_are_typed_and_may_have_text_around_them() {
    let source = r#"edition 1
        site a.test {
          route /users/{id:int} as user { respond 200 body "${id}" }
          route /users/{s:slug} as slug { respond 200 body "${s}" }
          route /img/{name}.jpg as image { respond 200 body "${name}" }
          route /v{n:int}/{x:re"[a-z]{2}"} as version { respond 200 body "${n} ${x}" }
          route /h/{h:hex} as hex { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/users/42", "user: 200 42"),
            ("GET a.test/users/042", "slug: 200 042"),
            ("GET a.test/users/Ann", "fallback: 404"),
            ("GET a.test/img/cat.jpg", "image: 200 cat"),
            ("GET a.test/img/.jpg", "fallback: 404"),
            ("GET a.test/img/cat.png", "fallback: 404"),
            ("GET a.test/v2/de", "version: 200 2 de"),
            ("GET a.test/v2/deu", "fallback: 404"),
            ("GET a.test/h/C0ffee", "hex: 200"),
            ("GET a.test/h/tea", "fallback: 404"),
        ],
    );
}

#[test]
fn groups_prefix_guard_and_may_fall_back() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        rule office = client.ip in [192.0.2.0/24, 2001:db8::/32]
        site a.test {
          set response.header["x-site"] = "a"
          group /admin when office {
            set response.header["x-group"] = "admin"
            route GET /list as list { to app }
            group /deep { route /x as x { to app } fallback { respond 410 } }
          }
          group /closed { fallback { respond 403 } }
          route /{rest...} as everything { to app }
        }"#;
    check(
        source,
        &[
            (
                "GET a.test/admin/list from 192.0.2.7",
                "list: set response x-site=a; set response x-group=admin; to app",
            ),
            ("GET a.test/admin/list from 192.0.3.7", "everything: set response x-site=a; to app"),
            (
                "GET a.test/admin/list from 2001:db8::1",
                "list: set response x-site=a; set response x-group=admin; to app",
            ),
            ("GET a.test/admin/other from 192.0.2.7", "everything: set response x-site=a; to app"),
            (
                "GET a.test/admin/deep from 192.0.2.7",
                "fallback: set response x-site=a; set response x-group=admin; 410",
            ),
            (
                "GET a.test/admin/deep/x from 192.0.2.7",
                "x: set response x-site=a; set response x-group=admin; to app",
            ),
            ("GET a.test/closed", "fallback: set response x-site=a; 403"),
            ("GET a.test/closed/x/y", "fallback: set response x-site=a; 403"),
            ("GET a.test/closedx", "everything: set response x-site=a; to app"),
        ],
    );
}

#[test]
fn absence_is_neither_equal_nor_different() {
    let source = r#"edition 1
        site a.test {
          route /eq as eq when request.header["x-a"] == "1" { respond 200 }
          route /not as differs when not (request.header["x-a"] == "1") { respond 200 }
          route /some as some when request.header["x-a"].is_some and not (request.header["x-a"] == "1") { respond 200 }
          route /both as both when request.header["x-a"] == request.cookie["s"] { respond 200 }
          route /else as other when (request.query["q"] ?? "none") == "none" { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/eq x-a=1", "eq: 200"),
            ("GET a.test/eq x-a=2", "fallback: 404"),
            ("GET a.test/eq", "fallback: 404"),
            ("GET a.test/eq x-a=2 x-a=1", "fallback: 404"),
            ("GET a.test/not", "differs: 200"),
            ("GET a.test/not x-a=2", "differs: 200"),
            ("GET a.test/some", "fallback: 404"),
            ("GET a.test/some x-a=2", "some: 200"),
            ("GET a.test/both", "fallback: 404"),
            ("GET a.test/both x-a=7 cookie:s=7", "both: 200"),
            ("GET a.test/else", "other: 200"),
            ("GET a.test/else?q=none", "other: 200"),
            ("GET a.test/else?q", "fallback: 404"),
        ],
    );
}

#[test]
fn statements_run_in_order_and_require_ends() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        site a.test {
          route /api/{p...} as api {
            add request.header["x-n"] = "port ${request.port}"
            require request.header["x-key"] == "k" else respond 401 body "no key"
            when request.query["v"] == "2" {
              rewrite path /v2/{p...}
            } else {
              rewrite strip /api
              remove request.header["x-key"]
            }
            rewrite host "inner.test"
            to app
          }
          route /old/{p...} { redirect 301 /new/{p...} }
          route /to { redirect 302 "https://b.test${request.target}" }
        }"#;
    check(
        source,
        &[
            ("GET a.test:8080/api/x", "api: add request x-n=port 8080; 401 no key"),
            (
                "GET a.test/api/x?v=2 x-key=k",
                "api: add request x-n=port 80; path /v2/x; host inner.test; to app",
            ),
            (
                "GET a.test/api/x x-key=k",
                "api: add request x-n=port 80; strip 1; remove request x-key; host inner.test; to app",
            ),
            ("GET a.test/old/a/b?q=1", "/old/{p...}: 301 -> /new/a/b[?query]"),
            ("GET a.test/to?q=1", "/to: 302 -> https://b.test/to?q=1"),
        ],
    );
}

#[test]
fn rules_and_numbers() {
    let source = r#"edition 1
        const low = 100
        rule between(n: Int, top: Int) = n >= low and n <= top
        site a.test {
          route /n/{n:int} as in_range when between(n, top: low * 2) { respond 200 body "${n + 1}" }
          route /n/{n:int} as big when n - 1 > 9000 or n in 300..400 { respond 200 body "${n * 1000000000000000000}" }
        }"#;
    check(
        source,
        &[
            ("GET a.test/n/99", "fallback: 404"),
            ("GET a.test/n/100", "in_range: 200 101"),
            ("GET a.test/n/200", "in_range: 200 201"),
            ("GET a.test/n/201", "fallback: 404"),
            ("GET a.test/n/400", "big: 200 9223372036854775807"),
            ("GET a.test/n/9002", "big: 200 9223372036854775807"),
            ("GET a.test/n/9001", "fallback: 404"),
        ],
    );
}

#[test]
fn rules_take_sets_and_texts() {
    let source = r#"edition 1
        const staff = [10.0.0.0/8]
        rule from(nets: Set<Cidr>) = client.ip in nets
        rule named(s: Set<Host>, prefix: String) = request.host in s and request.path starts_with prefix
        site a.test, b.test {
          route /x/{p...} as a when named(["a.test"], prefix: "/x/1") { respond 200 }
          route /x/{p...} as staff when from(staff) or from([192.0.2.1]) { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/x/12", "a: 200"),
            ("GET b.test/x/12", "fallback: 404"),
            ("GET b.test/x/12 from 10.9.9.9", "staff: 200"),
            ("GET a.test/x/2 from 192.0.2.1", "staff: 200"),
            ("GET a.test/x/2 from 192.0.2.2", "fallback: 404"),
        ],
    );
}

#[test]
fn the_dumps_are_stable() {
    let source = r#"edition 1
        upstream app { builtin: echo }
        site a.test {
          route GET /users/{id:int} as user when request.header["x-a"] == "1" { to app }
          route /users/{rest...} as users { respond 200 body "${rest}" }
        }"#;
    let program = checked(source);
    let artifact = crate::compile(&program).expect("a small program");
    let expected_core = r#"site a.test on [0]
  0: route GET /users/{id:int} as "user" when (request.header["x-a"] == "1")
      to upstream 0
  1: route /users/{rest...} as "users"
      respond 200 body rest
  2: route [/...] as "fallback"
      not found
"#;
    assert_eq!(crate::dump_core(&program).expect("a small program"), expected_core);
    let expected_ir = r#"listener 0 host a.test: site 0
p0 = header["x-a"] == "1"
site 0: n8
n0 = route 1
n1 = route 0
n2 = p0: n1 else n0
n3 = method { GET: n2 HEAD: n2 } else n0
n4 = path ends after 2: n3 else n0
n5 = segment 1 is {int}: n4 else n0
n6 = route 2
n7 = path ends after 1: n6 else n5
n8 = segment 0 { "users": n7 } else n6
"#;
    let ir = crate::dump_ir(&artifact);
    let (nodes, effects) = ir.split_once("route 0 \"user\"").expect("effects follow");
    assert_eq!(nodes, expected_ir);
    assert!(effects.contains("route 1 \"users\" of site 0\n  0: respond 200 body rest 1\n"), "{effects}");
}

#[test]
fn a_number_beside_a_constant_is_joined_as_text() {
    let source = r#"edition 1
        site a.test {
          route /x as taken when "${if request.port == 80 then 7 else request.port}/${client.ip}" == "443/10.0.0.1" {
            respond 200 body "${if request.port == 80 then request.port else 7}"
          }
        }"#;
    check(
        source,
        &[
            ("GET a.test:443/x from 10.0.0.1", "taken: 200 7"),
            ("GET a.test:80/x from 10.0.0.1", "fallback: 404"),
        ],
    );
    let source = r#"edition 1
        site a.test {
          route /x as taken when "${if request.port == 80 then request.port else 7}x" contains "7" { respond 200 }
        }"#;
    check(source, &[("GET a.test:443/x", "taken: 200"), ("GET a.test:80/x", "fallback: 404")]);
}

#[test]
fn many_constants_are_looked_for_at_once() {
    let source = r#"edition 1
        site a.test {
            route /in/{rest...} as attack
                when rest contains "../" or rest contains "<script" or rest contains "union" or rest contains "/etc/"
            { respond 400 }
            route /at/{rest...} as start
                when rest starts_with "api/" or rest starts_with "apis/" or rest starts_with "v1" or rest starts_with "v2/x"
            { respond 200 }
            route /to/{name} as image
                when name ends_with ".png" or name ends_with ".jpg" or name ends_with ".jpeg" or name ends_with ".a.png"
            { respond 200 }
            route /head as agent
                when not (request.header["x-a"] contains "curl" or request.header["x-a"] contains "wget" or
                          request.header["x-a"] contains "bot" or request.header["x-a"] == "" or
                          request.header["x-a"] == "-")
            { respond 200 }
            route /target as target
                when request.target contains "et?a" or request.target contains "b=2" or request.target contains "zz"
            { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/in/a/b", "fallback: 404"),
            ("GET a.test/in/xunionx", "attack: 400"),
            ("GET a.test/in/a/etc/", "attack: 400"),
            ("GET a.test/in/a/etc", "fallback: 404"),
            ("GET a.test/at/api/", "start: 200"),
            ("GET a.test/at/api", "fallback: 404"),
            ("GET a.test/at/apis/x", "start: 200"),
            ("GET a.test/at/v1", "start: 200"),
            ("GET a.test/at/v2/", "fallback: 404"),
            ("GET a.test/at/v2/x", "start: 200"),
            ("GET a.test/at/v", "fallback: 404"),
            ("GET a.test/to/.png", "image: 200"),
            ("GET a.test/to/png", "fallback: 404"),
            ("GET a.test/to/x.jpeg", "image: 200"),
            ("GET a.test/to/x.jpegs", "fallback: 404"),
            // An absent field has no text in it, so `not` of all holds.
            ("GET a.test/head", "agent: 200"),
            ("GET a.test/head x-a=mozilla", "agent: 200"),
            ("GET a.test/head x-a=-", "fallback: 404"),
            ("GET a.test/head x-a=", "fallback: 404"),
            ("GET a.test/head x-a=libcurl/8", "fallback: 404"),
            ("GET a.test/target?a=1", "target: 200"),
            ("GET a.test/target?b=2", "target: 200"),
            ("GET a.test/target?b=1", "fallback: 404"),
            ("GET a.test/target", "fallback: 404"),
        ],
    );
}
