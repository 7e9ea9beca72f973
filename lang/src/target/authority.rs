//! Authorities: host and port of a request, without user information.
//!
//! A host is an IPv4 address, an IPv6 address in brackets, or a name of letters, digits, `-`, `_` and dots. Other
//! names of RFC 3986 section 3.2.2 are refused: nothing that clients send needs them.

use super::TargetError;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Bytes of a host name, without its final dot (RFC 1035 section 2.3.4).
const HOST_BYTES_MAX: usize = 253;
/// Bytes of one label of a host name.
const LABEL_BYTES_MAX: usize = 63;

/// Splits `host`, `host:port` or `[v6]:port`. The host is not checked beyond its brackets; an empty port counts as
/// none (RFC 3986 section 3.2.3).
pub fn split_authority(authority: &[u8]) -> Result<(&[u8], Option<u16>), TargetError> {
    if authority.contains(&b'@') {
        return Err(TargetError::Userinfo);
    }
    let host_end = match authority.first() {
        None => return Err(TargetError::BadHost),
        Some(b'[') => authority.iter().position(|&byte| byte == b']').ok_or(TargetError::BadHost)? + 1,
        Some(_) => authority.iter().position(|&byte| byte == b':').unwrap_or(authority.len()),
    };
    let (host, rest) = authority.split_at(host_end);
    if host.is_empty() {
        return Err(TargetError::BadHost);
    }
    match rest {
        [] | [b':'] => Ok((host, None)),
        [b':', digits @ ..] => Ok((host, Some(parse_port(digits)?))),
        _ => Err(TargetError::BadHost),
    }
}

fn parse_port(digits: &[u8]) -> Result<u16, TargetError> {
    if digits.len() > 5 {
        return Err(TargetError::BadPort);
    }
    let mut port = 0u32;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(TargetError::BadPort);
        }
        port = port * 10 + u32::from(digit - b'0');
    }
    u16::try_from(port).ok().filter(|&port| port != 0).ok_or(TargetError::BadPort)
}

/// The normal form of a host without port: lower case, one final dot removed, IPv6 addresses as RFC 5952 writes
/// them. The result is `host` itself when that is normal, else it lies in `scratch`.
pub fn normalize_host<'a>(host: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<&'a [u8], TargetError> {
    if let [b'[', inner @ .., b']'] = host {
        return normalize_ipv6(host, inner, scratch);
    }
    let name = host.strip_suffix(b".").unwrap_or(host);
    if name.is_empty() || name.len() > HOST_BYTES_MAX {
        return Err(TargetError::BadHost);
    }
    let mut has_upper = false;
    let mut label_start = 0;
    for (at, &byte) in name.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => {}
            b'A'..=b'Z' => has_upper = true,
            b'.' => {
                check_label(at - label_start)?;
                label_start = at + 1;
            }
            _ => return Err(TargetError::BadHost),
        }
    }
    let last_label = &name[label_start..];
    check_label(last_label.len())?;
    // A name that ends in a number is an IPv4 address or nothing: programs disagree about `1.2.3` and `010.0.0.1`.
    if last_label.iter().all(u8::is_ascii_digit) && !is_ipv4(name) {
        return Err(TargetError::BadHost);
    }
    if !has_upper {
        return Ok(name);
    }
    scratch.clear();
    scratch.extend(name.iter().map(u8::to_ascii_lowercase));
    Ok(scratch)
}

fn check_label(len: usize) -> Result<(), TargetError> {
    if (1..=LABEL_BYTES_MAX).contains(&len) { Ok(()) } else { Err(TargetError::BadHost) }
}

fn is_ipv4(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|text| text.parse::<Ipv4Addr>().is_ok())
}

fn normalize_ipv6<'a>(
    host: &'a [u8],
    inner: &[u8],
    scratch: &'a mut Vec<u8>,
) -> Result<&'a [u8], TargetError> {
    let text = std::str::from_utf8(inner).map_err(|_| TargetError::BadHost)?;
    let addr: Ipv6Addr = text.parse().map_err(|_| TargetError::BadHost)?;
    let normal = format!("[{addr}]");
    if normal.as_bytes() == host {
        return Ok(host);
    }
    scratch.clear();
    scratch.extend_from_slice(normal.as_bytes());
    Ok(scratch)
}
