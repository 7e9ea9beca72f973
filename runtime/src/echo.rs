//! The origin inside twp (`builtin: echo`): answers with what it received, as JSON.
//!
//! It reads the very bytes that a server would have been sent, so rewritten paths and changed fields show.

use crate::error::{Error, ErrorKind};
use crate::wire::h1::HeadLimits;
use crate::wire::h1::request::RequestHead;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the origin received.
#[derive(Serialize)]
struct Received<'a> {
    method: String,
    path: String,
    query: Option<String>,
    protocol: &'a str,
    headers: BTreeMap<String, String>,
    body_bytes: u64,
}

/// The type of the answer's body.
pub(crate) const CONTENT_TYPE: &[u8] = b"application/json";

/// Appends the answer to a request whose head is these bytes and whose body had this length.
pub(crate) fn write(head_bytes: &[u8], body_bytes: u64, out: &mut Vec<u8>) -> Result<(), Error> {
    // What we wrote ourselves may be longer than what we accept; its own length is the limit.
    let any = HeadLimits {
        head_bytes_max: head_bytes.len(),
        fields_max: head_bytes.len(),
        target_bytes_max: head_bytes.len(),
    };
    let mut head = RequestHead::default();
    head.parse(head_bytes, &any).map_err(|error| Error::new(ErrorKind::BadRequest(error)))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for field in &head.fields {
        let value = text(field.value.of(head_bytes));
        let name = text(field.name.of(head_bytes)).to_ascii_lowercase();
        // Lines of one name are one list (RFC 9110 section 5.3).
        headers
            .entry(name)
            .and_modify(|lines| {
                lines.push_str(", ");
                lines.push_str(&value);
            })
            .or_insert(value);
    }
    let received = Received {
        method: text(head.method_text.of(head_bytes)),
        path: text(head.path.of(head_bytes)),
        query: head.query.map(|query| text(query.of(head_bytes))),
        protocol: "HTTP/1.1",
        headers,
        body_bytes,
    };
    // Neither text nor numbers can fail to be written to memory.
    serde_json::to_writer(&mut *out, &received).map_err(|_| Error::new(ErrorKind::Exhausted))?;
    out.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_arrived() {
        let head = b"PUT /a%20b?x=1 HTTP/1.1\r\nhost: a\r\nX-Y: 1\r\nx-y: \"2\"\r\ncontent-length: 3\r\n\r\n";
        let mut out = Vec::new();
        write(head, 3, &mut out).expect("a valid head");
        let text = String::from_utf8(out).expect("text");
        let want = r#"{"method":"PUT","path":"/a%20b","query":"x=1","protocol":"HTTP/1.1","headers":{"content-length":"3","host":"a","x-y":"1, \"2\""},"body_bytes":3}"#;
        assert_eq!(text.trim_end(), want);
    }
}
