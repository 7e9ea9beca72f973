//! Vectors, truncation, mutation and round trips of everything in `wire::h1`.

mod bodies;
mod encoding;
mod heads;
mod mutation;

use super::HeadLimits;
use super::request::RequestHead;
use crate::wire::ParseError;
use crate::wire::target::{Target, TargetScratch};

/// A line of a vector file.
struct Vector {
    id: &'static str,
    expectation: &'static str,
    name: String,
    bytes: Vec<u8>,
}

/// The vectors of a file; `short` are the words that stand for bytes.
fn vectors(file: &'static str, short: &[(&str, &str)]) -> Vec<Vector> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let vectors: Vec<Vector> = lines
        .map(|line| {
            let parts: Vec<&str> = line.splitn(5, " | ").collect();
            let [id, expectation, clause, what, bytes] = parts[..] else { panic!("five parts: {line}") };
            let bytes = short.iter().fold(bytes.to_owned(), |bytes, (word, text)| bytes.replace(word, text));
            let name = format!("{}: {what} ({clause})", id.trim());
            Vector { id: id.trim(), expectation, name, bytes: unescape(&bytes) }
        })
        .collect();
    assert!(vectors.len() > 20, "the file was read");
    vectors
}

fn requests() -> Vec<Vector> {
    let short = [
        ("$GET", "GET / HTTP/1.1\\r\\nHost: a.test\\r\\n"),
        ("$POST", "POST / HTTP/1.1\\r\\nHost: a.test\\r\\n"),
    ];
    vectors(include_str!("../../../tests/vectors/h1_requests.txt"), &short)
}

fn responses() -> Vec<Vector> {
    vectors(include_str!("../../../tests/vectors/h1_responses.txt"), &[("$OK", "HTTP/1.1 200 OK\\r\\n")])
}

fn chunked_bodies() -> Vec<Vector> {
    vectors(include_str!("../../../tests/vectors/h1_chunked.txt"), &[])
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'r') => bytes.push(b'\r'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'\\') => bytes.push(b'\\'),
            Some(b'x') => {
                let digits = [rest.next(), rest.next()].map(|digit| char::from(digit.expect("two digits")));
                let digits: String = digits.iter().collect();
                bytes.push(u8::from_str_radix(&digits, 16).expect("hexadecimal digits"));
            }
            other => panic!("unknown escape {other:?} in {text}"),
        }
    }
    bytes
}

/// A complete request head.
fn request(bytes: &[u8]) -> RequestHead {
    let mut head = RequestHead::default();
    let len = head.parse(bytes, &HeadLimits::default()).expect("parses").expect("complete");
    assert_eq!(len, bytes.len());
    head
}

/// Parses a request head with its target: what every request goes through.
fn parse_request(bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, ParseError> {
    let mut head = RequestHead::default();
    let Some(len) = head.parse(bytes, &HeadLimits::default())? else { return Ok(None) };
    Target::of(&head, bytes, &mut TargetScratch::default())?;
    Ok(Some((head, len)))
}

/// Generates the same numbers for the same seed (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not zero.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).expect("31 bits") % bound
    }
}
