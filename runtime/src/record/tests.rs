//! Records as they stand in the log.

use super::{Fault, Record, Start};
use crate::limits::RECORD_BYTES_MAX;
use crate::log::tests::lines_of;
use std::time::Instant;

/// The one line that an exchange leaves, with its duration blanked.
fn record(fill: impl FnOnce(&mut Record<'_>)) -> String {
    let mut lines = lines_of("record", |log| {
        let start = Start { unix_millis: 784_111_777_045, instant: Instant::now() };
        let client = "::ffff:192.0.2.7".parse().expect("an address");
        fill(&mut Record::open(log, start, client));
    });
    assert!(lines.len() <= 1, "one record per exchange: {lines:?}");
    let line = lines.pop().unwrap_or_default();
    assert!(line.len() < RECORD_BYTES_MAX, "{} bytes", line.len());
    let Some((before, after)) = line.split_once("\"duration_us\":") else { return line };
    let digits = after.find(|char: char| !char.is_ascii_digit()).expect("more fields follow");
    format!("{before}\"duration_us\":N{}", &after[digits..])
}

#[test]
fn a_served_exchange() {
    let got = record(|record| {
        record.request(b"GET", b"a.test", b"/x/%20y");
        record.status = 200;
        record.bytes_in = 3;
        record.bytes_out = 1234;
        record.site = "a.test";
        record.route = "GET /x/{rest...}";
        record.upstream = "app";
        record.server(b"10.0.0.1:80");
        record.server(b"10.0.0.2:80");
    });
    let want = r#"{"time":"1994-11-06T08:49:37.045Z","client":"192.0.2.7","method":"GET","host":"a.test","path":"/x/%20y","status":200,"bytes_in":3,"bytes_out":1234,"duration_us":N,"site":"a.test","route":"GET /x/{rest...}","upstream":"app","server":"10.0.0.2:80","fault":"none"}"#;
    assert_eq!(got, want);
}

#[test]
fn a_cancelled_exchange_is_logged_with_its_first_failure() {
    let got = record(|record| {
        record.request(b"GET", b"a.test", b"/");
        record.fail(Fault::Client, "client_gone");
        record.fail(Fault::Upstream, "upstream_closed");
    });
    assert!(got.contains(r#""status":0,"#), "{got}");
    assert!(got.ends_with(r#""fault":"client","reason":"client_gone"}"#), "{got}");
}

#[test]
fn a_refused_head_has_no_target() {
    let got = record(|record| record.fail(Fault::Client, "bad_request_line"));
    assert!(
        got.starts_with(r#"{"time":"1994-11-06T08:49:37.045Z","client":"192.0.2.7","status":0,"#),
        "{got}"
    );
}

#[test]
fn hostile_text_stays_inside_its_string() {
    for (path, want) in [
        (&b"/a\"b\\c"[..], r#"/a\"b\\c"#),
        (b"/\r\n{\"x\":1}", r#"/\u000d\u000a{\"x\":1}"#),
        (b"/\x1b[31m\0\x7f", r"/\u001b[31m\u0000\u007f"),
        ("/\u{e9}\u{202e}\u{1f600}".as_bytes(), r"/\u00e9\u202e\ud83d\ude00"),
        (b"/\xff\xc3", r"/\ufffd\ufffd"),
    ] {
        let got = record(|record| record.request(b"GET", b"a", path));
        let (_, after) = got.split_once(r#""path":""#).expect("has a path");
        assert!(after.starts_with(&format!("{want}\",")), "{got}");
        let value: serde_json::Value = serde_json::from_str(&got.replace(":N,", ":0,")).expect("JSON");
        assert_eq!(value["path"], String::from_utf8_lossy(path).as_ref());
    }
}

#[test]
fn the_longest_texts_fit_and_are_cut_between_characters() {
    let quotes = "\"".repeat(9000);
    let emoji = "\u{1f600}".repeat(9000);
    for text in ["a".repeat(9000), quotes, emoji, "\0".repeat(9000)] {
        // Names in records live as long as the plan.
        let text: &'static str = text.leak();
        let got = record(|record| {
            record.request(text.as_bytes(), text.as_bytes(), text.as_bytes());
            record.status = 599;
            record.bytes_in = u64::MAX;
            record.bytes_out = u64::MAX;
            record.site = text;
            record.route = text;
            record.upstream = text;
            record.server(text.as_bytes());
            record.fail(
                Fault::Upstream,
                "a_reason_that_is_as_long_as_reasons_may_be_and_even_longer_than_that",
            );
        });
        let value: serde_json::Value = serde_json::from_str(&got.replace(":N,", ":0,")).expect("JSON");
        for key in ["method", "host", "path", "site", "route", "upstream", "server"] {
            let shown = value[key].as_str().expect("text");
            let kept = shown.strip_suffix('\u{2026}').expect("ends in an ellipsis");
            assert!(!kept.is_empty() && text.starts_with(kept), "{key}: {shown}");
        }
    }
}

#[test]
fn a_silent_route_leaves_nothing() {
    let got = record(|record| {
        record.silence();
        record.request(b"GET", b"a.test", b"/");
    });
    assert_eq!(got, "");
}
