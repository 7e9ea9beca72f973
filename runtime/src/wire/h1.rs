//! HTTP/1.1 and HTTP/1.0 as bytes (RFC 9112): heads, chunked bodies, and writing both.

pub mod chunked;
pub mod encode;
mod lines;
pub mod request;
pub mod response;

use crate::limits::{BUFFER_LARGE, HEAD_BYTES_MAX, HEADER_COUNT_MAX, TARGET_BYTES_MAX};
use twp_compiler::plan::ServerPlan;

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

impl HeadLimits {
    /// The limits that a plan sets, else the usual ones.
    pub fn of(server: &ServerPlan) -> HeadLimits {
        let or_default = |value: Option<u64>, default: usize| {
            value.map_or(default, |value| usize::try_from(value).unwrap_or(usize::MAX))
        };
        HeadLimits {
            // A head lies in one buffer.
            head_bytes_max: or_default(server.head_bytes_max, HEAD_BYTES_MAX).min(BUFFER_LARGE - 1),
            fields_max: or_default(server.header_count_max, HEADER_COUNT_MAX),
            target_bytes_max: or_default(server.target_bytes_max, TARGET_BYTES_MAX),
        }
    }
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
