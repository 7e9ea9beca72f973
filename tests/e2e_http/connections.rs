//! How connections live and end: keep-alive, pipelining, HTTP/1.0, framing of bodies, dying origins.

use std::io::Read as _;
use std::time::Duration;

use twp_testkit::{Ended, Message, Origin, Raw, Reply, Then, exchange};

use crate::{get, proxy_to};

fn echo_target() -> Origin {
    Origin::start(|request| Reply::ok(request.second_word()))
}

fn bodies(responses: &[Message]) -> Vec<String> {
    responses.iter().map(|m| String::from_utf8_lossy(&m.body).into_owned()).collect()
}

#[test]
fn one_connection_serves_many_requests() {
    let origin = echo_target();
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    for n in 0..50 {
        let target = format!("/{n}");
        client.send(get(&target));
        let response = client.response("GET").expect("an answer");
        assert_eq!((response.status(), response.body), (Some(200), target.into_bytes()));
    }
    assert!(client.is_quiet(), "the connection stays open");
    assert_eq!(origin.raw().len(), 1, "one upstream connection is enough for one client");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    // The first answer is the slowest, so an eager proxy would mix the order up.
    let origin = Origin::start(|request| {
        let mut reply = Reply::ok(request.second_word());
        if request.second_word() == "/1" {
            reply.delay = Duration::from_millis(200);
        }
        reply
    });
    let twp = proxy_to(&origin);
    let seen = exchange(twp.addr(), [get("/1"), get("/2"), get("/3")].concat());
    assert_eq!(bodies(&seen.responses), ["/1", "/2", "/3"]);
    assert_eq!(seen.ended, Ended::Open);
}

#[test]
fn a_head_may_arrive_byte_by_byte() {
    let origin = echo_target();
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    for byte in get("/slow").into_bytes() {
        client.send([byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(client.response("GET").expect("an answer").body, b"/slow");
}

#[test]
fn connection_close_is_honoured_and_said() {
    let origin = echo_target();
    let twp = proxy_to(&origin);
    let seen = exchange(twp.addr(), "GET / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n");
    assert_eq!((seen.statuses(), seen.ended), (vec![200], Ended::Closed));
    assert!(seen.responses[0].closes(), "{}", seen.responses[0].head);
}

#[test]
fn http_1_0_closes_unless_asked_to_stay() {
    let origin = echo_target();
    let twp = proxy_to(&origin);
    let plain = exchange(twp.addr(), "GET /old HTTP/1.0\r\nhost: a.test\r\n\r\n");
    assert_eq!((plain.statuses(), plain.ended), (vec![200], Ended::Closed));
    let stay = exchange(twp.addr(), "GET /old HTTP/1.0\r\nhost: a.test\r\nconnection: keep-alive\r\n\r\n");
    assert_eq!(stay.statuses(), [200]);
    let said = stay.responses[0].field("connection").is_some_and(|v| v.eq_ignore_ascii_case("keep-alive"));
    assert_eq!(stay.ended == Ended::Open, said, "an HTTP/1.0 client is kept exactly when it is told so");
}

#[test]
fn an_http_1_0_client_never_gets_chunks() {
    let origin = Origin::start(|_| {
        Reply::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    });
    let twp = proxy_to(&origin);
    let seen = exchange(twp.addr(), "GET / HTTP/1.0\r\nhost: a.test\r\n\r\n");
    assert_eq!(bodies(&seen.responses), ["abcde"]);
    assert_eq!(seen.responses[0].field("transfer-encoding"), None);
    assert_eq!(seen.ended, Ended::Closed);
}

#[test]
fn uploads_arrive_whole_with_either_framing() {
    let origin = Origin::start(|request| Reply::ok(&request.body.len().to_string()));
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    let body: Vec<u8> = (0u32..300_000).flat_map(u32::to_le_bytes).collect();
    client.send(format!("POST /length HTTP/1.1\r\nhost: a.test\r\ncontent-length: {}\r\n\r\n", body.len()));
    client.send(&body);
    assert_eq!(client.response("POST").expect("an answer").body, b"1200000");
    client.send("POST /chunks HTTP/1.1\r\nhost: a.test\r\ntransfer-encoding: chunked\r\n\r\n");
    for piece in body.chunks(7_001) {
        client.send(format!("{:x}\r\n", piece.len()));
        client.send(piece);
        client.send("\r\n");
    }
    client.send("0\r\n\r\n");
    assert_eq!(client.response("POST").expect("an answer").body, b"1200000");
    assert!(origin.requests().iter().all(|request| request.body == body), "the bytes are the same");
}

#[test]
fn downloads_arrive_whole_with_every_framing() {
    let body = "0123456789abcdef".repeat(20_000);
    let copy = body.clone();
    let origin = Origin::start(move |request| match request.second_word() {
        "/length" => Reply::ok(&copy),
        "/chunks" => {
            let mut bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
            for piece in copy.as_bytes().chunks(5_003) {
                bytes.extend(format!("{:X}\r\n", piece.len()).into_bytes());
                bytes.extend_from_slice(piece);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0\r\n\r\n");
            Reply::raw(bytes)
        }
        _ => Reply::raw(format!("HTTP/1.1 200 OK\r\n\r\n{copy}")).then(Then::Close),
    });
    let twp = proxy_to(&origin);
    for target in ["/length", "/chunks", "/close"] {
        let seen = exchange(twp.addr(), get(target));
        assert_eq!(bodies(&seen.responses), std::slice::from_ref(&body), "{target}");
    }
}

#[test]
fn responses_without_body_leave_the_connection_in_step() {
    let origin = Origin::start(|request| match request.second_word() {
        "/204" => Reply::raw("HTTP/1.1 204 No Content\r\n\r\n"),
        "/304" => Reply::raw("HTTP/1.1 304 Not Modified\r\netag: \"x\"\r\ncontent-length: 5\r\n\r\n"),
        "/head" => Reply::raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"),
        other => Reply::ok(other),
    });
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    client.send(get("/204"));
    assert_eq!(client.response("GET").expect("204").status(), Some(204));
    client.send(get("/304"));
    assert_eq!(client.response("GET").expect("304").status(), Some(304));
    client.send("HEAD /head HTTP/1.1\r\nhost: a.test\r\n\r\n");
    let head = client.response("HEAD").expect("an answer to HEAD");
    assert_eq!((head.status(), head.field("content-length")), (Some(200), Some("5")));
    client.send(get("/after"));
    assert_eq!(client.response("GET").expect("the next one").body, b"/after");
}

#[test]
fn expect_100_continue_reaches_a_whole_exchange() {
    let origin = Origin::start(|request| Reply::ok(&String::from_utf8_lossy(&request.body)));
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    client.send("POST / HTTP/1.1\r\nhost: a.test\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n");
    let mut interim = [0; 25];
    client.read_exact(&mut interim).expect("an interim response");
    assert_eq!(String::from_utf8_lossy(&interim), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    assert_eq!(client.response("POST").expect("the final one").body, b"abc");
}

#[test]
fn a_response_that_is_cut_short_is_cut_short_for_the_client() {
    let origin = Origin::start(|request| {
        let framing = if request.second_word() == "/length" {
            "content-length: 9"
        } else {
            "transfer-encoding: chunked"
        };
        let data = if request.second_word() == "/length" { "abc" } else { "3\r\nabc\r\n" };
        Reply::raw(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n{data}")).then(Then::Close)
    });
    let twp = proxy_to(&origin);
    for target in ["/length", "/chunks"] {
        let seen = exchange(twp.addr(), get(target));
        assert!(seen.responses.is_empty(), "{target}: the client must notice that the body is not whole");
        assert!(matches!(seen.ended, Ended::Broken | Ended::Reset), "{target}: {:?}", seen.ended);
    }
}

#[test]
fn a_pooled_connection_that_died_costs_no_request() {
    // Says keep-alive and closes nevertheless: the proxy finds out only when it uses the connection again.
    let origin = Origin::start(|request| Reply::ok(request.second_word()).then(Then::Close));
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    for n in 0..20 {
        let target = format!("/{n}");
        client.send(get(&target));
        assert_eq!(client.response("GET").expect("an answer").body, target.into_bytes());
    }
}

#[test]
fn a_client_that_ends_its_sending_side_still_gets_its_answer() {
    let origin = Origin::start(|_| Reply { delay: Duration::from_millis(300), ..Reply::ok("late") });
    let twp = proxy_to(&origin);
    let mut client = Raw::connect(twp.addr());
    client.send(get("/"));
    client.finish();
    assert_eq!(client.response("GET").expect("an answer").body, b"late");
}
