//! Which fields pass, which are removed, which are ours.

use twp_testkit::{Message, Origin, Reply, exchange};

use crate::{program, proxy_to};

fn only_request(origin: &Origin) -> Message {
    let mut requests = origin.requests();
    assert_eq!(requests.len(), 1, "exactly one request reaches the origin");
    requests.remove(0)
}

#[test]
fn hop_by_hop_fields_of_a_request_stay_on_their_hop() {
    let origin = Origin::start(|_| Reply::ok(""));
    let twp = proxy_to(&origin);
    let request = "GET / HTTP/1.1\r\nhost: a.test\r\nconnection: x-mine, keep-alive\r\nx-mine: 1\r\nkeep-alive: timeout=5\r\n\
                   proxy-connection: keep-alive\r\nte: gzip\r\nupgrade: h2c\r\nproxy-authorization: Basic eDp5\r\nx-end: 2\r\n\r\n";
    assert_eq!(exchange(twp.addr(), request).statuses(), [200]);
    let arrived = only_request(&origin);
    for name in ["x-mine", "keep-alive", "proxy-connection", "te", "upgrade"] {
        assert_eq!(arrived.field(name), None, "`{name}` is of this hop\n{}", arrived.head);
    }
    assert_eq!(arrived.field("x-end"), Some("2"), "{}", arrived.head);
}

#[test]
fn hop_by_hop_fields_of_a_response_stay_on_their_hop() {
    let origin = Origin::start(|_| {
        Reply::raw(
            "HTTP/1.1 200 OK\r\nconnection: x-mine\r\nx-mine: 1\r\nkeep-alive: timeout=5\r\n\
             proxy-connection: close\r\nupgrade: h2c\r\nx-end: 2\r\ncontent-length: 0\r\n\r\n",
        )
    });
    let twp = proxy_to(&origin);
    let seen = exchange(twp.addr(), crate::get("/"));
    assert_eq!(seen.statuses(), [200]);
    for name in ["x-mine", "keep-alive", "proxy-connection", "upgrade"] {
        assert_eq!(seen.responses[0].field(name), None, "`{name}` is of the other hop");
    }
    assert_eq!(seen.responses[0].field("x-end"), Some("2"));
}

#[test]
fn connection_cannot_list_away_protected_fields() {
    let origin = Origin::start(|_| Reply::ok(""));
    let twp = proxy_to(&origin);
    let request =
        "GET / HTTP/1.1\r\nhost: a.test\r\nconnection: x-forwarded-for, cookie, host\r\ncookie: a=1\r\n\r\n";
    let seen = exchange(twp.addr(), request);
    // Refusing such a request is as safe as keeping the fields.
    if seen.statuses() == [200] {
        let arrived = only_request(&origin);
        assert_eq!(arrived.fields("x-forwarded-for"), ["127.0.0.1"], "{}", arrived.head);
        assert_eq!(arrived.field("host"), Some("a.test"), "{}", arrived.head);
    } else {
        assert_eq!(seen.statuses(), [400]);
        assert!(origin.requests().is_empty());
    }
}

#[test]
fn forwarding_fields_are_ours_not_the_clients() {
    let origin = Origin::start(|_| Reply::ok(""));
    let twp = proxy_to(&origin);
    let request = "GET / HTTP/1.1\r\nhost: a.test\r\nx-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\n\
                   x-forwarded-host: evil.test\r\nforwarded: for=203.0.113.9\r\n\r\n";
    assert_eq!(exchange(twp.addr(), request).statuses(), [200]);
    let arrived = only_request(&origin);
    assert_eq!(arrived.fields("x-forwarded-for"), ["127.0.0.1"], "{}", arrived.head);
    assert_eq!(arrived.fields("x-forwarded-proto"), ["http"], "{}", arrived.head);
    assert_eq!(arrived.fields("x-forwarded-host"), ["a.test"], "{}", arrived.head);
    let forwarded = arrived.fields("forwarded");
    assert_eq!(forwarded.len(), 1, "{}", arrived.head);
    assert!(
        forwarded[0].contains("for=127.0.0.1") && !forwarded[0].contains("203.0.113.9"),
        "{}",
        arrived.head
    );
}

#[test]
fn statements_change_the_fields_of_both_messages() {
    let origin = Origin::start(|_| {
        Reply::raw("HTTP/1.1 200 OK\r\nserver: x\r\nx-old: 1\r\ncontent-length: 0\r\n\r\n")
    });
    let site = r#"set request.header["x-seen"] = "${request.method} ${request.path}"
  add request.header["x-many"] = "b"
  remove request.header["x-gone"]
  set response.header["x-old"] = "2"
  remove response.header["server"]
  to origin"#;
    let twp = program(site, &origin);
    let seen = exchange(
        twp.addr(),
        "GET /p HTTP/1.1\r\nhost: a.test\r\nX-Many: a\r\nX-Gone: 1\r\nX-Seen: no\r\n\r\n",
    );
    let arrived = only_request(&origin);
    assert_eq!(arrived.fields("x-seen"), ["GET /p"]);
    assert_eq!(arrived.fields("x-many"), ["a", "b"]);
    assert_eq!(arrived.field("x-gone"), None);
    assert_eq!(seen.responses[0].fields("x-old"), ["2"]);
    assert_eq!(seen.responses[0].field("server"), None);
}

#[test]
fn a_rewritten_target_keeps_its_query_and_a_rewritten_host_is_sent() {
    let origin = Origin::start(|_| Reply::ok(""));
    let site = r#"route GET /users/{id:int} {
    rewrite path /v2/people/{id}
    rewrite host "people.internal"
    to origin
  }
  route /api/{rest...} {
    rewrite strip /api
    to origin
  }"#;
    let twp = program(site, &origin);
    exchange(twp.addr(), crate::get("/users/42?a=1&b=%2f"));
    exchange(twp.addr(), crate::get("/api/x/y?z"));
    let requests = origin.requests();
    assert_eq!(requests[0].second_word(), "/v2/people/42?a=1&b=%2F");
    assert_eq!(requests[0].field("host"), Some("people.internal"));
    assert_eq!(requests[1].second_word(), "/x/y?z");
    assert_eq!(requests[1].field("host"), Some("a.test"), "the client's host goes upstream otherwise");
}
