//! Request heads (RFC 9112 sections 2, 3, 5, 6): parsed once, line by line as they arrive, to offsets.
//!
//! Refuses whatever two readers could understand differently; the reasons are the variants of [`ParseError`]. It
//! does not normalise the target ([`Target`](crate::wire::target::Target) does) and decides no policy: CONNECT and
//! TRACE parse.

use super::lines::{Line, Lines};
use super::{Framing, HeadLimits, Version};
use crate::limits::CONNECTION_OPTIONS_MAX;
use crate::wire::field::{self, Field, FieldId, TARGET, TOKEN, class, flag, is_token, trim_blanks};
use crate::wire::target::{self, Authority};
use crate::wire::{ParseError, Piece};
use twp_compiler::abi::METHOD_OTHER;

/// The forms of a request target (RFC 9112 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetForm {
    /// `/path?query`
    Origin,
    /// `http://host/path?query`
    Absolute,
    /// `host:port`, with CONNECT only.
    Authority,
    /// `*`, with OPTIONS only.
    Asterisk,
}

/// A request head: offsets into the bytes it was parsed from. Reused from request to request.
#[derive(Clone, Debug)]
pub struct RequestHead {
    /// Number of the method in `Method::KNOWN`, or [`METHOD_OTHER`].
    pub method: u8,
    /// Method as written.
    pub method_text: Piece,
    /// Target as written.
    pub target: Piece,
    /// Form of the target.
    pub form: TargetForm,
    /// Host as written, without port: of the target if it has one, else of the Host field. Empty when an HTTP/1.0
    /// request has neither.
    pub host: Piece,
    /// Port of the authority.
    pub port: Option<u16>,
    /// Path as written; empty in absolute form without one and in authority form; `*` in asterisk form.
    pub path: Piece,
    /// Query as written, without its question mark.
    pub query: Option<Piece>,
    /// Version.
    pub version: Version,
    /// Fields in their order, hop-by-hop ones marked.
    pub fields: Vec<Field>,
    /// How the body is delimited: never [`Framing::UntilClose`].
    pub framing: Framing,
    /// Whether the client wants to go on using the connection.
    pub keep_alive: bool,
    /// Whether the client waits for 100 before it sends its body.
    pub expect_continue: bool,
    progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Start,
    RequestLine,
    Fields,
    Done,
}

/// What is known between two calls of `parse`.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    phase: Phase,
    lines: Lines,
    host: Option<Piece>,
    target_authority: Option<Authority>,
    default_port: u16,
    length: Option<u64>,
    chunked: bool,
    expectations: u8,
    connection: Connection,
    singles: bool,
}

/// What the Connection fields say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Connection {
    pub(super) close: bool,
    pub(super) keep_alive: bool,
    names_fields: bool,
    options: u16,
}

impl Default for RequestHead {
    fn default() -> RequestHead {
        RequestHead {
            method: METHOD_OTHER,
            method_text: Piece::EMPTY,
            target: Piece::EMPTY,
            form: TargetForm::Origin,
            host: Piece::EMPTY,
            port: None,
            path: Piece::EMPTY,
            query: None,
            version: Version::Http11,
            fields: Vec::new(),
            framing: Framing::None,
            keep_alive: false,
            expect_continue: false,
            progress: Progress::default(),
        }
    }
}

impl RequestHead {
    /// Parses the head at the start of `bytes` and gives its length, or `None` when more bytes are needed.
    ///
    /// Call it again with the same bytes and more behind them: it goes on where it stopped. After a result other than
    /// `Ok(None)` the next call starts a new head; [`RequestHead::clear`] abandons one half read. All pieces are
    /// offsets into `bytes` of the last call. The errors are those of RFC 9112 and the limits; what was parsed of a
    /// refused head (the method, the target) stays readable for the record.
    pub fn parse(&mut self, bytes: &[u8], limits: &HeadLimits) -> Result<Option<usize>, ParseError> {
        if self.progress.phase == Phase::Done {
            self.clear();
        }
        let result = self.advance(bytes, limits);
        if !matches!(result, Ok(None)) {
            self.progress.phase = Phase::Done;
        }
        result
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        let mut fields = std::mem::take(&mut self.fields);
        fields.clear();
        *self = RequestHead { fields, ..RequestHead::default() };
    }

    /// The first line of a known field.
    pub fn find(&self, id: FieldId) -> Option<&Field> {
        self.fields.iter().find(|field| field.id == id)
    }

    fn advance(&mut self, bytes: &[u8], limits: &HeadLimits) -> Result<Option<usize>, ParseError> {
        loop {
            match self.progress.phase {
                Phase::Start | Phase::RequestLine => {
                    self.check_first_byte(bytes)?;
                    let line = match self.progress.lines.next(bytes, limits.head_bytes_max) {
                        Ok(Some(line)) => line,
                        Ok(None) => return Ok(None),
                        Err(ParseError::HeadTooLarge) => return Err(ParseError::TargetTooLong),
                        Err(error) => return Err(error),
                    };
                    if line.start == line.end && self.progress.phase == Phase::Start {
                        // RFC 9112 section 2.2: one empty line before a request is ignored.
                        self.progress.phase = Phase::RequestLine;
                        continue;
                    }
                    self.request_line(bytes, line, limits)?;
                    self.progress.phase = Phase::Fields;
                }
                Phase::Fields | Phase::Done => {
                    let Some(line) = self.progress.lines.next(bytes, limits.head_bytes_max)? else {
                        return Ok(None);
                    };
                    if line.start == line.end {
                        self.finish(bytes)?;
                        return Ok(Some(line.end + 2));
                    }
                    if self.fields.len() >= limits.fields_max {
                        return Err(ParseError::TooManyFields);
                    }
                    self.field(bytes, line)?;
                }
            }
        }
    }

    /// Refuses what cannot become a request line without waiting for its end: a TLS handshake may contain none.
    fn check_first_byte(&self, bytes: &[u8]) -> Result<(), ParseError> {
        match bytes.get(self.progress.lines.line_at()) {
            None | Some(b'\r' | b'\n') => Ok(()),
            Some(byte) if class(*byte) & TOKEN != 0 => Ok(()),
            Some(_) => Err(ParseError::BadRequestLine),
        }
    }

    fn request_line(&mut self, bytes: &[u8], line: Line, limits: &HeadLimits) -> Result<(), ParseError> {
        let text = bytes.get(line.start..line.end).unwrap_or_default();
        let method_len = text.iter().take_while(|byte| class(**byte) & TOKEN != 0).count();
        match text.get(method_len) {
            Some(b' ') if method_len > 0 => {}
            Some(b' ') | None => return Err(ParseError::BadRequestLine),
            Some(_) => return Err(ParseError::BadMethod),
        }
        let method = text.get(..method_len).unwrap_or_default();
        self.method_text = Piece::new(line.start, line.start + method_len);
        self.method = method_number(method);
        let target_at = line.start + method_len + 1;
        let after = bytes.get(target_at..line.end).unwrap_or_default();
        let target_len = after.iter().take_while(|byte| class(**byte) & TARGET != 0).count();
        if target_len > limits.target_bytes_max {
            return Err(ParseError::TargetTooLong);
        }
        self.target = Piece::new(target_at, target_at + target_len);
        match after.get(target_len) {
            Some(b' ') if target_len > 0 => {}
            // HTTP/0.9 has a target and nothing behind it.
            None if target_len > 0 => return Err(ParseError::BadVersion),
            Some(b' ') | None => return Err(ParseError::BadRequestLine),
            Some(_) => return Err(ParseError::BadTarget),
        }
        self.version = match after.get(target_len + 1..).unwrap_or_default() {
            b"HTTP/1.1" => Version::Http11,
            b"HTTP/1.0" => Version::Http10,
            b"HTTP/2.0" if method == b"PRI" => return Err(ParseError::Http2Preface),
            [b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => {
                return Err(ParseError::UnsupportedVersion);
            }
            [b' ' | b'\t', ..] | [.., b' ' | b'\t'] => return Err(ParseError::BadRequestLine),
            _ => return Err(ParseError::BadVersion),
        };
        self.split_target(bytes, target_at, target_at + target_len)
    }

    /// Finds authority, path and query in the target, which lies in `bytes[start..end]`.
    fn split_target(&mut self, bytes: &[u8], start: usize, end: usize) -> Result<(), ParseError> {
        let target = bytes.get(start..end).unwrap_or_default();
        if method_is(self.method, "CONNECT") {
            let authority = target::split(target, start)?;
            if authority.port.is_none() {
                return Err(ParseError::BadTarget);
            }
            self.form = TargetForm::Authority;
            self.progress.target_authority = Some(authority);
            return Ok(());
        }
        let path_at = match target {
            [b'/', ..] => {
                self.form = TargetForm::Origin;
                start
            }
            b"*" if method_is(self.method, "OPTIONS") => {
                self.form = TargetForm::Asterisk;
                self.path = Piece::new(start, end);
                return Ok(());
            }
            _ => {
                let (scheme_len, default_port) = absolute_scheme(target).ok_or(ParseError::BadTarget)?;
                let after = target.get(scheme_len..).unwrap_or_default();
                let len = after.iter().position(|b| matches!(b, b'/' | b'?')).unwrap_or(after.len());
                let authority = after.get(..len).unwrap_or_default();
                self.form = TargetForm::Absolute;
                self.progress.default_port = default_port;
                self.progress.target_authority = Some(target::split(authority, start + scheme_len)?);
                start + scheme_len + len
            }
        };
        let rest = bytes.get(path_at..end).unwrap_or_default();
        match memchr::memchr(b'?', rest) {
            Some(at) => {
                self.path = Piece::new(path_at, path_at + at);
                self.query = Some(Piece::new(path_at + at + 1, end));
            }
            None => self.path = Piece::new(path_at, end),
        }
        Ok(())
    }

    #[inline]
    fn field(&mut self, bytes: &[u8], line: Line) -> Result<(), ParseError> {
        let field = field::parse_line(bytes, line.start, line.end)?;
        let value = field.value.of(bytes);
        let progress = &mut self.progress;
        if field.id == FieldId::Host {
            if progress.host.replace(field.value).is_some() {
                return Err(ParseError::TwoHosts);
            }
        } else if field.id == FieldId::ContentLength {
            if progress.length.replace(parse_length(value)?).is_some() {
                return Err(ParseError::TwoLengths);
            }
        } else if field.id == FieldId::TransferEncoding {
            check_coding(value)?;
            if std::mem::replace(&mut progress.chunked, true) {
                return Err(ParseError::TwoCodings);
            }
        } else if field.id == FieldId::Connection {
            progress.connection.read(value)?;
        } else if field.id == FieldId::Expect {
            progress.expectations = progress.expectations.saturating_add(1);
            self.expect_continue = value.eq_ignore_ascii_case(b"100-continue");
        } else {
            progress.singles |= field.id.is_single();
        }
        self.fields.push(field);
        Ok(())
    }

    fn finish(&mut self, bytes: &[u8]) -> Result<(), ParseError> {
        let progress = self.progress;
        self.framing = match (progress.length, progress.chunked) {
            (Some(_), true) => return Err(ParseError::LengthAndCoding),
            (None, true) if self.version == Version::Http10 => return Err(ParseError::CodingOnHttp10),
            (None, true) => Framing::Chunked,
            (Some(length), false) => Framing::Length(length),
            (None, false) => Framing::None,
        };
        self.finish_host(bytes)?;
        self.keep_alive = match self.version {
            Version::Http11 => !progress.connection.close,
            Version::Http10 => progress.connection.keep_alive && !progress.connection.close,
        };
        if progress.expectations > 0 {
            // RFC 9110 section 10.1.1: an HTTP/1.0 client's expectation is ignored.
            let ignored = self.version == Version::Http10;
            if !ignored && (progress.expectations > 1 || !self.expect_continue) {
                return Err(ParseError::BadExpectation);
            }
            self.expect_continue &= !ignored && self.framing != Framing::None;
        }
        if progress.connection.names_fields {
            mark_named(&mut self.fields, bytes);
        }
        if progress.singles {
            mark_repeats(&mut self.fields, bytes)?;
        }
        Ok(())
    }

    /// The authority: the target's wins and must agree with Host (RFC 9112 section 3.2.2, stricter).
    fn finish_host(&mut self, bytes: &[u8]) -> Result<(), ParseError> {
        let field = match self.progress.host {
            Some(piece) => Some(target::split(piece.of(bytes), piece.start as usize)?),
            None if self.version == Version::Http11 => return Err(ParseError::MissingHost),
            None => None,
        };
        let chosen = match (self.progress.target_authority, field) {
            (Some(target), Some(field)) => {
                let default = self.progress.default_port;
                let same_port = target.port.unwrap_or(default) == field.port.unwrap_or(default);
                if !same_port || !target::same_host(target.host.of(bytes), field.host.of(bytes)) {
                    return Err(ParseError::HostMismatch);
                }
                target
            }
            (Some(authority), None) | (None, Some(authority)) => authority,
            (None, None) => return Ok(()),
        };
        self.host = chosen.host;
        self.port = chosen.port;
        Ok(())
    }
}

impl Connection {
    /// Reads the options of one Connection line.
    pub(super) fn read(&mut self, value: &[u8]) -> Result<(), ParseError> {
        for option in options(value) {
            self.options += 1;
            if self.options > CONNECTION_OPTIONS_MAX {
                return Err(ParseError::TooManyConnectionOptions);
            }
            if option.eq_ignore_ascii_case(b"close") {
                self.close = true;
            } else if option.eq_ignore_ascii_case(b"keep-alive") {
                self.keep_alive = true;
            } else {
                self.names_fields = true;
            }
        }
        Ok(())
    }

    /// Whether an option names a field.
    pub(super) fn names_fields(self) -> bool {
        self.names_fields
    }
}

fn options(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(trim_blanks).filter(|option| !option.is_empty())
}

/// Marks the fields that Connection names; fields meant for every recipient stay (APP-03).
pub(super) fn mark_named(fields: &mut [Field], bytes: &[u8]) {
    for at in 0..fields.len() {
        let Some(connection) = fields.get(at).filter(|field| field.id == FieldId::Connection) else {
            continue;
        };
        let value = connection.value;
        for option in options(value.of(bytes)).filter(|option| is_token(option)) {
            let named = fields.iter_mut().filter(|field| {
                field.id.may_be_named_by_connection() && field.name.of(bytes).eq_ignore_ascii_case(option)
            });
            named.for_each(|field| field.flags |= flag::HOP);
        }
    }
}

/// Refuses single-valued fields with two values; of equal repeats the first stays.
fn mark_repeats(fields: &mut [Field], bytes: &[u8]) -> Result<(), ParseError> {
    let mut rest = fields;
    while let Some((first, after)) = rest.split_first_mut() {
        if first.id.is_single() {
            for repeat in after.iter_mut().filter(|field| field.id == first.id) {
                if repeat.value.of(bytes) != first.value.of(bytes) {
                    return Err(ParseError::RepeatedField);
                }
                repeat.flags |= flag::DROPPED;
            }
        }
        rest = after;
    }
    Ok(())
}

/// Content-Length: digits and nothing else, within what a signed length can say.
pub(super) fn parse_length(value: &[u8]) -> Result<u64, ParseError> {
    if value.is_empty() {
        return Err(ParseError::BadLength);
    }
    let mut length = 0i64;
    for byte in value {
        if !byte.is_ascii_digit() {
            return Err(ParseError::BadLength);
        }
        length = length
            .checked_mul(10)
            .and_then(|length| length.checked_add(i64::from(byte - b'0')))
            .ok_or(ParseError::BadLength)?;
    }
    u64::try_from(length).map_err(|_| ParseError::BadLength)
}

/// Transfer-Encoding: `chunked` alone. One other token is a coding we do not know; anything else is in doubt.
pub(super) fn check_coding(value: &[u8]) -> Result<(), ParseError> {
    if value.eq_ignore_ascii_case(b"chunked") {
        Ok(())
    } else if is_token(value) {
        Err(ParseError::UnknownCoding)
    } else {
        Err(ParseError::BadCoding)
    }
}

/// Length of `http://` or `https://` and the scheme's port.
fn absolute_scheme(target: &[u8]) -> Option<(usize, u16)> {
    let starts = |scheme: &[u8]| target.get(..scheme.len()).is_some_and(|t| t.eq_ignore_ascii_case(scheme));
    if starts(b"http://") {
        Some((7, 80))
    } else if starts(b"https://") {
        Some((8, 443))
    } else {
        None
    }
}

/// The number of a method by its text: its place in `twp_lang::literal::Method::KNOWN`.
pub fn method_number(method: &[u8]) -> u8 {
    match method {
        b"GET" => 0,
        b"HEAD" => 1,
        b"POST" => 2,
        b"PUT" => 3,
        b"PATCH" => 4,
        b"DELETE" => 5,
        b"OPTIONS" => 6,
        b"CONNECT" => 7,
        b"TRACE" => 8,
        _ => METHOD_OTHER,
    }
}

fn method_is(number: u8, name: &str) -> bool {
    number != METHOD_OTHER && method_number(name.as_bytes()) == number
}
