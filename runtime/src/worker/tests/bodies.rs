//! Bodies: framing on both sides, limits, both directions at once, back-pressure.

use super::Act::{self, EndWriting, Send, SendBytes, Until};
use super::{exchange, proxied};

#[test]
fn bodies_are_framed_anew() {
    let seen = proxied(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\n2\r\nde\r\n0\r\nt: 1\r\n\r\n",
        &[&[
            Until("0\r\n\r\n"),
            Send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
        ]],
    );
    assert!(seen.origins[0].ends_with("transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
    assert_eq!(seen.client, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
    assert_eq!((seen.record("bytes_in"), seen.record("bytes_out")), ("5".to_owned(), "2".to_owned()));
}

#[test]
fn a_response_that_ends_with_its_connection_becomes_chunks() {
    let seen = proxied(
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        &[&[Until("\r\n\r\n"), Send("HTTP/1.0 200 OK\r\n\r\nhello"), Act::Close]],
    );
    assert_eq!(seen.client, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
}

#[test]
fn large_bodies_arrive_whole_both_ways() {
    const N: usize = 3_000_000;
    let seen = exchange(
        "to api",
        &[Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000003\r\n\r\n"), SendBytes(N), Send("END")],
        &[&[Until("END"), Send("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n"), SendBytes(N)]],
    );
    assert_eq!(seen.client.matches('x').count(), N);
    assert_eq!(seen.origins[0].split("\r\n\r\n").nth(1).map(str::len), Some(N + 3));
    assert_eq!((seen.record("bytes_in"), seen.record("bytes_out")), ((N + 3).to_string(), N.to_string()));
}

#[test]
fn a_response_may_begin_before_the_request_has_ended() {
    let seen = exchange(
        "to api",
        &[
            Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"),
            Until("one"),
            Send("3\r\ntwo\r\n"),
            Until("two"),
            Send("0\r\n\r\n"),
        ],
        &[&[
            Until("one"),
            Send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n"),
            Until("two"),
            Send("3\r\ntwo\r\n"),
            Until("0\r\n\r\n"),
            Send("0\r\n\r\n"),
        ]],
    );
    assert!(seen.client.ends_with("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"), "{}", seen.client);
    assert!(
        seen.client.contains("connection: close\r\n"),
        "unread bodies end the connection: {}",
        seen.client
    );
}

#[test]
fn an_early_answer_ends_the_connection_and_is_not_lost() {
    let seen = exchange(
        "to api",
        &[Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"), SendBytes(1000)],
        &[&[Until("\r\n\r\n"), Send("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno"), Act::Close]],
    );
    assert_eq!(seen.client, "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno");
}

#[test]
fn bodies_beyond_the_limit_are_refused() {
    let config = "max_body: 5B\n to api";
    for request in [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabcdef",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n",
    ] {
        let seen = exchange(config, &[Send(request)], &[&[Until("\r\n\r\n")]]);
        assert_eq!(seen.statuses(), ["413"], "{request}");
        assert!(seen.client.contains("connection: close"), "{}", seen.client);
        assert_eq!(seen.record("reason"), "body_too_large");
        assert!(!seen.origins[0].contains("def"), "{}", seen.origins[0]);
    }
}

#[test]
fn a_small_body_of_an_answered_request_does_not_become_a_request() {
    let seen = exchange(
        "respond 200 body \"ok\"",
        &[Send(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n\
             GET /next HTTP/1.1\r\nHost: a\r\n\r\n",
        )],
        &[],
    );
    assert_eq!(seen.statuses(), ["200", "200"]);
    assert_eq!(seen.records.len(), 2);
    assert!(seen.records[1].contains("/next"), "{:?}", seen.records);
}

#[test]
fn a_body_that_has_not_come_closes_the_connection_after_the_answer() {
    let seen = exchange(
        "respond 200",
        &[
            Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"),
            Until("200 OK"),
            Send("defghij"),
        ],
        &[],
    );
    assert_eq!(seen.statuses(), ["200"]);
    assert!(seen.client.contains("connection: close"), "{}", seen.client);
    assert!(!seen.is_reset, "the answer is not destroyed");
}

#[test]
fn an_expectation_travels_and_its_answer_comes_back() {
    let seen = exchange(
        "to api",
        &[
            Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"),
            Until("100 Continue\r\n\r\n"),
            Send("body"),
        ],
        &[&[
            Until("expect: 100-continue\r\n"),
            Until("\r\n\r\n"),
            Send("HTTP/1.1 100 Continue\r\n\r\n"),
            Until("body"),
            Send("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n"),
        ]],
    );
    assert_eq!(seen.statuses(), ["100", "201"]);
}

#[test]
fn interim_responses() {
    let hints: &[Act] = &[
        Until("\r\n\r\n"),
        Send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
        Send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
    ];
    let seen = proxied("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &[hints]);
    assert_eq!(seen.statuses(), ["103", "200"], "nobody asked for the 100");
    let seen = proxied("GET / HTTP/1.0\r\nHost: a\r\n\r\n", &[hints]);
    assert_eq!(seen.statuses(), ["200"], "HTTP/1.0 knows no interim responses");
    let flood: &'static str = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(9).leak();
    let script: &'static [Act] = Box::leak(Box::new([Until("\r\n\r\n"), Send(flood)]));
    let seen = proxied("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &[script]);
    assert_eq!(seen.statuses().last(), Some(&"502"));
    let upgrade: &[Act] =
        &[Until("\r\n\r\n"), Send("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n")];
    assert_eq!(proxied("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &[upgrade]).statuses(), ["502"]);
}

#[test]
fn a_client_that_has_ended_its_side_still_gets_its_answer() {
    let seen = exchange(
        "to api",
        &[Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), EndWriting],
        &[&[Until("\r\n\r\n"), Send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")]],
    );
    assert!(seen.client.ends_with("ok"), "{}", seen.client);
}
