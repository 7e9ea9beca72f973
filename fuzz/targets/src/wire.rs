//! Bytes from the network: how they are split over reads makes no difference, and what is accepted can be written again
//! with the same meaning.

use crate::pieces;
use twp_runtime::wire::ParseError;
use twp_runtime::wire::field::Field;
use twp_runtime::wire::h1::chunked::{CHUNK_END, ChunkedDecoder, LAST_CHUNK, encode_chunk_header};
use twp_runtime::wire::h1::encode::{RequestWrite, encode_interim, encode_request};
use twp_runtime::wire::h1::request::{RequestHead, TargetForm};
use twp_runtime::wire::h1::response::ResponseHead;
use twp_runtime::wire::h1::{Framing, HeadLimits};
use twp_runtime::wire::target::{Target, TargetScratch};

/// A message head: the first byte chooses kind and limits, the second one the cuts, the rest is the head.
pub fn head(bytes: &[u8]) {
    let [choice, cuts, bytes @ ..] = bytes else { return };
    let small = HeadLimits { head_bytes_max: 96, fields_max: 3, target_bytes_max: 24 };
    let limits = if choice & 1 == 0 { HeadLimits::default() } else { small };
    if choice & 2 == 0 {
        request(bytes, *cuts, &limits);
    } else {
        response(bytes, *cuts, &limits, choice >> 2);
    }
}

fn request(bytes: &[u8], cuts: u8, limits: &HeadLimits) {
    let (mut head, mut split) = (RequestHead::default(), RequestHead::default());
    let whole = head.parse(bytes, limits);
    let in_pieces = grow(bytes, cuts, |bytes| split.parse(bytes, limits));
    assert_eq!(in_pieces, whole, "read in pieces");
    let Ok(Some(len)) = whole else { return };
    let bytes = used(bytes, len, &head.fields, limits);
    let facts = |head: &RequestHead| {
        let start = (head.method, head.method_text, head.target, head.form, head.version);
        let place = (head.host, head.port, head.path, head.query);
        (start, place, head.fields.clone(), head.framing, head.keep_alive, head.expect_continue)
    };
    assert_eq!(facts(&split), facts(&head), "read in pieces");
    assert_ne!(head.framing, Framing::UntilClose, "a request has an end");
    let mut scratch = TargetScratch::default();
    if let Ok(target) = Target::of(&head, bytes, &mut scratch) {
        forwarded(&head, bytes, &target);
    }
}

/// What goes upstream is read there as what was meant here.
fn forwarded(head: &RequestHead, bytes: &[u8], target: &Target<'_>) {
    let is_path = matches!(head.form, TargetForm::Origin | TargetForm::Absolute);
    // Without a host nothing is forwarded as it came, and a longer target may exceed what is accepted.
    if !is_path || target.host.is_empty() {
        return;
    }
    let write = RequestWrite {
        path: target.path,
        query: target.query,
        host: target.host,
        port: target.port,
        framing: head.framing,
        expect_continue: head.expect_continue,
        forwarding: None,
        changes: &[],
    };
    let mut out = Vec::new();
    encode_request(head, bytes, &write, &mut out).expect("an accepted head can be written");
    let generous = HeadLimits {
        head_bytes_max: 2 * out.len(),
        fields_max: head.fields.len() + 4,
        target_bytes_max: out.len(),
    };
    let mut again = RequestHead::default();
    assert_eq!(again.parse(&out, &generous), Ok(Some(out.len())), "{}", out.escape_ascii());
    assert_eq!((again.framing, again.method), (head.framing, head.method), "{}", out.escape_ascii());
    let mut scratch = TargetScratch::default();
    let read = Target::of(&again, &out, &mut scratch).expect("what was normal is accepted");
    assert_eq!(&read, target, "{}", out.escape_ascii());
}

fn response(bytes: &[u8], cuts: u8, limits: &HeadLimits, method: u8) {
    let (mut head, mut split) = (ResponseHead::default(), ResponseHead::default());
    let whole = head.parse(bytes, limits, method);
    let in_pieces = grow(bytes, cuts, |bytes| split.parse(bytes, limits, method));
    assert_eq!(in_pieces, whole, "read in pieces");
    let Ok(Some(len)) = whole else { return };
    let bytes = used(bytes, len, &head.fields, limits);
    let facts = |head: &ResponseHead| {
        let start = (head.version, head.status, head.reason);
        (start, head.fields.clone(), head.framing, head.content_length, head.keep_alive)
    };
    assert_eq!(facts(&split), facts(&head), "read in pieces");
    assert!(!head.keep_alive || head.framing != Framing::UntilClose, "a close ends what has no other end");
    let mut out = Vec::new();
    encode_interim(&head, bytes, &mut out);
    let mut again = ResponseHead::default();
    let limits = HeadLimits { head_bytes_max: 2 * out.len(), ..HeadLimits::default() };
    assert_eq!(again.parse(&out, &limits, method), Ok(Some(out.len())), "{}", out.escape_ascii());
    assert_eq!(again.status, head.status, "{}", out.escape_ascii());
}

/// Parses ever more of the bytes, as a connection does whose reads end anywhere; stops at the first answer.
fn grow(
    bytes: &[u8],
    cuts: u8,
    mut parse: impl FnMut(&[u8]) -> Result<Option<usize>, ParseError>,
) -> Result<Option<usize>, ParseError> {
    let mut end = 0;
    for piece in pieces(bytes, cuts) {
        end += piece.len();
        match parse(&bytes[..end]) {
            Ok(None) => {}
            answer => return answer,
        }
    }
    parse(bytes)
}

/// The bytes of an accepted head, which lie within the limits and end where heads end.
fn used<'a>(bytes: &'a [u8], len: usize, fields: &[Field], limits: &HeadLimits) -> &'a [u8] {
    let used = bytes.get(..len).expect("no more is used than there was");
    assert!(used.ends_with(b"\r\n\r\n") && len <= limits.head_bytes_max, "{len} bytes");
    assert!(fields.len() <= limits.fields_max, "{} fields", fields.len());
    for field in fields {
        assert!(!field.name.of(used).is_empty(), "a field has a name");
        let value = field.value.of(used);
        assert!(!value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)), "{}", value.escape_ascii());
    }
    used
}

/// A chunked body: the first byte chooses the cuts, the rest is the body.
pub fn chunks(bytes: &[u8]) {
    let [cuts, bytes @ ..] = bytes else { return };
    let whole = decode(std::iter::once(bytes));
    assert_eq!(decode(pieces(bytes, *cuts)), whole, "read in pieces");
    raw_run(bytes);
    if let Ok(body) = whole {
        let mut again = Vec::new();
        for data in pieces(&body.data, *cuts) {
            encode_chunk_header(data.len(), &mut again);
            again.extend_from_slice(data);
            again.extend_from_slice(CHUNK_END);
        }
        again.extend_from_slice(LAST_CHUNK);
        let written = Body { data: body.data, consumed: again.len(), done: true };
        assert_eq!(decode(std::iter::once(&*again)), Ok(written), "written anew");
    }
}

/// Chunks that are passed on as they are say the same to a decoder.
fn raw_run(bytes: &[u8]) {
    let run = ChunkedDecoder::default().raw_run(bytes);
    let raw = bytes.get(..run.len).expect("no more is passed on than there was");
    let read = decode(std::iter::once(raw)).expect("plain chunks are valid");
    assert_eq!((read.data.len(), read.done), (run.data_len, false), "{}", raw.escape_ascii());
}

#[derive(Debug, PartialEq, Eq)]
struct Body {
    data: Vec<u8>,
    consumed: usize,
    done: bool,
}

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<Body, ParseError> {
    let mut decoder = ChunkedDecoder::default();
    let mut body = Body { data: Vec::new(), consumed: 0, done: false };
    for piece in pieces {
        let mut rest = piece;
        while !rest.is_empty() && !body.done {
            let step = decoder.decode(rest)?;
            assert!(step.data.end <= step.consumed && step.consumed <= rest.len(), "{step:?}");
            let goes_on = !step.data.is_empty() || step.done || step.consumed == rest.len();
            assert!(goes_on && step.done == decoder.is_done(), "{step:?}");
            body.data.extend_from_slice(&rest[step.data]);
            body.consumed += step.consumed;
            body.done = step.done;
            rest = &rest[step.consumed..];
        }
    }
    Ok(body)
}
