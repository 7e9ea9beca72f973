//! Functions, enums, `let`, maps and lists: programs in the language with the outcome of requests.

use super::corpus::{check, check_program, checked};

#[test]
fn functions_are_values_of_their_arguments() {
    let source = r#"edition 1
        enum Tier { free, pro }
        const base = 10
        fn tier(key: String) -> Tier = if key starts_with "pro-" then pro else free
        fn allowed(t: Tier, factor: Int = 2) -> Int = (if t == pro then base * base else base) * factor
        site a.test {
          let key = request.header["key"] else respond 401
          route /x as pro when tier(request.header["key"] ?? "") == pro { respond 200 body "${allowed(pro)} ${tier(key)}" }
          route /x as other { respond 200 body "${allowed(tier(key), factor: 1)} ${tier(key)}" }
        }"#;
    check(
        source,
        &[
            ("GET a.test/x", "other: 401"),
            ("GET a.test/x key=pro-1", "pro: 200 200 pro"),
            ("GET a.test/x key=x", "other: 200 10 free"),
            ("GET a.test/y key=x", "fallback: 404"),
        ],
    );
}

#[test]
fn captures_of_an_enum_take_its_words() {
    let source = r#"edition 1
        enum Tier { free, pro }
        site a.test {
          route /v{t:Tier}x as one when t in [pro] { respond 200 body "${t}" }
          route /v{t:Tier}x as two { respond 201 body "${if t == free then 1 else 2}" }
          route /{t:Tier} as plain { respond 202 }
          route /{t} as any { respond 203 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/vprox", "one: 200 pro"),
            ("GET a.test/vfreex", "two: 201 1"),
            ("GET a.test/vfreeproxx", "any: 203"),
            ("GET a.test/pro", "plain: 202"),
            ("GET a.test/pr", "any: 203"),
        ],
    );
}

#[test]
fn maps_and_lists_may_have_no_entry() {
    let source = r#"edition 1
        const names = { "a" => "first", "b" => "second" }
        const ports: Map<Port, Status> = { 80 => 404, 443 => 500 }
        const hosts = { 10.0.0.1 => "one", ::1 => "six" }
        const list: List<String> = ["zero", "one", "two"]
        site a.test {
          route /n/{n} as known when n in names { respond 200 body names[n] ?? "" }
          route /n/{n} as unknown { respond 200 body "${names[n] ?? "none"} ${hosts[client.ip] ?? "-"}" }
          route /l/{n:int} as list { let x = list[n] else respond 404 body "no ${n}"  respond 200 body "${x}${list[1] ?? ""}" }
          route /p as ports when (ports[request.port] ?? 200) in 400..499 { respond 200 body "${ports[request.port] ?? 404}" }
          route /p as high when ports[request.port] > 404 { respond 201 }
          route /j as joined when names["${names["a"] ?? ""}"].is_none and names["${request.query["q"] ?? ""}"].is_some { respond 200 }
        }"#;
    check(
        source,
        &[
            ("GET a.test/n/a", "known: 200 first"),
            ("GET a.test/n/c from 10.0.0.1", "unknown: 200 none one"),
            ("GET a.test/n/c from ::1", "unknown: 200 none six"),
            ("GET a.test/n/c from 10.0.0.2", "unknown: 200 none -"),
            ("GET a.test/l/2", "list: 200 twoone"),
            ("GET a.test/l/3", "list: 404 no 3"),
            ("GET a.test:80/p", "ports: 200 404"),
            ("GET a.test:443/p", "high: 201"),
            ("GET a.test:8080/p", "fallback: 404"),
            ("GET a.test/j?q=b", "joined: 200"),
            ("GET a.test/j?q=c", "fallback: 404"),
        ],
    );
}

#[test]
fn a_let_holds_to_the_end_of_its_block() {
    let source = r#"edition 1
        site a.test {
          let who = request.query["who"] ?? "nobody"
          route /{n:int} as number {
            let twice = n * 2
            when n > 5 { let word = "big"  set response.header["x"] = word }
            else { let word = "small"  set response.header["x"] = word }
            let hidden = request.header["x-a"]
            require not (hidden == "x") or twice > 100 else respond 403
            respond 200 body "${who} ${twice}"
          }
        }"#;
    check(
        source,
        &[
            ("GET a.test/4", "number: set response x=small; 200 nobody 8"),
            ("GET a.test/6?who=ann", "number: set response x=big; 200 ann 12"),
            ("GET a.test/6 x-a=x", "number: set response x=big; 403"),
            ("GET a.test/51 x-a=x", "number: set response x=big; 200 nobody 102"),
        ],
    );
}

#[test]
fn a_key_has_a_bound() {
    let source = format!(
        "edition 1\nconst m = {{ \"{}\" => 1 }}\nsite a.test {{ let h = \"${{request.host}}\" respond 200 body \"${{m[h] ?? 0}}\" }}",
        "x".repeat(1025)
    );
    let errors = crate::lower(&checked(&source)).expect_err("a long key");
    assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["E0259"]);
}

#[test]
fn the_environment_gives_values_to_the_same_program() {
    let source = r#"edition 1
        enum Tier { free, pro }
        env ORIGIN: String = "https://a.test"
        env LIMIT: Port
        env TIER: Tier = free
        site a.test {
          route /x as open when request.header["origin"] in [ORIGIN] or request.port > LIMIT { respond 200 body "${TIER}" }
        }"#;
    let mut program = checked(source);
    let missing = program.set_environment(&|_| None, twp_lang::hir::Required::All);
    assert_eq!(
        missing.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(),
        ["`LIMIT` is not set in the environment"]
    );
    let given = |name: &str| match name {
        "LIMIT" => Some("8000".to_owned()),
        "TIER" => Some("pro".to_owned()),
        _ => None,
    };
    assert!(program.set_environment(&given, twp_lang::hir::Required::All).is_empty());
    let cases = [
        ("GET a.test:8001/x", "open: 200 pro"),
        ("GET a.test:8000/x", "fallback: 404"),
        ("GET a.test/x origin=https://a.test", "open: 200 pro"),
    ];
    check_program(&program, source, &cases);
}

#[test]
fn durations_have_seconds() {
    let source = r#"edition 1
        const ages = { "short" => 90s, "long" => 2h, "less" => 1500ms }
        fn age(d: Duration = 365d) -> String = "max-age=${d.seconds}"
        site a.test {
          route /all { respond 200 body age() }
          route /{n} { respond 200 body "${(ages[n] ?? 1m).seconds} ${(if request.port == 80 then 1s else 2s).seconds}" }
        }"#;
    check(
        source,
        &[
            ("GET a.test/all", "/all: 200 max-age=31536000"),
            ("GET a.test/long", "/{n}: 200 7200 1"),
            ("GET a.test/less", "/{n}: 200 1 1"),
            ("GET a.test:81/x", "/{n}: 200 60 2"),
        ],
    );
}

#[test]
fn derived_fields_ask_others() {
    let source = r"edition 1
        site a.test {
          route /{p...} as ws when request.is_websocket { respond 200 }
          route /{p...} as grpc when request.is_grpc { respond 200 }
          respond 404
        }";
    check(
        source,
        &[
            ("GET a.test/ upgrade=WebSocket", "ws: 200"),
            ("POST a.test/ upgrade=websocket", "fallback: 404"),
            ("GET a.test/ upgrade=h2c", "fallback: 404"),
            ("POST a.test/ content-type=application/grpc+proto", "grpc: 200"),
            ("POST a.test/ content-type=text/plain", "fallback: 404"),
            ("GET a.test/", "fallback: 404"),
        ],
    );
}
