//! HTTP/1.1 and HTTP/1.0 as bytes (RFC 9112): heads, chunked bodies, and writing both.

pub mod chunked;
pub mod encode;
mod lines;
pub mod request;
pub mod response;

use crate::limits::{HEAD_BYTES_MAX, HEADER_COUNT_MAX, TARGET_BYTES_MAX};

/// Limits of a message head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadLimits {
    /// Bytes up to and with the empty line. More is 431, in the request line 414.
    pub head_bytes_max: usize,
    /// Field lines. More is 431.
    pub fields_max: usize,
    /// Bytes of the request target. More is 414.
    pub target_bytes_max: usize,
}

impl Default for HeadLimits {
    fn default() -> HeadLimits {
        HeadLimits {
            head_bytes_max: HEAD_BYTES_MAX,
            fields_max: HEADER_COUNT_MAX,
            target_bytes_max: TARGET_BYTES_MAX,
        }
    }
}

/// The minor version of an HTTP/1 message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
}

/// How the body of a message is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    None,
    /// So many bytes.
    Length(u64),
    /// Chunks up to the last one.
    Chunked,
    /// All that comes until the connection closes; responses only.
    UntilClose,
}

#[cfg(test)]
mod tests;
