//! Pure protocol code: plain functions on bytes, no sockets, no tasks, no clock. Fuzzed as it is.
//!
//! Heads are parsed once, to offsets into the caller's read buffer ([`Piece`]); ambiguous framing is refused, not
//! repaired. What is sent is written anew from the parsed head: framing is derived, never forwarded.

pub mod date;
pub mod error;
pub mod field;
pub mod forwarded;
pub mod h1;
pub mod target;

pub use error::ParseError;

/// A part of a message head: offsets into the bytes the head was parsed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    start: u32,
    len: u32,
}

impl Piece {
    /// No bytes.
    pub const EMPTY: Piece = Piece { start: 0, len: 0 };

    /// The bytes from `start` up to `end`. Heads are limited far below 4 GiB; what does not fit is empty.
    pub fn new(start: usize, end: usize) -> Piece {
        let len = end.saturating_sub(start);
        match (u32::try_from(start), u32::try_from(len)) {
            (Ok(start), Ok(len)) => Piece { start, len },
            (Err(_), _) | (_, Err(_)) => Piece::EMPTY,
        }
    }

    /// The piece of these bytes; empty when it lies outside of them.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        let start = self.start as usize;
        bytes.get(start..start + self.len as usize).unwrap_or_default()
    }

    /// Length in bytes.
    #[inline]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it has no bytes.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}
