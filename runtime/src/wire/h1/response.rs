//! Response heads of upstreams (RFC 9112 sections 4, 5, 6): as strict as for requests, since a server that frames
//! ambiguously poisons the connection for the next exchange (H1-15).
//!
//! Every error means 502 and an upstream connection that is closed, never pooled.

use super::lines::{Line, Lines};
use super::request::{Connection, check_coding, mark_named, method_number, parse_length};
use super::{Framing, HeadLimits, Version};
use crate::wire::field::{self, Field, FieldId, is_value};
use crate::wire::{ParseError, Piece};

/// A response head: offsets into the bytes it was parsed from. Reused from response to response.
#[derive(Clone, Debug)]
pub struct ResponseHead {
    /// Version of the server.
    pub version: Version,
    /// Status, 100 to 599.
    pub status: u16,
    /// Reason phrase, perhaps empty.
    pub reason: Piece,
    /// Fields in their order, hop-by-hop ones marked.
    pub fields: Vec<Field>,
    /// How the body is delimited; [`Framing::None`] for HEAD, 1xx, 204 and 304 whatever the fields say.
    pub framing: Framing,
    /// The announced length, also where no body follows (HEAD, 304).
    pub content_length: Option<u64>,
    /// Whether the connection can be used again after the body.
    pub keep_alive: bool,
    progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    StatusLine,
    Fields,
    Done,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    phase: Phase,
    lines: Lines,
    chunked: bool,
    connection: Connection,
}

impl Default for ResponseHead {
    fn default() -> ResponseHead {
        ResponseHead {
            version: Version::Http11,
            status: 0,
            reason: Piece::EMPTY,
            fields: Vec::new(),
            framing: Framing::None,
            content_length: None,
            keep_alive: false,
            progress: Progress::default(),
        }
    }
}

impl ResponseHead {
    /// Parses the head at the start of `bytes`, the answer to a request of this method (by number), and gives its
    /// length, or `None` when more bytes are needed. Goes on where it stopped, like `RequestHead::parse`.
    ///
    /// An interim response (1xx) is a head of its own: see [`ResponseHead::is_interim`]; call again behind it.
    pub fn parse(
        &mut self,
        bytes: &[u8],
        limits: &HeadLimits,
        request_method: u8,
    ) -> Result<Option<usize>, ParseError> {
        if self.progress.phase == Phase::Done {
            self.clear();
        }
        let result = self.advance(bytes, limits, request_method);
        if !matches!(result, Ok(None)) {
            self.progress.phase = Phase::Done;
        }
        result
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        let mut fields = std::mem::take(&mut self.fields);
        fields.clear();
        *self = ResponseHead { fields, ..ResponseHead::default() };
    }

    /// Whether another response to the same request follows.
    pub fn is_interim(&self) -> bool {
        self.status < 200
    }

    /// The first line of a known field.
    pub fn find(&self, id: FieldId) -> Option<&Field> {
        self.fields.iter().find(|field| field.id == id)
    }

    fn advance(
        &mut self,
        bytes: &[u8],
        limits: &HeadLimits,
        request_method: u8,
    ) -> Result<Option<usize>, ParseError> {
        if self.progress.phase == Phase::StatusLine && bytes.first().is_some_and(|first| *first != b'H') {
            return Err(ParseError::BadStatusLine);
        }
        while let Some(line) = self.progress.lines.next(bytes, limits.head_bytes_max)? {
            if self.progress.phase == Phase::StatusLine {
                self.status_line(bytes, line)?;
                self.progress.phase = Phase::Fields;
            } else if line.start == line.end {
                self.finish(bytes, request_method)?;
                return Ok(Some(line.end + 2));
            } else if self.fields.len() >= limits.fields_max {
                return Err(ParseError::TooManyFields);
            } else {
                self.field(bytes, line)?;
            }
        }
        Ok(None)
    }

    fn status_line(&mut self, bytes: &[u8], line: Line) -> Result<(), ParseError> {
        let text = bytes.get(line.start..line.end).unwrap_or_default();
        let (version, after) = text.split_at_checked(b"HTTP/1.1".len()).ok_or(ParseError::BadStatusLine)?;
        self.version = match version {
            b"HTTP/1.1" => Version::Http11,
            b"HTTP/1.0" => Version::Http10,
            [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => {
                return Err(ParseError::UnsupportedVersion);
            }
            _ => return Err(ParseError::BadStatusLine),
        };
        // Many servers leave out the blank before an empty reason phrase, which leaves no doubt.
        let (digits, reason) = match after {
            [b' ', a, b, c] => ([*a, *b, *c], &[][..]),
            [b' ', a, b, c, b' ', reason @ ..] => ([*a, *b, *c], reason),
            [b' ', ..] => return Err(ParseError::BadStatus),
            _ => return Err(ParseError::BadStatusLine),
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(ParseError::BadStatus);
        }
        self.status = digits.iter().fold(0, |status, digit| status * 10 + u16::from(digit - b'0'));
        if !(100..=599).contains(&self.status) {
            return Err(ParseError::BadStatus);
        }
        if !is_value(reason) {
            return Err(ParseError::BadStatusLine);
        }
        self.reason = Piece::new(line.end - reason.len(), line.end);
        Ok(())
    }

    #[inline]
    fn field(&mut self, bytes: &[u8], line: Line) -> Result<(), ParseError> {
        let field = field::parse_line(bytes, line.start, line.end)?;
        let value = field.value.of(bytes);
        if field.id == FieldId::ContentLength {
            if self.content_length.replace(parse_length(value)?).is_some() {
                return Err(ParseError::TwoLengths);
            }
        } else if field.id == FieldId::TransferEncoding {
            check_coding(value)?;
            if std::mem::replace(&mut self.progress.chunked, true) {
                return Err(ParseError::TwoCodings);
            }
        } else if field.id == FieldId::Connection {
            self.progress.connection.read(value)?;
        }
        self.fields.push(field);
        Ok(())
    }

    fn finish(&mut self, bytes: &[u8], request_method: u8) -> Result<(), ParseError> {
        let chunked = self.progress.chunked;
        if self.status == 101 {
            return Err(ParseError::UnaskedUpgrade);
        }
        if chunked && self.content_length.is_some() {
            return Err(ParseError::LengthAndCoding);
        }
        if chunked && self.version == Version::Http10 {
            return Err(ParseError::CodingOnHttp10);
        }
        let never_a_body = self.is_interim() || self.status == 204;
        if never_a_body && (chunked || self.content_length.is_some_and(|length| length > 0)) {
            return Err(ParseError::BodyNotAllowed);
        }
        let no_body = never_a_body || self.status == 304 || request_method == method_number(b"HEAD");
        self.framing = match self.content_length {
            _ if no_body => Framing::None,
            Some(length) => Framing::Length(length),
            None if chunked => Framing::Chunked,
            None => Framing::UntilClose,
        };
        let connection = self.progress.connection;
        self.keep_alive = self.framing != Framing::UntilClose
            && !connection.close
            && (self.version == Version::Http11 || connection.keep_alive);
        if connection.names_fields() {
            mark_named(&mut self.fields, bytes);
        }
        Ok(())
    }
}
