//! Heads and answers: order, persistence, what is forwarded, what twp answers itself.

use super::Act::{Send, Until};
use super::{exchange, proxied};

const OK: &[super::Act] = &[Until("\r\n\r\n"), Send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")];
const OK_TWICE: &[super::Act] = &[
    Until("\r\n\r\n"),
    Send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\none"),
    Until("\r\n\r\n"),
    Send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\ntwo"),
];

#[test]
fn a_request_is_written_anew_with_the_client_told() {
    let seen = proxied("GET /%61?x=1 HTTP/1.1\r\nHost: EXAMPLE.com:8080\r\nAccept: */*\r\n\r\n", &[OK]);
    assert_eq!(
        seen.origins[0],
        "GET /a?x=1 HTTP/1.1\r\nhost: example.com:8080\r\nAccept: */*\r\nx-forwarded-for: 127.0.0.1\r\n\
         x-forwarded-proto: http\r\nx-forwarded-host: example.com:8080\r\n\
         forwarded: for=127.0.0.1;proto=http;host=\"example.com:8080\"\r\n\r\n"
    );
    assert_eq!(seen.client, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    assert_eq!((seen.record("status"), seen.record("path")), ("200".to_owned(), "/a".to_owned()));
    assert_eq!((seen.record("upstream"), seen.record("fault")), ("api".to_owned(), "none".to_owned()));
}

#[test]
fn hop_by_hop_fields_stop_here() {
    let seen = proxied(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: x-secret, keep-alive\r\nX-Secret: 1\r\nKeep-Alive: 5\r\n\
         Upgrade: h2c\r\nTE: trailers\r\nX-Forwarded-For: 6.6.6.6\r\nX_Forwarded_For: 7.7.7.7\r\nX-Kept: 2\r\n\r\n",
        &[&[
            Until("\r\n\r\n"),
            Send("HTTP/1.1 200 OK\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n"),
        ]],
    );
    let origin = seen.origins[0].to_ascii_lowercase();
    for gone in ["x-secret", "keep-alive", "upgrade", "te:", "6.6.6.6", "7.7.7.7", "connection"] {
        assert!(!origin.contains(gone), "{gone} in {origin}");
    }
    assert!(origin.contains("x-kept: 2\r\n"), "{origin}");
    assert_eq!(seen.client, "HTTP/1.1 200 OK\r\nX-End: 2\r\ncontent-length: 0\r\n\r\n");
}

#[test]
fn pipelined_requests_are_answered_in_order_over_one_upstream_connection() {
    let seen = proxied("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", &[OK_TWICE]);
    assert!(seen.client.find("one").expect("first") < seen.client.find("two").expect("second"));
    assert_eq!(seen.statuses(), ["200", "200"]);
    assert_eq!(seen.records.len(), 2);
    assert!(seen.origins[0].contains("GET /1 ") && seen.origins[0].contains("GET /2 "));
}

#[test]
fn a_bad_request_behind_a_good_one_is_refused_and_the_rest_dropped() {
    let seen =
        proxied("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n", &[OK]);
    assert_eq!(seen.statuses(), ["200", "400"]);
    assert!(seen.client.contains("connection: close"), "{}", seen.client);
    assert!(!seen.origins[0].contains("/3"));
}

#[test]
fn http_1_0_clients_get_what_they_understand() {
    let chunked: &[super::Act] = &[
        Until("\r\n\r\n"),
        Send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
    ];
    let seen = proxied("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", &[chunked]);
    assert_eq!(seen.client, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhi");
    let seen = proxied("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", &[OK]);
    assert!(seen.client.contains("connection: keep-alive\r\n"), "{}", seen.client);
    let seen = proxied("GET / HTTP/1.0\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\nHost: a\r\n\r\n", &[OK]);
    assert_eq!(seen.statuses(), ["200"], "only one answer without keep-alive");
}

#[test]
fn responses_without_a_body_end_with_their_head() {
    for (method, reply) in [
        ("HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"),
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n"),
    ] {
        let request: &'static str = if method == "HEAD" {
            "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
        } else {
            "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        };
        let script: &'static [super::Act] =
            Box::leak(Box::new([Until("\r\n\r\n"), Send(reply), Until("\r\n\r\n"), Send(reply)]));
        let seen = proxied(request, &[script]);
        assert_eq!(seen.client, format!("{reply}{reply}"), "{method} {reply}");
    }
}

#[test]
fn answers_of_routes() {
    let config = r#"
        set response.header["x-site"] = "s"
        route GET /hello { respond 200 body "hi ${request.host}" }
        route GET /old/{rest...} { redirect 308 /new/{rest...} }
        route POST /only { respond 204 }
        route /gone { respond 410 }
    "#;
    for (request, want) in [
        (
            "GET /hello HTTP/1.1\r\nHost: A\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\nx-site: s\r\ncontent-length: 4\r\n\r\nhi a",
        ),
        (
            "HEAD /hello HTTP/1.1\r\nHost: A\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\nx-site: s\r\ncontent-length: 4\r\n\r\n",
        ),
        (
            "GET /old/a/b?q=1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 308 Permanent Redirect\r\ncontent-type: text/plain; charset=utf-8\r\n\
             location: /new/a/b?q=1\r\nx-site: s\r\ncontent-length: 23\r\n\r\n308 Permanent Redirect\n",
        ),
        ("POST /only HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 204 No Content\r\nx-site: s\r\n\r\n"),
        (
            "GET /only HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/plain; charset=utf-8\r\nallow: POST\r\n\
             x-site: s\r\ncontent-length: 63\r\n\r\n\
             405 Method Not Allowed: GET is not allowed here; allowed: POST\n",
        ),
        (
            "GET /none HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\nx-site: s\r\n\
             content-length: 40\r\n\r\n404 Not Found: no route takes this path\n",
        ),
        (
            "GET /gone HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 410 Gone\r\ncontent-type: text/plain; charset=utf-8\r\nx-site: s\r\n\
             content-length: 9\r\n\r\n410 Gone\n",
        ),
    ] {
        let seen = exchange(config, &[Send(request)], &[]);
        assert_eq!(seen.client, want, "{request}");
    }
}

#[test]
fn refusals() {
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: other\r\n\r\n", "421"),
        ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", "405"),
        ("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "405"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET /a%2fb HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
        ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", "505"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: tea\r\n\r\n", "417"),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "204"),
    ] {
        let seen = exchange("site a { to api }", &[Send(request)], &[]);
        assert_eq!(seen.statuses(), [status], "{request}");
        assert_eq!(seen.record("status"), status, "{request}");
    }
}

#[test]
fn what_is_too_large_for_its_limit() {
    let long = |n: usize| -> &'static str { "x".repeat(n).leak() };
    let target: &'static str = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", long(9000)).leak();
    let head: &'static str = format!("GET / HTTP/1.1\r\nHost: a\r\nx: {}\r\n\r\n", long(40_000)).leak();
    for (request, status) in [(target, "414"), (head, "431")] {
        assert_eq!(exchange("to api", &[Send(request)], &[]).statuses(), [status]);
    }
}

#[test]
fn the_echo_origin_shows_what_a_server_would_receive() {
    let config = r#"
        upstream echo { builtin: echo }
        site * {
            route /api/{rest...} {
                set request.header["x-who"] = "${client.ip}"
                remove request.header["accept"]
                rewrite strip /api
                rewrite host "inner"
                to echo
            }
        }
    "#;
    let request = "POST /api/x?q HTTP/1.1\r\nHost: a\r\nAccept: b\r\nContent-Length: 3\r\n\r\nabc";
    let seen = exchange(config, &[Send(request)], &[]);
    let body = seen.client.split("\r\n\r\n").nth(1).expect("a body");
    let json: serde_json::Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(json["path"], "/x");
    assert_eq!(json["query"], "q");
    assert_eq!(json["body_bytes"], 3);
    assert_eq!(json["headers"]["host"], "inner");
    assert_eq!(json["headers"]["x-who"], "127.0.0.1");
    assert_eq!(json["headers"]["x-forwarded-host"], "a");
    assert!(json["headers"]["accept"].is_null());
}

#[test]
fn a_configured_value_that_cannot_be_sent_is_our_failure() {
    let config = r#"
        route /{x...} { set request.header["x-q"] = "${request.header["x"] ?? "none"}"  to api }
    "#;
    let seen = exchange(config, &[Send("GET /a HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n")], &[OK]);
    assert!(seen.origins[0].contains("x-q: b\r\n"), "{}", seen.origins[0]);
}
