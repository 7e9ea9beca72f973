//! Reads HTTP/1.1 messages from a socket, as plainly as possible: the tests' own view of what went over the wire.
//!
//! It takes what an ordinary peer takes and refuses the rest with `InvalidData`. It never corrects anything: the
//! raw bytes stay beside the parsed parts so that a test can look at both.

use std::io::{Error, ErrorKind, Read, Result};

/// Bytes of a head before the reader gives up; far above what any test sends on purpose.
const HEAD_BYTES_MAX: usize = 256 * 1024;
/// Bytes asked of the socket at a time.
const READ_BYTES: usize = 64 * 1024;

/// One request or response as it was on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The head as text, up to and with the empty line; bytes that are not UTF-8 are replaced.
    pub head: String,
    /// The body without its transfer coding.
    pub body: Vec<u8>,
}

impl Message {
    /// The first line.
    pub fn start_line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The second word of the first line: the target of a request, the status of a response.
    pub fn second_word(&self) -> &str {
        self.start_line().split(' ').nth(1).unwrap_or_default()
    }

    /// The status of a response; `None` when the message is none.
    pub fn status(&self) -> Option<u16> {
        self.second_word().parse().ok()
    }

    /// All values of a field, in order, without blanks around them.
    pub fn fields<'a>(&'a self, name: &str) -> Vec<&'a str> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect()
    }

    /// The first value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields(name).first().copied()
    }

    /// Whether the sender said that the connection ends with this message (RFC 9112 section 9.6).
    pub fn closes(&self) -> bool {
        let said = |token: &str| {
            self.fields("connection")
                .iter()
                .flat_map(|v| v.split(','))
                .any(|t| t.trim().eq_ignore_ascii_case(token))
        };
        said("close") || (self.start_line().contains("HTTP/1.0") && !said("keep-alive"))
    }

    fn chunked(&self) -> bool {
        self.fields("transfer-encoding").last().is_some_and(|v| v.to_ascii_lowercase().ends_with("chunked"))
    }

    fn content_length(&self) -> Result<Option<usize>> {
        match self.field("content-length") {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| invalid("content-length")),
        }
    }
}

/// Reads one request; `None` when the peer closed before its first byte. `buf` keeps bytes of the next one.
pub fn read_request(stream: &mut impl Read, buf: &mut Vec<u8>) -> Result<Option<Message>> {
    let Some(mut message) = read_head(stream, buf)? else { return Ok(None) };
    read_request_body(&mut message, stream, buf)?;
    Ok(Some(message))
}

/// Reads the body that belongs to the head of a request.
pub(crate) fn read_request_body(
    message: &mut Message,
    stream: &mut impl Read,
    buf: &mut Vec<u8>,
) -> Result<()> {
    if message.chunked() {
        message.body = read_chunks(stream, buf)?;
    } else if let Some(length) = message.content_length()? {
        message.body = take(stream, buf, length)?;
    }
    Ok(())
}

/// Reads one response to a request with this method; `None` when the peer closed before its first byte.
pub fn read_response(stream: &mut impl Read, buf: &mut Vec<u8>, method: &str) -> Result<Option<Message>> {
    let Some(mut message) = read_head(stream, buf)? else { return Ok(None) };
    let status = message.status().ok_or_else(|| invalid("status"))?;
    // RFC 9112 section 6.3: these never have a body, whatever their fields say.
    if method == "HEAD" || status < 200 || status == 204 || status == 304 {
        return Ok(Some(message));
    }
    message.body = if message.chunked() {
        read_chunks(stream, buf)?
    } else if let Some(length) = message.content_length()? {
        take(stream, buf, length)?
    } else {
        let mut rest = std::mem::take(buf);
        stream.read_to_end(&mut rest)?;
        rest
    };
    Ok(Some(message))
}

/// Reads one head; `None` when the peer closed before its first byte.
pub(crate) fn read_head(stream: &mut impl Read, buf: &mut Vec<u8>) -> Result<Option<Message>> {
    loop {
        if let Some(at) = find(buf, b"\r\n\r\n") {
            let head: Vec<u8> = buf.drain(..at + 4).collect();
            return Ok(Some(Message { head: String::from_utf8_lossy(&head).into_owned(), body: Vec::new() }));
        }
        if buf.len() > HEAD_BYTES_MAX {
            return Err(invalid("head without end"));
        }
        if fill(stream, buf)? == 0 {
            return if buf.is_empty() { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
        }
    }
}

fn read_chunks(stream: &mut impl Read, buf: &mut Vec<u8>) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(stream, buf)?;
        let digits = line.split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(digits, 16).map_err(|_| invalid("chunk size"))?;
        if size == 0 {
            // Trailers up to the empty line; the tests that care read the raw bytes.
            while !read_line(stream, buf)?.is_empty() {}
            return Ok(body);
        }
        body.extend(take(stream, buf, size)?);
        if take(stream, buf, 2)? != b"\r\n" {
            return Err(invalid("chunk end"));
        }
    }
}

fn read_line(stream: &mut impl Read, buf: &mut Vec<u8>) -> Result<String> {
    loop {
        if let Some(at) = find(buf, b"\r\n") {
            let line: Vec<u8> = buf.drain(..at + 2).collect();
            return String::from_utf8(line[..at].to_vec()).map_err(|_| invalid("line"));
        }
        if fill(stream, buf)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
}

fn take(stream: &mut impl Read, buf: &mut Vec<u8>, length: usize) -> Result<Vec<u8>> {
    while buf.len() < length {
        if fill(stream, buf)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    let rest = buf.split_off(length);
    Ok(std::mem::replace(buf, rest))
}

fn fill(stream: &mut impl Read, buf: &mut Vec<u8>) -> Result<usize> {
    let old = buf.len();
    buf.resize(old + READ_BYTES, 0);
    let read = loop {
        match stream.read(&mut buf[old..]) {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    buf.truncate(old + *read.as_ref().unwrap_or(&0));
    read
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|w| w == needle)
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("malformed {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pipelined_requests_are_read_one_after_the_other() {
        let mut wire: &[u8] = b"POST /a HTTP/1.1\r\ncontent-length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\n";
        let mut buf = Vec::new();
        let first = read_request(&mut wire, &mut buf).expect("valid").expect("present");
        let second = read_request(&mut wire, &mut buf).expect("valid").expect("present");
        assert_eq!((first.second_word(), first.body.as_slice()), ("/a", b"abc".as_slice()));
        assert_eq!(second.second_word(), "/b");
        assert_eq!(read_request(&mut wire, &mut buf).expect("end"), None);
    }

    #[test]
    fn a_chunked_response_loses_its_coding() {
        let mut wire: &[u8] =
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=1\r\nabc\r\n0\r\nt: 1\r\n\r\n";
        let message = read_response(&mut wire, &mut Vec::new(), "GET").expect("valid").expect("present");
        assert_eq!((message.status(), message.body.as_slice()), (Some(200), b"abc".as_slice()));
    }

    #[test]
    fn a_body_that_ends_early_is_an_error() {
        let mut wire: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc";
        let error = read_response(&mut wire, &mut Vec::new(), "GET").expect_err("two bytes are missing");
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }
}
