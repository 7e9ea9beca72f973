//! Chunked bodies (RFC 9112 section 7.1): an incremental decoder that copies nothing, and the parts to write one.
//!
//! Strict where readers are known to differ (H1-07, H1-12): CR LF only, 1 to 16 hexadecimal digits and nothing
//! around them, extensions checked and dropped, trailers checked and discarded. What is relayed is framed anew.

use crate::limits::{CHUNK_EXTENSION_BYTES_MAX, TRAILER_BYTES_MAX};
use crate::wire::ParseError;
use crate::wire::field::{TOKEN, class, is_value_byte};
use std::ops::Range;

/// The last chunk, without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
/// What follows the data of a chunk.
pub const CHUNK_END: &[u8] = b"\r\n";
const SIZE_DIGITS_MAX: u8 = 16;

/// What a call of [`ChunkedDecoder::decode`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that are done with, data included.
    pub consumed: usize,
    /// Where in the input body data lies; empty when more input is needed or the body has ended.
    pub data: Range<usize>,
    /// The body has ended; what follows `consumed` belongs to the next message.
    pub done: bool,
}

/// Complete chunks at the start of the input that may be passed on as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawRun {
    /// Bytes of the input, framing included.
    pub len: usize,
    /// Bytes of body data in them.
    pub data_len: usize,
}

/// Reads a chunked body piece by piece.
#[derive(Clone, Debug, Default)]
pub struct ChunkedDecoder {
    state: State,
    extension_bytes: usize,
    trailer_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Size { digits: u8, size: u64 },
    Extension { size: u64, at: Extension },
    SizeFeed { size: u64 },
    Data { left: u64 },
    DataReturn,
    DataFeed,
    Trailer(Trailer),
    Done,
}

/// Where in the extensions of a chunk: `;name=value`, value a token or a quoted string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extension {
    NameStart,
    Name,
    ValueStart,
    Value,
    Quoted,
    QuotedPair,
    QuotedEnd,
}

/// Where in the trailer section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trailer {
    LineStart,
    Name,
    Value,
    LineFeed,
    LastFeed,
}

impl Default for State {
    fn default() -> State {
        State::Size { digits: 0, size: 0 }
    }
}

impl ChunkedDecoder {
    /// Reads up to the next run of body data. Call it again with what follows `consumed` until the step is `done`
    /// or has no data, then with more input. A chunk larger than the input comes in several runs.
    pub fn decode(&mut self, input: &[u8]) -> Result<Step, ParseError> {
        let mut at = 0;
        while let Some(byte) = input.get(at) {
            self.state = match self.state {
                State::Done => break,
                State::Data { left } => {
                    let available = input.len() - at;
                    let len = usize::try_from(left).unwrap_or(usize::MAX).min(available);
                    let left = left - len as u64;
                    self.state = if left == 0 { State::DataReturn } else { State::Data { left } };
                    return Ok(Step { consumed: at + len, data: at..at + len, done: false });
                }
                State::Size { digits, size } => size_byte(*byte, digits, size)?,
                State::Extension { size, at } => self.extension_byte(*byte, size, at)?,
                State::SizeFeed { size } => match (byte, size) {
                    (b'\n', 0) => State::Trailer(Trailer::LineStart),
                    (b'\n', left) => State::Data { left },
                    (_, _) => return Err(ParseError::BadChunkSize),
                },
                State::DataReturn if *byte == b'\r' => State::DataFeed,
                State::DataFeed if *byte == b'\n' => State::default(),
                State::DataReturn | State::DataFeed => return Err(ParseError::BadChunkEnd),
                State::Trailer(trailer) => self.trailer_byte(*byte, trailer)?,
            };
            at += 1;
        }
        Ok(Step { consumed: at, data: at..at, done: self.is_done() })
    }

    /// Whether the body has ended.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The complete chunks at the start of `input` that nobody can read differently, the last chunk excluded: they
    /// may be passed on as they are, which saves framing many small ones anew. Nothing is consumed when the
    /// decoder is inside a chunk or the first chunk is not all there or not plain; [`ChunkedDecoder::decode`] tells.
    pub fn raw_run(&self, input: &[u8]) -> RawRun {
        let mut run = RawRun::default();
        if self.state != State::default() {
            return run;
        }
        while let Some((len, data_len)) = input.get(run.len..).and_then(plain_chunk) {
            run.len += len;
            run.data_len += data_len;
        }
        run
    }

    fn extension_byte(&mut self, byte: u8, size: u64, at: Extension) -> Result<State, ParseError> {
        self.extension_bytes += 1;
        if self.extension_bytes > CHUNK_EXTENSION_BYTES_MAX {
            return Err(ParseError::ChunkExtensionTooLong);
        }
        let is_token = class(byte) & TOKEN != 0;
        let is_text = is_value_byte(byte);
        let at = match (at, byte) {
            (Extension::Name | Extension::Value | Extension::QuotedEnd, b'\r') => {
                return Ok(State::SizeFeed { size });
            }
            (Extension::Name | Extension::Value | Extension::QuotedEnd, b';') => Extension::NameStart,
            (Extension::Name, b'=') => Extension::ValueStart,
            (Extension::NameStart | Extension::Name, _) if is_token => Extension::Name,
            (Extension::ValueStart, b'"') => Extension::Quoted,
            (Extension::ValueStart | Extension::Value, _) if is_token => Extension::Value,
            (Extension::Quoted, b'"') => Extension::QuotedEnd,
            (Extension::Quoted, b'\\') => Extension::QuotedPair,
            (Extension::Quoted | Extension::QuotedPair, _) if is_text => Extension::Quoted,
            (_, _) => return Err(ParseError::BadChunkExtension),
        };
        Ok(State::Extension { size, at })
    }

    fn trailer_byte(&mut self, byte: u8, at: Trailer) -> Result<State, ParseError> {
        self.trailer_bytes += 1;
        if self.trailer_bytes > TRAILER_BYTES_MAX {
            return Err(ParseError::TrailerTooLarge);
        }
        let is_token = class(byte) & TOKEN != 0;
        let is_text = is_value_byte(byte);
        let at = match (at, byte) {
            (Trailer::LastFeed, b'\n') => return Ok(State::Done),
            (Trailer::LineFeed, b'\n') => Trailer::LineStart,
            (Trailer::LineStart, b'\r') => Trailer::LastFeed,
            (Trailer::LineStart | Trailer::Name, _) if is_token => Trailer::Name,
            (Trailer::Name, b':') => Trailer::Value,
            (Trailer::Value, b'\r') => Trailer::LineFeed,
            (Trailer::Value, _) if is_text => Trailer::Value,
            (_, _) => return Err(ParseError::BadTrailer),
        };
        Ok(State::Trailer(at))
    }
}

fn size_byte(byte: u8, digits: u8, size: u64) -> Result<State, ParseError> {
    if let Some(digit) = hex_digit(byte) {
        if digits == SIZE_DIGITS_MAX {
            return Err(ParseError::BadChunkSize);
        }
        return Ok(State::Size { digits: digits + 1, size: size << 4 | u64::from(digit) });
    }
    match byte {
        b'\r' if digits > 0 => Ok(State::SizeFeed { size }),
        b';' if digits > 0 => Ok(State::Extension { size, at: Extension::NameStart }),
        _ => Err(ParseError::BadChunkSize),
    }
}

/// Length of a plain chunk and of its data, when all of it is there; never the last chunk.
fn plain_chunk(input: &[u8]) -> Option<(usize, usize)> {
    let mut digits = 0;
    let mut size = 0usize;
    while let Some(digit) = input.get(digits).copied().and_then(hex_digit) {
        // Eight digits are beyond every read buffer; more would not be complete anyway.
        if digits == 8 {
            return None;
        }
        size = size << 4 | usize::from(digit);
        digits += 1;
    }
    let data_at = digits + CHUNK_END.len();
    let data_end = data_at.checked_add(size)?;
    let end = data_end.checked_add(CHUNK_END.len())?;
    let is_plain = digits > 0
        && size > 0
        && input.get(digits..data_at) == Some(CHUNK_END)
        && input.get(data_end..end) == Some(CHUNK_END);
    is_plain.then_some((end, size))
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Appends the size line of a chunk of `len` bytes. The data and [`CHUNK_END`] follow; `len` 0 would end the body,
/// so it appends nothing.
pub fn encode_chunk_header(len: usize, out: &mut Vec<u8>) {
    if len == 0 {
        return;
    }
    let n_digits = (usize::BITS - len.leading_zeros()).div_ceil(4);
    for place in (0..n_digits).rev() {
        let digit = (len >> (place * 4)) & 0xf;
        out.extend(b"0123456789abcdef".get(digit));
    }
    out.extend_from_slice(CHUNK_END);
}
