//! The program `twpc` as people and scripts meet it: output, streams and exit codes.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use twp_testkit::Scratch;

const GOOD: &str = "edition 1\nsite a.test { to 127.0.0.1:3000 }\n";
const BAD: &str = "edition 1\nsite a.test { to 127.0.0.1:3000; }\nsite b.test { to nowhere }\n";

fn twpc(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_twpc"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("twpc starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that reads no input may be gone already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("twpc ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn file(scratch: &Scratch, name: &str, text: &str) -> String {
    let path: PathBuf = scratch.write(name, text);
    path.to_string_lossy().into_owned()
}

#[test]
fn check_accepts_and_says_so() {
    let scratch = Scratch::new();
    let good = file(&scratch, "good.twp", GOOD);
    let output = twpc(&["check", &good], "");
    assert_eq!((output.status.code(), out(&output)), (Some(0), String::new()));
    assert_eq!(err(&output), format!("{good}: no problems found\n"));
}

#[test]
fn check_accepts_what_is_not_served_yet_and_says_so_when_it_is_to_run() {
    let text =
        "edition 1\nupstream app { servers: [127.0.0.1:1]  balance: least_conn }\nsite a.test { to app }\n";
    let output = twpc(&["check", "-"], text);
    assert_eq!((output.status.code(), err(&output).as_str()), (Some(0), "<stdin>: no problems found\n"));
    let output = twpc(&["check", "--for-run", "--message-format", "short", "-"], text);
    let refusal = "<stdin>:2:49: error[E0002]: `balance: least_conn` is not served by this version\n";
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), refusal));
}

#[test]
fn check_reports_every_mistake_with_its_place() {
    let scratch = Scratch::new();
    let bad = file(&scratch, "bad.twp", BAD);
    let output = twpc(&["check", &bad], "");
    assert_eq!(output.status.code(), Some(1));
    let text = err(&output);
    assert!(
        text.contains("error[E0103]: twp has no `;`")
            && text.contains("error[E0201]: unknown upstream `nowhere`"),
        "{text}"
    );
    assert!(text.contains(&format!("{bad}:2:32")) && text.ends_with("2 errors\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "a pipe gets no colours");
}

#[test]
fn short_and_json_go_to_standard_output() {
    let output = twpc(&["check", "--message-format", "short", "-"], BAD);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<String> = out(&output).lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "<stdin>:2:32: error[E0103]: twp has no `;`");
    assert_eq!((lines.len(), err(&output)), (2, String::new()));

    let output = twpc(&["check", "--message-format", "json", "-"], BAD);
    let objects: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(
        (&objects[0]["code"], &objects[0]["line"], &objects[0]["column"]),
        (&"E0103".into(), &2.into(), &32.into())
    );
    assert_eq!(objects[0]["helps"][0]["edits"][0]["replacement"], "");
}

#[test]
fn several_files_are_checked_each_on_its_own() {
    let scratch = Scratch::new();
    let (good, bad) = (file(&scratch, "good.twp", GOOD), file(&scratch, "bad.twp", BAD));
    assert_eq!(err(&twpc(&["check", &good, &good], "")), "2 files: no problems found\n");
    assert_eq!(twpc(&["check", &good, &bad], "").status.code(), Some(1));
}

#[test]
fn unreadable_input_is_named_with_a_remedy() {
    let scratch = Scratch::new();
    let missing = scratch.path().join("missing.twp").to_string_lossy().into_owned();
    let output = twpc(&["check", &missing], "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(err(&output), format!("error: cannot read `{missing}`: there is no such file\n"));

    let folder = scratch.path().to_string_lossy().into_owned();
    assert!(err(&twpc(&["check", &folder], "")).contains("it is a directory"));

    let latin = scratch.path().join("latin.twp");
    fs::write(&latin, b"edition 1\n// caf\xe9\n").expect("a file is written");
    let output = twpc(&["check", &latin.to_string_lossy()], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("byte 16 (line 2) is not UTF-8"), "{}", err(&output));

    let large = scratch.path().join("large.twp");
    fs::write(&large, vec![b' '; (16 << 20) + 1]).expect("a file is written");
    assert!(err(&twpc(&["check", &large.to_string_lossy()], "")).contains("it has more than 16 MiB"));
}

#[test]
fn cost_is_a_table_that_explains_itself_or_json() {
    let source = r#"edition 1
site a.test { route GET /a when request.header["x"] matches re"[a-z]+" { respond 200 } }
site **.long-name.test { respond 200 }
"#;
    let output = twpc(&["check", "--cost", "-"], source);
    assert_eq!((output.status.code(), err(&output).as_str()), (Some(0), "<stdin>: no problems found\n"));
    let text = out(&output);
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    let cells = |start: &str| line(start).split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    assert_eq!(cells("a.test")[1..7], ["2", "4", "1", "1", "32768", "0"], "{text}");
    assert_eq!(cells("**.long-name.test"), ["**.long-name.test", "1", "0", "0", "126", "0", "0", "0"]);
    let lengths = ["site ", "a.test", "**.", "all sites"].map(|start| line(start).len());
    assert!(lengths.iter().all(|length| *length == lengths[0]), "columns are aligned: {text}");
    for column in
        ["routes  ", "steps  ", "tests  ", "lookups  ", "regex bytes  ", "search bytes  ", "table bytes  "]
    {
        assert!(line(column).len() > 40, "a line explains {column:?}: {text}");
    }

    let output = twpc(&["check", "--cost", "--message-format", "json", "-"], source);
    let object: serde_json::Value = serde_json::from_str(&out(&output)).expect("one object");
    assert_eq!((&object["file"], &object["cost"]["sites"][0]["name"]), (&"<stdin>".into(), &"a.test".into()));
    assert_eq!(object["cost"]["worst"]["regex_bytes"], 32_768);
    let short = out(&twpc(&["check", "--cost", "--message-format", "short", "-"], source));
    assert!(short.starts_with("<stdin>: cost: a.test: steps=4 tests=1 lookups=1 "), "{short}");
    assert!(out(&twpc(&["check", "--help"], "")).contains("--cost"));
}

#[test]
fn a_file_with_errors_has_no_cost_and_limits_bound_it() {
    let output = twpc(&["check", "--cost", "-"], BAD);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""));
    let source = "edition 1\nserver { limits { head: 2KiB path: 100B } }\n\
                  site a.test { route when request.target contains \"x\" { respond 200 } }\n";
    let output = twpc(&["check", "--cost", "--message-format", "json", "-"], source);
    let object: serde_json::Value =
        serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", err(&output)));
    assert_eq!(
        (&object["cost"]["head_bytes_max"], &object["cost"]["worst"]["search_bytes"]),
        (&2048.into(), &100.into())
    );
}

#[test]
fn every_stage_is_shown() {
    for (stage, part) in [
        ("ast", "site a.test"),
        ("core", "a.test"),
        ("ir", "route 0"),
        ("clif", "nothing here is native code"),
        ("asm", "nothing here is native code"),
    ] {
        let output = twpc(&["dump", "--stage", stage, "-"], GOOD);
        assert_eq!(output.status.code(), Some(0), "{stage}: {}", err(&output));
        assert!(out(&output).contains(part), "{stage}: {}", out(&output));
    }
    // The tree of a broken file is still shown; later stages need a program.
    assert_eq!(twpc(&["dump", "--stage", "ast", "-"], BAD).status.code(), Some(0));
    assert_eq!(twpc(&["dump", "--stage", "ir", "-"], BAD).status.code(), Some(1));
}

#[test]
fn native_code_names_what_it_reads() {
    let source = "edition 1\nsite a.test {\n  route /users/{id} when request.header[\"x-a\"] == \"b\" { respond 200 }\n}\n";
    let clif = out(&twpc(&["dump", "--stage", "clif", "-"], source));
    for part in ["; view.path.ptr", "; view.segment_at[1]", "; view.slots", "; slot[0].ptr"] {
        assert!(clif.contains(part), "{part}: {clif}");
    }
    assert!(out(&twpc(&["dump", "--stage", "asm", "-"], source)).contains(" bytes\n"));
}

#[test]
fn codes_and_lints_are_explained() {
    for asked in ["E0103", "e0103"] {
        assert!(out(&twpc(&["explain", asked], "")).starts_with("E0103: "));
    }
    assert!(out(&twpc(&["explain", "missing_edition"], "")).starts_with("L0101: "));
    let output = twpc(&["explain", "E9999"], "");
    assert_eq!((output.status.code(), out(&output)), (Some(2), String::new()));
}

#[test]
fn the_command_line_teaches() {
    let output = twpc(&["--help"], "");
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0));
    for part in ["Examples:", "Exit codes:", "check", "dump", "explain"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(twpc(&["chek", "x"], "").status.code(), Some(2));
    assert_eq!(twpc(&["check"], "").status.code(), Some(2));
}

#[test]
fn check_takes_values_of_the_environment_from_a_file() {
    let scratch = Scratch::new();
    let text = "edition 1\nenv LIMIT: Port\nenv TIER: Scheme = \"https\"\n\
                site a.test { require request.port < LIMIT else respond 403  to 127.0.0.1:1 }\n\
                site b.test { require request.scheme == TIER else respond 403  to 127.0.0.1:1 }\n";
    let source = file(&scratch, "env.twp", text);
    assert_eq!(twpc(&["check", &source], "").status.code(), Some(0));
    let good = file(&scratch, "good.env", "# ports\nLIMIT=1024\n");
    assert_eq!(twpc(&["check", "--env-file", &good, &source], "").status.code(), Some(0));
    let bad = file(&scratch, "bad.env", "LIMIT=many\nTIER=ftp\n");
    let output = twpc(&["check", "--message-format", "short", "--env-file", &bad, &source], "");
    let expected = format!(
        "{source}:2:5: error[E0701]: `LIMIT` in the environment is no Port\n\
         {source}:3:5: error[E0701]: `TIER` in the environment is no Scheme\n"
    );
    assert_eq!((output.status.code(), out(&output)), (Some(1), expected));
    let broken = file(&scratch, "broken.env", "LIMIT\n");
    let output = twpc(&["check", "--env-file", &broken, &source], "");
    let expected = format!("error: {broken}: line 1 is not `NAME=value`\n");
    assert_eq!((output.status.code(), err(&output)), (Some(2), expected));
}

#[test]
fn several_programs_share_their_modules_and_tell_a_mistake_once() {
    let scratch = Scratch::new();
    let entry = "edition 1\nuse self.shared\nsite a.test { to shared.app }\n";
    let (prod, staging) = (file(&scratch, "prod.twp", entry), file(&scratch, "staging.twp", entry));
    let shared = file(&scratch, "shared.twp", "pub upstream app { builtin: echo; }\n");
    let output = twpc(&["check", &prod, &staging], "");
    assert_eq!(output.status.code(), Some(1));
    let text = err(&output);
    assert_eq!(text.matches("error[E0103]").count(), 1, "{text}");
    assert!(text.contains(&format!("{shared}:1:33")) && text.ends_with("1 error\n"), "{text}");

    let output = twpc(&["check", "--message-format", "json", &prod], "");
    let line: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(
        (line["file"].as_str(), line["helps"][0]["edits"][0]["file"].as_str()),
        (Some(&*shared), Some(&*shared))
    );
}

#[test]
fn modules_of_standard_input_lie_in_the_current_directory() {
    let scratch = Scratch::new();
    file(&scratch, "shared.twp", "pub upstream app { builtin: echo }\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_twpc"))
        .args(["dump", "--stage", "ast", "-"])
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("twpc starts");
    let text = "edition 1\nuse self.shared\nuse self.gone\nsite a.test { to shared.app }\n";
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("twpc ends");
    let shown = out(&output);
    assert!(shown.contains("module self.shared\n"), "{shown}");
    assert!(err(&output).contains("there is no file `gone.twp`"), "{}", err(&output));
}
