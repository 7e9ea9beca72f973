//! The engines of the program: named by `twp status`, alike in every answer, and what happens where the system refuses
//! executable memory.

#[path = "e2e_engine/refused.rs"]
mod refused;

use refused::Refusal;
use std::fs;
use std::process::{Command, Stdio};
use twp_testkit::{Program, Scratch, exchange, free_port};

const TWP: &str = env!("CARGO_BIN_EXE_twp");

/// Every kind of thing that is decided: hosts, methods, captures, guards, texts that depend on conditions.
const CONFIG: &str = r#"edition 1
server { workers: 1 drain: 1s }
listener web { plain: [127.0.0.1:{port}] }
const inside = [127.0.0.0/8, 10.0.0.0/8]
rule is_curl = request.header["user-agent"] starts_with "curl/"
site a.test {
  set response.header["x-page"] = "${request.path}"
  when is_curl { set response.header["x-tool"] = "curl" } else { set response.header["x-tool"] = "other" }
  route GET /users/{id:int} when id > 7 { respond 200 body "user ${id}" }
  route GET /users/{name} when client.ip in inside { respond 200 body "name ${name}" }
  route POST /users/{name} { require request.header["x-key"] == "abcdefghijk" else respond 403 respond 201 }
  route /files/{name}.css { respond 200 body "style ${name}" }
  route /v/{v:re"v[0-9]+"}/{rest...} { redirect 302 /{v}/new }
  route /search when request.query["q"] == "x" or request.cookie["s"].is_some { respond 200 body "found" }
}
site *.b.test { route /{rest...} when request.host ends_with "x.b.test" { respond 200 body "x" } fallback { respond 410 } }
"#;

/// Requests by start line and fields; those that differ little stand together.
const REQUESTS: &[(&str, &str)] = &[
    ("GET /users/8", "host: a.test"),
    ("GET /users/7", "host: a.test"),
    ("GET /users/007", "host: a.test"),
    ("HEAD /users/8", "host: a.test"),
    ("GET /%75sers/8", "host: A.TEST"),
    ("GET /users/bob", "host: a.test\r\nuser-agent: curl/8.0"),
    ("GET /users/bob", "host: a.test\r\nuser-agent: curl"),
    ("POST /users/bob", "host: a.test\r\nx-key: abcdefghijk\r\ncontent-length: 0"),
    ("POST /users/bob", "host: a.test\r\nx-key: abcdefghijl\r\ncontent-length: 0"),
    ("POST /users/bob", "host: a.test\r\ncontent-length: 0"),
    ("DELETE /users/bob", "host: a.test"),
    ("GET /files/main.css", "host: a.test"),
    ("GET /files/.css", "host: a.test"),
    ("GET /files/main.js", "host: a.test"),
    ("GET /v/v12/a/b", "host: a.test"),
    ("GET /v/w12/a/b", "host: a.test"),
    ("GET /search?q=x", "host: a.test"),
    ("GET /search?q=y", "host: a.test"),
    ("GET /search", "host: a.test\r\ncookie: a=b; s=1"),
    ("GET /a/../users/9", "host: a.test"),
    ("GET /..", "host: a.test"),
    ("GET /", "host: x.b.test"),
    ("GET /", "host: yx.b.test"),
    ("GET /", "host: y.b.test"),
    ("GET /", "host: nowhere.test"),
];

/// All answers, without the moment at which they were given.
fn answers(twp: &Program) -> Vec<String> {
    let ask = |(start, fields): &(&str, &str)| {
        let seen = exchange(twp.addr(), format!("{start} HTTP/1.1\r\n{fields}\r\nconnection: close\r\n\r\n"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut out = format!("{start} ({fields}):\n");
        for response in &seen.responses {
            let lines = response.head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("date:"));
            out.extend(lines.chain([text(&response.body).as_str()]).flat_map(|line| [line, "\n"]));
        }
        out
    };
    REQUESTS.iter().map(ask).collect()
}

fn started(engine: &str, refusal: Option<Refusal>) -> Program {
    Program::start_as(TWP, CONFIG, |command| {
        command.args(["--engine", engine]);
        if let Some(refusal) = refusal {
            refusal.before_start(command);
        }
    })
}

/// The engine that `twp status` names for the newest generation, for people and for programs.
fn engine(twp: &Program) -> String {
    let status: serde_json::Value = serde_json::from_str(&twp.command("status --json").1).expect("a status");
    let generations = status["generations"].as_array().cloned().unwrap_or_default();
    let engine = generations.last().and_then(|last| last["engine"].as_str()).expect("an engine").to_owned();
    let (_, text, _) = twp.command("status");
    assert!(text.contains(&format!("engine {engine}")), "{engine}\n{text}");
    engine
}

#[test]
fn every_engine_is_named_and_gives_the_same_answers() {
    let mut expected: Option<Vec<String>> = None;
    for (choice, named) in [("table", "table"), ("native", "native ("), ("auto", "native (")] {
        let twp = started(choice, None);
        let engine = engine(&twp);
        assert!(engine.starts_with(named), "--engine {choice} is {engine}");
        let answers = answers(&twp);
        let statuses =
            |status: &str| answers.iter().filter(|text| text.contains(&format!("1.1 {status} "))).count();
        for status in ["200", "201", "302", "403", "404", "405", "410", "421"] {
            assert!(statuses(status) > 0, "nothing is answered by {status}: {answers:#?}");
        }
        match &expected {
            None => expected = Some(answers),
            Some(expected) => assert_eq!(&answers, expected, "--engine {choice}"),
        }
    }
}

#[test]
fn native_code_that_is_demanded_and_refused_is_an_error() {
    for refusal in Refusal::available() {
        let scratch = Scratch::new();
        scratch.write("site.twp", &CONFIG.replace("{port}", &free_port().to_string()));
        let mut command = Command::new(TWP);
        command.args(["run", "site.twp", "--control", "control", "--engine", "native"]);
        command.current_dir(scratch.path()).stdin(Stdio::null());
        refusal.before_start(&mut command);
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        println!("{refusal:?}: {said}");
        assert_eq!(output.status.code(), Some(1), "{refusal:?}: {said}");
        assert!(said.contains("error: there is no native code: no executable memory"), "{refusal:?}: {said}");
        assert!(said.contains("help: use --engine auto"), "{refusal:?}: {said}");
        let left = fs::exists(scratch.path().join("control")).expect("a folder that can be read");
        assert!(!left, "{refusal:?}: the control socket stays behind");
    }
}

#[test]
fn tables_serve_and_reload_where_native_code_is_refused() {
    let plain = answers(&started("table", None));
    for refusal in Refusal::available() {
        let twp = started("auto", Some(refusal));
        let first = engine(&twp);
        println!("{refusal:?}: {first}");
        assert!(first.starts_with("table (no executable memory"), "{refusal:?}: {first}");
        let said = twp.said().1;
        assert!(
            said.contains("note: tables decide, there is no native code: no executable memory"),
            "{said}"
        );
        assert_eq!(answers(&twp), plain, "{refusal:?}");

        twp.change(&CONFIG.replace("user ${id}", "number ${id}"));
        let (code, _, said) = twp.command("reload");
        assert_eq!(code, Some(0), "{refusal:?}: {said}");
        let changed = |twp: &Program| answers(twp).first().is_some_and(|text| text.contains("number 8"));
        twp.until("the change is served", changed);
        assert!(engine(&twp).starts_with("table (no executable memory"), "{refusal:?}: {}", engine(&twp));

        // A generation that dies is replaced by one that is refused the same.
        let generations = twp.generations();
        for pid in &generations {
            twp.signal("-KILL", *pid);
        }
        twp.until("another generation serves", |twp| {
            twp.generations().iter().any(|pid| !generations.contains(pid)) && changed(twp)
        });
        assert!(engine(&twp).starts_with("table (no executable memory"), "{refusal:?}: {}", engine(&twp));
        let (code, _, said) = twp.command("stop --wait");
        assert_eq!(code, Some(0), "{refusal:?}: {said}");
    }
}
