//! Upstreams that refuse, stall, break off or send too much, and clients that stall.

use super::Act::{self, Close, Send, Until, Wait};
use super::{exchange, exchange_with, proxied};
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

#[test]
fn a_request_whose_end_has_followed_its_head_is_not_repeated() {
    // The head has made room for the end of the empty body, so only that could be sent again.
    const DIES_LATE: &[Act] = &[Until("\r\n\r\n"), Send(OK), Until("0\r\n\r\n"), Close];
    let put = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let client = &[Send(GET), Until("ok"), Send(put), Wait(Duration::from_millis(50)), Send("0\r\n\r\n")];
    let seen = exchange("to api", client, &[DIES_LATE, SERVES]);
    assert_eq!(seen.statuses(), ["200", "502"]);
    assert_eq!(seen.origins[1], "");
}

#[test]
fn a_client_that_waits_for_100_is_not_the_one_who_is_slow() {
    const SILENT: &[Act] = &[Until("\r\n\r\n")];
    const ASKS: &[Act] = &[Until("\r\n\r\n"), Send("HTTP/1.1 100 Continue\r\n\r\n")];
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    let seen = exchange("to api", &[Send(head)], &[SILENT]);
    assert_eq!(seen.statuses(), ["504"]);
    assert_eq!(seen.record("fault"), "upstream");
    // One that goes on without it, or has got it, must keep the rate of all bodies.
    for (client, origin) in [(&[Send(head), Send("a")][..], SILENT), (&[Send(head)][..], ASKS)] {
        let seen = exchange("to api", client, &[origin]);
        assert_eq!(seen.statuses().last(), Some(&"408"), "{}", seen.client);
        assert_eq!(seen.record("fault"), "client");
    }
}

#[test]
fn a_response_to_the_request_before_is_not_taken_for_the_next() {
    // Both arrive in one go, and the next request waits already.
    const TWO: &[Act] =
        &[Until("\r\n\r\n"), Send(OK), Send("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison")];
    let two = [GET, GET].concat();
    let two: &'static str = Box::leak(two.into_boxed_str());
    let seen = exchange("to api", &[Send(two)], &[TWO, SERVES]);
    assert_eq!(seen.statuses(), ["200", "200"]);
    assert!(!seen.client.contains("poison"), "{}", seen.client);
}

#[test]
fn a_name_that_does_not_resolve_is_said_so() {
    let config = "upstream api { servers: [nowhere.invalid:80] timeout { connect: 60s } }\nsite * { to api }";
    let seen = exchange(config, &[Send(GET)], &[]);
    assert_eq!(seen.statuses(), ["502"]);
    assert!(seen.client.contains("cannot be resolved"), "{}", seen.client);
    assert_eq!(seen.record("reason"), "name_unknown");
    assert_eq!(seen.record("server"), "nowhere.invalid:80");
}

#[test]
fn a_panic_costs_one_exchange_and_its_connection() {
    // A plan that breaks a promise: its route names an upstream that is not there.
    let broken = |artifact: &mut twp_compiler::Artifact| artifact.plan.upstreams.clear();
    let seen = exchange_with("to api", broken, &[Send(GET), Until("500"), Send(GET)], &[]);
    assert_eq!(seen.statuses(), ["500"], "the connection is not used again: {}", seen.client);
    assert!(seen.client.contains("connection: close"), "{}", seen.client);
    assert_eq!(seen.record("fault"), "twp");
    assert_eq!(seen.record("reason"), "panicked");
    assert_eq!((seen.panics, seen.in_flight), (1, 0));
}

#[test]
fn records_count_the_bodies_of_our_own_answers() {
    for (config, request) in [
        ("respond 200 body \"hello\"", GET),
        ("route GET /else { respond 200 }", GET),
        ("route POST / { respond 200 }", GET),
        ("redirect 308 \"/x\"", GET),
        ("to none", GET),
        ("respond 200 body \"hello\"", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("respond 204", GET),
        ("to none", "GET / HTTP/1.1\r\n\r\n"),
    ] {
        let config = format!("upstream none {{ servers: [REFUSED] }}\nsite * {{ {config} }}");
        let seen = exchange(&config, &[Send(request)], &[]);
        let (_, body) = seen.client.split_once("\r\n\r\n").expect("an answer");
        assert_eq!(seen.record("bytes_out"), body.len().to_string(), "{config}: {}", seen.client);
    }
}
