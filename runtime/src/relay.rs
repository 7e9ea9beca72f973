//! Bodies both ways between a client and a server, with back-pressure and time limits.
//!
//! One exchange is one task: both directions are polled by it, so a response may begin before the request body has
//! ended. There is one deadline; it says what the exchange waits for now.

mod pump;

pub(crate) use pump::{Ends, Pump, PumpError, Writer};

use crate::buffer::Buffer;
use crate::error::{Error, ErrorKind};
use crate::http::h1::Connection;
use crate::limits::{BODY_RATE_MIN, BODY_WINDOW, BUFFER_MEDIUM, WRITE_TIMEOUT};
use crate::socket::Socket;
use crate::time::{Deadline, ticks};
use crate::upstream::{Lease, Timeouts};
use crate::wire::h1::response::ResponseHead;
use pump::Blocked;
use std::task::{Context, Poll, ready};

/// Request body bytes that one window must bring.
const WINDOW_BYTES_MIN: u64 = BODY_RATE_MIN * BODY_WINDOW.as_secs();

/// An exchange with a server: the request on its way there.
#[derive(Debug)]
pub(crate) struct Transfer<'a, 'w> {
    /// The client's side.
    pub(crate) connection: &'a mut Connection<'w>,
    /// Read from the client and not yet used.
    pub(crate) client_buffer: &'a mut Buffer,
    /// The server's side.
    pub(crate) lease: Lease<'a>,
    /// Read from the server and not yet used.
    pub(crate) server_buffer: &'a mut Buffer,
    /// The request head, then framed body.
    pub(crate) upload_out: &'a mut Vec<u8>,
    /// Time limits.
    pub(crate) timeouts: Timeouts,
    /// The request body.
    pub(crate) upload: Pump,
    /// How far the request is.
    pub(crate) upload_state: Upload,
    /// The client waits for 100 before it sends its body, and has not been sent it.
    pub(crate) is_continue_awaited: bool,
    /// Interim responses so far.
    pub(crate) n_interim: u32,
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upload {
    /// Some of it is still to be sent.
    Open,
    /// All of it was sent.
    Complete,
    /// The server stopped taking it; its response may still come.
    Broken,
}

/// What the deadline stands for before the response head has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Nothing,
    ForBody,
    ForServer,
    ForResponse,
}

impl Transfer<'_, '_> {
    /// Sends the request and reads until the head of the next response is whole; gives its length in the buffer.
    pub(crate) async fn response_head(
        &mut self,
        head: &mut ResponseHead,
        method: u8,
    ) -> Result<usize, Error> {
        let mut waiting = Waiting::Nothing;
        let mut body_mark = 0;
        std::future::poll_fn(|cx| {
            self.poll_upload(cx)?;
            if let Poll::Ready(len) = self.poll_head(cx, head, method)? {
                return Poll::Ready(Ok(len));
            }
            let now_waiting = self.waiting();
            if now_waiting != waiting {
                waiting = now_waiting;
                body_mark = self.upload.body_bytes;
                self.start_waiting(cx, waiting);
            }
            if self.connection.deadline.passed() {
                if waiting == Waiting::ForBody && self.upload.body_bytes - body_mark >= WINDOW_BYTES_MIN {
                    body_mark = self.upload.body_bytes;
                    self.start_waiting(cx, waiting);
                    return Poll::Pending;
                }
                let client_is_slow = waiting == Waiting::ForBody;
                let kind = if client_is_slow { ErrorKind::ClientTimeout } else { ErrorKind::ResponseTimeout };
                return Poll::Ready(Err(Error::new(kind)));
            }
            Poll::Pending
        })
        .await
    }

    /// Moves the response body to its end, and the request body as long as the server takes it. `out` holds the
    /// response head.
    pub(crate) async fn bodies(&mut self, download: &mut Pump, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut last_progress = None;
        std::future::poll_fn(|cx| {
            let mut ends = Ends {
                from: &mut self.lease.socket,
                to: &mut self.connection.socket,
                buffer: self.server_buffer,
                out,
                buffers: &self.connection.local.buffers,
            };
            if let Poll::Ready(result) = download.poll(cx, &mut ends) {
                return Poll::Ready(result.map_err(download_error));
            }
            self.poll_upload(cx)?;
            let progress = Some(download.progress + self.upload.progress);
            let deadline = &self.connection.deadline;
            if progress != last_progress {
                last_progress = progress;
                deadline.watch(cx);
                deadline.set(match download.blocked {
                    Blocked::Read => self.timeouts.idle,
                    Blocked::Write => ticks(WRITE_TIMEOUT),
                });
            }
            if deadline.passed() {
                return Poll::Ready(Err(Error::new(match download.blocked {
                    Blocked::Read => ErrorKind::UpstreamIdle,
                    Blocked::Write => ErrorKind::ClientTimeout,
                })));
            }
            Poll::Pending
        })
        .await
    }

    /// Moves the request on. A server that takes no more of it may have answered already, so that is no error.
    fn poll_upload(&mut self, cx: &mut Context<'_>) -> Result<(), Error> {
        if self.upload_state != Upload::Open {
            return Ok(());
        }
        let buffers = &self.connection.local.buffers;
        let mut ends = Ends {
            from: &mut self.connection.socket,
            to: &mut self.lease.socket,
            buffer: self.client_buffer,
            out: self.upload_out,
            buffers,
        };
        match self.upload.poll(cx, &mut ends) {
            Poll::Pending => {}
            Poll::Ready(Ok(())) => {
                self.upload_state = Upload::Complete;
                if self.client_buffer.is_empty() {
                    // Others can use the memory while the server thinks.
                    buffers.release(std::mem::take(self.client_buffer));
                }
            }
            Poll::Ready(Err(PumpError::Sink)) => self.upload_state = Upload::Broken,
            Poll::Ready(Err(error)) => return Err(upload_error(error)),
        }
        Ok(())
    }

    fn poll_head(
        &mut self,
        cx: &mut Context<'_>,
        head: &mut ResponseHead,
        method: u8,
    ) -> Poll<Result<usize, Error>> {
        let local = self.connection.local;
        loop {
            if !self.server_buffer.is_empty() {
                match head.parse(self.server_buffer.filled(), &local.head_limits, method) {
                    Ok(Some(len)) => return Poll::Ready(Ok(len)),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Err(Error::new(ErrorKind::BadResponse(error)))),
                }
                if self.server_buffer.is_full() {
                    local.buffers.grow(self.server_buffer, self.server_buffer.capacity() + 1);
                }
            }
            let gone = Error::new(ErrorKind::UpstreamGone);
            // Waiting needs no memory.
            if ready!(self.lease.socket.poll_readable(cx)).is_err() {
                return Poll::Ready(Err(gone));
            }
            local.buffers.grow(self.server_buffer, BUFFER_MEDIUM);
            match ready!(self.lease.socket.poll_read(cx, self.server_buffer.space())) {
                Ok(0) | Err(_) => return Poll::Ready(Err(gone)),
                Ok(n) => self.server_buffer.fill(n),
            }
        }
    }

    fn waiting(&self) -> Waiting {
        // A client that waits for 100 is not slow with its body: the server's word is due.
        let is_bodys_turn = !self.is_continue_awaited || self.upload.has_begun();
        match (self.upload_state, self.upload.blocked) {
            (Upload::Open, Blocked::Read) if is_bodys_turn => Waiting::ForBody,
            (Upload::Open, Blocked::Write) => Waiting::ForServer,
            (Upload::Open | Upload::Complete | Upload::Broken, Blocked::Read | Blocked::Write) => {
                Waiting::ForResponse
            }
        }
    }

    fn start_waiting(&self, cx: &Context<'_>, waiting: Waiting) {
        let deadline = &self.connection.deadline;
        deadline.watch(cx);
        deadline.set(match waiting {
            Waiting::ForBody => ticks(BODY_WINDOW),
            Waiting::ForServer => self.timeouts.idle,
            Waiting::ForResponse | Waiting::Nothing => self.timeouts.response,
        });
    }
}

/// Reads and discards a request body, as fast as any other must come.
pub(crate) async fn discard_body(
    socket: &mut Socket,
    deadline: &Deadline,
    pump: &mut Pump,
    buffer: &mut Buffer,
) -> Result<(), Error> {
    let mut body_mark = None;
    std::future::poll_fn(|cx| {
        if let Poll::Ready(result) = pump.poll_skip(cx, socket, buffer) {
            return Poll::Ready(result.map_err(upload_error));
        }
        if let Some(mark) = body_mark
            && deadline.passed()
            && pump.body_bytes - mark < WINDOW_BYTES_MIN
        {
            return Poll::Ready(Err(Error::new(ErrorKind::ClientTimeout)));
        }
        if body_mark.is_none() || deadline.passed() {
            body_mark = Some(pump.body_bytes);
            deadline.watch(cx);
            deadline.set(ticks(BODY_WINDOW));
        }
        Poll::Pending
    })
    .await
}

/// What it means when the request body cannot be read.
pub(crate) fn upload_error(error: PumpError) -> Error {
    Error::new(match error {
        PumpError::Source => ErrorKind::ClientGone,
        PumpError::Sink => ErrorKind::UpstreamGone,
        PumpError::Malformed(error) => ErrorKind::BadRequest(error),
        PumpError::TooLarge => ErrorKind::BodyTooLarge,
    })
}

fn download_error(error: PumpError) -> Error {
    Error::new(match error {
        PumpError::Source => ErrorKind::UpstreamGone,
        PumpError::Sink => ErrorKind::ClientGone,
        PumpError::Malformed(error) => ErrorKind::BadResponse(error),
        PumpError::TooLarge => ErrorKind::SurplusResponse,
    })
}
