//! One connection of the ledger's client, and the requests it sends.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::origin::answer_body;
use super::report::Outcome;
use crate::message::read_response;

/// How long a connection or an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest upload of a request in bytes.
const UPLOAD_BYTES_MAX: u64 = 4096;

/// One request of the ledger; all of it follows from its id, so that client and origin can work it out alone.
pub(super) struct Request {
    pub(super) id: u64,
    host: String,
    path: String,
}

impl Request {
    pub(super) fn new(id: u64, host: &str, path: &str) -> Self {
        Self { id, host: host.to_owned(), path: path.to_owned() }
    }

    /// Every second request, by a hash of its id, is a POST.
    pub(super) fn is_post(&self) -> bool {
        self.random() & 1 == 1
    }

    /// A number that looks random and is the same whenever asked (the finaliser of splitmix64).
    pub(super) fn random(&self) -> u64 {
        let mut x = self.id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn method(&self) -> &'static str {
        if self.is_post() { "POST" } else { "GET" }
    }

    fn upload(&self) -> Vec<u8> {
        if !self.is_post() {
            return Vec::new();
        }
        let length = (self.random() >> 8) % (UPLOAD_BYTES_MAX + 1);
        (0..length).map(|i| b'a' + u8::try_from((self.id + i) % 26).unwrap_or(0)).collect()
    }

    fn to_bytes(&self, upload: &[u8], last: bool) -> Vec<u8> {
        let mut head =
            format!("{} {}?id={} HTTP/1.1\r\nhost: {}\r\n", self.method(), self.path, self.id, self.host);
        // Writing to a String cannot fail.
        let _ = write!(head, "x-ledger-id: {}\r\n", self.id);
        if self.is_post() {
            let _ = write!(head, "content-length: {}\r\n", upload.len());
        }
        if last {
            head.push_str("connection: close\r\n");
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(upload);
        bytes
    }
}

/// One connection.
pub(super) struct Link {
    stream: TcpStream,
    buf: Vec<u8>,
    closing: bool,
}

impl Link {
    pub(super) fn open(target: SocketAddr) -> Result<Self, Outcome> {
        let stream = TcpStream::connect_timeout(&target, TIMEOUT).map_err(|e| match e.kind() {
            ErrorKind::ConnectionRefused => Outcome::Refused,
            ErrorKind::TimedOut => Outcome::Timeout,
            _ => Outcome::Reset,
        })?;
        let set_up = || -> io::Result<()> {
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            stream.set_write_timeout(Some(TIMEOUT))
        };
        set_up().map_err(|_| Outcome::Reset)?;
        Ok(Self { stream, buf: Vec::new(), closing: false })
    }

    /// Whether an idle connection is still open; bytes nobody asked for are a failure of their own.
    pub(super) fn is_alive(&self) -> Result<bool, Outcome> {
        drop(self.stream.set_nonblocking(true));
        let looked = self.stream.peek(&mut [0; 1]);
        drop(self.stream.set_nonblocking(false));
        match looked {
            Ok(0) => Ok(false),
            Ok(_) => Err(Outcome::Unasked),
            Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(true),
            Err(_) => Err(Outcome::Reset),
        }
    }

    /// Sends one request and checks its answer.
    pub(super) fn exchange(&mut self, request: &Request, last: bool) -> Result<(), Outcome> {
        let upload = request.upload();
        self.stream.write_all(&request.to_bytes(&upload, last)).map_err(|e| kind_of(&e))?;
        let answer = read_response(&mut self.stream, &mut self.buf, request.method())
            .map_err(|e| kind_of(&e))?
            .ok_or(Outcome::Closed)?;
        self.closing = answer.closes();
        if answer.status() != Some(200) {
            return Err(Outcome::Status(answer.status().unwrap_or(0)));
        }
        let right = answer.body == answer_body(request.id, request.method(), &upload);
        if right { Ok(()) } else { Err(Outcome::WrongBody) }
    }

    pub(super) fn reusable(&self) -> bool {
        !self.closing
    }
}

fn kind_of(error: &io::Error) -> Outcome {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Outcome::Timeout,
        ErrorKind::UnexpectedEof => Outcome::Closed,
        ErrorKind::InvalidData => Outcome::Malformed,
        _ => Outcome::Reset,
    }
}
