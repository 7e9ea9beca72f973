//! Random mutations of the vectors: nothing panics, and what is accepted is read the same when written again.

use super::{Random, chunked_bodies, parse_request, requests, responses};
use crate::wire::h1::chunked::ChunkedDecoder;
use crate::wire::h1::encode::{RequestWrite, encode_request};
use crate::wire::h1::response::ResponseHead;
use crate::wire::h1::{Framing, HeadLimits};
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Each part of the test runs for about so long.
const TIME: Duration = Duration::from_millis(300);

fn seed() -> u64 {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").subsec_nanos();
    u64::from(nanos) << 8 | 1
}

/// Runs `check` on mutations of these inputs until the time is up; a panic says which seed it was.
fn mutate(inputs: &[Vec<u8>], check: impl Fn(&[u8])) {
    let seed = seed();
    eprintln!("seed {seed:#x}");
    let mut random = Random(seed);
    let begin = Instant::now();
    let mut n_rounds = 0u32;
    while begin.elapsed() < TIME {
        let mut bytes = inputs[random.below(inputs.len())].clone();
        for _ in 0..=random.below(4) {
            change(&mut bytes, &mut random, inputs);
        }
        check(&bytes);
        n_rounds += 1;
    }
    assert!(n_rounds > 100, "only {n_rounds} rounds in {TIME:?}");
}

fn change(bytes: &mut Vec<u8>, random: &mut Random, inputs: &[Vec<u8>]) {
    const TELLING: &[u8] = b"\r\n\t :;,=\"\\/?*@[]%_.-+0159afxX\0\x7f\xff";
    let at = random.below(bytes.len() + 1);
    let telling = TELLING[random.below(TELLING.len())];
    match random.below(5) {
        0 => bytes.insert(at, telling),
        1 if at < bytes.len() => bytes[at] = telling,
        2 if at < bytes.len() => drop(bytes.remove(at)),
        3 => {
            let other = &inputs[random.below(inputs.len())];
            let tail = &other[random.below(other.len() + 1)..];
            bytes.truncate(at);
            bytes.extend_from_slice(tail);
        }
        _ => bytes.truncate(at),
    }
}

fn bytes_of(vectors: Vec<super::Vector>) -> Vec<Vec<u8>> {
    vectors.into_iter().map(|vector| vector.bytes).collect()
}

#[test]
fn mutated_requests() {
    mutate(&bytes_of(requests()), |bytes| {
        let Ok(Some((head, len))) = parse_request(bytes) else { return };
        let head_bytes = &bytes[..len];
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        crate::wire::forwarded::client_address(loopback, &head.fields, head_bytes, |_| true);
        assert!(head_bytes.ends_with(b"\r\n\r\n"));
        let write = RequestWrite {
            path: b"/",
            query: None,
            host: head.host.of(head_bytes),
            port: head.port,
            framing: head.framing,
            expect_continue: head.expect_continue,
            forwarding: None,
            changes: &[],
        };
        let mut out = Vec::new();
        encode_request(&head, head_bytes, &write, &mut out).expect("an accepted head can be written");
        if head.host.is_empty() || head.method == 7 {
            return;
        }
        let (again, again_len) = parse_request(&out).expect("is valid").expect("is complete");
        assert_eq!(again_len, out.len(), "the written head ends where its bytes end");
        assert_eq!((again.framing, again.method), (head.framing, head.method));
        assert!(again.keep_alive);
    });
}

#[test]
fn mutated_responses() {
    mutate(&bytes_of(responses()), |bytes| {
        let mut head = ResponseHead::default();
        if let Ok(Some(len)) = head.parse(bytes, &HeadLimits::default(), 0) {
            assert!(bytes[..len].ends_with(b"\r\n\r\n"));
            assert!(!head.keep_alive || head.framing != Framing::UntilClose);
            let mut out = Vec::new();
            crate::wire::h1::encode::encode_interim(&head, &bytes[..len], &mut out);
            let mut again = ResponseHead::default();
            assert_eq!(again.parse(&out, &HeadLimits::default(), 1), Ok(Some(out.len())));
            assert_eq!(again.status, head.status);
        }
    });
}

/// Whatever the cuts, the same data or the same refusal comes out.
#[test]
fn mutated_bodies() {
    mutate(&bytes_of(chunked_bodies()), |bytes| {
        let whole = decode(&[bytes]);
        let (before, after) = bytes.split_at(bytes.len() / 2);
        assert_eq!(decode(&[before, after]), whole);
    });
}

fn decode(pieces: &[&[u8]]) -> Result<(Vec<u8>, bool), crate::wire::ParseError> {
    let mut decoder = ChunkedDecoder::default();
    let mut data = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() && !decoder.is_done() {
            let step = decoder.decode(rest)?;
            data.extend_from_slice(&rest[step.data]);
            rest = &rest[step.consumed..];
        }
    }
    Ok((data, decoder.is_done()))
}
