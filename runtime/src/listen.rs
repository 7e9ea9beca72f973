//! Accepting connections: under the worker's limit, without spinning when descriptors run out, and passing a just
//! accepted socket to a clearly less busy worker.
//!
//! The kernel spreads connections over the sockets of the workers, not load: eight connections over two workers end
//! up as six and two or worse in a third of all runs. Unix sockets are shared by all workers to begin with.

use crate::group::{Accepted, WorkerGroup, add};
use crate::limits::{ACCEPT_BACKOFF, HANDOFF_LEAD};
use crate::socket::Socket;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use tokio::time::Sleep;
use twp_compiler::plan::ListenerId;

/// A listening socket of one worker.
#[derive(Debug)]
pub struct ListenSocket {
    /// The listener it belongs to.
    pub listener: ListenerId,
    /// Whether its address stands under `plain`: never TLS.
    pub plain: bool,
    /// The socket, bound and listening.
    pub socket: ListenSocketKind,
}

/// What a listening socket is.
#[derive(Debug)]
pub enum ListenSocketKind {
    /// Over IP.
    Tcp(std::net::TcpListener),
    /// On this host.
    Unix(std::os::unix::net::UnixListener),
}

/// A connection of this worker of which nothing was read.
#[derive(Debug)]
pub(crate) struct Connected {
    /// By which listener.
    pub(crate) listener: ListenerId,
    /// The socket.
    pub(crate) socket: Socket,
    /// The other side; `None` for Unix sockets.
    pub(crate) peer: Option<SocketAddr>,
}

impl Connected {
    /// Takes a connection that another worker accepted.
    pub(crate) fn adopt(accepted: Accepted) -> io::Result<Connected> {
        let socket = Socket::from_bare(accepted.socket)?;
        Ok(Connected { listener: accepted.listener, socket, peer: accepted.peer })
    }
}

/// The listening sockets of one worker.
#[derive(Debug)]
pub(crate) struct Acceptor {
    sockets: Vec<(ListenerId, Listening)>,
    group: Arc<WorkerGroup>,
    worker: usize,
    connections_max: u64,
    backoff: Option<Pin<Box<Sleep>>>,
}

/// A listening socket in the states it goes through.
#[derive(Debug)]
enum Listening {
    /// Not watched: connections wait in the kernel, or go to whoever else holds the socket.
    Resting(ListenSocketKind),
    ActiveTcp(tokio::net::TcpListener),
    ActiveUnix(tokio::net::UnixListener),
    Closed,
}

impl Acceptor {
    /// Holds the sockets without accepting.
    pub(crate) fn new(
        sockets: Vec<ListenSocket>,
        group: Arc<WorkerGroup>,
        worker: usize,
        max: u64,
    ) -> Acceptor {
        let resting = |socket: ListenSocket| (socket.listener, Listening::Resting(socket.socket));
        let sockets = sockets.into_iter().map(resting).collect();
        Acceptor { sockets, group, worker, connections_max: max, backoff: None }
    }

    /// Begins to accept, or goes on. On failure the sockets already begun stay so.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        for (_, listening) in &mut self.sockets {
            listening.resume()?;
        }
        self.publish();
        Ok(())
    }

    /// Stops accepting: the sockets leave the worker's event queue first, then stay open.
    pub(crate) fn pause(&mut self) {
        for (_, listening) in &mut self.sockets {
            listening.pause();
        }
        self.backoff = None;
        self.publish();
    }

    /// Closes this worker's copies of the sockets.
    pub(crate) fn close(&mut self) {
        self.sockets.clear();
        self.publish();
    }

    /// The next connection for this worker.
    pub(crate) fn poll_accept(&mut self, cx: &mut Context<'_>) -> Poll<Connected> {
        if let Some(backoff) = &mut self.backoff {
            ready!(backoff.as_mut().poll(cx));
            self.backoff = None;
        }
        for at in 0..self.sockets.len() {
            // At the limit nothing is polled; the end of a connection polls again.
            while self.open_connections() < self.connections_max {
                let (listener, listening) = &self.sockets[at];
                match listening.poll_accept(cx) {
                    Poll::Pending => break,
                    Poll::Ready(Ok((socket, peer))) => {
                        let connected = Connected { listener: *listener, socket, peer };
                        if let Some(connected) = self.keep_or_hand(connected) {
                            return Poll::Ready(connected);
                        }
                    }
                    Poll::Ready(Err(error)) => {
                        if self.note(&error) {
                            let mut backoff = Box::pin(tokio::time::sleep(ACCEPT_BACKOFF));
                            // Registers the wait; it has hardly begun, so it cannot be over.
                            let _ = backoff.as_mut().poll(cx);
                            self.backoff = Some(backoff);
                            return Poll::Pending;
                        }
                    }
                }
            }
        }
        Poll::Pending
    }

    /// Passes the connection on when another worker is clearly less busy; otherwise it is ours.
    fn keep_or_hand(&self, connected: Connected) -> Option<Connected> {
        let counters = self.group.counters(self.worker)?;
        add(&counters.accepted, 1);
        let below = self.open_connections().saturating_sub(HANDOFF_LEAD);
        let Some(other) = self.group.less_busy(self.worker, below) else { return Some(connected) };
        let Connected { listener, socket, peer } = connected;
        // A socket that cannot be taken out of the event queue is broken; dropping it closes it.
        let socket = socket.into_bare().ok()?;
        match self.group.hand(other, Accepted { listener, socket, peer }) {
            Ok(()) => {
                add(&counters.handed_off, 1);
                None
            }
            Err(back) => Connected::adopt(back).ok(),
        }
    }

    fn open_connections(&self) -> u64 {
        self.group
            .counters(self.worker)
            .map_or(0, |counters| counters.open_connections.load(Ordering::Relaxed))
    }

    /// Counts a failure of `accept`; true when the system is short of something and a pause helps.
    fn note(&self, error: &io::Error) -> bool {
        use nix::errno::Errno;
        let errno = error.raw_os_error().map(Errno::from_raw);
        let gone = matches!(errno, Some(Errno::ECONNABORTED | Errno::EINTR | Errno::EPROTO | Errno::EPERM));
        if !gone && let Some(counters) = self.group.counters(self.worker) {
            add(&counters.accept_errors, 1);
        }
        !gone
    }

    fn publish(&self) {
        let n_active = self.sockets.iter().filter(|(_, listening)| listening.is_active()).count();
        if let Some(counters) = self.group.counters(self.worker) {
            counters.accepting.store(n_active as u64, Ordering::Release);
        }
    }
}

impl Listening {
    fn is_active(&self) -> bool {
        match self {
            Listening::ActiveTcp(_) | Listening::ActiveUnix(_) => true,
            Listening::Resting(_) | Listening::Closed => false,
        }
    }

    fn resume(&mut self) -> io::Result<()> {
        *self = match std::mem::replace(self, Listening::Closed) {
            Listening::Resting(ListenSocketKind::Tcp(socket)) => {
                socket.set_nonblocking(true)?;
                // Accepted sockets inherit it: no system call per connection.
                socket2::SockRef::from(&socket).set_tcp_nodelay(true)?;
                Listening::ActiveTcp(tokio::net::TcpListener::from_std(socket)?)
            }
            Listening::Resting(ListenSocketKind::Unix(socket)) => {
                socket.set_nonblocking(true)?;
                Listening::ActiveUnix(tokio::net::UnixListener::from_std(socket)?)
            }
            other @ (Listening::ActiveTcp(_) | Listening::ActiveUnix(_) | Listening::Closed) => other,
        };
        Ok(())
    }

    fn pause(&mut self) {
        *self = match std::mem::replace(self, Listening::Closed) {
            Listening::ActiveTcp(socket) => match socket.into_std() {
                Ok(socket) => Listening::Resting(ListenSocketKind::Tcp(socket)),
                Err(_) => Listening::Closed,
            },
            Listening::ActiveUnix(socket) => match socket.into_std() {
                Ok(socket) => Listening::Resting(ListenSocketKind::Unix(socket)),
                Err(_) => Listening::Closed,
            },
            other @ (Listening::Resting(_) | Listening::Closed) => other,
        };
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(Socket, Option<SocketAddr>)>> {
        match self {
            Listening::ActiveTcp(socket) => {
                let (socket, peer) = ready!(socket.poll_accept(cx))?;
                Poll::Ready(Ok((Socket::Tcp(socket), Some(peer))))
            }
            Listening::ActiveUnix(socket) => {
                let (socket, _) = ready!(socket.poll_accept(cx))?;
                Poll::Ready(Ok((Socket::Unix(socket), None)))
            }
            Listening::Resting(_) | Listening::Closed => Poll::Pending,
        }
    }
}
