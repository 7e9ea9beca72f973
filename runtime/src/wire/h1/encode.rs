//! Writes heads anew: framing derived, hop-by-hop fields left out, end-to-end fields copied from the bytes they were
//! parsed from in as few pieces as possible (rules 1 and 2 of the reliability checklist; APP-02, APP-03, APP-07).
//!
//! Everything appends to the caller's buffer; after an error the buffer is as it was before.

use super::request::RequestHead;
use super::response::ResponseHead;
use super::{Framing, Version};
use crate::wire::field::{Field, FieldId, TARGET, class, flag, is_token, is_value, trim_blanks};
use crate::wire::forwarded::{Forwarding, write_authority};
use std::fmt;

/// What a change does with the lines of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOp {
    /// Replaces all lines.
    Set,
    /// Appends a line.
    Add,
    /// Removes all lines.
    Remove,
}

/// A configured change of a field. Changes apply in their order; later ones win.
#[derive(Clone, Copy, Debug)]
pub struct FieldChange<'a> {
    /// What it does.
    pub op: ChangeOp,
    /// Name in lower case. Hop-by-hop and framing fields are not touched, whatever a change says.
    pub name: &'a [u8],
    /// Value; unused by [`ChangeOp::Remove`].
    pub value: &'a [u8],
}

/// Why a head cannot be written: our fault or the configuration's, never the peer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// A field value with a line break, NUL or other control character, or a name that is no token.
    BadField,
    /// A path or query with a byte that may not stand in a request line.
    BadTarget,
    /// A host with a byte that may not stand in an authority.
    BadHost,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EncodeError::BadField => "a field to be sent has a control character",
            EncodeError::BadTarget => "the path to be sent is not a valid request target",
            EncodeError::BadHost => "the host to be sent is not a valid authority",
        })
    }
}

impl std::error::Error for EncodeError {}

/// How a request goes upstream.
#[derive(Clone, Copy, Debug)]
pub struct RequestWrite<'a> {
    /// Path: normalised, or as rewritten; `*` for OPTIONS in asterisk form.
    pub path: &'a [u8],
    /// Query without its question mark.
    pub query: Option<&'a [u8]>,
    /// Host, or a whole authority with `port` none.
    pub host: &'a [u8],
    /// Port behind the host.
    pub port: Option<u16>,
    /// How the body will be sent.
    pub framing: Framing,
    /// Whether to wait for 100 before the body is sent.
    pub expect_continue: bool,
    /// What to say about the client; `None` says nothing and still removes what an untrusted peer may not say.
    pub forwarding: Option<Forwarding<'a>>,
    /// Configured changes.
    pub changes: &'a [FieldChange<'a>],
}

/// How a response goes to the client.
#[derive(Clone, Copy, Debug)]
pub struct ResponseWrite<'a> {
    /// Version of the request.
    pub version: Version,
    /// How the body will be sent: see [`framing_for_client`].
    pub framing: Framing,
    /// The length to announce where no body follows (HEAD, 304).
    pub content_length: Option<u64>,
    /// Whether the connection stays open after the body.
    pub keep_alive: bool,
    /// HTTP date of now, added when the response has none.
    pub date: &'a [u8],
    /// Configured changes.
    pub changes: &'a [FieldChange<'a>],
}

/// Appends the request head that was parsed from `bytes`, as it goes upstream.
pub fn encode_request(
    head: &RequestHead,
    bytes: &[u8],
    write: &RequestWrite<'_>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    check_target(write.path, write.query)?;
    let is_host = |byte: &u8| class(*byte) & TARGET != 0 && !matches!(byte, b'/' | b'?' | b'@' | b'\\');
    if !write.host.iter().all(is_host) {
        return Err(EncodeError::BadHost);
    }
    check_changes(write.changes)?;
    out.extend_from_slice(head.method_text.of(bytes));
    out.push(b' ');
    out.extend_from_slice(write.path);
    if let Some(query) = write.query {
        out.push(b'?');
        out.extend_from_slice(query);
    }
    out.extend_from_slice(b" HTTP/1.1\r\nhost: ");
    write_authority(write.host, write.port, out);
    out.extend_from_slice(b"\r\n");
    let trusted = write.forwarding.is_some_and(|forwarding| forwarding.peer_is_trusted);
    copy_fields(&head.fields, bytes, write.changes, out, |field| {
        let is_chain = matches!(field.id, FieldId::XForwardedFor | FieldId::Forwarded);
        field.flags & (flag::HOP | flag::DERIVED | flag::DROPPED) == 0
            && (field.flags & flag::IDENTITY == 0 || trusted && !is_chain)
    });
    if let Some(forwarding) = &write.forwarding {
        write_forwarding(head, bytes, forwarding, write.changes, out);
    }
    write_changes(write.changes, out);
    if write.expect_continue {
        out.extend_from_slice(b"expect: 100-continue\r\n");
    }
    write_framing(write.framing, None, out);
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// Appends the response head that was parsed from `bytes`, as it goes to the client.
pub fn encode_response(
    head: &ResponseHead,
    bytes: &[u8],
    write: &ResponseWrite<'_>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    check_changes(write.changes)?;
    write_status_line(head.status, head.reason.of(bytes), out);
    copy_response_fields(head, bytes, write.changes, out);
    if head.find(FieldId::Date).is_none() && !is_replaced(write.changes, b"date") {
        write_field(b"date", write.date, out);
    }
    finish_response(write, out);
    Ok(())
}

/// Appends an interim response (1xx) as it goes to the client. Not for HTTP/1.0 clients.
pub fn encode_interim(head: &ResponseHead, bytes: &[u8], out: &mut Vec<u8>) {
    write_status_line(head.status, head.reason.of(bytes), out);
    copy_response_fields(head, bytes, &[], out);
    out.extend_from_slice(b"\r\n");
}

/// Appends the head of a response that twp itself makes. The fields have lower-case names.
pub fn encode_answer(
    status: u16,
    fields: &[(&[u8], &[u8])],
    write: &ResponseWrite<'_>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    check_changes(write.changes)?;
    if !fields.iter().all(|(name, value)| is_token(name) && is_value(value)) {
        return Err(EncodeError::BadField);
    }
    write_status_line(status, reason_phrase(status).as_bytes(), out);
    let date = [(&b"date"[..], write.date)];
    for (name, value) in fields.iter().chain(&date) {
        if !is_replaced(write.changes, name) {
            write_field(name, value, out);
        }
    }
    finish_response(write, out);
    Ok(())
}

/// How a body of this framing is sent to a client: HTTP/1.0 knows no chunks, HTTP/1.1 gets chunks rather than a
/// close. With [`Framing::UntilClose`] the connection cannot stay open.
pub fn framing_for_client(framing: Framing, client: Version) -> Framing {
    match (framing, client) {
        (Framing::None | Framing::Length(_), _) => framing,
        (Framing::Chunked | Framing::UntilClose, Version::Http11) => Framing::Chunked,
        (Framing::Chunked | Framing::UntilClose, Version::Http10) => Framing::UntilClose,
    }
}

fn finish_response(write: &ResponseWrite<'_>, out: &mut Vec<u8>) {
    write_changes(write.changes, out);
    write_framing(write.framing, write.content_length, out);
    match (write.keep_alive, write.version) {
        (true, Version::Http11) => {}
        (true, Version::Http10) => out.extend_from_slice(b"connection: keep-alive\r\n"),
        (false, Version::Http10 | Version::Http11) => out.extend_from_slice(b"connection: close\r\n"),
    }
    out.extend_from_slice(b"\r\n");
}

fn copy_response_fields(head: &ResponseHead, bytes: &[u8], changes: &[FieldChange<'_>], out: &mut Vec<u8>) {
    // Identity fields are a matter of requests; a server may send what is called like one.
    let skipped = flag::HOP | flag::DERIVED | flag::DROPPED;
    copy_fields(&head.fields, bytes, changes, out, |field| field.flags & skipped == 0);
}

/// Copies the fields that are kept and not replaced; neighbours that lie together are copied together.
#[inline]
fn copy_fields(
    fields: &[Field],
    bytes: &[u8],
    changes: &[FieldChange<'_>],
    out: &mut Vec<u8>,
    is_kept: impl Fn(&Field) -> bool,
) {
    const LINE_END: &[u8] = b"\r\n";
    let mut start = 0;
    let mut end = 0;
    for field in fields {
        if !is_kept(field) || !changes.is_empty() && is_replaced(changes, field.name.of(bytes)) {
            continue;
        }
        let name_at = field.name.start as usize;
        if end == 0 {
            start = name_at;
        } else if name_at != end + LINE_END.len() {
            out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
            out.extend_from_slice(LINE_END);
            start = name_at;
        }
        end = field.value.start as usize + field.value.len();
    }
    if end != 0 {
        out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
        out.extend_from_slice(LINE_END);
    }
}

/// The fields that tell the upstream about the client. They count as lines of the request: changes win over them.
fn write_forwarding(
    head: &RequestHead,
    bytes: &[u8],
    forwarding: &Forwarding<'_>,
    changes: &[FieldChange<'_>],
    out: &mut Vec<u8>,
) {
    let trusted = forwarding.peer_is_trusted;
    if !forwarding.peer.is_empty() && !is_replaced(changes, b"x-forwarded-for") {
        out.extend_from_slice(b"x-forwarded-for: ");
        write_chain(head, bytes, FieldId::XForwardedFor, trusted, out);
        out.extend_from_slice(forwarding.peer);
        out.extend_from_slice(b"\r\n");
    }
    let keeps = |id| trusted && head.find(id).is_some();
    if !keeps(FieldId::XForwardedProto) && !is_replaced(changes, b"x-forwarded-proto") {
        write_field(b"x-forwarded-proto", forwarding.scheme, out);
    }
    if !forwarding.host.is_empty()
        && !keeps(FieldId::XForwardedHost)
        && !is_replaced(changes, b"x-forwarded-host")
    {
        out.extend_from_slice(b"x-forwarded-host: ");
        forwarding.write_authority(out);
        out.extend_from_slice(b"\r\n");
    }
    if !is_replaced(changes, b"forwarded") {
        out.extend_from_slice(b"forwarded: ");
        write_chain(head, bytes, FieldId::Forwarded, trusted, out);
        forwarding.write_element(out);
        out.extend_from_slice(b"\r\n");
    }
}

/// The elements so far, when a trusted peer sent them, joined to one line.
fn write_chain(head: &RequestHead, bytes: &[u8], id: FieldId, trusted: bool, out: &mut Vec<u8>) {
    if !trusted {
        return;
    }
    for field in head.fields.iter().filter(|field| field.id == id && !field.value.is_empty()) {
        out.extend_from_slice(field.value.of(bytes));
        out.extend_from_slice(b", ");
    }
}

/// Whether some change takes away the lines that a field has on arrival.
#[inline]
fn is_replaced(changes: &[FieldChange<'_>], name: &[u8]) -> bool {
    changes.iter().any(|change| replaces(change, name))
}

fn replaces(change: &FieldChange<'_>, name: &[u8]) -> bool {
    match change.op {
        ChangeOp::Set | ChangeOp::Remove => change.name.eq_ignore_ascii_case(name),
        ChangeOp::Add => false,
    }
}

fn write_changes(changes: &[FieldChange<'_>], out: &mut Vec<u8>) {
    let mut rest = changes;
    while let Some((change, later)) = rest.split_first() {
        rest = later;
        if change.op == ChangeOp::Remove || is_replaced(later, change.name) {
            continue;
        }
        // The checker refuses such changes (E0309); framing does not depend on that.
        if !FieldId::of(change.name).is_ours() {
            write_field(change.name, trim_blanks(change.value), out);
        }
    }
}

fn check_changes(changes: &[FieldChange<'_>]) -> Result<(), EncodeError> {
    let is_good = |change: &FieldChange<'_>| {
        is_token(change.name) && (change.op == ChangeOp::Remove || is_value(change.value))
    };
    if changes.iter().all(is_good) { Ok(()) } else { Err(EncodeError::BadField) }
}

fn check_target(path: &[u8], query: Option<&[u8]>) -> Result<(), EncodeError> {
    let is_target = |bytes: &[u8]| bytes.iter().all(|byte| class(*byte) & TARGET != 0);
    let starts_well = path.first() == Some(&b'/') || path == b"*";
    if starts_well && is_target(path) && is_target(query.unwrap_or_default()) && !path.contains(&b'?') {
        Ok(())
    } else {
        Err(EncodeError::BadTarget)
    }
}

fn write_field(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

fn write_framing(framing: Framing, length_without_body: Option<u64>, out: &mut Vec<u8>) {
    let length = match framing {
        Framing::None => length_without_body,
        Framing::Length(length) => Some(length),
        Framing::Chunked => {
            out.extend_from_slice(b"transfer-encoding: chunked\r\n");
            None
        }
        Framing::UntilClose => None,
    };
    if let Some(length) = length {
        out.extend_from_slice(b"content-length: ");
        write_number(length, out);
        out.extend_from_slice(b"\r\n");
    }
}

fn write_status_line(status: u16, reason: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"HTTP/1.1 ");
    write_number(u64::from(status), out);
    out.push(b' ');
    out.extend_from_slice(reason);
    out.extend_from_slice(b"\r\n");
}

/// Appends a number in decimal digits.
pub(crate) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        // A digit is below ten.
        out.push(b'0' + u8::try_from(number % 10).unwrap_or(0));
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

/// The usual reason phrase of a status (RFC 9110 section 15); empty when there is none.
pub fn reason_phrase(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        103 => "Early Hints",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        423 => "Locked",
        424 => "Failed Dependency",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        507 => "Insufficient Storage",
        508 => "Loop Detected",
        511 => "Network Authentication Required",
        _ => "",
    }
}
