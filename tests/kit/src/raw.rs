//! A client that sends exactly the bytes it is given and reports exactly what came back.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::message::{Message, read_response};

/// How long a client waits for bytes that must come.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long silence lasts before a connection counts as kept open.
const QUIET: Duration = Duration::from_millis(300);

/// How a connection ended from the client's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Still open, nothing more to read.
    Open,
    /// Closed in order.
    Closed,
    /// Closed by a reset.
    Reset,
    /// The last response was cut short or malformed.
    Broken,
}

/// Everything a client saw on one connection.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Complete final responses in order.
    pub responses: Vec<Message>,
    /// How it ended.
    pub ended: Ended,
}

impl Seen {
    /// The statuses in order.
    pub fn statuses(&self) -> Vec<u16> {
        self.responses.iter().filter_map(Message::status).collect()
    }
}

/// One connection of a raw client.
#[derive(Debug)]
pub struct Raw {
    stream: TcpStream,
    buf: Vec<u8>,
}

impl Raw {
    /// Connects; panics when nobody listens.
    pub fn connect(addr: SocketAddr) -> Self {
        Self::try_connect(addr).expect("somebody listens")
    }

    /// Connects, where it may be that nobody listens any more.
    pub fn try_connect(addr: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect_timeout(&addr, ANSWER_TIMEOUT)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buf: Vec::new() })
    }

    /// Sends bytes; an error of the peer's doing shows when reading.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        drop(self.stream.write_all(bytes.as_ref()));
    }

    /// Ends the sending direction.
    pub fn finish(&mut self) {
        drop(self.stream.shutdown(Shutdown::Write));
    }

    /// Reads one final response, skipping interim ones; `Err` says how the connection ended instead.
    pub fn response(&mut self, method: &str) -> Result<Message, Ended> {
        self.wait(ANSWER_TIMEOUT, method)
    }

    /// Reads on until the connection ends or is quiet.
    pub fn drain(&mut self) -> Seen {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let mut responses = Vec::new();
        loop {
            // The first response may take its time; after it, silence means that nothing follows.
            let patience = if responses.is_empty() { ANSWER_TIMEOUT } else { QUIET };
            match self.wait(patience, "GET") {
                Ok(message) => responses.push(message),
                Err(ended) => return Seen { responses, ended },
            }
            if Instant::now() > deadline {
                return Seen { responses, ended: Ended::Open };
            }
        }
    }

    /// Whether the peer neither closed nor sent anything for a moment.
    pub fn is_quiet(&mut self) -> bool {
        self.wait(QUIET, "GET") == Err(Ended::Open)
    }

    fn wait(&mut self, patience: Duration, method: &str) -> Result<Message, Ended> {
        drop(self.stream.set_read_timeout(Some(patience)));
        loop {
            match read_response(&mut self.stream, &mut self.buf, method) {
                Ok(None) => return Err(Ended::Closed),
                Ok(Some(message)) if message.status().is_some_and(|s| s < 200) => {}
                Ok(Some(message)) => return Ok(message),
                Err(e) => {
                    return Err(match e.kind() {
                        ErrorKind::WouldBlock | ErrorKind::TimedOut if self.buf.is_empty() => Ended::Open,
                        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Ended::Reset,
                        _ => Ended::Broken,
                    });
                }
            }
        }
    }
}

impl Read for Raw {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.buf.is_empty() {
            return self.stream.read(out);
        }
        let n = out.len().min(self.buf.len());
        out[..n].copy_from_slice(&self.buf[..n]);
        self.buf.drain(..n);
        Ok(n)
    }
}

/// Sends bytes on a fresh connection and gives everything that came back.
pub fn exchange(addr: SocketAddr, bytes: impl AsRef<[u8]>) -> Seen {
    let mut raw = Raw::connect(addr);
    raw.send(bytes);
    raw.drain()
}
