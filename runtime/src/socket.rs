//! A connected stream socket: TCP or Unix behind one type, with the few operations the data path needs.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// A connected socket, registered with this worker.
#[derive(Debug)]
pub(crate) enum Socket {
    /// Over IP.
    Tcp(TcpStream),
    /// On this host.
    Unix(UnixStream),
}

/// A connected socket that no worker has registered yet.
#[derive(Debug)]
pub(crate) enum BareSocket {
    /// Over IP.
    Tcp(std::net::TcpStream),
    /// On this host.
    Unix(std::os::unix::net::UnixStream),
}

impl Socket {
    /// Registers with the worker that calls.
    pub(crate) fn from_bare(bare: BareSocket) -> io::Result<Socket> {
        match bare {
            BareSocket::Tcp(socket) => TcpStream::from_std(socket).map(Socket::Tcp),
            BareSocket::Unix(socket) => UnixStream::from_std(socket).map(Socket::Unix),
        }
    }

    /// Takes the socket away from this worker.
    pub(crate) fn into_bare(self) -> io::Result<BareSocket> {
        match self {
            Socket::Tcp(socket) => socket.into_std().map(BareSocket::Tcp),
            Socket::Unix(socket) => socket.into_std().map(BareSocket::Unix),
        }
    }

    /// Waits until a read would not block.
    pub(crate) fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Socket::Tcp(socket) => socket.poll_read_ready(cx),
            Socket::Unix(socket) => socket.poll_read_ready(cx),
        }
    }

    /// Reads into `space`; 0 is the end of the stream. A read that does not fill the space tells the runtime that
    /// nothing more is there, which saves the system call that would only say so.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, space: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(space);
        ready!(match self {
            Socket::Tcp(socket) => Pin::new(socket).poll_read(cx, &mut buf),
            Socket::Unix(socket) => Pin::new(socket).poll_read(cx, &mut buf),
        })?;
        Poll::Ready(Ok(buf.filled().len()))
    }

    /// Writes some of both slices, the first before the second.
    pub(crate) fn poll_write_two(
        &mut self,
        cx: &mut Context<'_>,
        a: &[u8],
        b: &[u8],
    ) -> Poll<io::Result<usize>> {
        if a.is_empty() || b.is_empty() {
            let bytes = if a.is_empty() { b } else { a };
            return match self {
                Socket::Tcp(socket) => Pin::new(socket).poll_write(cx, bytes),
                Socket::Unix(socket) => Pin::new(socket).poll_write(cx, bytes),
            };
        }
        let slices = [IoSlice::new(a), IoSlice::new(b)];
        match self {
            Socket::Tcp(socket) => Pin::new(socket).poll_write_vectored(cx, &slices),
            Socket::Unix(socket) => Pin::new(socket).poll_write_vectored(cx, &slices),
        }
    }

    /// Ends our side of the stream; the other side may go on.
    pub(crate) fn shutdown_write(&mut self) -> io::Result<()> {
        use std::net::Shutdown::Write;
        match self {
            Socket::Tcp(socket) => socket2::SockRef::from(&*socket).shutdown(Write),
            Socket::Unix(socket) => socket2::SockRef::from(&*socket).shutdown(Write),
        }
    }

    /// Makes the coming close a reset, so that the other side cannot take a truncated message for a whole one.
    pub(crate) fn reset_on_close(&self) {
        match self {
            // Where it fails the socket is gone already.
            Socket::Tcp(socket) => drop(socket.set_zero_linger()),
            Socket::Unix(_) => {}
        }
    }

    /// Whether an idle connection is still usable: nothing to read and no end seen. It costs a system call only
    /// where the runtime has seen something, or with `Check::Ask`.
    pub(crate) fn is_quiet(&self, check: Check) -> bool {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        if check == Check::Seen && self.poll_readable(&mut cx).is_pending() {
            return true;
        }
        let mut byte = [std::mem::MaybeUninit::uninit()];
        let peeked = match self {
            Socket::Tcp(socket) => socket2::SockRef::from(socket).peek(&mut byte),
            Socket::Unix(socket) => socket2::SockRef::from(socket).peek(&mut byte),
        };
        matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// How thoroughly an idle connection is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// What the runtime has seen of it.
    Seen,
    /// Ask the system: for requests that could not be sent again.
    Ask,
}
