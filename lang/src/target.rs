//! The one normal form of paths, queries and authorities (language reference, "Matching": normalise once, match
//! and forward the same bytes).
//!
//! The checker brings path literals to this form, the runtime brings request targets to it, so `/%61` and `/a`
//! are one path everywhere. Sources: RFC 3986 sections 2.3, 5.2.4 and 6.2.2; RFC 9112 section 3.2.
//! What has no safe normal form is refused; nothing is repaired by guessing. Text that is in normal form already
//! is returned as it came, without a copy.

mod authority;
#[cfg(test)]
mod tests;

pub use authority::{normalize_host, split_authority};

/// Bytes of a path; larger ones are refused. Offsets into a path fit 16 bits with room to spare.
pub const PATH_BYTES_MAX: usize = 8 * 1024;
/// Segments of a path; deeper ones are refused, so that the places of all slashes fit a fixed table.
pub const SEGMENTS_MAX: usize = 64;

/// Why a path, query or authority has no normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetError {
    /// A path that does not start with a slash.
    NotAbsolute,
    /// A path of more than [`PATH_BYTES_MAX`] bytes.
    TooLong,
    /// A path of more than [`SEGMENTS_MAX`] segments.
    TooManySegments,
    /// A percent sign that two hexadecimal digits do not follow.
    BadEscape,
    /// `%2F` in a path.
    EncodedSlash,
    /// `\` or `%5C` in a path.
    Backslash,
    /// A control byte, plain or escaped.
    Control,
    /// A plain space, a byte above 127, `#`, or `?` in a path.
    BadByte,
    /// A path that climbs above its root.
    AboveRoot,
    /// An authority that carries a user name or password.
    Userinfo,
    /// A host that is neither a name nor an address.
    BadHost,
    /// A port that is no number from 1 to 65535.
    BadPort,
}

impl TargetError {
    /// One sentence for logs, answers and diagnostics: lower case, no full stop.
    pub fn reason(self) -> &'static str {
        match self {
            TargetError::NotAbsolute => "a path starts with `/`",
            TargetError::TooLong => "a path has at most 8 KiB",
            TargetError::TooManySegments => "a path has at most 64 segments",
            TargetError::BadEscape => "`%` is followed by two hexadecimal digits",
            TargetError::EncodedSlash => "an escaped `/` is not allowed in a path",
            TargetError::Backslash => "a backslash is not allowed in a path",
            TargetError::Control => "control characters are not allowed",
            TargetError::BadByte => "this character must be escaped with `%`",
            TargetError::AboveRoot => "the path climbs above its root",
            TargetError::Userinfo => "a user name is not allowed in front of the host",
            TargetError::BadHost => "this is neither a host name nor an address",
            TargetError::BadPort => "a port is a number from 1 to 65535",
        }
    }
}

/// The normal form of an absolute path without query: escapes of unreserved characters decoded, other escapes in
/// upper case, `.` and `..` resolved, empty segments merged. The result is `path` itself when that is normal,
/// else it lies in `scratch`.
pub fn normalize_path<'a>(path: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<&'a [u8], TargetError> {
    if path.len() > PATH_BYTES_MAX {
        return Err(TargetError::TooLong);
    }
    if path.first() != Some(&b'/') {
        return Err(TargetError::NotAbsolute);
    }
    if is_normal_path(path) {
        return Ok(path);
    }
    scratch.clear();
    rebuild_path(path, scratch)?;
    Ok(scratch)
}

/// The normal form of a query without its question mark: escapes of unreserved characters decoded, other escapes
/// in upper case, nothing else. Unlike in a path, every byte may be written as an escape.
pub fn normalize_query<'a>(query: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<&'a [u8], TargetError> {
    if is_normal_query(query) {
        return Ok(query);
    }
    scratch.clear();
    unescape(query, Part::Query, scratch)?;
    Ok(scratch)
}

/// The normal form of a piece of one path segment, as it stands between captures of a pattern.
pub(crate) fn normalize_piece(piece: &str) -> Result<String, TargetError> {
    let mut bytes = Vec::with_capacity(piece.len());
    unescape(piece.as_bytes(), Part::Path, &mut bytes)?;
    // Only ASCII passes, so nothing is replaced here.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Which part of a target bytes belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Query,
}

/// May stand as it is, in paths and queries.
const PLAIN: u8 = 0;
/// `/`
const SLASH: u8 = 1;
/// `.`
const DOT: u8 = 2;
/// `%`
const PERCENT: u8 = 3;
/// `?` and `\`: plain in a query, refused in a path.
const QUERY_ONLY: u8 = 4;
/// Never plain.
const BAD: u8 = 5;

/// The class of each byte.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [PLAIN; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte <= 0x20 || byte >= 0x7f {
            table[byte] = BAD;
        }
        byte += 1;
    }
    table[b'/' as usize] = SLASH;
    table[b'.' as usize] = DOT;
    table[b'%' as usize] = PERCENT;
    table[b'?' as usize] = QUERY_ONLY;
    table[b'\\' as usize] = QUERY_ONLY;
    table[b'#' as usize] = BAD;
    table
}

/// Whether the path, which starts with a slash, is in normal form: one pass that leaves at the first doubt.
fn is_normal_path(path: &[u8]) -> bool {
    let mut at = 0;
    let mut n_segments = 0;
    let mut after_slash = false;
    while let Some(&byte) = path.get(at) {
        match CLASS[usize::from(byte)] {
            PLAIN => after_slash = false,
            SLASH => {
                n_segments += 1;
                if after_slash || n_segments > SEGMENTS_MAX {
                    return false;
                }
                after_slash = true;
            }
            DOT => {
                if after_slash && is_dot_segment(&path[at..]) {
                    return false;
                }
                after_slash = false;
            }
            PERCENT => {
                if !is_normal_escape(&path[at..], Part::Path) {
                    return false;
                }
                at += 2;
                after_slash = false;
            }
            _ => return false,
        }
        at += 1;
    }
    true
}

/// Whether the first segment of `rest`, which starts in a segment, is `.` or `..`.
fn is_dot_segment(rest: &[u8]) -> bool {
    matches!(rest, b"." | b".." | [b'.', b'/', ..] | [b'.', b'.', b'/', ..])
}

fn is_normal_query(query: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = query.get(at) {
        match CLASS[usize::from(byte)] {
            PERCENT if is_normal_escape(&query[at..], Part::Query) => at += 3,
            PERCENT | BAD => return false,
            _ => at += 1,
        }
    }
    true
}

/// Whether `rest` starts with an escape that stays as it is written.
fn is_normal_escape(rest: &[u8], part: Part) -> bool {
    let [_, high, low, ..] = *rest else { return false };
    let upper = |digit: u8| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit);
    match decode_escape(rest, part) {
        Ok(byte) => !is_unreserved(byte) && upper(high) && upper(low),
        Err(_) => false,
    }
}

fn rebuild_path(path: &[u8], out: &mut Vec<u8>) -> Result<(), TargetError> {
    let mut n_segments = 0;
    let mut ends_in_directory = false;
    for segment in path[1..].split(|&byte| byte == b'/') {
        let start = out.len();
        out.push(b'/');
        unescape(segment, Part::Path, out)?;
        // Escapes are decoded first, so `%2e%2e` climbs like `..`.
        let written = &out[start + 1..];
        ends_in_directory = matches!(written, b"" | b"." | b"..");
        if !ends_in_directory {
            n_segments += 1;
            continue;
        }
        let climbs = written == b"..";
        out.truncate(start);
        if climbs {
            let parent = out.iter().rposition(|&byte| byte == b'/').ok_or(TargetError::AboveRoot)?;
            out.truncate(parent);
            n_segments -= 1;
        }
    }
    if ends_in_directory {
        out.push(b'/');
        n_segments += 1;
    }
    if n_segments > SEGMENTS_MAX { Err(TargetError::TooManySegments) } else { Ok(()) }
}

/// Appends `text` with its escapes in normal form.
fn unescape(text: &[u8], part: Part, out: &mut Vec<u8>) -> Result<(), TargetError> {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match CLASS[usize::from(byte)] {
            PERCENT => {
                let decoded = decode_escape(&text[at..], part)?;
                if is_unreserved(decoded) {
                    out.push(decoded);
                } else {
                    let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value & 0xf)];
                    out.extend_from_slice(&[b'%', digit(decoded >> 4), digit(decoded)]);
                }
                at += 3;
                continue;
            }
            BAD => return Err(bad_byte(byte)),
            QUERY_ONLY if part == Part::Path => return Err(bad_byte(byte)),
            _ => out.push(byte),
        }
        at += 1;
    }
    Ok(())
}

fn bad_byte(byte: u8) -> TargetError {
    match byte {
        0..0x20 | 0x7f => TargetError::Control,
        b'\\' => TargetError::Backslash,
        _ => TargetError::BadByte,
    }
}

/// The byte that the escape at the start of `rest` stands for, unless it must not be written so.
fn decode_escape(rest: &[u8], part: Part) -> Result<u8, TargetError> {
    let [_, high, low, ..] = *rest else { return Err(TargetError::BadEscape) };
    let (Some(high), Some(low)) = (hex_value(high), hex_value(low)) else {
        return Err(TargetError::BadEscape);
    };
    let byte = high << 4 | low;
    match (part, byte) {
        (Part::Path, b'/') => Err(TargetError::EncodedSlash),
        (Part::Path, b'\\') => Err(TargetError::Backslash),
        (Part::Path, 0..0x20 | 0x7f) => Err(TargetError::Control),
        (Part::Path | Part::Query, _) => Ok(byte),
    }
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// RFC 3986 section 2.3: an escape of one of these is the same as the character.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
