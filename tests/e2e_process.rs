//! The program `twp` as its operators use it: starting, changing, breaking, killing and stopping it on loopback.
//!
//! What clients notice of a change is in `e2e_reload.rs`.

use std::cell::Cell;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use twp_testkit::{Ended, Origin, Program, Raw, Reply, Scratch, exchange, free_port};

const TWP: &str = env!("CARGO_BIN_EXE_twp");
/// Long enough for a saved file to be looked at, and for what follows from it.
const A_LOOK: Duration = Duration::from_millis(600);

/// A site that answers everything with this text.
fn answering(text: &str) -> String {
    format!(
        "edition 1\nserver {{ workers: 2 }}\nlistener web {{ plain: [127.0.0.1:{{port}}] }}\n\
         site * {{ respond 200 body \"{text}\" }}\n"
    )
}

/// What a new client is answered; nothing when it is refused.
fn answer(twp: &Program) -> Option<String> {
    let mut client = Raw::try_connect(twp.addr()).ok()?;
    client.send("GET / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n");
    client.drain().responses.first().map(|response| String::from_utf8_lossy(&response.body).into_owned())
}

fn answers(twp: &Program, text: &str) -> bool {
    answer(twp).as_deref() == Some(text)
}

fn status(twp: &Program) -> serde_json::Value {
    serde_json::from_str(&twp.command("status --json").1).unwrap_or_default()
}

/// Number and process id of the generation that serves, once there is one.
fn serving(twp: &Program) -> (u64, u32) {
    let find = |twp: &Program| {
        let status = status(twp);
        let generation = status["generations"].as_array()?.iter().find(|g| g["phase"] == "serving")?.clone();
        Some((generation["number"].as_u64()?, u32::try_from(generation["pid"].as_u64()?).ok()?))
    };
    let found = Cell::new(None);
    twp.until("a generation serves", |twp| {
        found.set(find(twp));
        found.get().is_some()
    });
    found.get().expect("it was found")
}

fn said(twp: &Program) -> String {
    twp.said().1
}

#[test]
fn it_starts_tells_what_it_does_and_stops() {
    let mut twp = Program::start(TWP, &answering("one"));
    let addr = twp.addr();
    twp.until("it says so", |twp| said(twp).contains("serving site.twp (generation 1, 2 workers)"));
    assert!(said(&twp).contains(&format!("http://{addr}  listener web")), "{}", said(&twp));
    assert!(answers(&twp, "one"));

    let (code, out, err) = twp.command("status");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("generation 1 serving") && out.contains("engine native ("), "{out}");
    let status = status(&twp);
    assert_eq!(status["pid"], twp.pid());
    assert_eq!(status["listeners"][0]["url"], format!("http://{addr}"));

    let (code, out, err) = twp.command("stop --wait");
    assert_eq!((code, out.as_str()), (Some(0), "stopped\n"), "{err}");
    assert_eq!(twp.wait(Duration::from_secs(5)), Some(0));
    assert_eq!(answer(&twp), None, "the port is closed");
    let (code, _, err) = twp.command("status");
    assert!(code == Some(1) && err.contains("nothing answers at control") && err.contains("help:"), "{err}");
}

#[test]
fn a_perf_map_names_native_functions_of_each_generation() {
    let (scratch, port) = (Scratch::new(), free_port());
    let site = "site * { route /x when request.port == 1 { respond 201 } fallback { respond 200 } }";
    let listener = format!("listener web {{ plain: [127.0.0.1:{port}] }}");
    scratch.write("site.twp", &format!("edition 1\n{listener}\n{site}\n"));
    let twp = Program::start_with(TWP, scratch, port, &["--perf-map"]);
    let (_, generation) = serving(&twp);
    let path = format!("/tmp/perf-{generation}.map");
    let map = fs::read_to_string(&path).expect("a map");
    let mode = fs::metadata(&path).expect("a map").permissions().mode();
    fs::remove_file(&path).expect("the map is ours");
    assert_eq!(mode & 0o777, 0o600);
    let memory = fs::read_to_string(format!("/proc/{generation}/maps")).expect("its memory");
    let executable: Vec<(u64, u64)> =
        memory.lines().filter(|line| line.contains(" r-xp ")).map(range).collect();
    assert!(map.lines().any(|line| line.contains(" twp::")), "{map}");
    for line in map.lines() {
        let mut words = line.split(' ').map(|word| u64::from_str_radix(word, 16));
        let (start, size) = (words.next().expect("an address"), words.next().expect("a size"));
        let (start, size) = (start.expect("an address"), size.expect("a size"));
        let inside = |(from, to): &(u64, u64)| *from <= start && start + size <= *to;
        assert!(size > 0 && executable.iter().any(inside), "{line} is not in {executable:x?}");
    }
}

/// The addresses that a line of `/proc/PID/maps` begins with.
fn range(line: &str) -> (u64, u64) {
    let addresses = line.split(' ').next().and_then(|word| word.split_once('-')).expect("two addresses");
    let number = |text| u64::from_str_radix(text, 16).expect("an address");
    (number(addresses.0), number(addresses.1))
}

/// The keys that docs/operations.md promises to programs.
#[test]
fn the_keys_of_the_status_are_those_of_the_documentation() {
    let twp = Program::start(TWP, &answering("one"));
    serving(&twp);
    twp.until("a sign of life came", |twp| {
        status(twp)["generations"][0]["workers"].as_array().is_some_and(|workers| !workers.is_empty())
    });
    let status = status(&twp);
    let documentation = include_str!("../docs/operations.md");
    let mut found = Vec::new();
    keys(&status, "", &mut found);
    for key in found {
        assert!(documentation.contains(&format!("| `{key}` |")), "`{key}` is not in docs/operations.md");
    }
}

fn keys(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    if let Some(object) = value.as_object() {
        for (key, value) in object {
            let key = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            keys(value, &key, found);
            found.push(key);
        }
    }
    for value in value.as_array().into_iter().flatten() {
        keys(value, &format!("{path}[]"), found);
    }
}

#[test]
fn a_saved_change_is_served_and_identical_contents_are_not() {
    let twp = Program::start(TWP, &answering("one"));
    twp.write(&answering("two"));
    twp.until("the change is served", |twp| answers(twp, "two"));
    twp.until("it is confirmed", |twp| said(twp).contains("generation 2 serves site.twp"));
    twp.write(&answering("two"));
    thread::sleep(A_LOOK);
    assert_eq!(serving(&twp).0, 2);
}

#[test]
fn a_broken_file_changes_nothing_until_it_is_mended() {
    let twp = Program::start(TWP, &answering("one"));
    twp.write("edition 1\nsite * { to nowhere }\n");
    twp.until("the mistake is printed", |twp| said(twp).contains("nowhere"));
    twp.until("the rest is said", |twp| said(twp).contains("generation 1 goes on serving"));
    assert!(answers(&twp, "one"));

    let (code, _, err) = twp.command("reload");
    assert!(code == Some(1) && err.contains("nowhere") && err.contains("refused"), "{err}");
    let last = status(&twp)["last_reload"].clone();
    let names_it = last["text"].as_str().is_some_and(|text| text.contains("nowhere"));
    assert!(last["result"] == "refused" && names_it, "{last}");

    // Half a file, as an editor may leave it for a moment, is only another mistake.
    let whole = answering("three");
    twp.write(&whole[..whole.len() / 2]);
    thread::sleep(A_LOOK);
    assert!(answers(&twp, "one"));
    twp.write(&whole);
    twp.until("the mended file is served", |twp| answers(twp, "three"));
}

/// A sound file may say what this version does not serve: it is refused, and what ran goes on.
#[test]
fn what_is_not_served_yet_is_refused_and_changes_nothing() {
    let unserved = "edition 1
upstream app { servers: [127.0.0.1:1, 127.0.0.1:2]  balance: least_conn }
upstream old { servers: [127.0.0.1:1, 127.0.0.1:2]  balance: first_healthy }
site a.test { to app }
site b.test { to old }
";
    let (first, second) = (
        "error[E0002]: `balance: least_conn` is not served by this version",
        "error[E0002]: `balance: first_healthy` is not served by this version",
    );
    let scratch = Scratch::new();
    let file = scratch.write("unserved.twp", unserved);
    let control = scratch.path().join("control");
    let run = Command::new(TWP)
        .args(["run".as_ref(), file.as_os_str(), "--control".as_ref(), control.as_os_str()])
        .output()
        .expect("twp runs");
    let said_first = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(1), "{said_first}");
    assert!(said_first.contains(first) && said_first.contains(second), "{said_first}");
    assert!(said_first.contains("unserved.twp:2:62"), "{said_first}");

    let twp = Program::start(TWP, &answering("one"));
    twp.write(unserved);
    twp.until("each refusal is printed", |twp| said(twp).contains(first) && said(twp).contains(second));
    twp.until("the rest is said", |twp| said(twp).contains("generation 1 goes on serving"));
    assert!(answers(&twp, "one"));
    let (code, _, err) = twp.command("reload");
    assert!(code == Some(1) && err.contains(first) && err.contains("refused"), "{err}");
    assert!(answers(&twp, "one"));
}

/// Many programs empty a file before they write it. Nothing in it is wrong, and serving it would end the service.
#[test]
fn a_file_without_a_site_is_not_taken_over() {
    let twp = Program::start(TWP, &answering("one"));
    for nothing in ["", "edition 1\n", "edition 1\nlistener web { plain: [127.0.0.1:{port}] }\n"] {
        twp.write(nothing);
        thread::sleep(A_LOOK);
        assert!(answers(&twp, "one"), "after {nothing:?}");
    }
    assert!(said(&twp).contains("error[E0407]: there is no `site`"), "{}", said(&twp));
    twp.write(&answering("two"));
    twp.until("the whole file is served", |twp| answers(twp, "two"));
}

#[test]
fn a_broken_first_file_is_explained_and_ends_with_status_1() {
    let twp = Program::start(TWP, &answering("one"));
    fs::write(twp.site().with_file_name("bad.twp"), "edition 1\nsite * { to nowhere }\n").expect("written");
    let (code, _, err) = twp.run("run bad.twp --control other");
    assert!(code == Some(1) && err.contains("nowhere") && !err.contains("serving"), "{err}");
    let (code, _, err) = twp.run("run missing.twp --control other");
    assert!(code == Some(1) && err.contains("missing.twp"), "{err}");
    let (code, _, err) = twp.run("run");
    assert!(code == Some(2) && err.contains("FILE"), "{err}");
}

#[test]
fn a_log_that_cannot_be_opened_is_named() {
    let twp = Program::start(TWP, &answering("one"));
    let logging = "server { workers: 2 access_log { path: \"/nonexistent/access.log\" } }";
    twp.write(&answering("two").replace("server { workers: 2 }", logging));
    let (code, _, err) = twp.command("reload");
    assert!(code == Some(1) && err.contains("/nonexistent/access.log"), "{err}");
    assert!(answers(&twp, "one"));
}

#[test]
fn a_reload_starts_a_generation_even_without_a_change() {
    let twp = Program::start(TWP, &answering("one"));
    let (code, out, err) = twp.command("reload --wait");
    assert_eq!((code, out.as_str()), (Some(0), "generation 2 serves\n"), "{err}");
    assert_eq!(serving(&twp).0, 2);
    assert_eq!(status(&twp)["generations"].as_array().map(Vec::len), Some(1), "the old one has gone");
    twp.signal("-HUP", twp.pid());
    twp.until("SIGHUP does the same", |twp| serving(twp).0 == 3);
    assert!(answers(&twp, "one"));
}

/// Scripts that roll out one file to many places call it more than once.
#[test]
fn reloads_of_the_same_contents_at_once_all_succeed() {
    let twp = Program::start(TWP, &answering("one"));
    for _ in 0..3 {
        let codes: Vec<_> = thread::scope(|scope| {
            let callers: Vec<_> = (0..5).map(|_| scope.spawn(|| twp.command("reload"))).collect();
            callers.into_iter().map(|caller| caller.join().expect("no panic")).collect()
        });
        assert!(codes.iter().all(|(code, ..)| *code == Some(0)), "{codes:?}");
    }
}

/// Without a pace so many generations would drain that some are cut with requests on their way.
#[test]
fn a_storm_of_hangups_cuts_no_connection_in_use() {
    let twp = Program::start(TWP, &answering("one"));
    let ask = "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n";
    let mut kept = Raw::connect(twp.addr());
    kept.send(ask);
    assert_eq!(kept.response("GET").map(|response| response.status()), Ok(Some(200)));
    for _ in 0..60 {
        twp.signal("-HUP", twp.pid());
        thread::sleep(Duration::from_millis(20));
    }
    kept.send(ask);
    let last = kept.response("GET").expect("the connection still lives");
    assert!(last.closes(), "and is told to go: {}", last.head);
    assert!(!said(&twp).contains("was cut"), "{}", said(&twp));
}

/// An origin that takes its time, so that an exchange is open while the service stops.
fn slow(delay: Duration) -> (Origin, String) {
    let origin = Origin::start(move |_| Reply { delay, ..Reply::ok("late") });
    let text = format!(
        "edition 1\nserver {{ drain: 1s }}\nlistener web {{ plain: [127.0.0.1:{{port}}] }}\nsite slow.test {{ to {} }}\n",
        origin.addr()
    );
    (origin, text)
}

/// Asks the slow origin and waits until the question has arrived there.
fn ask_slowly(twp: &Program, origin: &Origin) -> Raw {
    let mut open = Raw::connect(twp.addr());
    open.send("GET / HTTP/1.1\r\nhost: slow.test\r\n\r\n");
    twp.until("the origin was asked", |_| !origin.requests().is_empty());
    open
}

#[test]
fn sigterm_lets_open_exchanges_finish_and_takes_no_new_ones() {
    let (origin, text) = slow(Duration::from_millis(900));
    let mut twp = Program::start(TWP, &text);
    let mut open = ask_slowly(&twp, &origin);
    twp.signal("-TERM", twp.pid());
    twp.until("new clients are refused", |twp| TcpStream::connect(twp.addr()).is_err());
    assert_eq!(open.response("GET").expect("it is finished").body, b"late");
    assert_eq!(twp.wait(Duration::from_secs(5)), Some(0));
}

#[test]
fn what_is_open_at_the_configured_end_of_draining_is_cut() {
    let (origin, text) = slow(Duration::from_secs(30));
    let mut twp = Program::start(TWP, &text);
    let mut open = ask_slowly(&twp, &origin);
    twp.signal("-TERM", twp.pid());
    assert_eq!(twp.wait(Duration::from_millis(500)), None, "it drains");
    assert_eq!(twp.wait(Duration::from_secs(5)), Some(0));
    assert!(matches!(open.response("GET"), Err(Ended::Closed | Ended::Reset)));
}

#[test]
fn a_second_sigterm_cuts_what_is_left() {
    let (origin, text) = slow(Duration::from_secs(30));
    let mut twp = Program::start(TWP, &text.replace("drain: 1s", "drain: 1h"));
    let mut open = ask_slowly(&twp, &origin);
    twp.signal("-TERM", twp.pid());
    twp.until("it drains", |twp| said(twp).contains("stopping"));
    twp.signal("-TERM", twp.pid());
    assert_eq!(twp.wait(Duration::from_secs(5)), Some(0));
    assert!(open.response("GET").is_err());
}

#[test]
fn a_second_start_on_one_port_is_refused() {
    let twp = Program::start(TWP, &answering("one"));
    let other = answering("two").replace("{port}", &twp.addr().port().to_string());
    fs::write(twp.site().with_file_name("other.twp"), other).expect("written");
    let (code, _, err) = twp.run("run other.twp --control other");
    let address = twp.addr().to_string();
    assert!(code == Some(1) && err.contains(&address), "{err}");
    assert!(err.contains("another program listens there") && err.contains("help:"), "{err}");
    assert!(!err.contains("serving"), "{err}");
    let (code, _, err) = twp.command("run");
    assert!(code == Some(1) && err.contains("twp runs already") && err.contains("twp reload"), "{err}");
    for _ in 0..10 {
        assert!(answers(&twp, "one"), "no client went astray");
    }
}

#[test]
fn a_busy_port_in_a_change_leaves_the_service_alone() {
    let twp = Program::start(TWP, &answering("one"));
    let busy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = busy.local_addr().expect("an address");
    twp.write(&answering("two").replace("plain: [", &format!("plain: [{addr}, ")));
    let (code, _, err) = twp.command("reload");
    assert!(code == Some(1) && err.contains(&addr.to_string()), "{err}");
    assert!(answers(&twp, "one"));
    drop(busy);
    let (code, _, err) = twp.command("reload");
    assert_eq!(code, Some(0), "{err}");
    assert!(answers(&twp, "two"));
    TcpStream::connect(addr).expect("the other address is served as well");
}

#[test]
fn a_killed_generation_is_restarted_and_clients_wait_for_it() {
    let twp = Program::start(TWP, &answering("one"));
    let (number, pid) = serving(&twp);
    twp.signal("-KILL", pid);
    assert!(answers(&twp, "one"), "the client waited in the queue");
    assert_ne!(serving(&twp).0, number);
    assert!(said(&twp).contains("was killed by SIGKILL"), "{}", said(&twp));

    // What served last comes back also when the file on disk is broken by now.
    twp.write("edition 1\nsite * { to nowhere }\n");
    twp.until("the mistake is printed", |twp| said(twp).contains("nowhere"));
    let (number, pid) = serving(&twp);
    twp.signal("-KILL", pid);
    assert!(answers(&twp, "one"));
    twp.until("it is confirmed", |twp| serving(twp).0 > number);
}

/// Its clients would wait for ever. Half a minute is the patience of the supervisor.
#[test]
fn a_generation_that_hangs_is_shown_and_replaced() {
    let twp = Program::start(TWP, &answering("one"));
    let (_, pid) = serving(&twp);
    twp.signal("-STOP", pid);
    twp.until("the silence is shown", |twp| twp.command("status").1.contains("silent for"));
    assert_eq!(serving(&twp).1, pid, "a short silence has no consequences");
    thread::sleep(Duration::from_secs(20));
    twp.until("it is replaced", |twp| serving(twp).1 != pid);
    assert!(said(&twp).contains("hangs: no sign of life"), "{}", said(&twp));
    assert!(answers(&twp, "one"));
}

#[test]
fn a_generation_ignores_signals_that_are_meant_for_its_supervisor() {
    let twp = Program::start(TWP, &answering("one"));
    let before = serving(&twp);
    for name in ["-INT", "-HUP", "-TERM"] {
        twp.signal(name, before.1);
    }
    thread::sleep(Duration::from_millis(300));
    assert_eq!(serving(&twp), before);
    assert!(answers(&twp, "one"));
}

#[test]
fn a_generation_outlives_its_supervisor_and_can_be_drained() {
    let mut twp = Program::start(TWP, &answering("one"));
    let (_, pid) = serving(&twp);
    twp.signal("-KILL", twp.pid());
    assert_eq!(twp.wait(Duration::from_secs(5)), None);
    twp.until("it says so", |twp| said(twp).contains("the supervisor is gone"));
    assert!(answers(&twp, "one"));

    let (code, _, err) = twp.command("status");
    assert!(code == Some(1) && err.contains("was killed") && err.contains("twp serve"), "{err}");
    let (code, _, err) = twp.command("run");
    assert!(code == Some(1) && err.contains("whose supervisor was killed"), "{err}");

    twp.signal("-TERM", pid);
    twp.until("it ends", |twp| answer(twp).is_none());
}

/// As `twp run site.twp | head -1` leaves it.
#[test]
fn nobody_needs_to_read_what_it_prints() {
    let scratch = Scratch::new();
    let port = free_port();
    scratch.write("site.twp", &answering("one").replace("{port}", &port.to_string()));
    let mut child = Command::new(TWP)
        .args(["run", "site.twp", "--control", "control"])
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop((child.stdout.take(), child.stderr.take()));
    let run = |word: &str| {
        Command::new(TWP)
            .args([word, "--control", "control"])
            .current_dir(scratch.path())
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(std::time::Instant::now() < deadline, "it serves");
        thread::sleep(Duration::from_millis(20));
    }
    let addr = ([127, 0, 0, 1], port).into();
    for _ in 0..20 {
        let seen = exchange(addr, "GET / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n");
        assert_eq!(seen.statuses(), [200]);
    }
    assert!(run("reload") && run("stop"));
    assert!(child.wait().is_ok_and(|status| status.success()));
}

/// As the kubelet publishes a new version of a mounted file.
#[test]
fn swapping_a_link_on_the_way_to_the_file_is_a_change() {
    let (scratch, port) = (Scratch::new(), free_port());
    let folder = scratch.path().to_owned();
    let publish = |version: &str| {
        fs::create_dir(folder.join(version)).expect("made");
        let text = answering(version).replace("{port}", &port.to_string());
        fs::write(folder.join(version).join("site.twp"), text).expect("written");
        symlink(version, folder.join("..data_tmp")).expect("linked");
        fs::rename(folder.join("..data_tmp"), folder.join("..data")).expect("renamed");
    };
    publish("..v1");
    symlink("..data/site.twp", folder.join("site.twp")).expect("linked");
    let twp = Program::start_in(TWP, scratch, port);
    assert!(answers(&twp, "..v1"));
    for version in ["..v2", "..v3"] {
        publish(version);
        twp.until(version, |twp| answers(twp, version));
    }
}

#[test]
fn a_moved_listener_serves_at_the_new_place_and_leaves_the_old() {
    let twp = Program::start(TWP, &answering("one"));
    let path = twp.site().with_file_name("web.sock");
    let unix = answering("two").replace("127.0.0.1:{port}", &format!("unix:{}", path.display()));
    twp.write(&unix);
    twp.until("the path is served", |_| UnixStream::connect(&path).is_ok());
    twp.until("the port is closed", |twp| TcpStream::connect(twp.addr()).is_err());
    twp.write(&answering("three"));
    twp.until("the port is served again", |twp| answers(twp, "three"));
    twp.until("the path is gone", |_| !path.exists());
}

#[test]
fn reloading_again_and_again_leaks_neither_descriptors_nor_processes() {
    let twp = Program::start(TWP, &answering("one"));
    serving(&twp);
    let pid = twp.pid();
    let n_descriptors = || fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let before = n_descriptors();
    for _ in 0..15 {
        let (code, _, err) = twp.command("reload");
        assert_eq!(code, Some(0), "{err}");
    }
    twp.until("one generation is left", |twp| twp.generations().len() == 1);
    // Before, the connection of the last caller may have counted too.
    twp.until("no more descriptors than before", |_| n_descriptors() <= before);
}
