//! The statuses twp answers itself: for clients that ask wrongly and for upstreams that fail.

use std::time::{Duration, Instant};

use twp_testkit::{Ended, Origin, Program, Raw, Reply, Then, exchange, free_port};

use crate::{TWP, get, program, proxy_to};

fn no_origin() -> Origin {
    Origin::start(|_| Reply::ok("unexpected"))
}

#[test]
fn no_route_is_404_and_no_method_is_405_with_allow() {
    let origin = no_origin();
    let site = r#"route GET /read { respond 200 body "r" }
  route POST|PUT /write { respond 200 body "w" }"#;
    let twp = program(site, &origin);
    let none = exchange(twp.addr(), get("/none"));
    assert_eq!(none.statuses(), [404]);
    assert_eq!(none.responses[0].body, b"404 Not Found: no route takes this path\n");
    let post = exchange(twp.addr(), "POST /read HTTP/1.1\r\nhost: a.test\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(post.statuses(), [405]);
    assert_eq!(allowed(&post.responses[0]), ["GET", "HEAD"]);
    let why = b"405 Method Not Allowed: POST is not allowed here; allowed: GET, HEAD\n";
    assert_eq!(post.responses[0].body, why);
    let long = exchange(twp.addr(), format!("{} /read HTTP/1.1\r\nhost: a.test\r\n\r\n", "X".repeat(500)));
    let why = b"405 Method Not Allowed: this method is not allowed here; allowed: GET, HEAD\n";
    assert_eq!((long.statuses(), &long.responses[0].body[..]), (vec![405], &why[..]));
    let read = exchange(twp.addr(), get("/write"));
    assert_eq!(
        (read.statuses(), allowed(&read.responses[0])),
        (vec![405], vec!["POST".to_owned(), "PUT".to_owned()])
    );
}

fn allowed(response: &twp_testkit::Message) -> Vec<String> {
    let mut methods: Vec<_> = response
        .field("allow")
        .expect("405 names what is allowed (RFC 9110 section 15.5.6)")
        .split(',')
        .map(|m| m.trim().to_owned())
        .collect();
    methods.sort();
    methods
}

#[test]
fn an_unknown_host_is_421() {
    let origin = no_origin();
    let twp = proxy_to(&origin);
    assert_eq!(exchange(twp.addr(), "GET / HTTP/1.1\r\nhost: b.test\r\n\r\n").statuses(), [421]);
    assert!(origin.requests().is_empty());
}

#[test]
fn a_body_over_the_limit_is_413_with_either_framing() {
    let origin = Origin::start(|request| Reply::ok(&request.body.len().to_string()));
    let twp = program("max_body: 1KiB\n  to origin", &origin);
    let head = |length: usize| format!("POST / HTTP/1.1\r\nhost: a.test\r\ncontent-length: {length}\r\n\r\n");
    let fits = exchange(twp.addr(), [head(1024), "x".repeat(1024)].concat());
    assert_eq!(fits.statuses(), [200], "the limit itself is allowed");
    let long = exchange(twp.addr(), [head(1025), "x".repeat(1025)].concat());
    assert_eq!((long.statuses(), long.ended), (vec![413], Ended::Closed));
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    let chunked = "POST / HTTP/1.1\r\nhost: a.test\r\ntransfer-encoding: chunked\r\n\r\n";
    let long = exchange(twp.addr(), format!("{chunked}{chunk}1\r\nx\r\n0\r\n\r\n"));
    assert_eq!((long.statuses(), long.ended), (vec![413], Ended::Closed));
    assert_eq!(origin.requests().len(), 1, "no whole request over the limit arrives");
}

#[test]
fn a_target_over_8_kib_is_414() {
    let origin = no_origin();
    let twp = proxy_to(&origin);
    let seen = exchange(twp.addr(), get(&format!("/{}", "a".repeat(8 * 1024))));
    assert_eq!((seen.statuses(), seen.ended), (vec![414], Ended::Closed));
    assert!(origin.requests().is_empty());
}

#[test]
fn too_many_or_too_large_fields_are_431() {
    let origin = no_origin();
    let twp = proxy_to(&origin);
    let many = "x-a: 1\r\n".repeat(101);
    let large = format!("x-a: {}\r\n", "a".repeat(33 * 1024));
    for fields in [many, large] {
        let seen = exchange(twp.addr(), format!("GET / HTTP/1.1\r\nhost: a.test\r\n{fields}\r\n"));
        assert_eq!((seen.statuses(), seen.ended), (vec![431], Ended::Closed), "{} bytes", fields.len());
    }
    assert!(origin.requests().is_empty());
}

#[test]
fn limits_of_the_configuration_hold() {
    let config = "edition 1
server { workers: 1  limits { head: 4KiB  headers: 10  path: 1KiB } }
listener web { plain: [127.0.0.1:{port}] }
site a.test on web { respond 200 }
";
    let twp = Program::start(TWP, config);
    let with = |fields: &str| {
        exchange(twp.addr(), format!("GET / HTTP/1.1\r\nhost: a.test\r\n{fields}\r\n")).statuses()
    };
    assert_eq!(with(&"x-a: 1\r\n".repeat(5)), [200]);
    assert_eq!(with(&"x-a: 1\r\n".repeat(11)), [431]);
    assert_eq!(with(&format!("x-a: {}\r\n", "a".repeat(5000))), [431]);
    assert_eq!(exchange(twp.addr(), get(&format!("/{}", "a".repeat(1100)))).statuses(), [414]);
}

#[test]
fn an_upstream_nobody_listens_at_is_502() {
    let config = format!(
        "edition 1
listener web {{ plain: [127.0.0.1:{{port}}] }}
site a.test on web {{ to 127.0.0.1:{} }}
",
        free_port()
    );
    let twp = Program::start(TWP, &config);
    assert_eq!(exchange(twp.addr(), get("/")).statuses(), [502]);
}

#[test]
fn an_upstream_that_closes_without_answer_is_502() {
    let origin = Origin::start(|_| Reply::raw("").then(Then::Close));
    let twp = proxy_to(&origin);
    let post = "POST / HTTP/1.1\r\nhost: a.test\r\ncontent-length: 3\r\n\r\nabc";
    assert_eq!(exchange(twp.addr(), post).statuses(), [502]);
    assert_eq!(origin.requests().len(), 1, "a POST is never sent twice");
}

#[test]
fn an_upstream_that_answers_nonsense_is_502() {
    for nonsense in [
        "SSH-2.0-x\r\n\r\n",
        "HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx y: 1\r\ncontent-length: 0\r\n\r\n",
    ] {
        let origin = Origin::start(move |_| Reply::raw(nonsense));
        let twp = proxy_to(&origin);
        assert_eq!(exchange(twp.addr(), get("/")).statuses(), [502], "{nonsense:?}");
    }
}

#[test]
fn bytes_after_a_response_never_answer_the_next_request() {
    // A second response in one write: what follows the first must not be taken for the answer to another request.
    let origin = Origin::start(|request| match request.second_word() {
        "/evil" => Reply::raw(
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\naHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nX",
        ),
        other => Reply::ok(other),
    });
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    client.send(get("/evil"));
    assert_eq!(client.response("GET").expect("an answer").body, b"a");
    client.send(get("/next"));
    assert_eq!(client.response("GET").expect("an answer").body, b"/next");
}

#[test]
fn an_upstream_that_never_answers_is_504_in_time() {
    let origin = Origin::start(|_| Reply::raw("").then(Then::Hang));
    let twp = proxy_to(&origin);
    let start = Instant::now();
    assert_eq!(exchange(twp.addr(), get("/")).statuses(), [504]);
    let took = start.elapsed();
    assert!(
        took > Duration::from_millis(900) && took < Duration::from_secs(4),
        "took {took:?} of a limit of 1 s"
    );
}

#[test]
fn a_dead_server_is_passed_over_for_a_live_one() {
    let origin = Origin::start(|_| Reply::ok("live"));
    let config = format!(
        "edition 1
listener web {{ plain: [127.0.0.1:{{port}}] }}
upstream app {{ servers: [127.0.0.1:{}, {}] }}
site a.test on web {{ to app }}
",
        free_port(),
        origin.addr()
    );
    let twp = Program::start(TWP, &config);
    let mut client = Raw::connect(twp.addr());
    for _ in 0..10 {
        client.send(get("/"));
        assert_eq!(client.response("GET").expect("an answer").status(), Some(200));
    }
}
