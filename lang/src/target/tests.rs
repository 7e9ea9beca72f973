//! Cases of path confusion, and laws of the normal form on generated text.

use super::{TargetError, normalize_host, normalize_path, normalize_query, split_authority};

fn path(text: &[u8]) -> Result<String, TargetError> {
    let mut scratch = Vec::new();
    normalize_path(text, &mut scratch).map(|normal| String::from_utf8_lossy(normal).into_owned())
}

fn query(text: &str) -> Result<String, TargetError> {
    let mut scratch = Vec::new();
    normalize_query(text.as_bytes(), &mut scratch).map(|normal| String::from_utf8_lossy(normal).into_owned())
}

fn host(text: &str) -> Result<String, TargetError> {
    let mut scratch = Vec::new();
    normalize_host(text.as_bytes(), &mut scratch).map(|normal| String::from_utf8_lossy(normal).into_owned())
}

#[test]
fn paths_have_one_form() {
    for (written, normal) in [
        ("/", "/"),
        ("//", "/"),
        ("///a", "/a"),
        ("/a//b", "/a/b"),
        ("/a/b//", "/a/b/"),
        ("/./a", "/a"),
        ("/.", "/"),
        ("/a/.", "/a/"),
        ("/a/..", "/"),
        ("/a/../b", "/b"),
        ("/a//../b", "/b"),
        ("/a/b/../../c", "/c"),
        ("/%2e/a", "/a"),
        ("/a/%2e%2E/b", "/b"),
        ("/a/.%2e", "/"),
        ("/a/...", "/a/..."),
        ("/.well-known/x", "/.well-known/x"),
        ("/..a", "/..a"),
        ("/%61", "/a"),
        ("/%7e", "/~"),
        ("/%c3%a9", "/%C3%A9"),
        ("/a%20b", "/a%20b"),
        ("/a%3bb", "/a%3Bb"),
        ("/a;x=1", "/a;x=1"),
        ("/A", "/A"),
        ("/%252e%252e", "/%252e%252e"),
        ("/%252F", "/%252F"),
        ("/%c0%af", "/%C0%AF"),
        ("/a.", "/a."),
        ("/\"<>^`{|}[]", "/\"<>^`{|}[]"),
    ] {
        assert_eq!(path(written.as_bytes()).as_deref(), Ok(normal), "{written}");
    }
}

#[test]
fn paths_without_a_safe_form_are_refused() {
    for (written, error) in [
        (&b""[..], TargetError::NotAbsolute),
        (b"a", TargetError::NotAbsolute),
        (b"*", TargetError::NotAbsolute),
        (b"/%2f", TargetError::EncodedSlash),
        (b"/a%2Fb", TargetError::EncodedSlash),
        (b"/%5c", TargetError::Backslash),
        (b"/a\\b", TargetError::Backslash),
        (b"/%00", TargetError::Control),
        (b"/%0d%0a", TargetError::Control),
        (b"/%7F", TargetError::Control),
        (b"/\x00", TargetError::Control),
        (b"/a\tb", TargetError::Control),
        (b"/a b", TargetError::BadByte),
        (b"/a#b", TargetError::BadByte),
        (b"/a?b", TargetError::BadByte),
        (b"/\xc3\xa9", TargetError::BadByte),
        (b"/\xc0\xaf", TargetError::BadByte),
        (b"/..", TargetError::AboveRoot),
        (b"/../a", TargetError::AboveRoot),
        (b"/a/../..", TargetError::AboveRoot),
        (b"/%2e%2e/etc", TargetError::AboveRoot),
        (b"/a/./../../b", TargetError::AboveRoot),
        (b"/%", TargetError::BadEscape),
        (b"/%2", TargetError::BadEscape),
        (b"/%zz", TargetError::BadEscape),
        (b"/%u002f", TargetError::BadEscape),
    ] {
        assert_eq!(path(written), Err(error), "{}", String::from_utf8_lossy(written));
    }
}

#[test]
fn paths_have_limits() {
    let deepest = "/a".repeat(64);
    assert_eq!(path(deepest.as_bytes()).as_deref(), Ok(deepest.as_str()));
    assert_eq!(path("/a".repeat(65).as_bytes()), Err(TargetError::TooManySegments));
    assert_eq!(path(format!("{deepest}/").as_bytes()), Err(TargetError::TooManySegments));
    assert_eq!(path(format!("{deepest}//../b").as_bytes()).map(|p| p.len()), Ok(128));
    let longest = format!("/{}", "a".repeat(8191));
    assert_eq!(path(longest.as_bytes()).as_deref(), Ok(longest.as_str()));
    assert_eq!(path(format!("{longest}a").as_bytes()), Err(TargetError::TooLong));
}

#[test]
fn normal_text_is_not_copied() {
    let mut scratch = Vec::new();
    for text in ["/", "/a/b.css", "/a%20b/", "/.well-known/acme"] {
        let normal = normalize_path(text.as_bytes(), &mut scratch).expect("normal");
        assert_eq!(normal.as_ptr(), text.as_ptr(), "{text}");
    }
    let text = "a=1&b=%20c/?";
    assert_eq!(normalize_query(text.as_bytes(), &mut scratch).expect("normal").as_ptr(), text.as_ptr());
    let text = "www.example.com.";
    assert_eq!(normalize_host(text.as_bytes(), &mut scratch).expect("normal").as_ptr(), text.as_ptr());
}

#[test]
fn queries_only_have_their_escapes_normalised() {
    for (written, normal) in [
        ("", "Ok(\"\")"),
        ("a=1&a=2", "Ok(\"a=1&a=2\")"),
        ("a=%61%2f%0a", "Ok(\"a=a%2F%0A\")"),
        ("u=http://x/../y//z?w\\", "Ok(\"u=http://x/../y//z?w\\\\\")"),
        ("a=100%", "Err(BadEscape)"),
        ("a b", "Err(BadByte)"),
        ("a#b", "Err(BadByte)"),
        ("a\nb", "Err(Control)"),
        ("é", "Err(BadByte)"),
    ] {
        assert_eq!(format!("{:?}", query(written)), normal, "{written}");
    }
}

#[test]
fn hosts_have_one_form() {
    for (written, normal) in [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        ("a_b.test", "a_b.test"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("192.0.2.1", "192.0.2.1"),
        ("[::1]", "[::1]"),
        ("[2001:DB8:0:0::1]", "[2001:db8::1]"),
        ("localhost", "localhost"),
        ("1.example", "1.example"),
    ] {
        assert_eq!(host(written).as_deref(), Ok(normal), "{written}");
    }
    let long_label = "a".repeat(64);
    let long_name = vec!["a".repeat(49); 6].join(".");
    for bad in [
        "",
        ".",
        "a..b",
        "a.test..",
        ".a",
        "a b",
        "a/b",
        "a%2e",
        "[::1",
        "[fe80::1%25eth0]",
        "[1.2.3.4]",
        "1.2.3",
        "256.1.1.1",
        "010.0.0.1",
        "é.test",
        "a:b",
        &long_label,
        &long_name,
    ] {
        assert_eq!(host(bad), Err(TargetError::BadHost), "{bad}");
    }
}

#[test]
fn authorities_split_into_host_and_port() {
    for (written, split) in [
        ("a.test", "Ok((\"a.test\", None))"),
        ("a.test:", "Ok((\"a.test\", None))"),
        ("a.test:80", "Ok((\"a.test\", Some(80)))"),
        ("[::1]:8080", "Ok((\"[::1]\", Some(8080)))"),
        ("[::1]", "Ok((\"[::1]\", None))"),
        ("user@a.test", "Err(Userinfo)"),
        ("a.test:0", "Err(BadPort)"),
        ("a.test:65536", "Err(BadPort)"),
        ("a.test:+80", "Err(BadPort)"),
        ("a.test:80:80", "Err(BadPort)"),
        ("::1", "Err(BadHost)"),
        ("[::1]x", "Err(BadHost)"),
        (":80", "Err(BadHost)"),
        ("", "Err(BadHost)"),
    ] {
        let result = split_authority(written.as_bytes())
            .map(|(host, port)| (String::from_utf8_lossy(host).into_owned(), port));
        assert_eq!(format!("{result:?}"), split, "{written}");
    }
}

/// A small generator with a fixed seed: the same text on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

#[test]
fn normal_forms_are_stable_and_safe() {
    const PIECES: [&str; 20] = [
        "/", "//", "/.", "/..", "a", "B", ".", "..", "%2e", "%2E", "%61", "%7f", "%20", "%2f", "%c3", "%",
        "~", ";", "\\", "?",
    ];
    let seed = 20_261_130;
    let mut random = Random(seed);
    for round in 0..20_000 {
        let n_pieces = random.below(12);
        let text: String =
            std::iter::once("/").chain((0..n_pieces).map(|_| PIECES[random.below(PIECES.len())])).collect();
        let Ok(normal) = path(text.as_bytes()) else { continue };
        let place = format!("seed {seed} round {round}: {text} gives {normal}");
        assert_eq!(path(normal.as_bytes()).as_deref(), Ok(normal.as_str()), "{place}");
        assert!(normal.starts_with('/') && !normal.contains("//") && normal.len() <= text.len(), "{place}");
        assert!(!normal.split('/').any(|segment| segment == "." || segment == ".."), "{place}");
        assert!(normal.bytes().all(|byte| (0x21..0x7f).contains(&byte)), "{place}");
        assert!(super::is_normal_path(normal.as_bytes()), "{place}");
    }
}
