//! Connecting to a server: addresses, names and Unix sockets, under one deadline.
//!
//! Names are resolved off the worker's thread and kept for a while; when resolving fails, the last good addresses
//! go on serving for a bounded time.

use super::pool::Server;
use crate::error::{Error, ErrorKind};
use crate::limits::{NAME_ADDRESSES_MAX, NAME_FRESH, NAME_STALE};
use crate::socket::Socket;
use crate::time::{Deadline, Tick, ticks};
use std::cell::{Cell, RefCell};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::{TcpStream, UnixStream};
use twp_compiler::literal::Endpoint;

/// What the name of a server resolved to.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    list: RefCell<Vec<SocketAddr>>,
    fresh_until: Cell<Tick>,
    stale_until: Cell<Tick>,
}

/// A new connection to a server within so many ticks.
pub(super) async fn connect(server: &Server, deadline: &Deadline, within: Tick) -> Result<Socket, Error> {
    deadline.set(within);
    match deadline.race(connect_any(server, deadline)).await {
        Some(result) => result,
        None => Err(Error::unsent(ErrorKind::ConnectTimeout)),
    }
}

async fn connect_any(server: &Server, deadline: &Deadline) -> Result<Socket, Error> {
    let connected = match &server.endpoint {
        Endpoint::Address(addr) => connect_tcp(*addr).await,
        // As an upstream, a bare port is one of this host.
        Endpoint::Port(port) => connect_tcp((Ipv4Addr::LOCALHOST, *port).into()).await,
        Endpoint::Unix(path) => UnixStream::connect(path).await.map(Socket::Unix),
        Endpoint::Name(name, port) => {
            let resolved = server.addresses.resolve(name, *port, deadline).await;
            resolved.map_err(|_| Error::unsent(ErrorKind::NameUnknown))?;
            connect_name(&server.addresses).await
        }
    };
    connected.map_err(|error| Error::from_connect(&error))
}

async fn connect_tcp(addr: SocketAddr) -> io::Result<Socket> {
    let socket = TcpStream::connect(addr).await?;
    // Heads and chunks are written whole; waiting for more would only delay them.
    socket.set_nodelay(true)?;
    Ok(Socket::Tcp(socket))
}

/// Tries the addresses in turn and puts the first that answers to the front.
async fn connect_name(addresses: &Addresses) -> io::Result<Socket> {
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut at = 0;
    while let Some(addr) = addresses.nth(at) {
        match connect_tcp(addr).await {
            Ok(socket) => {
                addresses.prefer(addr);
                return Ok(socket);
            }
            Err(error) => failure = error,
        }
        at += 1;
    }
    Err(failure)
}

impl Addresses {
    fn nth(&self, at: usize) -> Option<SocketAddr> {
        self.list.borrow().get(at).copied()
    }

    fn prefer(&self, addr: SocketAddr) {
        let mut list = self.list.borrow_mut();
        if let Some(at) = list.iter().position(|known| *known == addr) {
            list.swap(0, at);
        }
    }

    /// Makes sure that there are addresses, asking the system's resolver when those known are old.
    async fn resolve(&self, name: &str, port: u16, deadline: &Deadline) -> io::Result<()> {
        let now = deadline.clock().now();
        let is_known = !self.list.borrow().is_empty();
        if is_known && now < self.fresh_until.get() {
            return Ok(());
        }
        // One exchange asks; others use what is known until it has its answer.
        if is_known {
            self.fresh_until.set(now + ticks(NAME_FRESH));
        }
        match tokio::net::lookup_host((name, port)).await {
            Ok(found) => {
                let list: Vec<SocketAddr> = found.take(NAME_ADDRESSES_MAX).collect();
                if list.is_empty() && !is_known {
                    return Err(io::ErrorKind::AddrNotAvailable.into());
                }
                let now = deadline.clock().now();
                self.fresh_until.set(now + ticks(NAME_FRESH));
                self.stale_until.set(now + ticks(NAME_FRESH) + ticks(NAME_STALE));
                *self.list.borrow_mut() = list;
                Ok(())
            }
            Err(_) if is_known && now < self.stale_until.get() => Ok(()),
            Err(error) => {
                self.list.borrow_mut().clear();
                Err(error)
            }
        }
    }
}
