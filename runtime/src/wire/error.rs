//! Why bytes were refused: one closed list for heads, bodies and targets.
//!
//! Each reason has the status for a client that sent it, a stable code for records and metrics, and a short text for
//! people. When an upstream sent it, the exchange answers 502 whatever [`ParseError::status`] says.

use std::fmt;
use twp_compiler::target::TargetError;

/// Why a message was refused. Every one of them ends the connection: where the message ends is unknown or in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant's meaning is its text in `details`")]
pub enum ParseError {
    BadRequestLine,
    BadMethod,
    BadTarget,
    TargetTooLong,
    BadVersion,
    UnsupportedVersion,
    Http2Preface,
    BareLineFeed,
    FoldedField,
    BlankBeforeColon,
    BadFieldName,
    BadFieldValue,
    HeadTooLarge,
    TooManyFields,
    TwoLengths,
    BadLength,
    LengthAndCoding,
    TwoCodings,
    BadCoding,
    UnknownCoding,
    CodingOnHttp10,
    MissingHost,
    TwoHosts,
    BadHost,
    HostMismatch,
    RepeatedField,
    TooManyConnectionOptions,
    BadExpectation,
    Path(TargetError),
    Query(TargetError),
    BadChunkSize,
    BadChunkEnd,
    BadChunkExtension,
    ChunkExtensionTooLong,
    BadTrailer,
    TrailerTooLarge,
    BadStatusLine,
    BadStatus,
    BodyNotAllowed,
    UnaskedUpgrade,
}

impl ParseError {
    /// The status for the client whose message it was.
    pub fn status(self) -> u16 {
        self.details().0
    }

    /// The stable code in records and metrics.
    pub fn code(self) -> &'static str {
        self.details().1
    }

    /// A short text for people: lower case, no full stop.
    pub fn text(self) -> &'static str {
        self.details().2
    }

    fn details(self) -> (u16, &'static str, &'static str) {
        match self {
            ParseError::BadRequestLine => (400, "bad_request_line", "malformed request line"),
            ParseError::BadMethod => (400, "bad_method", "the method is not a token"),
            ParseError::BadTarget => (400, "bad_target", "malformed request target"),
            ParseError::TargetTooLong => (414, "target_too_long", "the request target is too long"),
            ParseError::BadVersion => (400, "bad_version", "malformed or missing HTTP version"),
            ParseError::UnsupportedVersion => {
                (505, "unsupported_version", "only HTTP/1.0 and HTTP/1.1 are served here")
            }
            ParseError::Http2Preface => (400, "http2_preface", "HTTP/2 is not served on this port"),
            ParseError::BareLineFeed => (400, "bare_lf", "a line does not end with CR LF"),
            ParseError::FoldedField => (400, "folded_field", "a field is continued on a second line"),
            ParseError::BlankBeforeColon => {
                (400, "blank_before_colon", "a blank before the colon of a field")
            }
            ParseError::BadFieldName => (400, "bad_field_name", "a field name is not a token"),
            ParseError::BadFieldValue => (400, "bad_field_value", "a control character in a field value"),
            ParseError::HeadTooLarge => (431, "head_too_large", "the message head is too large"),
            ParseError::TooManyFields => (431, "too_many_fields", "the message head has too many fields"),
            ParseError::TwoLengths => (400, "two_lengths", "two Content-Length fields"),
            ParseError::BadLength => (400, "bad_length", "Content-Length is not one number"),
            ParseError::LengthAndCoding => {
                (400, "length_and_coding", "both Content-Length and Transfer-Encoding")
            }
            ParseError::TwoCodings => (400, "two_codings", "two Transfer-Encoding fields"),
            ParseError::BadCoding => (400, "bad_coding", "Transfer-Encoding is not `chunked`"),
            ParseError::UnknownCoding => (501, "unknown_coding", "unknown transfer coding"),
            ParseError::CodingOnHttp10 => {
                (400, "coding_on_http10", "Transfer-Encoding in an HTTP/1.0 message")
            }
            ParseError::MissingHost => (400, "missing_host", "no Host field"),
            ParseError::TwoHosts => (400, "two_hosts", "two Host fields"),
            ParseError::BadHost => (400, "bad_host", "Host is not a host with an optional port"),
            ParseError::HostMismatch => (400, "host_mismatch", "Host differs from the request target"),
            ParseError::RepeatedField => {
                (400, "repeated_field", "a single-valued field repeats with another value")
            }
            ParseError::TooManyConnectionOptions => {
                (400, "too_many_connection_options", "too many Connection options")
            }
            ParseError::BadExpectation => {
                (417, "bad_expectation", "the only known expectation is 100-continue")
            }
            ParseError::Path(TargetError::TooLong) => (414, "path_too_long", TargetError::TooLong.reason()),
            ParseError::Path(error) => (400, "bad_path", error.reason()),
            ParseError::Query(error) => (400, "bad_query", error.reason()),
            ParseError::BadChunkSize => (400, "bad_chunk_size", "malformed chunk size"),
            ParseError::BadChunkEnd => (400, "bad_chunk_end", "chunk data does not end with CR LF"),
            ParseError::BadChunkExtension => (400, "bad_chunk_extension", "malformed chunk extension"),
            ParseError::ChunkExtensionTooLong => {
                (400, "chunk_extension_too_long", "chunk extensions are too long")
            }
            ParseError::BadTrailer => (400, "bad_trailer", "malformed trailer field"),
            ParseError::TrailerTooLarge => (431, "trailer_too_large", "the trailer fields are too large"),
            ParseError::BadStatusLine => (400, "bad_status_line", "malformed status line"),
            ParseError::BadStatus => (400, "bad_status", "the status is not a number from 100 to 599"),
            ParseError::BodyNotAllowed => (400, "body_not_allowed", "a body announced where none is allowed"),
            ParseError::UnaskedUpgrade => (400, "unasked_upgrade", "101 to a request without Upgrade"),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for ParseError {}
