//! Responses that twp makes itself: the answers of routes, and short texts that say why there is no other answer.

use crate::error::{Error, ErrorKind};
use crate::limits::RETRY_AFTER_SECONDS;
use crate::wire::h1::encode::{EncodeError, FieldChange, ResponseWrite, encode_answer, reason_phrase};
use crate::wire::h1::{Framing, Version};

/// Methods that twp serves when nobody restricts them: the `Allow` of a refused CONNECT or TRACE.
const SERVED_METHODS: &[u8] = b"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const TEXT_PLAIN: &[u8] = b"text/plain; charset=utf-8";

/// A response of our own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    /// Its status.
    pub(crate) status: u16,
    /// The type of its body.
    pub(crate) content_type: &'a [u8],
    /// One field that goes with the status, such as `Location`.
    pub(crate) field: Option<(&'a [u8], &'a [u8])>,
    /// Its body.
    pub(crate) body: &'a [u8],
}

/// To whom and how an answer goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipient<'a> {
    /// Version of the request.
    pub(crate) version: Version,
    /// Whether the request was HEAD: the same head, no body.
    pub(crate) is_head: bool,
    /// Whether the connection stays open.
    pub(crate) keep_alive: bool,
    /// The date of now.
    pub(crate) date: &'a [u8],
    /// Configured changes of the response.
    pub(crate) changes: &'a [FieldChange<'a>],
}

impl<'a> Recipient<'a> {
    /// The same with changes of the response.
    pub(crate) fn with<'b>(&self, changes: &'b [FieldChange<'b>]) -> Recipient<'b>
    where
        'a: 'b,
    {
        Recipient { changes, ..*self }
    }
}

impl<'a> Answer<'a> {
    /// Plain text.
    pub(crate) fn text(status: u16, body: &'a [u8]) -> Answer<'a> {
        Answer { status, content_type: TEXT_PLAIN, field: None, body }
    }

    /// Plain text with a field.
    pub(crate) fn with_field(self, name: &'a [u8], value: &'a [u8]) -> Answer<'a> {
        Answer { field: Some((name, value)), ..self }
    }
}

/// Appends the answer, head and body, to `out`; gives the length of the body.
pub(crate) fn encode(
    answer: &Answer<'_>,
    to: &Recipient<'_>,
    out: &mut Vec<u8>,
) -> Result<usize, EncodeError> {
    let never_a_body = matches!(answer.status, 100..=199 | 204 | 304);
    let length = answer.body.len() as u64;
    let write = ResponseWrite {
        version: to.version,
        framing: if to.is_head || never_a_body { Framing::None } else { Framing::Length(length) },
        content_length: if never_a_body { None } else { Some(length) },
        keep_alive: to.keep_alive,
        date: to.date,
        changes: to.changes,
    };
    let mut fields = [(&b""[..], &b""[..]); 2];
    let mut n_fields = 0;
    let has_type = !never_a_body && !answer.body.is_empty();
    let content_type = has_type.then_some((&b"content-type"[..], answer.content_type));
    for field in content_type.into_iter().chain(answer.field) {
        fields[n_fields] = field;
        n_fields += 1;
    }
    encode_answer(answer.status, &fields[..n_fields], &write, out)?;
    if to.is_head || never_a_body {
        return Ok(0);
    }
    out.extend_from_slice(answer.body);
    Ok(answer.body.len())
}

/// Appends the answer to a failure to `out`, as [`encode`] does; `text` is scratch memory for its body.
pub(crate) fn encode_failure(
    error: Error,
    to: &Recipient<'_>,
    text: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<usize, EncodeError> {
    let status = error.status();
    text.clear();
    write_status_text(status, &[error.text().as_bytes()], text);
    let retry_after = RETRY_AFTER_SECONDS.to_string();
    let field = match error.kind {
        ErrorKind::NoServer | ErrorKind::Exhausted => Some((&b"retry-after"[..], retry_after.as_bytes())),
        ErrorKind::MethodRefused => Some((&b"allow"[..], SERVED_METHODS)),
        ErrorKind::BadRequest(_)
        | ErrorKind::Misdirected
        | ErrorKind::BodyTooLarge
        | ErrorKind::ClientTimeout
        | ErrorKind::ClientGone
        | ErrorKind::ConnectFailed
        | ErrorKind::NameUnknown
        | ErrorKind::ConnectTimeout
        | ErrorKind::ResponseTimeout
        | ErrorKind::UpstreamIdle
        | ErrorKind::UpstreamGone
        | ErrorKind::BadResponse(_)
        | ErrorKind::SurplusResponse
        | ErrorKind::BadConfiguredText(_)
        | ErrorKind::Panicked => None,
    };
    encode(&Answer { field, ..Answer::text(status, text) }, to, out)
}

/// Appends the built-in text of a status, with the reason that these parts make, where there are any:
/// `404 Not Found: no route takes this path`.
pub(crate) fn write_status_text(status: u16, why: &[&[u8]], out: &mut Vec<u8>) {
    crate::wire::h1::encode::write_number(u64::from(status), out);
    let phrase = reason_phrase(status);
    if !phrase.is_empty() {
        out.push(b' ');
        out.extend_from_slice(phrase.as_bytes());
    }
    if !why.is_empty() {
        out.extend_from_slice(b": ");
        for part in why {
            out.extend_from_slice(part);
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipient(is_head: bool, version: Version) -> Recipient<'static> {
        Recipient { version, is_head, keep_alive: true, date: b"now", changes: &[] }
    }

    fn encoded(answer: &Answer<'_>, to: &Recipient<'_>) -> String {
        let mut out = Vec::new();
        encode(answer, to, &mut out).expect("a valid answer");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn head_has_the_length_and_no_body() {
        let answer = Answer::text(200, b"hello");
        let get = encoded(&answer, &recipient(false, Version::Http11));
        let head = encoded(&answer, &recipient(true, Version::Http11));
        assert!(get.ends_with("content-length: 5\r\n\r\nhello"), "{get}");
        assert_eq!(format!("{head}hello"), get);
    }

    #[test]
    fn statuses_without_a_body_announce_none() {
        for status in [204, 304] {
            let text = encoded(&Answer::text(status, b"ignored"), &recipient(false, Version::Http11));
            assert!(text.ends_with("\r\n\r\n") && !text.contains("content-"), "{text}");
        }
        assert!(
            encoded(&Answer::text(200, b""), &recipient(false, Version::Http11))
                .contains("content-length: 0")
        );
    }

    #[test]
    fn failures_say_why() {
        let (mut text, mut out) = (Vec::new(), Vec::new());
        let error = Error::new(ErrorKind::NoServer);
        encode_failure(error, &recipient(false, Version::Http10), &mut text, &mut out).expect("valid");
        let answer = String::from_utf8(out).expect("text");
        assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
        assert!(answer.contains("\r\nretry-after: 2\r\n"), "{answer}");
        assert!(
            answer.ends_with("\r\n\r\n503 Service Unavailable: no server of the upstream can be reached\n")
        );
    }
}
