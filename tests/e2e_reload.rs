//! Changes of the configuration of a running program: none loses a request, a bad one changes nothing.
//!
//! The long run with its numbers is `tests/accept/03_reload.py`; here are the single cases.

use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use twp_testkit::{Ended, Message, Options, Origin, Program, Raw, Reply, exchange, free_port, run};

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
        format!(
            "{}upstream app {{ servers: [{origin}] }}\nsite ledger.test on web {{ to app }}\n",
            config(&n.to_string())
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
fn a_mistake_is_told_and_changes_nothing() {
    let twp = Program::start(TWP, &config("good"));
    twp.change(&config("bad").replace("respond 200 body \"bad\"", "to nobody"));
    let (code, out, err) = twp.command("reload");
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(format!("{out}{err}").contains("nobody"), "the diagnostic names what is wrong: {out}{err}");
    assert_eq!(body(twp.addr()), "good");
    twp.change(&config("better"));
    eventually("the mended file is served", || body(twp.addr()) == "better");
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

#[test]
fn a_busy_port_is_a_refused_change() {
    let busy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = busy.local_addr().expect("an address").port();
    let twp = Program::start(TWP, &config("old"));
    twp.change(
        &config("new").replace("[127.0.0.1:{port}]", &format!("[127.0.0.1:{{port}}, 127.0.0.1:{port}]")),
    );
    let (code, out, err) = twp.command("reload");
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(format!("{out}{err}").contains(&port.to_string()), "the refusal names the address: {out}{err}");
    assert_eq!(body(twp.addr()), "old");
}

#[test]
fn a_killed_generation_is_replaced() {
    let twp = Program::start(TWP, &config("on"));
    for _ in 0..2 {
        let generations = twp.generations();
        assert!(!generations.is_empty(), "a generation serves");
        for pid in &generations {
            twp.signal("-KILL", *pid);
        }
        // The sockets live on in the supervisor: a client waits in the queue, it is not refused.
        assert_eq!(body(twp.addr()), "on");
        eventually("another process serves", || {
            twp.generations().iter().any(|pid| !generations.contains(pid))
        });
    }
}

#[test]
fn hangup_reloads_and_stop_ends_in_order() {
    let mut twp = Program::start(TWP, &config("one"));
    let before = twp.generations();
    twp.signal("-HUP", twp.pid());
    eventually("a new generation serves", || twp.generations().iter().any(|pid| !before.contains(pid)));
    let (code, out, err) = twp.command("status");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains(&twp.addr().port().to_string()), "status names the listener: {out}");
    let (code, out, err) = twp.command("stop");
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(twp.wait(Duration::from_secs(5)), Some(0), "{}", twp.said().1);
    assert!(std::net::TcpStream::connect(twp.addr()).is_err(), "nobody listens any more");
}

#[test]
fn a_second_supervisor_of_the_same_addresses_is_refused() {
    let twp = Program::start(TWP, &config("first"));
    let control = twp.site().with_file_name("second-control");
    let output = Command::new(TWP).arg("run").arg(twp.site()).arg("--control").arg(&control).output();
    let output = output.expect("the program starts");
    assert!(!output.status.success(), "two supervisors would share the clients silently");
    assert!(!output.stderr.is_empty(), "and it says why");
    assert_eq!(body(twp.addr()), "first");
}
