//! Request targets in their one normal form: what rules see, logs show and upstreams receive (APP-01).
//!
//! The rules themselves are the language's (`twp_compiler::target`); this file splits authorities into offsets and
//! keeps the scratch memory, which a target that is normal already does not touch.

use super::h1::request::{RequestHead, TargetForm};
use super::{ParseError, Piece};
use twp_compiler::target as normal;

/// An authority as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authority {
    /// Host without port; brackets of an IPv6 address belong to it.
    pub host: Piece,
    /// Port.
    pub port: Option<u16>,
}

/// A request target in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Host in lower case without port; empty when an HTTP/1.0 request named none.
    pub host: &'a [u8],
    /// Port, when the client named one.
    pub port: Option<u16>,
    /// Path, starts with a slash; `*` in asterisk form, empty in authority form.
    pub path: &'a [u8],
    /// Query without its question mark.
    pub query: Option<&'a [u8]>,
}

/// Memory for targets that are not normal as they arrive. Reused from request to request.
#[derive(Clone, Debug, Default)]
pub struct TargetScratch {
    host: Vec<u8>,
    path: Vec<u8>,
    query: Vec<u8>,
}

impl<'a> Target<'a> {
    /// Normalises the target of a head that was parsed from `bytes`. The errors are 400.
    pub fn of(
        head: &RequestHead,
        bytes: &'a [u8],
        scratch: &'a mut TargetScratch,
    ) -> Result<Target<'a>, ParseError> {
        let raw_host = head.host.of(bytes);
        let host = if raw_host.is_empty() {
            raw_host
        } else {
            normal::normalize_host(raw_host, &mut scratch.host).map_err(|_| ParseError::BadHost)?
        };
        let raw_path = head.path.of(bytes);
        let path = match head.form {
            TargetForm::Authority | TargetForm::Asterisk => raw_path,
            TargetForm::Absolute if raw_path.is_empty() => b"/",
            TargetForm::Origin | TargetForm::Absolute => {
                normal::normalize_path(raw_path, &mut scratch.path).map_err(ParseError::Path)?
            }
        };
        let query = match head.query {
            Some(query) => Some(
                normal::normalize_query(query.of(bytes), &mut scratch.query).map_err(ParseError::Query)?,
            ),
            None => None,
        };
        Ok(Target { host, port: head.port, path, query })
    }
}

/// Splits the authority that lies at `offset` in the head.
pub(crate) fn split(authority: &[u8], offset: usize) -> Result<Authority, ParseError> {
    let (host, port) = normal::split_authority(authority).map_err(|_| ParseError::BadHost)?;
    Ok(Authority { host: Piece::new(offset, offset + host.len()), port })
}

/// Whether two hosts as written are one: case and a final dot do not count.
pub(crate) fn same_host(one: &[u8], other: &[u8]) -> bool {
    let without_dot = |host: &[u8]| host.strip_suffix(b".").map_or(host.len(), <[u8]>::len);
    let (one, other) = (one.get(..without_dot(one)), other.get(..without_dot(other)));
    one.zip(other).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other))
}
