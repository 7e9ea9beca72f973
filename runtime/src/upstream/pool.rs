//! Idle connections of one worker to one server, and the lease on a connection in use.

use super::connect::Addresses;
use crate::limits::UPSTREAM_IDLE_TIMEOUT;
use crate::socket::{Check, Socket};
use crate::time::{Clock, Tick, ticks};
use std::cell::{Cell, RefCell};
use twp_compiler::literal::Endpoint;

/// A server as one worker knows it.
#[derive(Debug)]
pub(super) struct Server {
    /// Where it listens.
    pub(super) endpoint: Endpoint,
    /// How records call it.
    name: String,
    /// What its name resolved to.
    pub(super) addresses: Addresses,
    /// The most recently used last.
    idle: RefCell<Vec<Idle>>,
    idle_max: usize,
    resting_until: Cell<Tick>,
}

#[derive(Debug)]
struct Idle {
    socket: Socket,
    since: Tick,
}

impl Server {
    /// A server without connections.
    pub(super) fn new(endpoint: Endpoint, idle_max: usize) -> Server {
        Server {
            name: endpoint.to_string(),
            endpoint,
            addresses: Addresses::default(),
            idle: RefCell::new(Vec::new()),
            idle_max,
            resting_until: Cell::new(0),
        }
    }

    /// The most recently used idle connection that is still usable; those found unusable are closed.
    pub(super) fn idle<'a>(&'a self, clock: &'a Clock, check: Check) -> Option<Lease<'a>> {
        let mut idle = self.idle.borrow_mut();
        while let Some(Idle { socket, since: _ }) = idle.pop() {
            // Readable bytes before any request are as bad as the end of the stream: nobody asked for them, and
            // the next exchange would take them for its response.
            if socket.is_quiet(check) {
                return Some(Lease { socket, server: self, clock, is_reused: true });
            }
        }
        None
    }

    /// How records call it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Closes idle connections that are old or no longer usable.
    pub(super) fn sweep(&self, now: Tick) {
        let oldest = now.saturating_sub(ticks(UPSTREAM_IDLE_TIMEOUT));
        self.idle.borrow_mut().retain(|idle| idle.since >= oldest && idle.socket.is_quiet(Check::Seen));
    }

    /// Closes all idle connections.
    pub(super) fn close_idle(&self) {
        self.idle.borrow_mut().clear();
    }

    /// Passes the server over until then, while others live.
    pub(super) fn rest_until(&self, tick: Tick) {
        self.resting_until.set(tick);
    }

    /// Whether it is passed over.
    pub(super) fn is_resting(&self, now: Tick) -> bool {
        self.resting_until.get() > now
    }
}

/// A connection to a server in use by one exchange. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct Lease<'a> {
    /// The connection.
    pub(crate) socket: Socket,
    /// Whether it has carried an exchange before: the server may have closed it meanwhile.
    pub(crate) is_reused: bool,
    server: &'a Server,
    clock: &'a Clock,
}

impl<'a> Lease<'a> {
    /// The lease on a new connection.
    pub(super) fn new(server: &'a Server, clock: &'a Clock, socket: Socket) -> Lease<'a> {
        Lease { socket, is_reused: false, server, clock }
    }

    /// Returns the connection to the pool. Only for one whose exchange ended exactly at its message's end.
    pub(crate) fn give_back(self) {
        let mut idle = self.server.idle.borrow_mut();
        if idle.len() < self.server.idle_max {
            idle.push(Idle { socket: self.socket, since: self.clock.now() });
        }
    }
}
