//! What the workers of a generation share: counters, and the queues that carry accepted sockets to another worker.

use crate::limits::HANDOFF_QUEUE;
use crate::socket::BareSocket;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use twp_compiler::plan::ListenerId;

/// The workers of one generation, as each of them sees the others.
#[derive(Debug)]
pub struct WorkerGroup {
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    counters: Counters,
    queue: mpsc::Sender<Accepted>,
    receiver: Mutex<Option<mpsc::Receiver<Accepted>>>,
}

/// Counters of one worker. Only that worker writes them; padded so that no two workers share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Counters {
    /// Client connections that are open.
    pub open_connections: AtomicU64,
    /// Exchanges under way.
    pub exchanges_in_flight: AtomicU64,
    /// Exchanges begun.
    pub requests: AtomicU64,
    /// Connections accepted by this worker.
    pub accepted: AtomicU64,
    /// Connections this worker passed to another.
    pub handed_off: AtomicU64,
    /// Connections closed at once because a limit was reached.
    pub shed: AtomicU64,
    /// Failures of `accept` other than the client going away.
    pub accept_errors: AtomicU64,
    /// Answers of status 500 and above that twp made itself.
    pub own_failures: AtomicU64,
    /// Connections that ended by a panic.
    pub panics: AtomicU64,
    /// Sockets the worker accepts on now; 0 once it has paused.
    pub accepting: AtomicU64,
    /// Moves with the worker's clock: a worker that stands still hangs.
    pub heartbeat: AtomicU64,
}

/// A connection that was accepted and of which nothing was read.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// By which listener.
    pub(crate) listener: ListenerId,
    /// The socket.
    pub(crate) socket: BareSocket,
    /// The other side; `None` for Unix sockets.
    pub(crate) peer: Option<SocketAddr>,
}

/// Adds to a counter of which the caller is the only writer: no locked instruction needed.
pub(crate) fn add(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
}

/// Takes from a counter of which the caller is the only writer.
pub(crate) fn subtract(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_sub(n), Ordering::Relaxed);
}

impl WorkerGroup {
    /// A group of this many workers, numbered from 0.
    pub fn new(workers: usize) -> Arc<WorkerGroup> {
        let member = |_| {
            let (queue, receiver) = mpsc::channel(HANDOFF_QUEUE);
            Member { counters: Counters::default(), queue, receiver: Mutex::new(Some(receiver)) }
        };
        Arc::new(WorkerGroup { members: (0..workers).map(member).collect() })
    }

    /// How many workers.
    pub fn workers(&self) -> usize {
        self.members.len()
    }

    /// The counters of a worker; `None` past the last.
    pub fn counters(&self, worker: usize) -> Option<&Counters> {
        self.members.get(worker).map(|member| &member.counters)
    }

    /// The queue of sockets other workers pass to this one; only the first call gets it.
    pub(crate) fn take_queue(&self, worker: usize) -> Option<mpsc::Receiver<Accepted>> {
        let member = self.members.get(worker)?;
        member.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The accepting worker with the fewest connections other than `worker`, if it has fewer than `below`.
    pub(crate) fn less_busy(&self, worker: usize, below: u64) -> Option<usize> {
        let others = self.members.iter().enumerate().filter(|(index, _)| *index != worker);
        let accepting = others.filter(|(_, member)| member.counters.accepting.load(Ordering::Relaxed) > 0);
        let loads = accepting.map(|(index, member)| (member.load(), index));
        loads.min().filter(|(load, _)| *load < below).map(|(_, index)| index)
    }

    /// Passes a connection to a worker; gives it back when that one's queue is full.
    pub(crate) fn hand(&self, worker: usize, accepted: Accepted) -> Result<(), Accepted> {
        let Some(member) = self.members.get(worker) else { return Err(accepted) };
        member.queue.try_send(accepted).map_err(mpsc::error::TrySendError::into_inner)
    }
}

impl Member {
    fn load(&self) -> u64 {
        let queued = self.queue.max_capacity() - self.queue.capacity();
        self.counters.open_connections.load(Ordering::Relaxed) + queued as u64
    }
}
