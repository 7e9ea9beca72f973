//! Upstreams that refuse, stall, break off or send too much, and clients that stall.

use super::Act::{self, Close, Send, Until, Wait};
use super::{exchange, proxied};
use std::time::Duration;

const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/// Serves one exchange and closes when the next request has come.
const DIES_IDLE: &[Act] = &[Until("\r\n\r\n"), Send(OK), Until("\r\n\r\n"), Close];
const SERVES: &[Act] = &[Until("\r\n\r\n"), Send(OK)];

#[test]
fn a_request_that_met_a_dying_idle_connection_is_sent_once_more() {
    let client = &[Send(GET), Until("ok"), Send(GET)];
    let seen = exchange("to api", client, &[DIES_IDLE, SERVES]);
    assert_eq!(seen.statuses(), ["200", "200"]);
    let seen = exchange("to api", client, &[DIES_IDLE, &[Until("\r\n\r\n"), Close], SERVES]);
    assert_eq!(seen.statuses(), ["200", "502"], "once and not twice");
}

#[test]
fn a_request_that_may_have_had_an_effect_is_not_repeated() {
    for post in
        ["POST / HTTP/1.1\r\nHost: a\r\n\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"]
    {
        let seen = exchange("to api", &[Send(GET), Until("ok"), Send(post)], &[DIES_IDLE, SERVES]);
        assert_eq!(seen.statuses(), ["200", "502"], "{post}");
        assert_eq!(seen.origins[1], "", "{post}");
    }
}

#[test]
fn an_idle_connection_that_was_closed_or_speaks_is_not_used() {
    const CLOSES: &[Act] = &[Until("\r\n\r\n"), Send(OK), Close];
    const SPEAKS: &[Act] = &[Until("\r\n\r\n"), Send(OK), Wait(Duration::from_millis(10)), Send(OK)];
    let post = "POST / HTTP/1.1\r\nHost: a\r\n\r\n";
    for first in [CLOSES, SPEAKS] {
        let client = &[Send(GET), Until("ok"), Wait(Duration::from_millis(50)), Send(post)];
        let seen = exchange("to api", client, &[first, SERVES]);
        assert_eq!(seen.statuses(), ["200", "200"], "{first:?}");
        assert!(seen.origins[1].starts_with("POST"), "{first:?}");
    }
}

#[test]
fn bytes_beyond_a_response_poison_its_connection() {
    let surplus: &[Act] =
        &[Until("\r\n\r\n"), Send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n")];
    let seen = exchange("to api", &[Send(GET), Until("ok"), Send(GET)], &[surplus, SERVES]);
    assert_eq!(seen.statuses(), ["200", "200"]);
    assert!(seen.origins[1].starts_with("GET"), "the second request took a new connection");
}

#[test]
fn a_response_that_breaks_off_does_not_look_whole() {
    let short: &[Act] = &[Until("\r\n\r\n"), Send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"), Close];
    let seen = proxied(GET, &[short]);
    assert!(seen.client.ends_with("abc"), "{}", seen.client);
    assert_eq!(
        (seen.record("fault"), seen.record("reason")),
        ("upstream".to_owned(), "upstream_reset".to_owned())
    );
    let chunked: &[Act] = &[
        Until("\r\n\r\n"),
        Send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"),
        Close,
    ];
    let seen = proxied(GET, &[chunked]);
    assert!(!seen.client.contains("0\r\n\r\n"), "{}", seen.client);
    let seen = proxied("GET / HTTP/1.0\r\nHost: a\r\n\r\n", &[chunked]);
    assert!(seen.is_reset, "without length or chunks only a reset tells");
}

#[test]
fn answers_to_upstreams_that_fail() {
    let two_refuse = "upstream api { servers: [REFUSED, REFUSED] }\n site * { to api }";
    let slow = "upstream api { servers: [ORIGIN]  timeout { response: 2s } }\n site * { to api }";
    for (config, origins, status, reason) in [
        ("upstream api { servers: [REFUSED] }\n site * { to api }", &[][..], "502", "connect_failed"),
        (two_refuse, &[][..], "503", "no_healthy_server"),
        (slow, &[&[Until("\r\n\r\n")][..]][..], "504", "response_timeout"),
        ("to api", &[&[Until("\r\n\r\n"), Close][..]][..], "502", "upstream_reset"),
        ("to api", &[&[Until("\r\n\r\n"), Send("HTTP/1.1 20 OK\r\n\r\n")][..]][..], "502", "bad_response"),
        (
            "to api",
            &[&[
                Until("\r\n\r\n"),
                Send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"),
            ][..]][..],
            "502",
            "bad_response",
        ),
    ] {
        let seen = exchange(config, &[Send(GET)], origins);
        assert_eq!(seen.statuses(), [status], "{config} {origins:?}");
        assert_eq!(seen.record("reason"), reason, "{config} {origins:?}");
        assert_eq!(seen.record("fault"), "upstream", "{config} {origins:?}");
        assert_eq!(seen.client.contains("retry-after: "), status == "503", "{}", seen.client);
        assert!(!seen.client.contains("connection: close"), "the client did nothing wrong: {}", seen.client);
    }
}

#[test]
fn a_server_that_refuses_is_passed_over() {
    let config = "upstream api { servers: [REFUSED, ORIGIN] }\n site * { to api }";
    let seen = exchange(
        config,
        &[Send(GET), Until("ok"), Send(GET)],
        &[&[Until("\r\n\r\n"), Send(OK), Until("\r\n\r\n"), Send(OK)]],
    );
    assert_eq!(seen.statuses(), ["200", "200"]);
}

#[test]
fn slow_clients_are_not_waited_for() {
    let (head, body) = ("GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
    for (request, n_origins) in [(head, 0), (body, 1)] {
        let origins: &[&[Act]] = &[&[Until("\r\n\r\n")]];
        let seen = exchange("to api", &[Send(request)], &origins[..n_origins]);
        assert_eq!(seen.statuses(), ["408"], "{request}");
        assert!((10.0..13.0).contains(&seen.seconds), "{request}: {} s", seen.seconds);
        assert_eq!(seen.record("fault"), "client");
    }
}

#[test]
fn a_body_that_trickles_fast_enough_is_not_cut() {
    const PATIENT: &[Act] = &[Until("\r\n\r\n"), Wait(Duration::from_secs(85)), Send(OK)];
    let client: Vec<Act> = [Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")]
        .into_iter()
        .chain((0..10).flat_map(|_| [Act::SendBytes(6000), Wait(Duration::from_secs(9))]))
        .collect();
    let seen = exchange("to api", &client, &[PATIENT]);
    assert_eq!(seen.statuses(), ["200"]);
}

#[test]
fn a_response_that_stands_still_is_cut() {
    let stalls: &[Act] = &[Until("\r\n\r\n"), Send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc")];
    let seen = proxied(GET, &[stalls]);
    assert_eq!(seen.record("reason"), "upstream_idle");
    assert!((60.0..62.0).contains(&seen.seconds), "{} s", seen.seconds);
}
