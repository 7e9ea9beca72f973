//! Heads of requests and responses against the vectors, and their limits.

use super::{Vector, parse_request, request, requests, responses};
use crate::wire::ParseError;
use crate::wire::field::{Field, FieldId, flag};
use crate::wire::h1::request::{RequestHead, TargetForm};
use crate::wire::h1::response::ResponseHead;
use crate::wire::h1::{Framing, HeadLimits, Version};
use crate::wire::target::{Target, TargetScratch};

fn framing(framing: Framing) -> String {
    match framing {
        Framing::None => "none".to_owned(),
        Framing::Length(length) => format!("length {length}"),
        Framing::Chunked => "chunked".to_owned(),
        Framing::UntilClose => "until_close".to_owned(),
    }
}

fn describe_request(bytes: &[u8]) -> String {
    match parse_request(bytes) {
        Err(error) => format!("{} {}", error.status(), error.code()),
        Ok(None) => "more".to_owned(),
        Ok(Some((head, len))) => {
            assert_eq!(len, bytes.len(), "nothing is left over");
            let connection = match (head.version, head.keep_alive) {
                (Version::Http11, false) => " close",
                (Version::Http10, true) => " keep",
                (Version::Http11, true) | (Version::Http10, false) => "",
            };
            let expect = if head.expect_continue { " expect" } else { "" };
            format!("ok {}{connection}{expect}", framing(head.framing))
        }
    }
}

fn describe_response(vector: &Vector) -> String {
    let method = u8::from(vector.id == "HEAD");
    let mut head = ResponseHead::default();
    match head.parse(&vector.bytes, &HeadLimits::default(), method) {
        Err(error) => error.code().to_owned(),
        Ok(None) => "more".to_owned(),
        Ok(Some(len)) => {
            assert_eq!(len, vector.bytes.len(), "nothing is left over");
            let close = if head.keep_alive { "" } else { " close" };
            format!("ok {} {}{close}", head.status, framing(head.framing))
        }
    }
}

#[test]
fn request_vectors() {
    for vector in requests() {
        assert_eq!(describe_request(&vector.bytes), vector.expectation, "{}", vector.name);
    }
}

#[test]
fn response_vectors() {
    for vector in responses() {
        assert_eq!(describe_response(&vector), vector.expectation, "{}", vector.name);
    }
}

/// Whatever the pieces in which a head arrives, the result is that of the whole.
#[test]
fn requests_arrive_in_pieces() {
    for vector in requests() {
        let mut whole = RequestHead::default();
        let want = whole.parse(&vector.bytes, &HeadLimits::default());
        for cut in 0..vector.bytes.len() {
            let mut head = RequestHead::default();
            let mut got = head.parse(&vector.bytes[..cut], &HeadLimits::default());
            if got == Ok(None) {
                got = head.parse(&vector.bytes, &HeadLimits::default());
            }
            assert_eq!(got, want, "{} cut at {cut}", vector.name);
            assert_eq!(head.fields, whole.fields, "{} cut at {cut}", vector.name);
        }
        let mut head = RequestHead::default();
        let steps = (1..=vector.bytes.len()).map(|n| head.parse(&vector.bytes[..n], &HeadLimits::default()));
        let last = steps.into_iter().find(|step| *step != Ok(None)).unwrap_or(Ok(None));
        assert_eq!(last, want, "{} byte by byte", vector.name);
    }
}

#[test]
fn responses_arrive_in_pieces() {
    for vector in responses() {
        let method = u8::from(vector.id == "HEAD");
        let mut whole = ResponseHead::default();
        let want = whole.parse(&vector.bytes, &HeadLimits::default(), method);
        for cut in 0..vector.bytes.len() {
            let mut head = ResponseHead::default();
            let mut got = head.parse(&vector.bytes[..cut], &HeadLimits::default(), method);
            if got == Ok(None) {
                got = head.parse(&vector.bytes, &HeadLimits::default(), method);
            }
            assert_eq!(got, want, "{} cut at {cut}", vector.name);
            assert_eq!(head.fields, whole.fields, "{} cut at {cut}", vector.name);
        }
    }
}

#[test]
fn a_head_is_reused() {
    let mut head = RequestHead::default();
    let limits = HeadLimits::default();
    let first =
        b"POST /a?b HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\nConnection: keep-alive, x\r\n\r\nabcGET";
    let second = b"GET /c HTTP/1.1\r\nHost: b:1\r\n\r\n";
    assert_eq!(head.parse(first, &limits), Ok(Some(first.len() - 6)));
    assert_eq!(head.parse(second, &limits), Ok(Some(second.len())));
    assert_eq!((head.method, head.framing, head.keep_alive, head.port), (0, Framing::None, true, Some(1)));
    assert_eq!((head.query, head.fields.len(), head.host.of(second)), (None, 1, &b"b"[..]));
    assert!(head.parse(b"GET / HTTP/9.9\r\n", &limits).is_err());
    assert_eq!(head.parse(b"GET / HT", &limits), Ok(None));
    head.clear();
    assert_eq!(head.parse(second, &limits), Ok(Some(second.len())));
}

#[test]
fn targets() {
    for (line, form, want) in [
        ("GET /a/../b?x=%7e", TargetForm::Origin, ("h", Some(9), "/b", Some("x=~"))),
        ("GET /?", TargetForm::Origin, ("h", Some(9), "/", Some(""))),
        ("GET http://H.:9?x", TargetForm::Absolute, ("h", Some(9), "/", Some("x"))),
        ("GET HTTPS://h:9/%41", TargetForm::Absolute, ("h", Some(9), "/A", None)),
        ("OPTIONS *", TargetForm::Asterisk, ("h", Some(9), "*", None)),
        ("CONNECT h:9", TargetForm::Authority, ("h", Some(9), "", None)),
    ] {
        let bytes = format!("{line} HTTP/1.1\r\nHost: h:9\r\n\r\n");
        let head = request(bytes.as_bytes());
        assert_eq!(head.form, form, "{line}");
        let mut scratch = TargetScratch::default();
        let target = Target::of(&head, bytes.as_bytes(), &mut scratch).expect("normal");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let query = target.query.map(text);
        let got = (text(target.host), target.port, text(target.path), query.as_deref());
        assert_eq!((got.0.as_str(), got.1, got.2.as_str(), got.3), want, "{line}");
    }
}

#[test]
fn targets_without_a_normal_form_are_refused() {
    let deep = "/a".repeat(65);
    let long = format!("/{}", "a".repeat(8191));
    for (target, want) in [
        ("/%2f", "400 bad_path"),
        ("/%5c", "400 bad_path"),
        ("/a\\b", "400 bad_path"),
        ("/%00", "400 bad_path"),
        ("/%zz", "400 bad_path"),
        ("/../a", "400 bad_path"),
        ("/%2e%2e/a", "400 bad_path"),
        ("/a?%z", "400 bad_query"),
        (deep.as_str(), "400 bad_path"),
        (long.as_str(), "ok none"),
    ] {
        let bytes = format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(describe_request(bytes.as_bytes()), want, "{target:.20}");
    }
}

#[test]
fn limits_of_heads() {
    let limits = HeadLimits { head_bytes_max: 100, fields_max: 3, target_bytes_max: 10 };
    let parse = |bytes: &str| RequestHead::default().parse(bytes.as_bytes(), &limits);
    let head = |filler: usize| format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(filler));
    let fitting = 100 - head(0).len();
    assert_eq!(parse(&head(fitting)), Ok(Some(100)));
    assert_eq!(parse(&head(fitting + 1)), Err(ParseError::HeadTooLarge));
    assert_eq!(parse(&head(fitting + 1)[..100]), Err(ParseError::HeadTooLarge));
    assert_eq!(parse(&"x".repeat(100)), Err(ParseError::TargetTooLong));
    assert!(parse("GET /234567890 HTTP/1.1\r\nHost: a\r\n\r\n").is_ok());
    assert_eq!(parse("GET /2345678901 HTTP/1.1\r\nHost: a\r\n\r\n"), Err(ParseError::TargetTooLong));
    assert!(parse("GET / HTTP/1.1\r\nHost: a\r\nB:\r\nC:\r\n\r\n").is_ok());
    assert_eq!(parse("GET / HTTP/1.1\r\nHost: a\r\nB:\r\nC:\r\nD:\r\n\r\n"), Err(ParseError::TooManyFields));
    let response = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(100));
    assert_eq!(ResponseHead::default().parse(response.as_bytes(), &limits, 0), Err(ParseError::HeadTooLarge));
}

#[test]
fn limits_as_shipped() {
    let limits = HeadLimits::default();
    assert_eq!((limits.head_bytes_max, limits.fields_max, limits.target_bytes_max), (32768, 100, 8192));
}

#[test]
fn connection_options_are_limited() {
    let bytes = |n: usize| format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: {}\r\n\r\n", "x,".repeat(n));
    assert!(parse_request(bytes(32).as_bytes()).is_ok());
    assert_eq!(parse_request(bytes(33).as_bytes()).err(), Some(ParseError::TooManyConnectionOptions));
}

fn flags(fields: &str, name: &str) -> u8 {
    let bytes = format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
    let head = request(bytes.as_bytes());
    let is_it = |field: &&Field| field.name.of(bytes.as_bytes()).eq_ignore_ascii_case(name.as_bytes());
    head.fields.iter().rfind(is_it).expect("has the field").flags
}

/// APP-03: Connection removes what is this hop's business, and nothing else.
#[test]
fn fields_named_by_connection() {
    assert_eq!(flags("Connection: close, X-Foo\r\nx-foo: 1\r\n", "x-foo"), flag::HOP);
    assert_eq!(flags("x-foo: 1\r\nConnection: , X-FOO ,\r\n", "x-foo"), flag::HOP);
    assert_eq!(flags("Connection: x-bar\r\nx-foo: 1\r\n", "x-foo"), 0);
    for name in ["Cookie", "Authorization", "Cache-Control", "Content-Type", "Origin"] {
        let fields = format!("Connection: {name}\r\n{name}: 1\r\n");
        assert_eq!(flags(&fields, name), 0, "{name} cannot be removed");
    }
    for name in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Port"] {
        let fields = format!("Connection: {name}\r\n{name}: 1\r\n");
        assert_eq!(flags(&fields, name), flag::IDENTITY, "{name} cannot be removed");
    }
    for name in ["Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade", "HTTP2-Settings"] {
        assert_eq!(flags(&format!("{name}: 1\r\n"), name), flag::HOP, "{name} is hop-by-hop anyway");
    }
}

/// H1-11: spellings that a server could take for a field that matters.
#[test]
fn spelling_twins_are_dropped() {
    for name in [
        "Content_Length",
        "content.length",
        "Transfer_Encoding",
        "X_Forwarded_For",
        "x.forwarded-for",
        "X_Forwarded_Port",
        "X-Forwarded_Anything-Long-Enough",
        "X_Real_IP",
        "Proxy_Connection",
        "Client_Cert",
    ] {
        assert_eq!(flags(&format!("{name}: 1\r\n"), name), flag::DROPPED, "{name}");
    }
    for name in ["x_custom", "X.Y", "_", "forwarded_", "content_lengths"] {
        assert_eq!(flags(&format!("{name}: 1\r\n"), name), 0, "{name}");
    }
}

#[test]
fn equal_repeats_of_single_fields_count_once() {
    assert_eq!(flags("Authorization: a\r\n", "authorization"), 0);
    assert_eq!(flags("Authorization: a\r\nAuthorization: a\r\n", "authorization"), flag::DROPPED);
    assert_eq!(flags("Cookie: a\r\nCookie: a\r\n", "cookie"), 0);
}

#[test]
fn names_are_known_in_any_case() {
    for (name, id) in [
        ("HOST", FieldId::Host),
        ("content-LENGTH", FieldId::ContentLength),
        ("Transfer-Encoding", FieldId::TransferEncoding),
        ("te", FieldId::Te),
        ("X-Forwarded-Proto", FieldId::XForwardedProto),
        ("x-forwarded-prefix", FieldId::XForwardedOther),
        ("x-forwarded-", FieldId::XForwardedOther),
        ("x-forwarded", FieldId::Other),
        ("hosT ", FieldId::Other),
        ("", FieldId::Other),
    ] {
        assert_eq!(FieldId::of(name.as_bytes()), id, "{name}");
    }
}

/// The numbers of methods are their places in the language's table.
#[test]
fn methods_have_the_numbers_of_the_language() {
    use crate::wire::h1::request::method_number;
    for (place, name) in
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"].iter().enumerate()
    {
        assert_eq!(usize::from(method_number(name.as_bytes())), place, "{name}");
    }
    assert_eq!(method_number(b"get"), twp_compiler::abi::METHOD_OTHER);
    assert_eq!(method_number(b""), twp_compiler::abi::METHOD_OTHER);
}
