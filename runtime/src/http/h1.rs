//! A client connection of HTTP/1.1 or 1.0 (RFC 9112): waiting for requests, reading heads, writing, closing.
//!
//! Requests that arrive behind one another wait in the read buffer and are answered in order, because the next head
//! is not looked at before the previous exchange has ended. The connection holds no buffer while it is idle.

use crate::buffer::Buffer;
use crate::error::{Error, ErrorKind};
use crate::limits::{
    BUFFER_SMALL, HEAD_TIMEOUT, LINGER_BYTES_MAX, LINGER_TIMEOUT, REQUESTS_PER_CONNECTION_MAX, WRITE_TIMEOUT,
};
use crate::listen::Connected;
use crate::local::{Local, Phase};
use crate::socket::Socket;
use crate::time::{Deadline, Tick, ticks};
use crate::wire::h1::Framing;
use crate::wire::h1::request::RequestHead;
use std::net::{IpAddr, Ipv4Addr};
use std::task::Poll;
use twp_compiler::plan::ListenerId;

/// A client connection.
#[derive(Debug)]
pub(crate) struct Connection<'w> {
    /// Its socket.
    pub(crate) socket: Socket,
    /// The one deadline of whatever it waits for.
    pub(crate) deadline: Deadline,
    /// The tools of its worker.
    pub(crate) local: &'w Local,
    /// The listener that accepted it.
    pub(crate) listener: ListenerId,
    /// The other side's address; this host for Unix sockets.
    pub(crate) peer: IpAddr,
    /// The same as text, for what upstreams are told; empty for Unix sockets.
    pub(crate) peer_text: String,
    /// Whether the peer is a trusted proxy.
    pub(crate) peer_is_trusted: bool,
    /// Requests so far.
    pub(crate) requests: u32,
    /// Some of the final response to the present request may have been sent.
    pub(crate) has_answered: bool,
}

/// How waiting for bytes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// There is something to read, be it the end.
    Readable,
    /// The time is over.
    TimedOut,
}

impl<'w> Connection<'w> {
    /// A connection of which nothing was read.
    pub(crate) fn new(
        connected: Connected,
        local: &'w Local,
        is_trusted: impl Fn(IpAddr) -> bool,
    ) -> Connection<'w> {
        let addr = connected.peer.map(|addr| addr.ip().to_canonical());
        let peer = addr.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        Connection {
            socket: connected.socket,
            deadline: local.clock.deadline(),
            local,
            listener: connected.listener,
            peer,
            peer_text: addr.map(|addr| addr.to_string()).unwrap_or_default(),
            peer_is_trusted: is_trusted(peer),
            requests: 0,
            has_answered: false,
        }
    }

    /// Whether we let the client send another request on this connection.
    pub(crate) fn may_stay(&self) -> bool {
        self.local.phase.get() == Phase::Serving && self.requests < REQUESTS_PER_CONNECTION_MAX
    }

    /// Waits until something can be read, at most for so many ticks.
    pub(crate) async fn wait(&self, within: Tick) -> Waited {
        self.deadline.set(within);
        std::future::poll_fn(|cx| {
            self.deadline.watch(cx);
            // An error shows again in the read that follows.
            if self.socket.poll_readable(cx).is_ready() {
                return Poll::Ready(Waited::Readable);
            }
            if self.deadline.passed() { Poll::Ready(Waited::TimedOut) } else { Poll::Pending }
        })
        .await
    }

    /// Reads until a head is whole and gives its length in the buffer; `None` when the client closed between two
    /// requests.
    pub(crate) async fn read_head(
        &mut self,
        buffer: &mut Buffer,
        head: &mut RequestHead,
    ) -> Result<Option<usize>, Error> {
        // The head may be left half read by a client that went away.
        head.clear();
        self.local.buffers.grow(buffer, BUFFER_SMALL);
        let mut is_timed = false;
        loop {
            if !buffer.is_empty() {
                match head.parse(buffer.filled(), &self.local.head_limits) {
                    Ok(Some(len)) => return Ok(Some(len)),
                    Ok(None) => {}
                    Err(error) => return Err(Error::unsent(ErrorKind::BadRequest(error))),
                }
                if !is_timed {
                    is_timed = true;
                    self.deadline.set(ticks(HEAD_TIMEOUT));
                }
                if buffer.is_full() {
                    // The parser refuses a head beyond its limit, which the largest buffer holds.
                    self.local.buffers.grow(buffer, buffer.capacity() + 1);
                }
            }
            match self.read_some(buffer).await {
                Ok(n) if n > 0 => {}
                Err(ReadError::TimedOut) if !buffer.is_empty() => {
                    return Err(Error::unsent(ErrorKind::ClientTimeout));
                }
                Ok(_) | Err(_) if buffer.is_empty() => return Ok(None),
                Ok(_) | Err(_) => return Err(Error::unsent(ErrorKind::ClientGone)),
            }
        }
    }

    /// Reads once into the buffer, under the deadline as it stands.
    async fn read_some(&mut self, buffer: &mut Buffer) -> Result<usize, ReadError> {
        let (socket, deadline) = (&mut self.socket, &self.deadline);
        std::future::poll_fn(|cx| match socket.poll_read(cx, buffer.space()) {
            Poll::Ready(Ok(n)) => {
                buffer.fill(n);
                Poll::Ready(Ok(n))
            }
            Poll::Ready(Err(_)) => Poll::Ready(Err(ReadError::Failed)),
            Poll::Pending if deadline.passed() => Poll::Ready(Err(ReadError::TimedOut)),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Writes all of it; the client must take some within the write time-out.
    pub(crate) async fn write_all(&mut self, bytes: &[u8]) -> Result<(), Unwritten> {
        let mut rest = bytes;
        let (socket, deadline) = (&mut self.socket, &self.deadline);
        let mut is_timed = false;
        std::future::poll_fn(|cx| {
            let failed = |kind, rest: &[u8]| {
                Poll::Ready(Err(Unwritten { error: Error::new(kind), n_bytes: rest.len() }))
            };
            while !rest.is_empty() {
                match socket.poll_write_two(cx, rest, b"") {
                    Poll::Ready(Ok(n)) => {
                        is_timed = false;
                        rest = rest.get(n..).unwrap_or_default();
                    }
                    Poll::Ready(Err(_)) => return failed(ErrorKind::ClientGone, rest),
                    Poll::Pending => {
                        if !is_timed {
                            is_timed = true;
                            deadline.watch(cx);
                            deadline.set(ticks(WRITE_TIMEOUT));
                        }
                        if deadline.passed() {
                            return failed(ErrorKind::ClientTimeout, rest);
                        }
                        return Poll::Pending;
                    }
                }
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    /// Closes after a response: ends our side and reads a little of what the client still sends. Closing with unread
    /// bytes would make the system send a reset, which destroys the response under way (RFC 9112 section 9.6).
    pub(crate) async fn close(&mut self, buffer: &mut Buffer) {
        if self.socket.shutdown_write().is_err() {
            return;
        }
        self.deadline.set(ticks(LINGER_TIMEOUT));
        self.local.buffers.grow(buffer, BUFFER_SMALL);
        let mut left = LINGER_BYTES_MAX;
        while left > 0 {
            buffer.clear();
            match self.read_some(buffer).await {
                Ok(0) | Err(_) => return,
                Ok(n) => left = left.saturating_sub(n),
            }
        }
    }

    /// Ends a connection in the middle of a response so that the client notices: a length or chunks tell by
    /// themselves, otherwise it takes a reset.
    pub(crate) fn abort(&self, framing: Framing) {
        match framing {
            Framing::None | Framing::Length(_) | Framing::Chunked => {}
            Framing::UntilClose => self.socket.reset_on_close(),
        }
    }
}

/// Why not all was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwritten {
    /// What happened.
    pub(crate) error: Error,
    /// How many bytes are left.
    pub(crate) n_bytes: usize,
}

impl From<Unwritten> for Error {
    fn from(unwritten: Unwritten) -> Error {
        unwritten.error
    }
}

/// Why a read gave nothing.
#[derive(Debug)]
enum ReadError {
    TimedOut,
    Failed,
}
