//! What connections run over: workers that share them, Unix sockets, names of servers, and too few descriptors.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
use std::thread;
use std::time::Duration;

use twp_testkit::{Origin, Program, Raw, Reply, Scratch};

use crate::{TWP, get};

const LIMITS: &str = "timeout { connect: 1s  response: 2s  idle: 2s }";

fn start(server: &str, listen: &str, servers: &str, bin: &str) -> Program {
    let config = format!(
        "edition 1
server {{ {server} }}
listener web {{ plain: [{listen}] }}
upstream origin {{ servers: [{servers}]  {LIMITS} }}
site * on web {{ to origin }}
"
    );
    Program::start(bin, &config)
}

fn paths() -> Origin {
    Origin::start(|request| Reply::ok(request.second_word()))
}

/// Sends a request on each of many connections that stay open, and expects each answer.
fn ask_each(clients: &mut [Raw]) {
    for (n, client) in clients.iter_mut().enumerate() {
        client.send(get(&format!("/{n}")));
        assert_eq!(client.response("GET").expect("an answer").body, format!("/{n}").into_bytes());
    }
}

#[test]
fn two_workers_share_long_connections() {
    let origin = paths();
    let twp = start("workers: 2", "127.0.0.1:{port}", &origin.addr().to_string(), TWP);
    let mut clients: Vec<Raw> = (0..9).map(|_| Raw::connect(twp.addr())).collect();
    ask_each(&mut clients);
    ask_each(&mut clients);
}

#[test]
fn a_name_is_resolved_and_its_addresses_are_tried_in_turn() {
    // `localhost` may mean ::1 first, where this origin does not listen.
    let origin = paths();
    let twp = start("workers: 1", "127.0.0.1:{port}", &format!("localhost:{}", origin.addr().port()), TWP);
    let mut client = Raw::connect(twp.addr());
    client.send(get("/named"));
    assert_eq!(client.response("GET").expect("an answer").body, b"/named");
}

#[test]
fn unix_sockets_on_both_sides() {
    let scratch = Scratch::new();
    let (front, back) = (scratch.path().join("front"), scratch.path().join("back"));
    let origin = UnixListener::bind(&back).expect("a socket in the temporary folder");
    let serving = thread::spawn(move || {
        let (mut stream, _) = origin.accept().expect("twp connects");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a head");
            head.extend(byte);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nunix").expect("twp reads");
        String::from_utf8_lossy(&head).into_owned()
    });
    let listen = format!("127.0.0.1:{{port}}, unix:{}", front.display());
    let config = format!(
        "edition 1
server {{ workers: 2 }}
listener web {{ plain: [{listen}] }}
upstream origin {{ servers: [unix:{}]  {LIMITS} }}
site ready.invalid on web {{ respond 204 }}
site * on web {{ to origin }}
",
        back.display()
    );
    let _twp = Program::start(TWP, &config);
    let mut client = UnixStream::connect(&front).expect("twp listens");
    client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").expect("twp reads");
    let mut response = String::new();
    client.read_to_string(&mut response).expect("text");
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\nunix"), "{response}");
    let head = serving.join().expect("the origin was asked");
    assert!(head.contains("\r\nforwarded: for=unknown;"), "a Unix socket has no address: {head}");
    assert!(!head.contains("x-forwarded-for"), "{head}");
}

#[test]
fn connections_beyond_the_cap_wait_for_their_turn() {
    let scratch = Scratch::new();
    let few = scratch.write("few", &format!("#!/bin/sh\nulimit -n 128\nexec '{TWP}' \"$@\"\n"));
    assert!(Command::new("chmod").arg("+x").arg(&few).status().is_ok_and(|status| status.success()));
    let origin = paths();
    let bin = few.display().to_string();
    let twp = start("workers: 1", "127.0.0.1:{port}", &origin.addr().to_string(), &bin);
    let mut clients: Vec<Raw> = (0..60).map(|_| Raw::connect(twp.addr())).collect();
    // 128 descriptors are for four fifths of them less 64: 36 connections.
    let waiting = clients.split_off(36);
    ask_each(&mut clients);
    let mut waiting = waiting;
    let mut last = waiting.pop().expect("more than the cap");
    last.send(get("/last"));
    assert!(last.is_quiet(), "nobody is served beyond the cap");
    drop((clients, waiting));
    assert_eq!(last.response("GET").expect("an answer, once there is room").body, b"/last");
}

#[test]
fn without_descriptors_it_waits_and_recovers() {
    let origin = paths();
    let twp = start("workers: 1", "127.0.0.1:{port}", &origin.addr().to_string(), TWP);
    let mut old = Raw::connect(twp.addr());
    old.send(get("/old"));
    assert_eq!(old.response("GET").expect("an answer").body, b"/old");
    let generation = twp.generations()[0];
    let limit = fs::read_to_string(format!("/proc/{generation}/limits")).expect("a process");
    let limit = limit.lines().find(|line| line.starts_with("Max open files")).expect("a limit of files");
    let hard = limit.split_whitespace().nth(4).expect("the hard limit").to_owned();
    let restrict = |soft: &str| {
        let limit = format!("--nofile={soft}:{hard}");
        let status = Command::new("prlimit").arg("--pid").arg(generation.to_string()).arg(limit).status();
        assert!(status.is_ok_and(|status| status.success()), "prlimit of util-linux");
    };
    restrict("3");
    let mut new = Raw::connect(twp.addr());
    new.send(get("/new"));
    let before = cpu_ticks(generation);
    thread::sleep(Duration::from_secs(1));
    let used = cpu_ticks(generation) - before;
    assert!(used < 20, "a hundredth of a second each: {used} of 100, it must not spin");
    old.send(get("/old"));
    assert_eq!(old.response("GET").expect("open connections are served").body, b"/old");
    restrict(&hard);
    assert_eq!(new.response("GET").expect("an answer, once there are descriptors").body, b"/new");
}

/// Processor time of a process, in the ticks of the system.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let (_, fields) = stat.rsplit_once(')').expect("the name stands in parentheses");
    let number = |n| fields.split_whitespace().nth(n).and_then(|text: &str| text.parse().ok()).unwrap_or(0);
    let (user, system): (u64, u64) = (number(11), number(12));
    user + system
}
