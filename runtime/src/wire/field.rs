//! Field lines: which names twp knows, what it does with them, and the byte classes of names and values.
//!
//! A name is classified once, when its line is parsed; all later passes look at [`Field::flags`] only.
//! RFC 9110 sections 5, 7.6.1; reliability rules H1-09, H1-11, APP-02, APP-03.

use super::{ParseError, Piece};

/// A field line of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which field.
    pub id: FieldId,
    /// What to do with it: bits of [`flag`].
    pub flags: u8,
    /// Name as written.
    pub name: Piece,
    /// Value without the blanks around it.
    pub value: Piece,
}

/// Bits of [`Field::flags`].
pub mod flag {
    /// Hop-by-hop, by its name or because Connection names it: never forwarded.
    pub const HOP: u8 = 1;
    /// Derived anew when a head is written: Host, Content-Length, Expect.
    pub const DERIVED: u8 = 2;
    /// Says who the client is: forwarded and shown to rules only when a trusted peer sent it.
    pub const IDENTITY: u8 = 4;
    /// Neither forwarded nor shown to rules: spelling twins of fields that matter, repeats of single-valued fields.
    pub const DROPPED: u8 = 8;
}

impl Field {
    /// Whether rules may read it.
    #[inline]
    pub fn is_visible(&self, peer_is_trusted: bool) -> bool {
        let hidden = if peer_is_trusted { flag::DROPPED } else { flag::DROPPED | flag::IDENTITY };
        self.flags & hidden == 0
    }
}

/// A field that twp treats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is called like its field")]
pub enum FieldId {
    Host,
    Connection,
    ContentLength,
    TransferEncoding,
    Te,
    Trailer,
    Upgrade,
    KeepAlive,
    ProxyConnection,
    Http2Settings,
    Expect,
    Cookie,
    SetCookie,
    Authorization,
    ProxyAuthorization,
    CacheControl,
    ContentType,
    ContentRange,
    Origin,
    Range,
    IfRange,
    IfModifiedSince,
    IfUnmodifiedSince,
    MaxForwards,
    XForwardedFor,
    XForwardedProto,
    XForwardedHost,
    /// Any other `x-forwarded-…`.
    XForwardedOther,
    Forwarded,
    XRealIp,
    ClientCert,
    ClientCertChain,
    Date,
    Server,
    Location,
    /// Any other field.
    Other,
}

const FORWARDED_PREFIX: &[u8] = b"x-forwarded-";
/// No known name is longer.
const KNOWN_NAME_BYTES_MAX: usize = 24;

impl FieldId {
    /// The field with this name, in any case.
    #[inline]
    pub fn of(name: &[u8]) -> FieldId {
        for (text, id) in known_of_length(name.len()) {
            if name.eq_ignore_ascii_case(text) {
                return *id;
            }
        }
        match name.get(..FORWARDED_PREFIX.len()) {
            Some(prefix) if prefix.eq_ignore_ascii_case(FORWARDED_PREFIX) => FieldId::XForwardedOther,
            Some(_) | None => FieldId::Other,
        }
    }

    /// What to do with a field of this name.
    #[inline]
    pub fn flags(self) -> u8 {
        match self {
            FieldId::Connection
            | FieldId::TransferEncoding
            | FieldId::Te
            | FieldId::Trailer
            | FieldId::Upgrade
            | FieldId::KeepAlive
            | FieldId::ProxyConnection
            | FieldId::Http2Settings => flag::HOP,
            FieldId::Host | FieldId::ContentLength | FieldId::Expect => flag::DERIVED,
            FieldId::XForwardedFor
            | FieldId::XForwardedProto
            | FieldId::XForwardedHost
            | FieldId::XForwardedOther
            | FieldId::Forwarded
            | FieldId::XRealIp
            | FieldId::ClientCert
            | FieldId::ClientCertChain => flag::IDENTITY,
            FieldId::Cookie
            | FieldId::SetCookie
            | FieldId::Authorization
            | FieldId::ProxyAuthorization
            | FieldId::CacheControl
            | FieldId::ContentType
            | FieldId::ContentRange
            | FieldId::Origin
            | FieldId::Range
            | FieldId::IfRange
            | FieldId::IfModifiedSince
            | FieldId::IfUnmodifiedSince
            | FieldId::MaxForwards
            | FieldId::Date
            | FieldId::Server
            | FieldId::Location
            | FieldId::Other => 0,
        }
    }

    /// Whether configured changes may not touch it: framing belongs to this hop.
    pub fn is_ours(self) -> bool {
        self.flags() & (flag::HOP | flag::DERIVED) != 0
    }

    /// Whether a request with two different values of it is refused.
    pub(crate) fn is_single(self) -> bool {
        matches!(
            self,
            FieldId::Authorization
                | FieldId::ProxyAuthorization
                | FieldId::ContentType
                | FieldId::ContentRange
                | FieldId::Origin
                | FieldId::Range
                | FieldId::IfRange
                | FieldId::IfModifiedSince
                | FieldId::IfUnmodifiedSince
                | FieldId::MaxForwards
        )
    }

    /// Whether Connection may name it. Fields meant for every recipient may not be removed that way (RFC 9110
    /// section 7.6.1): an attacker could strip credentials or identity between two proxies.
    pub(crate) fn may_be_named_by_connection(self) -> bool {
        self == FieldId::Other || self.flags() & flag::HOP != 0
    }
}

/// The field that a name with `_` or `.` in place of `-` imitates; servers that map both to one variable would
/// take it for that field.
pub(crate) fn imitated(name: &[u8]) -> FieldId {
    let mut folded = [0; KNOWN_NAME_BYTES_MAX];
    for (to, from) in folded.iter_mut().zip(name) {
        *to = if matches!(from, b'_' | b'.') { b'-' } else { *from };
    }
    // A longer name can only be one of the prefix family, which the first bytes tell.
    let len = name.len().min(KNOWN_NAME_BYTES_MAX);
    FieldId::of(folded.get(..len).unwrap_or_default())
}

type Known = (&'static [u8], FieldId);

/// The known names of a length, in lower case. One `match` keeps unknown names at a jump and a few comparisons.
#[inline]
fn known_of_length(len: usize) -> &'static [Known] {
    use FieldId as Id;
    match len {
        2 => const { &[(b"te", Id::Te)] },
        4 => const { &[(b"host", Id::Host), (b"date", Id::Date)] },
        5 => const { &[(b"range", Id::Range)] },
        6 => {
            const {
                &[
                    (b"cookie", Id::Cookie),
                    (b"server", Id::Server),
                    (b"origin", Id::Origin),
                    (b"expect", Id::Expect),
                ]
            }
        }
        7 => const { &[(b"upgrade", Id::Upgrade), (b"trailer", Id::Trailer)] },
        8 => const { &[(b"location", Id::Location), (b"if-range", Id::IfRange)] },
        9 => const { &[(b"forwarded", Id::Forwarded), (b"x-real-ip", Id::XRealIp)] },
        10 => {
            const {
                &[
                    (b"connection", Id::Connection),
                    (b"keep-alive", Id::KeepAlive),
                    (b"set-cookie", Id::SetCookie),
                ]
            }
        }
        11 => const { &[(b"client-cert", Id::ClientCert)] },
        12 => const { &[(b"content-type", Id::ContentType), (b"max-forwards", Id::MaxForwards)] },
        13 => {
            const {
                &[
                    (b"authorization", Id::Authorization),
                    (b"cache-control", Id::CacheControl),
                    (b"content-range", Id::ContentRange),
                ]
            }
        }
        14 => const { &[(b"content-length", Id::ContentLength), (b"http2-settings", Id::Http2Settings)] },
        15 => const { &[(b"x-forwarded-for", Id::XForwardedFor)] },
        16 => {
            const { &[(b"x-forwarded-host", Id::XForwardedHost), (b"proxy-connection", Id::ProxyConnection)] }
        }
        17 => {
            const {
                &[
                    (b"transfer-encoding", Id::TransferEncoding),
                    (b"x-forwarded-proto", Id::XForwardedProto),
                    (b"if-modified-since", Id::IfModifiedSince),
                    (b"client-cert-chain", Id::ClientCertChain),
                ]
            }
        }
        19 => {
            const {
                &[
                    (b"proxy-authorization", Id::ProxyAuthorization),
                    (b"if-unmodified-since", Id::IfUnmodifiedSince),
                ]
            }
        }
        _ => &[],
    }
}

/// Bit of [`class`]: may stand in a token (RFC 9110 section 5.6.2).
pub(crate) const TOKEN: u8 = 1;
/// Bit of [`class`]: `_` and `.`, which some servers take for `-`.
pub(crate) const TWIN: u8 = 2;
/// Bit of [`class`]: may stand in a request target as it is sent (RFC 3986 and what browsers add to it).
pub(crate) const TARGET: u8 = 4;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0x21u8;
    while byte < 0x7f {
        let mut bits = 0;
        if byte.is_ascii_alphanumeric() || is_token_mark(byte) {
            bits |= TOKEN;
        }
        if byte == b'_' || byte == b'.' {
            bits |= TWIN;
        }
        // A fragment never belongs in a request; what follows `#` would be read by some and not by others.
        if byte != b'#' {
            bits |= TARGET;
        }
        classes[byte as usize] = bits;
        byte += 1;
    }
    classes
}

const fn is_token_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'#'
            | b'$'
            | b'%'
            | b'&'
            | b'\''
            | b'*'
            | b'+'
            | b'-'
            | b'.'
            | b'^'
            | b'_'
            | b'`'
            | b'|'
            | b'~'
    )
}

/// The classes of a byte: [`TOKEN`], [`TWIN`], [`TARGET`].
#[inline]
pub(crate) fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

/// Whether these bytes are a token.
pub fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| class(*byte) & TOKEN != 0)
}

/// Whether these bytes may stand in a field value: no control character but the tab (RFC 9110 section 5.5).
#[inline]
pub fn is_value(bytes: &[u8]) -> bool {
    let (chunks, rest) = bytes.as_chunks::<8>();
    // Eight bytes at a time; a tab sends its group of eight to the careful look.
    chunks.iter().all(|chunk| {
        !may_have_control(u64::from_le_bytes(*chunk)) || chunk.iter().copied().all(is_value_byte)
    }) && rest.iter().copied().all(is_value_byte)
}

#[inline]
pub(crate) fn is_value_byte(byte: u8) -> bool {
    byte >= 0x20 && byte != 0x7f || byte == b'\t'
}

/// Whether one of eight bytes is below 0x20 or is 0x7f. May also say yes when none is, never no when one is.
#[inline]
fn may_have_control(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let below_blank = word.wrapping_sub(ONES * 0x20) & !word;
    let deletes = word ^ (ONES * 0x7f);
    let is_delete = deletes.wrapping_sub(ONES) & !deletes;
    (below_blank | is_delete) & HIGH != 0
}

/// The bytes without blanks and tabs around them.
#[inline]
pub fn trim_blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Parses the field line that lies in `bytes[start..end]`, without its line end.
#[inline]
pub(crate) fn parse_line(bytes: &[u8], start: usize, end: usize) -> Result<Field, ParseError> {
    let line = bytes.get(start..end).unwrap_or_default();
    let mut seen = 0;
    let mut name_len = 0;
    for byte in line {
        let bits = class(*byte);
        if bits & TOKEN == 0 {
            break;
        }
        seen |= bits;
        name_len += 1;
    }
    match line.get(name_len) {
        Some(b':') if name_len > 0 => {}
        Some(b' ' | b'\t') if name_len == 0 => return Err(ParseError::FoldedField),
        Some(b' ' | b'\t') => return Err(ParseError::BlankBeforeColon),
        Some(_) | None => return Err(ParseError::BadFieldName),
    }
    let name = line.get(..name_len).unwrap_or_default();
    let after = line.get(name_len + 1..).unwrap_or_default();
    let value = trim_blanks(after);
    if !is_value(value) {
        return Err(ParseError::BadFieldValue);
    }
    let leading = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let value_start = start + name_len + 1 + leading;
    let id = FieldId::of(name);
    let mut flags = id.flags();
    if seen & TWIN != 0 && id == FieldId::Other && imitated(name) != FieldId::Other {
        flags |= flag::DROPPED;
    }
    Ok(Field {
        id,
        flags,
        name: Piece::new(start, start + name_len),
        value: Piece::new(value_start, value_start + value.len()),
    })
}
