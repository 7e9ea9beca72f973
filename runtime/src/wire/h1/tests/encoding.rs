//! Written heads: what goes upstream and to the client, byte for byte, and that it re-reads to the same.

use super::request;
use crate::wire::field::flag;
use crate::wire::forwarded::Forwarding;
use crate::wire::h1::encode::{
    ChangeOp, EncodeError, FieldChange, RequestWrite, ResponseWrite, encode_answer, encode_interim,
    encode_request, encode_response, framing_for_client, reason_phrase,
};
use crate::wire::h1::response::ResponseHead;
use crate::wire::h1::{Framing, HeadLimits, Version};

const DATE: &[u8] = b"Sun, 06 Nov 1994 08:49:37 GMT";

fn set<'a>(name: &'a str, value: &'a str) -> FieldChange<'a> {
    FieldChange { op: ChangeOp::Set, name: name.as_bytes(), value: value.as_bytes() }
}

fn add<'a>(name: &'a str, value: &'a str) -> FieldChange<'a> {
    FieldChange { op: ChangeOp::Add, ..set(name, value) }
}

fn remove(name: &str) -> FieldChange<'_> {
    FieldChange { op: ChangeOp::Remove, ..set(name, "") }
}

fn forwarding(peer_is_trusted: bool) -> Forwarding<'static> {
    Forwarding { peer: b"192.0.2.7", peer_is_trusted, scheme: b"http", host: b"a.test", port: None }
}

const PLAIN: RequestWrite<'static> = RequestWrite {
    path: b"/x",
    query: None,
    host: b"a.test",
    port: None,
    framing: Framing::None,
    expect_continue: false,
    forwarding: None,
    changes: &[],
};

/// The request that goes upstream for one with these fields.
fn upstream(fields: &str, write: &RequestWrite<'_>) -> Result<String, EncodeError> {
    let bytes = format!("GET /ignored HTTP/1.1\r\nHost: A.test\r\n{fields}\r\n");
    let head = request(bytes.as_bytes());
    let mut out = Vec::new();
    let result = encode_request(&head, bytes.as_bytes(), write, &mut out);
    assert!(result.is_ok() || out.is_empty(), "nothing is written on an error");
    result.map(|()| String::from_utf8_lossy(&out).into_owned())
}

#[track_caller]
fn check_upstream(fields: &str, write: &RequestWrite<'_>, want_fields: &str) {
    let got = upstream(fields, write).expect("encodes");
    assert_eq!(got, format!("GET /x HTTP/1.1\r\nhost: a.test\r\n{want_fields}\r\n"));
}

#[test]
fn end_to_end_fields_are_copied_in_order() {
    check_upstream("A: 1\r\nB:2\r\nC: \t3\t \r\nD:\r\n", &PLAIN, "A: 1\r\nB:2\r\nC: \t3\r\nD:\r\n");
    check_upstream("", &PLAIN, "");
}

#[test]
fn hop_by_hop_fields_stay_here() {
    check_upstream(
        "A: 1\r\nConnection: close, X\r\nKeep-Alive: 5\r\nX: y\r\nB: 2\r\nTE: trailers\r\nUpgrade: h2c\r\n\
         HTTP2-Settings: AA\r\nProxy-Connection: close\r\nTrailer: Z\r\nContent_Length: 5\r\nC: 3\r\n",
        &PLAIN,
        "A: 1\r\nB: 2\r\nC: 3\r\n",
    );
}

#[test]
fn framing_is_derived() {
    let length = RequestWrite { framing: Framing::Length(7), ..PLAIN };
    check_upstream("Content-Length: 0005\r\n", &length, "content-length: 7\r\n");
    let chunked = RequestWrite { framing: Framing::Chunked, expect_continue: true, ..PLAIN };
    check_upstream(
        "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
        &chunked,
        "expect: 100-continue\r\ntransfer-encoding: chunked\r\n",
    );
    check_upstream("Content-Length: 5\r\n", &PLAIN, "");
}

#[test]
fn the_target_and_host_are_those_given() {
    let write = RequestWrite { path: b"/new", query: Some(b""), host: b"b.test", port: Some(81), ..PLAIN };
    assert_eq!(upstream("", &write).expect("encodes"), "GET /new? HTTP/1.1\r\nhost: b.test:81\r\n\r\n");
}

#[test]
fn an_untrusted_peer_is_replaced() {
    let write = RequestWrite { forwarding: Some(forwarding(false)), ..PLAIN };
    check_upstream(
        "X-Forwarded-For: 1.1.1.1\r\nForwarded: for=1.1.1.1\r\nX-Real-IP: 1.1.1.1\r\nX-Forwarded-Host: evil\r\n\
         X-Forwarded-Port: 1\r\nX-Forwarded-Proto: https\r\nClient-Cert: :AA==:\r\nA: b\r\n",
        &write,
        "A: b\r\nx-forwarded-for: 192.0.2.7\r\nx-forwarded-proto: http\r\nx-forwarded-host: a.test\r\n\
         forwarded: for=192.0.2.7;proto=http;host=a.test\r\n",
    );
    check_upstream("X-Forwarded-For: 1.1.1.1\r\nA: b\r\n", &PLAIN, "A: b\r\n");
}

#[test]
fn a_trusted_peer_is_appended_to() {
    let write = RequestWrite { forwarding: Some(forwarding(true)), ..PLAIN };
    check_upstream(
        "X-Forwarded-For: 1.1.1.1\r\nX-Real-IP: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2\r\nX-Forwarded-Proto: https\r\n",
        &write,
        "X-Real-IP: 1.1.1.1\r\nX-Forwarded-Proto: https\r\nx-forwarded-for: 1.1.1.1, 2.2.2.2, 192.0.2.7\r\n\
         x-forwarded-host: a.test\r\nforwarded: for=192.0.2.7;proto=http;host=a.test\r\n",
    );
    check_upstream(
        "Forwarded: for=1.1.1.1\r\nX-Forwarded-Host: b.test\r\n",
        &write,
        "X-Forwarded-Host: b.test\r\nx-forwarded-for: 192.0.2.7\r\nx-forwarded-proto: http\r\n\
         forwarded: for=1.1.1.1, for=192.0.2.7;proto=http;host=a.test\r\n",
    );
}

#[test]
fn later_changes_win() {
    for (changes, want) in [
        (&[set("a", "new")][..], "B: 2\r\na: new\r\n"),
        (&[add("a", "new")], "A: 1\r\nB: 2\r\nA: 3\r\na: new\r\n"),
        (&[remove("a")], "B: 2\r\n"),
        (&[set("a", "x"), set("a", "y")], "B: 2\r\na: y\r\n"),
        (&[add("a", "x"), set("a", "y")], "B: 2\r\na: y\r\n"),
        (&[set("a", "x"), add("a", "y")], "B: 2\r\na: x\r\na: y\r\n"),
        (&[set("a", "x"), remove("a")], "B: 2\r\n"),
        (&[remove("a"), add("a", "y")], "B: 2\r\na: y\r\n"),
        (&[set("c", ""), remove("b")], "A: 1\r\nA: 3\r\nc: \r\n"),
        (&[set("c", " \tx ")], "A: 1\r\nB: 2\r\nA: 3\r\nc: x\r\n"),
    ] {
        check_upstream("A: 1\r\nB: 2\r\nA: 3\r\n", &RequestWrite { changes, ..PLAIN }, want);
    }
}

#[test]
fn changes_win_over_our_own_fields() {
    let changes = [set("x-forwarded-for", "mine"), remove("forwarded"), remove("x-forwarded-host")];
    let write = RequestWrite { forwarding: Some(forwarding(true)), changes: &changes, ..PLAIN };
    let want = "x-forwarded-proto: http\r\nx-forwarded-for: mine\r\n";
    check_upstream("X-Forwarded-For: 1.1.1.1\r\nForwarded: for=a\r\n", &write, want);
}

#[test]
fn changes_never_touch_framing() {
    let changes = [
        set("content-length", "99"),
        add("transfer-encoding", "chunked"),
        set("connection", "close"),
        set("host", "evil"),
        set("upgrade", "h2c"),
    ];
    let write = RequestWrite { framing: Framing::Length(5), changes: &changes, ..PLAIN };
    check_upstream("", &write, "content-length: 5\r\n");
}

/// APP-07: the checker promises it, the encoder makes sure.
#[test]
fn line_breaks_cannot_be_injected() {
    for value in ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "a\x0bb", "a\x7fb"] {
        let changes = [set("x", value)];
        let write = RequestWrite { changes: &changes, ..PLAIN };
        assert_eq!(upstream("", &write), Err(EncodeError::BadField), "{value:?}");
        let mut out = Vec::new();
        let answer = encode_answer(302, &[(b"location", value.as_bytes())], &response_write(), &mut out);
        assert_eq!((answer, out.len()), (Err(EncodeError::BadField), 0), "{value:?}");
    }
    for name in ["", "a b", "a:b", "a\r\n"] {
        let changes = [set(name, "v")];
        assert_eq!(upstream("", &RequestWrite { changes: &changes, ..PLAIN }), Err(EncodeError::BadField));
    }
    for path in ["", "a", "/a b", "/a\r\n", "/a?b", "/\u{e9}", "/a#b"] {
        let write = RequestWrite { path: path.as_bytes(), ..PLAIN };
        assert_eq!(upstream("", &write), Err(EncodeError::BadTarget), "{path:?}");
    }
    assert_eq!(upstream("", &RequestWrite { query: Some(b"a b"), ..PLAIN }), Err(EncodeError::BadTarget));
    for host in ["a b", "a\r\n", "u@a", "a/b"] {
        let write = RequestWrite { host: host.as_bytes(), ..PLAIN };
        assert_eq!(upstream("", &write), Err(EncodeError::BadHost), "{host:?}");
    }
}

fn response_write() -> ResponseWrite<'static> {
    ResponseWrite {
        version: Version::Http11,
        framing: Framing::Length(2),
        content_length: None,
        keep_alive: true,
        date: DATE,
        changes: &[],
    }
}

fn to_client(response: &str, write: &ResponseWrite<'_>) -> String {
    let mut head = ResponseHead::default();
    head.parse(response.as_bytes(), &HeadLimits::default(), 0).expect("parses").expect("complete");
    let mut out = Vec::new();
    encode_response(&head, response.as_bytes(), write, &mut out).expect("encodes");
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn responses_keep_their_own_words() {
    assert_eq!(
        to_client(
            "HTTP/1.0 200 Fine\r\nServer: s\r\nDate: d\r\nConnection: X\r\nX: y\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\
             Content-Length: 2\r\n\r\n",
            &response_write()
        ),
        "HTTP/1.1 200 Fine\r\nServer: s\r\nDate: d\r\nSet-Cookie: a\r\nSet-Cookie: b\r\ncontent-length: 2\r\n\r\n"
    );
}

#[test]
fn responses_get_date_and_connection() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    let date = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for (version, keep_alive, want) in [
        (Version::Http11, true, ""),
        (Version::Http11, false, "connection: close\r\n"),
        (Version::Http10, true, "connection: keep-alive\r\n"),
        (Version::Http10, false, "connection: close\r\n"),
    ] {
        let got = to_client(response, &ResponseWrite { version, keep_alive, ..response_write() });
        assert_eq!(got, format!("HTTP/1.1 200 OK\r\n{date}content-length: 2\r\n{want}\r\n"));
    }
    let changes = [remove("date"), set("server", "twp")];
    let got = to_client(response, &ResponseWrite { changes: &changes, ..response_write() });
    assert_eq!(got, "HTTP/1.1 200 OK\r\nserver: twp\r\ncontent-length: 2\r\n\r\n");
}

#[test]
fn a_length_without_body_is_announced() {
    let response = "HTTP/1.1 304 Not Modified\r\nDate: d\r\nContent-Length: 500\r\n\r\n";
    let write = ResponseWrite { framing: Framing::None, content_length: Some(500), ..response_write() };
    assert_eq!(
        to_client(response, &write),
        "HTTP/1.1 304 Not Modified\r\nDate: d\r\ncontent-length: 500\r\n\r\n"
    );
}

#[test]
fn interim_responses_are_passed_on() {
    let bytes = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: x\r\n\r\n";
    let mut head = ResponseHead::default();
    head.parse(bytes, &HeadLimits::default(), 0).expect("parses").expect("complete");
    let mut out = Vec::new();
    encode_interim(&head, bytes, &mut out);
    assert_eq!(out, b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
}

#[test]
fn answers_of_our_own() {
    let changes = [set("content-type", "text/html")];
    let write = ResponseWrite { changes: &changes, keep_alive: false, ..response_write() };
    let mut out = Vec::new();
    encode_answer(404, &[(b"content-type", b"text/plain"), (b"allow", b"GET")], &write, &mut out)
        .expect("encodes");
    assert_eq!(
        String::from_utf8_lossy(&out),
        "HTTP/1.1 404 Not Found\r\nallow: GET\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\ncontent-type: text/html\r\n\
         content-length: 2\r\nconnection: close\r\n\r\n"
    );
    assert_eq!(reason_phrase(299), "");
}

#[test]
fn framing_fits_the_client() {
    for (framing, client, want) in [
        (Framing::UntilClose, Version::Http11, Framing::Chunked),
        (Framing::Chunked, Version::Http11, Framing::Chunked),
        (Framing::UntilClose, Version::Http10, Framing::UntilClose),
        (Framing::Chunked, Version::Http10, Framing::UntilClose),
        (Framing::Length(1), Version::Http10, Framing::Length(1)),
        (Framing::None, Version::Http11, Framing::None),
    ] {
        assert_eq!(framing_for_client(framing, client), want);
    }
}

/// What is written re-reads to the same method, framing and end-to-end fields, and writing it again changes nothing.
#[test]
fn written_requests_are_read_the_same() {
    for vector in super::requests() {
        let Ok(Some((head, len))) = super::parse_request(&vector.bytes) else { continue };
        let bytes = &vector.bytes[..len];
        if !matches!(head.path.of(bytes), [b'/', ..]) {
            continue;
        }
        let host: &[u8] = if head.host.is_empty() { b"server" } else { head.host.of(bytes) };
        let write = RequestWrite {
            path: head.path.of(bytes),
            query: head.query.map(|query| query.of(bytes)),
            host,
            port: head.port,
            framing: head.framing,
            expect_continue: head.expect_continue,
            ..PLAIN
        };
        let mut once = Vec::new();
        encode_request(&head, bytes, &write, &mut once).expect("encodes");
        let again = request(&once);
        assert_eq!((again.method, again.framing), (head.method, head.framing), "{}", vector.name);
        assert_eq!(again.host.of(&once), host, "{}", vector.name);
        let values =
            |head: &crate::wire::h1::request::RequestHead, bytes: &[u8]| -> Vec<(Vec<u8>, Vec<u8>)> {
                let kept = head.fields.iter().filter(|field| field.flags & !flag::IDENTITY == 0);
                kept.map(|field| (field.name.of(bytes).to_vec(), field.value.of(bytes).to_vec())).collect()
            };
        assert_eq!(values(&again, &once), values(&head, bytes), "{}", vector.name);
        let mut twice = Vec::new();
        encode_request(&again, &once, &write, &mut twice).expect("encodes");
        assert_eq!(twice, once, "{}", vector.name);
    }
}
