//! Views of requests as they come over the wire.

use super::{Around, Parsed, SlotMemory, build, fill_slots};
use crate::wire::h1::HeadLimits;
use crate::wire::h1::request::RequestHead;
use crate::wire::target::{Target, TargetScratch};
use twp_compiler::SlotIndex;
use twp_compiler::abi::View;
use twp_compiler::plan::{Read, Slot};

fn names(slots: &[&str]) -> Vec<Slot> {
    let slot = |text: &&str| match text.split_once(' ').expect("kind and name") {
        ("header", name) => Slot::Header(name.to_owned()),
        ("query", name) => Slot::Query(name.to_owned()),
        (_, name) => Slot::Cookie(name.to_owned()),
    };
    slots.iter().map(slot).collect()
}

/// Shows something of the view of a request whose program reads these names.
fn view<T>(request: &str, slots: &[&str], trusted: bool, show: impl FnOnce(&View<'_>) -> T) -> Option<T> {
    let bytes = request.as_bytes();
    let mut head = RequestHead::default();
    head.parse(bytes, &HeadLimits::default()).expect("parses").expect("complete");
    let mut scratch = TargetScratch::default();
    let target = Target::of(&head, bytes, &mut scratch).expect("a normal target");
    let parsed = Parsed { head: &head, bytes, target };
    let client = "192.0.2.7".parse().expect("an address");
    let around = Around { listener: 3, https: false, client, peer_is_trusted: trusted };
    let index = SlotIndex::new(&names(slots));
    let mut memory = SlotMemory::default();
    let mut values = memory.take();
    fill_slots(&mut values, &index, &parsed, &around);
    let shown = build(&values, &parsed, &around).map(|view| show(&view));
    memory.give_back(values);
    shown
}

fn values(request: &str, slots: &[&str], trusted: bool) -> Vec<Option<String>> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let all = |view: &View<'_>| {
        (0..slots.len()).map(|slot| view.slot(u16::try_from(slot).expect("few")).bytes().map(text)).collect()
    };
    view(request, slots, trusted, all).expect("has a path")
}

fn some(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|value| Some((*value).to_owned())).collect()
}

#[test]
fn fields_of_the_request() {
    let request =
        "POST http://A.test:8080/%61/b/?q=%7e HTTP/1.1\r\nHost: a.test:8080\r\nContent-Length: 5\r\n\r\n";
    let shown = view(request, &[], false, |view| {
        let text = |read: Read| {
            let mut out = Vec::new();
            read.write(view, &mut out).then(|| String::from_utf8_lossy(&out).into_owned())
        };
        assert_eq!(
            (view.method, view.version, view.port, view.listener, view.content_length, view.n_segments()),
            (2, 11, 8080, 3, 5, 3)
        );
        [Read::Method, Read::Host, Read::Target, Read::ClientIp, Read::Scheme].map(text)
    });
    let want = ["POST", "a.test", "/a/b/?q=~", "192.0.2.7", "http"].map(|text| Some(text.to_owned()));
    assert_eq!(shown, Some(want));
}

#[test]
fn the_first_line_counts_and_case_does_not() {
    let request = "GET / HTTP/1.1\r\nHost: a\r\nX-Mark: one\r\nx-mark: two\r\nX-EMPTY:\r\n\r\n";
    let got = values(request, &["header x-mark", "header x-empty", "header x-none"], false);
    assert_eq!(got, [Some("one".to_owned()), Some(String::new()), None]);
}

#[test]
fn query_fields() {
    let request = "GET /?a=1&b&c=&a=2&&=x&d=1=2 HTTP/1.1\r\nHost: a\r\n\r\n";
    let got = values(request, &["query a", "query b", "query c", "query d"], false);
    assert_eq!(got, some(&["1", "", "", "1=2"]));
    assert_eq!(values("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &["query a"], false), [None]);
}

#[test]
fn cookies() {
    let request = "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1; flag;b = 2 ; a=3\r\nCookie: c=x=y; b=4\r\n\r\n";
    let got = values(request, &["cookie a", "cookie b", "cookie c", "cookie flag"], false);
    assert_eq!(got, [Some("1".to_owned()), Some("2".to_owned()), Some("x=y".to_owned()), None]);
}

#[test]
fn one_name_may_be_read_as_three_things() {
    let request = "GET /?x=q HTTP/1.1\r\nHost: a\r\nX: h\r\nCookie: x=c\r\n\r\n";
    assert_eq!(values(request, &["header x", "query x", "cookie x"], false), some(&["h", "q", "c"]));
}

#[test]
fn what_an_untrusted_peer_says_about_the_client_is_unseen() {
    let request = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nX_Forwarded_For: 5.6.7.8\r\n\r\n";
    let slots = ["header x-forwarded-for", "header x_forwarded_for"];
    assert_eq!(values(request, &slots, false), [None, None]);
    assert_eq!(values(request, &slots, true), [Some("1.2.3.4".to_owned()), None]);
}

#[test]
fn targets_without_a_path_have_no_view() {
    let asterisk = "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n";
    let connect = "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n";
    assert!(view(asterisk, &[], false, |_| ()).is_none());
    assert!(view(connect, &[], false, |_| ()).is_none());
}
