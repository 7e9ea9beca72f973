//! Chunked bodies against the vectors, in pieces, and their limits.

use super::{Random, chunked_bodies};
use crate::wire::ParseError;
use crate::wire::h1::chunked::{CHUNK_END, ChunkedDecoder, LAST_CHUNK, encode_chunk_header};

/// Decodes pieces; gives the data, how many bytes were consumed and whether the body ended.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<u8>, usize, bool), ParseError> {
    let mut decoder = ChunkedDecoder::default();
    let mut data = Vec::new();
    let mut n_consumed = 0;
    for piece in pieces {
        let mut rest = piece;
        while !rest.is_empty() {
            let step = decoder.decode(rest)?;
            assert!(step.data.end <= step.consumed && step.consumed <= rest.len(), "{step:?}");
            assert!(
                !step.data.is_empty() || step.done || step.consumed == rest.len(),
                "it goes on: {step:?}"
            );
            data.extend_from_slice(&rest[step.data.clone()]);
            n_consumed += step.consumed;
            rest = &rest[step.consumed..];
            if step.done {
                return Ok((data, n_consumed, true));
            }
        }
    }
    Ok((data, n_consumed, decoder.is_done()))
}

#[test]
fn chunked_vectors() {
    for vector in chunked_bodies() {
        let got = match decode([&vector.bytes[..]]) {
            Err(error) => error.code().to_owned(),
            Ok((data, n_consumed, done)) => {
                assert_eq!(n_consumed, vector.bytes.len(), "{}", vector.name);
                format!("{} {}", if done { "ok" } else { "more" }, String::from_utf8_lossy(&data))
            }
        };
        assert_eq!(got, vector.expectation, "{}", vector.name);
    }
}

#[test]
fn bodies_arrive_in_pieces() {
    for vector in chunked_bodies() {
        let want = decode([&vector.bytes[..]]);
        for cut in 0..vector.bytes.len() {
            let (before, after) = vector.bytes.split_at(cut);
            assert_eq!(decode([before, after]), want, "{} cut at {cut}", vector.name);
        }
        assert_eq!(decode(vector.bytes.chunks(1)), want, "{} byte by byte", vector.name);
    }
}

#[test]
fn what_follows_the_body_is_left() {
    let (data, n_consumed, done) = decode([&b"1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n"[..]]).expect("decodes");
    assert_eq!((data.as_slice(), n_consumed, done), (&b"a"[..], 11, true));
    let mut decoder = ChunkedDecoder::default();
    decoder.decode(LAST_CHUNK).expect("decodes");
    let step = decoder.decode(b"more").expect("stays done");
    assert_eq!((step.consumed, step.done), (0, true));
}

#[test]
fn a_chunk_larger_than_memory_is_data_like_any_other() {
    let mut decoder = ChunkedDecoder::default();
    let step = decoder.decode(b"ffffffffffffffff\r\nabc").expect("decodes");
    assert_eq!((step.data, step.consumed, step.done), (18..21, 21, false));
    assert_eq!(decoder.decode(b"defg").expect("decodes").data, 0..4);
}

#[test]
fn extensions_and_trailers_are_limited_over_the_whole_body() {
    let extended = |n: usize| format!("1;{}\r\na\r\n", "x".repeat(n - 1)).into_bytes();
    assert!(decode([&extended(1024)[..], LAST_CHUNK]).is_ok());
    assert_eq!(decode([&extended(1025)[..]]).err(), Some(ParseError::ChunkExtensionTooLong));
    let parts = [extended(600), extended(600)].concat();
    assert_eq!(decode([&parts[..]]).err(), Some(ParseError::ChunkExtensionTooLong));
    let trailer = |n: usize| format!("0\r\nA:{}\r\n\r\n", "x".repeat(n)).into_bytes();
    assert!(decode([&trailer(8 * 1024 - 6)[..]]).expect("fits").2);
    assert_eq!(decode([&trailer(8 * 1024 - 5)[..]]).err(), Some(ParseError::TrailerTooLarge));
}

#[test]
fn chunk_headers() {
    for (len, want) in [(1, "1\r\n"), (15, "f\r\n"), (16, "10\r\n"), (65536, "10000\r\n"), (0, "")] {
        let mut out = Vec::new();
        encode_chunk_header(len, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), want);
    }
    let mut out = Vec::new();
    encode_chunk_header(usize::MAX, &mut out);
    assert_eq!(out, [&b"f".repeat(usize::BITS as usize / 4)[..], CHUNK_END].concat());
}

/// The fast path and the plain one give the same data, and what is passed on as it is re-reads to the same.
#[test]
fn raw_runs_agree_with_decoding() {
    let seed = 0x5eed_0001;
    let mut random = Random(seed);
    for round in 0..2000 {
        let mut body = Vec::new();
        for _ in 0..random.below(6) {
            let data = vec![b'd'; 1 + random.below(40)];
            if random.below(8) == 0 {
                body.extend_from_slice(format!("{:x};e\r\n", data.len()).as_bytes());
            } else {
                body.extend_from_slice(format!("{:X}\r\n", data.len()).as_bytes());
            }
            body.extend_from_slice(&data);
            body.extend_from_slice(CHUNK_END);
        }
        body.extend_from_slice(LAST_CHUNK);
        let body = &body[..=random.below(body.len())];
        let run = ChunkedDecoder::default().raw_run(body);
        assert!(run.len <= body.len(), "seed {seed:#x} round {round}");
        let raw = &body[..run.len];
        let (data, n_consumed, done) = decode([raw]).expect("a raw run decodes");
        assert_eq!(
            (data.len(), n_consumed, done),
            (run.data_len, run.len, false),
            "seed {seed:#x} round {round}"
        );
        assert!(!raw.contains(&b';'), "extensions are not passed on");
    }
    let mut inside = ChunkedDecoder::default();
    inside.decode(b"5\r\nhe").expect("decodes");
    assert_eq!(inside.raw_run(b"1\r\na\r\n").len, 0, "not inside a chunk");
}
