//! Changes of the configuration of a running program: none loses a request, a bad one changes nothing.
//!
//! The long run with its numbers is `tests/accept/03_reload.py`; here are the single cases.

use std::fs;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use twp_testkit::{Ended, Message, Options, Origin, Program, Raw, Reply, Scratch, exchange, free_port, run};

const TWP: &str = env!("CARGO_BIN_EXE_twp");
/// How long a change may take to be served.
const SERVED_WITHIN: Duration = Duration::from_secs(5);

fn config(body: &str) -> String {
    format!(
        "edition 1
server {{ workers: 2  access_log {{ off: true }} }}
listener web {{ plain: [127.0.0.1:{{port}}] }}
site a.test on web {{ respond 200 body \"{body}\" }}
"
    )
}

fn get(addr: SocketAddr) -> Message {
    let mut seen = exchange(addr, "GET / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n");
    assert_eq!(seen.responses.len(), 1, "one answer, ended {:?}", seen.ended);
    seen.responses.remove(0)
}

fn body(addr: SocketAddr) -> String {
    String::from_utf8_lossy(&get(addr).body).into_owned()
}

/// Waits until something holds; panics with its name when it does not.
fn eventually(what: &str, mut test: impl FnMut() -> bool) {
    let deadline = Instant::now() + SERVED_WITHIN;
    while !test() {
        assert!(Instant::now() < deadline, "{what}: not within {SERVED_WITHIN:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn changes_under_load_lose_no_request() {
    let origin = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let text = |n: usize| {
        let workers = [2, 1, 4, 3, 1, 2][n];
        format!(
            "{}upstream app {{ servers: [{origin}] }}\nsite ledger.test on web {{ to app }}\n",
            config(&n.to_string()).replace("workers: 2", &format!("workers: {workers}"))
        )
    };
    let twp = Program::start(TWP, &text(0));
    let options = Options {
        target: twp.addr(),
        origin,
        duration: Duration::from_secs(5),
        rate: 150,
        kept: 20,
        ..Options::default()
    };
    let ledger = thread::spawn(move || run(&options));
    for n in 1..=5 {
        thread::sleep(Duration::from_millis(500));
        twp.change(&text(n));
        eventually("a change is served", || body(twp.addr()) == n.to_string());
    }
    let report = ledger.join().expect("the ledger ends").expect("the ledger runs");
    assert!(report.sent() > 700, "{}", report.to_json());
    assert_eq!(report.failed(), 0, "{}", report.to_json());
}

#[test]
fn a_kept_connection_is_told_to_go_and_finishes_what_it_asked() {
    let twp = Program::start(TWP, &config("old"));
    let mut kept = Raw::connect(twp.addr());
    kept.send("GET / HTTP/1.1\r\nhost: a.test\r\n\r\n");
    assert_eq!(kept.response("GET").expect("an answer").body, b"old");
    twp.change(&config("new"));
    eventually("the change is served", || body(twp.addr()) == "new");
    assert!(kept.is_quiet(), "an idle connection is not closed under its client");
    kept.send("GET / HTTP/1.1\r\nhost: a.test\r\n\r\n");
    let last = kept.response("GET").expect("an answer from the draining generation");
    assert_eq!(last.body, b"old");
    assert!(last.closes(), "the next answer says that it is the last: {}", last.head);
    assert_eq!(kept.response("GET"), Err(Ended::Closed));
}

#[test]
fn an_answer_under_way_survives_a_change() {
    let origin = Origin::start(|_| Reply { delay: Duration::from_secs(2), ..Reply::ok("late") });
    let text =
        |n: usize| format!("{}site slow.test on web {{ to {} }}\n", config(&n.to_string()), origin.addr());
    let twp = Program::start(TWP, &text(0));
    let mut slow = Raw::connect(twp.addr());
    slow.send("GET / HTTP/1.1\r\nhost: slow.test\r\n\r\n");
    thread::sleep(Duration::from_millis(200));
    twp.change(&text(1));
    eventually("the change is served", || body(twp.addr()) == "1");
    assert_eq!(slow.response("GET").expect("the answer comes").body, b"late");
}

#[test]
fn a_download_and_an_upload_under_way_survive_a_change() {
    const LENGTH: usize = 32 * 1024 * 1024;
    let origin = Origin::start(|request| match request.body.len() {
        0 => {
            let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-length: {LENGTH}\r\n\r\n").into_bytes();
            bytes.resize(bytes.len() + LENGTH, b'd');
            Reply::raw(bytes)
        }
        length => Reply::ok(&format!("got {length}")),
    });
    let text =
        |n: usize| format!("{}site slow.test on web {{ to {} }}\n", config(&n.to_string()), origin.addr());
    let twp = Program::start(TWP, &text(0));
    // Far more than all buffers on the way take, and nobody reads it yet.
    let mut download = Raw::connect(twp.addr());
    download.send("GET / HTTP/1.1\r\nhost: slow.test\r\n\r\n");
    let mut upload = Raw::connect(twp.addr());
    upload.send("POST / HTTP/1.1\r\nhost: slow.test\r\ncontent-length: 10\r\n\r\nhello");
    eventually("the download is under way", || origin.requests().len() == 1);
    twp.change(&text(1));
    eventually("the change is served", || body(twp.addr()) == "1");
    upload.send("world");
    assert_eq!(upload.response("POST").expect("the upload ends").body, b"got 10");
    assert_eq!(download.response("GET").expect("the download ends").body.len(), LENGTH);
}

#[test]
fn pipelined_requests_are_answered_up_to_the_one_that_is_told_to_go() {
    const REQUEST: &str = "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n";
    // One worker, so that what one connection is told holds for all.
    let config = |body: &str| config(body).replace("workers: 2", "workers: 1");
    let twp = Program::start(TWP, &config("old"));
    let (mut kept, mut witness) = (Raw::connect(twp.addr()), Raw::connect(twp.addr()));
    kept.send(REQUEST.repeat(3));
    for _ in 0..3 {
        assert_eq!(kept.response("GET").expect("an answer").body, b"old");
    }
    twp.change(&config("new"));
    eventually("the old generation tells its clients to go", || {
        witness.send(REQUEST);
        witness.response("GET").expect("an answer").closes()
    });
    // What follows the announced last one was never taken: its client may send it again elsewhere.
    kept.send(REQUEST.repeat(3));
    let seen = kept.drain();
    assert_eq!(seen.statuses(), [200]);
    assert!(seen.responses[0].closes());
}

#[test]
fn listeners_come_and_go() {
    let other = free_port();
    let twp = Program::start(TWP, &config("one"));
    let both =
        config("two").replace("[127.0.0.1:{port}]", &format!("[127.0.0.1:{{port}}, 127.0.0.1:{other}]"));
    twp.change(&both);
    let addr = SocketAddr::from(([127, 0, 0, 1], other));
    eventually("the first address serves the change", || body(twp.addr()) == "two");
    assert_eq!(body(addr), "two");
    twp.change(&config("three"));
    eventually("the first address serves the change", || body(twp.addr()) == "three");
    eventually("the other address is closed", || std::net::TcpStream::connect(addr).is_err());
}

/// A program of three files: what it answers comes from a module and from a data file.
fn program_of_files(port: u16) -> Scratch {
    let scratch = Scratch::new();
    let sites = "site module.test on web { respond 200 body texts.hello }\n\
                 site file.test on web { respond 200 body file(\"page.html\") }\n";
    let entry = config("entry").replace("{port}", &port.to_string());
    let entry = entry.replacen("edition 1\n", "edition 1\nuse self.shared.texts\n", 1);
    scratch.write("site.twp", &(entry + sites));
    fs::create_dir(scratch.path().join("shared")).expect("a folder");
    scratch.write("shared/texts.twp", "pub const hello = \"one\"\n");
    scratch.write("page.html", "one");
    scratch
}

fn body_of(addr: SocketAddr, host: &str) -> String {
    let mut seen = exchange(addr, format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"));
    assert_eq!(seen.responses.len(), 1, "one answer, ended {:?}", seen.ended);
    String::from_utf8_lossy(&seen.responses.remove(0).body).into_owned()
}

fn fingerprint(twp: &Program) -> String {
    let mut found = String::new();
    eventually("the supervisor knows what serves", || {
        let (_, out, _) = twp.command("status --json");
        let status: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        status["fingerprint"].as_str().unwrap_or_default().clone_into(&mut found);
        !found.is_empty()
    });
    found
}

#[test]
fn a_change_of_any_file_of_the_program_is_served() {
    let port = free_port();
    let twp = Program::start_in(TWP, program_of_files(port), port);
    let beside = |name: &str| twp.site().with_file_name(name);
    let texts = twp.site().with_file_name("shared").join("texts.twp");
    let first = fingerprint(&twp);
    assert_eq!(
        (body_of(twp.addr(), "module.test"), body_of(twp.addr(), "file.test")),
        ("one".into(), "one".into())
    );

    fs::write(&texts, "pub const hello = \"two\"\n").expect("a file");
    eventually("a change of a module is served", || body_of(twp.addr(), "module.test") == "two");
    // A generation serves a moment before the supervisor has heard so.
    eventually("the fingerprint is of all files", || fingerprint(&twp) != first);
    let second = fingerprint(&twp);

    fs::write(beside("page.html"), "two").expect("a file");
    eventually("a change of a data file is served", || body_of(twp.addr(), "file.test") == "two");
    eventually("the fingerprint is of data files too", || fingerprint(&twp) != second);

    // A new module, missing at first: making it is a change like any other.
    let entry = fs::read_to_string(twp.site()).expect("it is there");
    twp.change(
        &entry
            .replace("use self.shared.texts", "use self.shared.texts\nuse self.late.more")
            .replace("body \"entry\"", "body more.text"),
    );
    twp.until("the missing module is told", |twp| {
        twp.said().1.contains("error[E0207]: unknown module `self.late.more`")
    });
    assert_eq!(body(twp.addr()), "entry");
    fs::create_dir(beside("late")).expect("a folder");
    fs::write(beside("late").join("more.twp"), "pub const text = \"late\"\n").expect("a file");
    eventually("the program with its new module is served", || body(twp.addr()) == "late");
}

#[test]
fn a_broken_module_changes_nothing_and_what_served_can_start_again() {
    let port = free_port();
    let twp = Program::start_in(TWP, program_of_files(port), port);
    let texts = twp.site().with_file_name("shared").join("texts.twp");
    fs::write(&texts, "pub const hello = 1;\n").expect("a file");
    twp.until("the mistake is told where it is", |twp| {
        let said = twp.said().1;
        said.contains("shared/texts.twp:1:20") && said.contains("goes on serving")
    });
    assert_eq!(body_of(twp.addr(), "module.test"), "one");

    // The generation dies: it is started again from the texts it had, of all files.
    let generations = twp.generations();
    for pid in &generations {
        twp.signal("-KILL", *pid);
    }
    twp.until("another generation", |twp| {
        let now = twp.generations();
        !now.is_empty() && now.iter().all(|pid| !generations.contains(pid))
    });
    eventually("it serves as before", || body_of(twp.addr(), "module.test") == "one");
    assert_eq!(body_of(twp.addr(), "file.test"), "one");

    fs::write(&texts, "pub const hello = \"mended\"\n").expect("a file");
    eventually("the mended module is served", || body_of(twp.addr(), "module.test") == "mended");
}
